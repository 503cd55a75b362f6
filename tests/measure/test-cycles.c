/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Core cycles by chains of known length. Counter, clock, core and chains are fakes: time passes
 * only when a chain, a work or a read lets it pass, so the machine's load changes no result.
 * bench/known-cycles measures real work.
 */

#include "config.h"

#include "unit.h"
#include "affinity.h"
#include "busy.h"
#include "chain.h"
#include "cycles.h"
#include "judge.h"
#include "meter.h"
#include "raw-clock.h"
#include "simulate.h"

#include <sched.h>
#include <time.h>

#define READ_TAKES 30  /* units */
#define UNITS_OF_NS 10 /* of the counter in a nanosecond of the clock */

/* The counter, the core, and what is wrong with them. */
static struct {
	double now;
	long long every;                   /* the counter shows multiples of this */
	double units;                      /* of the counter in a cycle */
	double slower;                     /* in each cycle, it grows by this part */
	double phase, phase_ends;          /* for so many units, it is one, and then another */
	bool exact;                        /* the chain can be had */
	double xor, product, floating;     /* cycles of an instruction */
	double interrupted_after, longer;  /* what takes more cycles takes this part longer */
	size_t interruptions, interrupted; /* of chains: this one takes a million cycles more */
} fake;

static void reset(void)
{
	fake.now = 1e6;
	fake.every = 1;
	fake.units = 3;
	fake.slower = 0;
	fake.phase = INFINITY;
	fake.phase_ends = INFINITY;
	fake.exact = true;
	fake.xor = 1;
	fake.product = 3;
	fake.floating = 4;
	fake.interrupted_after = INFINITY;
	fake.longer = 0;
	fake.interruptions = fake.interrupted = 0;
}

static long long read_fake(void)
{
	fake.now += READ_TAKES;
	return (long long)fake.now / fake.every * fake.every;
}

static void pass(double cycles)
{
	if (fake.now >= fake.phase_ends) {
		fake.units = 1 + 2 * simulate_part();
		fake.phase_ends = fake.now + fake.phase;
	}
	fake.units *= 1 + fake.slower * cycles;
	if (cycles > fake.interrupted_after)
		cycles *= 1 + fake.longer;
	fake.now += cycles * fake.units;
}

static void pass_chain(void *rounds, double cycles)
{
	pass(cycles * (double)*(const unsigned long *)rounds);
	if (++fake.interruptions == fake.interrupted)
		pass(1e6);
}

/* All functions of base/raw-clock.c, so that the linker takes none from there. */

bool raw_clock_is_forbidden(void)
{
	return false;
}

uint64_t raw_clock_ns(void)
{
	fake.now += READ_TAKES;
	return (uint64_t)fake.now / UNITS_OF_NS;
}

uint64_t raw_clock_step(void)
{
	return 1;
}

/* All functions of base/chain.c, so that the linker takes none from there. */

bool chain_is_portable(void)
{
	return false;
}

bool chain_is_exact(void)
{
	return fake.exact;
}

void chain_run(unsigned long rounds)
{
	pass((double)rounds * CHAIN_ROUND_CYCLES);
}

void chain_time(uint64_t budget_ns, long long (*count)(void), struct chain_times *times)
{
	(void)budget_ns;
	(void)count;
	times->n = 0;
}

void chain_xors(void *rounds)
{
	pass_chain(rounds, fake.xor *CHAIN_ROUND_CYCLES);
}

void chain_products(void *rounds)
{
	pass_chain(rounds, fake.product * CHAIN_PRODUCTS);
}

void chain_floats(void *rounds)
{
	pass_chain(rounds, fake.floating * CHAIN_PRODUCTS);
}

static void take_cycles(void *cycles)
{
	pass(*(const double *)cycles);
}

static struct cpucycles_meter *open_fake(int unit, size_t samples)
{
	const struct source source = {
		.name = "fake", .read = read_fake, .unit = unit, .units = 1
	};
	const struct cpucycles_meter_options options = { .size = sizeof options,
							 .samples_max = samples };
	const size_t bytes = meter_bytes(&options, NULL);
	struct cpucycles_meter *const meter = calloc(1, bytes);

	assert_non_null(meter);
	assert_int_equal(meter_open_with(meter, bytes, &options, &source, NULL), 0);
	return meter;
}

/* What a run of so many samples says of a work. */
static struct cpucycles_result measure_call(int unit, void (*call)(void *), void *context,
					    size_t samples)
{
	const struct cpucycles_plan plan = { .size = sizeof plan, .budget_ns = 1000000000 };
	const struct cpucycles_work work = CPUCYCLES_WORK("work", call, context);
	struct cpucycles_meter *const meter = open_fake(unit, samples);
	struct cpucycles_result r = { .size = sizeof r };

	assert_int_equal(cpucycles_meter_run(meter, &work, 1, &plan, NULL), 0);
	assert_int_equal(cpucycles_meter_result(meter, 0, &r), 0);
	free(meter);
	return r;
}

static struct cpucycles_result measure_in(int unit, double cycles, size_t samples)
{
	return measure_call(unit, take_cycles, &cycles, samples);
}

#define SAMPLES 100

static struct cpucycles_result measure(double cycles)
{
	return measure_in(CPUCYCLES_UNIT_TICKS, cycles, SAMPLES);
}

static bool is_near(double value, double expected, double part)
{
	return fabs(value - expected) <= part * expected;
}

/* Whatever the counter's rate is, what it shows, and how many calls a sample has. */
TEST(cycles_of_known_work)
{
	static const double lengths[] = { 120, 960, 9960, 99960, 999960, 9999960 };
	static const double rates[] = { 0.7, 1, 3.3 };

	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
		for (size_t j = 0; j < sizeof rates / sizeof rates[0]; j++) {
			struct cpucycles_result r;

			reset();
			fake.units = rates[j];
			r = measure(lengths[i]);
			assert_int_equal(r.cycles_from, CPUCYCLES_CYCLES_CHAIN);
			assert_true(is_near(r.cycles, lengths[i], 0.002));
			assert_true(is_near(r.units_per_cycle, rates[j], 0.002));
			assert_true(r.cycles_low < lengths[i] && lengths[i] < r.cycles_high);
			assert_true(r.cycles_high - r.cycles_low >=
				    2 * cycles_bound(r.cycles, r.iterations) * 0.999);
			/* Other programs may run during long samples. */
			if (lengths[i] < CYCLES_LONG)
				assert_int_equal(r.cycles_interrupted, 0);
		}
}

/* The step of a counter of 25 MHz beside a core of 2.5 GHz: longer chains, and calls in a loop. */
TEST(coarse_counter)
{
	struct cpucycles_result r;

	reset();
	fake.units = 1;
	fake.every = 100;
	r = measure(20000);
	assert_int_equal(r.cycles_from, CPUCYCLES_CYCLES_CHAIN);
	assert_true(is_near(r.cycles, 20000, 0.01));
	r = measure(300);
	assert_true(r.iterations > 1);
	assert_int_equal(r.cycles_from, CPUCYCLES_CYCLES_CHAIN);
	assert_true(is_near(r.cycles, 300, 0.02));
	/* No chain is long enough for such steps. */
	fake.every = 100000;
	r = measure(1000000);
	assert_int_equal(r.cycles_from, CPUCYCLES_CYCLES_COARSE);
	assert_true(isnan(r.cycles) && isnan(r.cycles_low) && isnan(r.cycles_high));
}

/* A machine that interrupts whatever takes long: the chain that is as long is interrupted, too. */
TEST(interrupted_alike)
{
	struct cpucycles_result r;

	reset();
	fake.interrupted_after = 50000;
	fake.longer = 0.05;
	r = measure(100000);
	assert_int_equal(r.cycles_from, CPUCYCLES_CYCLES_CHAIN);
	assert_true(is_near(r.cycles, 100000, 0.002));
	r = measure(40000);
	assert_true(is_near(r.cycles, 40000, 0.002));
}

/* One chain of a look, in which another program had the core. */
TEST(interrupted_chain)
{
	for (size_t chain = 1; chain < 100; chain++) {
		struct cpucycles_result r;

		reset();
		fake.interrupted = chain;
		r = measure(960);
		assert_int_equal(r.cycles_from, CPUCYCLES_CYCLES_CHAIN);
		assert_true(is_near(r.cycles, 960, 0.002));
		/* A short run has one or two chains that are as long as a sample. */
		reset();
		fake.interrupted = chain;
		r = measure_in(CPUCYCLES_UNIT_TICKS, 30000, 10);
		assert_int_equal(r.cycles_from, CPUCYCLES_CYCLES_CHAIN);
		assert_true(is_near(r.cycles, 30000, 0.002));
	}
}

/* Something slows exclusive-ors, but not multiplications. */
TEST(slow_chain)
{
	struct cpucycles_result r;

	reset();
	fake.xor = 1.015;
	r = measure(960);
	assert_int_equal(r.cycles_from, CPUCYCLES_CYCLES_CHAIN);
	assert_true(is_near(r.cycles, 960, 0.002));
	assert_true(is_near(r.units_per_cycle, fake.units, 0.002));
	/* Two kinds of multiplication say the same. */
	fake.xor = 1.1;
	r = measure(960);
	assert_int_equal(r.cycles_from, CPUCYCLES_CYCLES_CHAIN);
	assert_true(is_near(r.cycles, 960, 0.002));
	fake.floating = 4.2;
	assert_int_equal(measure(960).cycles_from, CPUCYCLES_CYCLES_EMULATED);
	fake.floating = 4;
	fake.xor = 1.14;
	assert_int_equal(measure(960).cycles_from, CPUCYCLES_CYCLES_EMULATED);
}

#if HAVE_DECL_RUSAGE_THREAD

/* Of the real clock. */
static double milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void take_long(void *unused)
{
	const double end = milliseconds() + 1;

	(void)unused;
	pass(1e6);
	while (milliseconds() < end)
		continue;
}

/* Samples in which another program had the CPU do not count. */
TEST(interrupted_samples)
{
	struct cpucycles_result r;
	pid_t other;

	affinity_save();
	if (!affinity_pin_here())
		unit_skip("this process may not choose its CPU");
	reset();
	busy_begin(&other, 1);
	r = measure_call(CPUCYCLES_UNIT_TICKS, take_long, NULL, SAMPLES);
	busy_end(&other, 1);
	affinity_restore();
	assert_true(r.cycles_interrupted > 0 && r.cycles_interrupted < r.samples);
	assert_int_equal(r.cycles_from, CPUCYCLES_CYCLES_CHAIN);
}

/* Another program has the CPU in between. */
static void take_turns(void *cycles)
{
	pass(*(double *)cycles);
	for (size_t i = 0; i < 100; i++)
		sched_yield();
}

/* If all samples are interrupted, other programs are to blame only if the calls are short. */
TEST(all_samples_interrupted)
{
	double short_call = 5e5, long_call = 12e6;
	struct cpucycles_result of_short, of_long;
	pid_t other;

	affinity_save();
	if (!affinity_pin_here())
		unit_skip("this process may not choose its CPU");
	reset();
	busy_begin(&other, 1);
	of_short = measure_call(CPUCYCLES_UNIT_TICKS, take_turns, &short_call, 20);
	of_long = measure_call(CPUCYCLES_UNIT_TICKS, take_turns, &long_call, 20);
	busy_end(&other, 1);
	affinity_restore();
	assert_int_equal(of_short.cycles_interrupted, of_short.samples);
	assert_int_equal(of_short.cycles_from, CPUCYCLES_CYCLES_TOO_FEW);
	assert_int_equal(of_long.cycles_from, CPUCYCLES_CYCLES_TOO_LONG);
}

#endif

/* Why there are none. */
TEST(no_cycles)
{
	struct cpucycles_result r;

	reset();
	fake.exact = false;
	r = measure(960);
	assert_int_equal(r.cycles_from, CPUCYCLES_CYCLES_NO_CHAIN);
	assert_true(isnan(r.cycles));
	assert_true(r.units_per_cycle == 0);

	reset();
	fake.product = 3.4;
	r = measure(960);
	assert_int_equal(r.cycles_from, CPUCYCLES_CYCLES_EMULATED);
	assert_true(isnan(r.cycles));

	reset();
	fake.floating = 19;
	assert_int_equal(measure(960).cycles_from, CPUCYCLES_CYCLES_EMULATED);

	reset();
	assert_int_equal(measure(12e6).cycles_from, CPUCYCLES_CYCLES_TOO_LONG);
	/* One sample is enough: the chain that is as long follows it. */
	assert_int_equal(measure_in(CPUCYCLES_UNIT_TICKS, 1e5, 1).cycles_from,
			 CPUCYCLES_CYCLES_CHAIN);
}

/* This architecture has no chain of multiplications. */
TEST(no_products)
{
	struct cpucycles_result r;

	reset();
	fake.product = 0.01;
	r = measure(960);
	assert_int_equal(r.cycles_from, CPUCYCLES_CYCLES_CHAIN);
	assert_true(is_near(r.cycles, 960, 0.002));
}

/* A counter of cycles is what it says, and the chain is its check. */
TEST(counted_cycles)
{
	struct cpucycles_result r;

	reset();
	fake.units = 1;
	r = measure_in(CPUCYCLES_UNIT_CYCLES, 960, SAMPLES);
	assert_int_equal(r.cycles_from, CPUCYCLES_CYCLES_COUNTER);
	assert_true(r.cycles == r.iqm && r.cycles_low == r.low && r.cycles_high == r.high);
	assert_true(r.units_per_cycle == 1);
	assert_false(r.warnings & CPUCYCLES_WARNING_CYCLES);

	fake.units = 0.9;
	r = measure_in(CPUCYCLES_UNIT_CYCLES, 960, SAMPLES);
	assert_int_equal(r.cycles_from, CPUCYCLES_CYCLES_COUNTER);
	assert_true(r.warnings & CPUCYCLES_WARNING_CYCLES);

	/* In an emulator, the chain says nothing. */
	fake.product = 3.4;
	r = measure_in(CPUCYCLES_UNIT_CYCLES, 960, SAMPLES);
	assert_false(r.warnings & CPUCYCLES_WARNING_CYCLES);
}

/* Tests for leaks */

#define CALLS 200000
#define ERROR 0.3

static void prepare(int group, unsigned char *input, void *unused)
{
	(void)unused;
	*input = (unsigned char)group;
}

static void take_input(const unsigned char *input, void *shift)
{
	pass(5000 + 20 * simulate_normal() + *input * *(const double *)shift);
}

static struct cpucycles_leak_difference median = CPUCYCLES_LEAK_DIFFERENCE_INITIALIZER;

/* Of a function that takes so many cycles more with an input of group 1. */
static struct cpucycles_leak_findings test_leak(int unit, double shift, uint64_t calls, bool *moved)
{
	const struct cpucycles_plan plan = { .size = sizeof plan,
					     .budget_ns = UINT64_C(100000000000),
					     .samples = calls,
					     .seed = unit_random() >> 1,
					     .alpha = calls < CALLS ? ERROR : 0 };
	const struct cpucycles_leak leak = { .size = sizeof leak,
					     .call = take_input,
					     .prepare = prepare,
					     .context = &shift,
					     .bytes = 1 };
	struct cpucycles_meter *const meter = open_fake(unit, SAMPLES);
	struct cpucycles_leak_findings r = { .size = sizeof r };
	const double *samples;
	size_t n;

	assert_int_equal(cpucycles_leak_run(meter, &leak, &plan, NULL), 0);
	assert_int_equal(cpucycles_leak_result(meter, &r), 0);
	assert_int_equal(cpucycles_leak_quantile(meter, 50, &median), 0);
	assert_int_equal(r.unit, r.units_per_cycle > 0 ? CPUCYCLES_UNIT_CYCLES : unit);
	assert_int_equal(cpucycles_meter_samples(meter, 0, &samples, &n), 0);
	assert_true(r.units_per_cycle == 0 || is_near(samples[n / 2], 5000, 2));
	*moved = meter->leak.moved;
	free(meter);
	return r;
}

/* The core takes twice as long in the end. */
TEST(leaks_while_the_core_becomes_slower)
{
	struct cpucycles_leak_findings r;
	bool moved;

	reset();
	fake.slower = log(2) / CALLS / 5000;
	r = test_leak(CPUCYCLES_UNIT_TICKS, 0, CALLS, &moved);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_NONE_ABOVE);
	assert_false(moved);
	assert_true(r.threshold == 2);
	assert_true(fake.units > 2 * r.units_per_cycle * 0.9 && r.units_per_cycle >= 3);
	assert_true(is_near(median.group0, 5000, 0.01));
	r = test_leak(CPUCYCLES_UNIT_TICKS, 10, CALLS, &moved);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_FOUND);
	assert_true(median.low < 10 && median.high > 10);
	/* Without cycles, the function seems to become faster or slower. */
	fake.product = 3.4;
	r = test_leak(CPUCYCLES_UNIT_TICKS, 0, CALLS, &moved);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_CANNOT_TELL);
	assert_true(moved);
	assert_true(r.units_per_cycle == 0);
}

/* A coarse step is so many cycles. */
TEST(leaks_in_steps)
{
	struct cpucycles_leak_findings r;
	bool moved;

	reset();
	fake.every = 100;
	r = test_leak(CPUCYCLES_UNIT_TICKS, 0, 2500, &moved);
	assert_true(is_near(r.threshold, 100 / fake.units, 0.02));
	fake.exact = false;
	r = test_leak(CPUCYCLES_UNIT_TICKS, 0, 2500, &moved);
	assert_true(r.threshold == 100 && r.units_per_cycle == 0);
	reset();
	fake.units = 1;
	r = test_leak(CPUCYCLES_UNIT_CYCLES, 0, 2500, &moved);
	assert_true(r.units_per_cycle == 1);
	assert_true(is_near(median.group0, 5000, 0.01));
}

/* How often it errs on equal groups, with an error large enough to see some. */
TEST(equal_groups)
{
	const size_t runs = 100;
	size_t leaks = 0;
	bool moved;

	reset();
	fake.phase_ends = 0;
	fake.phase = 2e6;
	for (size_t i = 0; i < runs; i++)
		leaks += test_leak(CPUCYCLES_UNIT_TICKS, 0, 2500, &moved).verdict ==
			 CPUCYCLES_LEAK_FOUND;
	simulate_at_most(leaks, runs, ERROR * 0.8, "equal groups");
}

/* How slow the core was, if that was for more than a tenth of the looks. */
TEST(slow_core)
{
	struct run *const run = calloc(1, sizeof *run);
	double scratch[100];

	assert_non_null(run);
	run->scratch = scratch;
	run->looks.rounds = 1;
	assert_true(judge_slow_units_per_cycle(run) == 0);
	run->looks.n = 100;
	for (size_t slow = 0; slow <= 100; slow += 4) {
		for (size_t i = 0; i < 100; i++) {
			const double units = (i * 37 + 50) % 100 < slow ? 14 : 1;

			run->looks.of[i].xors[0] = 7;
			run->looks.of[i].xors[1] =
				7 + units * (CYCLES_LONGER - 1) * CHAIN_ROUND_CYCLES;
		}
		assert_true(is_near(judge_slow_units_per_cycle(run), slow > 10 ? 14 : 1, 1e-9));
	}
	free(run);
}

UNIT_MAIN_OF_SEED(SIMULATE_SEED, "cycles", NULL, NULL)
