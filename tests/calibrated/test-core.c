/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What two witnesses of a core say, and measuring where no clock can be read. */

#include "config.h"

#include "unit.h"
#include "core.h"
#include "find.h"
#include "counters.h"
#include "faults.h"
#include "guard.h"
#include "rates.h"
#include "skew.h"

/* What two witnesses say. */

static const struct rate chain = { 1000000000, 3000 }, unknown = { 0, 0 };

static void judged(struct rate by_chain, struct rate counted, bool counts_in_use,
		   struct rate expected, enum core_check check)
{
	const struct core_found found = { by_chain, counted, core_check(by_chain, counted), NULL,
					  16 };
	const struct rate rate = core_rate(&found, counts_in_use);

	assert_int_equal(found.check, check);
	assert_int_equal(rate.hz, expected.hz);
	assert_int_equal(rate.ppm, expected.ppm);
}

TEST(the_counter_decides)
{
	const struct rate near = { 1002500000, 100 }, edge = { 1003100310, 100 };
	const struct rate low = { 997099709, 100 };

	judged(chain, near, true, near, CORE_CHECK_AGREES);
	judged(chain, near, false, near, CORE_CHECK_AGREES);
	judged(chain, edge, false, edge, CORE_CHECK_AGREES);
	judged(chain, low, false, low, CORE_CHECK_AGREES);
	/* A chain whose bound says nothing is no check. */
	judged((struct rate){ 1000000000, 1000000 }, (struct rate){ 3000000000, 100 }, false,
	       (struct rate){ 3000000000, 100 }, CORE_CHECK_NONE);
}

TEST(one_witness_alone)
{
	judged(chain, unknown, true, chain, CORE_CHECK_NONE);
	judged(unknown, chain, false, chain, CORE_CHECK_NONE);
	judged(unknown, unknown, true, unknown, CORE_CHECK_NONE);
}

/* The bound reaches from the one to the far end of the other. */
TEST(contradictions)
{
	const struct rate more = { 1100000000, 100 }, less = { 960000000, 100 };

	/* 1.1 GHz down to 0.997 GHz; 1 GHz up to 1.10011 GHz. */
	judged(chain, more, true, (struct rate){ 1100000000, 93637 }, CORE_CHECK_CONTRADICTS);
	judged(chain, more, false, (struct rate){ 1000000000, 100111 }, CORE_CHECK_CONTRADICTS);
	/* 0.96 GHz up to 1.003 GHz; 1 GHz down to 0.959904 GHz. */
	judged(chain, less, true, (struct rate){ 960000000, 44792 }, CORE_CHECK_CONTRADICTS);
	judged(chain, less, false, (struct rate){ 1000000000, 40097 }, CORE_CHECK_CONTRADICTS);
	/* No bound is wider than all. */
	judged((struct rate){ 3593083315, 5471 }, less, true, (struct rate){ 960000000, 1000000 },
	       CORE_CHECK_CONTRADICTS);
	assert_string_equal(core_check_name(CORE_CHECK_CONTRADICTS), "contradicts");
}

TEST(how_far_apart)
{
	assert_int_equal(core_apart_ppm((struct rate){ 1002000000, 9 }, chain), 2000);
	assert_int_equal(core_apart_ppm((struct rate){ 998000000, 9 }, chain), 2000);
	assert_int_equal(core_apart_ppm((struct rate){ 1002001000, 9 }, chain), 2001);
	assert_int_equal(core_apart_ppm((struct rate){ 10000000, 9 },
					(struct rate){ 10000000000, 9 }),
			 999000);
	assert_int_equal(core_apart_ppm(chain, (struct rate){ 1, 9 }), 1000000);
	assert_int_equal(core_apart_ppm(unknown, chain), 0);
	assert_int_equal(core_apart_ppm(chain, unknown), 0);
}

/* The moments of a run, in MHz: which counts, and how slow the core was. */
static void expect_moments(size_t n, const uint64_t mhz[], size_t fastest, uint64_t slowest)
{
	struct core_found found[CORE_MOMENTS] = { 0 };

	for (size_t i = 0; i < n; i++)
		found[i].chain = (struct rate){ mhz[i] * 1000000, mhz[i] ? 3000 : 0 };
	assert_int_equal(core_fastest(found, n), fastest);
	assert_int_equal(core_slowest(found, n), slowest * 1000000);
}

TEST(slow_moments)
{
	expect_moments(4, (const uint64_t[]){ 235, 2985, 2990, 2700 }, 2, 235);
	expect_moments(4, (const uint64_t[]){ 235, 236, 2985, 2800 }, 2, 235);
	expect_moments(4, (const uint64_t[]){ 0, 2600, 235, 2500 }, 1, 235);
	/* A time in which the clock stood still makes one moment too fast. */
	expect_moments(4, (const uint64_t[]){ 2900, 9000, 2950, 2985 }, 3, 2900);
	expect_moments(2, (const uint64_t[]){ 235, 2985 }, 1, 235);
	expect_moments(1, (const uint64_t[]){ 2985 }, 0, 2985);
	expect_moments(2, (const uint64_t[]){ 0, 0 }, 0, 0);
	expect_moments(3, (const uint64_t[]){ 0, 300, 0 }, 1, 300);
}

/* Each kind by its fastest moment: the small cores are no slow moment of the large ones. */
TEST(kinds_of_core)
{
	struct core_moments moments = { .n = 2 };
	const uint64_t mhz[3][2] = { { 1800, 1790 }, { 2400, 2990 }, { 2500, 2490 } };

	for (size_t i = 0; i < 6; i++)
		moments.found[i / 2][i % 2].chain = (struct rate){ mhz[i / 2][i % 2] * 1000000, 9 };
	assert_ptr_equal(core_fastest_kind(3, &moments), moments.found[1]);
	assert_int_equal(core_choose(3, &moments).chain.hz, 2990000000);
	assert_ptr_equal(core_fastest_kind(1, &moments), moments.found[0]);
}

/* A ranking that was made while the machine was slow, and a later probe. */
TEST(later_probe)
{
	const size_t monotonic = counters_find("default-monotonic");
	const size_t by_call = counters_find("default-syscall");
	struct candidate later[COUNTERS_MAX] = { 0 };
	struct candidate ranked[] = {
		{ .counter = counters_list[monotonic], .precision = 900, .measured = { 7, 7 } },
		{ .counter = counters_list[by_call], .precision = 2000, .measured = { 8, 8 } },
	};

	later[by_call].precision = 500;
	later[monotonic].precision = 901;
	find_take_lower(ranked, 2, later);
	assert_ptr_equal(ranked[0].counter, counters_list[by_call]);
	assert_int_equal(ranked[0].precision, 500);
	assert_int_equal(ranked[0].measured.hz, 8);
	assert_int_equal(ranked[1].precision, 900);
	later[monotonic] = (struct candidate){ .reason = REASON_ERRNO };
	find_take_lower(ranked, 2, later);
	assert_int_equal(ranked[1].precision, 900);
}

/* A machine that is slow for a while, as a run sees it: during a phase of PHASE_NS by the clock,
 * the clock runs SLOWER times as fast. */
#define PHASE_NS 75000000u
#define SLOWER 12
#define NS_PER_MS 1000000u

/* By the true clock; UINT64_MAX: there is no phase. */
static uint64_t phase_from = UINT64_MAX;

/* The names that the linker's --wrap gives. */
uint64_t __real_cpucycles_i_raw_clock_ns(void);
uint64_t __wrap_cpucycles_i_raw_clock_ns(void);

uint64_t __wrap_cpucycles_i_raw_clock_ns(void)
{
	const uint64_t now = __real_cpucycles_i_raw_clock_ns();

	if (now < phase_from)
		return now;
	if (now - phase_from < PHASE_NS / SLOWER)
		return phase_from + (now - phase_from) * SLOWER;
	return now + PHASE_NS - PHASE_NS / SLOWER;
}

/* The core's frequency that a run finds, if the phase begins after so many ms. */
static uint64_t core_of_run(uint64_t slow_after_ms)
{
	static struct known known;
	static struct cache new;
	static struct find find;
	struct guard guard;

	memset(&new, 0, sizeof new);
	memset(&find, 0, sizeof find);
	known.estimate = (struct persecond){ 2000000000, PERSECOND_CPUINFO_MHZ };
	known.kinds_n = core_kinds("", known.kinds);
	find.budget = (struct budget){
		.ns = 250 * NS_PER_MS,
		.began_ns = __real_cpucycles_i_raw_clock_ns(),
	};
	find.known = &known;
	find.new = &new;
	phase_from = slow_after_ms == UINT64_MAX ?
			     UINT64_MAX :
			     __real_cpucycles_i_raw_clock_ns() + slow_after_ms * NS_PER_MS;
	guard_acquire(&guard);
	guard_install(&guard, GUARD_ALL);
	find_persecond(&find);
	find_ranking(&find);
	guard_release(&guard);
	phase_from = UINT64_MAX;
	return new.core.hz;
}

/* The true speed is not known, so each run is compared with runs without a phase. */
TEST(slow_phase)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 3; i++) {
		const uint64_t hz = core_of_run(UINT64_MAX);

		least = hz < least ? hz : least;
	}
	if (least == 0)
		unit_skip("the machine is too busy, or its clock too coarse, to measure the core");
	for (uint64_t ms = 0; ms <= 16; ms += 8) {
		const uint64_t hz = core_of_run(ms);

		print_message("slow after %d ms: %.0f of %.0f MHz\n", (int)ms, (double)hz / 1e6,
			      (double)least / 1e6);
		assert_true(hz > least / 2);
	}
}

/* Where RDTSC is forbidden, libc's clocks fault: nothing can be measured, and the process
 * survives. */

static void measure_without_tsc(void)
{
	struct candidate c = { .counter = counters_list[counters_find("default-syscall")] };
	const struct skew_source source = { .read = c.counter->read, .guarded = guard_call };
	struct core_kind kinds[CORE_KINDS_MAX];
	struct core_moments moments = { 0 };
	struct core_found found;
	size_t n = core_kinds("", kinds);
	uint64_t counts;

	c.precision = 1000;
	c.measured.hz = 1;
	core_look(kinds, n, 1000000000, 1000000, &moments);
	found = core_choose(n, &moments);
	unit_expect(core_rate(&found, true).hz == 0, "core unknown");
	rates_measure(&c, 1, 1000000000, &(struct rates_plan){ 1000000, RATES_ROUNDS });
	unit_expect(c.measured.hz == 0, "rate unknown");
	unit_expect(!skew_measure(&source, 1000000, &counts), "skew unknown");
}

TEST_IN_CHILD(without_tsc)
{
	struct guard guard;

	if (SANITIZED)
		unit_skip_child("a sanitizer reads the clock itself");
	if (!forbid_tsc())
		unit_skip_child("RDTSC can't be made fault");
	unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "guard");
	guard_install(&guard, GUARD_ALL);
	measure_without_tsc();
	guard_release(&guard);
}

UNIT_MAIN("core", NULL, NULL)
