/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "subject.h"

#define CPU "CPU time"
#define WALL "wall time"
#define BUILT ", as it is built"

static const struct subject_words loaded = { .one = "function",
					     .ones = "Functions",
					     .many = "processes",
					     .scope = ", as they are linked",
					     .longer = "on average" },
				  linked = { .one = "function",
					     .ones = "Functions",
					     .many = "layouts",
					     .scope = "",
					     .longer = "on average" };

/* By subject, and by what is judged: the CPU time, the wall time or core cycles. */
enum { JUDGED_CPU, JUDGED_WALL, JUDGED_CYCLES };
static const struct figures_words figures[][2] = {
	[OUTCOME_COMMANDS] = { { "command", CPU, WALL, false }, { "command", WALL, CPU, true } },
	[OUTCOME_BENCHMARKS] = { { "benchmark", CPU, WALL, false },
				 { "benchmark", WALL, CPU, true } },
};

#define RUNS(subject, name, names, judged, other, kind) \
	{ \
		.one = name, .ones = names, .many = "pairs", .scope = ", by " judged BUILT, \
		.longer = other, .figures = &figures[subject][(kind) == JUDGED_WALL] \
	}
static const struct subject_words runs[][3] = {
	[OUTCOME_COMMANDS] = { RUNS(OUTCOME_COMMANDS, "command", "Commands", CPU, WALL, JUDGED_CPU),
			       RUNS(OUTCOME_COMMANDS, "command", "Commands", WALL, CPU,
				    JUDGED_WALL),
			       RUNS(OUTCOME_COMMANDS, "command", "Commands", "core cycles", WALL,
				    JUDGED_CYCLES) },
	[OUTCOME_BENCHMARKS] = { RUNS(OUTCOME_BENCHMARKS, "benchmark", "Benchmarks", CPU, WALL,
				      JUDGED_CPU),
				 RUNS(OUTCOME_BENCHMARKS, "benchmark", "Benchmarks", WALL, CPU,
				      JUDGED_WALL) },
};

const struct subject_words *subject_words(const struct outcome *outcome)
{
	if (outcome_has_runs(outcome))
		return &runs[outcome->subject][outcome->wall   ? JUDGED_WALL :
					       outcome->cycles ? JUDGED_CYCLES :
								 JUDGED_CPU];
	return outcome->linked ? &linked : &loaded;
}
