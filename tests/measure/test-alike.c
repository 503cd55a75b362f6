/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Comparisons on the counter of this machine, whose fairness is known whatever the machine does.
 *
 * Functions may really differ, also copies of the same code, because each lies at its own place in
 * memory, and other programs may disturb one of them for a while. So each two functions are
 * compared in both orders. If the comparison is fair, then "slower" in one order is as likely as
 * "faster" in the other. A harness that serves one of its functions better shows up as a sign that
 * comes too often.
 *
 * Nothing is asserted of how often there is a verdict at all: on a busy machine there may be none.
 */

#include "config.h"

#include "unit.h"
#include "alike.h"
#include "cpucycles-measure.h"
#include "dependent.h"
#include "simulate.h"
#include "reasons.h"

#include <errno.h>

#define BUDGET_NS 20000000
#define FUNCTIONS_MAX 4
#define SAMPLES 20000

/* Verdicts come sooner with a larger error than usual. A fair harness gives half of them to each
 * sign, and more where functions really differ. */
#define ERROR 0.05

/* Each of the assertions, of which there are about a dozen, fails on a fair harness with at most
 * this chance. */
#define LUCK 1e-7

typedef void function(void *unused);

static struct cpucycles_meter *meter;
static uint64_t comparisons; /* so far: the seed of the next one */

static int open_meter(UNIT_UNUSED void **state)
{
	const struct cpucycles_meter_options options = {
		.size = sizeof options,
		.works_max = FUNCTIONS_MAX,
		.samples_max = SAMPLES,
	};
	REASON(reason);

	alike_prepare();
	if (!cpucycles_meter_open(&meter, &options, &reason))
		return 0;
	printf("# open: %s; %s\n", reason.what, reason.remedy);
	return -1;
}

static int close_meter(UNIT_UNUSED void **state)
{
	cpucycles_meter_close(meter);
	return 0;
}

/* Compare the others, which are all the same, with the first. 1: they are said to be slower; -1:
 * faster; 0: neither. A run whose counter was taken away says nothing. */
static int compare(function *first, function *other, size_t n)
{
	const struct cpucycles_plan plan = {
		.size = sizeof plan,
		.budget_ns = BUDGET_NS,
		.seed = ++comparisons,
		.alpha = ERROR,
	};
	struct cpucycles_work works[FUNCTIONS_MAX] = { CPUCYCLES_WORK("first", first, NULL) };
	REASON(reason);
	int error, sum = 0;

	for (size_t i = 1; i < n; i++)
		works[i] = (struct cpucycles_work)CPUCYCLES_WORK("other", other, NULL);
	error = cpucycles_meter_run(meter, works, n, &plan, &reason);
	if (error)
		printf("# run: %s; %s\n", reason.what, reason.remedy);
	if (error == -ERANGE)
		unit_skip("this machine has only a counter that is too coarse");
	assert_true(error == 0 || error == -EAGAIN);
	for (size_t i = 1; !error && i < n; i++) {
		struct cpucycles_verdict v = { .size = sizeof v };

		assert_int_equal(cpucycles_meter_verdict(meter, i, &v), 0);
		sum += (v.verdict == CPUCYCLES_VERDICT_SLOWER) -
		       (v.verdict == CPUCYCLES_VERDICT_FASTER);
	}
	return (sum > 0) - (sum < 0);
}

/* How often the others were slower, and faster. */
struct signs {
	unsigned slower, faster, n;
};

static void count(struct signs *signs, int sign)
{
	signs->slower += sign > 0;
	signs->faster += sign < 0;
	signs->n++;
}

static void expect_rare(unsigned happened, unsigned n, double part, const char *what)
{
	if (simulate_tail(n, part, happened) < LUCK)
		fail_msg("%s: %u of %u", what, happened, n);
}

/*
 * As many comparisons were made in one order as in the other. Functions that differ are told in one
 * order, or in both, or not at all. So one sign is ahead of the other at most by as much as the
 * heads of n coins are ahead of n / 2. By 18 of 48 they are with a chance of 5e-8.
 */
static void expect_balance(const struct signs *signs, const char *what)
{
	const int ahead = abs((int)signs->slower - (int)signs->faster);

	printf("# %s: of %u, %u slower, %u faster\n", what, signs->n, signs->slower, signs->faster);
	fflush(stdout);
	expect_rare(signs->n / 2 + (unsigned)ahead, signs->n, 0.5, what);
}

/* An emulator does not execute what a processor would. */
static void need_processor(void)
{
	if (unit_is_emulated())
		unit_skip("times in an emulator say nothing about functions");
}

/* Each two copies of a function, in both orders: 12 comparisons, of so many functions. */
static void compare_copies(const struct alike *kind, size_t n, struct signs *signs)
{
	for (size_t a = 0; a < ALIKE_COPIES; a++)
		for (size_t b = 0; b < a; b++) {
			count(signs, compare(kind->copies[a], kind->copies[b], n));
			count(signs, compare(kind->copies[b], kind->copies[a], n));
		}
}

/*
 * Copies that really differ make 6 of 12 verdicts of a sign at most, which is allowed. Of copies
 * that do not, a fair harness gives less than 6 % to a sign, so 8 of 12 have a chance of 7e-8.
 */
#define COPIES_PART 0.06

TEST(copies_of_the_same_code)
{
	struct signs all = { 0 };

	need_processor();
	for (size_t kind = 0; kind < ALIKE_KINDS; kind++) {
		struct signs signs = { 0 };

		compare_copies(&alike_all[kind], 2, &signs);
		expect_balance(&signs, alike_all[kind].name);
		expect_rare(signs.slower, signs.n, COPIES_PART, "slower");
		expect_rare(signs.faster, signs.n, COPIES_PART, "faster");
		all.slower += signs.slower;
		all.faster += signs.faster;
		all.n += signs.n;
	}
	expect_balance(&all, "all");
}

/* A function beside two or three names of another one. When its stand-ins took one branch more than
 * the others, an AMD EPYC called it slower in each of 12 comparisons of two copies. */
TEST(several_names)
{
	struct signs signs = { 0 };

	need_processor();
	for (size_t n = 3; n <= FUNCTIONS_MAX; n++) {
		compare_copies(&alike_all[0], n, &signs);
		compare_copies(&alike_all[2], n, &signs);
	}
	expect_balance(&signs, "several names");
}

/* 400 and 401 multiplications. Where the first function is served better, one order is right and
 * the other one wrong, so all signs are the same. */
#define KNOWN 24

TEST(a_known_difference)
{
	struct signs signs = { 0 };
	int right = 0;

	need_processor();
	for (int i = 0; i < KNOWN; i++) {
		const int less = compare(dependent_400, dependent_401, 2);
		const int more = compare(dependent_401, dependent_400, 2);

		count(&signs, less);
		count(&signs, more);
		right += (less > 0) + (more < 0);
	}
	printf("# %d of %d right\n", right, 2 * KNOWN);
	expect_balance(&signs, "400 and 401");
}

/* Functions that are called in long loops where the step is coarse: a function and itself get
 * as few verdicts as promised, and 20 and 21 instructions get the same sign in both orders or none.
 */
TEST(short_functions)
{
	struct signs same = { 0 }, other = { 0 };

	need_processor();
	for (int i = 0; i < KNOWN; i++) {
		count(&same, compare(dependent_20, dependent_20, 2));
		count(&other, compare(dependent_20, dependent_21, 2));
		count(&other, compare(dependent_21, dependent_20, 2));
	}
	printf("# itself: of %u, %u slower, %u faster\n", same.n, same.slower, same.faster);
	fflush(stdout);
	expect_rare(same.slower + same.faster, same.n, ERROR, "a function differs from itself");
	expect_balance(&other, "20 and 21");
}

UNIT_MAIN("alike", open_meter, close_meter)
