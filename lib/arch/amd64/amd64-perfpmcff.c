/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Core cycles of this thread, read by RDPMC from Intel's fixed counter, as long as the user page of
 * the thread's perf event names this register; else by read(2). Sources: perf_event_open(2);
 * arch/amd64/rdpmc.h; x86_pmu_event_idx in the kernel's arch/x86/events/core.c. */

#include "config.h"

#include "counter.h"
#include "arch/amd64/rdpmc.h"
#include "os/perfevent.h"

#if !defined(__x86_64__)
#error "amd64 only"
#endif

static bool read_register(uint32_t number, uint64_t *value)
{
	if (number != RDPMC_FIXED_CYCLES)
		return false;
	*value = rdpmc(RDPMC_FIXED_CYCLES);
	return true;
}

PERFEVENT_FUNCTIONS(0, read_register)

const struct counter cpucycles_counter_amd64_perfpmcff = {
	.name = "amd64-perfpmcff",
	.class = COUNTER_ON_CORE,
	.width = 64,
	PERFEVENT_COUNTER,
	.signals = COUNTER_SIGNAL(SIGSEGV),
	.closing_signals = COUNTER_SIGNAL(RDPMC_CLOSED),
	.caveat = "cycles of the calling thread in user space",
};
