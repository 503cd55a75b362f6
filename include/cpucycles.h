/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Counts CPU cycles, by the best counter that this process may read: see cpucycles(3). */

#ifndef CPUCYCLES_H
#define CPUCYCLES_H

#include <stddef.h>

/* The first two numbers of the version of this header: see cpucycles-abi(7). */
#define CPUCYCLES_VERSION_MAJOR 1
#define CPUCYCLES_VERSION_MINOR 0

/* C++98 and C90 have no long long, and -Wpedantic would say so of each line here that has one. */
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wlong-long"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/*
 * cpucycles(): a 64-bit count of CPU cycles. Some counters count for each thread
 * on its own (see cpucycles(3)). Only the difference of two counts has a meaning.
 *
 * cpucycles is a pointer to a function. The first call selects a counter and
 * makes the pointer lead to it; later calls reach the counter directly. Never
 * assign to the pointer.
 *
 * Every function here may be called by any number of threads at once and from
 * a signal handler. None changes errno, and none fails except those of single counters, at the end.
 * Each function except cpucycles_version, cpucycles_tracesetup, cpucycles_counter_name and
 * cpucycles_counter_lost selects a counter if none has been selected yet. The strings stay valid as
 * long as the process lives; do not free them.
 */
extern long long (*cpucycles)(void);

/* The name of the counter in use, such as "amd64-tsc". */
const char *cpucycles_implementation(void);

/* The version of this library. */
const char *cpucycles_version(void);

/* An estimate of the CPU's cycles per second (Hz). Always positive. */
long long cpucycles_persecond(void);

/*
 * cpucycles_hz: the rate of the counter in use, in counts per second (Hz). 0 if it
 * counts the core's own cycles, whose rate changes, or if nothing measured or stated
 * the rate. cpucycles_hz_ppm: the largest error of that rate, in millionths. 0 if
 * the rate is exact, or if the rate is 0.
 */
long long cpucycles_hz(void);
long long cpucycles_hz_ppm(void);

/*
 * A difference of two counts in nanoseconds, rounded towards 0, by cpucycles_hz().
 * If that is 0, the result is an estimate. It is then by the measured frequency of
 * the core, if the counts are the core's cycles and somebody has measured it; else by
 * cpucycles_persecond(). LLONG_MAX or LLONG_MIN (292 years) if the time does not fit.
 */
long long cpucycles_nanoseconds(long long difference);

/*
 * Make the next selection try all counters and print one line for each on
 * standard output. The next selection is that of the first call, or of
 * cpucycles_reselect(). The call that makes the selection prints with printf, so
 * it must not be made from a signal handler.
 */
void cpucycles_tracesetup(void);

/*
 * Select a counter again, by what works in the calling thread now. The selection is
 * for the whole process; other threads go on counting meanwhile.
 * cpucycles_persecond() does not change. The difference of two counts with a
 * reselection between them has no meaning.
 */
void cpucycles_reselect(void);

/* How the counter was selected: "cache" or "probe". */
const char *cpucycles_selection_source(void);

/*
 * "used", or why the calibration cache was not used: "missing", "stale-boot",
 * "stale-machine", "stale-persecond", "untrusted", "malformed", "no-counter"
 * or "disabled".
 */
const char *cpucycles_cache_status(void);

/*
 * The source of the value of cpucycles_persecond(): "persecond-file",
 * "cpufreq-setspeed", "cpufreq-max", "clock-tick", "tsc-freq-khz",
 * "cpuinfo-mhz", "cpuinfo-mhz-static", "cpuinfo-mhz-dynamic",
 * "cpuinfo-clock", "cpuinfo-bogomips", "device-tree", "sysctl-tsc",
 * "sysctl-cpufrequency", "sysctl-cpuspeed", "sysctl-cpu-freq",
 * "sysctl-tbfrequency", "kstat", "perfstat", "cpuid-tsc", "cpuid-base",
 * "hypervisor-tsc", "perf-page", "environment", "measured" or "default".
 */
const char *cpucycles_persecond_source(void);

/*
 * From here on: counters next to the one in use, for a part of a program that needs another one.
 * Each has a name. Nothing here changes what cpucycles() counts in any thread.
 */

/* The name of counter i of this library's list, from 0, such as "amd64-tsc". NULL: the list ends
 * before i. The numbers may change with the version of the library; the names do not. */
const char *cpucycles_counter_name(unsigned i);

/* What is known of a counter. size comes from the caller: sizeof(struct cpucycles_counter). Later
 * versions append members: see cpucycles-abi(7). */
struct cpucycles_counter {
	size_t size;
	const char *name;
	/* "on-core", "off-core", "kernel-count", "os-clock" or "last-resort" */
	const char *class_name;
	int in_use;     /* 1: cpucycles() reads this counter */
	int own_thread; /* 1: it counts for the calling thread only */
	/*
	 * NULL: it works in the calling thread. Else a word that says why not: "errno" (a call
	 * failed), "signal" (it faulted), "closed" (the kernel keeps or took it from the thread),
	 * "absent" (this CPU does not have it), "scaling" (its rate does not divide the CPU's),
	 * "decreased", "still" (its counts do that), or "last-resort" (it always works, but counts
	 * nothing).
	 */
	const char *reason;
	int error;         /* of "errno" and "closed": what the failed call gave, or 0; else 0 */
	int signal_number; /* of "signal": the signal; else 0 */
	/* As cpucycles_hz() and cpucycles_hz_ppm(), but of this counter. 0 if it does not work. */
	long long hz, hz_ppm;
	/*
	 * NULL, or a function that reads a register of the CPU, of which this counter makes its
	 * counts. It takes one instruction where a count takes dozens, so it is for timing short
	 * code. Call it only after cpucycles_counter_ready(). Two values make a difference only on
	 * one CPU: see cpucycles_counter_look(3), "The register itself".
	 */
	long long (*read_register)(void);
};

/*
 * Look at the counter of this name, and try it in the calling thread. Returns 0, or a negative
 * errno: -EINVAL if there is no such counter or size makes no sense, -EAGAIN if nothing can be
 * tried now, because this signal handler interrupted a selection, in a child of vfork, or in a
 * sandbox that forbids handlers of signals.
 */
int cpucycles_counter_look(const char *name, struct cpucycles_counter *counter);

/*
 * Make the counter of this name ready. *read then counts as cpucycles() does: in any thread and any
 * signal handler, as long as the process lives, also after cpucycles_reselect(). Returns 0, or a
 * negative errno: as above, and -ENOTSUP if the counter does not work; cpucycles_counter_look says
 * why.
 */
int cpucycles_counter_ready(const char *name, long long (**read)(void));

/*
 * 1 if the calling thread's counts of the counter of this name are made from a clock, because the
 * kernel took the counter from the thread; 0 if not; -EINVAL if there is no such counter.
 */
int cpucycles_counter_lost(const char *name);

#ifdef __cplusplus
}
#endif

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

#endif
