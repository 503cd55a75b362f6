/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Core cycles of work of known length: whether the figure of a result is within the bound that the
 * result states. Usage: known-cycles [PROCESSES [BUDGET_MS [BUSY]]]. Each work is measured in so
 * many processes, next to BUSY processes that do nothing but compute. x86-64 alone: there, three
 * kinds of instruction are known to take 1, 3 and 5 cycles (Agner Fog, Instruction tables: NOT,
 * IMUL, MOV from the first cache, since Intel's Haswell; AMD's Zen takes 4 for MOV).
 * Where the counter is too coarse for one call, a sample is a loop of calls. These overlap, so they
 * take less than the known length, and such processes are not counted.
 * Knows the second library by its header only, as users' programs do.
 */

#include "config.h"

#include "cpucycles-measure.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES 60
#define BUDGET_MS 100
#define BUSY_MAX 64

/* Cycles of a round, of every kind. */
#define ROUND 120

struct work {
	const char *name;
	void (*call)(void *rounds);
};

#ifdef __x86_64__

#include <cpuid.h>

#define STRING(number) #number
#define STRING_OF(macro) STRING(macro)

/* A round is so many instructions, each of which waits for the one before. */
#define WORK(name, times, instruction) \
	static void name(void *context) \
	{ \
		static void *self = &self; \
		unsigned long rounds = *(const unsigned long *)context, three = 3; \
		void *value = &self; \
\
		__asm__ volatile("1:\n\t.rept " STRING_OF(times) "\n\t" instruction \
								 "\n\t.endr\n\tdec %1\n\tjnz 1b" \
				 : "+r"(value), "+r"(rounds) \
				 : "r"(three) \
				 : "cc", "memory"); \
	}
WORK(nots, 120, "not %0")
WORK(products, 40, "imul %2, %0")
WORK(loads_of_5, 24, "mov (%0), %0")
WORK(loads_of_4, 30, "mov (%0), %0")

static void loads(void *rounds)
{
	static int is_amd = -1;
	unsigned most, b, c, d;

	if (is_amd < 0)
		is_amd = __get_cpuid(0, &most, &b, &c, &d) && b == signature_AMD_ebx;
	if (is_amd)
		loads_of_4(rounds);
	else
		loads_of_5(rounds);
}

static const struct work works[] = { { "not", nots }, { "imul", products }, { "mov", loads } };

#else
static const struct work works[] = { { NULL, NULL } };
#endif

static const double lengths[] = { 120, 960, 9960, 99960, 999960, 9999960 };

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static int compare(const void *a, const void *b)
{
	const double *const x = a, *const y = b;

	return (*x > *y) - (*x < *y);
}

/* In a process of its own: what it finds goes into the pipe. */
static int measure(const struct work *work, double length, unsigned long budget_ms, int pipe)
{
	unsigned long rounds = (unsigned long)(length / ROUND + 0.5);
	const struct cpucycles_work known = CPUCYCLES_WORK(work->name, work->call, &rounds);
	struct cpucycles_result result = CPUCYCLES_RESULT_INITIALIZER;
	struct cpucycles_plan plan = CPUCYCLES_PLAN_INITIALIZER;
	struct cpucycles_meter *meter;

	plan.budget_ns = budget_ms * 1000000;
	if (cpucycles_meter_open(&meter, NULL, NULL) ||
	    cpucycles_meter_run(meter, &known, 1, &plan, NULL) ||
	    cpucycles_meter_result(meter, 0, &result))
		return 1;
	return write(pipe, &result, sizeof result) != sizeof result;
}

static int run(const struct work *work, double length, unsigned long budget_ms,
	       struct cpucycles_result *result)
{
	int ends[2], status;
	pid_t child;

	if (pipe(ends))
		return -1;
	child = fork();
	if (child == 0)
		_exit(measure(work, length, budget_ms, ends[1]));
	close(ends[1]);
	status = child > 0 && read(ends[0], result, sizeof *result) == sizeof *result;
	close(ends[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return status ? 0 : -1;
}

/* One line: how many processes were within the bound that they state, the median and the worst
 * error of their figures, and the distance of the quartiles of units per cycle, which is what a
 * figure in units would be off by. */
static int run_all(const struct work *work, double length, size_t processes,
		   unsigned long budget_ms)
{
	double *const errors = calloc(processes, sizeof *errors);
	double *const units = calloc(processes, sizeof *units);
	size_t n = 0, within = 0, loops = 0, failed = 0;

	for (size_t i = 0; errors && units && i < processes; i++) {
		struct cpucycles_result r;

		if (run(work, length, budget_ms, &r)) {
			failed++;
			continue;
		}
		loops += r.iterations > 1;
		if (r.iterations > 1 || !isfinite(r.cycles_low) || !isfinite(r.cycles_high))
			continue;
		within += r.cycles_low <= length && length <= r.cycles_high;
		errors[n] = fabs(r.cycles / length - 1) * 100;
		units[n++] = r.iqm / length;
	}
	if (n > 0) {
		qsort(errors, n, sizeof *errors, compare);
		qsort(units, n, sizeof *units, compare);
		printf("%-5s %8.0f  %3zu of %3zu within  error %6.2f %% (worst %6.2f %%)  units "
		       "%5.1f %%\n",
		       work->name, length, within, n, errors[n / 2], errors[n - 1],
		       (units[3 * n / 4] - units[n / 4]) / units[n / 2] * 100);
	}
	if (n < processes)
		printf("%-5s %8.0f  no cycles in %zu processes, loops in %zu, %zu failed\n",
		       work->name, length, processes - n - loops - failed, loops, failed);
	fflush(stdout);
	free(errors);
	free(units);
	return failed > 0;
}

int main(int count, char *words[])
{
	const size_t processes = count > 1 ? strtoul(words[1], NULL, 10) : PROCESSES;
	const unsigned long budget_ms = count > 2 ? strtoul(words[2], NULL, 10) : BUDGET_MS;
	const size_t busy = count > 3 ? strtoul(words[3], NULL, 10) : 0;
	pid_t others[BUSY_MAX];
	int status = 0;

	if (!works[0].name || processes == 0 || budget_ms == 0 || busy > BUSY_MAX) {
		fprintf(stderr, "known-cycles: expected x86-64, and up to three numbers\n");
		return 2;
	}
	for (size_t i = 0; i < busy; i++) {
		others[i] = fork();
		while (others[i] == 0)
			continue;
	}
	for (size_t length = 0; length < COUNT(lengths); length++)
		for (size_t i = 0; i < COUNT(works); i++)
			status |= run_all(&works[i], lengths[length], processes, budget_ms);
	for (size_t i = 0; i < busy; i++) {
		kill(others[i], SIGKILL);
		waitpid(others[i], NULL, 0);
	}
	return status;
}
