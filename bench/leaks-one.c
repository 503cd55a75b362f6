/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* One test in a process of its own: the parent's half, and the child's. */

#include "config.h"

#include "leaks.h"

#include "child.h"
#include "cpucycles-measure.h"
#include "seconds.h"
#include "series.h"
#include "welch.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define MS UINT64_C(1000000)

/* Times of each group that the meter keeps: more than there can be in a millisecond, but not more
 * than a small machine has memory for. */
#define SAMPLES_EACH_MS 4000
#define SAMPLES_MAX ((size_t)1 << 23)

/* The parent */

static bool explain(const char *what, int status, char why[LEAKS_WHY])
{
	if (WIFSIGNALED(status))
		snprintf(why, LEAKS_WHY, "%s: killed by signal %d", what, WTERMSIG(status));
	else
		snprintf(why, LEAKS_WHY, "%s: no answer, exit status %d", what,
			 WEXITSTATUS(status));
	return false;
}

bool leaks_ask(const char *program, const struct leaks_test *test, struct leaks_answer *answer,
	       char why[LEAKS_WHY])
{
	char texts[LEAKS_ONE_WORDS][24];
	const char *words[2 + LEAKS_ONE_WORDS + 1] = { program, LEAKS_ONE };
	unsigned verdict, all;
	int status, fields;
	pid_t child;
	FILE *from;

	snprintf(texts[0], sizeof texts[0], "%zu", test->subject);
	snprintf(texts[1], sizeof texts[1], "%d", test->inputs);
	snprintf(texts[2], sizeof texts[2], "%u", test->budget_ms);
	snprintf(texts[3], sizeof texts[3], "%lu", test->seed);
	snprintf(texts[4], sizeof texts[4], "%d", test->whole);
	for (size_t i = 0; i < LEAKS_ONE_WORDS; i++)
		words[2 + i] = texts[i];
	from = child_start(words, &child);
	if (!from) {
		snprintf(why, LEAKS_WHY, "%s: %s", program, strerror(errno));
		return false;
	}
	fields = fscanf(from, "%u %u %lf %lf %lf %lf %" SCNu64, &verdict, &all, &answer->raw,
			&answer->cropped, &answer->shift, &answer->seconds, &answer->calls);
	status = child_finish(from, child);
	if (fields != 7 || status || verdict > NO_CONTROL)
		return explain(leaks_subjects[test->subject].name, status, why);
	answer->verdict = (enum leaks_verdict)verdict;
	answer->all = all;
	return true;
}

/* The child */

struct inputs {
	const struct leaks_subject *subject;
	enum leaks_inputs which;
	unsigned char fixed[LEAKS_BYTES];
	uint64_t state;
};

static void fill(unsigned char *bytes, size_t n, uint64_t *state)
{
	for (size_t i = 0; i < n; i++)
		bytes[i] = (unsigned char)(random_next(state) >> 56);
}

static void draw(struct inputs *inputs, unsigned char *input)
{
	if (inputs->subject->drawn)
		inputs->subject->drawn(input, &inputs->state);
	else
		fill(input, inputs->subject->bytes, &inputs->state);
}

static void prepare(int group, unsigned char *input, void *context)
{
	struct inputs *const inputs = context;
	int of = group;

	if (inputs->which == LEAKS_SAME_FIXED)
		of = 0;
	if (inputs->which == LEAKS_SAME_DRAWN)
		of = (int)(random_next(&inputs->state) >> 63);
	if (of == 1)
		draw(inputs, input);
	else
		memcpy(input, inputs->fixed, inputs->subject->bytes);
}

/* Without inputs of its own, a function gets those that the library makes. */
static bool needs_prepare(const struct inputs *inputs)
{
	return inputs->which != LEAKS_OWN || inputs->subject->fixed || inputs->subject->drawn;
}

static void begin_inputs(struct inputs *inputs, unsigned long seed)
{
	inputs->state = random_begin(seed, 1);
	if (inputs->subject->fixed)
		inputs->subject->fixed(inputs->fixed);
	else
		fill(inputs->fixed, inputs->subject->bytes, &inputs->state);
	leaky_prepare();
}

static double *copy_of(const struct cpucycles_meter *meter, size_t group, size_t *n)
{
	const double *samples;
	double *copy;

	if (cpucycles_meter_samples(meter, group, &samples, n))
		return NULL;
	copy = malloc(*n * sizeof *copy);
	if (copy)
		memcpy(copy, samples, *n * sizeof *copy);
	return copy;
}

/* The t tests on the times of the same calls. Without enough calls, they say nothing. */
static void try_welch(const struct cpucycles_meter *meter, struct leaks_answer *answer)
{
	size_t n, m;
	double *const a = copy_of(meter, 0, &n), *const b = copy_of(meter, 1, &m);

	answer->raw = answer->cropped = 0;
	answer->all = true;
	if (a && b) {
		answer->raw = welch_t(a, n, b, m);
		answer->cropped = welch_cropped(a, n, b, m);
		answer->all = n + m == answer->calls;
	}
	free(a);
	free(b);
}

static const enum leaks_verdict verdicts[] = {
	[CPUCYCLES_LEAK_CANNOT_TELL] = CANNOT_TELL,
	[CPUCYCLES_LEAK_FOUND] = LEAKS,
	[CPUCYCLES_LEAK_NONE_ABOVE] = NONE_ABOVE,
	[CPUCYCLES_LEAK_NO_CONTROL] = NO_CONTROL,
};

static int test_one(struct cpucycles_meter *meter, struct inputs *inputs,
		    const struct cpucycles_plan *plan, struct leaks_answer *answer,
		    struct cpucycles_reason *reason)
{
	struct cpucycles_leak_findings result = CPUCYCLES_LEAK_FINDINGS_INITIALIZER;
	struct cpucycles_leak_difference median = CPUCYCLES_LEAK_DIFFERENCE_INITIALIZER;
	struct cpucycles_leak leak = { .size = sizeof leak,
				       .name = inputs->subject->name,
				       .call = inputs->subject->call,
				       .prepare = needs_prepare(inputs) ? prepare : NULL,
				       .context = inputs,
				       .bytes = inputs->subject->bytes };
	const double start = seconds_now();
	int error = cpucycles_leak_run(meter, &leak, plan, reason);

	answer->seconds = seconds_now() - start;
	if (!error)
		error = cpucycles_leak_result(meter, &result);
	if (!error)
		error = cpucycles_leak_quantile(meter, 50, &median);
	if (error)
		return error;
	answer->verdict = verdicts[result.verdict];
	answer->calls = result.calls[0] + result.calls[1];
	answer->shift = median.difference;
	try_welch(meter, answer);
	return 0;
}

/* budget_ms: 0 if nothing is measured. */
static int open_meter(struct cpucycles_meter **meter, size_t budget_ms,
		      struct cpucycles_reason *reason)
{
	const size_t samples = budget_ms * SAMPLES_EACH_MS;
	const struct cpucycles_meter_options options = {
		.size = sizeof options,
		.need = CPUCYCLES_NEED_CYCLES,
		.flags = CPUCYCLES_METER_NEXT_BEST,
		.samples_max = samples < SAMPLES_MAX ? samples : SAMPLES_MAX,
	};

	return cpucycles_meter_open(meter, &options, reason);
}

int leaks_one(char *const words[LEAKS_ONE_WORDS])
{
	const unsigned long seed = strtoul(words[3], NULL, 10);
	const struct cpucycles_plan plan = { .size = sizeof plan,
					     .budget_ns = strtoull(words[2], NULL, 10) * MS,
					     .seed = seed,
					     .flags = words[4][0] == '1' ? CPUCYCLES_PLAN_WHOLE :
									   0 };
	static struct inputs inputs;
	const size_t subject = strtoul(words[0], NULL, 10);
	char what[256] = "", remedy[256] = "";
	struct cpucycles_reason reason = CPUCYCLES_REASON(what, remedy);
	struct cpucycles_meter *meter = NULL;
	struct leaks_answer answer;
	int error;

	if (subject >= LEAKS_SUBJECTS)
		return 2;
	inputs.subject = &leaks_subjects[subject];
	inputs.which = (enum leaks_inputs)strtoul(words[1], NULL, 10);
	begin_inputs(&inputs, seed);
	error = open_meter(&meter, strtoul(words[2], NULL, 10), &reason);
	if (!error)
		error = test_one(meter, &inputs, &plan, &answer, &reason);
	cpucycles_meter_close(meter);
	if (error)
		fprintf(stderr, "leaks: %s: %s%s%s\n", inputs.subject->name, strerror(-error),
			reason.what[0] ? ": " : "", reason.what);
	else
		printf("%d %d %g %g %g %g %" PRIu64 "\n", answer.verdict, answer.all, answer.raw,
		       answer.cropped, answer.shift, answer.seconds, answer.calls);
	return error || fflush(stdout);
}

bool leaks_print_counter(void)
{
	static const char *const units[] = { [CPUCYCLES_UNIT_CYCLES] = "cycles",
					     [CPUCYCLES_UNIT_TICKS] = "ticks",
					     [CPUCYCLES_UNIT_NS] = "ns" };
	struct cpucycles_counter_info info = CPUCYCLES_COUNTER_INFO_INITIALIZER;
	char what[256] = "", remedy[256] = "";
	struct cpucycles_reason reason = CPUCYCLES_REASON(what, remedy);
	struct cpucycles_meter *meter;

	if (open_meter(&meter, 0, &reason)) {
		fprintf(stderr, "leaks: %s\n", reason.what);
		return false;
	}
	cpucycles_meter_info(meter, &info);
	cpucycles_meter_close(meter);
	printf("counter: %s, in steps of %.4g %s\n", info.counter, info.resolution,
	       units[info.unit]);
	return true;
}
