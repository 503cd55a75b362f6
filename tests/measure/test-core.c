/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Work whose cycles are known, on a processor whose cycles this process can count: skipped where it
 * cannot. Busy machines are slower, but their cores need no more cycles, so most samples are right
 * there, too. */

#include "config.h"

#include "unit.h"
#include "cpucycles-measure.h"
#include "dependent.h"
#include "faults.h"
#include "reasons.h"

#include <math.h>

/* Another program may have the CPU for the whole of a short run. */
#define TRIES 20

static struct cpucycles_counter_info info;

static void skip_where_unknown(void)
{
#if !defined(__x86_64__) && !defined(__i386__)
	unit_skip("the cycles of these instructions are known of x86 only");
#endif
#if !defined(__OPTIMIZE__)
	unit_skip("without optimization, a compiler adds instructions to these");
#endif
	if (SANITIZED)
		unit_skip("a sanitizer adds instructions to these");
	if (unit_is_emulated())
		unit_skip("an emulator's instructions take no known cycles");
}

static struct cpucycles_meter *open_cycles(void)
{
	struct cpucycles_meter_options options = {
		.size = sizeof options,
		.need = CPUCYCLES_NEED_CYCLES,
		.samples_max = 100000,
	};
	REASON(reason);
	struct cpucycles_meter *meter;

	skip_where_unknown();
	if (cpucycles_meter_open(&meter, &options, &reason)) {
		printf("# %s\n", reason.what);
		unit_skip("this process has no counter of core cycles");
	}
	info.size = sizeof info;
	assert_int_equal(cpucycles_meter_info(meter, &info), 0);
	printf("# %s, step %g, cost %g, noise %g\n", info.counter, info.resolution, info.overhead,
	       info.overhead_iqr);
	return meter;
}

static const struct cpucycles_plan ten_ms = { .size = sizeof ten_ms, .budget_ns = 10000000 };

/* A multiplication of 64 bits that waits for the one before takes 3 cycles on every AMD processor
 * that has RDPRU (Software Optimization Guides for families 17h, 19h and 1Ah). So 360 more of them
 * take 1,080 more, whatever calls and reads take. */
#define MORE_CYCLES 1080
#define WITHIN 2           /* or one step of the counter */
#define BY_CHAIN_WITHIN 15 /* 0.5 % of both, and a few cycles each */

static bool take_as_long(struct cpucycles_meter *meter)
{
	static const struct cpucycles_work works[] = {
		CPUCYCLES_WORK("40", dependent_40, NULL),
		CPUCYCLES_WORK("400", dependent_400, NULL),
	};
	struct cpucycles_result few = { .size = sizeof few }, many = { .size = sizeof many };
	const double within = fmax(WITHIN, info.resolution);

	assert_int_equal(cpucycles_meter_run(meter, works, 2, &ten_ms, NULL), 0);
	assert_int_equal(cpucycles_meter_result(meter, 0, &few), 0);
	assert_int_equal(cpucycles_meter_result(meter, 1, &many), 0);
	printf("# 40: %g to %g, 400: %g to %g, in batches of %u\n", few.q1, few.q3, many.q1,
	       many.q3, many.iterations);
	assert_int_equal(many.iterations, 1);
	return fabs(many.q1 - few.q1 - MORE_CYCLES) <= within &&
	       fabs(many.q3 - few.q3 - MORE_CYCLES) <= within;
}

TEST(multiplications)
{
	struct cpucycles_meter *meter = open_cycles();
	int tries = 1;

	if (!strstr(info.counter, "rdpru")) {
		cpucycles_meter_close(meter);
		unit_skip("how long a multiplication takes is known of processors with RDPRU");
	}
	while (!take_as_long(meter))
		assert_true(tries++ < TRIES);
	cpucycles_meter_close(meter);
}

/* One exclusive-or, which takes one cycle, more or less: in 10 ms, and in both orders. */
#define COMPARISONS 40
#define TOLD 30 /* of them, on a busy machine */

static int compare(struct cpucycles_meter *meter, bool turned)
{
	const struct cpucycles_work works[] = {
		CPUCYCLES_WORK("first", turned ? dependent_21 : dependent_20, NULL),
		CPUCYCLES_WORK("second", turned ? dependent_20 : dependent_21, NULL),
	};
	struct cpucycles_verdict verdict = { .size = sizeof verdict };

	assert_int_equal(cpucycles_meter_run(meter, works, 2, &ten_ms, NULL), 0);
	assert_int_equal(cpucycles_meter_verdict(meter, 1, &verdict), 0);
	return verdict.verdict;
}

TEST(exclusive_ors)
{
	struct cpucycles_meter *meter = open_cycles();
	int told = 0, wrong = 0;

	for (int i = 0; i < COMPARISONS; i++) {
		const int verdict = compare(meter, i % 2);

		told += verdict == (i % 2 ? CPUCYCLES_VERDICT_FASTER : CPUCYCLES_VERDICT_SLOWER);
		wrong += verdict == (i % 2 ? CPUCYCLES_VERDICT_SLOWER : CPUCYCLES_VERDICT_FASTER);
	}
	printf("# of %d comparisons, %d told and %d wrong\n", COMPARISONS, told, wrong);
	assert_true(told >= TOLD);
	assert_int_equal(wrong, 0);
	cpucycles_meter_close(meter);
}

/* The same by a counter of any kind and the chain. What the two have in common is not in the
 * difference, but each may be off by its bound. */
TEST(by_the_chain)
{
	static const struct cpucycles_work works[] = {
		CPUCYCLES_WORK("40", dependent_40, NULL),
		CPUCYCLES_WORK("400", dependent_400, NULL),
	};
	struct cpucycles_result few = { .size = sizeof few }, many = { .size = sizeof many };
	struct cpucycles_meter *meter;
	int tries = 0;

	skip_where_unknown();
	assert_int_equal(cpucycles_meter_open(&meter, NULL, NULL), 0);
	do {
		assert_int_equal(cpucycles_meter_run(meter, works, 2, &ten_ms, NULL), 0);
		assert_int_equal(cpucycles_meter_result(meter, 0, &few), 0);
		assert_int_equal(cpucycles_meter_result(meter, 1, &many), 0);
		printf("# from %d, 40: %g, 400: %g cycles\n", few.cycles_from, few.cycles,
		       many.cycles);
	} while (++tries < TRIES &&
		 !(fabs(many.cycles - few.cycles - MORE_CYCLES) <= BY_CHAIN_WITHIN));
	cpucycles_meter_close(meter);
	assert_true(fabs(many.cycles - few.cycles - MORE_CYCLES) <= BY_CHAIN_WITHIN);
	assert_true(many.cycles_from == CPUCYCLES_CYCLES_CHAIN ||
		    many.cycles_from == CPUCYCLES_CYCLES_COUNTER);
}

UNIT_MAIN("core", NULL, NULL)
