/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Where cpucycles-measure cannot tell, it says how many layouts and how much time a stated
 * difference would take. Whether that is so. */

#include "config.h"

#include "verdicts.h"

#include <stdio.h>

/* The time of the first comparison, unless another one is given: enough for a first look on an idle
 * machine, and for no more. */
#define FIRST_SECONDS 8

/* One run makes no more. */
#define LAYOUTS_MOST 364

static double first_seconds(const struct comparison *c)
{
	return c->seconds > 0 ? c->seconds : FIRST_SECONDS;
}

static enum answer ask_again(const char *program, const struct comparison *c, double seconds,
			     unsigned again, char why[VERDICTS_WHY])
{
	struct comparison other = *c;

	other.means = BY_LINKING;
	other.seconds = seconds;
	other.seed = c->seed + again; /* other layouts */
	return verdicts_ask(program, &other, why);
}

/* No verdict, because the functions cannot be measured. */
static bool is_failure(enum answer answer)
{
	return answer == FAILED || answer == TOO_FAST;
}

/* Make the comparison again, in more time than was advised, and look what it took. */
static enum answer try_advice(const char *program, const struct comparison *c, double layouts,
			      double seconds, unsigned again, char why[VERDICTS_WHY])
{
	const enum answer answer = ask_again(program, c, 4 * seconds, again, why);
	double told_layouts, told_seconds;

	if (is_failure(answer))
		return answer;
	if (answer == CANNOT_TELL ||
	    sscanf(why, "%lf layouts, %lf s", &told_layouts, &told_seconds) != 2 ||
	    told_layouts > 2 * layouts || told_seconds > 2 * seconds)
		return TOO_LITTLE;
	return layouts > 2 * told_layouts || seconds > 2 * told_seconds ? TOO_MUCH : GOOD_ADVICE;
}

enum answer verdicts_advice(const char *program, const struct comparison *comparison,
			    char why[VERDICTS_WHY])
{
	enum answer answer = ask_again(program, comparison, first_seconds(comparison), 0, why);
	unsigned found[FAILED + 1] = { 0 };
	double layouts, seconds;

	if (is_failure(answer))
		return answer;
	if (answer != CANNOT_TELL ||
	    sscanf(why, "If they are equal, about %lf layouts would tell, in about %lf s", &layouts,
		   &seconds) != 2 ||
	    layouts > LAYOUTS_MOST / 2)
		return NO_ADVICE;
	for (unsigned again = 1; again <= 3; again++) {
		answer = try_advice(program, comparison, layouts, seconds, again, why);
		if (is_failure(answer) || ++found[answer] == 2)
			return answer;
	}
	return GOOD_ADVICE; /* the one in the middle */
}
