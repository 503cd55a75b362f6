/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Where cpucycles-measure cannot tell, it says how much time might do. Whether that is so. */

#include "config.h"

#include "verdicts.h"

#include <stdio.h>

/* The time of the first comparison, unless another one is given: enough for a first look on an idle
 * machine, and for no more. */
#define FIRST_SECONDS 8

static double first_seconds(const struct comparison *c)
{
	return c->seconds > 0 ? c->seconds : FIRST_SECONDS;
}

static enum answer ask_again(const char *program, const struct comparison *c, double seconds,
			     char why[VERDICTS_WHY])
{
	struct comparison again = *c;

	again.means = BY_LINKING;
	again.seconds = seconds;
	again.seed = c->seed + (unsigned)seconds; /* other layouts */
	return verdicts_ask(program, &again, why);
}

/* No verdict, because the functions cannot be measured. */
static bool is_failure(enum answer answer)
{
	return answer == FAILED || answer == TOO_FAST;
}

/* The advised time is right within a factor of 2. Half of it need not be tried again if that is
 * less than the first comparison had. */
static enum answer try_advice(const char *program, const struct comparison *c, double seconds,
			      char why[VERDICTS_WHY])
{
	enum answer answer = ask_again(program, c, 2 * seconds, why);

	if (is_failure(answer))
		return answer;
	if (answer == CANNOT_TELL)
		return TOO_LITTLE;
	if (seconds / 2 <= first_seconds(c))
		return GOOD_ADVICE;
	answer = ask_again(program, c, seconds / 2, why);
	if (is_failure(answer))
		return answer;
	return answer == CANNOT_TELL ? GOOD_ADVICE : TOO_MUCH;
}

enum answer verdicts_advice(const char *program, const struct comparison *comparison,
			    char why[VERDICTS_WHY])
{
	const enum answer answer = ask_again(program, comparison, first_seconds(comparison), why);
	double seconds;

	if (is_failure(answer))
		return answer;
	if (answer != CANNOT_TELL ||
	    sscanf(why, "About %*u layouts might tell, in about %lf s", &seconds) != 1)
		return NO_ADVICE;
	return try_advice(program, comparison, seconds, why);
}
