/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A rate with the error that it may have, and time by a rate. An unknown rate is 0 Hz. Pure. */

#ifndef CPUCYCLES_RATE_H
#define CPUCYCLES_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct rate {
	uint64_t hz;
	uint32_t ppm; /* the true rate is within so many millionths of hz */
};

/* Outside of these, a number is no rate of a CPU, a counter or a time base. */
#define RATE_SANE_MIN_HZ UINT64_C(1000)
#define RATE_SANE_MAX_HZ UINT64_C(100000000000)

bool rate_is_sane(uint64_t hz);

/* Above any rate that there is, so that a remainder times 10^5 fits. */
#define RATE_MAX_HZ (UINT64_MAX / 100000)

/* What is left of a rate that something tells and nobody measured: no oscillator of a
 * computer is taken to be further off (adjtimex(2), tolerance). */
#define RATE_TOLD_PPM 500

/*
 * A difference of counts in ns at hz counts per second, 0 < hz <= RATE_MAX_HZ, cut
 * towards 0. What does not fit becomes the largest number of that sign.
 */
long long rate_nanoseconds(long long difference, uint64_t hz);

#endif
