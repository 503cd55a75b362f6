/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The pre-flight: whether counter, CPU and machine are fit to measure. Each check takes figures and
 * says whether there is a warning. Pure. */

#ifndef CPUCYCLES_CHECKS_H
#define CPUCYCLES_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A rate that differs from its claim by more than this part is a warning. */
#define CHECKS_RATE 0.05

/* Whether counts that came in ns nanoseconds, give or take ns_error, contradict a claimed rate of
 * hz within ppm. *found: the rate that was found. False, and *found is 0, if hz is 0, so no rate is
 * claimed, or if the time is not known. */
bool checks_rate(double counts, double ns, double ns_error, uint64_t hz, uint64_t ppm,
		 double *found);

/* Whether the step is coarse relative to a sample: fewer than CHECKS_STEPS steps in the median. */
#define CHECKS_STEPS 10
bool checks_step(double median_of_sample, double step);

/* Whether a call takes less than CHECKS_LOOPS times as long as one of an empty function in the same
 * loop. loop: 0 if no loop was measured. */
#define CHECKS_LOOPS 2
bool checks_loop(double median, double loop);

/*
 * Whether a part of the samples takes much longer than the middle half, of which the figures and
 * verdicts are: from the slowest 25 % on to the slowest 5 %, CHECKS_TAIL times as long on average,
 * and by more than two steps. Of the slowest 5 %, many are the machine's. *tail: their mean. Fewer
 * than 42 samples never are a warning. sorted: n values in order, whose interquartile mean is iqm.
 */
#define CHECKS_TAIL 2
bool checks_tail(const double sorted[], size_t n, double iqm, double resolution, double *tail);

/*
 * Whether two halves of the samples, which take turns in time, differ: by more than CHECKS_PART of
 * their mean and by more than one step, and more than chance explains (one in a million). *a, *b:
 * their interquartile means. Fewer than 42 samples never are a warning. scratch: room for n values.
 * resolution: the step in units per call.
 */
#define CHECKS_PART 0.01
bool checks_halves(const double samples[], size_t n, double resolution, double scratch[], double *a,
		   double *b);

/*
 * Whether the medians of CHECKS_WINDOWS windows of time differ: the largest from the smallest by
 * more than CHECKS_DRIFT_PART of the whole median and by more than two steps. A short disturbance,
 * which one window sees alone, is no drift: the window is left out. Nor is what chance explains, so
 * fewer than 256 samples never are a warning. *smallest and *largest: the medians that were
 * compared, 0 if there are so few samples. scratch: room for n values.
 */
#define CHECKS_WINDOWS 8
#define CHECKS_DRIFT_PART 0.05
bool checks_drift(const double samples[], size_t n, double resolution, double scratch[],
		  double *smallest, double *largest);

/* Whether two frequencies of the core, in Hz, differ by more than CHECKS_FREQUENCY_PART. 0 is
 * unknown. */
#define CHECKS_FREQUENCY_PART 0.05
bool checks_frequency(double before, double after);

#endif
