/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * How often libcpucycles-measure and cpucycles-measure tell two functions apart, and how often they
 * are wrong, relative to google/benchmark. bench/README.md says what each row means.
 */

#include "config.h"

#include "verdicts.h"

#include "alike.h"
#include "dependent.h"
#include "series.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#define BUSY_LOOPS 2500

static long same_tries = 400, tries = 200, short_tries = 60, tool_tries = 40, linked_tries = 40,
	    gate_tries = 40, google_tries = 60;
static long seed = 1;
static const char *json;
static bool busy, verbose;

/* Of a comparison by the library: shorter than its default, because there are so many. */
#define BUDGET_MS 100

/* A row: what is compared, and by whom. */
struct kind {
	const char *name;
	enum means means;
	/* The same code: copies of alike_all[from] to alike_all[to - 1], in turn. to is 0 if the
	 * functions differ. */
	int from, to;
	const char *fast, *slow; /* the functions that differ */
	bool in_order;           /* the fast one is always the first */
	unsigned budget_ms;      /* 0: BUDGET_MS */
	const long *tries;
	bool goal;
};

static const struct kind kinds[] = {
	{ .name = "one process: straight code", .to = 1, .tries = &same_tries, .goal = true },
	{ .name = "one process: walks through memory",
	  .from = 1,
	  .to = 2,
	  .tries = &same_tries,
	  .goal = true },
	{ .name = "one process: a loop with a table",
	  .from = 2,
	  .to = 3,
	  .tries = &same_tries,
	  .goal = true },
	{ .name = "one process: unpredictable branches",
	  .from = 3,
	  .to = 4,
	  .tries = &same_tries,
	  .goal = true },
	{ .name = "by the tool",
	  .means = BY_TOOL,
	  .to = ALIKE_KINDS,
	  .tries = &tool_tries,
	  .goal = true },
	{ .name = "by the tool, linked anew",
	  .means = BY_LINKING,
	  .to = ALIKE_KINDS,
	  .tries = &linked_tries,
	  .goal = true },
	{ .name = "a gate of 1 %, unchanged",
	  .means = BY_GATE,
	  .to = ALIKE_KINDS,
	  .tries = &gate_tries,
	  .goal = true },
	{ .name = "google/benchmark",
	  .means = BY_GOOGLE,
	  .to = ALIKE_KINDS,
	  .tries = &google_tries },
	{ .name = "google/benchmark, interleaved",
	  .means = BY_GOOGLE_INTERLEAVED,
	  .to = ALIKE_KINDS,
	  .tries = &google_tries },
	{ .name = "400 and 401 multiplications",
	  .fast = "multiply_400",
	  .slow = "multiply_401",
	  .tries = &tries,
	  .goal = true },
	{ .name = "20 and 21 exclusive-ors",
	  .fast = "xor_20",
	  .slow = "xor_21",
	  .budget_ms = 1000,
	  .tries = &short_tries,
	  .goal = true },
	{ .name = "400 and 401 by the tool",
	  .means = BY_TOOL,
	  .fast = "multiply_400",
	  .slow = "multiply_401",
	  .tries = &tool_tries,
	  .goal = true },
	{ .name = "400 and 401, linked anew",
	  .means = BY_LINKING,
	  .fast = "multiply_400",
	  .slow = "multiply_401",
	  .tries = &linked_tries,
	  .goal = true },
	{ .name = "a gate of 1 %, 2 % slower",
	  .means = BY_GATE,
	  .in_order = true,
	  .fast = "multiply_400",
	  .slow = "multiply_408",
	  .tries = &gate_tries,
	  .goal = true },
	{ .name = "400 and 404, google/benchmark",
	  .means = BY_GOOGLE,
	  .fast = "multiply_400",
	  .slow = "multiply_404",
	  .tries = &google_tries },
	{ .name = "400 and 404, google/benchmark, interleaved",
	  .means = BY_GOOGLE_INTERLEAVED,
	  .fast = "multiply_400",
	  .slow = "multiply_404",
	  .tries = &google_tries },
};

#define KINDS ((int)(sizeof kinds / sizeof kinds[0]))

/* A state of random_next() for each row, so that a row is the same without the others. The first
 * numbers are left out: those of two states that differ in few bits resemble each other. */
static uint64_t random_state(size_t row)
{
	uint64_t state = (uint64_t)seed * UINT64_C(0x9e3779b97f4a7c15) + row + 1;

	state = state ? state : 1;
	for (int i = 0; i < 8; i++)
		random_next(&state);
	return state;
}

/* Two copies, in a random order. */
static void draw_copies(const struct alike *alike, uint64_t *state, struct comparison *c)
{
	const unsigned first = (unsigned)(random_next(state) >> 32) % ALIKE_COPIES;
	const unsigned further = (unsigned)(random_next(state) >> 32) % (ALIKE_COPIES - 1) + 1;

	snprintf(c->first, sizeof c->first, "%s_%u", alike->function, first);
	snprintf(c->second, sizeof c->second, "%s_%u", alike->function,
		 (first + further) % ALIKE_COPIES);
}

static void draw_order(const struct kind *kind, uint64_t *state, struct comparison *c)
{
	const bool turned = random_next(state) >> 63 && !kind->in_order;

	snprintf(c->first, sizeof c->first, "%s", turned ? kind->slow : kind->fast);
	snprintf(c->second, sizeof c->second, "%s", turned ? kind->fast : kind->slow);
}

/* Each pair of functions is drawn, and compared in both orders, one after the other. */
static void draw(const struct kind *kind, long i, uint64_t *state, struct comparison *c)
{
	const struct comparison before = *c;

	c->means = kind->means;
	c->budget_ms = kind->budget_ms ? kind->budget_ms : BUDGET_MS;
	c->seed = (unsigned)(random_next(state) >> 33) | 1;
	if (i % 2 == 1 && !kind->in_order) {
		memcpy(c->first, before.second, sizeof c->first);
		memcpy(c->second, before.first, sizeof c->second);
	} else if (kind->to > 0) {
		const int turn = (int)(i / 2 % (kind->to - kind->from));

		draw_copies(&alike_all[kind->from + turn], state, c);
	} else {
		draw_order(kind, state, c);
	}
}

static void count(struct outcome *o, const struct kind *kind, const struct comparison *c,
		  enum answer answer)
{
	o->tries++;
	o->faster += answer == FASTER;
	o->slower += answer == SLOWER;
	o->too_fast += answer == TOO_FAST;
	if (answer != FASTER && answer != SLOWER)
		return;
	if (!o->same && (answer == SLOWER) == (strcmp(c->second, kind->slow) == 0))
		o->right++;
	else
		o->wrong++;
}

static void tell(const struct comparison *c, enum answer answer)
{
	static const char *const words[] = { "cannot tell", "faster", "slower", "too fast",
					     "failed" };

	if (verbose)
		fprintf(stderr, "%s, then %s: %s\n", c->first, c->second, words[answer]);
}

/* False: it failed. why: the reason. */
static bool measure(const char *program, int row, struct outcome *o, char why[VERDICTS_WHY])
{
	const struct kind *kind = &kinds[row];
	uint64_t state = random_state((size_t)row);
	struct comparison c = { .seed = 1 };

	for (long i = 0; i < *kind->tries; i++) {
		enum answer answer;

		draw(kind, i, &state, &c);
		answer = verdicts_ask(program, &c, why);
		tell(&c, answer);
		if (answer == FAILED)
			return false;
		if (answer == TOO_FAST)
			memcpy(o->why, why, sizeof o->why);
		count(o, kind, &c, answer);
	}
	return true;
}

/* The sum of the rows of the same code, which tells more than each of them. */
static struct outcome sum_of(const struct outcome outcomes[], int n, const char *name)
{
	struct outcome sum = { .name = name, .same = true, .goal = true };

	for (int i = 0; i < n; i++) {
		sum.tries += outcomes[i].tries;
		sum.faster += outcomes[i].faster;
		sum.slower += outcomes[i].slower;
		sum.wrong += outcomes[i].wrong;
		sum.too_fast += outcomes[i].too_fast;
	}
	return sum;
}

/* Measure all rows. The number of outcomes, or -1: the library failed. */
static int measure_all(const char *program, struct outcome outcomes[])
{
	char why[VERDICTS_WHY];
	int n = 0;

	for (int row = 0; row < KINDS; row++) {
		const struct kind *kind = &kinds[row];

		if (*kind->tries == 0)
			continue;
		outcomes[n] = (struct outcome){ .name = kind->name,
						.same = kind->to > 0,
						.goal = kind->goal };
		if (measure(program, row, &outcomes[n], why)) {
			report_row(&outcomes[n++]);
		} else if (kind->means == BY_LIBRARY) {
			fprintf(stderr, "verdicts: %s: %s\n", kind->name, why);
			return -1;
		} else {
			report_not_measured(&outcomes[n], why);
		}
		if (row + 1 == ALIKE_KINDS) {
			outcomes[n] = sum_of(outcomes, n, "one process: all of these");
			report_row(&outcomes[n++]);
		}
	}
	return n;
}

/* A child keeps a CPU busy until this program has ended, which changes the child's parent. */
static void keep_busy(void)
{
	const pid_t parent = getpid();

	for (long i = sysconf(_SC_NPROCESSORS_ONLN); i > 0; i--) {
		if (fork() != 0)
			continue;
		while (getppid() == parent)
			for (int loops = 0; loops < BUSY_LOOPS; loops++)
				dependent_400(NULL);
		_exit(0);
	}
}

static const struct option long_options[] = {
	{ "same", required_argument, NULL, 'S' },
	{ "tries", required_argument, NULL, 't' },
	{ "short", required_argument, NULL, 'c' },
	{ "tool", required_argument, NULL, 'T' },
	{ "linked", required_argument, NULL, 'l' },
	{ "google", required_argument, NULL, 'g' },
	{ "gate", required_argument, NULL, 'G' },
	{ "seed", required_argument, NULL, 's' },
	{ "json", required_argument, NULL, 'j' },
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
	"                0 leaves out a row\n"
	"  --busy        keep all CPUs busy meanwhile\n"
	"  --json FILE   write the counts to FILE\n"
	"  --seed N      seed of what is drawn: copies and orders; at least 1 (1)\n"
	"  --verbose     tell each comparison on standard error\n"
	"  --help        print this help\n"
	"\n"
	"Exit status: 0 measured, 1 measuring or writing failed, 2 usage error.\n";

static long number(const char *text, long least)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (*end || end == text || value < least) {
		fprintf(stderr, "verdicts: %s: expected a number, at least %ld\n", text, least);
		exit(2);
	}
	return value;
}

static const struct {
	int option;
	long *value;
	long least;
} numbers[] = {
	{ 'S', &same_tries, 0 }, { 't', &tries, 0 },        { 'c', &short_tries, 0 },
	{ 'T', &tool_tries, 0 }, { 'l', &linked_tries, 0 }, { 'g', &google_tries, 0 },
	{ 'G', &gate_tries, 0 }, { 's', &seed, 1 },
};

static void take(int option, const char *argument)
{
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
		if (numbers[i].option == option)
			*numbers[i].value = number(argument, numbers[i].least);
	if (option == 'j')
		json = argument;
	if (option == 'b')
		busy = true;
	if (option == 'v')
		verbose = true;
	if (option == 'h') {
		fputs(help, stdout);
		exit(fflush(stdout) ? 1 : 0);
	}
	if (option == '?')
		exit(2); /* getopt has printed the reason */
}

static void take_options(int argc, char *argv[])
{
	int option;

	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1)
		take(option, optarg);
	if (optind < argc) {
		fprintf(stderr, "verdicts: %s: no argument is expected\n", argv[optind]);
		exit(2);
	}
}

int main(int argc, char *argv[])
{
	struct outcome outcomes[KINDS + 1];
	bool written = true;
	int n;

	if (argc == 6 && strcmp(argv[1], VERDICTS_ONE) == 0)
		return verdicts_one(argv + 2);
	take_options(argc, argv);
	same_tries /= ALIKE_KINDS;
	if (busy)
		keep_busy();
	n = measure_all(argv[0], outcomes);
	if (n < 0)
		return 1;
	if (json)
		written = report_json(json, outcomes, n, busy, seed);
	return written && !fflush(stdout) && !ferror(stdout) ? 0 : 1;
}
