/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Turns what inspect found into sentences for people, and into commands that mend it. */

#ifndef CPUCYCLES_EXPLAIN_H
#define CPUCYCLES_EXPLAIN_H

#include "complain.h"
#include "inspect.h"

#define EXPLAIN_TEXT 512
/* The remedies where this machine shows no PMU, in the words of sentences/reason.c, and where all
 * memory that this user's perf events may lock is in use. */
#define EXPLAIN_ABSENT "this machine shows no PMU: if it is virtual, only its host can give it one"
#define EXPLAIN_MEMORY \
	"end this user's other programs that use perf events, or raise" \
	" kernel.perf_event_mlock_kb or ulimit -l"

#define EXPLAIN_COMMAND (4 * EXPLAIN_TEXT)

/* Why the cache is not in use. Both texts are empty where it is. */
struct explanation {
	char problem[EXPLAIN_TEXT];
	char remedy[EXPLAIN_COMMAND];
};

/* Why a counter is unusable, and what opens it if something does. Pure. */
void explain_reason(const struct candidate *candidate, const struct knobs *knobs,
		    char text[EXPLAIN_TEXT]);

/* The path as one word of a shell command, without characters that could steer a terminal. */
void explain_path(const char *path, char text[EXPLAIN_TEXT]);

/* Which counter of core cycles could be had instead of the one in use, and by which command. False:
 * there is none, see inspect_core_counter. Pure. */
bool explain_core_cycles(const struct inspection *inspection, char text[EXPLAIN_TEXT]);

/* Whose cycles of the core the counter in use counts. False: it counts none. Pure. */
bool explain_core_in_use(const struct inspection *inspection, char text[EXPLAIN_TEXT]);

/* What somebody wrote for the library and the library cannot obey, in a sentence each; empty where
 * that is not so. The variables of a process whose environment is not trusted are not looked at. */
struct ignored {
	char file[COMPLAIN_SIZE];                              /* the persecond file */
	char counter[COMPLAIN_SIZE], persecond[COMPLAIN_SIZE]; /* the environment's variables */
};

void explain_ignored(const struct inspection *inspection, struct ignored *ignored);

void explain_cache(const struct inspection *inspection, struct explanation *explanation);

/* If the two witnesses of the core's frequency exclude one another: a sentence with both figures.
 * Empty: they do not, there is one only, or no cache is in use. Pure. */
void explain_contradiction(const struct inspection *inspection, char text[EXPLAIN_TEXT]);

#endif
