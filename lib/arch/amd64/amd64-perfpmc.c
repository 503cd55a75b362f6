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

static int setup(const struct counter_conditions *conditions)
{
	return perfevent_setup_register(0, conditions, read_register);
}

static long long read_pmc(void)
{
	return perfevent_read_register(read_register);
}

const struct counter cpucycles_counter_amd64_perfpmc = {
	.name = "amd64-perfpmc",
	.class = COUNTER_ON_CORE,
	.width = 64,
	PERFEVENT_COUNTER,
	.setup = setup,
	.signals = COUNTER_SIGNAL(SIGSEGV),
	.read = read_pmc,
	.closing_signals = COUNTER_SIGNAL(RDPMC_CLOSED),
	.caveat = "cycles of the calling thread in user space",
};
