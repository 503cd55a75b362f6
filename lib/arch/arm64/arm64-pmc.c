/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Core cycles, read from PMCCNTR_EL0 where the OS opens it to every program. Linux by itself opens
 * it only to programs with a readable perf event, and may close it at any time (armv8pmu_start in
 * drivers/perf/arm_pmuv3.c). Source: arch/arm64/pmccntr.h. */

#include "config.h"

#include "counter.h"
#include "arch/arm64/pmccntr.h"
#include "os/core-register.h"

#if !defined(__aarch64__)
#error "arm64 only"
#endif

CORE_REGISTER_FUNCTION(pmccntr, 64)

const struct counter cpucycles_counter_arm64_pmc = {
	.name = "arm64-pmc",
	.class = COUNTER_ON_CORE,
	.width = 64,
	.setup = core_register_setup,
	.signals = COUNTER_SIGNAL(SIGILL) | COUNTER_SIGNAL(SIGSEGV),
	.closing_signals = COUNTER_SIGNAL(PMCCNTR_CLOSED),
	CORE_REGISTER_COUNTER,
};
