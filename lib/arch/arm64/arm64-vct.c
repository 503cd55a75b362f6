/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The virtual count of the generic timer, scaled to cycles. Source: Arm Architecture Reference
 * Manual for A-profile, D12.1 "About the Generic Timer", CNTVCT_EL0 and CNTFRQ_EL0. Firmware sets
 * CNTFRQ_EL0, or forgets to. */

#include "config.h"

#include "counter.h"
#include "os/ticks.h"
#include "rate.h"

#if !defined(__aarch64__)
#error "64-bit ARM only"
#endif

/* A CPU may execute MRS before instructions that stand above it in the program. ISB holds MRS back
 * until all of these have completed. */
static uint64_t read_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks) : : "memory");
	return ticks;
}

static int rate(uint64_t *hz)
{
	__asm__ volatile("mrs %0, cntfrq_el0" : "=r"(*hz));
	*hz &= UINT32_MAX; /* the rest is reserved */
	return rate_is_sane(*hz) ? 0 : ticks_measured_rate(read_ticks, hz);
}

TICKS_FUNCTION(read_ticks)

const struct counter cpucycles_counter_arm64_vct = {
	.name = "arm64-vct",
	.class = COUNTER_OFF_CORE,
	.width = 56, /* at least; CNTVCT_EL0 reads as 64 bits */
	.rate = rate,
	.hz_source = "CNTFRQ_EL0, else measured",
	TICKS_COUNTER,
	.signals = COUNTER_SIGNAL(SIGILL) | COUNTER_SIGNAL(SIGSEGV),
	.caveat = "ticks at a constant rate, scaled to cycles; "
		  "later instructions may begin before it is read",
};
