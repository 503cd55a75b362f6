/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The kernel's multiplier from TSC ticks to nanoseconds. The user page of every perf event shows it
 * as long as the kernel takes the TSC for its clock. Source: the comments on struct
 * perf_event_mmap_page in linux/perf_event.h. */

#ifndef CPUCYCLES_FREQUENCY_PERF_H
#define CPUCYCLES_FREQUENCY_PERF_H

#include <stdint.h>

/* The rate of the TSC in Hz; 0 if there is no such page, or it has no multiplier. */
uint64_t x86_perf_page_hz(void);

/* The rate at which ticks * multiplier >> shift are nanoseconds; 0 if it cannot be computed.
 * Pure. */
uint64_t x86_multiplier_hz(uint32_t multiplier, unsigned shift);

#endif
