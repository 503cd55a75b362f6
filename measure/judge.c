/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "judge.h"
#include "checks.h"

#include <assert.h>
#include <errno.h>
#include <math.h>

static const char *const units[] = {
	[CPUCYCLES_UNIT_CYCLES] = "cycles",
	[CPUCYCLES_UNIT_TICKS] = "ticks",
	[CPUCYCLES_UNIT_NS] = "ns",
};

const char *judge_unit(int unit)
{
	return units[unit];
}

static size_t rounds_of(const struct run *run)
{
	return atomic_load_explicit(&run->rounds, memory_order_acquire);
}

/* Of each work. */
static size_t samples_of(const struct run *run)
{
	return rounds_of(run) * run->places;
}

int judge_has_run(const struct run *run, size_t i)
{
	if (run->works == 0)
		return -ENODATA;
	if (i >= run->works)
		return -EINVAL;
	return rounds_of(run) > 0 ? 0 : -ENODATA;
}

int judge_has_samples(const struct run *run, size_t i)
{
	const int error = judge_has_run(run, i);

	if (error)
		return error;
	return run->watch.lost ? -EAGAIN : 0;
}

/*
 * Whether the halves of the samples differ, which take turns. Between two samples of a work's
 * second place there are five or seven samples of the work, and so an odd number of single calls. A
 * work whose calls take turns, too, shows its two halves there.
 */
static bool halves_differ(struct judge_findings *f, double resolution)
{
	const struct run *const run = f->run;
	const double *samples = run->tracks[f->work].samples;
	size_t n = (size_t)f->result.samples;

	if (run->places > 1) {
		n /= run->places;
		for (size_t round = 0; round < n; round++)
			run->scratch[round] = samples[round * run->places + 1];
		samples = run->scratch;
	}
	return checks_halves(samples, n, resolution, run->scratch + n, &f->halves[0],
			     &f->halves[1]);
}

static const double *const *places_of(const struct track *track)
{
	return (const double *const *)track->blocks;
}

static uint64_t when(bool found, uint64_t warning)
{
	return found ? warning : 0;
}

/* The result, but for the warnings that need the samples in the order in which they came. */
static void find_result(struct judge_findings *f)
{
	const struct run *const run = f->run;
	const double resolution = f->instrument->resolution / run->iterations;
	const size_t n = samples_of(run);
	const double *const sorted = run->scratch;
	struct cpucycles_result *const r = &f->result;

	statistics_take(run->tracks[f->work].samples, 1, n, run->scratch);
	r->min = sorted[0];
	r->q1 = statistics_quantile(sorted, n, 0.25);
	r->median = statistics_quantile(sorted, n, 0.5);
	r->q3 = statistics_quantile(sorted, n, 0.75);
	r->iqm = statistics_smooth_iqm(sorted, n, resolution);
	f->mean = statistics_mean(sorted, statistics_most(n));
	r->warnings =
		when(checks_tail(sorted, n, r->iqm, resolution, &f->tail), CPUCYCLES_WARNING_TAIL);
	judge_median(sorted, n, &r->low, &r->high);
	r->samples = n;
	r->iterations = run->iterations;
}

/* What is wrong with the samples. The result is known. Cycles of the core are exact: a short sample
 * of them is not coarse. After an overhead that was too high, the samples say nothing more. */
static uint64_t find_in_samples(struct judge_findings *f)
{
	const struct run *const run = f->run;
	const struct track *const track = &run->tracks[f->work];
	const double step = f->instrument->resolution, resolution = step / run->iterations;
	const double median = f->result.median * run->iterations;

	f->steps = median / step;
	if (judge_is_below_nothing(f->steps))
		return CPUCYCLES_WARNING_RESOLUTION;
	return when(f->source->unit != CPUCYCLES_UNIT_CYCLES && checks_step(median, step),
		    CPUCYCLES_WARNING_RESOLUTION) |
	       when(checks_loop(f->result.median, run->loop), CPUCYCLES_WARNING_LOOP) |
	       when(halves_differ(f, resolution), CPUCYCLES_WARNING_HALVES) |
	       when(checks_drift(track->samples, (size_t)f->result.samples, resolution,
				 run->scratch, &f->smallest, &f->largest),
		    CPUCYCLES_WARNING_DRIFT) |
	       when(run->places > 1 && verdict_carryover(places_of(track), run->blocks,
							 run->scratch, &f->carryover),
		    CPUCYCLES_WARNING_CARRYOVER);
}

/* What is wrong with the run that the work was in, and what the work has left behind. */
static uint64_t find_in_run(struct judge_findings *f)
{
	const struct watch *const w = &f->run->watch;
	const struct source *const source = f->source;

	return when(w->backwards, CPUCYCLES_WARNING_BACKWARDS) |
	       when(w->ns > 0 && checks_rate(w->counts * source->units, w->ns,
					     w->ns_error + f->instrument->resolution_ns, source->hz,
					     source->hz_ppm, &f->rate),
		    CPUCYCLES_WARNING_RATE) |
	       when(unrestored_any(&f->run->tracks[f->work].unrestored), CPUCYCLES_WARNING_STATE) |
	       when(w->moves, CPUCYCLES_WARNING_MOVED) |
	       when(checks_frequency(w->before, w->after), CPUCYCLES_WARNING_FREQUENCY);
}

/* The interquartile mean as time. Its interval is as wide as that of the median. */
static void find_ns(struct judge_findings *f)
{
	struct cpucycles_result *const r = &f->result;
	struct judge_time time = { 0 };
	double half;

	judge_add_time(f->run, f->source, f->instrument, &time);
	f->ns_per_unit = judge_ns_per_unit(&time, f->source->unit, f->source->hz, &f->ns_error);
	r->ns = r->iqm * f->ns_per_unit;
	half = judge_half_ns(judge_half(r->median, r->low, r->high,
					f->instrument->resolution / r->iterations),
			     r->ns, f->ns_per_unit, f->ns_error);
	half = half > 0 ? half : INFINITY;
	r->ns_low = r->ns - half;
	r->ns_high = r->ns + half;
}

int judge_find(const struct run *run, const struct source *source,
	       const struct instrument *instrument, size_t i, struct judge_findings *f)
{
	const int error = judge_has_samples(run, i);

	if (error)
		return error;
	*f = (struct judge_findings){
		.run = run,
		.source = source,
		.instrument = instrument,
		.work = i,
		.result.size = sizeof f->result,
	};
	find_result(f);
	f->result.warnings |= find_in_run(f);
	f->result.warnings |= find_in_samples(f);
	f->result.warnings |= judge_cycles(f);
	find_ns(f);
	if (i > 0)
		judge_compare(run, i, &f->verdict);
	return 0;
}

/* A counter of this thread's cycles stands still while another thread has the CPU, and a clock does
 * not: so such cycles become time by the frequency of the core. */
void judge_add_time(const struct run *run, const struct source *source,
		    const struct instrument *instrument, struct judge_time *time)
{
	const struct watch *w = &run->watch;
	const double hz = (w->before + w->after) / 2;

	if (!(w->ns > 0) || w->lost)
		return;
	time->ns += w->ns;
	if (source->unit == CPUCYCLES_UNIT_CYCLES && source->own_thread && w->before > 0 &&
	    w->after > 0) {
		time->units += w->ns * 1e-9 * hz;
		time->ns_error += w->ns * fabs(w->after - w->before) / (2 * hz);
		return;
	}
	time->units += w->counts * source->units;
	time->ns_error += w->ns_error + instrument->resolution_ns;
}

/* A time that is less certain than this part of it is none. Where the core changes its frequency,
 * the time of a cycle is not one number: the digits say so, and a warning. */
#define TIME_ERROR 0.01
#define TIME_ERROR_OF_CYCLES 0.1

double judge_ns_per_unit(const struct judge_time *time, int unit, uint64_t hz, double *error)
{
	const double most = unit == CPUCYCLES_UNIT_CYCLES ? TIME_ERROR_OF_CYCLES : TIME_ERROR;

	*error = 0;
	if (unit == CPUCYCLES_UNIT_NS)
		return 1;
	if (!(time->units > 0) || !(time->ns_error < most * time->ns))
		return hz ? 1e9 / (double)hz : (double)NAN;
	*error = time->ns_error / time->ns;
	return time->ns / time->units;
}

int judge_samples(const struct run *run, size_t i, const double **samples, size_t *n)
{
	const int error = judge_has_samples(run, i);

	if (error)
		return error;
	*samples = run->tracks[i].samples;
	*n = samples_of(run);
	return 0;
}

void judge_compare(const struct run *run, size_t i, struct verdict *verdict)
{
	verdict_judge(places_of(&run->tracks[0]), places_of(&run->tracks[i]), run->blocks,
		      verdict_share(run->alpha, verdict_look(run->look, run->looked, run->blocks)),
		      run->scratch, verdict);
}

bool judge_is_decided(const struct run *run)
{
	for (size_t i = 1; i < run->works; i++) {
		struct verdict verdict;

		judge_compare(run, i, &verdict);
		if (verdict.kind == VERDICT_CANNOT_TELL)
			return false;
	}
	return true;
}

uint64_t judge_needed(const struct run *run, const struct verdict *verdict)
{
	return (uint64_t)verdict->needed * run->block * run->places;
}

static_assert((int)VERDICT_CANNOT_TELL == CPUCYCLES_VERDICT_CANNOT_TELL &&
		      (int)VERDICT_FASTER == CPUCYCLES_VERDICT_FASTER &&
		      (int)VERDICT_SLOWER == CPUCYCLES_VERDICT_SLOWER,
	      "a kind is given as it is");

void judge_verdict(const struct judge_findings *f, struct cpucycles_verdict *verdict)
{
	const struct verdict *const found = &f->verdict;

	*verdict = (struct cpucycles_verdict){
		.size = sizeof *verdict,
		.verdict = (int)found->kind,
		.ratio = found->ratio,
		.low = found->low,
		.high = found->high,
		.floor = found->floor,
		.samples_needed = judge_needed(f->run, found),
	};
}

double judge_log_ratio(const struct run *run, size_t i, size_t baseline)
{
	if (i >= run->works || baseline >= run->works || run->places < VERDICT_PLACES)
		return NAN;
	return verdict_log_ratio(places_of(&run->tracks[baseline]), places_of(&run->tracks[i]),
				 run->blocks, run->scratch);
}
