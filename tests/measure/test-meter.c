/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Meters on fake counters. Most of them count fake time, which passes only when a work or a read
 * lets it pass, so the machine's load changes no result.
 */

#include "config.h"

#include "unit.h"
#include "affinity.h"
#include "busy.h"
#include "chain.h"
#include "draw.h"
#include "judge.h"
#include "meter.h"
#include "pilot.h"
#include "raw-clock.h"
#include "reason.h"
#include "reasons.h"
#include "run.h"
#include "statistics.h"
#include "take.h"

#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <pthread.h>

#ifdef HAVE_SYS_SINGLE_THREADED_H
#include <sys/single_threaded.h>
#endif

/* Some systems without floating-point instructions have one way of rounding only. */
#if !defined(FE_UPWARD)
#define FE_UPWARD FE_TONEAREST
#endif

#define READ_TAKES 30   /* units of fake time */
#define WORK_TAKES 1000 /* the same */

/* Made time, and what is wrong with the counter that shows it. */
static struct {
	long long now;
	long long read_takes;
	long long every;  /* it shows multiples of this */
	unsigned reads;   /* so far */
	unsigned back_at; /* each read of this number steps back; 0: none */
	double speed;     /* of the counter that follows the raw clock, in counts per ns */
} fake;

static long long read_fake(void)
{
	fake.now += fake.read_takes;
	if (fake.back_at && ++fake.reads % fake.back_at == 0)
		return fake.now / fake.every * fake.every - 100000;
	return fake.now / fake.every * fake.every;
}

static long long read_stuck(void)
{
	return 7;
}

static long long read_clock(void)
{
	return (long long)((double)raw_clock_ns() * fake.speed);
}

static struct source source_of(long long (*read)(void), uint64_t hz)
{
	return (struct source){
		.name = "fake",
		.read = read,
		.unit = CPUCYCLES_UNIT_TICKS,
		.units = 1,
		.hz = hz,
	};
}

static void reset(long long every)
{
	fake.now = 1000000;
	fake.read_takes = READ_TAKES;
	fake.every = every;
	fake.reads = fake.back_at = 0;
}

/* The core, whose frequency is found by chains. All functions of base/chain.c are fakes here, so
 * the linker takes none from there. */

static uint64_t chains_ns[2]; /* what the next chain takes, and the one after that; 0: not known */

bool chain_is_portable(void)
{
	return false;
}

/* Then no run times chains next to its works: test-cycles.c has those. */
bool chain_is_exact(void)
{
	return false;
}

void chain_xors(void *rounds)
{
	(void)rounds;
}

void chain_products(void *rounds)
{
	(void)rounds;
}

void chain_floats(void *rounds)
{
	(void)rounds;
}

void chain_run(unsigned long rounds)
{
	for (volatile unsigned long i = 0; i < rounds; i++)
		continue;
}

void chain_time(uint64_t budget_ns, long long (*read)(void), struct chain_times *times)
{
	(void)budget_ns;
	(void)read;
	times->n = chains_ns[0] > 0;
	times->rounds = 1000;
	times->clock_step = 1;
	times->brief.ns[0] = 500;
	times->whole.ns[0] = 500 + chains_ns[0];
	chains_ns[0] = chains_ns[1];
	chains_ns[1] = 0;
}

/* Works */

static void pass(void *takes)
{
	fake.now += *(const long long *)takes;
}

/* Each call takes longer than the one before. */
static void pass_more(void *takes)
{
	fake.now += (*(long long *)takes)++;
}

/* Every other call takes longer. */
static void pass_in_turns(void *state)
{
	long long *calls = state;

	fake.now += WORK_TAKES + (*calls)++ % 2 * WORK_TAKES / 10;
}

/* A work that takes longer unless so many calls before were of the same work. */
struct habit {
	long long more;
	unsigned settles;
};

static void pass_by_habit(void *context)
{
	static const void *last;
	static unsigned in_a_row;
	const struct habit *habit = context;

	if (last != context)
		in_a_row = 0;
	last = context;
	fake.now += WORK_TAKES + (in_a_row++ < habit->settles ? habit->more : 0);
}

static void pass_and_count(void *calls)
{
	fake.now += WORK_TAKES;
	++*(unsigned long *)calls;
}

static void pass_input(const unsigned char *input, void *unused)
{
	(void)input, (void)unused;
	fake.now += WORK_TAKES;
}

static void nothing(void *unused)
{
	(void)unused;
}

/* How often a work was called in another way of rounding than it should be. */
static unsigned wrong_roundings;

static void pass_rounding_nearest(void *takes)
{
	wrong_roundings += fegetround() != FE_TONEAREST;
	pass(takes);
}

/* Where a meter knows no control register, the rounding is that of the whole thread. */
static void pass_rounding_up(void *takes)
{
	wrong_roundings += fegetround() != (STATE_SIMD[0] ? FE_UPWARD : FE_TONEAREST);
	pass(takes);
}

static void pass_and_round_up(void *takes)
{
	fesetround(FE_UPWARD);
	pass(takes);
}

#if defined(__x86_64__) || defined(__i386__)
static void pass_and_go_backwards(void *takes)
{
	pass(takes);
	__asm__ volatile("std" : : : "cc");
}
#endif

/* A fake mask of signals: this one is blocked, and that one was at the last look. */
static int blocked, last_blocked;

static int see_fake_mask(void)
{
	const int before = last_blocked;

	last_blocked = blocked;
	return blocked == before ? 0 : blocked;
}

static void pass_and_block(void *takes)
{
	blocked = 10;
	pass(takes);
}

static void pass_and_block_late(void *state)
{
	long long *calls = state;

	if (++*calls == 1000)
		blocked = 10;
	fake.now += WORK_TAKES;
}

static void wait_10_us(void *unused)
{
	const uint64_t end = raw_clock_ns() + 10000;

	(void)unused;
	while (raw_clock_ns() < end)
		;
}

/* Meters */

#define SAMPLES 20000

static const struct cpucycles_meter_options usual = {
	.size = sizeof usual,
	.works_max = 4,
	.samples_max = SAMPLES,
};

static struct cpucycles_meter *open_fake(const struct source *source)
{
	struct reason_text reason = { 0 };
	const size_t bytes = meter_bytes(&usual, &reason);
	struct cpucycles_meter *meter = calloc(1, bytes);

	assert_non_null(meter);
	assert_int_equal(meter_open_with(meter, bytes, &usual, source, &reason), 0);
	return meter;
}

/* A meter of a fake counter that moves by this many counts at once. */
static struct cpucycles_meter *open_stepping(long long every)
{
	const struct source source = source_of(read_fake, 0);

	reset(every);
	return open_fake(&source);
}

/* The budget never ends a run: fake time does not pass by the clock. */
static const struct cpucycles_plan whole = {
	.size = sizeof whole,
	.budget_ns = UINT64_MAX / 4,
};

static void run_up_to(struct cpucycles_meter *meter, const struct cpucycles_work works[], size_t n,
		      uint64_t samples)
{
	const struct cpucycles_plan plan = {
		.size = sizeof plan,
		.budget_ns = whole.budget_ns,
		.samples = samples,
	};
	REASON(reason);
	const int error = cpucycles_meter_run(meter, works, n, &plan, &reason);

	if (error)
		print_message("run: %s (%s)\n", reason.what, reason.remedy);
	assert_int_equal(error, 0);
}

static void run_works(struct cpucycles_meter *meter, const struct cpucycles_work works[], size_t n)
{
	run_up_to(meter, works, n, 0);
}

static struct cpucycles_result result_of(struct cpucycles_meter *meter, size_t i)
{
	struct cpucycles_result r = { .size = sizeof r };

	assert_int_equal(cpucycles_meter_result(meter, i, &r), 0);
	return r;
}

static struct cpucycles_verdict verdict_of(struct cpucycles_meter *meter, size_t i)
{
	struct cpucycles_verdict v = { .size = sizeof v };

	assert_int_equal(cpucycles_meter_verdict(meter, i, &v), 0);
	return v;
}

/* The warnings that fake time can cause. The others depend on the machine. */
#define OF_SAMPLES \
	(CPUCYCLES_WARNING_BACKWARDS | CPUCYCLES_WARNING_RESOLUTION | CPUCYCLES_WARNING_HALVES | \
	 CPUCYCLES_WARNING_DRIFT | CPUCYCLES_WARNING_CARRYOVER | CPUCYCLES_WARNING_TAIL)

static uint64_t warnings_of(struct cpucycles_meter *meter, size_t i)
{
	return result_of(meter, i).warnings & OF_SAMPLES;
}

/* A sentence of a warning has figures. */
static void assert_explained(struct cpucycles_meter *meter, uint64_t warning)
{
	REASON(reason);

	assert_int_equal(cpucycles_meter_warning(meter, 0, warning, &reason), 0);
	print_message("%s\n", reason.what);
	assert_non_null(strpbrk(reason.what, "0123456789"));
	assert_true(reason.remedy[0]);
}

/* The rules of the pilot */

TEST(batches)
{
	assert_int_equal(pilot_batch(5, false, INFINITY), 1);
	assert_int_equal(pilot_batch(500, false, INFINITY), 1);
	assert_int_equal(pilot_batch(4.9, false, 1), 11);
	assert_int_equal(pilot_batch(2.5, false, 1), 20);
	assert_int_equal(pilot_batch(2.4, false, INFINITY), 40);
	assert_int_equal(pilot_batch(0.1, false, INFINITY), 640);
	assert_int_equal(pilot_batch(0.1, false, 640), 640);
	assert_int_equal(pilot_batch(0.1, false, 639), 320);
	assert_int_equal(pilot_batch(0.1, false, 1), 20);
	for (const double *steps = (const double[]){ 0, -3, NAN, 1e-9, 9 }; *steps != 9; steps++) {
		assert_int_equal(pilot_batch(*steps, false, INFINITY), RUN_BATCH_MAX);
		assert_int_equal(pilot_batch(*steps, false, 100), 80);
	}
	assert_int_equal(pilot_batch(0.1, true, INFINITY), 1);
	assert_false(pilot_is_too_fast(0.25, 20));
	assert_true(pilot_is_too_fast(0.2499, 20));
	assert_false(pilot_is_too_fast(0.2499, 40));
	assert_true(pilot_is_too_fast(0, RUN_BATCH_MAX));
	assert_true(pilot_is_too_fast(-1, RUN_BATCH_MAX));
	assert_true(pilot_is_too_fast(NAN, RUN_BATCH_MAX));
}

/* Each of the 6 orders of 3 comes a sixth of the times: 1,000 of 6,000, and 5 standard deviations
 * are 145. */
TEST(orders)
{
	unsigned seen[3][3][3] = { 0 };
	uint64_t seed = 1;

	for (int i = 0; i < 6000; i++) {
		size_t order[] = { 0, 1, 2 };

		draw_shuffle(order, 3, &seed);
		seen[order[0]][order[1]][order[2]]++;
	}
	for (int a = 0; a < 3; a++)
		for (int b = 0; b < 3; b++)
			if (a != b)
				unit_in_range(seen[a][b][3 - a - b], 1000 - 145, 1000 + 145);
}

/* For each even number of names, a name comes once in each row and at each place, and once behind
 * each other name. */
TEST(balanced)
{
	for (size_t n = 2; n <= 12; n += 2) {
		unsigned behind[12][12] = { 0 }, at[12][12] = { 0 };

		for (size_t row = 0; row < n; row++) {
			for (size_t i = 0; i < n; i++) {
				const size_t name = run_balanced(row, i, n);

				assert_true(name < n);
				at[i][name]++;
				if (i > 0)
					behind[run_balanced(row, i - 1, n)][name]++;
			}
		}
		for (size_t a = 0; a < n; a++)
			for (size_t b = 0; b < n; b++) {
				assert_int_equal(at[a][b], 1);
				assert_int_equal(behind[a][b], a != b);
			}
	}
	assert_int_equal(run_balanced(0, 0, 1), 0);
}

/* Opening */

TEST(options)
{
	REASON(reason);
	struct cpucycles_meter_options o = { .size = sizeof o, .need = 4 };
	struct cpucycles_meter *meter;

	assert_int_equal(cpucycles_meter_open(&meter, &o, &reason), -EINVAL);
	assert_null(meter);
	assert_true(reason.what[0]);
	o = (struct cpucycles_meter_options){ .size = sizeof o, .flags = 4 };
	assert_int_equal(cpucycles_meter_open(&meter, &o, &reason), -EINVAL);
	o = (struct cpucycles_meter_options){ .size = sizeof(size_t) };
	assert_int_equal(cpucycles_meter_open(&meter, &o, &reason), -EINVAL);
	o = (struct cpucycles_meter_options){ .size = sizeof o, .works_max = SIZE_MAX / 2 };
	assert_int_equal(cpucycles_meter_open(&meter, &o, &reason), -EINVAL);
	o = (struct cpucycles_meter_options){ .size = sizeof o, .samples_max = SIZE_MAX / 20 };
	assert_int_equal(cpucycles_meter_open(&meter, &o, &reason), -EINVAL);
	/* Small memories may be full of samples, and the sanitizers' calloc ends the program. */
#if SIZE_MAX > UINT32_MAX && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	o = (struct cpucycles_meter_options){ .size = sizeof o, .samples_max = SIZE_MAX / 5000 };
	assert_int_equal(cpucycles_meter_open(&meter, &o, &reason), -ENOMEM);
	assert_true(reason.what[0]);
#endif
	cpucycles_meter_close(NULL);
}

/* A program that was built with a later, longer structure, and sizes that no program has. */
TEST(sizes)
{
	struct {
		struct cpucycles_counter_info info;
		uint64_t behind;
	} later = { .info.size = sizeof later, .behind = 99 };
	struct cpucycles_counter_info shorter = { .size = sizeof shorter - 1, .overhead = -5 };
	struct cpucycles_meter *meter = open_stepping(1);

	assert_int_equal(cpucycles_meter_info(meter, &later.info), 0);
	assert_int_equal(later.info.size, sizeof later);
	assert_int_equal(later.behind, 0);
	assert_string_equal(later.info.counter, "fake");
	assert_int_equal(cpucycles_meter_info(meter, &shorter), -EINVAL);
	assert_true(shorter.overhead == -5);
	shorter.size = 0;
	assert_int_equal(cpucycles_meter_info(meter, &shorter), -EINVAL);
	/* One that was never set. */
	later.info.size = 0x7fff0000;
	later.behind = 99;
	assert_int_equal(cpucycles_meter_info(meter, &later.info), -EINVAL);
	assert_int_equal(later.behind, 99);
	free(meter);
}

/* A program that was built with a later version of the library. What it asks for in the members
 * that only that version has is not dropped without a word. */
TEST(unknown_members)
{
	long long takes = WORK_TAKES;
	const struct cpucycles_work work = CPUCYCLES_WORK("pass", pass, &takes);
	struct {
		struct cpucycles_meter_options options;
		unsigned char more[9];
	} options = { .options = { .size = sizeof options } };
	struct {
		struct cpucycles_plan plan;
		unsigned char more[9];
	} plan = { .plan = { .size = sizeof plan, .samples = 10 } };
	struct {
		struct cpucycles_leak leak;
		unsigned char more[9];
	} leak = { .leak = { .size = sizeof leak, .bytes = 1, .call = pass_input } };
	REASON(reason);
	struct cpucycles_meter *fake_meter = open_stepping(1), *meter;

	assert_int_equal(cpucycles_meter_open(&meter, &options.options, &reason), 0);
	cpucycles_meter_close(meter);
	assert_int_equal(cpucycles_meter_run(fake_meter, &work, 1, &plan.plan, &reason), 0);
	assert_int_equal(cpucycles_leak_run(fake_meter, &leak.leak, &plan.plan, &reason), 0);
	for (size_t i = 0; i < sizeof plan.more; i++) {
		options.more[i] = plan.more[i] = leak.more[i] = 1;
		assert_int_equal(cpucycles_meter_open(&meter, &options.options, &reason), -E2BIG);
		assert_null(meter);
		assert_int_equal(cpucycles_meter_run(fake_meter, &work, 1, &plan.plan, &reason),
				 -E2BIG);
		assert_int_equal(cpucycles_leak_run(fake_meter, &leak.leak, NULL, &reason), -E2BIG);
		assert_int_equal(reason.error, E2BIG);
		assert_non_null(strstr(reason.what, "leak: bytes after"));
		assert_true(reason.remedy[0]);
		options.more[i] = plan.more[i] = leak.more[i] = 0;
	}
	free(fake_meter);
}

/* Works of a program that was built with a later version, in which they are longer. */
TEST(longer_works)
{
	long long takes[] = { WORK_TAKES, 3 * WORK_TAKES };
	struct {
		struct cpucycles_work work;
		uint64_t more;
	} works[] = { { .work = CPUCYCLES_WORK("a", pass, &takes[0]) },
		      { .work = CPUCYCLES_WORK("b", pass, &takes[1]) } };
	struct cpucycles_meter *meter = open_stepping(1);
	REASON(reason);

	works[0].work.size = works[1].work.size = sizeof works[0];
	run_works(meter, &works[0].work, 2);
	assert_true(result_of(meter, 1).median == 3 * WORK_TAKES);
	works[1].more = 1;
	assert_int_equal(cpucycles_meter_run(meter, &works[0].work, 2, &whole, &reason), -E2BIG);
	assert_non_null(strstr(reason.what, "work 1"));
	works[1].more = 0;
	works[1].work.size = sizeof works[1].work;
	assert_int_equal(cpucycles_meter_run(meter, &works[0].work, 2, &whole, &reason), -EINVAL);
	assert_non_null(strstr(reason.what, "that of work 0"));
	works[0].work.size = 0;
	assert_int_equal(cpucycles_meter_run(meter, &works[0].work, 1, &whole, &reason), -EINVAL);
	free(meter);
}

TEST(stuck)
{
	const struct source source = source_of(read_stuck, 0);
	struct reason_text reason = { 0 };
	const size_t bytes = meter_bytes(&usual, &reason);
	struct cpucycles_meter *meter = calloc(1, bytes);

	assert_int_equal(meter_open_with(meter, bytes, &usual, &source, &reason), -ENOTSUP);
	assert_non_null(strstr(reason.what, "stands still"));
	free(meter);
}

/* Results */

TEST(exact_results)
{
	long long takes = WORK_TAKES;
	const struct cpucycles_work work = CPUCYCLES_WORK("pass", pass, &takes);
	struct cpucycles_meter *meter = open_stepping(1);
	struct cpucycles_result r;
	const double *samples;
	size_t n;

	assert_true(meter->instrument.overhead == READ_TAKES);
	assert_true(meter->instrument.overhead_iqr == 0);
	run_works(meter, &work, 1);
	r = result_of(meter, 0);
	assert_true(r.min == WORK_TAKES && r.q1 == WORK_TAKES && r.median == WORK_TAKES);
	assert_true(r.q3 == WORK_TAKES && r.low == WORK_TAKES && r.high == WORK_TAKES);
	assert_true(r.iqm == WORK_TAKES);
	assert_int_equal(r.samples, SAMPLES);
	assert_int_equal(r.iterations, 1);
	assert_int_equal(r.warnings & OF_SAMPLES, 0);
	assert_int_equal(cpucycles_meter_samples(meter, 0, &samples, &n), 0);
	assert_int_equal(n, SAMPLES);
	assert_true(samples[0] == WORK_TAKES && samples[n - 1] == WORK_TAKES);
	assert_int_equal(cpucycles_meter_samples(meter, 1, &samples, &n), -EINVAL);
	assert_int_equal(cpucycles_meter_result(meter, 1, &r), -EINVAL);
	free(meter);
}

/* Getters read what the run's end has judged. They sort nothing anew, so the memory in which
 * samples are sorted stays as it is. */
TEST(getters_do_not_write)
{
	long long takes = WORK_TAKES, slowly = 2 * WORK_TAKES;
	const struct cpucycles_work works[] = { CPUCYCLES_WORK("a", pass, &takes),
						CPUCYCLES_WORK("b", pass, &slowly) };
	struct cpucycles_meter *const own = open_stepping(900);
	const struct cpucycles_meter *const meter = own;
	struct cpucycles_result first = { .size = sizeof first }, again = first;
	struct cpucycles_verdict verdict = { .size = sizeof verdict }, same = verdict;
	REASON(reason);
	uint64_t bit;

	run_works(own, works, 2);
	for (size_t i = 0; i < SAMPLES; i++)
		own->run.scratch[i] = -5;
	assert_int_equal(cpucycles_meter_result(meter, 1, &first), 0);
	assert_int_equal(cpucycles_meter_result(meter, 1, &again), 0);
	assert_memory_equal(&first, &again, sizeof first);
	assert_int_equal(cpucycles_meter_verdict(meter, 1, &verdict), 0);
	assert_int_equal(cpucycles_meter_verdict(meter, 1, &same), 0);
	assert_memory_equal(&verdict, &same, sizeof verdict);
	for (bit = 1; bit && !(first.warnings & bit); bit *= 2)
		;
	if (bit)
		assert_int_equal(cpucycles_meter_warning(meter, 1, bit, &reason), 0);
	for (size_t i = 0; i < SAMPLES; i++)
		assert_true(own->run.scratch[i] == -5);
	free(own);
}

/* Counts that are multiples of 24.45 in the mean, as of a time-stamp counter, and of 125. */
TEST(coarse_counters)
{
	long long takes = 300;
	const struct cpucycles_work work = CPUCYCLES_WORK("pass", pass, &takes);
	struct cpucycles_meter *meter = open_stepping(125);
	struct cpucycles_result r;

	assert_true(fabs(meter->instrument.resolution - 125) < 0.01);
	run_works(meter, &work, 1);
	r = result_of(meter, 0);
	/* 2.4 steps per call: 50 steps are 21 calls, for which there is a batch of 40. */
	assert_int_equal(r.iterations, 40);
	assert_true(fabs(r.median - 300) <= 125.0 / 40 + READ_TAKES);
	assert_int_equal(r.warnings & OF_SAMPLES, 0);
	takes = 700;
	run_works(meter, &work, 1);
	assert_int_equal(result_of(meter, 0).iterations, 1);
	assert_int_equal(warnings_of(meter, 0), CPUCYCLES_WARNING_RESOLUTION);
	assert_explained(meter, CPUCYCLES_WARNING_RESOLUTION);
	free(meter);
}

/* The counter shows one value for more reads than a look at the step makes. */
TEST(seldom_moving)
{
	struct cpucycles_meter *meter = open_stepping(50000);

	assert_true(meter->instrument.resolution == 50000);
	free(meter);
}

/* A clock of half a nanosecond per count: results and pairs are in nanoseconds. */
TEST(clocks)
{
	struct source source = source_of(read_fake, 1000000000);
	long long takes = WORK_TAKES;
	const struct cpucycles_work work = CPUCYCLES_WORK("pass", pass, &takes);
	struct cpucycles_meter *meter;
	int64_t begin;

	source.unit = CPUCYCLES_UNIT_NS;
	source.units = 0.5;
	reset(1);
	fake.now = INT64_MAX / 2;
	meter = open_fake(&source);
	assert_true(meter->instrument.overhead == READ_TAKES / 2.0);
	run_works(meter, &work, 1);
	assert_true(result_of(meter, 0).median == WORK_TAKES / 2.0);
	begin = cpucycles_meter_now(meter);
	pass(&takes);
	assert_int_equal(cpucycles_meter_now(meter) - begin, (WORK_TAKES + READ_TAKES) / 2);
	free(meter);
}

/* The core was idle when the meter was opened, and all took three times as long. */
TEST(slow_when_opened)
{
	const struct source source = source_of(read_fake, 0);
	struct cpucycles_counter_info info = { .size = sizeof info };
	long long takes = WORK_TAKES;
	const struct cpucycles_work work = CPUCYCLES_WORK("pass", pass, &takes);
	struct cpucycles_meter *meter;

	reset(1);
	fake.read_takes = 3 * READ_TAKES;
	meter = open_fake(&source);
	fake.read_takes = READ_TAKES;
	run_works(meter, &work, 1);
	assert_true(result_of(meter, 0).median == WORK_TAKES);
	assert_int_equal(cpucycles_meter_info(meter, &info), 0);
	assert_true(info.overhead == READ_TAKES);
	free(meter);
}

TEST(too_fast)
{
	REASON(reason);
	struct cpucycles_plan plan = { .size = sizeof plan, .budget_ns = 20000000 };
	long long takes[] = { WORK_TAKES, 10 };
	const struct cpucycles_work works[] = {
		CPUCYCLES_WORK("pass", pass, &takes[0]),
		CPUCYCLES_WORK("tiny", pass, &takes[1]),
	};
	struct cpucycles_result r = { .size = sizeof r };
	struct cpucycles_meter *meter = open_stepping(125);

	/* 80 us a call, says the counter. No more than 20 calls fit into a part of the budget. */
	meter->instrument.resolution_ns = 1000000;
	assert_int_equal(cpucycles_meter_run(meter, &works[1], 1, &plan, &reason), -ERANGE);
	print_message("%s; %s\n", reason.what, reason.remedy);
	assert_non_null(strstr(reason.what, "tiny"));
	assert_non_null(strstr(reason.what, "125"));
	assert_true(reason.remedy[0]);
	assert_int_equal(cpucycles_meter_result(meter, 0, &r), -ENODATA);
	/* Alone it has time enough. With a work that takes 100 times as long, it has not. */
	meter->instrument.resolution_ns = 125;
	assert_int_equal(cpucycles_meter_run(meter, &works[1], 1, &plan, &reason), 0);
	assert_int_equal(result_of(meter, 0).iterations, 640);
	meter->instrument.resolution_ns = 1250;
	assert_int_equal(cpucycles_meter_run(meter, works, 2, &plan, &reason), -ERANGE);
	assert_non_null(strstr(reason.what, "tiny"));
	assert_non_null(strstr(reason.what, "with the others"));
	assert_int_equal(meter->run.too_fast, 1);
	free(meter);
}

/* A batch of the fastest work has to be one of the slowest work, too. */
TEST(far_apart)
{
	const struct cpucycles_plan plan = { .size = sizeof plan, .budget_ns = 20000000 };
	long long takes[] = { 400, 20000 };
	const struct cpucycles_work works[] = {
		CPUCYCLES_WORK("few steps", pass, &takes[0]),
		CPUCYCLES_WORK("slow", pass, &takes[1]),
	};
	REASON(reason);
	struct cpucycles_meter *meter = open_stepping(125);

	meter->instrument.resolution_ns = 125;
	assert_int_equal(cpucycles_meter_run(meter, works, 2, &plan, &reason), 0);
	assert_int_equal(result_of(meter, 1).iterations, 16);
	/* 16 calls of a millisecond are most of the budget, in each sample. */
	takes[1] = 1000000;
	assert_int_equal(cpucycles_meter_run(meter, works, 2, &plan, &reason), -ERANGE);
	assert_int_equal(meter->run.too_fast, 0);
	assert_non_null(strstr(reason.what, "with the others"));
	/* The tool's processes take the batch of the first one. */
	meter->run.iterations_given = 3;
	assert_int_equal(cpucycles_meter_run(meter, works, 1, &plan, &reason), 0);
	assert_int_equal(result_of(meter, 0).iterations, 3);
	free(meter);
}

/* Functions that take a small part of a step are called in loops, and equally long ones in a
 * comparison. */
TEST(short_works)
{
	long long takes[] = { 10, 20, 1 };
	const struct cpucycles_work works[] = {
		CPUCYCLES_WORK("a", pass, &takes[0]),
		CPUCYCLES_WORK("b", pass, &takes[1]),
		CPUCYCLES_WORK("c", pass, &takes[2]),
	};
	struct cpucycles_meter *meter = open_stepping(125);

	run_works(meter, works, 1);
	assert_int_equal(result_of(meter, 0).iterations, 640);
	assert_true(fabs(result_of(meter, 0).iqm - 10) < 0.1);
	assert_int_equal(warnings_of(meter, 0), 0);
	/* A call of an empty function takes no fake time. */
	assert_true(fabs(meter->run.loop) < 0.1);
	run_works(meter, works, 2);
	assert_int_equal(result_of(meter, 1).iterations, 640);
	assert_int_equal(verdict_of(meter, 1).verdict, CPUCYCLES_VERDICT_SLOWER);
	assert_true(fabs(verdict_of(meter, 1).ratio - 2) < 0.01);
	run_works(meter, works, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(result_of(meter, i).iterations, 10240);
		assert_true(fabs(result_of(meter, i).iqm - (double)takes[i]) < 0.02);
	}
	free(meter);
}

/* Warnings */

TEST(steps_back)
{
	long long takes = WORK_TAKES;
	const struct cpucycles_work work = CPUCYCLES_WORK("pass", pass, &takes);
	struct cpucycles_meter *meter = open_stepping(1);

	assert_int_equal(cpucycles_meter_lost(meter), 0);
	fake.back_at = 1000;
	run_works(meter, &work, 1);
	assert_int_equal(warnings_of(meter, 0), CPUCYCLES_WARNING_BACKWARDS);
	assert_explained(meter, CPUCYCLES_WARNING_BACKWARDS);
	/* Whoever reads the counter sees a step back in the counts. The counter is not lost. */
	fake.back_at = 2;
	fake.reads = 0;
	assert_true(cpucycles_meter_now(meter) > cpucycles_meter_now(meter));
	assert_int_equal(cpucycles_meter_lost(meter), 0);
	free(meter);
}

/* The kernel takes the counter away, and a clock takes its place. */
static bool taken;

static int is_taken(const char *name)
{
	(void)name;
	return taken;
}

/* Nothing of functions 0 and 1 is a result. */
static void expect_no_results(const struct cpucycles_meter *meter, int error)
{
	struct cpucycles_result r = { .size = sizeof r, .median = -5 };
	struct cpucycles_verdict v = { .size = sizeof v, .ratio = -5 };
	REASON(reason);
	const double *samples = &r.median;
	size_t n = 99;

	reason.error = -5;
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(cpucycles_meter_result(meter, i, &r), error);
		assert_int_equal(cpucycles_meter_samples(meter, i, &samples, &n), error);
		assert_null(samples);
		assert_int_equal(n, 0);
		for (uint64_t w = 1; w <= CPUCYCLES_WARNING_CARRYOVER; w *= 2)
			assert_int_equal(cpucycles_meter_warning(meter, i, w, &reason), error);
	}
	assert_int_equal(cpucycles_meter_verdict(meter, 1, &v), error);
	assert_int_equal(cpucycles_meter_verdict(meter, 0, &v), -EINVAL);
	assert_true(r.median == -5 && v.ratio == -5 && reason.error == -5);
}

/* No function has results of an earlier run, or of a run that found nothing. */
TEST(no_results)
{
	long long takes[] = { WORK_TAKES, WORK_TAKES, 0 };
	const struct cpucycles_work works[] = { CPUCYCLES_WORK("a", pass, &takes[0]),
						CPUCYCLES_WORK("b", pass, &takes[1]),
						CPUCYCLES_WORK("tiny", pass, &takes[2]) };
	struct cpucycles_result r = { .size = sizeof r };
	struct cpucycles_meter *meter = open_stepping(125);
	uint64_t warnings = 99;

	expect_no_results(meter, -ENODATA);
	run_works(meter, works, 2);
	verdict_of(meter, 1);
	assert_int_equal(cpucycles_meter_result(meter, 2, &r), -EINVAL);
	/* The counter steps back in the pilot, which would be a warning. */
	fake.back_at = 7;
	assert_int_equal(cpucycles_meter_run(meter, works, 3, &whole, NULL), -ERANGE);
	fake.back_at = 0;
	expect_no_results(meter, -ENODATA);
	assert_int_equal(cpucycles_meter_result(meter, 2, &r), -ENODATA);
	assert_int_equal(cpucycles_meter_result(meter, 3, &r), -EINVAL);
	run_works(meter, works, 2);
	/* No fake time passes in known work. */
	assert_int_equal(cpucycles_meter_check(meter, &warnings, NULL), -ERANGE);
	assert_int_equal(warnings, 0);
	assert_int_equal(cpucycles_meter_result(meter, 0, &r), -ENODATA);
	run_works(meter, works, 2);
	assert_int_equal(cpucycles_meter_run(meter, works, 0, &whole, NULL), -EINVAL);
	expect_no_results(meter, -ENODATA);
	run_works(meter, works, 2);
	verdict_of(meter, 1);
	cpucycles_meter_close(meter);
}

/* Events that count nothing by themselves, so every machine has them. Beside them, the meter's own
 * counter counts the cycles. */
static void give_events(struct cpucycles_meter *meter)
{
	struct events *events = &meter->events;

	events->n = 1;
	events->of[1].error = -EBUSY;
	events->cycles_by_meter = true;
	meter->run.events = events;
}

static void expect_count(const struct cpucycles_meter *meter, size_t event, int error)
{
	double count = -5;

	assert_int_equal(cpucycles_meter_event(meter, 0, event, &count), error);
	assert_true(error ? count == -5 : count != -5);
}

static void expect_events(const struct cpucycles_meter *meter, int error, int cycles, int ticks)
{
	double count;

	expect_count(meter, 0, error);
	expect_count(meter, CPUCYCLES_EVENT_CYCLES, cycles);
	expect_count(meter, CPUCYCLES_EVENT_TSC, TSC_IS_HERE ? ticks : -ENOTSUP);
	expect_count(meter, 1, -EINVAL);
	assert_int_equal(cpucycles_meter_event(meter, 0, 1, &count), -EINVAL);
}

/* The events are lost in a call. */
static void lose_events(void *meter)
{
	fake.now += WORK_TAKES;
	((struct cpucycles_meter *)meter)->events.lost = true;
}

TEST(void_events)
{
	struct source source = source_of(read_fake, 0);
	REASON(reason);
	long long takes[] = { WORK_TAKES, 0 };
	const struct cpucycles_work good = CPUCYCLES_WORK("pass", pass, &takes[0]);
	const struct cpucycles_work tiny = CPUCYCLES_WORK("tiny", pass, &takes[1]);
	struct cpucycles_work losing = CPUCYCLES_WORK("lose events", lose_events, NULL);
	struct cpucycles_meter *meter;

	source.lost = is_taken;
	taken = false;
	reset(125);
	losing.context = meter = open_fake(&source);
	give_events(meter);
	expect_events(meter, -ENODATA, -ENODATA, -ENODATA);
	run_works(meter, &good, 1);
	expect_events(meter, 0, 0, 0);
	assert_int_equal(cpucycles_meter_run(meter, &losing, 1, &whole, &reason), -EAGAIN);
	assert_non_null(strstr(reason.what, "events"));
	expect_events(meter, -EAGAIN, -EAGAIN, -EAGAIN);
	assert_true(fabs(result_of(meter, 0).median - WORK_TAKES) < 125);
	run_works(meter, &good, 1);
	expect_events(meter, 0, 0, 0);
	taken = true;
	assert_int_equal(cpucycles_meter_run(meter, &good, 1, &whole, &reason), -EAGAIN);
	assert_non_null(strstr(reason.what, "fake"));
	expect_events(meter, 0, -EAGAIN, 0);
	assert_int_equal(cpucycles_meter_run(meter, &losing, 1, &whole, &reason), -EAGAIN);
	assert_non_null(strstr(reason.what, "fake"));
	expect_events(meter, -EAGAIN, -EAGAIN, -EAGAIN);
	/* No time that the clock's counts may show makes a work too fast. */
	assert_int_equal(cpucycles_meter_run(meter, &tiny, 1, &whole, &reason), -EAGAIN);
	assert_non_null(strstr(reason.what, "the kernel took fake away"));
	taken = false;
	assert_int_equal(cpucycles_meter_run(meter, &tiny, 1, &whole, NULL), -ERANGE);
	expect_events(meter, -ENODATA, -ENODATA, -ENODATA);
	cpucycles_meter_close(meter);
}

TEST(lost_to_a_clock)
{
	struct source source = source_of(read_fake, 0);
	REASON(reason);
	long long takes = WORK_TAKES;
	const struct cpucycles_work works[] = { CPUCYCLES_WORK("a", pass, &takes),
						CPUCYCLES_WORK("b", pass, &takes) };
	struct cpucycles_meter *meter;

	source.lost = is_taken;
	reset(1);
	meter = open_fake(&source);
	run_works(meter, works, 2);
	taken = true;
	assert_int_equal(cpucycles_meter_run(meter, works, 2, &whole, &reason), -EAGAIN);
	assert_int_equal(reason.error, EAGAIN);
	assert_non_null(strstr(reason.what, "fake"));
	expect_no_results(meter, -EAGAIN);
	assert_int_equal(cpucycles_meter_lost(meter), 1);
	assert_int_equal(cpucycles_meter_lost(meter), 1);
	taken = false;
	/* A run's results stay as they are. */
	assert_int_equal(cpucycles_meter_lost(meter), 0);
	expect_no_results(meter, -EAGAIN);
	run_works(meter, works, 2);
	assert_true(result_of(meter, 1).median == WORK_TAKES);
	verdict_of(meter, 1);
	cpucycles_meter_close(meter);
}

/* Input that is renewed before each call */

/* What a work with a `before` has: each call needs an input of its own. */
struct input {
	long long takes;
	bool ready;
	unsigned calls, without; /* calls so far, and those without an input */
};

/* Much longer than the work. */
static void make_input(void *context)
{
	struct input *input = context;

	fake.now += 77 * WORK_TAKES;
	input->ready = true;
}

static void use_input(void *context)
{
	struct input *input = context;

	fake.now += input->takes;
	input->calls++;
	input->without += !input->ready;
	input->ready = false;
}

static void make_other_input(void *context)
{
	make_input(context);
}

/* Each call has an input, and making it is in no sample, whatever the other works have. */
TEST(input_anew)
{
	struct input inputs[] = { { .takes = 990 }, { .takes = 1000 } };
	long long takes = 1010;
	const struct cpucycles_work works[] = {
		{ .size = sizeof(struct cpucycles_work),
		  .name = "a",
		  .call = use_input,
		  .context = &inputs[0],
		  .before = make_input },
		{ .size = sizeof(struct cpucycles_work),
		  .name = "b",
		  .call = use_input,
		  .context = &inputs[1],
		  .before = make_input },
		CPUCYCLES_WORK("c", pass, &takes),
	};
	static const double medians[] = { 990, 1000, 1010 };
	struct cpucycles_meter *meter = open_stepping(125);

	for (size_t n = 1; n <= 3; n++) {
		give_events(meter);
		run_works(meter, works, n);
		assert_true(inputs[0].calls > SAMPLES);
		for (size_t i = 0; i < n; i++) {
			double cycles = 0;

			assert_int_equal(result_of(meter, i).iterations, 1);
			assert_true(fabs(result_of(meter, i).iqm - medians[i]) < 20);
			cpucycles_meter_event(meter, i, CPUCYCLES_EVENT_CYCLES, &cycles);
			assert_true(fabs(cycles - medians[i]) < 200);
		}
		assert_int_equal(inputs[0].without + inputs[1].without, 0);
	}
	free(meter);
}

/* The same function with two kinds of input is two functions: each is called equally often. */
TEST(kinds_of_input)
{
	struct input input = { .takes = WORK_TAKES };
	const struct cpucycles_work works[] = {
		{ .size = sizeof(struct cpucycles_work),
		  .name = "a",
		  .call = use_input,
		  .context = &input,
		  .before = make_input },
		{ .size = sizeof(struct cpucycles_work),
		  .name = "b",
		  .call = use_input,
		  .context = &input,
		  .before = make_other_input },
		{ .size = sizeof(struct cpucycles_work),
		  .name = "c",
		  .call = use_input,
		  .context = &input,
		  .before = make_other_input },
	};
	struct cpucycles_meter *meter = open_stepping(1);

	run_works(meter, works, 3);
	assert_int_equal(meter->run.turns, 4 * RUN_PLACES_MAX);
	assert_int_equal(input.without, 0);
	free(meter);
}

/* A short work with an input of its own is never called in a loop. */
TEST(short_with_input)
{
	REASON(reason);
	struct input input = { .takes = 300 };
	const struct cpucycles_work work = { .size = sizeof(struct cpucycles_work),
					     .name = "sort",
					     .call = use_input,
					     .context = &input,
					     .before = make_input };
	struct cpucycles_meter *meter = open_stepping(125);

	assert_int_equal(cpucycles_meter_run(meter, &work, 1, &whole, &reason), -ERANGE);
	print_message("%s; %s\n", reason.what, reason.remedy);
	assert_non_null(strstr(reason.what, "sort: too fast to measure: 1 call takes"));
	assert_non_null(strstr(reason.what, "input"));
	assert_int_equal(input.without, 0);
	free(meter);
}

TEST(drift)
{
	long long takes = WORK_TAKES;
	const struct cpucycles_work work = CPUCYCLES_WORK("pass more", pass_more, &takes);
	struct cpucycles_meter *meter = open_stepping(1);

	run_works(meter, &work, 1);
	assert_true(warnings_of(meter, 0) & CPUCYCLES_WARNING_DRIFT);
	assert_explained(meter, CPUCYCLES_WARNING_DRIFT);
	free(meter);
}

TEST(halves)
{
	long long calls = 0;
	const struct cpucycles_work work = CPUCYCLES_WORK("pass in turns", pass_in_turns, &calls);
	struct cpucycles_meter *meter = open_stepping(1);

	run_works(meter, &work, 1);
	assert_int_equal(warnings_of(meter, 0), CPUCYCLES_WARNING_HALVES);
	assert_explained(meter, CPUCYCLES_WARNING_HALVES);
	free(meter);
}

/* The core's frequency, before and after a run, by a million cycles. */
TEST(frequencies)
{
	static const struct {
		uint64_t ns[2];
		uint64_t warning;
	} table[] = {
		{ { 500000, 500000 }, 0 },
		{ { 500000, 510000 }, 0 },
		{ { 500000, 600000 }, CPUCYCLES_WARNING_FREQUENCY },
		{ { 600000, 500000 }, CPUCYCLES_WARNING_FREQUENCY },
	};
	long long takes = WORK_TAKES;
	const struct cpucycles_work work = CPUCYCLES_WORK("pass", pass, &takes);
	struct cpucycles_meter *meter = open_stepping(1);

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		/* Stored, because an x87 register has more digits than a double. */
		const volatile double before = 1e15 / (double)table[i].ns[0];
		const volatile double after = 1e15 / (double)table[i].ns[1];

		memcpy(chains_ns, table[i].ns, sizeof chains_ns);
		run_works(meter, &work, 1);
		assert_true(meter->run.watch.before == before);
		assert_true(meter->run.watch.after == after);
		assert_int_equal(result_of(meter, 0).warnings & CPUCYCLES_WARNING_FREQUENCY,
				 table[i].warning);
		if (table[i].warning)
			assert_explained(meter, CPUCYCLES_WARNING_FREQUENCY);
	}
	free(meter);
}

#define RATE_TRIES 20

/* A counter that follows the raw clock at this speed, and claims 1 GHz. */
static uint64_t rate_warning(double speed)
{
	const struct source source = source_of(read_clock, 1000000000);
	const struct cpucycles_work work = CPUCYCLES_WORK("wait", wait_10_us, NULL);
	struct cpucycles_meter *meter;
	uint64_t warning;

	fake.speed = speed;
	meter = open_fake(&source);
	/* A thread that is interrupted while it reads the two clocks knows the rate badly. */
	for (int tries = 0; tries < RATE_TRIES; tries++) {
		run_works(meter, &work, 1);
		if (meter->run.watch.ns_error < meter->run.watch.ns / 1000)
			break;
	}
	warning = result_of(meter, 0).warnings & CPUCYCLES_WARNING_RATE;
	if (warning)
		assert_explained(meter, warning);
	free(meter);
	return warning;
}

TEST(rates)
{
	assert_int_equal(rate_warning(1), 0);
	assert_int_equal(rate_warning(1.04), 0);
	assert_int_equal(rate_warning(1.06), CPUCYCLES_WARNING_RATE);
	assert_int_equal(rate_warning(0.94), CPUCYCLES_WARNING_RATE);
	assert_int_equal(rate_warning(0.5), CPUCYCLES_WARNING_RATE);
}

/* Comparing */

TEST(verdicts)
{
	long long takes[] = { 1000, 990, 1000, 1010 };
	const struct cpucycles_work works[] = { CPUCYCLES_WORK("a", pass, &takes[0]),
						CPUCYCLES_WORK("faster", pass, &takes[1]),
						CPUCYCLES_WORK("same", pass, &takes[2]),
						CPUCYCLES_WORK("slower", pass, &takes[3]) };
	struct cpucycles_verdict v = { .size = sizeof v };
	struct cpucycles_meter *meter = open_stepping(1);

	run_works(meter, works, 4);
	v = verdict_of(meter, 1);
	assert_int_equal(v.verdict, CPUCYCLES_VERDICT_FASTER);
	assert_true(fabs(v.ratio - 0.99) < 1e-9 && fabs(v.low - 0.99) < 1e-9);
	v = verdict_of(meter, 2);
	assert_int_equal(v.verdict, CPUCYCLES_VERDICT_CANNOT_TELL);
	assert_true(v.low <= 1 && v.high >= 1);
	assert_true(v.floor >= 0 && v.floor < 1e-9);
	assert_int_equal(verdict_of(meter, 3).verdict, CPUCYCLES_VERDICT_SLOWER);
	assert_int_equal(cpucycles_meter_verdict(meter, 0, &v), -EINVAL);
	assert_int_equal(cpucycles_meter_verdict(meter, 4, &v), -EINVAL);
	/* The one that cannot be told keeps the run from ending. */
	assert_int_equal(result_of(meter, 0).samples, SAMPLES);
	/* Without it, the run ends at the first look. */
	run_works(meter, works, 2);
	assert_true(result_of(meter, 0).samples < SAMPLES / 4);
	assert_int_equal(meter->run.look, 1);
	free(meter);
}

/* The run looks at the blocks when a look is due, and at the end. */
TEST(looks)
{
	long long takes = WORK_TAKES;
	const struct cpucycles_work works[] = { CPUCYCLES_WORK("a", pass, &takes),
						CPUCYCLES_WORK("b", pass, &takes) };
	struct cpucycles_meter *meter = open_stepping(1);
	unsigned due = 0;

	run_works(meter, works, 2);
	while (verdict_due(meter->run.alpha, due + 1) <= meter->run.blocks)
		due++;
	assert_true(due > 4 && verdict_due(meter->run.alpha, due) < meter->run.blocks);
	assert_int_equal(meter->run.look, due + 1);
	assert_int_equal(meter->run.looked, meter->run.blocks);
	free(meter);
}

/* A processor serves best what comes most often. So all functions are called equally often. */
TEST(equal_calls)
{
	unsigned long calls[4];
	const struct cpucycles_work works[] = { CPUCYCLES_WORK("a", pass_and_count, &calls[0]),
						CPUCYCLES_WORK("b", pass_and_count, &calls[1]),
						CPUCYCLES_WORK("c", pass_and_count, &calls[2]),
						CPUCYCLES_WORK("d", pass_and_count, &calls[3]) };
	struct cpucycles_meter *meter = open_stepping(1);

	for (size_t n = 2; n <= 4; n++) {
		memset(calls, 0, sizeof calls);
		run_works(meter, works, n);
		for (size_t i = 0; i < n; i++) {
			assert_true(calls[i] > SAMPLES);
			assert_int_equal(calls[i], calls[0]);
			assert_int_equal(result_of(meter, i).samples, SAMPLES);
		}
	}
	free(meter);
}

/* Functions with fewer names than others are called as often, and their samples are their own. */
TEST(several_names)
{
	static const char *const names[] = { "abb", "bab", "abbb", "aabb", "abcb", "abca", "abcd" };
	unsigned long calls[4];
	struct cpucycles_meter *meter = open_stepping(1);

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		const size_t n = strlen(names[i]);
		struct cpucycles_work works[4];
		unsigned long last[4] = { 0 };

		for (size_t work = 0; work < n; work++)
			works[work] =
				(struct cpucycles_work)CPUCYCLES_WORK("some", pass_and_count,
								      &calls[names[i][work] - 'a']);
		/* The pilot calls each name, so the calls of the rounds are counted in two runs. */
		for (int run = 0; run < 2; run++) {
			memset(calls, 0, sizeof calls);
			run_up_to(meter, works, n, run ? SAMPLES : SAMPLES / 2);
			for (size_t f = 0; f < 4; f++)
				last[f] = calls[f] - last[f];
		}
		for (size_t f = 0; f < 4; f++)
			assert_int_equal(last[f], strchr(names[i], (char)('a' + f)) ? last[0] : 0);
		assert_true(last[0] > SAMPLES / 2);
		for (size_t work = 0; work < n; work++) {
			const struct cpucycles_result r = result_of(meter, work);

			assert_int_equal(r.samples, SAMPLES);
			assert_true(r.min == WORK_TAKES && r.q3 == WORK_TAKES);
		}
	}
	free(meter);
}

/* What a call takes longer behind another function is in no result, whichever function comes first
 * and whichever takes longer. */
TEST(the_call_before)
{
	struct habit habits[] = { { 20, 1 }, { 0, 0 }, { 20, 1 } };
	const struct cpucycles_work works[] = { CPUCYCLES_WORK("a", pass_by_habit, &habits[0]),
						CPUCYCLES_WORK("b", pass_by_habit, &habits[1]),
						CPUCYCLES_WORK("c", pass_by_habit, &habits[2]) };
	struct cpucycles_meter *meter = open_stepping(1);

	for (size_t first = 0; first < 2; first++) {
		run_works(meter, works + first, 3 - first);
		for (size_t i = 0; i < 3 - first; i++) {
			const struct cpucycles_result r = result_of(meter, i);

			assert_true(r.min == WORK_TAKES && r.q3 == WORK_TAKES);
			assert_true(r.iqm == WORK_TAKES);
			assert_int_equal(r.warnings & OF_SAMPLES, 0);
		}
		for (size_t i = 1; i < 3 - first; i++) {
			const struct cpucycles_verdict v = verdict_of(meter, i);

			assert_int_equal(v.verdict, CPUCYCLES_VERDICT_CANNOT_TELL);
			assert_true(v.ratio == 1 && v.low == 1 && v.high == 1 && v.floor == 0);
		}
	}
	free(meter);
}

/* Two calls are needed until a function takes its usual time: that is told. */
TEST(carryover)
{
	struct habit slow = { 50, 2 }, quick = { 50, 1 };
	const struct cpucycles_work works[] = { CPUCYCLES_WORK("slow", pass_by_habit, &slow),
						CPUCYCLES_WORK("quick", pass_by_habit, &quick) };
	struct cpucycles_meter *meter = open_stepping(1);

	run_works(meter, works, 2);
	assert_int_equal(warnings_of(meter, 0) & CPUCYCLES_WARNING_CARRYOVER,
			 CPUCYCLES_WARNING_CARRYOVER);
	assert_int_equal(warnings_of(meter, 1), 0);
	assert_explained(meter, CPUCYCLES_WARNING_CARRYOVER);
	assert_true(verdict_of(meter, 1).floor > 0.01);
	/* A function alone has no other one before it. */
	run_works(meter, works, 1);
	assert_int_equal(warnings_of(meter, 0), 0);
	free(meter);
}

TEST(halves_of_a_comparison)
{
	long long calls = 0, takes = WORK_TAKES;
	const struct cpucycles_work works[] = { CPUCYCLES_WORK("pass in turns", pass_in_turns,
							       &calls),
						CPUCYCLES_WORK("pass", pass, &takes) };
	struct cpucycles_meter *meter = open_stepping(1);

	run_works(meter, works, 2);
	assert_int_equal(warnings_of(meter, 0), CPUCYCLES_WARNING_HALVES);
	assert_int_equal(warnings_of(meter, 1), 0);
	assert_explained(meter, CPUCYCLES_WARNING_HALVES);
	free(meter);
}

/* Every call of this number takes twice as long. */
struct period {
	unsigned long length, calls;
};

static void pass_periodically(void *state)
{
	struct period *period = state;

	fake.now += WORK_TAKES + (period->calls++ % period->length ? 0 : WORK_TAKES);
}

/* Equal functions with a period, which begin at different places in it, about four of each period.
 * A round always has an odd number of calls of each, but not always the same, so that no place in
 * the period is left out. */
TEST(periods)
{
	struct cpucycles_meter *meter = open_stepping(1);

	for (unsigned long length = 2; length <= 15; length++) {
		for (unsigned long begin = 1; begin < length; begin += 1 + length / 4) {
			struct period a = { length, 0 }, b = { length, begin };
			const struct cpucycles_work works[] = {
				CPUCYCLES_WORK("a", pass_periodically, &a),
				CPUCYCLES_WORK("b", pass_periodically, &b)
			};
			const double *samples;
			size_t n, twice = 0;

			run_works(meter, works, 2);
			if (verdict_of(meter, 1).verdict != CPUCYCLES_VERDICT_CANNOT_TELL)
				fail_msg("period %lu from %lu: a verdict", length, begin);
			cpucycles_meter_samples(meter, 1, &samples, &n);
			for (size_t i = 0; i < n; i++)
				twice += samples[i] > 1.5 * WORK_TAKES;
			unit_in_range(twice * length, 0.8 * (double)n, 1.2 * (double)n);
		}
	}
	free(meter);
}

/* Block number `block` of a place, from its samples: each of them is spread over the step of a
 * sample, which is a part of that of a batch. */
static void expect_block(const struct cpucycles_meter *meter, const struct track *track,
			 size_t place, size_t block)
{
	const struct run *run = &meter->run;
	double values[VERDICT_BLOCK], expected;

	assert_true(run->block <= VERDICT_BLOCK);
	for (size_t i = 0; i < run->block; i++)
		values[i] = track->samples[(block * run->block + i) * run->places + place];
	statistics_sort(values, run->block);
	expected = statistics_smooth_iqm(values, run->block,
					 meter->instrument.resolution / run->iterations);
	if (!(fabs(track->blocks[place][block] - expected) < 1e-9))
		fail_msg("block %zu, place %zu: %.12g, expected %.12g", block, place,
			 track->blocks[place][block], expected);
}

TEST(blocks)
{
	long long takes[] = { 300, 310 };
	const struct cpucycles_work works[] = { CPUCYCLES_WORK("a", pass, &takes[0]),
						CPUCYCLES_WORK("b", pass, &takes[1]) };
	struct cpucycles_meter *meter = open_stepping(125);

	run_works(meter, works, 2);
	assert_int_equal(meter->run.iterations, 40);
	assert_int_equal(meter->run.places, 2);
	assert_true(meter->run.blocks >= 10);
	for (size_t i = 0; i < 2; i++)
		for (size_t place = 0; place < 2; place++)
			for (size_t block = 0; block < meter->run.blocks; block++)
				expect_block(meter, &meter->run.tracks[i], place, block);
	free(meter);
}

/* Each sample of the series is drawn, so every run is another one. */
static void pass_noise(void *unused)
{
	(void)unused;
	fake.now += WORK_TAKES + (long long)(unit_random() % 100) +
		    (unit_random() % 50 ? 0 : 20 * WORK_TAKES);
}

/* At an error of 0.005, a chance of 2 * 10^-6 makes 5 or more of 40 comparisons with itself wrong.
 * Runs without TEST_SEED are all the same. */
#define SELF_SEED 17
TEST(self_comparisons)
{
	const struct cpucycles_work works[] = { CPUCYCLES_WORK("a", pass_noise, NULL),
						CPUCYCLES_WORK("b", pass_noise, NULL) };
	struct cpucycles_meter *meter = open_stepping(1);
	const int tries = unit_is_slow() ? 10 : 40;
	int wrong = 0;

	unit_seed_or(SELF_SEED);
	for (int i = 0; i < tries; i++) {
		run_works(meter, works, 2);
		wrong += verdict_of(meter, 1).verdict != CPUCYCLES_VERDICT_CANNOT_TELL;
	}
	print_message("%d of %d wrong\n", wrong, tries);
	assert_true(wrong < 5);
	free(meter);
}

TEST(plans)
{
	REASON(reason);
	long long takes = WORK_TAKES;
	const struct cpucycles_work works[] = { CPUCYCLES_WORK("a", pass, &takes),
						{ .size = sizeof(struct cpucycles_work),
						  .name = "none" } };
	struct cpucycles_plan plan = { .size = sizeof plan, .samples = 10 };
	struct cpucycles_meter *meter = open_stepping(1);

	assert_int_equal(cpucycles_meter_run(meter, works, 0, NULL, &reason), -EINVAL);
	assert_int_equal(cpucycles_meter_run(meter, works, 5, NULL, &reason), -EINVAL);
	assert_int_equal(cpucycles_meter_run(meter, works, 2, NULL, &reason), -EINVAL);
	assert_non_null(strstr(reason.what, "work 1"));
	assert_int_equal(cpucycles_meter_run(meter, works, 1, &plan, NULL), 0);
	assert_int_equal(result_of(meter, 0).samples, 10);
	plan.alpha = 1;
	assert_int_equal(cpucycles_meter_run(meter, works, 1, &plan, &reason), -EINVAL);
	plan.alpha = NAN;
	assert_int_equal(cpucycles_meter_run(meter, works, 1, &plan, &reason), -EINVAL);
	plan.size = 3;
	assert_int_equal(cpucycles_meter_run(meter, works, 1, &plan, &reason), -EINVAL);
	free(meter);
}

/* Errors of which no number of blocks, or a large one, is enough. The samples that are needed stay
 * a number that makes sense. */
TEST(tiny_errors)
{
	static const double errors[] = { 5e-324, 1e-323, 1e-310, 1e-300, 1e-15 };
	long long takes[] = { 1000, 900 };
	const struct cpucycles_work works[] = { CPUCYCLES_WORK("a", pass, &takes[0]),
						CPUCYCLES_WORK("b", pass, &takes[1]) };
	struct cpucycles_plan plan = whole;
	struct cpucycles_meter *meter = open_stepping(1);

	plan.samples = 40;
	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
		struct cpucycles_verdict v;
		uint64_t block;

		plan.alpha = errors[i];
		assert_int_equal(cpucycles_meter_run(meter, works, 2, &plan, NULL), 0);
		block = (uint64_t)meter->run.block * meter->run.places;
		v = verdict_of(meter, 1);
		print_message("error %g: %llu samples\n", errors[i],
			      (unsigned long long)v.samples_needed);
		assert_int_equal(v.verdict, CPUCYCLES_VERDICT_CANNOT_TELL);
		assert_true(v.samples_needed > plan.samples);
		assert_int_equal(v.samples_needed % block, 0);
		if (errors[i] < 2e-323)
			assert_int_equal(v.samples_needed / block, VERDICT_BLOCKS_MAX);
		else
			assert_true(v.samples_needed / block <= 1076);
	}
	free(meter);
}

/* Works that are slow beside the budget: few rounds, and an answer all the same. */
TEST(slow_works)
{
	const struct source source = source_of(read_clock, 1000000000);
	const struct cpucycles_work works[] = { CPUCYCLES_WORK("a", wait_10_us, NULL),
						CPUCYCLES_WORK("b", wait_10_us, NULL) };
	const struct cpucycles_plan plan = { .size = sizeof plan, .budget_ns = 1000 };
	struct cpucycles_meter *meter;

	fake.speed = 1;
	meter = open_fake(&source);
	assert_int_equal(cpucycles_meter_run(meter, works, 2, &plan, NULL), 0);
	assert_true(result_of(meter, 0).samples >= 1);
	assert_int_equal(verdict_of(meter, 1).verdict, CPUCYCLES_VERDICT_CANNOT_TELL);
	free(meter);
}

/* Works that take ten times as long once the pilot is over, as on a machine that gets busy. */
struct slowing {
	uint64_t ns;
	unsigned calls;
};

static void slow_down(void *context)
{
	struct slowing *slowing = context;
	const uint64_t end = raw_clock_ns() + slowing->ns * (slowing->calls++ < 500 ? 1 : 10);

	while (raw_clock_ns() < end)
		;
}

/* There is an interval, though there are fewer rounds than in ten blocks of the usual length. */
TEST(busy_machine)
{
	const struct source source = source_of(read_clock, 1000000000);
	struct slowing slow[] = { { .ns = 5000 }, { .ns = 15000 } };
	const struct cpucycles_work works[] = {
		CPUCYCLES_WORK("a", slow_down, &slow[0]),
		CPUCYCLES_WORK("b", slow_down, &slow[1]),
	};
	const struct cpucycles_plan plan = { .size = sizeof plan, .budget_ns = 500000000 };
	struct cpucycles_meter *meter;

	fake.speed = 1;
	meter = open_fake(&source);
	assert_int_equal(cpucycles_meter_run(meter, works, 2, &plan, NULL), 0);
	print_message("%zu rounds, %zu blocks of %zu\n", (size_t)meter->run.rounds,
		      meter->run.blocks, meter->run.block);
	assert_true(isfinite(verdict_of(meter, 1).high));
	free(meter);
}

/* In one of several layouts, a block has so many rounds that an interrupted one does not matter. */
TEST(few_rounds)
{
	static const struct {
		size_t rounds, blocks, block;
	} cases[] = { { 1, 1, 1 },  { 3, 1, 3 },  { 4, 1, 4 },  { 7, 1, 7 },  { 8, 2, 4 },
		      { 10, 2, 5 }, { 19, 4, 4 }, { 20, 5, 4 }, { 21, 5, 4 }, { 40, 5, 8 } };
	const struct source source = source_of(read_clock, 1000000000);
	struct slowing slow = { .ns = 5000 };
	const struct cpucycles_work works[] = { CPUCYCLES_WORK("a", slow_down, &slow),
						CPUCYCLES_WORK("b", slow_down, &slow) };
	struct cpucycles_plan plan = { .size = sizeof plan, .budget_ns = 60000000000 };
	struct cpucycles_meter *meter;

	fake.speed = 1;
	meter = open_fake(&source);
	meter->run.blocks_wanted = 5;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		plan.samples = 2 * cases[i].rounds;
		assert_int_equal(cpucycles_meter_run(meter, works, 2, &plan, NULL), 0);
		assert_int_equal(meter->run.rounds, cases[i].rounds);
		assert_int_equal(meter->run.blocks, cases[i].blocks);
		assert_int_equal(meter->run.block, cases[i].block);
	}
	free(meter);
}

static uint64_t cpu_ns(void)
{
	struct timespec time;

	assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time), 0);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

#define OTHERS 6

/* Other programs have most of the CPU for the time of the budget. */
TEST(share_of_the_cpu)
{
	const struct source source = source_of(read_clock, 1000000000);
	struct slowing slow = { .ns = 5000 };
	const struct cpucycles_work work = CPUCYCLES_WORK("a", slow_down, &slow);
	const struct cpucycles_plan plan = { .size = sizeof plan, .budget_ns = 20000000 };
	struct cpucycles_meter *meter;
	pid_t others[OTHERS];
	uint64_t least = UINT64_MAX;

	affinity_save();
	if (!affinity_pin_here())
		unit_skip("this process may not choose its CPU");
	fake.speed = 1;
	meter = open_fake(&source);
	meter->run.cpu_part = 4;
	busy_begin(others, OTHERS);
	for (int i = 0; i < 5; i++) {
		const uint64_t start = cpu_ns();

		assert_int_equal(cpucycles_meter_run(meter, &work, 1, &plan, NULL), 0);
		least = cpu_ns() - start < least ? cpu_ns() - start : least;
	}
	busy_end(others, OTHERS);
	affinity_restore();
	print_message("at least %llu us of the CPU\n", (unsigned long long)least / 1000);
	assert_true(least >= plan.budget_ns / 4);
	free(meter);
}

TEST(own_part)
{
	const struct usage before = { 5, 1000, 20000 };
	const struct {
		struct usage after;
		double part;
	} cases[] = {
		{ { 5, 1500, 22000 }, 1 },    /* nothing took the CPU */
		{ { 6, 1500, 22000 }, 0.25 }, /* another program did */
		{ { 8, 1500, 22000 }, 0.25 },
		{ { 6, 3100, 22000 }, 1 }, /* it did outside of the time */
		{ { 6, 1000, 22000 }, 1 }, /* the system has no CPU time */
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_true(take_own_part(&before, &cases[i].after) == cases[i].part);
}

#ifdef HAVE_SYS_SINGLE_THREADED_H
static void see_waits(void)
{
	struct waits begin = take_waits();
	pid_t child;

	if (!__libc_single_threaded)
		unit_skip_child("this process has another thread: that of a sanitizer");
	unit_expect(!take_may_wait(&begin), "it has not waited");
	nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	unit_expect(take_may_wait(&begin), "the kernel has seen it wait");

	busy_begin(&child, 1);
	begin = take_waits();
	unit_expect(take_may_wait(&begin), "there is a child");
	begin = take_waits();
	busy_end(&child, 1);
	begin.own = take_waits().own; /* for the child's end */
	unit_expect(take_may_wait(&begin), "a child has ended");
}
#endif

TEST(may_wait)
{
#ifdef HAVE_SYS_SINGLE_THREADED_H
	unit_child_passes(see_waits);
#else
	unit_skip("this libc does not tell how many threads there are");
#endif
}

/* From elsewhere */

static struct cpucycles_meter *stopped;
static unsigned calls_to_stop;

static void stop_a_run(void *takes)
{
	pass(takes);
	if (--calls_to_stop == 0)
		stopped->run.stop = true;
}

/* Another process may end a run: after the round that it is in. */
TEST(a_run_that_is_stopped)
{
	long long takes = WORK_TAKES;
	const struct cpucycles_work works[] = {
		CPUCYCLES_WORK("a", pass, &takes),
		CPUCYCLES_WORK("stops", stop_a_run, &takes),
	};
	struct cpucycles_meter *meter = open_stepping(1);

	stopped = meter;
	calls_to_stop = 1000;
	run_up_to(meter, works, 2, 20000);
	assert_true(result_of(meter, 0).samples > 10 && result_of(meter, 0).samples < 1000);
	assert_int_equal(result_of(meter, 0).samples, meter->run.rounds * RUN_PLACES_MAX);
	/* As soon as it is asked for. */
	run_up_to(meter, works, 2, 20000);
	assert_int_equal(result_of(meter, 0).samples, RUN_PLACES_MAX);
	meter->run.stop = false;
	run_up_to(meter, works, 2, 20000);
	assert_int_equal(result_of(meter, 0).samples, 20000);
	free(meter);
}

/* A text that does not fit is cut behind a whole character. Nothing behind the room is written. */
TEST(texts_that_are_cut)
{
	static const char text[] =
		"a\303\244\342\202\254\360\237\230\200z"; /* 1, 2, 3, 4, 1 bytes */
	static const size_t fits[] = { 0, 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11 };
	struct reason_text from = { .error = 7 };

	strcpy(from.what, text);
	for (size_t size = 0; size < N(fits); size++) {
		char room[N(fits) + 1];
		struct cpucycles_reason reason = { .size = sizeof reason,
						   .what = room,
						   .what_size = size };

		memset(room, 'x', sizeof room);
		assert_int_equal(reason_give(&reason, &from), 0);
		assert_int_equal(reason.error, 7);
		assert_ptr_equal(reason.what, room);
		assert_int_equal(room[size], 'x');
		if (size == 0)
			continue;
		assert_int_equal(strlen(room), fits[size]);
		assert_memory_equal(room, text, fits[size]);
	}
	assert_int_equal(reason_give(&(struct cpucycles_reason){ .size = 1 }, &from), -EINVAL);
	assert_int_equal(reason_give(NULL, &from), 0);
}

TEST(foreign_texts)
{
	struct reason_text reason = { .what = "two\nlines\177" };

	memset(reason.remedy, 'x', sizeof reason.remedy);
	reason_tidy(&reason);
	assert_string_equal(reason.what, "two?lines?");
	assert_int_equal(strlen(reason.remedy), sizeof reason.remedy - 1);
}

/* Owners */

/* A thread, a child of fork and a function that is measured may not use cmocka's assertions. */
static bool refuses_all(struct cpucycles_meter *meter, int error)
{
	const struct cpucycles_work work = CPUCYCLES_WORK("nothing", nothing, NULL);
	struct cpucycles_counter_info info = { .size = sizeof info };
	struct cpucycles_result r = { .size = sizeof r };
	struct cpucycles_verdict v = { .size = sizeof v };
	struct cpucycles_event_info event = { .size = sizeof event };
	REASON(run);
	REASON(check);
	REASON(asked);
	REASON(none);
	double per_call = -5;
	const double *samples = &per_call;
	struct cpucycles_moment moment = { .size = sizeof moment };
	uint64_t warnings = 99, counts = 99;
	size_t n = 99;

	return cpucycles_meter_info(meter, &info) == error &&
	       cpucycles_meter_run(meter, &work, 1, NULL, &run) == error &&
	       cpucycles_meter_run(meter, &work, 0, NULL, NULL) == error &&
	       cpucycles_meter_check(meter, &warnings, &check) == error &&
	       cpucycles_meter_lost(meter) == error &&
	       cpucycles_meter_result(meter, 0, &r) == error &&
	       cpucycles_meter_verdict(meter, 1, &v) == error &&
	       cpucycles_meter_warning(meter, 0, 1, &none) == error &&
	       cpucycles_meter_samples(meter, 0, &samples, &n) == error &&
	       cpucycles_meter_event_info(meter, 0, &event, &asked) == error &&
	       cpucycles_meter_event(meter, 0, 0, &per_call) == error &&
	       cpucycles_meter_counts(meter, &counts, 1) == error &&
	       cpucycles_meter_counts_at(meter, &counts, 1, &moment) == error &&
	       moment.count == 0 && run.error == -error && run.what[0] && check.error == -error &&
	       check.what[0] && asked.what[0] && !none.what[0] && warnings == 0 && !samples &&
	       n == 0 && per_call == -5 && counts == 99 && !info.counter;
}

static struct cpucycles_meter *owned;

static void *in_thread(void *refuses)
{
	*(bool *)refuses = refuses_all(owned, -EPERM);
	return NULL;
}

static void in_child(void)
{
	unit_expect(refuses_all(owned, -EPERM), "a child is refused");
	cpucycles_meter_close(owned);
}

/* What a work leaves to the next one */

static bool has_warning(struct cpucycles_meter *meter, size_t i)
{
	return result_of(meter, i).warnings & CPUCYCLES_WARNING_STATE;
}

/* Run a work between two that must not notice it. */
static void run_between(struct cpucycles_meter *meter, void (*call)(void *), void *context)
{
	long long takes = WORK_TAKES;
	const struct cpucycles_work works[] = {
		CPUCYCLES_WORK("before", pass_rounding_nearest, &takes),
		CPUCYCLES_WORK("it", call, context),
		CPUCYCLES_WORK("behind", pass_rounding_nearest, &takes),
	};

	reset(1);
	wrong_roundings = 0;
	run_works(meter, works, 3);
	assert_int_equal(wrong_roundings, 0);
	assert_int_equal(fegetround(), FE_TONEAREST);
}

static void expect_warning(struct cpucycles_meter *meter, const char *part)
{
	REASON(reason);

	assert_false(has_warning(meter, 0));
	assert_true(has_warning(meter, 1));
	assert_false(has_warning(meter, 2));
	assert_int_equal(cpucycles_meter_warning(meter, 1, CPUCYCLES_WARNING_STATE, &reason), 0);
	assert_non_null(strstr(reason.what, part));
}

TEST(left_behind)
{
	struct cpucycles_meter *meter = open_stepping(1);
	long long takes = WORK_TAKES;

	run_between(meter, pass_rounding_nearest, &takes);
	for (size_t i = 0; i < 3; i++)
		assert_false(has_warning(meter, i));
	if (STATE_SIMD[0]) {
		run_between(meter, pass_and_round_up, &takes);
		expect_warning(meter, STATE_SIMD);
	}
#if defined(__x86_64__) || defined(__i386__)
	run_between(meter, pass_and_go_backwards, &takes);
	expect_warning(meter, "direction flag");
#endif
	meter->run.see_mask = see_fake_mask;
	blocked = 0;
	run_between(meter, pass_and_block, &takes);
	expect_warning(meter, "signal 10 blocked");
	/* The next run begins with that mask. */
	run_between(meter, pass_and_block, &takes);
	assert_false(has_warning(meter, 1));
	free(meter);
}

static void round_up(void *unused)
{
	(void)unused;
	if (STATE_SIMD[0])
		fesetround(FE_UPWARD);
	blocked = 10;
#if defined(__x86_64__) || defined(__i386__)
	__asm__ volatile("std" : : : "cc");
#endif
}

/* What a `before` leaves is what its work begins with, and no fault of the work. The others find
 * nothing of it. */
TEST(left_by_before)
{
	struct cpucycles_meter *meter = open_stepping(1);
	long long takes = WORK_TAKES;
	const struct cpucycles_work works[] = {
		CPUCYCLES_WORK("nearest", pass_rounding_nearest, &takes),
		{ .size = sizeof(struct cpucycles_work),
		  .name = "up",
		  .call = pass_rounding_up,
		  .context = &takes,
		  .before = round_up },
	};

	meter->run.see_mask = see_fake_mask;
	blocked = last_blocked = 0;
	wrong_roundings = 0;
	run_works(meter, works, 2);
	assert_int_equal(wrong_roundings, 0);
	assert_int_equal(fegetround(), FE_TONEAREST);
	for (size_t i = 0; i < 2; i++)
		assert_false(has_warning(meter, i));
	free(meter);
}

/* Behind the run, nobody can tell which one it was, unless there is one only. */
TEST(blocked_late)
{
	REASON(reason);
	struct cpucycles_meter *meter = open_stepping(1);
	long long calls = 0;
	const struct cpucycles_work work = CPUCYCLES_WORK("it", pass_and_block_late, &calls);

	meter->run.see_mask = see_fake_mask;
	blocked = 0;
	run_between(meter, pass_and_block_late, &calls);
	for (size_t i = 0; i < 3; i++)
		assert_true(has_warning(meter, i));
	assert_int_equal(cpucycles_meter_warning(meter, 0, CPUCYCLES_WARNING_STATE, &reason), 0);
	assert_non_null(strstr(reason.what, "one of the functions"));
	blocked = 0;
	calls = 0;
	run_works(meter, &work, 1);
	assert_int_equal(cpucycles_meter_warning(meter, 0, CPUCYCLES_WARNING_STATE, &reason), 0);
	assert_null(strstr(reason.what, "one of the functions"));
	free(meter);
}

/* Each work begins each call with a state of its own. */
TEST(states_of_files)
{
	struct cpucycles_meter *meter = open_stepping(1);
	struct state states[2] = { state_get() };
	long long takes = WORK_TAKES;
	const struct cpucycles_work works[] = {
		CPUCYCLES_WORK("nearest", pass_rounding_nearest, &takes),
		CPUCYCLES_WORK("up", pass_rounding_up, &takes),
	};

	if (!STATE_SIMD[0])
		unit_skip("no control register is known here");
	fesetround(FE_UPWARD);
	states[1] = state_get();
	fesetround(FE_TONEAREST);
	meter->run.states = states;
	wrong_roundings = 0;
	run_works(meter, works, 2);
	assert_int_equal(wrong_roundings, 0);
	assert_int_equal(fegetround(), FE_TONEAREST);
	for (size_t i = 0; i < 2; i++)
		assert_false(has_warning(meter, i));
	free(meter);
}

TEST(owners)
{
	bool refuses = false;
	pthread_t thread;

	assert_int_equal(cpucycles_meter_open(&owned, NULL, NULL), 0);
	assert_int_equal(pthread_create(&thread, NULL, in_thread, &refuses), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(refuses);
	assert_int_equal(unit_in_child(in_child), 0);
	assert_int_equal(cpucycles_meter_lost(owned), 0);
	cpucycles_meter_close(owned);
}

/* Functions that use meters */

/* The run of a function that calls its own meter. */
static struct {
	struct cpucycles_meter *meter;
	unsigned calls, good;
	jmp_buf out;
} own;

/* A few calls, however cheap. */
static const struct cpucycles_plan brief = {
	.size = sizeof brief,
	.budget_ns = 10000000000,
	.samples = 20,
};

static struct cpucycles_meter *open_own(const struct source *source)
{
	reset(1);
	own.calls = own.good = 0;
	own.meter = open_fake(source);
	return own.meter;
}

static void call_own(void *takes)
{
	int64_t begin;

	own.calls++;
	cpucycles_meter_close(own.meter);
	begin = cpucycles_meter_now(own.meter);
	pass(takes);
	own.good += cpucycles_meter_now(own.meter) - begin == WORK_TAKES + READ_TAKES &&
		    refuses_all(own.meter, -EBUSY);
}

TEST(own_meter)
{
	const struct source source = source_of(read_fake, 0);
	long long takes = WORK_TAKES;
	const struct cpucycles_work works[] = { CPUCYCLES_WORK("call own", call_own, &takes),
						CPUCYCLES_WORK("pass", pass, &takes) };
	struct cpucycles_meter *meter = open_own(&source);

	for (size_t n = 1; n <= 2; n++) {
		assert_int_equal(cpucycles_meter_run(meter, works, n, &brief, NULL), 0);
		assert_true(own.calls > brief.samples);
		assert_int_equal(own.good, own.calls);
		assert_true(result_of(meter, 0).median == WORK_TAKES + 2 * READ_TAKES);
		assert_int_equal(result_of(meter, 0).samples, brief.samples);
	}
	assert_true(result_of(meter, 1).median == WORK_TAKES);
	verdict_of(meter, 1);
	assert_int_equal(cpucycles_meter_lost(meter), 0);
	cpucycles_meter_close(meter);
}

/* Open, run and close a meter within the run of another one. */
static void use_another(void *takes)
{
	const struct source source = source_of(read_fake, 0);
	const struct cpucycles_work works[] = { CPUCYCLES_WORK("a", pass, takes),
						CPUCYCLES_WORK("b", pass, takes) };
	struct cpucycles_result r = { .size = sizeof r };
	struct cpucycles_verdict v = { .size = sizeof v };
	const size_t bytes = meter_bytes(&usual, NULL);
	const long long before = fake.now;
	struct cpucycles_meter *meter = calloc(1, bytes);

	own.calls++;
	if (!meter)
		return;
	own.good += !meter_open_with(meter, bytes, &usual, &source, NULL) &&
		    !cpucycles_meter_run(meter, works, 2, &brief, NULL) &&
		    !cpucycles_meter_result(meter, 1, &r) && r.median == WORK_TAKES &&
		    r.samples == brief.samples && !cpucycles_meter_verdict(meter, 1, &v) &&
		    refuses_all(own.meter, -EBUSY);
	cpucycles_meter_close(meter);
	/* All calls take the same. */
	fake.now = before + WORK_TAKES;
}

TEST(nested_runs)
{
	const struct source source = source_of(read_fake, 0);
	long long takes = WORK_TAKES;
	const struct cpucycles_work work = CPUCYCLES_WORK("use another", use_another, &takes);
	struct cpucycles_meter *meter = open_own(&source);

	assert_int_equal(cpucycles_meter_run(meter, &work, 1, &brief, NULL), 0);
	assert_true(own.calls > brief.samples);
	assert_int_equal(own.good, own.calls);
	assert_true(result_of(meter, 0).median == WORK_TAKES);
	cpucycles_meter_close(meter);
}

/* The child's memory is as it was at the fork. */
static void in_child_of_function(void)
{
	unit_expect(own.meter->running, "the run goes on");
	unit_expect(refuses_all(own.meter, -EPERM), "the child of a function is refused");
	cpucycles_meter_close(own.meter);
	unit_expect(own.meter->running, "the memory stays");
}

static void fork_once(void *takes)
{
	if (own.calls++ == 10)
		own.good += unit_in_child(in_child_of_function) == 0;
	pass(takes);
}

TEST(functions_that_fork)
{
	const struct source source = source_of(read_fake, 0);
	long long takes = WORK_TAKES;
	const struct cpucycles_work work = CPUCYCLES_WORK("fork", fork_once, &takes);
	struct cpucycles_meter *meter = open_own(&source);

	assert_int_equal(cpucycles_meter_run(meter, &work, 1, &brief, NULL), 0);
	assert_int_equal(own.good, 1);
	assert_true(result_of(meter, 0).median == WORK_TAKES);
	cpucycles_meter_close(meter);
}

static void jump_out(void *unused)
{
	(void)unused;
	fake.now += WORK_TAKES;
	if (own.calls++ == 10)
		longjmp(own.out, 1);
}

TEST(functions_that_jump)
{
	const struct source source = source_of(read_fake, 0);
	const struct cpucycles_work work = CPUCYCLES_WORK("jump", jump_out, NULL);

	open_own(&source);
	if (!setjmp(own.out)) {
		cpucycles_meter_run(own.meter, &work, 1, &brief, NULL);
		fail_msg("the run returned");
	}
	assert_true(refuses_all(own.meter, -EBUSY));
	cpucycles_meter_close(own.meter);
	assert_true(refuses_all(own.meter, -EBUSY));
	free(own.meter);
}

UNIT_MAIN("meter", NULL, NULL)
