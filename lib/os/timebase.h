/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The rate of the time base of POWER and RISC-V. No register tells the rate, but their Linux
 * kernels do. */

#ifndef CPUCYCLES_TIMEBASE_H
#define CPUCYCLES_TIMEBASE_H

#include <stdbool.h>
#include <stdint.h>

/* For the counter's hz_source. */
#define TIMEBASE_HZ_SOURCE "device tree or /proc/cpuinfo, else measured"

/* In ticks per second: what the kernel tells, else what is measured by this read of the time base.
 * Returns 0, or a negative errno. */
int timebase_rate(uint64_t (*read)(void), uint64_t *hz);

/* What the kernel tells, in the files below root, which is "" except in tests. False: nothing. */
bool timebase_told(const char *root, uint64_t *hz);

/* /proc/cpuinfo is read in pieces of this many bytes; a test puts lines across their ends. */
#define TIMEBASE_PIECE 4096

#endif
