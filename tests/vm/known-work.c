/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A shared object for cpucycles-measure: functions of a known number of instructions, each of which
 * waits for the one before. Where a machine takes 1 ns for an instruction, the functions' lengths
 * are known to the cycle. */

void chain_1000(void)
{
	__asm__ volatile(".rept 1000\n\teor x0, x0, x1\n\t.endr" : : : "x0");
}

void chain_1010(void)
{
	__asm__ volatile(".rept 1010\n\teor x0, x0, x1\n\t.endr" : : : "x0");
}

void chain_3000(void)
{
	__asm__ volatile(".rept 3000\n\teor x0, x0, x1\n\t.endr" : : : "x0");
}

void empty(void) {}
