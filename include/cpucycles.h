/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#ifndef CPUCYCLES_H
#define CPUCYCLES_H

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
 * a signal handler. None fails, and none changes errno. Each function except
 * cpucycles_version and cpucycles_tracesetup selects a counter if none has been
 * selected yet. The strings stay valid as long as the process lives; do not free
 * them.
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
 * counts the core's own cycles, whose rate changes, or if nothing measured or told
 * the rate. cpucycles_hz_ppm: the largest error of that rate, in millionths. 0 if
 * the rate is exact, or if the rate is 0.
 */
long long cpucycles_hz(void);
long long cpucycles_hz_ppm(void);

/*
 * A difference of two counts in nanoseconds, rounded towards 0, by cpucycles_hz().
 * If that is 0, by cpucycles_persecond(); the result is then an estimate. LLONG_MAX
 * or LLONG_MIN (292 years) if the time does not fit.
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

#ifdef __cplusplus
}
#endif

#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

#endif
