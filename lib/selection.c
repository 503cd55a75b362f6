/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "selection.h"

static const char reason_names[][16] = {
	[REASON_NONE] = "none",           [REASON_ERRNO] = "errno",
	[REASON_SIGNAL] = "signal",       [REASON_CLOSED] = "closed",
	[REASON_ABSENT] = "absent",       [REASON_SCALING] = "scaling",
	[REASON_DECREASED] = "decreased", [REASON_STILL] = "still",
	[REASON_PRUNED] = "pruned",       [REASON_LAST_RESORT] = "last-resort",
};

const char *reason_name(enum reason reason)
{
	return reason_names[reason];
}

/* The rule tries the powers of two up to this divisor. A divisor is tried only where no smaller one
 * fits. */
#define DIVISOR_MAX 1024u

uint64_t selection_penalty(const struct counter *counter)
{
	static const unsigned char of_class[] = {
		[COUNTER_ON_CORE] = 0,    [COUNTER_OFF_CORE] = 100,    [COUNTER_KERNEL_COUNT] = 100,
		[COUNTER_OS_CLOCK] = 200, [COUNTER_LAST_RESORT] = 200,
	};

	return counter->penalty ? counter->penalty : of_class[counter->class];
}

/*
 * Whether |m*d - round(m*d)| <= 0.2, with m = persecond/hz and d the divisor. A distance of exactly
 * 0.2 counts as close, because the arithmetic is in whole numbers. persecond is at most 10^11 and
 * the divisor at most 1,024, so their product is below 2^47 and nothing overflows.
 */
static bool close_to_multiple(uint64_t hz, uint64_t persecond, unsigned divisor, uint64_t *multiple)
{
	uint64_t cycles = persecond * divisor;
	uint64_t below = cycles / hz, rest = cycles % hz;
	bool up = rest >= hz - rest;
	uint64_t distance = up ? hz - rest : rest;

	*multiple = below + up;
	return distance <= hz / 5;
}

bool selection_scaling(enum counter_class class, uint64_t hz, uint64_t persecond,
		       struct ratio *scaling)
{
	*scaling = (struct ratio){ 1, 1 };
	if (hz == 0)
		return true;
	if (class == COUNTER_OS_CLOCK) {
		*scaling = (struct ratio){ persecond, hz };
		return true;
	}
	for (unsigned divisor = 1; divisor <= DIVISOR_MAX; divisor *= 2) {
		uint64_t multiple;

		if (!close_to_multiple(hz, persecond, divisor, &multiple))
			continue;
		*scaling = (struct ratio){ multiple, divisor };
		return multiple > 0; /* a counter scaled by 0 would never move */
	}
	return false;
}

enum reason selection_smallest_step(const long long counts[], size_t n, uint64_t *step)
{
	uint64_t least = UINT64_MAX; /* of step - 1: a step of 0 wraps to the maximum and loses */

	*step = 0;
	for (size_t i = 1; i < n; i++) {
		uint64_t less = (uint64_t)counts[i] - (uint64_t)counts[i - 1] - 1;

		if (counts[i] < counts[i - 1])
			return REASON_DECREASED;
		if (less < least)
			least = less;
	}
	*step = least + 1;
	return *step ? REASON_NONE : REASON_STILL;
}

enum reason selection_add_turn(struct selection_try *now, const long long counts[])
{
	uint64_t step;
	enum reason reason = selection_smallest_step(counts, SELECTION_TURN, &step);

	if (now->reads > 0 && counts[0] < now->last)
		reason = REASON_DECREASED;
	if (reason == REASON_NONE && (now->least_step == 0 || step < now->least_step))
		now->least_step = step;
	now->last = counts[SELECTION_TURN - 1];
	now->reads += SELECTION_TURN;
	if (reason == REASON_STILL && (now->reads < SELECTION_READS || now->least_step))
		return REASON_NONE;
	return reason;
}

bool selection_can_win(const struct counter *counter, uint64_t best)
{
	return best == 0 || selection_penalty(counter) + 1 < best;
}

bool selection_is_beaten(const struct candidate candidates[], size_t n, size_t i)
{
	for (size_t j = 0; j < n; j++) {
		const struct candidate *other = &candidates[j];
		const bool known = other->reason == REASON_NONE && other->precision > 0;

		/* Before the other counter, an equal precision wins. */
		if (j != i && known &&
		    !selection_can_win(candidates[i].counter, other->precision + (i < j)))
			return true;
	}
	return false;
}

static bool ranks_before(const struct candidate *a, const struct candidate *b)
{
	return a->reason == REASON_NONE &&
	       (b->reason != REASON_NONE || a->precision < b->precision);
}

size_t selection_winner(const struct candidate candidates[], size_t n)
{
	size_t winner = 0;

	for (size_t i = 1; i < n; i++)
		if (ranks_before(&candidates[i], &candidates[winner]))
			winner = i;
	return n > 0 && candidates[winner].reason == REASON_NONE ? winner : n;
}

void selection_rank(struct candidate candidates[], size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct candidate moving = candidates[i];
		size_t place = i;

		for (; place > 0 && ranks_before(&moving, &candidates[place - 1]); place--)
			candidates[place] = candidates[place - 1];
		candidates[place] = moving;
	}
}
