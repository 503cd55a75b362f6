/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Skips an RDPMC that the kernel has closed. */

#include "config.h"

#include "fixup.h"

#include <ucontext.h>

#if !defined(__linux__) || !defined(__x86_64__)
#error "amd64 Linux only"
#endif

/* RDPMC in bytes: Intel SDM volume 2B. */
#define LENGTH 2

bool fixup_skip(void *context)
{
	ucontext_t *const interrupted = context;
	greg_t *next = &interrupted->uc_mcontext.gregs[REG_RIP];

	if (!fixup_is_listed((uintptr_t)*next))
		return false;
	*next += LENGTH;
	return true;
}
