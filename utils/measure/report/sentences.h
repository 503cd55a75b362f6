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
const char *outcome_ending(const struct outcome outcomes[], size_t n);

/* What of the machine's work an event counts. */
const char *outcome_modes(const struct cpucycles_event_info *info);

/* Room for a sentence. */
#define OUTCOME_TEXT FIGURES_SENTENCE

/* "passed", "alarm" or "cannot tell", of several outcomes. NULL: there is no gate. Pure. */
const char *outcome_gate_word(const struct outcome outcomes[], size_t n);

/* The answer of one outcome as a sentence. False: there is no gate, or the outcome is one of a
 * pair. */
bool outcome_gate_sentence(const struct outcome *outcome, char text[OUTCOME_TEXT]);

/* What came of all pairs, as sentences. False: these are no pairs. */
bool outcome_pairs_sentence(const struct outcome outcomes[], size_t n, char text[OUTCOME_TEXT]);

/* What came of the precision that was asked for. False: none was, or there are no figures. */
bool outcome_precision_sentence(const struct outcome *outcome, char text[OUTCOME_TEXT]);

#endif
