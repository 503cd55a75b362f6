/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Pairs of a register that belongs to the CPU, between two counts of the thread. Time, the CPUs and
 * their registers are fake. */

#include "config.h"

#include "unit.h"
#include "meter.h"
#include "pair.h"
#include "run.h"

#include <math.h>

#define COUNT_TAKES 70 /* units of fake time */
#define REGISTER_TAKES 20
#define WORK_TAKES 1000

static struct {
	long long now;          /* what the library counts for the thread */
	int cpu;                /* that the thread is on */
	bool unknown;           /* nobody tells which one that is */
	long long registers[2]; /* what each register is ahead of fake time */
	int calls;
	int every;    /* the work moves the thread in each call of this number; 0: never */
	int at_reads; /* the thread moves at this many reads of the register from now; 0: never */
} fake;

/* In place of libc's. */
int sched_getcpu(void);
int sched_getcpu(void)
{
	return fake.unknown ? 7 : fake.cpu;
}

static void move(void)
{
	fake.cpu = !fake.cpu;
}

static long long read_count(void)
{
	fake.now += COUNT_TAKES;
	return fake.now;
}

static long long read_register(void)
{
	if (fake.at_reads && --fake.at_reads == 0)
		move();
	fake.now += REGISTER_TAKES;
	return fake.now + fake.registers[fake.cpu];
}

static void work(void *unused)
{
	(void)unused;
	fake.now += WORK_TAKES;
	if (fake.every && ++fake.calls % fake.every == 0)
		move();
}

static void work_on(const unsigned char *input, void *context)
{
	(void)input;
	work(context);
}

static const struct source source = {
	.name = "fake",
	.read = read_count,
	.read_register = read_register,
	.unit = CPUCYCLES_UNIT_CYCLES,
	.units = 1,
};

#define FAR_APART 80000000000000

static void make(long long apart, bool unknown)
{
	memset(&fake, 0, sizeof fake);
	fake.now = 1000000;
	fake.registers[1] = apart;
	fake.unknown = unknown;
}

/* The rule */

TEST(rule)
{
	static const struct {
		struct pair_place before, behind;
		struct pair registers;
		struct pair expected;
	} rows[] = {
		{ { 0, 100 }, { 0, 250 }, { 7, 107, false }, { 100, 200, false } },
		/* As much as the count, and one more. */
		{ { 0, 100 }, { 0, 250 }, { 7, 157, false }, { 100, 250, false } },
		{ { 0, 100 }, { 0, 250 }, { 7, 158, false }, { 100, 250, true } },
		/* The register is behind, as that of another CPU may be. */
		{ { 0, 100 }, { 0, 250 }, { 7, 6, false }, { 100, 250, true } },
		{ { 0, 100 }, { 0, 250 }, { INT64_MAX, INT64_MIN, false }, { 100, 101, false } },
		{ { 0, 100 }, { 1, 250 }, { 7, 107, false }, { 100, 250, true } },
		{ { 0, -5 }, { 0, 5 }, { 1, 10, false }, { -5, 4, false } },
		/* It could not be read, for the first time before the work or behind it. */
		{ { 0, -5 }, { 0, 5 }, { 0, 0, false }, { -5, 5, true } },
		{ { 0, -5 }, { 0, 5 }, { 0, 1, false }, { -5, 5, true } },
		{ { 0, -5 }, { 0, 5 }, { -1, 0, false }, { -5, 5, true } },
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct pair pair =
			pair_among(&rows[i].before, &rows[i].registers, &rows[i].behind);

		assert_int_equal(pair.begin, rows[i].expected.begin);
		assert_int_equal(pair.end, rows[i].expected.end);
		assert_int_equal(pair.moved, rows[i].expected.moved);
	}
}

/* Pairs */

/* The two counts are not in the pair. */
static void expect_work(struct pair pair)
{
	assert_false(pair.moved);
	assert_int_equal(pair.end - pair.begin, WORK_TAKES + REGISTER_TAKES);
}

/* All of it is in there. */
static void expect_moved(struct pair pair)
{
	assert_true(pair.moved);
	assert_int_equal(pair.end - pair.begin, COUNT_TAKES + 2 * REGISTER_TAKES + WORK_TAKES);
}

TEST(pairs)
{
	for (int unknown = 0; unknown < 2; unknown++) {
		make(FAR_APART, unknown);
		expect_work(pair_take(&source, work, NULL, 1));
		expect_work(pair_take_input(&source, work_on, NULL, NULL));
		fake.every = 1; /* there, and back */
		expect_moved(pair_take(&source, work, NULL, 1));
		expect_moved(pair_take(&source, work, NULL, 1));
		expect_moved(pair_take_input(&source, work_on, NULL, NULL));
		expect_moved(pair_take_input(&source, work_on, NULL, NULL));
	}
}

#ifdef HAVE_SCHED_GETCPU
#define NEED_CPU() ((void)0)
#else
#define NEED_CPU() unit_skip("nothing tells the CPU here")
#endif

/* The registers of two CPUs that have just started may be close together. Who knows the CPU sees
 * that the thread has moved. */
TEST(close_together)
{
	NEED_CPU();
	make(50, false);
	fake.every = 1;
	expect_moved(pair_take(&source, work, NULL, 1));
	make(50, false);
	fake.at_reads = 2;
	expect_moved(pair_take(&source, work, NULL, 1));
	make(50, false);
	fake.at_reads = 1; /* between the count and the first read */
	expect_moved(pair_take(&source, work, NULL, 1));
}

/* Counts of the thread go on from pair to pair. */
TEST(in_order)
{
	int64_t last;

	make(FAR_APART, false);
	fake.every = 3;
	last = pair_count(&source);
	for (int i = 0; i < 100; i++) {
		const struct pair pair = pair_take(&source, work, NULL, 1);

		assert_true(pair.begin > last && pair.end > pair.begin);
		last = i % 10 ? pair.end : pair_count(&source);
		assert_true(last >= pair.end);
	}
}

/* Runs */

#define SAMPLES 2000

static const struct cpucycles_meter_options options = {
	.size = sizeof options,
	.works_max = 2,
	.samples_max = SAMPLES,
};

/* The budget never ends a run: fake time does not pass by the clock. */
static const struct cpucycles_plan plan = {
	.size = sizeof plan,
	.budget_ns = UINT64_MAX / 4,
};

static struct cpucycles_meter *open_fake(void)
{
	const size_t bytes = meter_bytes(&options, NULL);
	struct cpucycles_meter *meter = calloc(1, bytes);

	assert_non_null(meter);
	assert_int_equal(meter_open_with(meter, bytes, &options, &source, NULL), 0);
	return meter;
}

/* How many of a run's samples are not those of the work alone. */
static size_t count_moved(const struct cpucycles_work works[], size_t n)
{
	struct cpucycles_meter *meter = open_fake();
	size_t moved = 0;

	assert_int_equal(cpucycles_meter_run(meter, works, n, &plan, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		const double *samples;
		size_t taken;

		assert_int_equal(cpucycles_meter_samples(meter, i, &samples, &taken), 0);
		assert_true(taken > 0);
		for (size_t j = 0; j < taken; j++)
			moved += fabs(samples[j] - WORK_TAKES) > 1e-6;
	}
	free(meter);
	return moved;
}

static const struct cpucycles_work works[] = { CPUCYCLES_WORK("a", work, NULL),
					       CPUCYCLES_WORK("b", work, NULL) };

/* A pair in which the thread moves is taken again. */
TEST(again)
{
	for (int unknown = 0; unknown < 2; unknown++) {
		make(FAR_APART, unknown);
		assert_int_equal(count_moved(works, 2), 0);
		/* A few are taken again in a row. */
		for (fake.every = 2; fake.every < 10; fake.every++)
			assert_int_equal(count_moved(works, 2), 0);
	}
}

/* A work that moves the thread in each call does not keep the run. Its samples are estimates. */
TEST(always)
{
	make(FAR_APART, false);
	fake.every = 1;
	assert_true(count_moved(works, 1) > 0);
}

/* The time of a work that moves the thread is not given as if nothing had been. */
TEST(warned)
{
	struct cpucycles_meter *meter;
	struct cpucycles_result result = { .size = sizeof result };

	NEED_CPU();
	make(FAR_APART, false);
	fake.every = 1;
	meter = open_fake();
	assert_int_equal(cpucycles_meter_run(meter, works, 1, &plan, NULL), 0);
	assert_int_equal(cpucycles_meter_result(meter, 0, &result), 0);
	assert_true(result.warnings & CPUCYCLES_WARNING_MOVED);
	free(meter);
}

/* A test of leaks does not count the calls in which the thread moved. */
TEST(leaks)
{
	const struct cpucycles_leak leak = { .size = sizeof leak, .call = work_on, .bytes = 16 };
	const struct cpucycles_plan calls = {
		.size = sizeof calls,
		.budget_ns = plan.budget_ns,
		.samples = SAMPLES,
	};
	struct cpucycles_leak_findings result = { .size = sizeof result };
	struct cpucycles_meter *meter;

	make(FAR_APART, true); /* else the test of leaks itself asks for the CPU */
	fake.every = 5;
	meter = open_fake();
	assert_int_equal(cpucycles_leak_run(meter, &leak, &calls, NULL), 0);
	assert_int_equal(cpucycles_leak_result(meter, &result), 0);
	assert_true(result.calls[0] > 0 && result.calls[1] > 0);
	assert_true(result.discarded[0] > 0 && result.discarded[1] > 0);
	for (int group = 0; group < 2; group++) {
		const double *samples;
		size_t n;

		assert_int_equal(cpucycles_meter_samples(meter, (size_t)group, &samples, &n), 0);
		for (size_t i = 0; i < n; i++)
			assert_true(fabs(samples[i] - WORK_TAKES) < 1e-6);
	}
	free(meter);
}

UNIT_MAIN("pair", NULL, NULL)
