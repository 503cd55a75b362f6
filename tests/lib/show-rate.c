/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Print the library's rate of its counter, for scripts:
 *   show-rate [signal] [NUMBER...]
 * signal: a signal handler makes the first call of the library. NUMBER (or max, or min): print a
 * line with cpucycles_nanoseconds() of that many counts. "clock good" means that the time between
 * two counts lies between the readings of a clock around them, within the stated error. The clock
 * is CLOCK_MONOTONIC for a rate without error, else CLOCK_MONOTONIC_RAW, against which rates are
 * measured. Exit status: 0, 1 if errno was changed. */

#include "config.h"

#include "cpucycles.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WAIT_NS 20000000
#define NS_PER_S 1000000000ll

static volatile sig_atomic_t handled;
static long long handled_hz, handled_ppm, handled_ns;

static void handler(int sig)
{
	(void)sig;
	handled_hz = cpucycles_hz();
	handled_ppm = cpucycles_hz_ppm();
	handled_ns = cpucycles_nanoseconds(1000000);
	handled = 1;
}

static int in_a_handler(void)
{
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	printf("handler %s\n", handled && handled_hz == cpucycles_hz() &&
					       handled_ppm == cpucycles_hz_ppm() &&
					       handled_ns == cpucycles_nanoseconds(1000000) ?
				       "same" :
				       "other");
	return !handled;
}

#ifndef CLOCK_MONOTONIC_RAW
#define CLOCK_MONOTONIC_RAW CLOCK_MONOTONIC
#endif

static long long now(void)
{
	struct timespec t;

	clock_gettime(cpucycles_hz_ppm() ? CLOCK_MONOTONIC_RAW : CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* A count, and the clock before and after it. */
struct moment {
	long long before, count, after;
};

static struct moment moment(void)
{
	struct moment m;

	m.before = now();
	m.count = cpucycles();
	m.after = now();
	return m;
}

static const char *compare_clock(void)
{
	const struct timespec wait = { 0, WAIT_NS };
	struct moment a, b;
	long long ns, error;

	cpucycles();
	a = moment();
	nanosleep(&wait, NULL);
	b = moment();
	ns = cpucycles_nanoseconds(b.count - a.count);
	/* The clock, the count and the conversion are each cut by up to 1 ns. */
	error = ns / 1000000 * cpucycles_hz_ppm() + cpucycles_hz_ppm() + 3;
	if (ns >= b.before - a.after - error && ns <= b.after - a.before + error)
		return "good";
	printf("expected %lld to %lld ns, got %lld\n", b.before - a.after, b.after - a.before, ns);
	return "bad";
}

static long long counts_of(const char *text)
{
	if (!strcmp(text, "max"))
		return LLONG_MAX;
	return strcmp(text, "min") ? strtoll(text, NULL, 10) : LLONG_MIN;
}

int main(int argc, char *argv[])
{
	int i = 1;

	errno = 42;
	if (i < argc && !strcmp(argv[i], "signal") && in_a_handler())
		return 1;
	i += i < argc && !strcmp(argv[i], "signal");
	errno = 42;
	printf("hz %lld\n", cpucycles_hz());
	printf("ppm %lld\n", cpucycles_hz_ppm());
	for (; i < argc; i++)
		printf("ns %s %lld\n", argv[i], cpucycles_nanoseconds(counts_of(argv[i])));
	if (errno != 42)
		return puts("errno was changed"), 1;
	printf("implementation %s\npersecond %lld\n", cpucycles_implementation(),
	       cpucycles_persecond());
	if (cpucycles_hz())
		printf("clock %s\n", compare_clock());
	return fflush(stdout) ? 1 : 0;
}
