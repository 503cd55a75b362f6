/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The register %tick. Its bit 63, NPT, makes the read fault if the kernel has set it. Source: The
 * SPARC Architecture Manual, version 9, 5.2.2 "TICK Register" and A.44 "Read State Register". */

#include "config.h"

#include "counter.h"

#if !defined(__sparc__) || !defined(__arch64__)
#error "64-bit SPARC only"
#endif

static int setup(const struct counter_conditions *conditions)
{
	(void)conditions;
	return 0; /* a read that faults is seen by the guard */
}

static long long read_tick(void)
{
	uint64_t ticks;

	__asm__ volatile("rd %%tick, %0" : "=r"(ticks));
	return (long long)(ticks << 1 >> 1); /* without NPT */
}

const struct counter cpucycles_counter_sparc64_rdtick = {
	.name = "sparc64-rdtick",
	.class = COUNTER_ON_CORE,
	.width = 63,
	.setup = setup,
	.signals = COUNTER_SIGNAL(SIGILL),
	.read = read_tick,
	.caveat = "cycles of the core, whichever thread runs on it; "
		  "not ordered with the instructions around it",
};
