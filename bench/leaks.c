/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * How often the library's test for leaks finds one, and how often wrongly, beside a t test of the
 * same times. bench/README.md says what each row means.
 */

#include "config.h"

#include "leaks.h"

#include "child.h"
#include "options.h"
#include "series.h"
#include "welch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long alarms = 20, power = 10, known = 3, seed = 1;
static double seconds = 2;
static bool busy, verbose, whole;

static const char *const words[] = { [CANNOT_TELL] = "cannot tell",
				     [LEAKS] = "leaks",
				     [NONE_ABOVE] = "no difference above",
				     [NO_CONTROL] = "no verdict" };

/* What can be repeated is told of each wrong alarm, and of each test if that is wished. */
static void tell(const struct leaks_test *test, const struct leaks_answer *a, bool wrong)
{
	static const char *const inputs[] = { [LEAKS_OWN] = "its own inputs",
					      [LEAKS_SAME_FIXED] = "the same fixed",
					      [LEAKS_SAME_DRAWN] = "the same drawn" };

	if (wrong || verbose)
		printf("    %s: %s, %s, seed %lu, t %.1f and %.1f, %.2f s\n", words[a->verdict],
		       leaks_subjects[test->subject].name, inputs[test->inputs], test->seed, a->raw,
		       a->cropped, a->seconds);
	fflush(stdout);
}

static void count(struct leaks_outcome *o, const struct leaks_answer *a)
{
	o->seconds[o->tests] = a->seconds;
	o->shifts[o->tests++] = a->shift;
	o->answers[a->verdict]++;
	o->raw += fabs(a->raw) > WELCH_THRESHOLD;
	o->cropped += fabs(a->cropped) > WELCH_THRESHOLD;
	o->parts += !a->all;
}

/* n tests of functions in turn, from one to before another. False: there was no answer. */
static bool measure(const char *program, struct leaks_outcome *o, struct leaks_test *test, long n,
		    const size_t range[2])
{
	uint64_t state = random_begin((uint64_t)seed, range[0] + LEAKS_SUBJECTS * test->inputs);
	struct leaks_answer answer;
	char why[LEAKS_WHY];

	for (long i = 0; i < n; i++) {
		test->subject = range[0] + (size_t)i % (range[1] - range[0]);
		test->seed = (unsigned long)(random_next(&state) >> 33) | 1;
		if (!leaks_ask(program, test, &answer, why)) {
			fprintf(stderr, "leaks: %s\n", why);
			return false;
		}
		tell(test, &answer,
		     answer.verdict == LEAKS &&
			     (o->same || leaks_subjects[test->subject].kind == LEAKS_SAFE));
		count(o, &answer);
	}
	return true;
}

/* False: it failed. A message has said why. */
static bool measure_row(const char *program, const char *name, enum leaks_inputs inputs, long n,
			size_t from, size_t to)
{
	struct leaks_outcome o = { .name = name,
				   .same = inputs != LEAKS_OWN,
				   .kind = leaks_subjects[from].kind,
				   .shifts = calloc((size_t)n + 1, sizeof *o.shifts),
				   .seconds = calloc((size_t)n + 1, sizeof *o.seconds) };
	struct leaks_test test = { .inputs = inputs,
				   .budget_ms = (unsigned)(seconds * 1e3),
				   .whole = whole };
	bool done = o.shifts && o.seconds;

	if (n > 0 && done)
		done = measure(program, &o, &test, n, (const size_t[2]){ from, to });
	if (n > 0 && done)
		leaks_report(&o);
	free(o.shifts);
	free(o.seconds);
	return done;
}

static bool measure_all(const char *program)
{
	if (!measure_row(program, "the same fixed input", LEAKS_SAME_FIXED, alarms, 0,
			 LEAKS_SUBJECTS) ||
	    !measure_row(program, "the same choice of inputs", LEAKS_SAME_DRAWN, alarms, 0,
			 LEAKS_SUBJECTS))
		return false;
	for (size_t i = 0; i < LEAKS_SUBJECTS; i++) {
		const struct leaks_subject *const s = &leaks_subjects[i];

		if (!measure_row(program, s->name, LEAKS_OWN,
				 s->kind == LEAKS_POWER ? power : known, i, i + 1))
			return false;
	}
	return true;
}

static const struct option long_options[] = {
	{ "alarms", required_argument, NULL, 'a' }, { "power", required_argument, NULL, 'p' },
	{ "known", required_argument, NULL, 'k' },  { "seconds", required_argument, NULL, 'e' },
	{ "seed", required_argument, NULL, 's' },   { "whole", no_argument, NULL, 'w' },
	{ "busy", no_argument, NULL, 'b' },         { "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },         { NULL, 0, NULL, 0 },
};

static const char help[] =
	"Usage: leaks [OPTION]...\n"
	"Count how often the library's test for leaks finds one, and how often wrongly.\n"
	"Each test has a fresh process.\n"
	"\n"
	"  --alarms N    tests of each row whose groups are the same, functions in turn (20)\n"
	"  --power N     tests of each row whose groups differ by known cycles (10)\n"
	"  --known N     tests of each function that leaks, or does not (3)\n"
	"                0 leaves out a row\n"
	"  --seconds N   time of each test, at most (2)\n"
	"  --whole       go on after a verdict, so that the t tests see as many calls each time\n"
	"  --busy        keep all CPUs busy meanwhile\n"
	"  --seed N      seed of what is drawn: inputs and orders; at least 1 (1)\n"
	"  --verbose     tell each test\n"
	"  --help        print this help\n"
	"\n"
	"Exit status: 0 measured, 1 measuring failed, 2 usage error.\n";

static double number(const char *text, double least, double most)
{
	char *end;
	const double value = strtod(text, &end);

	if (!*end && end != text && value >= least && value <= most)
		return value;
	fprintf(stderr, "leaks: %s: expected a number from %g to %g\n", text, least, most);
	exit(2);
}

static void take(int option, const char *argument)
{
	switch (option) {
	case 'a':
		alarms = (long)number(argument, 0, 1e6);
		break;
	case 'p':
		power = (long)number(argument, 0, 1e6);
		break;
	case 'k':
		known = (long)number(argument, 0, 1e6);
		break;
	case 's':
		seed = (long)number(argument, 1, 1e9);
		break;
	case 'e':
		seconds = number(argument, 0.001, 1e6);
		break;
	case 'w':
		whole = true;
		break;
	case 'b':
		busy = true;
		break;
	case 'v':
		verbose = true;
		break;
	}
}

static const struct options options = { "leaks", help, "no argument is expected", long_options,
					take };

/* Functions that compute something else would show nothing. */
static bool functions_are_right(void)
{
	const char *wrong = leaks_check_safe();

	if (!wrong)
		wrong = leaks_check_ciphers();
	if (wrong)
		fprintf(stderr, "leaks: %s computes something else than it should\n", wrong);
	return !wrong;
}

int main(int argc, char *argv[])
{
	if (argc == 2 + LEAKS_ONE_WORDS && strcmp(argv[1], LEAKS_ONE) == 0)
		return leaks_one(argv + 2);
	options_take(&options, argc, argv);
	if (!functions_are_right() || !leaks_print_counter())
		return 1;
	if (busy)
		child_keep_busy();
	printf("seed %ld, %g s each%s%s\n\n", seed, seconds, whole ? ", the whole time" : "",
	       busy ? ", all CPUs busy" : "");
	fflush(stdout);
	return measure_all(argv[0]) && !ferror(stdout) ? 0 : 1;
}
