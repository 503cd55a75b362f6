/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the cycle counters of 32-bit ARM share: they are registers of coprocessor 15. */

#ifndef CPUCYCLES_CP15_H
#define CPUCYCLES_CP15_H

#include "counter.h"
#include "fixup.h"
#include "os/extend.h"

#include <signal.h>

#if !defined(__arm__)
#error "32-bit ARM only"
#endif

/* Thumb-1 and the M profile have no MRC of coprocessor 15. */
#if (defined(__thumb__) && !defined(__thumb2__)) || \
	(defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M')
#error "no coprocessor 15"
#endif

/* The register, extended to 64 bits. Each counter's file has one, and defines how to read it. */
static uint64_t cp15_register(void);

static struct extend cp15_extend;
static _Thread_local struct extend_thread cp15_mine TLS_MODEL;

static void cp15_closed(void)
{
	extend_close(&cp15_mine);
}

static bool cp15_lost(void)
{
	return extend_is_closed(&cp15_mine);
}

static int cp15_setup(const struct counter_conditions *conditions)
{
	return extend_setup(&cp15_extend, &cp15_mine, cp15_register, conditions->persecond);
}

static long long cp15_read(void)
{
	return (long long)extend_read(&cp15_extend, &cp15_mine, cp15_register);
}

/* All of the counter but its name, class and width. While the register is closed, the instruction
 * that reads it is undefined. */
#define CP15_COUNTER \
	.setup = cp15_setup, .signals = COUNTER_SIGNAL(SIGILL), .read = cp15_read, \
	.closing_signals = COUNTER_SIGNAL(SIGILL), .closed = cp15_closed, .lost = cp15_lost, \
	.caveat = "cycles of the core, whichever thread runs on it; 32 bits, extended with a " \
		  "clock: over a pause of seconds an estimate; 64ths of cycles, if so configured"

#endif
