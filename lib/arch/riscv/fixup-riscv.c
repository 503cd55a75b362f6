/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Skips a CSRR of a register that the kernel has closed. */

#include "config.h"

#include "fixup.h"

#include <ucontext.h>

#if !defined(__linux__) || !defined(__riscv)
#error "RISC-V Linux only"
#endif

/* CSRR in bytes; it has no compressed form. */
#define LENGTH 4

bool fixup_skip(void *context)
{
	ucontext_t *const interrupted = context;
	unsigned long *next = &interrupted->uc_mcontext.__gregs[0]; /* REG_PC */

	if (!fixup_is_listed((uintptr_t)*next))
		return false;
	*next += LENGTH;
	return true;
}
