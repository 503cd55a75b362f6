/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* CLOCK_MONOTONIC by a real system call, scaled to cycles. It is for processes in which RDTSC
 * faults: the vDSO's clocks, which libc uses, fault there too. */

#include "config.h"

#include "os/clock.h"

#if !defined(__linux__)
#error "only Linux lets a program call the kernel without libc"
#endif

static uint64_t multiplier;

static int setup(const struct counter_conditions *conditions)
{
	uint64_t ns;
	int error = clock_by_syscall(&ns);

	if (!error)
		published_keep(&multiplier, clock_multiplier(conditions->persecond));
	return error;
}

static long long read_clock(void)
{
	uint64_t ns;

	clock_by_syscall(&ns);
	return clock_cycles(ns, &multiplier);
}

const struct counter cpucycles_counter_default_syscall = {
	.name = "default-syscall",
	.class = COUNTER_OS_CLOCK,
	.width = 64,
	.rate = clock_rate,
	.hz_source = "nanoseconds by definition",
	.setup = setup,
	.signals = COUNTER_SIGNAL(SIGSYS),
	.read = read_clock,
	.caveat = "time, not cycles; every read is a system call",
};
