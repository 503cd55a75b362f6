/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Reads of registers that the kernel may close while the program runs. Each such
 * instruction stands in a table; when one faults, the guard's handler (guard_keep) goes
 * on behind it, with whatever its destination held, and tells the counter. */

#ifndef CPUCYCLES_FIXUP_H
#define CPUCYCLES_FIXUP_H

#include <stdbool.h>

/*
 * The text of one instruction of an asm statement. Its address goes into the table as
 * the distance from the entry, which needs no relocation in a shared library. However
 * often a compiler copies the statement, each copy has its entry. The empty relocation
 * keeps the table where a linker throws away sections that no code refers to.
 */
#define FIXUP(instruction) \
	"771:\t" instruction "\n" \
	"\t.pushsection cpucycles_fixups, \"a\"\n" \
	"\t.balign 4\n" \
	"772:\t.long 771b - .\n" \
	"\t.popsection\n" \
	"\t.reloc 771b, BFD_RELOC_NONE, 772b"

/* Of an instruction in the table, in bytes. RDPMC: Intel SDM volume 2B; all others here
 * are of four. */
#if defined(__x86_64__) || defined(__i386__)
#define FIXUP_LENGTH 2
#else
#define FIXUP_LENGTH 4
#endif

/* Whether the instruction that the ucontext_t is about to execute is in the table; if
 * so, it will go on behind it. */
bool fixup_skip(void *context);

#endif
