/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The counters of the CPUs of Apple, for what counts their events. On other systems there are
 * none. */

#ifndef CPUCYCLES_KPERF_COUNTERS_H
#define CPUCYCLES_KPERF_COUNTERS_H

#include "reason.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KPERF_COUNTERS_MAX 32 /* XNU's KPC_MAX_COUNTERS */
#define KPERF_CONFIGS_MAX 8   /* counters with codes */

/* The counts begin with these. Counters with a code come after them. */
enum { KPERF_CYCLES, KPERF_INSTRUCTIONS, KPERF_FIXED };

/* Of this machine, while they are open: all counters, and the counters with codes. */
extern uint32_t kperf_counters, kperf_configs;

/*
 * Let the calling thread count, for this user, and give its first counts. codes: the length of
 * config, which has the codes of kperf_configs counters; one user at a time may have some. 0 or a
 * negative errno with *reason: -ENOSPC: there are fewer counters, or another user has them; or
 * an error of kperf_cycles_ready().
 */
int kperf_open(const void *user, const uint64_t config[], size_t codes, uint64_t begin[],
	       struct reason_text *reason);
void kperf_close(const void *user);

/* The thread's counts. 0, or -EAGAIN: the counters were taken away. */
int kperf_read(uint64_t counts[KPERF_COUNTERS_MAX]);

/* Whether the counters are as they were set: another program may have set them all the same. */
bool kperf_is_counting(void);

#endif
