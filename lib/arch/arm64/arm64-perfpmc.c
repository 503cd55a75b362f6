/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Core cycles of this thread, read from PMCCNTR_EL0 as long as the user page of the thread's perf
 * event names this register; else by read(2). Sources: perf_event_open(2); arch/arm64/pmccntr.h; in
 * the kernel, "Perf Userspace PMU Hardware Counter Access" in Documentation/arch/arm64/perf.rst. */

#include "config.h"

#include "counter.h"
#include "arch/arm64/pmccntr.h"
#include "os/perfevent.h"

#if !defined(__aarch64__)
#error "arm64 only"
#endif

/* Bits of config1, "long" and "rdpmc" in the PMU's format: count in 64 bits, open the register. */
#define CONFIG1_LONG 1
#define CONFIG1_RDPMC 2

/* PMCCNTR's number: its index in a page is 32 (armv8pmu_user_event_idx in the kernel's
 * drivers/perf/arm_pmuv3.c). */
#define CYCLE_COUNTER 31

static bool read_register(uint32_t number, uint64_t *value)
{
	if (number != CYCLE_COUNTER)
		return false;
	*value = pmccntr();
	return true;
}

PERFEVENT_FUNCTIONS(CONFIG1_LONG | CONFIG1_RDPMC, read_register)

const struct counter cpucycles_counter_arm64_perfpmc = {
	.name = "arm64-perfpmc",
	.class = COUNTER_ON_CORE,
	.width = 64,
	PERFEVENT_COUNTER,
	.signals = COUNTER_SIGNAL(SIGILL) | COUNTER_SIGNAL(SIGSEGV),
	.closing_signals = COUNTER_SIGNAL(PMCCNTR_CLOSED),
	.caveat = "cycles of the calling thread in user space",
};
