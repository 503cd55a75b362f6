/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The clock that everything is measured against. Where RDTSC is forbidden (PR_SET_TSC), libc's
 * clocks fault, so whoever reads this one has to be ready for a fault. */

#ifndef CPUCYCLES_RAW_CLOCK_H
#define CPUCYCLES_RAW_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Whether somebody has forbidden this thread to execute RDTSC, so that reading the clock may fault
 * (prctl(2), PR_SET_TSC). */
bool raw_clock_is_forbidden(void);

/* What a message says of that. */
#define RAW_CLOCK_FORBIDDEN "this process may not read the clock, because it may not execute RDTSC"

/* CLOCK_MONOTONIC_RAW, which no time daemon slews, or CLOCK_MONOTONIC where there is none. In
 * ns. */
uint64_t raw_clock_ns(void);

/* The smallest step that the clock was seen to make, in ns. UINT64_MAX: it stands still. */
uint64_t raw_clock_step(void);

#endif
