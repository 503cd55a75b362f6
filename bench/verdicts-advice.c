/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Where cpucycles-measure cannot tell, it says how many layouts and how much time a stated
 * difference would take. Whether that is so. */

#include "config.h"

#include "verdicts.h"

#include <stdbool.h>
#include <stdio.h>

/* One run makes no more. */
#define LAYOUTS_MOST 364

/* In this time it makes them. */
#define SECONDS_MOST 100

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

struct advice {
	double layouts, seconds; /* seconds: 0 where more than the most layouts are advised */
};

static bool read_advice(const char *why, struct advice *advice)
{
	advice->seconds = 0;
	return sscanf(why, "If they are equal, about %lf layouts would tell, in about %lf s",
		      &advice->layouts, &advice->seconds) == 2 ||
	       sscanf(why, "If they are equal, it would take more than %lf layouts",
		      &advice->layouts) == 1;
}

/* Make the comparison again, in more time than was advised, and look what it took. */
static enum answer try_advice(const char *program, const struct comparison *c,
			      const struct advice *advice, unsigned again, char why[VERDICTS_WHY])
{
	const bool timed = advice->seconds > 0;
	const enum answer answer =
		ask_again(program, c, timed ? 4 * advice->seconds : SECONDS_MOST, again, why);
	double layouts, seconds;

	if (is_failure(answer))
		return answer;
	if (answer == CANNOT_TELL)
		return advice->layouts > LAYOUTS_MOST / 2 ? GOOD_ADVICE : TOO_LITTLE;
	if (sscanf(why, "%lf layouts, %lf s", &layouts, &seconds) != 2)
		return FAILED;
	if (layouts > 2 * advice->layouts || (timed && seconds > 2 * advice->seconds))
		return TOO_LITTLE;
	return advice->layouts > 2 * layouts || advice->seconds > 2 * seconds ? TOO_MUCH :
										GOOD_ADVICE;
}

enum answer verdicts_advice(const char *program, const struct comparison *comparison,
			    char why[VERDICTS_WHY])
{
	enum answer answer = ask_again(program, comparison, comparison->seconds, 0, why);
	unsigned found[FAILED + 1] = { 0 };
	struct advice advice;

	if (is_failure(answer))
		return answer;
	if (answer != CANNOT_TELL || !read_advice(why, &advice))
		return NO_ADVICE;
	for (unsigned again = 1; again <= 3; again++) {
		answer = try_advice(program, comparison, &advice, again, why);
		if (is_failure(answer) || ++found[answer] == 2)
			return answer;
	}
	return GOOD_ADVICE; /* the one in the middle */
}
