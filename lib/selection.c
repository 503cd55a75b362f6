/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "selection.h"

static const char reason_names[][16] = {
	[REASON_NONE] = "none",
	[REASON_ERRNO] = "errno",
	[REASON_SIGNAL] = "signal",
	[REASON_CLOSED] = "closed",
	[REASON_SCALING] = "scaling",
	[REASON_DECREASED] = "decreased",
	[REASON_STILL] = "still",
	[REASON_PRUNED] = "pruned",
	[REASON_LAST_RESORT] = "last-resort",
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
	if (counter->penalty)
		return counter->penalty;
	switch (counter->class) {
	case COUNTER_ON_CORE:
		return 0;
	case COUNTER_OFF_CORE:
	case COUNTER_KERNEL_COUNT:
		return 100;
	case COUNTER_OS_CLOCK:
	case COUNTER_LAST_RESORT:
		break;
	}
	return 200;
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

bool selection_can_win(const struct counter *counter, uint64_t best)
{
	return best == 0 || selection_penalty(counter) + 1 < best;
}

size_t selection_winner(const struct candidate candidates[], size_t n)
{
	size_t winner = n;

	for (size_t i = 0; i < n; i++) {
		if (candidates[i].reason != REASON_NONE)
			continue;
		if (winner == n || candidates[i].precision < candidates[winner].precision)
			winner = i;
	}
	return winner;
}

static bool ranks_before(const struct candidate *a, const struct candidate *b)
{
	if (a->reason != REASON_NONE || b->reason != REASON_NONE)
		return a->reason == REASON_NONE && b->reason != REASON_NONE;
	return a->precision < b->precision;
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
