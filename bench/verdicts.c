/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * How often libcpucycles-measure tells two functions apart, and how often it is wrong, beside
 * google/benchmark. bench/README.md says what each line means.
 */

#include "config.h"

#include "cpucycles-measure.h"
#include "dependent.h"
#include "series.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

#define MS UINT64_C(1000000)

/* Repetitions of one function, and the standard score beyond which google/benchmark's compare.py
 * tells a difference at 1 %, by the U test of Mann and Whitney. */
#define REPETITIONS 12
#define SCORE_1_PERCENT 2.5758

#define BUSY_LOOPS 2500

static long self_tries = 1000, tries = 200, short_tries = 20, google_tries = 60, seed = 1;
static const char *json;
static bool busy;

/* What came out of the tries of one kind. right: the second function is said to be slower. */
struct outcome {
	const char *name;
	long tries, right, wrong;
	double goal;        /* percent: of right at least, or of wrong at most if same; 0: none */
	bool same;          /* the functions are the same */
	char too_fast[160]; /* why nothing was compared, or empty */
};

static void fail(const char *what, int error, const struct cpucycles_reason *reason)
{
	fprintf(stderr, "verdicts: %s: %s%s%s\n", what, strerror(-error),
		reason->what[0] ? ": " : "", reason->what);
	exit(1);
}

/* Compare so often, each time with another order of the functions, and count. */
static void compare(const struct cpucycles_work works[2], uint64_t budget_ns,
		    struct outcome *outcome)
{
	struct cpucycles_meter_options options = { .size = sizeof options };
	struct cpucycles_reason reason = { .size = sizeof reason };
	struct cpucycles_meter *meter;
	int error = cpucycles_meter_open(&meter, &options, &reason);

	if (error)
		fail("open", error, &reason);
	for (long i = 0; i < outcome->tries; i++) {
		struct cpucycles_plan plan = { .size = sizeof plan,
					       .budget_ns = budget_ns,
					       .seed = (uint64_t)(seed + i) };
		struct cpucycles_verdict verdict = { .size = sizeof verdict };

		error = cpucycles_meter_run(meter, works, 2, &plan, &reason);
		if (error == -ERANGE) {
			memcpy(outcome->too_fast, reason.what, sizeof outcome->too_fast);
			break;
		}
		if (error)
			fail(outcome->name, error, &reason);
		cpucycles_meter_verdict(meter, 1, &verdict);
		if (verdict.verdict == CPUCYCLES_SLOWER && !outcome->same)
			outcome->right++;
		else if (verdict.verdict != CPUCYCLES_CANNOT_TELL)
			outcome->wrong++;
	}
	cpucycles_meter_close(meter);
}

/* Read the times of a try, and take the verdict of compare.py. */
static bool judge_try(FILE *from, struct outcome *outcome)
{
	double times[2 * REPETITIONS], score;

	for (size_t i = 0; i < 2 * REPETITIONS; i++)
		if (fscanf(from, "%lf", &times[i]) != 1)
			return false;
	score = rank_score(times + REPETITIONS, REPETITIONS, times, REPETITIONS);
	if (score > SCORE_1_PERCENT && !outcome->same)
		outcome->right++;
	else if (fabs(score) > SCORE_1_PERCENT)
		outcome->wrong++;
	outcome->tries++;
	return true;
}

/* verdicts-google lies beside this program. False: it was not built. */
static bool google(const char *program, int second, bool interleaved, struct outcome *outcome)
{
	char command[4096];
	const char *slash = strrchr(program, '/');
	FILE *from;

	snprintf(command, sizeof command,
		 "test -x '%.*sverdicts-google' && exec '%.*sverdicts-google' %ld %d "
		 "--benchmark_enable_random_interleaving=%s",
		 slash ? (int)(slash - program + 1) : 0, program,
		 slash ? (int)(slash - program + 1) : 0, program, google_tries, second,
		 interleaved ? "true" : "false");
	outcome->tries = 0;
	from = popen(command, "r");
	if (!from)
		return false;
	while (judge_try(from, outcome))
		continue;
	return pclose(from) == 0 && outcome->tries > 0;
}

static const char *reached(const struct outcome *o)
{
	const double part = (double)(o->same ? o->wrong : o->right) * 100 / (double)o->tries;

	if (o->too_fast[0])
		return "too fast to measure";
	if (o->goal == 0)
		return "-";
	return (o->same ? part <= o->goal : part >= o->goal) ? "reached" : "missed";
}

static void print(const struct outcome *o)
{
	char goal[32] = "-";

	if (o->too_fast[0]) {
		printf("%-44s %s\n", o->name, o->too_fast);
		fflush(stdout);
		return;
	}
	if (o->goal > 0)
		snprintf(goal, sizeof goal, "%s %g %%", o->same ? "wrong <=" : "right >=", o->goal);
	printf("%-44s %5ld %5ld %5ld %7ld  %-14s %s\n", o->name, o->tries, o->right, o->wrong,
	       o->tries - o->right - o->wrong, goal, reached(o));
	fflush(stdout);
}

#ifdef HAVE_JANSSON
static bool write_json(const struct outcome outcomes[], size_t n)
{
	json_t *array = json_array(), *root;
	bool written;

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, json_pack("{s:s, s:I, s:I, s:I, s:s}", "name",
						       outcomes[i].name, "tries",
						       (json_int_t)outcomes[i].tries, "right",
						       (json_int_t)outcomes[i].right, "wrong",
						       (json_int_t)outcomes[i].wrong, "goal",
						       reached(&outcomes[i])));
	root = json_pack("{s:i, s:s, s:b, s:I, s:o}", "format", 1, "version", PACKAGE_VERSION,
			 "busy", busy, "seed", (json_int_t)seed, "verdicts", array);
	written = root && !json_dump_file(root, json, JSON_INDENT(1));
	json_decref(root);
	if (!written)
		fprintf(stderr, "verdicts: %s: not written\n", json);
	return written;
}
#else
static bool write_json(const struct outcome outcomes[], size_t n)
{
	(void)outcomes;
	(void)n;
	fprintf(stderr, "verdicts: %s: not written: built without jansson\n", json);
	return false;
}
#endif

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
	{ "self", required_argument, NULL, 'S' },
	{ "tries", required_argument, NULL, 't' },
	{ "short", required_argument, NULL, 'c' },
	{ "google", required_argument, NULL, 'g' },
	{ "seed", required_argument, NULL, 's' },
	{ "json", required_argument, NULL, 'j' },
	{ "busy", no_argument, NULL, 'b' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"Usage: verdicts [OPTION]...\n"
	"Count how often libcpucycles-measure tells two functions apart, and how often wrongly.\n"
	"\n"
	"  --self N      comparisons of a function with itself (1000)\n"
	"  --tries N     comparisons of 400 with 401 multiplications (200)\n"
	"  --short N     comparisons of 20 with 21 cycles (20)\n"
	"  --google N    comparisons of each kind by google/benchmark (60)\n"
	"                0 leaves out a kind\n"
	"  --busy        keep all CPUs busy meanwhile\n"
	"  --json FILE   write the counts to FILE\n"
	"  --seed N      seed of the orders in the rounds, at least 1 (1)\n"
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

static void take_options(int argc, char *argv[])
{
	int option;

	while ((option = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		switch (option) {
		case 'S':
			self_tries = number(optarg, 0);
			break;
		case 't':
			tries = number(optarg, 0);
			break;
		case 'c':
			short_tries = number(optarg, 0);
			break;
		case 'g':
			google_tries = number(optarg, 0);
			break;
		case 's':
			seed = number(optarg, 1);
			break;
		case 'j':
			json = optarg;
			break;
		case 'b':
			busy = true;
			break;
		case 'h':
			fputs(help, stdout);
			exit(fflush(stdout) ? 1 : 0);
		default:
			exit(2); /* getopt has printed the reason */
		}
	}
	if (optind < argc) {
		fprintf(stderr, "verdicts: %s: no argument is expected\n", argv[optind]);
		exit(2);
	}
}

static size_t measure_own(struct outcome outcomes[])
{
	const struct cpucycles_work multiplications[] = { { "400", dependent_400, NULL },
							  { "401", dependent_401, NULL } };
	const struct cpucycles_work itself[] = { { "400", dependent_400, NULL },
						 { "400 too", dependent_400, NULL } };
	const struct cpucycles_work cycles[] = { { "20", dependent_20, NULL },
						 { "21", dependent_21, NULL } };
	const struct {
		struct outcome outcome;
		const struct cpucycles_work *works;
		uint64_t budget_ns;
	} kinds[] = {
		{ { .name = "a function with itself, 100 ms",
		    .tries = self_tries,
		    .goal = 1,
		    .same = true },
		  itself,
		  100 * MS },
		{ { .name = "400 with 401 multiplications, 100 ms", .tries = tries, .goal = 95 },
		  multiplications,
		  100 * MS },
		{ { .name = "20 with 21 cycles, 1 s", .tries = short_tries, .goal = 95 },
		  cycles,
		  1000 * MS },
	};
	size_t n = 0;

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		if (kinds[i].outcome.tries == 0)
			continue;
		outcomes[n] = kinds[i].outcome;
		compare(kinds[i].works, kinds[i].budget_ns, &outcomes[n]);
		print(&outcomes[n++]);
	}
	return n;
}

static size_t measure_google(const char *program, struct outcome outcomes[])
{
	static const struct {
		struct outcome outcome;
		int second;
		bool interleaved;
	} kinds[] = {
		{ { .name = "google/benchmark: 400 with 404" }, 404, false },
		{ { .name = "google/benchmark: with itself", .same = true }, 400, false },
		{ { .name = "google/benchmark interleaved: 400 with 404" }, 404, true },
		{ { .name = "google/benchmark interleaved: with itself", .same = true },
		  400,
		  true },
	};
	size_t n = 0;

	for (size_t i = 0; google_tries > 0 && i < sizeof kinds / sizeof kinds[0]; i++) {
		outcomes[n] = kinds[i].outcome;
		if (!google(program, kinds[i].second, kinds[i].interleaved, &outcomes[n])) {
			printf("%s: not measured: verdicts-google was not built, or failed\n",
			       outcomes[n].name);
			continue;
		}
		print(&outcomes[n++]);
	}
	return n;
}

int main(int argc, char *argv[])
{
	struct outcome outcomes[8];
	size_t n;

	take_options(argc, argv);
	if (busy)
		keep_busy();
	printf("%-44s %5s %5s %5s %7s  %s\n", "what", "tries", "right", "wrong", "unknown", "goal");
	n = measure_own(outcomes);
	n += measure_google(argv[0], outcomes + n);
	return json && !write_json(outcomes, n);
}
