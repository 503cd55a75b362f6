/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * main() of a program that cpucycles-measure links anew many times, together with the functions
 * that it measures. The linker fills in where they are: side number 5, which is a function of the
 * command line or a copy of one, is called cpucycles_measured_05_call here, and so on. The
 * constructors of its file lie between cpucycles_measured_05_begin and cpucycles_measured_05_end.
 * Those of the sides that this process measures are called here, one file after the other, so that
 * a crash in one is known as that, and so that what one leaves does not reach another.
 */

#include "config.h"

#include "memory.h"
#include "reason.h"

#include <errno.h>
#include <stdio.h>

/* What the C library gives to each. */
typedef void constructor(int argc, char *argv[], char *environment[]);
extern char **environ;

/* Those that do not exist have the address 0. */
#define DECLARE(i) \
	extern void cpucycles_measured_##i##_call(void) __attribute__((weak)); \
	extern void cpucycles_measured_##i##_setup(void) __attribute__((weak)); \
	extern void cpucycles_measured_##i##_before(void) __attribute__((weak)); \
	extern const size_t cpucycles_measured_##i##_bytes __attribute__((weak)); \
	extern void cpucycles_measured_##i##_input(void) __attribute__((weak)); \
	extern const size_t cpucycles_measured_##i##_input_bytes __attribute__((weak)); \
	extern constructor *const cpucycles_measured_##i##_begin[] __attribute__((weak)); \
	extern constructor *const cpucycles_measured_##i##_end[] __attribute__((weak));
#define ENTRY(i) \
	{ \
		cpucycles_measured_##i##_call,   cpucycles_measured_##i##_setup, \
		cpucycles_measured_##i##_before, &cpucycles_measured_##i##_bytes, \
		cpucycles_measured_##i##_input,  &cpucycles_measured_##i##_input_bytes, \
		cpucycles_measured_##i##_begin,  cpucycles_measured_##i##_end, \
	},

/* All numbers. */
#define TEN(do, t) \
	do \
	(t##0) do(t##1) do(t##2) do(t##3) do(t##4) do(t##5) do(t##6) do(t##7) do(t##8) do(t##9)
#define ALL(do) \
	TEN(do, 0) \
	TEN(do, 1) TEN(do, 2) TEN(do, 3) TEN(do, 4) TEN(do, 5) do(60) do(61) do(62) do(63)

/* The linker's symbols, and no others of this program. */
ALL(DECLARE)

static const struct {
	void (*call)(void);
	void (*setup)(void);
	void (*before)(void);
	const size_t *bytes;
	void (*input)(void);
	const size_t *input_bytes;
	constructor *const *begin, *const *end;
} sides[] = { ALL(ENTRY) };

_Static_assert(sizeof sides / sizeof sides[0] == CHILD_SIDES, "all functions have a place");

/* The program's own arguments. */
static int program_argc;
static char **program_argv;

static struct state construct(size_t side)
{
	const struct state before = state_get();

	for (constructor *const *each = sides[side].begin; each != sides[side].end; each++)
		(*each)(program_argc, program_argv, environ);
	return child_take_state(&before);
}

static void load(const struct child_job *job, struct child_shared *shared, struct loaded loaded[],
		 struct state states[])
{
	for (size_t i = 0; i < job->n; i++) {
		const struct target *target = job->targets[i];
		const size_t side = job->first_side + target->side;

		child_begin(shared, CHILD_LOADS, i);
		if (side >= CHILD_SIDES || !sides[side].call) {
			reason_say(&shared->reason, 0, "it is not in the program that was linked");
			child_end(shared, -ENOENT);
		}
		states[i] = construct(side);
		loaded[i] = (struct loaded){
			.function = sides[side].call,
			.setup = sides[side].setup,
			.before = sides[side].before,
			.bytes = target->bytes,
			.input = sides[side].input,
			.input_bytes = sides[side].input_bytes,
		};
		if (!target->sized && !target->bytes && sides[side].bytes)
			loaded[i].bytes = *sides[side].bytes;
	}
}

int main(int argc, char *argv[])
{
	struct child_job job;
	struct child_memory memory;

	if (argc != 2 || memory_attach(argv[1], &job, &memory)) {
		fputs("This program is started by the cpucycles-measure that linked it.\n", stderr);
		return MEMORY_NO_ORDER;
	}
	program_argc = argc;
	program_argv = argv;
	child_work(&job, &memory, load);
}
