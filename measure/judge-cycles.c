/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* From samples and chains to cycles of the core. */

#include "config.h"

#include "judge.h"

#include <assert.h>

/* A counter of the core's cycles that differs from the chain by more than this part counts
 * something else. */
#define APART 0.02

/* A figure may be off by this part of a step of the counter. */
#define STEP_PART 0.25

/* A core is as slow as the looks from this quantile on. */
#define SLOW_FROM 0.9

/* See find_stretch(). */
struct stretch {
	double by, low, high;
};

static_assert(CYCLES_LOOKS <= INSTRUMENT_PAIRS, "a value of each look fits into the scratch");

double judge_slow_units_per_cycle(const struct run *run)
{
	const struct cycles_looks *const looks = &run->looks;

	if (looks->n == 0)
		return 0;
	cycles_median(looks, 1, cycles_units, run->scratch); /* sorts them */
	return statistics_quantile(run->scratch, looks->n, SLOW_FROM);
}

/* How many times as long a chain takes that is as long as the work's samples, because the machine
 * interrupts it; and between which bounds. False: there is none. */
static bool find_stretch(const struct cycles_looks *looks, size_t work, double room[],
			 struct stretch *stretch)
{
	size_t n = 0;

	for (size_t i = 0; i < looks->n; i++) {
		const struct cycles_look *const look = &looks->of[i];

		if (look->work == work && look->alike_rounds)
			room[n++] = (look->alike - look->xors[0]) / cycles_units(looks, i) /
				    CHAIN_ROUND_CYCLES /
				    (double)(look->alike_rounds - looks->rounds);
	}
	if (n == 0)
		return false;
	statistics_sort(room, n);
	stretch->by = statistics_iqm(room, n);
	judge_median(room, n, &stretch->low, &stretch->high);
	return stretch->by > 0;
}

/* Cycles per call of each sample that counts, by the look before it. Returns their number. */
static size_t convert(struct judge_findings *f, double slowness, double cycles[])
{
	const struct run *const run = f->run;
	const struct cycles_looks *const looks = &run->looks;
	const struct track *const track = &run->tracks[f->work];
	size_t n = 0, look = 0;

	for (size_t i = 0; i < f->result.samples; i++) {
		struct cycles_scale scale;

		while (look + 1 < looks->n && looks->of[look + 1].round <= i / run->places)
			look++;
		scale = cycles_scale_of(looks, look, slowness);
		if (track->interrupted[i])
			f->result.cycles_interrupted++;
		else if (scale.per > 0)
			cycles[n++] = cycles_by(&scale, track->samples[i] * run->iterations) /
				      run->iterations;
	}
	return n;
}

/* Why there are too few samples: a long one is always interrupted. */
static int too_few(const struct cpucycles_result *r)
{
	return r->iqm * r->iterations > CYCLES_MOST * r->units_per_cycle ?
		       CPUCYCLES_CYCLES_TOO_LONG :
		       CPUCYCLES_CYCLES_TOO_FEW;
}

/* The interquartile mean, and the interval of the median: infinite, if few samples or chains allow
 * none. Returns where they come from. */
static int find_cycles(struct judge_findings *f, double slowness)
{
	const struct cycles_looks *const looks = &f->run->looks;
	struct cpucycles_result *const r = &f->result;
	double *const cycles = f->run->scratch;
	const size_t n = convert(f, slowness, cycles);
	const double longest = (double)(CYCLES_LONGER * looks->rounds * CHAIN_ROUND_CYCLES);
	const double step = f->instrument->resolution / r->units_per_cycle / r->iterations;
	struct stretch stretch = { 1, 1, 1 };
	double bound;

	if (n == 0)
		return too_few(r);
	statistics_sort(cycles, n);
	if (statistics_quantile(cycles, n, 0.5) * r->iterations > longest &&
	    !find_stretch(looks, f->work, cycles + n, &stretch))
		return too_few(r);
	r->cycles = statistics_smooth_iqm(cycles, n, step) / stretch.by;
	if (r->cycles * r->iterations > CYCLES_MOST)
		return CPUCYCLES_CYCLES_TOO_LONG;
	judge_median(cycles, n, &r->cycles_low, &r->cycles_high);
	/* Of a coarse counter, the median of all samples is one of few values. */
	bound = cycles_bound(r->cycles, r->iterations) + step * STEP_PART;
	if (stretch.low > 0) {
		r->cycles_low = fmin(r->cycles, r->cycles_low / stretch.high) - bound;
		r->cycles_high = fmax(r->cycles, r->cycles_high / stretch.low) + bound;
	} else {
		r->cycles_low = -INFINITY;
		r->cycles_high = INFINITY;
	}
	return CPUCYCLES_CYCLES_CHAIN;
}

uint64_t judge_cycles(struct judge_findings *f)
{
	const struct cycles_looks *const looks = &f->run->looks;
	struct cpucycles_result *const r = &f->result;
	double slowness = 0;

	if (looks->n) {
		slowness = cycles_slowness(looks, f->run->scratch);
		r->units_per_cycle = cycles_median(looks, 1, cycles_units, f->run->scratch);
	}
	if (slowness > 0)
		r->units_per_cycle /= slowness;
	if (f->source->unit == CPUCYCLES_UNIT_CYCLES) {
		const double counted = r->units_per_cycle;

		r->cycles_from = CPUCYCLES_CYCLES_COUNTER;
		r->cycles = r->iqm;
		r->cycles_low = r->low;
		r->cycles_high = r->high;
		r->units_per_cycle = 1;
		f->counted = counted;
		return slowness > 0 && fabs(counted - 1) > APART ? CPUCYCLES_WARNING_CYCLES : 0;
	}
	if (slowness > 0)
		r->cycles_from = find_cycles(f, slowness);
	else
		r->cycles_from = looks->missing ? looks->missing :
				 looks->n       ? CPUCYCLES_CYCLES_EMULATED :
						  CPUCYCLES_CYCLES_TOO_FEW;
	if (r->cycles_from != CPUCYCLES_CYCLES_CHAIN)
		r->cycles = r->cycles_low = r->cycles_high = NAN;
	return 0;
}
