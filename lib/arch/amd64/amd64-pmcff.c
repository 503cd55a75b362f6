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

#ifdef HAVE_X86_GET_CPUID_FEATURE_LEAF
#include <sys/platform/x86.h>
#endif

#define LEAF_MONITORING 0xa

static unsigned width; /* bits of the counter */

/*
 * CPUs of AMD's make, and no others, have SSE4A (AMD64 APM volume 3, CPUID 0x80000001), and none has Intel's
 * fixed counters. To ask for those takes two CPUIDs, which in a virtual machine are two visits to the host, of
 * 10 us each; SSE4A is what glibc has asked for already.
 */
static bool is_amd(void)
{
#ifdef HAVE_X86_GET_CPUID_FEATURE_LEAF
	return CPU_FEATURE_PRESENT(SSE4A);
#else
	return false;
#endif
}

static int setup(const struct counter_conditions *conditions)
{
	unsigned eax, ebx, ecx, edx, bits;

	if (is_amd() || !__get_cpuid_count(LEAF_MONITORING, 0, &eax, &ebx, &ecx, &edx))
		return -ENODEV;
	bits = rdpmc_fixed_width(eax, ecx, edx);
	if (width != bits) /* see published_keep */
		width = bits;
	return bits ? core_register_setup(conditions) : -ENODEV;
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
