/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Core cycles of this thread, read by RDPMC from the register that the user page of its perf
 * event names. Sources: perf_event_open(2); arch/amd64/rdpmc.h. */

#include "config.h"

#include "counter.h"
#include "arch/amd64/rdpmc.h"
#include "os/perfevent.h"

#if !defined(__x86_64__)
#error "amd64 only"
#endif

static bool read_register(uint32_t number, uint64_t *value)
{
	*value = rdpmc(number);
	return true;
}

PERFEVENT_FUNCTIONS(0, read_register)

const struct counter cpucycles_counter_amd64_perfpmc = {
	.name = "amd64-perfpmc",
	.class = COUNTER_ON_CORE,
	.width = 64,
	PERFEVENT_COUNTER,
	.signals = COUNTER_SIGNAL(SIGSEGV),
	.closing_signals = COUNTER_SIGNAL(RDPMC_CLOSED),
	.caveat = "cycles of the calling thread in user space",
};
