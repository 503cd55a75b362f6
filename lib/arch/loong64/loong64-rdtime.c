/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The stable counter, scaled to cycles. Source: LoongArch Reference Manual, volume 1,
 * 2.2.10.4 "RDTIME{L/H}.W, RDTIME.D" and 2.2.10.5 "CPUCFG": word 2 bit 14 LLFTP, word 4
 * CC_FREQ, word 5 CC_MUL and CC_DIV. */

#include "config.h"

#include "counter.h"
#include "os/ticks.h"
#include "rate.h"

#if !defined(__loongarch__) || __loongarch_grlen != 64
#error "64-bit LoongArch only"
#endif

#define CPUCFG2_LLFTP (1u << 14)

static uint64_t read_ticks(void)
{
	uint64_t ticks;

	/* $zero takes the counter's number, which is not needed. */
	__asm__ volatile("rdtime.d %0, $zero" : "=r"(ticks));
	return ticks;
}

static uint32_t cpucfg(uint32_t word)
{
	uint64_t value;

	__asm__ volatile("cpucfg %0, %1" : "=r"(value) : "r"((uint64_t)word));
	return (uint32_t)value;
}

/* The crystal's frequency, times one number of 16 bits, divided by another one. */
static int rate(uint64_t *hz)
{
	uint64_t crystal = cpucfg(4);
	uint32_t factors = cpucfg(5), divisor = factors >> 16;

	*hz = divisor ? crystal * (factors & 0xffff) / divisor : 0;
	if ((cpucfg(2) & CPUCFG2_LLFTP) && rate_is_sane(*hz))
		return 0;
	return ticks_measured_rate(read_ticks, hz);
}

TICKS_FUNCTION(read_ticks)

const struct counter cpucycles_counter_loong64_rdtime = {
	.name = "loong64-rdtime",
	.class = COUNTER_OFF_CORE,
	.width = 64,
	.rate = rate,
	.hz_source = "CPUCFG words 4 and 5, else measured",
	TICKS_COUNTER,
	.signals = COUNTER_SIGNAL(SIGILL),
	.caveat = "ticks at a constant rate, scaled to cycles; "
		  "not ordered with the instructions around it",
};
