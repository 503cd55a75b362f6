/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Skips an MRC of a register that the kernel has closed. */

#include "config.h"

#include "fixup.h"

#include <ucontext.h>

#if !defined(__linux__) || !defined(__arm__)
#error "32-bit ARM Linux only"
#endif

/* MRC in bytes, in the Thumb encoding too. */
#define LENGTH 4

bool fixup_skip(void *context)
{
	ucontext_t *const interrupted = context;
	unsigned long *next = &interrupted->uc_mcontext.arm_pc;

	if (!fixup_is_listed((uintptr_t)*next))
		return false;
	*next += LENGTH;
	return true;
}
