/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "checks.h"

#include "statistics.h"

#include <math.h>

#define NS_PER_S 1e9

/* A warning on noise alone is rarer than this, for two halves and for two windows. */
#define CHANCE 1e-6

/* The halves are compared in PAIRS pairs of blocks, or in fewer if there are few samples. */
#define PAIRS 64

/* With fewer samples there is no warning on a tail. */
#define TAIL_SAMPLES 42

/* Parts of a window of time. */
#define PARTS 32

bool checks_rate(double counts, double ns, double ns_error, uint64_t hz, uint64_t ppm,
		 double *found)
{
	const double claimed = (double)hz;
	double allowed;

	*found = 0;
	if (hz == 0 || !(ns > ns_error) || !(ns_error >= 0))
		return false;
	*found = counts / ns * NS_PER_S;
	/* The true time may be shorter, and the rate higher, by this part. */
	allowed = CHECKS_RATE + (double)ppm / 1e6 + ns_error / (ns - ns_error);
	return !(fabs(*found - claimed) <= allowed * claimed);
}

bool checks_step(double median_of_sample, double step)
{
	return !(median_of_sample >= CHECKS_STEPS * step);
}

static double iqm_of(const double samples[], size_t apart, size_t n, double room[])
{
	statistics_take(samples, apart, n, room);
	return statistics_iqm(room, n);
}

/*
 * Whether chance explains the difference of the halves. Neighbours are compared, because they share
 * what the machine does at that time. If the halves are the same, the difference of two blocks is
 * above 0 as often as below, and the interval of their median holds 0.
 */
static bool differ_beyond_chance(const double samples[], size_t n, double scratch[])
{
	const size_t length = n / 2 > PAIRS ? n / 2 / PAIRS : 1, pairs = n / 2 / length;
	double *const room = scratch + pairs;
	double low, high;

	for (size_t i = 0; i < pairs; i++) {
		const double *block = samples + 2 * length * i;

		scratch[i] = iqm_of(block, 2, length, room) - iqm_of(block + 1, 2, length, room);
	}
	statistics_sort(scratch, pairs);
	return statistics_median_interval(scratch, pairs, CHANCE, &low, &high) &&
	       (low > 0 || high < 0);
}

bool checks_loop(double median, double loop)
{
	return loop > 0 && median < loop * CHECKS_LOOPS;
}

bool checks_tail(const double sorted[], size_t n, double iqm, double resolution, double *tail)
{
	const size_t from = n - n / 4;

	*tail = 0;
	if (n < TAIL_SAMPLES)
		return false;
	*tail = statistics_mean(sorted + from, statistics_most(n) - from);
	return iqm > 0 && *tail >= CHECKS_TAIL * iqm && *tail - iqm > 2 * resolution;
}

bool checks_halves(const double samples[], size_t n, double resolution, double scratch[], double *a,
		   double *b)
{
	double difference;

	*a = *b = 0;
	if (n < 2)
		return false;
	*a = iqm_of(samples, 2, (n + 1) / 2, scratch);
	*b = iqm_of(samples + 1, 2, n / 2, scratch);
	difference = fabs(*a - *b);
	return difference > CHECKS_PART * fabs(*a + *b) / 2 && difference > resolution &&
	       differ_beyond_chance(samples, n, scratch);
}

/* The median of a window of time, and its interval. */
struct window {
	double median, low, high;
};

/*
 * Look at a window of n samples. Neighbours are alike on a machine that is busy for some samples at
 * a time, so the interval is computed from the medians of parts of the window, not from the
 * samples. False: there are too few samples.
 */
static bool summarize_window(const double samples[], size_t n, double scratch[],
			     struct window *window)
{
	const size_t length = n / PARTS;

	if (length == 0)
		return false;
	statistics_take(samples, 1, n, scratch);
	window->median = statistics_quantile(scratch, n, 0.5);
	for (size_t i = 0; i < PARTS; i++) {
		statistics_take(samples + i * length, 1, length, scratch + PARTS);
		scratch[i] = statistics_quantile(scratch + PARTS, length, 0.5);
	}
	statistics_sort(scratch, PARTS);
	return statistics_median_interval(scratch, PARTS, CHANCE, &window->low, &window->high);
}

/* Which one has the smallest or, of -1, the largest median, but for one that is left out. */
static size_t outermost(const struct window windows[], double sign, size_t without)
{
	size_t best = without == 0;

	for (size_t i = 0; i < CHECKS_WINDOWS; i++)
		if (i != without && sign * windows[i].median < sign * windows[best].median)
			best = i;
	return best;
}

/* The window that makes the others' medians closest if it is left out, which is one of the two
 * outermost: a disturbance. */
static size_t disturbed(const struct window windows[])
{
	const size_t smallest = outermost(windows, 1, CHECKS_WINDOWS);
	const size_t largest = outermost(windows, -1, CHECKS_WINDOWS);
	const size_t next_smallest = outermost(windows, 1, smallest);
	const size_t next_largest = outermost(windows, -1, largest);

	if (windows[next_smallest].median - windows[smallest].median >
	    windows[largest].median - windows[next_largest].median)
		return smallest;
	return largest;
}

/* Whether the intervals of two windows, neither of them the one that is left out, are apart. */
static bool are_apart(const struct window windows[], size_t without)
{
	double low = -INFINITY, high = INFINITY;

	for (size_t i = 0; i < CHECKS_WINDOWS; i++) {
		if (i == without)
			continue;
		low = fmax(low, windows[i].low);
		high = fmin(high, windows[i].high);
	}
	return low > high;
}

bool checks_drift(const double samples[], size_t n, double resolution, double scratch[],
		  double *smallest, double *largest)
{
	const size_t length = n / CHECKS_WINDOWS;
	struct window windows[CHECKS_WINDOWS];
	double median, medians[CHECKS_WINDOWS];
	size_t without;

	*smallest = *largest = 0;
	for (size_t i = 0; i < CHECKS_WINDOWS; i++) {
		if (!summarize_window(samples + i * length, length, scratch, &windows[i]))
			return false;
		medians[i] = windows[i].median;
	}
	median = statistics_median(medians, CHECKS_WINDOWS);
	without = disturbed(windows);
	*smallest = windows[outermost(windows, 1, without)].median;
	*largest = windows[outermost(windows, -1, without)].median;
	return *largest - *smallest > CHECKS_DRIFT_PART * fabs(median) &&
	       *largest - *smallest > 2 * resolution && are_apart(windows, without);
}

bool checks_frequency(double before, double after)
{
	if (!(before > 0) || !(after > 0) || !isfinite(before) || !isfinite(after))
		return false;
	return fabs(after - before) > CHECKS_FREQUENCY_PART * before;
}
