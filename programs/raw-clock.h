/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The clock that rates are measured against. Under the guard: where RDTSC is
 * forbidden, libc's clocks fault. */

#ifndef CPUCYCLES_RAW_CLOCK_H
#define CPUCYCLES_RAW_CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC_RAW, which nobody slews; CLOCK_MONOTONIC where there is none. In ns. */
uint64_t raw_clock_ns(void);

/* The smallest step that it was seen to make, in ns: its resolution is no coarser.
 * UINT64_MAX if it stands still. */
uint64_t raw_clock_step(void);

#endif
