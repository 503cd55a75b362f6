/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "counters.h"
#include "hash.h"
#include "text.h"

#define COUNTER(symbol) extern const struct counter cpucycles_counter_##symbol;
#include "counters.inc"
#undef COUNTER

const struct counter *const counters_list[] = {
#define COUNTER(symbol) &cpucycles_counter_##symbol,
#include "counters.inc"
#undef COUNTER
};

const size_t counters_count = sizeof counters_list / sizeof counters_list[0];

_Static_assert(sizeof counters_list / sizeof counters_list[0] <= COUNTERS_MAX,
	       "raise COUNTERS_MAX");

size_t counters_find(const char *name)
{
	size_t i = 0;

	while (i < counters_count && !text_is(counters_list[i]->name, name))
		i++;
	return i;
}

uint64_t counters_hash(void)
{
	/* configure has summed the names, so a first call need not. The sum has 32 bits. */
	return hash_step(HASH_START, COUNTERS_SUM);
}

const struct counter *counters_last_resort(void)
{
	return counters_list[counters_count - 1];
}
