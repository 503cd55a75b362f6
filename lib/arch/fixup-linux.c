/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Skips a read of a register that the kernel has closed. */

#include "config.h"

#include "fixup.h"

#include <ucontext.h>

#ifndef __linux__
#error "Linux only"
#endif

/* Where the signal's context keeps the program counter, and the bytes of the instruction. */
#if defined(__x86_64__)
#define NEXT gregs[REG_RIP]
#elif defined(__i386__)
#define NEXT gregs[REG_EIP]
#elif defined(__aarch64__)
#define NEXT pc
#define LENGTH 4 /* as of every instruction */
#elif defined(__arm__)
#define NEXT arm_pc
#define LENGTH 4 /* MRC, in the Thumb encoding too */
#elif defined(__riscv)
#define NEXT __gregs[0] /* REG_PC */
#define LENGTH 4        /* CSRR has no compressed form */
#else
#error "for no other architecture"
#endif

/* RDPMC (0f 33) and RDTSC (0f 31) have two bytes, RDPRU (0f 01 fd) has three: Intel SDM volume 2B,
 * AMD64 APM volume 3. */
#ifndef LENGTH
#define LENGTH (((const unsigned char *)(uintptr_t)machine->NEXT)[1] == 0x01 ? 3 : 2)
#endif

/* A linker defines these two names for a section whose own name is a name of C. */
extern const int32_t __start_cpucycles_fixups[] __attribute__((visibility("hidden")));
extern const int32_t __stop_cpucycles_fixups[] __attribute__((visibility("hidden")));

/* An entry for no instruction: the section exists even if no counter has an entry in it. */
static const int32_t none __attribute__((section("cpucycles_fixups"), used)) = 0;

/* Whether the instruction at this address is in the table. */
static bool is_listed(uintptr_t address)
{
	const int32_t *const end = __stop_cpucycles_fixups;

	for (const int32_t *entry = __start_cpucycles_fixups; entry < end; entry++)
		if (entry != &none && (uintptr_t)entry + (uintptr_t)(intptr_t)*entry == address)
			return true;
	return false;
}

bool fixup_skip(void *context)
{
	mcontext_t *const machine = &((ucontext_t *)context)->uc_mcontext;

	if (!is_listed((uintptr_t)machine->NEXT))
		return false;
	machine->NEXT += LENGTH;
	return true;
}
