/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the four counters that read the time-stamp counter share. Sources: Intel SDM volume 3B,
 * section 18.17 "Time-Stamp Counter"; AMD64 APM volume 2, 13.2.4. */

#ifndef CPUCYCLES_TSC_H
#define CPUCYCLES_TSC_H

#include "counter.h"
#include "arch/x86/cpuid.h"

static inline int tsc_setup(const struct counter_conditions *conditions)
{
	(void)conditions;
#if defined(__i386__)
	/* Only 32-bit x86 has to ask: every amd64 CPU has the counter, and CPUID takes microseconds
	 * in a virtual machine. */
	unsigned eax, ebx, ecx, edx;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(edx & X86_TSC_BIT))
		return COUNTER_ABSENT;
#endif
	return 0;
}

/* All of the counter but its name, class, width and read. */
#define TSC_COUNTER \
	.hz_source = "none: ticks are taken as cycles", .setup = tsc_setup, \
	.signals = COUNTER_SIGNAL(SIGSEGV), \
	.caveat = "ticks at a constant rate, whatever the core's frequency; " \
		  "not ordered with the instructions around it"

#endif
