/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The counters of 32-bit RISC-V are read in two halves. Here the real loop reads made registers,
 * which wrap and are closed between any two instructions: CSRR is a macro of this CPU's
 * assembler. */

#include "config.h"

#include "unit.h"

#if defined(__x86_64__)

/* Once the register is closed, the macro leaves the destination as it was, like a CSRR whose fault
 * was skipped. Each read of the low half is one count. */
#define FIXUP(instruction) \
	".macro csrr to, number:vararg\n" \
	"\tdecl made_left(%%rip)\n" \
	"\tjs 771f\n" \
	"\t.if (\\number) >= 0xc80\n" \
	"\tmovl 4 + made_count(%%rip), \\to\n" \
	"\t.else\n" \
	"\tmovl made_count(%%rip), \\to\n" \
	"\taddl $1, made_count(%%rip)\n" \
	"\tadcl $0, 4 + made_count(%%rip)\n" \
	"\t.endif\n" \
	"771:\n" \
	"\t.endm\n" instruction "\n" \
	".purgem csrr\n"
#define __riscv_xlen 32
#include "arch/riscv/csr.h"

#define FOREVER 1000000

extern volatile uint64_t made_count;
extern volatile int32_t made_left;
volatile uint64_t made_count; /* the register */
volatile int32_t made_left;   /* instructions until the register is closed */

TEST(halves)
{
	made_left = FOREVER;
	made_count = UINT64_C(0x500000007);
	assert_int_equal(csr_cycle(), UINT64_C(0x500000007));
	made_count = UINT64_C(0x5ffffffff);
	assert_int_equal(csr_cycle(), UINT64_C(0x600000000));
}

TEST_IN_CHILD(closed)
{
	const uint64_t counts[] = { 7, UINT64_C(0x500000007), UINT64_C(0x5ffffffff), UINT64_MAX };

	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		for (int left = 0; left < 8; left++) {
			made_count = counts[i];
			made_left = left;
			csr_cycle();
			unit_expect(made_left > -FOREVER, "it ends");
		}
	}
}

#else

TEST_NOT_HERE(halves, "the made registers are for x86-64")
TEST_NOT_HERE(closed, "the made registers are for x86-64")

#endif

UNIT_MAIN("csr", NULL, NULL)
