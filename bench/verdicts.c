/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * How often libcpucycles-measure and cpucycles-measure tell two functions apart, and how often they
 * are wrong, relative to google/benchmark. bench/README.md says what each row means.
 */

#include "config.h"

#include "verdicts-rows.h"

#include "alike.h"
#include "child.h"
#include "options.h"
#include "seconds.h"
#include "series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long tries[] = {
	[TRIES_SAME] = 400,   [TRIES_LONG] = 200, [TRIES_SHORT] = 60,  [TRIES_TOOL] = 40,
	[TRIES_LINKED] = 40,  [TRIES_GATE] = 40,  [TRIES_GOOGLE] = 60, [TRIES_REAL] = 0,
	[TRIES_STRAIGHT] = 0, [TRIES_WITHIN] = 0, [TRIES_ADVICE] = 0,  [TRIES_REBUILDS] = 0,
};
static long seed = 1;
static long seconds_each, ms_each; /* 0: as each row has it */
static const char *json;
static bool some_rows, is_named[ROWS]; /* by --row, without which all rows are measured */
static bool busy, verbose;

static bool is_right(const struct row *row, const struct comparison *c, enum answer answer)
{
	switch (row->subject) {
	case DIFFERENT_CODE:
		return (answer == FASTER || answer == SLOWER) &&
		       (answer == SLOWER) == (strcmp(c->second, row->slow) == 0);
	case SAME_WITHIN:
		return answer == SAME;
	case ADVICE:
		return answer == GOOD_ADVICE;
	default:
		return false;
	}
}

static bool is_wrong(const struct row *row, const struct comparison *c, enum answer answer)
{
	if (answer == TOO_LITTLE || answer == TOO_MUCH)
		return true;
	return (answer == FASTER || answer == SLOWER) && !is_right(row, c, answer);
}

static void count(struct outcome *o, const struct row *row, const struct comparison *c,
		  enum answer answer)
{
	if (answer == NO_ADVICE) {
		o->left_out++;
		return;
	}
	o->tries++;
	o->faster += answer == FASTER;
	o->slower += answer == SLOWER;
	o->too_fast += answer == TOO_FAST;
	o->too_little += answer == TOO_LITTLE;
	o->too_much += answer == TOO_MUCH;
	o->right += is_right(row, c, answer);
	o->wrong += is_wrong(row, c, answer);
}

static void tell(const struct comparison *c, enum answer answer, double seconds)
{
	static const char *const words[] = {
		[CANNOT_TELL] = "cannot tell",
		[FASTER] = "faster",
		[SLOWER] = "slower",
		[SAME] = "same within",
		[GOOD_ADVICE] = "good advice",
		[TOO_LITTLE] = "too little advised",
		[TOO_MUCH] = "too much advised",
		[NO_ADVICE] = "no advice",
		[TOO_FAST] = "too fast",
		[FAILED] = "failed",
	};

	if (verbose)
		fprintf(stderr, "%s, then %s: %s, %.1f s\n", c->first, c->second, words[answer],
			seconds);
}

/* False: it failed. why: the reason. */
static bool compare_all(const char *program, size_t number, struct outcome *o, double seconds[],
			char why[VERDICTS_WHY])
{
	const struct row *row = &rows_all[number];
	uint64_t state = random_begin((uint64_t)seed, number);
	struct comparison c = { .seed = 1 };

	for (long i = 0; i < tries[row->tries]; i++) {
		const double start = seconds_now();
		enum answer answer;

		rows_draw(row, i, &state, &c);
		if (seconds_each)
			c.seconds = (double)seconds_each;
		if (ms_each)
			c.budget_ms = (unsigned)ms_each;
		answer = (row->means == BY_ADVICE ? verdicts_advice : verdicts_ask)(program, &c,
										    why);
		seconds[i] = seconds_now() - start;
		tell(&c, answer, seconds[i]);
		if (answer == FAILED)
			return false;
		if (answer == TOO_FAST)
			memcpy(o->why, why, sizeof o->why);
		count(o, row, &c, answer);
	}
	return true;
}

/* False: it failed. why: the reason. */
static bool measure(const char *program, size_t number, struct outcome *o, char why[VERDICTS_WHY])
{
	const size_t n = (size_t)tries[rows_all[number].tries];
	double *const seconds = calloc(n, sizeof *seconds);
	bool done = false;

	snprintf(why, VERDICTS_WHY, "out of memory");
	if (seconds)
		done = compare_all(program, number, o, seconds, why);
	if (done) {
		const struct spread spread = spread_of(seconds, n);

		o->seconds_median = spread.median;
		o->seconds_longest = spread.max;
	}
	free(seconds);
	return done;
}

/* The sum of the rows of the same code, which tells more than each of them. */
static struct outcome sum_of(const struct outcome outcomes[], int n, const char *name)
{
	struct outcome sum = outcomes[0];

	sum.name = name;
	sum.seconds_median = sum.seconds_longest = 0;
	for (int i = 1; i < n; i++) {
		sum.tries += outcomes[i].tries;
		sum.faster += outcomes[i].faster;
		sum.slower += outcomes[i].slower;
		sum.wrong += outcomes[i].wrong;
		sum.too_fast += outcomes[i].too_fast;
	}
	return sum;
}

static struct outcome begin(const struct row *row)
{
	return (struct outcome){
		.name = row->name,
		.subject = row->subject,
		.goal = row->goal,
		.timed = row->means == BY_LINKING || row->means == BY_GATE,
	};
}

/* Measure all rows. The number of outcomes, or -1: the library failed. */
static int measure_all(const char *program, struct outcome outcomes[])
{
	char why[VERDICTS_WHY];
	int n = 0;

	for (size_t number = 0; number < ROWS; number++) {
		const struct row *row = &rows_all[number];

		if (tries[row->tries] == 0 || (some_rows && !is_named[number]))
			continue;
		outcomes[n] = begin(row);
		if (measure(program, number, &outcomes[n], why)) {
			report_row(&outcomes[n++]);
		} else if (row->means == BY_LIBRARY) {
			fprintf(stderr, "verdicts: %s: %s\n", row->name, why);
			return -1;
		} else {
			report_not_measured(&outcomes[n], why);
		}
		if (number + 1 == ALIKE_KINDS) {
			outcomes[n] = sum_of(outcomes, n, "one process: all of these");
			report_row(&outcomes[n++]);
		}
	}
	return n;
}

static const struct option long_options[] = {
	{ "same", required_argument, NULL, 'S' },
	{ "tries", required_argument, NULL, 't' },
	{ "short", required_argument, NULL, 'c' },
	{ "tool", required_argument, NULL, 'T' },
	{ "linked", required_argument, NULL, 'l' },
	{ "google", required_argument, NULL, 'g' },
	{ "gate", required_argument, NULL, 'G' },
	{ "real", required_argument, NULL, 'r' },
	{ "straight", required_argument, NULL, 'd' },
	{ "within", required_argument, NULL, 'w' },
	{ "advice", required_argument, NULL, 'a' },
	{ "rebuilds", required_argument, NULL, 'R' },
	{ "seconds", required_argument, NULL, 'e' },
	{ "ms", required_argument, NULL, 'm' },
	{ "seed", required_argument, NULL, 's' },
	{ "json", required_argument, NULL, 'j' },
	{ "row", required_argument, NULL, 'o' },
	{ "busy", no_argument, NULL, 'b' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"Usage: verdicts [OPTION]...\n"
	"Count how often libcpucycles-measure tells two functions apart, and how often wrongly.\n"
	"Each comparison has a fresh process.\n"
	"\n"
	"  --same N      comparisons of copies of the same code, a quarter of each kind (400)\n"
	"  --tries N     comparisons of 400 and 401 multiplications (200)\n"
	"  --short N     comparisons of 20 and 21 exclusive-ors (60)\n"
	"  --tool N      comparisons of each row by cpucycles-measure (40)\n"
	"  --linked N    the same of what it links anew for each process (40)\n"
	"  --gate N      comparisons of each row by its gate of 1 % (40)\n"
	"  --google N    comparisons of each row by google/benchmark (60)\n"
	"  --real N      comparisons of copies of real functions, linked anew (0)\n"
	"  --straight N  comparisons of each further row of straight code that differs (0)\n"
	"  --within N    comparisons of each row that shall be told to be the same (0)\n"
	"  --advice N    comparisons of real functions, and again in the advised time (0)\n"
	"  --rebuilds N  comparisons of real functions compiled twice, by a gate of 1 % (0)\n"
	"                0 leaves out a row\n"
	"  --row NAME    this row only; may be given again for other rows\n"
	"  --seconds N   time of each comparison by cpucycles-measure; 0: as the row has it (0)\n"
	"  --ms N        milliseconds of each comparison by the library; 0: as the row has it (0)\n"
	"  --busy        keep all CPUs busy meanwhile\n"
	"  --json FILE   write the counts to FILE\n"
	"  --seed N      seed of what is drawn: copies and orders; at least 1 (1)\n"
	"  --verbose     tell each comparison on standard error\n"
	"  --help        print this help\n"
	"\n"
	"Exit status: 0 measured, 1 measuring or writing failed, 2 usage error.\n";

static const struct {
	int option;
	long *value;
	long least;
} numbers[] = {
	{ 'S', &tries[TRIES_SAME], 0 },
	{ 't', &tries[TRIES_LONG], 0 },
	{ 'c', &tries[TRIES_SHORT], 0 },
	{ 'T', &tries[TRIES_TOOL], 0 },
	{ 'l', &tries[TRIES_LINKED], 0 },
	{ 'g', &tries[TRIES_GOOGLE], 0 },
	{ 'G', &tries[TRIES_GATE], 0 },
	{ 'r', &tries[TRIES_REAL], 0 },
	{ 'd', &tries[TRIES_STRAIGHT], 0 },
	{ 'w', &tries[TRIES_WITHIN], 0 },
	{ 'a', &tries[TRIES_ADVICE], 0 },
	{ 'R', &tries[TRIES_REBUILDS], 0 },
	{ 'e', &seconds_each, 0 },
	{ 'm', &ms_each, 0 },
	{ 's', &seed, 1 },
};

static void take_row(const char *name)
{
	size_t i = 0;

	while (i < ROWS && strcmp(rows_all[i].name, name) != 0)
		i++;
	if (i == ROWS) {
		fprintf(stderr, "verdicts: --row %s: there is no such row\n", name);
		exit(2);
	}
	some_rows = is_named[i] = true;
}

static void take(int option, const char *argument)
{
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (numbers[i].option == option)
			*numbers[i].value = options_number("verdicts", argument, numbers[i].least);
	if (option == 'j')
		json = argument;
	if (option == 'o')
		take_row(argument);
	if (option == 'b')
		busy = true;
	if (option == 'v')
		verbose = true;
}

static const struct options options = { "verdicts", help, "no argument is expected", long_options,
					take };

int main(int argc, char *argv[])
{
	struct outcome outcomes[ROWS + 1];
	bool written = true;
	int n;

	if (argc == 6 && strcmp(argv[1], VERDICTS_ONE) == 0)
		return verdicts_one(argv + 2);
	options_take(&options, argc, argv);
	tries[TRIES_SAME] /= ALIKE_KINDS;
	if (busy)
		child_keep_busy();
	n = measure_all(argv[0], outcomes);
	if (n < 0)
		return 1;
	if (json)
		written = report_json(json, outcomes, n, busy, seed);
	return written && !fflush(stdout) && !ferror(stdout) ? 0 : 1;
}
