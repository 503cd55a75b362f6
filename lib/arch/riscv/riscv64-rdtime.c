/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The time CSR, scaled to cycles. The platform gives it its rate, which stands in no register.
 * Source: The RISC-V Instruction Set Manual, volume I, "Zicntr". */

#include "config.h"

#include "counter.h"
#include "os/ticks.h"
#include "os/timebase.h"

#if !defined(__riscv) || __riscv_xlen != 64
#error "64-bit RISC-V only"
#endif

static uint64_t read_ticks(void)
{
	uint64_t ticks;

	__asm__ volatile("rdtime %0" : "=r"(ticks));
	return ticks;
}

static int rate(uint64_t *hz)
{
	return timebase_rate(read_ticks, hz);
}

TICKS_FUNCTION(read_ticks)

const struct counter cpucycles_counter_riscv64_rdtime = {
	.name = "riscv64-rdtime",
	.class = COUNTER_OFF_CORE,
	.width = 64,
	.rate = rate,
	.hz_source = TIMEBASE_HZ_SOURCE,
	TICKS_COUNTER,
	.signals = COUNTER_SIGNAL(SIGILL),
	.caveat = "ticks at a constant rate, scaled to cycles; "
		  "not ordered with the instructions around it",
};
