/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The cycles of the core on macOS, by its private framework kperf. */

#ifndef CPUCYCLES_KPERF_H
#define CPUCYCLES_KPERF_H

#include "reason.h"

/*
 * Let the calling thread count its cycles, in user mode and in the kernel, until kperf_cycles_close
 * is called as often as this. *read gives the count; -1: the counters were taken away. 0 or a
 * negative errno with *reason: -ENOTSUP: this system has no kperf; -EACCES, -EPERM: not permitted;
 * -EBUSY: another process uses the counters.
 */
int kperf_cycles_ready(long long (**read)(void), struct reason_text *reason);
void kperf_cycles_close(void);

#endif
