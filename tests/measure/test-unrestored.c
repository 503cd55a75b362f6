/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What functions leave behind, and the registers that this is seen in. */

#include "config.h"

#include "unrestored.h"
#include "state.h"
#include "unit.h"

#include <fenv.h>

/* Some systems without floating-point instructions have one way of rounding only. */
#if !defined(FE_UPWARD)
#define FE_UPWARD FE_TONEAREST
#endif

static void expect_sentence(const struct unrestored *left, const char *expected)
{
	struct reason_text reason;

	unrestored_say(left, &reason);
	assert_string_equal(reason.what, expected);
	assert_true(reason.remedy[0]);
}

TEST(sentences)
{
	struct unrestored left = { 0 };

	assert_false(unrestored_any(&left));
	left.signal = -10;
	assert_true(unrestored_any(&left));
	expect_sentence(&left, "it returned with signal 10 no longer blocked");
	left.signal = 10;
	left.by_any = true;
	expect_sentence(&left, "one of the functions returned with signal 10 blocked");
	left = (struct unrestored){ .direction = true };
	assert_true(unrestored_any(&left));
	expect_sentence(&left, "it returned with the direction flag set");
	left.control = true;
	left.before = (struct state){ .simd = 0x1f80, .x87 = 0x37f };
	left.after = (struct state){ .simd = 0x9fc0, .x87 = 0xb7f };
	expect_sentence(&left, "it returned with the direction flag set, " STATE_SIMD
			       " 0x9fc0 in the place of 0x1f80, x87 control 0xb7f in the place of"
			       " 0x37f");
}

/* Only the first change is told. */
TEST(looks)
{
	const struct state a = { .simd = 1, .x87 = 2 }, b = { .simd = 1, .x87 = 3 },
			   c = { .simd = 2, .x87 = 2 };
	struct unrestored left = { 0 };

	unrestored_look(&left, &a, &a);
	assert_false(unrestored_any(&left));
	unrestored_look(&left, &a, &b);
	assert_true(left.control);
	unrestored_look(&left, &a, &c);
	assert_int_equal(left.before.x87, 2);
	assert_int_equal(left.after.x87, 3);
	left = (struct unrestored){ 0 };
	unrestored_look(&left, &a, &c);
	assert_true(left.control);
}

/* The flags of a computation are no state, and the control bits can be put back. */
TEST(registers)
{
	volatile double one = 1.0;
	struct state usual, upward, now;

	if (!STATE_SIMD[0])
		unit_skip("no control register is known here");
	feclearexcept(FE_ALL_EXCEPT);
	usual = state_get();
	assert_true(one / 3 > 0); /* this sets the flag of an inexact result */
	now = state_get();
	assert_true(state_is(&usual, &now));
	assert_int_equal(fesetround(FE_UPWARD), 0);
	upward = state_get();
	assert_false(state_is(&usual, &upward));
	state_set(&usual);
	assert_int_equal(fegetround(), FE_TONEAREST);
	state_set(&upward);
	assert_int_equal(fegetround(), FE_UPWARD);
	now = state_get();
	assert_true(state_is(&upward, &now));
	state_set(&usual);
}

TEST(direction)
{
	assert_false(state_clear_direction());
#if defined(__x86_64__) || defined(__i386__)
	bool was_set, is_set;

	__asm__ volatile("std" : : : "cc");
	was_set = state_clear_direction();
	is_set = state_clear_direction();
	assert_true(was_set);
	assert_false(is_set);
#endif
}

UNIT_MAIN("left", NULL, NULL)
