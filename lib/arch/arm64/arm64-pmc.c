/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* PMCCNTR_EL0 where the OS opens it to everybody. Sources: arch/arm64/pmccntr.h. Linux opens
 * it by itself only as long as somebody has a readable perf event, and closes it again at
 * any time (armv8pmu_start in drivers/perf/arm_pmuv3.c). */

#include "config.h"

#include "counter.h"
#include "arch/arm64/pmccntr.h"
#include "os/core-register.h"

#if !defined(__aarch64__)
#error "arm64 only"
#endif

static long long read_pmc(void)
{
	return core_register_count(pmccntr, 64);
}

const struct counter cpucycles_counter_arm64_pmc = {
	.name = "arm64-pmc",
	.class = COUNTER_ON_CORE,
	.width = 64,
	.setup = core_register_setup,
	.read = read_pmc,
	.closing_signal = PMCCNTR_CLOSED,
	.closed = core_register_closed,
	.caveat = "cycles of the core, whichever thread runs on it, as long as somebody lets it count",
};
