/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Core cycles of this thread, read from PMCCNTR_EL0 while the perf user page says that
 * this is where the event counts. Sources: perf_event_open(2); arch/arm64/pmccntr.h;
 * "Perf Userspace PMU Hardware Counter Access" in the kernel's Documentation/arch/arm64/perf.rst. */

#include "config.h"

#include "counter.h"
#include "arch/arm64/pmccntr.h"
#include "os/perfevent.h"

#if !defined(__aarch64__)
#error "arm64 only"
#endif

/* "long" and "rdpmc" of the PMU's format: 64 bits, and readable here. */
#define CONFIG1_LONG 1
#define CONFIG1_RDPMC 2

/* armv8pmu_user_event_idx in the kernel's drivers/perf/arm_pmuv3.c: an index of 32. */
#define CYCLE_COUNTER 31

static bool read_register(uint32_t number, uint64_t *value)
{
	if (number != CYCLE_COUNTER)
		return false;
	*value = pmccntr();
	return true;
}

static int setup(const struct counter_conditions *conditions)
{
	return perfevent_setup_register(CONFIG1_LONG | CONFIG1_RDPMC, conditions->persecond,
					read_register);
}

static long long read_pmc(void)
{
	return perfevent_read_register(read_register);
}

const struct counter cpucycles_counter_arm64_perfpmc = {
	.name = "arm64-perfpmc",
	.class = COUNTER_ON_CORE,
	.width = 64,
	.setup = setup,
	.teardown = perfevent_teardown,
	.read = read_pmc,
	.closing_signal = PMCCNTR_CLOSED,
	.closed = perfevent_closed,
	.caveat = "cycles of the calling thread in user space",
};
