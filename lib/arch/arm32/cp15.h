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

/* While the register is closed, the instruction that reads it is undefined. */
#define CP15_CLOSED SIGILL

#define CP15_CAVEAT \
	"cycles of the core, whichever thread runs on it; 32 bits, extended with a " \
	"clock: over a pause of seconds an estimate; 64ths of cycles, if so configured"

#endif
