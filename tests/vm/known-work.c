/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A shared object for cpucycles-measure: functions of a known number of instructions, each of which
 * waits for the one before. Where a machine takes 1 ns for an instruction, the functions' lengths
 * are known to the cycle. */

#include <stddef.h>

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

/* For the test for leaks: two instructions more if the input says so, or the same for each input.
 */
static void input_of(int group, unsigned char *input)
{
	*input = (unsigned char)group;
}

const size_t two_more_input_bytes = 1;
void two_more_input(int group, unsigned char *input)
{
	input_of(group, input);
}
void two_more(const unsigned char *input)
{
	KNOWN_WORK("1000");
	if (*input)
		KNOWN_WORK("2");
}

const size_t as_long_input_bytes = 1;
void as_long_input(int group, unsigned char *input)
{
	input_of(group, input);
}
void as_long(const unsigned char *input)
{
	(void)input;
	KNOWN_WORK("1000");
}
