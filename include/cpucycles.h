/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#ifndef CPUCYCLES_H
#define CPUCYCLES_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * cpucycles(): a 64-bit count of CPU cycles, for the calling thread where the
 * counter is per thread (see cpucycles(3)). Only differences mean something.
 *
 * It is a pointer to a function. The first call selects a counter and points
 * it there; later calls lead straight to the counter. Never assign to it.
 *
 * Every function here may be called by any number of threads at once and from
 * a signal handler, never fails, and leaves errno alone. Each of them but
 * cpucycles_version and cpucycles_tracesetup makes the selection if no call has
 * made it yet. Strings live as long as the process and must not be freed.
 */
extern long long (*cpucycles)(void);

/* Name of the counter in use, such as "amd64-tsc". */
const char *cpucycles_implementation(void);

/* Version of this library. */
const char *cpucycles_version(void);

/* Estimate of CPU cycles per second (Hz). Always positive. */
long long cpucycles_persecond(void);

/*
 * Counts of cpucycles() per second (Hz) if the counter in use runs at a fixed
 * rate that was measured or told; 0 if it counts the core's own cycles, or the
 * rate is not known. How far the true rate may be off, in millionths: 0 if not
 * at all, or if the rate is 0.
 */
long long cpucycles_hz(void);
long long cpucycles_hz_ppm(void);

/*
 * A difference of two counts in nanoseconds by cpucycles_hz(), cut towards 0.
 * By cpucycles_persecond() where that is 0: then it is an estimate. LLONG_MAX or
 * LLONG_MIN (292 years) if the time does not fit.
 */
long long cpucycles_nanoseconds(long long difference);

/*
 * Ask the next selection to print one line per counter on standard output: that of the
 * first call, or of cpucycles_reselect(). It makes that selection a full probe.
 * The call that makes it prints with printf: not from a signal handler.
 */
void cpucycles_tracesetup(void);

/*
 * Make the selection anew, by what works in the calling thread now; for the whole process, whose
 * other threads go on counting meanwhile. cpucycles_persecond() stays. The
 * difference of two counts with a reselection between them means nothing. Not while another thread
 * changes the environment.
 */
void cpucycles_reselect(void);

/* Where the selection came from: "cache" or "probe". */
const char *cpucycles_selection_source(void);

/*
 * "used", or why the calibration cache was not: "missing", "stale-boot",
 * "stale-machine", "stale-persecond", "untrusted", "malformed", "no-counter"
 * or "disabled".
 */
const char *cpucycles_cache_status(void);

/*
 * Where cpucycles_persecond() got its value: "persecond-file",
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

#endif
