/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A shared object for cpucycles-measure: work that takes TICKS of the TSC, on one CPU, or on
 * another CPU in each call, so on both kinds of core of the machine of made-pmu.sh. */

#define _GNU_SOURCE
#include <sched.h>
#include <x86intrin.h>

#define CPUS 4

static void run_on(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof set, &set);
}

static void work(void)
{
	const unsigned long long begin = __rdtsc();

	while (__rdtsc() - begin < TICKS)
		;
}

void stays_setup(void)
{
	run_on(0);
}

void stays(void)
{
	work();
}

void moves(void)
{
	static unsigned cpu;

	run_on(cpu++ % CPUS);
	work();
}
