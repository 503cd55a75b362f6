/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Check what the counter over RDPRU promises, on an AMD processor, for a script:
 *   amd count N     the counts of four threads and of a child, and what they are called; of 300
 *                   differences of the register, N at least are good
 *   amd hops N      the thread goes to another CPU N times, and works there; print first how many
 *                   of the cycles that the work takes are counted, as a part of 1
 *   amd reads N     two threads read N times each, next to others that keep all CPUs busy
 *   amd stopped     the instruction faults in mid-life: counts go on
 *   amd forbidden   the kernel forbids the time-stamp counter in mid-life: the same, for this
 * thread amd handled N   the same N times, each time in a signal handler, of a signal that it
 * raises amd nanoseconds print the frequency that cpucycles_nanoseconds() divides by A made
 * processor may move the program to another CPU at any time. Exit status: 0, 1 with the promise
 * that is broken, or 77 with the reason why nobody can tell. */

#include "config.h"

#include <stdio.h>

#if defined(__x86_64__) || defined(__i386__)

#include "cpucycles.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#define THREADS 4
#define READS 300

/* A read on a made processor is slow. So long does the thread count. */
#define TICKS 100000000u

/* So many multiplications that each wait for the one before. Each takes 3 cycles on every AMD
 * processor that has RDPRU (Software Optimization Guides for families 17h, 19h and 1Ah). Reading
 * the count around them, on a CPU that is new to the thread, takes a small part of that. */
#define ROUNDS 1000
#define WORK_CYCLES (100L * ROUNDS * 3)

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

		promise(first > 0, "a count is not 0");
		promise(second >= first, "a count does not fall");
		promise((uint64_t)(second - first) <= (__rdtsc() - ticks) * RATIO_MAX + SLACK,
			"a count rises by no more than a core can run");
	}
	return unused;
}

/* What a look says of the counter in use. */
static struct cpucycles_counter look(void)
{
	struct cpucycles_counter c = { .size = sizeof c };

	promise(!cpucycles_counter_look(cpucycles_implementation(), &c), "it is in the list");
	promise(c.in_use, "it is in use");
	return c;
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

/* The register itself, between two counts. If the thread has stayed, its difference is in that of
 * the counts. least: so often it has. */
static void look_at_register(const struct cpucycles_counter *c, size_t least)
{
	long long (*read)(void);
	size_t stayed = 0;

	promise(c->read_register != NULL, "the register can be read");
	promise(!cpucycles_counter_ready(c->name, &read), "the counter is ready");
	for (int n = 0; n < READS; n++) {
		const long long before = read(), first = c->read_register();
		const long long last = c->read_register(), behind = read();

		promise(first && last, "the instruction works");
		stayed += (uint64_t)last - (uint64_t)first <= (uint64_t)(behind - before);
	}
	promise(stayed >= least, "the register counts what the counter counts");
}

static void counts(size_t least)
{
	const struct cpucycles_counter c = look();

	promise(!strcmp(c.class_name, "on-core") && !c.own_thread && c.hz == 0,
		"it counts the core's cycles, for the CPU");
	look_at_register(&c, least);
	child_too();
	all_threads();
}

static void work(void)
{
	unsigned long value = 3;

	for (int i = 0; i < ROUNDS; i++)
		__asm__ volatile(".rept 100\n\timul %0, %0\n\t.endr" : "+r"(value));
}

static int compare(const void *a, const void *b)
{
	const long long x = *(const long long *)a, y = *(const long long *)b;

	return (x > y) - (x < y);
}

/* The next CPU behind this one on which the program may run. */
static size_t next_cpu(const cpu_set_t *allowed, size_t cpu)
{
	do
		cpu = (cpu + 1) % CPU_SETSIZE;
	while (!CPU_ISSET(cpu, allowed));
	return cpu;
}

/* The median, because another program may run there, too. */
static double hops(size_t n)
{
	long long *const took = calloc(n + 1, sizeof *took), last = cpucycles();
	cpu_set_t allowed, here;
	size_t cpu = 0;
	double part;

	promise(took && !sched_getaffinity(0, sizeof allowed, &allowed), "CPUs are known");
	for (size_t i = 0; i < n; i++) {
		long long first;

		cpu = next_cpu(&allowed, cpu);
		CPU_ZERO(&here);
		CPU_SET(cpu, &here);
		promise(!sched_setaffinity(0, sizeof here, &here), "it goes to another CPU");
		first = cpucycles();
		promise(first >= last, "a count does not fall on another CPU");
		work();
		last = cpucycles();
		promise(last >= first, "a count does not fall");
		took[i] = last - first;
	}
	sched_setaffinity(0, sizeof allowed, &allowed);
	qsort(took, n, sizeof *took, compare);
	part = (double)took[n / 2] / WORK_CYCLES;
	free(took);
	return part;
}

static void *read_often(void *times)
{
	long long last = cpucycles();

	for (size_t left = *(const size_t *)times; left > 0; left--) {
		const long long now = cpucycles();

		promise(now >= last, "a count does not fall in a thread");
		last = now;
	}
	return NULL;
}

static atomic_bool enough;

static void *keep_busy(void *unused)
{
	while (!atomic_load(&enough))
		work();
	return unused;
}

/* A thread for each CPU keeps it busy. */
#define BUSY_MAX 64

static void read_under_load(size_t n)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const long busy_n = cpus < BUSY_MAX ? cpus : BUSY_MAX;
	pthread_t busy[BUSY_MAX], readers[2];

	for (long i = 0; i < busy_n; i++)
		promise(!pthread_create(&busy[i], NULL, keep_busy, NULL), "a busy thread");
	for (int i = 0; i < 2; i++)
		promise(!pthread_create(&readers[i], NULL, read_often, &n), "a thread");
	for (int i = 0; i < 2; i++)
		pthread_join(readers[i], NULL);
	atomic_store(&enough, true);
	for (long i = 0; i < busy_n; i++)
		pthread_join(busy[i], NULL);
}

/* The clock's count for some ticks, and the counter's. */
static void stopped(void)
{
	struct cpucycles_counter c;
	const uint64_t ticks = __rdtsc();
	long long first;

	while (!cpucycles_counter_lost(cpucycles_implementation())) {
		promise(__rdtsc() - ticks < UINT64_C(1000) * TICKS, "it notices the fault");
		count(NULL);
	}
	first = cpucycles();
	while (__rdtsc() - ticks < TICKS)
		count(NULL);
	promise(cpucycles() > first, "counts go on");
	promise(cpucycles_nanoseconds(cpucycles_persecond()) == 1000000000,
		"counts that a clock makes become time again");
	c = look();
	promise(c.reason && !strcmp(c.reason, "closed"), "the counter is called closed");
	promise(!c.read_register, "its register cannot be read");
	child_too();
	all_threads(); /* each finds out for itself */
}

/* Some virtual machines take the setting and read on. */
static bool can_forbid(void)
{
	int status = 0;
	const pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
		(void)__rdtsc();
		_exit(0);
	}
	return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status);
}

/* RDTSC raises SIGSEGV from here on. A count of the clock comes from a system call then. */
static void forbidden(void)
{
	long long last = cpucycles();

	if (!can_forbid() || prctl(PR_SET_TSC, PR_TSC_SIGSEGV)) {
		printf("nobody can forbid a process to read the time-stamp counter here\n");
		exit(77);
	}
	for (int n = 0; n < READS; n++) {
		const long long now = cpucycles();

		promise(now >= last, "a count does not fall");
		last = now;
	}
	promise(cpucycles_counter_lost(cpucycles_implementation()) == 1, "it notices the fault");
	do
		promise(cpucycles() >= last, "a count does not fall");
	while (cpucycles() == last);
}

static volatile sig_atomic_t handled;
static volatile long long count_in_handler;

static void on_signal(int signal)
{
	(void)signal;
	count_in_handler = cpucycles();
	handled++;
}

/* Where the handler's read has found the fault, the read that it interrupted has a register that is
 * older than the handler's count by the clock. A reselection opens the register again. */
static void handled_often(size_t n)
{
	const struct sigaction action = { .sa_handler = on_signal };
	long long last = cpucycles();

	promise(!sigaction(SIGUSR1, &action, NULL), "a handler");
	for (size_t k = 1; k <= n; k++) {
		raise(SIGUSR1);
		for (int reads = 0; reads < 3; reads++) {
			const long long now = cpucycles();

			promise(now > last, "each count is higher");
			last = now;
		}
		promise((size_t)handled == k, "a handler has read");
		promise(last >= count_in_handler, "a count is not below a handler's");
		promise(cpucycles_counter_lost(cpucycles_implementation()) == 1,
			"it notices the fault");
		cpucycles_reselect();
		promise(cpucycles_counter_lost(cpucycles_implementation()) == 0,
			"the register is open again");
	}
}

int main(int argc, char *argv[])
{
	const char *what = argc > 1 ? argv[1] : "";
	const size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	cpucycles();
	if (!strcmp(what, "count"))
		counts(n);
	else if (!strcmp(what, "hops"))
		printf("%.4f ", hops(n));
	else if (!strcmp(what, "reads"))
		read_under_load(n);
	else if (!strcmp(what, "stopped"))
		stopped();
	else if (!strcmp(what, "forbidden"))
		forbidden();
	else if (!strcmp(what, "handled"))
		handled_often(n);
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
