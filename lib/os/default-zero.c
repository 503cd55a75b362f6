/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Always zero. It is chosen only when no other counter works. */

#include "config.h"

#include "counter.h"

static int setup(const struct counter_conditions *conditions)
{
	(void)conditions;
	return 0;
}

static long long read_zero(void)
{
	return 0;
}

const struct counter cpucycles_counter_default_zero = {
	.name = "default-zero",
	.class = COUNTER_LAST_RESORT,
	.width = 64,
	.setup = setup,
	.read = read_zero,
	.caveat = "counts nothing: no counter and no clock works in this process",
};
