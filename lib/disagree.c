/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "disagree.h"

#include <stddef.h>
#include <string.h>

enum what { WHAT_COUNTER, WHAT_PERSECOND, WHATS };

enum cause {
	CAUSE_KINDS,
	CAUSE_HYPERVISOR,
	CAUSE_TURBO,
	CAUSE_SAVING,
	CAUSE_LIMITED,
	CAUSE_FASTER,
	CAUSE_SLOWER,
	CAUSES
};

/* The sentence on a counter and the one on persecond that have the same cause. */
#define BOTH(cause) COUNTER_IS_NOT cause, PERSECOND_IS_NOT cause
#define COUNTER_IS_NOT "cycles of this counter are not core cycles: "
#define PERSECOND_IS_NOT "persecond is not the core's frequency: "

static const char *const sentences[CAUSES][WHATS] = {
	[CAUSE_KINDS] = { BOTH("the cores are of several kinds, and the fastest was measured") },
	[CAUSE_HYPERVISOR] = { BOTH("a virtual machine hides its core's clock") },
	[CAUSE_TURBO] = { BOTH("turbo raises the core above its nominal frequency") },
	[CAUSE_SAVING] = { BOTH("power saving keeps the core below its nominal frequency") },
	[CAUSE_LIMITED] = { BOTH(
		"the core runs below its nominal frequency, as power saving or heat make it") },
	[CAUSE_FASTER] = { BOTH("the core runs faster") },
	[CAUSE_SLOWER] = { BOTH("the core runs slower") },
};

bool disagree_differ(uint64_t hz, uint64_t core_hz)
{
	uint64_t difference = hz > core_hz ? hz - core_hz : core_hz - hz;

	return hz && core_hz && difference > core_hz / 1000000 * DISAGREE_PPM;
}

static bool is_known(const char *fact)
{
	return *fact && strcmp(fact, "none") && strcmp(fact, "unknown");
}

static bool is_saving(const char *governor)
{
	return is_known(governor) && strcmp(governor, "performance");
}

/* reference: the frequency that differs from the core's, in Hz. */
static enum cause cause_of(const struct cache *cache, uint64_t reference)
{
	const char *governor = cache->facts[FACT_GOVERNOR], *kinds = cache->facts[FACT_KINDS];

	if (is_known(kinds) && strcmp(kinds, "1"))
		return CAUSE_KINDS;
	if (is_known(cache->facts[FACT_HYPERVISOR]))
		return CAUSE_HYPERVISOR;
	if (cache->core.hz > reference)
		return strcmp(cache->facts[FACT_TURBO], "on") ? CAUSE_FASTER : CAUSE_TURBO;
	if (is_saving(governor))
		return CAUSE_SAVING;
	return is_known(governor) ? CAUSE_LIMITED : CAUSE_SLOWER;
}

const char *disagree_sentence(const struct cache *cache, struct rate counter)
{
	uint64_t persecond = cache->persecond.hz;

	if (disagree_differ(counter.hz, cache->core.hz))
		return sentences[cause_of(cache, counter.hz)][WHAT_COUNTER];
	if (disagree_differ(persecond, cache->core.hz))
		return sentences[cause_of(cache, persecond)][WHAT_PERSECOND];
	return NULL;
}
