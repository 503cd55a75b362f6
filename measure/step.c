/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "step.h"

#include "statistics.h"

#include <math.h>
#include <stdbool.h>

/* Differences of more than LONGEST times the shortest ones are left out, because a small error of
 * the step becomes a large one in them. */
#define LONGEST 16

/* A step is sought among the first PARTS_MAX parts of a difference. If the shortest difference that
 * is ever read has more steps, their size does not matter. */
#define PARTS_MAX 1000

/* Parts of the ORIGINS shortest differences are tried, because one may be wrong. */
#define ORIGINS 3

/* While a step is sought, the tolerance is wider by this excess than in the end, because the step
 * is not exact yet. The steps that are tried lie so close that the farthest difference moves by the
 * excess from one to the next. */
#define ROUGH_EXCESS 0.5

/* To see quickly that a step does not fit, look at GLANCE of the differences first. */
#define GLANCE 32
#define GLANCE_MISSES 4

/* A longer difference is none: it is no count of a short work, and a double has too few digits to
 * hold parts of a unit next to it. */
#define DIFFERENCE_MAX 0x1p40

/* How sure a step must be: chance makes differences fit once in e to this power. */
#define EVIDENCE 8.0

/* Of the differences at other multiples than the most frequent one, OTHERS_PERCENT have to fit. */
#define OTHERS_PERCENT 90

/* Sorted differences above 0, how many more were below 0, and how far they may be off. */
struct differences {
	const double *values;
	size_t n, negative;
	double tolerance;
};

static double off(double difference, double step)
{
	return fabs(difference - step * round(difference / step));
}

/* The chance that a difference is within the tolerance. With a tolerance of 1 and a step from 4 on,
 * it is the chance of three whole numbers in a step, and for 4 and 5 a little more, because the
 * step may be no whole number. */
static double chance_of(const struct differences *d, double step)
{
	if (step < 4 * d->tolerance)
		return 0.5;
	return step < 6 * d->tolerance ? 0.75 : (1 + 2 * d->tolerance) / step;
}

static size_t allowed(size_t n)
{
	return n * (100 - STEP_FIT_PERCENT) / 100;
}

/* Look at differences that are so far from one another in order. */
static bool misses_few(const struct differences *d, double step, size_t apart, size_t misses,
		       size_t most)
{
	for (size_t i = 0; i < d->n; i += apart)
		if (off(d->values[i], step) > d->tolerance + ROUGH_EXCESS && ++misses > most)
			return false;
	return true;
}

/* At a glance, every 7th difference or so, since neighbours in order tell the same. */
static bool fits_roughly(const struct differences *d, double step)
{
	return misses_few(d, step, d->n / GLANCE + 1, 0, GLANCE_MISSES) &&
	       misses_few(d, step, 1, d->negative, allowed(d->n + d->negative));
}

/* The step for which the squares of what is off are least, among the steps that fit roughly. */
static double refine(const struct differences *d, double step)
{
	double product = 0, square = 0;

	for (size_t i = 0; i < d->n; i++) {
		const double multiple = round(d->values[i] / step);

		if (off(d->values[i], step) <= d->tolerance + ROUGH_EXCESS) {
			product += multiple * d->values[i];
			square += multiple * multiple;
		}
	}
	return square > 0 ? product / square : step;
}

/*
 * Whether enough differences fit, and not by chance: all differences of about the same length fit
 * one step. So differences at other multiples than the most frequent one are the evidence.
 */
static bool fits(const struct differences *d, size_t zeros, double step)
{
	/* Of a small step every difference would be within the tolerance. So it must be within a
	 * quarter of the step, too, which half of all differences are by chance. */
	const double tolerance = fmin(d->tolerance, step / 4);
	size_t misses = d->negative, run = zeros, most = 0, others;
	double last = 0;

	for (size_t i = 0; i < d->n; i++) {
		const double multiple = round(d->values[i] / step);

		if (off(d->values[i], step) > tolerance) {
			misses++;
			continue;
		}
		if (multiple != last) {
			most = run > most ? run : most;
			run = 0;
			last = multiple;
		}
		run++;
	}
	most = run > most ? run : most;
	others = zeros + d->n + d->negative - most;
	return misses <= allowed(d->n + d->negative) &&
	       (double)misses * 100 <= (double)others * (100 - OTHERS_PERCENT) &&
	       (double)(others - misses) * -log(chance_of(d, step)) >= EVIDENCE;
}

/* The largest step of 4 and more that is a part of this difference, or 0. */
static double part_of(double origin, const struct differences *d, size_t zeros)
{
	for (size_t parts = 1; parts <= PARTS_MAX; parts++) {
		const double high = (origin + d->tolerance) / (double)parts;
		const double low = (origin - d->tolerance) / (double)parts;
		const double apart = ROUGH_EXCESS * high / d->values[d->n - 1];

		if (high < 4)
			break;
		for (double step = high; step >= low && step >= 4; step -= apart) {
			double exact;

			if (!fits_roughly(d, step))
				continue;
			exact = refine(d, refine(d, step));
			if (fits(d, zeros, exact))
				return exact;
		}
	}
	return 0;
}

double step_find(double differences[], size_t n, double rounding)
{
	struct differences d = { .tolerance = STEP_TOLERANCE + rounding };
	size_t zeros = 0, first;
	double best = 0;

	for (size_t i = 0; i < n; i++) {
		if (differences[i] > 0 && differences[i] < DIFFERENCE_MAX)
			differences[d.n++] = differences[i];
		else if (differences[i] == 0)
			zeros++;
		else
			d.negative++;
	}
	if (d.n == 0)
		return 0;
	statistics_sort(differences, d.n);
	d.values = differences;
	/* One length alone is no evidence of any step, and takes long to be tried with all. */
	if (zeros == 0 && differences[0] == differences[d.n - 1])
		return 1;
	first = allowed(d.n);
	while (differences[d.n - 1] > LONGEST * differences[first])
		d.n--;
	for (size_t i = 0; i < ORIGINS; i++)
		best = fmax(best, part_of(differences[first + i * (d.n - first) / 16], &d, zeros));
	for (double step = 3; best == 0 && step > 1; step--)
		if (fits(&d, zeros, step))
			best = step;
	return fmax(best, 1);
}
