/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "log.h"
#include "probe.h"
#include "rate.h"
#include "regress.h"
#include "restamp.h"

#include <inttypes.h>
#include <string.h>

#define PPM 1000000

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

bool restamp_same_estimate(const struct persecond *old, const struct persecond *estimate)
{
	if (old->source == PERSECOND_MEASURED && estimate->source == PERSECOND_DEFAULT)
		return true;
	if (old->source != estimate->source)
		return false;
	if (estimate->source == PERSECOND_FILE)
		return old->hz == estimate->hz;
	return distance(old->hz, estimate->hz) <= estimate->hz / PPM * RESTAMP_ESTIMATE_PPM;
}

bool restamp_same_core(struct rate old, struct rate new)
{
	if (old.hz == 0 || new.hz == 0)
		return old.hz == 0;
	return regress_overlap(old, new);
}

bool restamp_may_keep(const struct persecond *old, struct rate core)
{
	const uint32_t ppm = core.ppm < RESTAMP_ESTIMATE_PPM ? core.ppm : RESTAMP_ESTIMATE_PPM;

	return old->source == PERSECOND_MEASURED &&
	       (double)distance(old->hz, core.hz) <= (double)core.hz * ppm / PPM;
}

uint64_t restamp_precision(const struct counter *counter, uint64_t precision,
			   uint64_t old_persecond, uint64_t persecond)
{
	const uint64_t penalty = selection_penalty(counter), step = precision - penalty;
	double scaled;

	if (counter->class != COUNTER_OS_CLOCK)
		return precision;
	scaled = (double)step * (double)persecond / (double)old_persecond + 0.5;
	return penalty + (scaled < 1 ? 1 : (uint64_t)scaled);
}

/* Whether the counter is set up and read at this persecond as it was: at its rate, and with its
 * scaling. A rate that neither the CPU nor the OS tells is measured, a little differently each
 * time. A clock has another scaling with each persecond. */
static bool still_works(const struct candidate *old, uint64_t persecond, struct ratio *scaling)
{
	struct candidate now = { 0 };
	const bool works = probe_briefly(old->counter, persecond, 0, &now);

	if (works)
		probe_teardown(old->counter);
	*scaling = now.scaling;
	if (works && distance(old->hz, now.hz) <= old->hz / (PPM / RATE_TOLD_PPM) &&
	    (old->counter->class == COUNTER_OS_CLOCK ||
	     (now.scaling.num == old->scaling.num && now.scaling.den == old->scaling.den)))
		return true;
	log_line(LOG_INFO, "%s no longer works as recorded", old->counter->name);
	return false;
}

bool restamp_take_ranking(const struct cache *old, struct cache *new)
{
	uint64_t last = 0;

	new->usable = old->usable;
	memcpy(new->candidates, old->candidates, sizeof new->candidates);
	for (size_t i = 0; i < new->usable; i++) {
		struct candidate *c = &new->candidates[i];

		if (!still_works(&old->candidates[i], new->persecond.hz, &c->scaling))
			return false;
		c->precision = restamp_precision(c->counter, c->precision, old->persecond.hz,
						 new->persecond.hz);
		if (c->precision < last) {
			log_line(LOG_INFO, "%s ranks differently at this frequency",
				 c->counter->name);
			return false;
		}
		last = c->precision;
	}
	return true;
}

/* The rate that the old one would have with the new scaling. */
static double rescaled(const struct candidate *old, const struct candidate *new)
{
	return (double)old->measured.hz * (double)new->scaling.num /
	       (double)new->scaling.den *(double)old->scaling.den / (double)old->scaling.num;
}

/* A rate that is measured for the first time agrees with none before. */
static bool same_measured(const struct candidate *old, const struct candidate *new)
{
	const double was = rescaled(old, new), is = (double)new->measured.hz;
	const double bounds = (double)old->measured.ppm + (double)new->measured.ppm;
	const double most = bounds > RESTAMP_RATE_PPM ? bounds : RESTAMP_RATE_PPM;

	if (old->measured.hz == 0 || new->measured.hz == 0)
		return new->measured.hz != 0 || old->measured.hz == 0;
	return (is > was ? is - was : was - is) <= was / PPM * most;
}

bool restamp_same_rates(const struct cache *old, const struct cache *new)
{
	for (size_t i = 0; i < new->usable; i++) {
		if (same_measured(&old->candidates[i], &new->candidates[i]))
			continue;
		log_line(LOG_INFO, "rate: %s: %" PRIu64 " Hz, in the cache %" PRIu64 " Hz",
			 new->candidates[i].counter->name, new->candidates[i].measured.hz,
			 old->candidates[i].measured.hz);
		return false;
	}
	return true;
}
