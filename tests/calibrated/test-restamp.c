/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "counters.h"
#include "guard.h"
#include "log.h"
#include "restamp.h"

static bool same_estimate(uint64_t old_hz, enum persecond_source old, uint64_t hz,
			  enum persecond_source source)
{
	return restamp_same_estimate(&(struct persecond){ old_hz, old },
				     &(struct persecond){ hz, source });
}

TEST(estimates)
{
	assert_true(same_estimate(1000000000, PERSECOND_CPUINFO_MHZ, 1009900000,
				  PERSECOND_CPUINFO_MHZ));
	assert_false(same_estimate(1000000000, PERSECOND_CPUINFO_MHZ, 1011000000,
				   PERSECOND_CPUINFO_MHZ));
	assert_false(same_estimate(1000000000, PERSECOND_CPUINFO_MHZ, 1000000000,
				   PERSECOND_CPUFREQ_MAX));
	/* The sysadmin means each digit. */
	assert_true(same_estimate(1000000000, PERSECOND_FILE, 1000000000, PERSECOND_FILE));
	assert_false(same_estimate(1000000000, PERSECOND_FILE, 1000000001, PERSECOND_FILE));
	/* What was measured stands where nobody tells. */
	assert_true(
		same_estimate(1000000000, PERSECOND_MEASURED, PERSECOND_BLIND, PERSECOND_DEFAULT));
	assert_false(
		same_estimate(1000000000, PERSECOND_MEASURED, 1000000000, PERSECOND_CPUINFO_MHZ));
	assert_true(same_estimate(PERSECOND_BLIND, PERSECOND_DEFAULT, PERSECOND_BLIND,
				  PERSECOND_DEFAULT));
}

static bool same_core(uint64_t old_hz, uint32_t old_ppm, uint64_t hz, uint32_t ppm)
{
	return restamp_same_core((struct rate){ old_hz, old_ppm }, (struct rate){ hz, ppm });
}

TEST(cores)
{
	assert_true(same_core(1000000000, 3000, 1000000000, 3000));
	/* 1.003 and 1.003 GHz; then 1.003 and 1.0031 GHz. */
	assert_true(same_core(1000000000, 3000, 1006018054, 3000));
	assert_false(same_core(1000000000, 3000, 1006200000, 3000));
	assert_true(same_core(1006018054, 3000, 1000000000, 3000));
	assert_false(same_core(1006200000, 3000, 1000000000, 3000));
	/* The machine of the report: 1 GHz, then 125 MHz. */
	assert_false(same_core(996760528, 3997, 124750499, 7269));
	assert_false(same_core(999841612, 2064, 124750499, 1000000));
	/* Unknown in one boot, and known in the other. */
	assert_true(same_core(0, 0, 0, 0));
	assert_true(same_core(0, 0, 1000000000, 3000));
	assert_false(same_core(1000000000, 1000000, 0, 0));
}

static bool may_keep(uint64_t old_hz, enum persecond_source source, uint64_t hz, uint32_t ppm)
{
	return restamp_may_keep(&(struct persecond){ old_hz, source }, (struct rate){ hz, ppm });
}

TEST(kept_persecond)
{
	assert_true(may_keep(996835443, PERSECOND_MEASURED, 998415214, 6181));
	assert_true(may_keep(1000000000, PERSECOND_MEASURED, 1000000000, 0));
	assert_true(may_keep(1003000000, PERSECOND_MEASURED, 1000000000, 3000));
	assert_true(may_keep(997000000, PERSECOND_MEASURED, 1000000000, 3000));
	assert_false(may_keep(1003000001, PERSECOND_MEASURED, 1000000000, 3000));
	assert_false(may_keep(996999999, PERSECOND_MEASURED, 1000000000, 3000));
	/* A bound that says nothing is no reason to keep any number. */
	assert_true(may_keep(1010000000, PERSECOND_MEASURED, 1000000000, 1000000));
	assert_false(may_keep(124750499, PERSECOND_MEASURED, 62375250, 1000000));
	/* What somebody told comes from the one who tells. */
	assert_false(may_keep(1000000000, PERSECOND_CPUINFO_MHZ, 1000000000, 3000));
}

/* The precision when persecond was 1 GHz, and what it becomes with another persecond. */
static void expect_precision(enum counter_class class, uint64_t before, uint64_t persecond,
			     uint64_t expected)
{
	const struct counter counter = { .class = class };

	assert_int_equal(restamp_precision(&counter, before, 1000000000, persecond), expected);
}

TEST(precisions)
{
	expect_precision(COUNTER_OS_CLOCK, 251, 1010000000, 252);
	expect_precision(COUNTER_OS_CLOCK, 251, 1009000000, 251);
	expect_precision(COUNTER_OS_CLOCK, 251, 2000000000, 302);
	expect_precision(COUNTER_OS_CLOCK, 201, 1000000, 201);
	expect_precision(COUNTER_OFF_CORE, 116, 2000000000, 116);
	expect_precision(COUNTER_ON_CORE, 20, 2000000000, 20);
}

/* Two caches with one counter: a clock, which is scaled by persecond. */

static struct cache old, new;

static const struct counter *clock_counter(void)
{
	const size_t i = counters_find("default-monotonic");

	assert_true(i < counters_count);
	return counters_list[i];
}

static struct candidate clock_candidate(uint64_t persecond, struct rate measured)
{
	return (struct candidate){
		.counter = clock_counter(),
		.hz = 1000000000,
		.scaling = { persecond, 1000000000 },
		.precision = 300,
		.measured = measured,
	};
}

static bool same_rates(struct rate before, struct rate now)
{
	old.usable = new.usable = 1;
	old.candidates[0] = clock_candidate(2000000000, before);
	new.candidates[0] = clock_candidate(2020000000, now);
	return restamp_same_rates(&old, &new);
}

/* Persecond is 1 percent higher, and so is the clock's rate. */
TEST(rates)
{
	assert_true(same_rates((struct rate){ 2000000000, 4 }, (struct rate){ 2020000000, 4 }));
	assert_true(same_rates((struct rate){ 2000000000, 4 }, (struct rate){ 2021000000, 4 }));
	assert_false(same_rates((struct rate){ 2000000000, 4 }, (struct rate){ 2021100000, 4 }));
	assert_false(same_rates((struct rate){ 2000000000, 4 }, (struct rate){ 2018900000, 4 }));
	assert_false(same_rates((struct rate){ 2000000000, 4 }, (struct rate){ 2000000000, 4 }));
	/* Bounds that are wider than 500 ppm. */
	assert_true(same_rates((struct rate){ 2000000000, 400 }, (struct rate){ 2021600000, 400 }));
	assert_false(
		same_rates((struct rate){ 2000000000, 400 }, (struct rate){ 2021700000, 400 }));
	/* Unknown rates. */
	assert_true(same_rates((struct rate){ 0, 0 }, (struct rate){ 0, 0 }));
	assert_true(same_rates((struct rate){ 0, 0 }, (struct rate){ 2020000000, 4 }));
	assert_false(same_rates((struct rate){ 2000000000, 4 }, (struct rate){ 0, 0 }));
}

static bool take(void)
{
	struct guard guard;
	bool taken;

	assert_int_equal(guard_acquire(&guard), LOCK_TAKEN);
	guard_install(&guard, GUARD_ALL);
	taken = restamp_take_ranking(&old, &new);
	guard_release(&guard);
	return taken;
}

TEST(rankings)
{
	old = new = (struct cache){ 0 };
	old.usable = 1;
	old.persecond.hz = 2000000000;
	new.persecond.hz = 2020000000;
	old.candidates[0] = clock_candidate(2000000000, (struct rate){ 2000000000, 4 });
	assert_true(take());
	assert_int_equal(new.usable, 1);
	assert_int_equal(new.candidates[0].scaling.num, 2020000000);
	assert_int_equal(new.candidates[0].precision, 301);
	/* A counter behind it whose precision was the same, and is not scaled. */
	old.usable = 2;
	old.candidates[1] = (struct candidate){
		.counter = counters_last_resort(),
		.scaling = { 1, 1 },
		.precision = 300,
	};
	assert_false(take());
	old.candidates[1].precision = 301;
	assert_true(take());
	/* Another rate than the clock has. */
	old.usable = 1;
	old.candidates[0].hz = 1001000000;
	assert_false(take());
}

int main(void)
{
	log_set_name("test-restamp");
	return unit_run("restamp", NULL, NULL);
}
