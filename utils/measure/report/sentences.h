/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What came of a run in words and sentences: of precision, gate and pairs. */

#ifndef CPUCYCLES_MEASURE_SENTENCES_H
#define CPUCYCLES_MEASURE_SENTENCES_H

#include "figures.h"
#include "result/outcome.h"

#include <stdbool.h>
#include <stddef.h>

/* A sentence on a run that Ctrl-C has ended. NULL: it was not ended so. */
const char *sentence_ending(const struct outcome outcomes[], size_t n);

/* What of the machine's work an event counts. */
const char *sentence_modes(const struct cpucycles_event_info *info);

/* Room for a sentence. */
#define SENTENCE_TEXT FIGURES_SENTENCE

/* As many names as have room next to other sentences. */
#define SENTENCE_NAMES 120

/* Functions of which something is said: their names, and how many there are. All zeros: none. */
struct sentence_names {
	char text[SENTENCE_NAMES];
	size_t all, named;
};

void sentence_names_add(struct sentence_names *names, const char *name);

/* Append them: "Passed: 3 (f, g and others)". There is one at least. */
void sentence_names_say(const struct sentence_names *names, const char *called,
			char text[SENTENCE_TEXT]);

/* What both forms of a gate's report call functions that were not measured. */
#define SENTENCE_PARAMETERS "Not measured, because they want parameters"
#define SENTENCE_UNSURE "Not measured, because without -g they may be members of a class"
#define SENTENCE_LEFT_OUT "Left out, because they fail in both files"

/* "passed", "alarm" or "cannot tell", of several outcomes. NULL: there is no gate. Pure. */
const char *sentence_gate_word(const struct outcome outcomes[], size_t n);

/* That answer as a sentence. False: there is no gate. */
bool sentence_gate(const struct outcome outcomes[], size_t n, char text[SENTENCE_TEXT]);

/* That the functions are unchanged, and were not measured. False: they were, or this is a pair, or
 * not the first size. */
bool sentence_unchanged(const struct outcome *outcome, char text[SENTENCE_TEXT]);

/* What came of all pairs, as sentences. False: these are no pairs. */
bool sentence_pairs(const struct outcome outcomes[], size_t n, char text[SENTENCE_TEXT]);

/* What came of the precision that was asked for. False: none was, or there are no figures. */
bool sentence_precision(const struct outcome *outcome, char text[SENTENCE_TEXT]);

#endif
