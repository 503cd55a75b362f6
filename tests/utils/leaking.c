/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Functions for cpucycles-measure --leak: one that leaks, one that does not, and some that do what
 * they should not. */

#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES 32

/* Some calls go well before a function fails. */
#define WELL 100

static volatile int sink;
static int calls;

static int have_enough(void)
{
	return calls++ >= WELL;
}

static void crash(void)
{
	abort();
}

static void hang(void)
{
	for (;;)
		pause();
}

/* It leaves at the first difference: group 1 has it in its first byte, group 0 nowhere. */
const size_t early_input_bytes = 32 * BYTES;

void early_input(int group, unsigned char *input)
{
	memset(input, 0, early_input_bytes);
	input[0] = (unsigned char)group;
}

void early(const unsigned char *input)
{
	for (size_t i = 0; i < 32 * BYTES && !input[i]; i++)
		sink = 0;
}

/* It takes its time by one bit, which a fixed input has or lacks, and half of the random ones
 * have. */
const size_t bit_input_bytes = BYTES;

void bit(const unsigned char *input)
{
	for (int i = 0; i < (input[0] & 1) * 1000; i++)
		sink = 0;
}

/* The same work for each input. */
const size_t safe_input_bytes = BYTES;

void safe(const unsigned char *input)
{
	unsigned char all = 0;

	for (size_t i = 0; i < BYTES; i++)
		all |= input[i];
	sink = all;
}

/* Each call takes longer than those before it. */
const size_t slower_input_bytes = 1;

void slower(const unsigned char *input)
{
	const int parts = 100 + calls++ / 10;

	sink = input[0];
	for (int i = 0; i < parts; i++)
		sink = i;
}

/* It leaks, and no budget has many of its calls. */
const size_t sleeps_input_bytes = 1;

void sleeps_input(int group, unsigned char *input)
{
	*input = (unsigned char)group;
}

void sleeps(const unsigned char *input)
{
	usleep(20000 + input[0] * 10000u);
}

/* The setup is called once, and before all. */
static int set_up;
const size_t ready_input_bytes = 1;

void ready_setup(void)
{
	set_up++;
}

void ready(const unsigned char *input)
{
	if (set_up != 1)
		abort();
	sink = input[0];
}

/* It wants two inputs, as --pairs has them. */
const size_t paired_input_bytes = BYTES;

void paired(const unsigned char *input)
{
	static unsigned char known[2][BYTES];
	static int n;
	int i = 0;

	while (i < n && memcmp(known[i], input, BYTES))
		i++;
	if (i == 2)
		crash();
	if (i == n)
		memcpy(known[n++], input, BYTES);
}

/* It wants each input twice, as --warm has them. */
const size_t warmed_input_bytes = BYTES;

void warmed(const unsigned char *input)
{
	static unsigned char before[BYTES];

	if (calls++ % 2 && memcmp(before, input, BYTES))
		crash();
	memcpy(before, input, BYTES);
}

/* What is wrong with a file. */
/* As C++ calls void foreign_input(int, unsigned char *). */
const size_t foreign_input_bytes = 1;
void _Z13foreign_inputiPh(int group, unsigned char *input)
{
	*input = (unsigned char)group;
}

void foreign(const unsigned char *input)
{
	sink = input[0];
}

void lengthless(const unsigned char *input)
{
	sink = input[0];
}

const size_t empty_input_bytes = 0;

void empty(const unsigned char *input)
{
	sink = input[0];
}

const int narrow_input_bytes = 32;

void narrow(const unsigned char *input)
{
	sink = input[0];
}

size_t called_input_bytes(void)
{
	return 32;
}

void called(const unsigned char *input)
{
	sink = input[0];
}

const size_t huge_input_bytes = 1048577;

void huge(const unsigned char *input)
{
	sink = input[0];
}

const size_t renewed_input_bytes = 1;

void renewed_before(void) {}

void renewed(const unsigned char *input)
{
	sink = input[0];
}

const size_t crashes_input_bytes = 1;

void crashes(const unsigned char *input)
{
	sink = input[0];
	if (have_enough())
		crash();
}

/* It reads more than it says. */
const size_t behind_input_bytes = BYTES;

void behind(const unsigned char *input)
{
	sink = input[BYTES];
}

const size_t input_behind_input_bytes = BYTES;

void input_behind_input(int group, unsigned char *input)
{
	memset(input, group, BYTES);
	input[BYTES + group] = 0;
}

void input_behind(const unsigned char *input)
{
	sink = input[0];
}

const size_t hangs_input_bytes = 1;

void hangs(const unsigned char *input)
{
	sink = input[0];
	if (have_enough())
		hang();
}

const size_t input_crashes_input_bytes = 1;

void input_crashes_input(int group, unsigned char *input)
{
	*input = (unsigned char)group;
	if (have_enough())
		crash();
}

void input_crashes(const unsigned char *input)
{
	sink = input[0];
}

const size_t input_hangs_input_bytes = 1;

void input_hangs_input(int group, unsigned char *input)
{
	*input = (unsigned char)group;
	if (have_enough())
		hang();
}

void input_hangs(const unsigned char *input)
{
	sink = input[0];
}

/* The tool is interrupted while this runs. */
const size_t interrupts_input_bytes = 1;

void interrupts(const unsigned char *input)
{
	sink = input[0];
	if (have_enough()) {
		calls = 0;
		kill(getppid(), SIGINT);
		hang();
	}
}
