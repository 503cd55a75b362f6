/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "regress.h"

#include <stdlib.h>

#define NS_PER_S 1e9
#define PPM 1e6

/* Counts per ns: more than any counter has. */
#define SLOPE_MAX 1e30

/* The shortest time is taken if two others are at most this many times as long, or a step longer.
 */
#define BEST_CONFIRMED 1.01

/* A pair relative to the first pair of its run, which keeps the numbers small enough for a double
 * to be exact. */
struct point {
	double before, after, ns;
	int line; /* -1: discarded */
};

/* A line that passes between before and after of each of its points: the slopes it may have. */
struct line {
	double low, high;   /* counts per ns */
	double first, last; /* ns */
	double widest;      /* of its points: counts from before to after */
	size_t n;
};

struct work {
	size_t n;
	double step, clock_step;
	double width; /* median of all points: counts from before to after */
	struct line lines[REGRESS_LINES_MAX];
	size_t lines_n;
	/* Last, so that few pages of memory are used if n is small. */
	struct point points[REGRESS_PAIRS_MAX];
};

/* Here, because the project does not link libm. */
static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static int compare_numbers(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median_width(const struct work *w)
{
	double widths[REGRESS_PAIRS_MAX];

	for (size_t i = 0; i < w->n; i++)
		widths[i] = w->points[i].after - w->points[i].before;
	qsort(widths, w->n, sizeof widths[0], compare_numbers);
	return widths[w->n / 2];
}

static void take_points(const struct regress_run *run, struct work *w)
{
	const struct regress_pair *first = run->pairs;

	w->lines_n = 0; /* not the whole of *w, because a slow core takes long to clear 16 KB */
	w->step = (double)run->step;
	w->clock_step = (double)run->clock_step;
	w->n = run->n < REGRESS_PAIRS_MAX ? run->n : REGRESS_PAIRS_MAX;
	for (size_t i = 0; i < w->n; i++) {
		const struct regress_pair *pair = &run->pairs[i];

		w->points[i] = (struct point){
			.before = (double)(int64_t)(pair->before - first->before),
			.after = (double)(int64_t)(pair->after - first->before),
			.ns = (double)(int64_t)(pair->ns - first->ns),
			.line = -1,
		};
	}
	w->width = median_width(w);
}

/*
 * Narrow the slopes to those of lines that pass through both points. The true count lies up to a
 * step above what was read, and the true time up to a step of the clock.
 */
static void narrow(const struct work *w, const struct point *a, const struct point *b,
		   struct line *line)
{
	double ns = b->ns - a->ns;
	double low = (b->before - a->after - w->step) / (ns + w->clock_step);
	double high = (b->after - a->before + w->step) / (ns - w->clock_step);

	if (ns <= w->clock_step)
		return;
	line->low = larger(line->low, low);
	line->high = smaller(line->high, high);
}

/* False: the point does not fit on that line, which has not changed. */
static bool join(struct work *w, size_t i, int number)
{
	struct line *line = &w->lines[number], now = *line;
	const struct point *point = &w->points[i];

	if (point->ns < line->last)
		return false;
	for (size_t j = 0; j < i; j++)
		if (w->points[j].line == number)
			narrow(w, &w->points[j], point, &now);
	if (now.low > now.high)
		return false;
	now.last = point->ns;
	now.widest = larger(now.widest, point->after - point->before);
	now.n++;
	*line = now;
	w->points[i].line = number;
	return true;
}

/* Put the point on the first line that it fits on, or begin a line with it. */
static void place(struct work *w, size_t i)
{
	const struct point *point = &w->points[i];

	if (point->after < point->before ||
	    point->after - point->before > REGRESS_WIDTH_MAX * w->width + w->step)
		return;
	for (size_t line = 0; line < w->lines_n; line++)
		if (join(w, i, (int)line))
			return;
	if (w->lines_n == REGRESS_LINES_MAX)
		return;
	w->points[i].line = (int)w->lines_n;
	w->lines[w->lines_n++] = (struct line){
		.high = SLOPE_MAX,
		.first = point->ns,
		.last = point->ns,
		.widest = point->after - point->before,
		.n = 1,
	};
}

static double least_squares(const struct work *w, int line)
{
	double n = (double)w->lines[line].n, x = 0, y = 0, xx = 0, xy = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct point *p = &w->points[i];

		x += p->line == line ? p->ns / n : 0;
		y += p->line == line ? (p->before / 2 + p->after / 2) / n : 0;
	}
	for (size_t i = 0; i < w->n; i++) {
		const struct point *p = &w->points[i];

		if (p->line != line)
			continue;
		xx += (p->ns - x) * (p->ns - x);
		xy += (p->ns - x) * (p->before / 2 + p->after / 2 - y);
	}
	return xx > 0 ? xy / xx : 0;
}

/* Where long enough parts of the run have rates that exclude each other, no part is known to be the
 * right one: the bound reaches to all of them. */
static void reach_all(const struct work *w, struct line *line)
{
	for (size_t i = 0; i < w->lines_n; i++) {
		const struct line *other = &w->lines[i];

		if (other->n < REGRESS_PAIRS_MIN ||
		    (other->low <= line->high && other->high >= line->low))
			continue;
		line->low = smaller(line->low, other->low);
		line->high = larger(line->high, other->high);
	}
}

/*
 * By how much a jump that is too small to be seen can change the slope of a line. The jump parts
 * the line in two. At either end of each part the line is off by at most the widest point, so the
 * longer part limits the error of the slope. The worst place for the jump is where the longer part
 * is shortest.
 */
static double hidden_jump(const struct work *w, int number, double slope)
{
	const struct line *line = &w->lines[number];
	double last = line->first, shortest = line->last - line->first;

	for (size_t i = 0; i < w->n; i++) {
		const struct point *p = &w->points[i];

		if (p->line != number)
			continue;
		shortest = smaller(shortest, larger(last - line->first, line->last - p->ns));
		last = p->ns;
	}
	return 2 * (line->widest + w->step + slope * w->clock_step) / shortest;
}

static struct rate make_rate(double hz, double error)
{
	double ppm = (error + 0.5) / hz * PPM; /* 0.5: rounding to whole Hz */
	struct rate rate = { 0 };

	/* In this form, not-a-number is refused too. */
	if (!(hz >= (double)RATE_SANE_MIN_HZ && hz <= (double)RATE_SANE_MAX_HZ) ||
	    !(ppm <= PPM - 1))
		return rate;
	rate.hz = (uint64_t)(hz + 0.5);
	rate.ppm = (uint32_t)ppm + 1; /* rounded up */
	return rate;
}

struct rate regress_rate(const struct regress_run *run, struct regress_report *report)
{
	struct work w;
	struct line line;
	int best = 0;
	double slope, error;

	*report = (struct regress_report){ 0 };
	if (run->n < REGRESS_PAIRS_MIN)
		return (struct rate){ 0 };
	take_points(run, &w);
	for (size_t i = 0; i < w.n; i++)
		place(&w, i);
	if (w.lines_n == 0)
		return (struct rate){ 0 };
	for (size_t i = 1; i < w.lines_n; i++)
		if (w.lines[i].n > w.lines[best].n)
			best = (int)i;
	line = w.lines[best];
	*report = (struct regress_report){ line.n, w.lines_n, (uint64_t)(line.last - line.first) };
	if (line.n < REGRESS_PAIRS_MIN || line.last <= line.first)
		return (struct rate){ 0 };
	slope = smaller(larger(least_squares(&w, best), line.low), line.high);
	reach_all(&w, &line);
	error = larger(line.high - slope, slope - line.low);
	error = larger(error, hidden_jump(&w, best, slope));
	if (error > slope * REGRESS_ERROR_MAX)
		return (struct rate){ 0 };
	return make_rate(slope * NS_PER_S, error * NS_PER_S);
}

static int compare_times(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* A number, and by how much it may be off. */
struct about {
	double value, error;
};

/* The smallest of the values that two others confirm, and how far above it the smallest quarter
 * reaches. False: no three agree. The values get sorted. */
static bool smallest(uint64_t values[], size_t n, uint64_t step, struct about *least)
{
	size_t best = 0;

	qsort(values, n, sizeof values[0], compare_times);
	while (best + 2 < n &&
	       (values[best] == 0 ||
		(double)values[best + 2] > (double)values[best] * BEST_CONFIRMED + (double)step))
		best++;
	if (n < REGRESS_PAIRS_MIN || best + 2 >= n)
		return false;
	least->value = (double)values[best];
	least->error = (double)values[best + (n - best) / 4] - least->value;
	return true;
}

/* How much more the long work takes than the short one. Each of the two is a difference of two
 * readings, and is off by less than a step. */
static bool difference(const struct regress_batches *b, struct about *more)
{
	struct about brief, whole;

	if (!smallest(b->brief, b->n, b->step, &brief) ||
	    !smallest(b->whole, b->n, b->step, &whole))
		return false;
	more->value = whole.value - brief.value;
	more->error = whole.error + brief.error + 2 * (double)b->step;
	return more->value > more->error;
}

static struct rate quotient(struct about cycles, struct about ns)
{
	const double hz = cycles.value / ns.value * NS_PER_S;
	const double highest = (cycles.value + cycles.error) / (ns.value - ns.error) * NS_PER_S;

	return make_rate(hz, highest - hz);
}

struct rate regress_best(struct regress_batches times, uint64_t cycles)
{
	struct about ns;

	if (!difference(&times, &ns))
		return (struct rate){ 0 };
	return quotient((struct about){ (double)cycles, 0 }, ns);
}

struct rate regress_counted(struct regress_batches times, struct regress_batches counts)
{
	struct about ns, cycles;

	if (!difference(&times, &ns) || !difference(&counts, &cycles))
		return (struct rate){ 0 };
	return quotient(cycles, ns);
}

bool regress_overlap(struct rate a, struct rate b)
{
	const double apart = (double)a.hz - (double)b.hz;
	const double bounds = ((double)a.hz * a.ppm + (double)b.hz * b.ppm) / PPM;

	return -bounds <= apart && apart <= bounds;
}
