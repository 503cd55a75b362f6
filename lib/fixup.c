/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "fixup.h"

#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/* The registers of the counters that can be closed, on the systems that have them. */
#if defined(__linux__) && \
	(defined(__x86_64__) || defined(__aarch64__) || defined(__arm__) || defined(__riscv))

/* The linker's names for a section whose name is one of C. */
extern const int32_t __start_cpucycles_fixups[] __attribute__((visibility("hidden")));
extern const int32_t __stop_cpucycles_fixups[] __attribute__((visibility("hidden")));

/* So that there is a table without such counters too. */
static const int32_t none __attribute__((section("cpucycles_fixups"), used)) = 0;

static bool is_listed(uintptr_t address)
{
	for (const int32_t *entry = __start_cpucycles_fixups; entry < __stop_cpucycles_fixups; entry++)
		if (entry != &none && (uintptr_t)entry + (uintptr_t)(intptr_t)*entry == address)
			return true;
	return false;
}

bool fixup_skip(void *context)
{
	mcontext_t *machine = &((ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
	greg_t *next = &machine->gregs[REG_RIP];
#elif defined(__aarch64__)
	unsigned long long *next = (unsigned long long *)&machine->pc;
#elif defined(__arm__)
	unsigned long *next = &machine->arm_pc;
#else
	unsigned long *next = &machine->__gregs[0]; /* REG_PC */
#endif

	if (!is_listed((uintptr_t)*next))
		return false;
	*next += FIXUP_LENGTH;
	return true;
}

#else

bool fixup_skip(void *context)
{
	(void)context;
	return false;
}

#endif
