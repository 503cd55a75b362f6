/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The cycle counter by RDHWR, extended to 64 bits, times its resolution in cycles. The instruction
 * faults unless the kernel has set the registers' bits in HWREna. Source: MIPS64 Architecture For
 * Programmers, volume II, "RDHWR": register 2 is CC, register 3 is CCRes. */

#include "config.h"

#include "counter.h"
#include "os/extend.h"

#if !defined(__mips64)
#error "64-bit MIPS only"
#endif

static struct extend extend;
static uint32_t resolution; /* cycles per count */
static _Thread_local struct extend_thread mine TLS_MODEL;

static uint64_t read_cc(void)
{
	uint64_t cc;

	__asm__ volatile(".set push\n\t.set mips64r2\n\trdhwr %0, $2\n\t.set pop" : "=r"(cc));
	return (uint32_t)cc; /* the upper half is the sign of the lower one */
}

static uint32_t read_resolution(void)
{
	uint64_t cycles;

	__asm__ volatile(".set push\n\t.set mips64r2\n\trdhwr %0, $3\n\t.set pop" : "=r"(cycles));
	return (uint32_t)cycles;
}

static int setup(const struct counter_conditions *conditions)
{
	const uint32_t now = read_resolution();

	if (now == 0)
		return COUNTER_ABSENT;
	if (resolution != now) /* readers may be there: see published_keep */
		resolution = now;
	return extend_setup(&extend, &mine, read_cc, conditions->persecond / resolution);
}

static long long read_cycles(void)
{
	/* Before resolution is loaded, because extend_read has the fence for both. */
	uint64_t count = extend_read(&extend, &mine, read_cc);

	return (long long)(count * resolution);
}

const struct counter cpucycles_counter_mips64_cc = {
	.name = "mips64-cc",
	.class = COUNTER_ON_CORE,
	.width = 32,
	.setup = setup,
	.signals = COUNTER_SIGNAL(SIGILL),
	.read = read_cycles,
	.caveat = "cycles of the core, whichever thread runs on it; 32 bits, extended with a "
		  "clock: over a pause of seconds an estimate",
};
