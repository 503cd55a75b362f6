/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The kinds of samples, one function each. Each prints its comment lines, the line of columns and
 * the rows. False: not all rows could be printed, and an error line says why if the reason is not
 * standard output. */

#ifndef CPUCYCLES_SAMPLES_KINDS_H
#define CPUCYCLES_SAMPLES_KINDS_H

#include "samples-run.h"

#include <stdbool.h>

/* How often each difference of adjacent counts occurs, for each counter. */
bool samples_noise(struct samples_run *run);

/* How far the counters of each two CPUs are apart. */
bool samples_skew(struct samples_run *run);

/* How far the rate of each counter is from what is stated of it. */
bool samples_drift(struct samples_run *run);

/* The frequency of a busy core, and the rate of the counter in use relative to it. */
bool samples_frequency(struct samples_run *run);

#endif
