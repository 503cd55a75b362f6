/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Intel's fixed counter of core cycles by RDPMC, where the OS opens it to everybody and
 * somebody keeps it running. Sources: arch/amd64/rdpmc.h; Intel SDM volume 2A, CPUID leaf
 * 0xA; "rdpmc" in the kernel's Documentation/ABI/testing/sysfs-bus-event_source-devices*. */

#include "config.h"

#include "counter.h"
#include "arch/amd64/rdpmc.h"
#include "os/core-register.h"

#if !defined(__x86_64__)
#error "amd64 only"
#endif

#include <cpuid.h>
#include <errno.h>

#define LEAF_MONITORING 0xa
#define FIXED_NUMBER 1u /* of the counter of core cycles */

static unsigned width; /* bits of the counter */

/* EAX 7:0: version; EDX 4:0: how many fixed counters, 12:5: their bits; from version 5 on, ECX
 * says which of them there are beside the first ones. */
static int find_width(void)
{
	unsigned eax, ebx, ecx, edx, version;

	if (!__get_cpuid_count(LEAF_MONITORING, 0, &eax, &ebx, &ecx, &edx))
		return -ENODEV;
	version = eax & 0xff;
	width = edx >> 5 & 0xff;
	if (version < 2 || width == 0 || width > 64)
		return -ENODEV;
	if ((edx & 0x1f) > FIXED_NUMBER || (version >= 5 && ecx >> FIXED_NUMBER & 1))
		return 0;
	return -ENODEV;
}

static int setup(const struct counter_conditions *conditions)
{
	int error = find_width();

	return error ? error : core_register_setup(conditions);
}

static uint64_t read_register(void)
{
	return rdpmc(RDPMC_FIXED_CYCLES);
}

static long long read_pmc(void)
{
	return core_register_count(read_register, width);
}

const struct counter cpucycles_counter_amd64_pmcff = {
	.name = "amd64-pmcff",
	.class = COUNTER_ON_CORE,
	.width = 64,
	.setup = setup,
	.read = read_pmc,
	.closing_signal = RDPMC_CLOSED,
	.closed = core_register_closed,
	.caveat = "cycles of the core, whichever thread runs on it, as long as somebody lets it count",
};
