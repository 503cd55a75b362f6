/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A shared object for cpucycles-measure: functions of a known number of instructions, each of which
 * waits for the one before. Where a machine takes 1 ns for an instruction, the functions' lengths
 * are known to the cycle. */

#if defined(__aarch64__)
#define KNOWN_WORK(times) __asm__ volatile(".rept " times "\n\teor x0, x0, x1\n\t.endr" : : : "x0")
#elif defined(__riscv)
#define KNOWN_WORK(times) __asm__ volatile(".rept " times "\n\txor a0, a0, a1\n\t.endr" : : : "a0")
#else
#define KNOWN_WORK(times) \
	__asm__ volatile(".rept " times "\n\txorl %%edx, %%eax\n\t.endr" : : : "eax", "cc")
#endif

void chain_1000(void)
{
	KNOWN_WORK("1000");
}

void chain_1010(void)
{
	KNOWN_WORK("1010");
}

void chain_3000(void)
{
	KNOWN_WORK("3000");
}

void empty(void) {}
