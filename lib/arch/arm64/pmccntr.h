/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the two readers of PMCCNTR_EL0 share. Sources: Arm ARM (DDI 0487), D13 "The Performance
 * Monitors Extension" and PMCCNTR_EL0, PMUSERENR_EL0 in D23.5. */

#ifndef CPUCYCLES_PMCCNTR_H
#define CPUCYCLES_PMCCNTR_H

#include "fixup.h"

#include <signal.h>
#include <stdint.h>

/* While the register is closed (in PMUSERENR_EL0), the instruction is undefined. */
#define PMCCNTR_CLOSED SIGILL

static inline uint64_t pmccntr(void)
{
	uint64_t cycles;

	__asm__ volatile(FIXUP("mrs %0, pmccntr_el0") : "=r"(cycles));
	return cycles;
}

#endif
