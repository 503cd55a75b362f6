/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Instructions that wait for each other, so that a core takes one cycle for each,
 * however many it could do side by side. The exclusive or of two registers is it
 * everywhere: one cycle in every pipeline's simplest unit, and no renamer removes
 * it, as some do with moves, with additions of a small constant (Intel Golden Cove) and with
 * x ^ x. Three are known to do it in another time: Intel Pentium 4 in half a
 * cycle, and some POWERs (7 to 9) and S/390 before z13 in two when the result
 * goes to another pipeline. There the operating system knows the clock.
 */

#ifndef CPUCYCLES_CHAIN_H
#define CPUCYCLES_CHAIN_H

/* Instructions in a round: few enough for the smallest instruction cache and the shortest
 * branch (RISC-V, 4 KiB), enough to hide the branch: 0.3 % on a core with one pipe. */
#define CHAIN_LENGTH 1000
#define CHAIN_TEXT "1000"

#define CHAIN_ASM(instruction, loop) \
	__asm__ volatile("1:\n\t.rept " CHAIN_TEXT "\n\t" instruction "\n\t.endr\n\t" loop \
			 : "+r"(value), "+r"(rounds) : "r"(operand) : "cc")

#if !defined(__GNUC__)
#define CHAIN_IS_PORTABLE 1
#elif defined(__x86_64__) || defined(__i386__)
/* XOR r,r. Source: Agner Fog, Instruction tables: latency 1 since the Pentium, but for the Pentium 4. */
#define CHAIN CHAIN_ASM("xor %2, %0", "dec %1\n\tjnz 1b")
#elif defined(__aarch64__)
/* EOR (shifted register, no shift). Source: Arm's Software Optimization Guides,
 * "Logical, basic": latency 1, from Cortex-A53 on. */
#define CHAIN CHAIN_ASM("eor %0, %0, %2", "subs %1, %1, #1\n\tb.ne 1b")
#elif defined(__arm__) && (!defined(__thumb__) || defined(__thumb2__))
/* EOR. Source: ARM's Technical Reference Manuals, "Instruction cycle timings": 1. */
#define CHAIN CHAIN_ASM("eor %0, %0, %2", "subs %1, %1, #1\n\tbne 1b")
#elif defined(__riscv)
/* XOR. Source: manuals of SiFive U74 and T-Head C906: ALU latency 1. */
#define CHAIN CHAIN_ASM("xor %0, %0, %2", "addi %1, %1, -1\n\tbnez %1, 1b")
#elif defined(__powerpc__) || defined(__powerpc64__)
/* XOR. Source: GCC's rs6000/power8.md and power10.md: 1 cycle. */
#define CHAIN CHAIN_ASM("xor %0, %0, %2", "addic. %1, %1, -1\n\tbne 1b")
#elif defined(__s390x__)
/* XGR. Source: GCC's s390/3906.md: latency 1. */
#define CHAIN CHAIN_ASM("xgr %0, %2", "brctg %1, 1b")
#elif defined(__mips64)
/* XOR. Source: MIPS processor manuals, "ALU bypass": the next instruction has the result. */
#define CHAIN CHAIN_ASM("xor %0, %0, %2", ".set push\n\t.set noreorder\n\t" \
	"daddiu %1, %1, -1\n\tbnez %1, 1b\n\tnop\n\t.set pop")
#elif defined(__mips__)
#define CHAIN CHAIN_ASM("xor %0, %0, %2", ".set push\n\t.set noreorder\n\t" \
	"addiu %1, %1, -1\n\tbnez %1, 1b\n\tnop\n\t.set pop")
#elif defined(__sparc__)
/* XOR. Source: UltraSPARC and OpenSPARC T2 manuals: ALU latency 1. */
#define CHAIN CHAIN_ASM("xor %0, %2, %0", "subcc %1, 1, %1\n\tbne 1b\n\tnop")
#elif defined(__loongarch64)
/* XOR. Source: GCC's loongarch/la464.md: 1 cycle. */
#define CHAIN CHAIN_ASM("xor %0, %0, %2", "addi.d %1, %1, -1\n\tbnez %1, 1b")
#else
#define CHAIN_IS_PORTABLE 1
#endif

#ifndef CHAIN_IS_PORTABLE
#define CHAIN_IS_PORTABLE 0

/* Takes CHAIN_LENGTH cycles a round. rounds: above 0. A function of its own: the compiler does
 * not see how long .rept makes it, and on ARM a function's constants lie within 4 KiB. */
__attribute__((noinline)) static unsigned long chain_run(unsigned long rounds)
{
	unsigned long value = 1, operand = 3;

	CHAIN;
	return value;
}

#else

#define CHAIN_STEP value = (value ^ operand) + value;
#define CHAIN_TEN(step) step step step step step step step step step step

/*
 * Steps in C of two dependent operations each, a sum of which no compiler can take a
 * short cut through the next: what is found is a lower bound of the frequency,
 * because the compiler may need more instructions.
 */
static inline unsigned long chain_run(unsigned long rounds)
{
	unsigned long value = rounds, operand = rounds | 1;

	while (rounds-- > 0) {
		for (int i = 0; i < CHAIN_LENGTH / 2 / 100; i++) {
			CHAIN_TEN(CHAIN_TEN(CHAIN_STEP))
		}
		operand += value | 1;
	}
	return value;
}

#endif

#endif
