/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Check what the counter over RDPRU promises, on an AMD processor, for a script:
 *   amd count       the counts of four threads and of a child, and what they are called
 *   amd stopped     the instruction faults in mid-life: counts go on
 *   amd nanoseconds print the frequency that cpucycles_nanoseconds() divides by
 * A made processor may move the program to another CPU at any time.
 * Exit status: 0, or 1 with the promise that is broken. */

#include "config.h"

#include <stdio.h>

#if defined(__x86_64__) || defined(__i386__)

#include "cpucycles.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#define THREADS 4
#define READS 300

/* A read on a made processor is slow. So long does the thread count. */
#define TICKS 100000000u

/* What lib/arch/x86/aperf.h promises of two counts: at most so many cycles for a tick, and some
 * more. */
#define RATIO_MAX 4
#define SLACK 1000

static void promise(bool kept, const char *what)
{
	if (kept)
		return;
	printf("%s: not so: %s\n", cpucycles_implementation(), what);
	fflush(stdout);
	_exit(1);
}

static void *count(void *unused)
{
	for (int i = 0; i < READS; i++) {
		const uint64_t ticks = __rdtsc();
		const long long first = cpucycles(), second = cpucycles();

		promise(second >= first, "a count does not fall");
		promise((uint64_t)(second - first) <= (__rdtsc() - ticks) * RATIO_MAX + SLACK,
			"a count rises by no more than a core can run");
	}
	return unused;
}

/* The number of the counter in use in the list. */
static unsigned number(struct cpucycles_counter *c)
{
	unsigned i = 0;

	do {
		*c = (struct cpucycles_counter){ .size = sizeof *c };
		promise(!cpucycles_counter_look(i, c), "the counter is in the list");
		i++;
	} while (!c->in_use);
	return i - 1;
}

static void all_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		promise(!pthread_create(&threads[i], NULL, count, NULL), "a thread");
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void child_too(void)
{
	int status = 0;
	pid_t child;

	count(NULL);
	fflush(stdout);
	child = fork();
	if (child == 0) {
		count(NULL);
		all_threads();
		_exit(0);
	}
	promise(waitpid(child, &status, 0) == child && status == 0, "a child counts");
}

static void counts(void)
{
	struct cpucycles_counter c;

	number(&c);
	promise(!strcmp(c.class_name, "on-core") && !c.own_thread && c.hz == 0,
		"it counts the core's cycles, for the CPU");
	child_too();
	all_threads();
}

/* The clock's count for some ticks, and the counter's. */
static void stopped(void)
{
	struct cpucycles_counter c;
	const unsigned i = number(&c);
	const uint64_t ticks = __rdtsc();
	long long first;

	while (!cpucycles_counter_lost(i)) {
		promise(__rdtsc() - ticks < UINT64_C(1000) * TICKS, "it notices the fault");
		count(NULL);
	}
	first = cpucycles();
	while (__rdtsc() - ticks < TICKS)
		count(NULL);
	promise(cpucycles() > first, "counts go on");
	promise(cpucycles_nanoseconds(cpucycles_persecond()) == 1000000000,
		"counts that a clock makes become time again");
	number(&c);
	promise(c.reason && !strcmp(c.reason, "closed"), "the counter is called closed");
	child_too();
	all_threads(); /* each finds out for itself */
}

int main(int argc, char *argv[])
{
	const char *what = argc > 1 ? argv[1] : "";

	cpucycles();
	if (!strcmp(what, "count"))
		counts();
	else if (!strcmp(what, "stopped"))
		stopped();
	else if (strcmp(what, "nanoseconds"))
		return 2;
	/* As long as it takes for 10^12 cycles: within a millionth of the frequency. */
	printf("%s %.0f\n", cpucycles_implementation(),
	       1e21 / (double)cpucycles_nanoseconds(1000000000000));
	return 0;
}

#else

int main(void)
{
	puts("RDPRU is an instruction of x86");
	return 77;
}

#endif
