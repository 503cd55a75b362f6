/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Intel's fixed counter of core cycles, read by RDPMC where the OS opens the register to every
 * program and somebody keeps it running. Sources: arch/amd64/rdpmc.h; Intel SDM volume 2A, CPUID
 * leaf 0xA; "rdpmc" in the kernel's Documentation/ABI/testing/sysfs-bus-event_source-devices*. */

#include "config.h"

#include "counter.h"
#include "arch/amd64/rdpmc.h"
#include "os/core-register.h"

#if !defined(__x86_64__)
#error "amd64 only"
#endif

static unsigned width; /* bits of the register */

static int setup(const struct counter_conditions *conditions)
{
	const unsigned bits = rdpmc_find_fixed(X86_HAS(SSE4A), x86_this_cpuid);

	if (!bits)
		return COUNTER_ABSENT;
	if (width != bits) /* see published_keep */
		width = bits;
	return core_register_setup(conditions);
}

static uint64_t read_register(void)
{
	return rdpmc(RDPMC_FIXED_CYCLES);
}

CORE_REGISTER_FUNCTION(read_register, width)

const struct counter cpucycles_counter_amd64_pmcff = {
	.name = "amd64-pmcff",
	.class = COUNTER_ON_CORE,
	.width = 64,
	.setup = setup,
	.signals = COUNTER_SIGNAL(SIGSEGV),
	.closing_signals = COUNTER_SIGNAL(RDPMC_CLOSED),
	CORE_REGISTER_COUNTER,
};
