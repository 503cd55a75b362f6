/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Reads of registers that the kernel may close while the program runs. The address of each such
 * instruction stands in a table. When one of them faults, the handler that guard_keep left skips
 * it and tells the counter. The destination register keeps the value that it had before.
 */

#ifndef CPUCYCLES_FIXUP_H
#define CPUCYCLES_FIXUP_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The text of one instruction of an asm statement. An entry is the distance from itself to the
 * instruction, which needs no relocation in a shared library. If the compiler copies the
 * statement, each copy has an entry. The empty relocation makes the code refer to the table, so
 * that a linker that removes unused sections (--gc-sections) keeps it. libcpucycles-measure, which
 * has no such handler, defines another FIXUP before.
 */
#ifndef FIXUP
#define FIXUP(instruction) \
	"771:\t" instruction "\n" \
	"\t.pushsection cpucycles_fixups, \"a\"\n" \
	"\t.balign 4\n" \
	"772:\t.long 771b - .\n" \
	"\t.popsection\n" \
	"\t.reloc 771b, BFD_RELOC_NONE, 772b"
#endif

/*
 * lib/arch: if the next instruction of the signal's context, a ucontext_t, is in the table, let
 * the program go on after it. False: it is not.
 */
bool fixup_skip(void *context);

#endif
