/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Skips an MRS of a register that the kernel has closed. */

#include "config.h"

#include "fixup.h"

#include <ucontext.h>

#if !defined(__linux__) || !defined(__aarch64__)
#error "64-bit ARM Linux only"
#endif

/* Every instruction has as many bytes. */
#define LENGTH 4

bool fixup_skip(void *context)
{
	ucontext_t *const interrupted = context;
	unsigned long long *next = (unsigned long long *)&interrupted->uc_mcontext.pc;

	if (!fixup_is_listed((uintptr_t)*next))
		return false;
	*next += LENGTH;
	return true;
}
