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

static const char ticks_sentence[] =
	"cycles of this counter are wrong: the kernel or the firmware tells a wrong rate of its"
	" ticks";
static const char scaling_sentence[] =
	COUNTER_IS_NOT "its ticks can only be scaled near to persecond";

/* Who is to blame for a persecond that is neither the counter's nor the core's. */
enum teller { TELLER_FILE, TELLER_ENVIRONMENT, TELLER_NOBODY, TELLER_SYSTEM, TELLERS };

enum against { AGAINST_COUNTER, AGAINST_COUNTER_AND_CORE, AGAINST_CORE, AGAINSTS };

#define WRONG(why) \
	"persecond is not the counter's rate: " why, \
		"persecond is not the counter's rate: " why "; counter and core agree", \
		PERSECOND_IS_NOT why

static const char *const wrong[TELLERS][AGAINSTS] = {
	[TELLER_FILE] = { WRONG("the persecond file, which is asked before all other sources, says"
				" another frequency") },
	[TELLER_ENVIRONMENT] = { WRONG(
		"the environment variable cpucyclespersecond says another frequency") },
	[TELLER_NOBODY] = { WRONG("nobody tells a frequency, and this is the default") },
	[TELLER_SYSTEM] = { WRONG("the kernel or the firmware tells a wrong frequency") },
};

bool disagree_differ(uint64_t hz, uint64_t core_hz)
{
	uint64_t difference = hz > core_hz ? hz - core_hz : core_hz - hz;

	return hz && core_hz && difference > core_hz / 1000000 * DISAGREE_PPM;
}

static bool agree(uint64_t hz, uint64_t core_hz)
{
	return hz && core_hz && !disagree_differ(hz, core_hz);
}

static bool is_known(const char *fact)
{
	return *fact && strcmp(fact, "none") && strcmp(fact, "unknown");
}

static enum teller teller_of(enum persecond_source source)
{
	switch (source) {
	case PERSECOND_FILE:
		return TELLER_FILE;
	case PERSECOND_ENVIRONMENT:
		return TELLER_ENVIRONMENT;
	case PERSECOND_DEFAULT:
		return TELLER_NOBODY;
	default:
		return TELLER_SYSTEM;
	}
}

/* Whether persecond is meant to be the rate of the time-stamp counter. If its source does not say
 * what it speaks of, a number that agrees with the core is the core's. */
static bool is_of_tsc(const struct cache *cache)
{
	const bool is_cores = agree(cache->persecond.hz, cache->core.hz);

	switch (frequency_subject_of(cache->persecond.source)) {
	case FREQUENCY_OF_TSC:
		return true;
	case FREQUENCY_OF_EITHER:
		return !is_known(cache->facts[FACT_GOVERNOR]) && !is_cores;
	case FREQUENCY_OF_WISH:
	case FREQUENCY_OF_NOTHING:
		return !is_cores;
	case FREQUENCY_OF_CORE:
		break;
	}
	return false;
}

/*
 * Why the core's frequency is not the reference, in Hz. hidden: whether the reference is all that
 * the system knows of frequencies. Only then a hypervisor explains the difference: it gives its
 * guest the frequency of the time-stamp counter and hides the core's.
 */
static enum cause cause_of(const struct cache *cache, uint64_t reference, bool hidden)
{
	const char *governor = cache->facts[FACT_GOVERNOR], *kinds = cache->facts[FACT_KINDS];

	if (is_known(kinds) && strcmp(kinds, "1"))
		return CAUSE_KINDS;
	if (hidden && is_known(cache->facts[FACT_HYPERVISOR]))
		return CAUSE_HYPERVISOR;
	if (cache->core.hz > reference)
		return strcmp(cache->facts[FACT_TURBO], "on") ? CAUSE_FASTER : CAUSE_TURBO;
	if (!is_known(governor))
		return CAUSE_SLOWER;
	return strcmp(governor, "performance") ? CAUSE_SAVING : CAUSE_LIMITED;
}

/* persecond differs from the core. rate: the counter's; 0 if it has none. */
static const char *of_persecond(const struct cache *cache, uint64_t rate)
{
	const struct persecond *persecond = &cache->persecond;
	const bool hidden = !rate && persecond->source != PERSECOND_MEASURED;

	if (teller_of(persecond->source) != TELLER_SYSTEM)
		return wrong[teller_of(persecond->source)][AGAINST_CORE];
	return sentences[cause_of(cache, persecond->hz, hidden)][WHAT_PERSECOND];
}

/* A time-stamp counter, whose counts are its ticks. */
static const char *of_tsc(const struct cache *cache, uint64_t rate)
{
	const struct persecond *persecond = &cache->persecond;
	const bool hidden = agree(persecond->hz, rate) || persecond->source == PERSECOND_MEASURED;

	if (is_of_tsc(cache) && disagree_differ(persecond->hz, rate))
		return wrong[teller_of(persecond->source)][agree(rate, cache->core.hz) ?
								   AGAINST_COUNTER_AND_CORE :
								   AGAINST_COUNTER];
	if (disagree_differ(rate, cache->core.hz))
		return sentences[cause_of(cache, rate, hidden)][WHAT_COUNTER];
	return NULL;
}

/* A counter whose ticks are scaled to persecond, so that persecond explains what its rate is. */
static const char *of_scaled(const struct cache *cache, const struct candidate *c)
{
	const struct persecond *persecond = &cache->persecond;
	const uint64_t rate = c->measured.hz, core = cache->core.hz;

	/* Clocks keep time, so their ticks are as stated. */
	if (c->counter->class == COUNTER_OFF_CORE &&
	    disagree_differ(rate_scaled(c->hz, c->scaling.num, c->scaling.den), rate))
		return ticks_sentence;
	if (!disagree_differ(rate, core))
		return NULL;
	if (agree(persecond->hz, core))
		return scaling_sentence;
	if (teller_of(persecond->source) != TELLER_SYSTEM)
		return NULL; /* of_persecond knows why */
	return sentences[cause_of(cache, rate, true)][WHAT_COUNTER];
}

const char *disagree_sentence(const struct cache *cache, const struct candidate *counter)
{
	const uint64_t rate = counter ? counter->measured.hz : 0;
	const char *sentence = NULL;

	if (rate)
		sentence = counter->hz ? of_scaled(cache, counter) : of_tsc(cache, rate);
	if (!sentence && disagree_differ(cache->persecond.hz, cache->core.hz))
		sentence = of_persecond(cache, rate);
	return sentence;
}

const char *disagree_unsteady(const char *tsc)
{
	if (!strcmp(tsc, machine_tsc_name(MACHINE_TSC_VARIABLE)))
		return "the time-stamp counter is not invariant: its rate may change with the"
		       " core's";
	if (!strcmp(tsc, machine_tsc_name(MACHINE_TSC_UNSTABLE)))
		return "the kernel marked the time-stamp counter unstable";
	return NULL;
}
