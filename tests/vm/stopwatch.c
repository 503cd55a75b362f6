/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Measure by the clock against which rates are stated, CLOCK_MONOTONIC_RAW:
 *   stopwatch run COMMAND...           run the command, and print how long it took (wall-us), and
 *                                      for how long it had a CPU (cpu-us)
 *   stopwatch blind COMMAND...         the same, without the right to open events where
 *                                      perf_event_paranoid is 3
 *   stopwatch count SECONDS idle|busy  print how many counts of the library's counter a second has
 *                                      (rate), and how much this may be off (ppm)
 * busy: this thread runs all the time, which a count of its own cycles needs. */

#define _GNU_SOURCE
#include <cpucycles.h>

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000
#define US_PER_S 1000000
#define TRIES 30
#define WINDOW_NS 1000000 /* the kernel's timer interrupts every 4 ms */
#define WINDOWS_MAX 5000

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

static int64_t raw_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* A count, and the clock before and after it. */
struct moment {
	int64_t before, after;
	long long count;
};

/* Of many, the one whose clock readings are closest to one another. */
static struct moment moment(void)
{
	struct moment now, best = { 0, INT64_MAX, 0 };

	for (int i = 0; i < TRIES; i++) {
		now.before = raw_ns();
		now.count = cpucycles();
		now.after = raw_ns();
		if (now.after - now.before < best.after - best.before)
			best = now;
	}
	return best;
}

/* Counts in a second. ppm: what the clock readings leave open. */
static double rate_between(const struct moment *first, const struct moment *last, double *ppm)
{
	double ns = (double)(last->before + last->after - first->before - first->after) / 2;
	double width = (double)(last->after - last->before + first->after - first->before) / 2;

	*ppm = width * 1e6 / ns;
	return (double)(last->count - first->count) * NS_PER_S / ns;
}

static double rate_while_idle(unsigned seconds, double *ppm)
{
	struct moment first = moment(), last;

	sleep(seconds);
	last = moment();
	return rate_between(&first, &last, ppm);
}

static void stay_busy(int64_t ns)
{
	int64_t end = raw_ns() + ns;

	while (raw_ns() < end)
		for (volatile int i = 0; i < 100; i++)
			;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The middle one of many rates, over times so short that no interrupt falls into most of them. A
 * count of this thread's own cycles leaves interrupts out, and the clock does not. */
static double rate_while_busy(unsigned seconds, double *ppm)
{
	static double rates[WINDOWS_MAX];
	size_t n = seconds * (NS_PER_S / WINDOW_NS);

	n = n < WINDOWS_MAX ? n : WINDOWS_MAX;
	for (size_t i = 0; i < n; i++) {
		struct moment first = moment(), last;

		stay_busy(WINDOW_NS);
		last = moment();
		rates[i] = rate_between(&first, &last, ppm);
	}
	qsort(rates, n, sizeof rates[0], compare);
	return rates[n / 2];
}

static void count(unsigned seconds, int busy)
{
	double ppm = 0,
	       rate = busy ? rate_while_busy(seconds, &ppm) : rate_while_idle(seconds, &ppm);

	printf("counter %s\nrate %.0f\nppm %.3f\n", cpucycles_implementation(), rate, ppm);
}

static void drop_rights(void)
{
	if (prctl(PR_CAPBSET_DROP, CAP_PERFMON, 0, 0, 0) ||
	    prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0)) {
		printf("prctl: %s\n", strerror(errno));
		exit(1);
	}
}

static int64_t us(struct timeval time)
{
	return (int64_t)time.tv_sec * US_PER_S + time.tv_usec;
}

/* Returns the exit status. vfork, as systemd and shells use it for programs that they start: fork
 * would copy this program's page tables, which takes a slow core 15 ms. */
static int run(char *command[])
{
	int64_t start = raw_ns(), end;
	struct rusage used;
	int status;
	pid_t child = vfork();

	if (child == 0) {
		execvp(command[0], command);
		printf("%s: %s\n", command[0], strerror(errno));
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &used) != child)
		return 1;
	end = raw_ns();
	printf("wall-us %lld\ncpu-us %lld\n", (long long)(end - start) / 1000,
	       (long long)(us(used.ru_utime) + us(used.ru_stime)));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char *argv[])
{
	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc == 4 && !strcmp(argv[1], "count"))
		return count((unsigned)atoi(argv[2]), !strcmp(argv[3], "busy")), 0;
	if (argc > 2 && !strcmp(argv[1], "blind"))
		return drop_rights(), run(argv + 2);
	if (argc > 2 && !strcmp(argv[1], "run"))
		return run(argv + 2);
	puts("usage: stopwatch run|blind COMMAND... | count SECONDS idle|busy");
	return 2;
}
