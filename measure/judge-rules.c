/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which warnings count, because they change how the figures are to be read. Pure. */

#include "config.h"

#include "judge.h"

/* A figure is the centre of the processes' figures. What fewer than half of the processes have is
 * not what that centre shows. Of functions without such a fault, at most a third of the processes
 * had one of these warnings, on a busy machine. */
#define HALF 0.5

/* A machine makes times drift, too: with 15 programs on 2 CPUs, in a third of the processes. */
#define MOST 0.75

/* Another warning, or the speed of the core, shows whether this changes a figure. */
#define NEVER 2

/* In order of importance: of those that blame one thing, the first that counts is printed. */
static const struct {
	uint64_t bit;
	const char *name;
	enum judge_blame blames;
	double share; /* of the processes, at least */
} rules[JUDGE_WARNINGS] = {
	{ CPUCYCLES_WARNING_STATE, "state", JUDGE_FUNCTION, HALF },
	{ CPUCYCLES_WARNING_LOOP, "loop", JUDGE_FUNCTION, HALF },
	{ CPUCYCLES_WARNING_RESOLUTION, "resolution", JUDGE_FUNCTION, HALF },
	{ CPUCYCLES_WARNING_TAIL, "tail", JUDGE_FUNCTION, HALF },
	{ CPUCYCLES_WARNING_DRIFT, "drift", JUDGE_FUNCTION, MOST },
	{ CPUCYCLES_WARNING_HALVES, "halves", JUDGE_FUNCTION, HALF },
	{ CPUCYCLES_WARNING_CARRYOVER, "carryover", JUDGE_FUNCTION, HALF },
	{ CPUCYCLES_WARNING_RATE, "rate", JUDGE_COUNTER, HALF },
	{ CPUCYCLES_WARNING_BACKWARDS, "backwards", JUDGE_COUNTER, HALF },
	{ CPUCYCLES_WARNING_CYCLES, "cycles", JUDGE_COUNTER, HALF },
	{ CPUCYCLES_WARNING_FREQUENCY, "frequency", JUDGE_MACHINE, HALF },
	{ CPUCYCLES_WARNING_MOVED, "moved", JUDGE_MACHINE, NEVER },
};

const char *judge_warning_name(uint64_t warning)
{
	for (size_t r = 0; r < JUDGE_WARNINGS; r++)
		if (rules[r].bit == warning)
			return rules[r].name;
	return NULL;
}

size_t judge_place_of(const struct judge_warnings *list, uint64_t bit)
{
	size_t place = 0;

	while (place < list->n && list->list[place].bit != bit)
		place++;
	return place;
}

size_t judge_counts(const struct judge_warnings *list, size_t runs, enum judge_blame blames)
{
	for (size_t r = 0; r < JUDGE_WARNINGS; r++) {
		const size_t place = judge_place_of(list, rules[r].bit);

		if (rules[r].blames == blames && place < list->n &&
		    (double)list->list[place].runs >= rules[r].share * (double)runs)
			return place;
	}
	return list->n;
}
