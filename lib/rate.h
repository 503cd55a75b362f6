/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A counter's rate with its possible error, and durations from a rate. An unknown rate is 0 Hz.
 * Pure. */

#ifndef CPUCYCLES_RATE_H
#define CPUCYCLES_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct rate {
	uint64_t hz;
	uint32_t ppm; /* the true rate is within this many millionths of hz */
};

/* The largest bound. It says nothing: the true rate may be any other one. */
#define RATE_PPM_MAX 1000000

/* Outside of these, a number is no rate of a CPU, a counter or a time base. */
#define RATE_SANE_MIN_HZ UINT64_C(1000)
#define RATE_SANE_MAX_HZ UINT64_C(100000000000)

bool rate_is_sane(uint64_t hz);

/* The rate times num / den, rounded. The product of rate and num has to fit into 64 bits. */
uint64_t rate_scaled(uint64_t hz, uint64_t num, uint64_t den);

/* Higher than the rate of any counter. A remainder times 10^5 still fits into 64 bits. */
#define RATE_MAX_HZ (UINT64_MAX / 100000)

/* The error of a rate that the hardware or the system tells, and that was not measured. The kernel
 * takes no computer's oscillator to be further off (adjtimex(2), tolerance). */
#define RATE_TOLD_PPM 500

/*
 * A difference of two counts in ns, rounded towards 0. hz: counts per second, from 1 to
 * RATE_MAX_HZ. LLONG_MAX or LLONG_MIN if the time does not fit.
 */
long long rate_nanoseconds(long long difference, uint64_t hz);

#endif
