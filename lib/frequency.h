/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* CPU cycles per second: the sources of the value, and the value. */

#ifndef CPUCYCLES_FREQUENCY_H
#define CPUCYCLES_FREQUENCY_H

#include <stdbool.h>
#include <stdint.h>

/* In the order in which they are asked. Their names are part of the API. */
enum persecond_source {
	PERSECOND_FILE,
	PERSECOND_CPUFREQ_SETSPEED,
	PERSECOND_CPUFREQ_MAX,
	PERSECOND_CLOCK_TICK,
	PERSECOND_TSC_FREQ_KHZ,
	PERSECOND_CPUINFO_MHZ,
	PERSECOND_CPUINFO_STATIC,
	PERSECOND_CPUINFO_DYNAMIC,
	PERSECOND_CPUINFO_CLOCK,
	PERSECOND_CPUINFO_BOGOMIPS,
	PERSECOND_DEVICE_TREE,
	PERSECOND_SYSCTL_TSC,
	PERSECOND_SYSCTL_CPUFREQUENCY,
	PERSECOND_SYSCTL_CPUSPEED,
	PERSECOND_SYSCTL_CPU_FREQ,
	PERSECOND_SYSCTL_TBFREQUENCY,
	PERSECOND_KSTAT,
	PERSECOND_PERFSTAT,
	PERSECOND_HYPERVISOR_TSC, /* before what a virtual machine may show of its host's CPU */
	PERSECOND_CPUID_TSC,
	PERSECOND_CPUID_BASE,
	PERSECOND_PERF_PAGE,
	PERSECOND_ENVIRONMENT,
	PERSECOND_MEASURED, /* by the calibrator; only its cache and persecond file have it */
	PERSECOND_DEFAULT,
	PERSECOND_SOURCES
};

/* The value if no source answers, in Hz. */
#define PERSECOND_BLIND UINT64_C(2399987654)

struct persecond {
	uint64_t hz; /* cycles per second */
	enum persecond_source source;
};

const char *frequency_source_name(enum persecond_source source);

/* False if there is no such name. */
bool frequency_source_find(const char *name, enum persecond_source *source);

/* What a source's number is the frequency of. */
enum frequency_subject {
	FREQUENCY_OF_CORE,   /* the core: its nominal, its highest or its present frequency */
	FREQUENCY_OF_TSC,    /* the time-stamp counter of x86 */
	FREQUENCY_OF_EITHER, /* the time-stamp counter where there is no cpufreq, else the core */
	FREQUENCY_OF_WISH,   /* what somebody wrote: one of these two, or something else */
	FREQUENCY_OF_NOTHING /* the default */
};

enum frequency_subject frequency_subject_of(enum persecond_source source);

/* Whether a value of this source is true for the whole machine, so that the calibrator writes it
 * into the persecond file. False for what the sysadmin said, what one process was given, and the
 * default. */
bool frequency_is_machines(enum persecond_source source);

/*
 * The value of the first source that answers: the persecond file, the OS, the CPU, the environment
 * if use_environment, the default. said: what the file says, or NULL. A source that faults does not
 * answer, if the guard is installed. root: "", or in tests a folder with the files of another
 * machine, whose CPU is then not asked.
 */
struct persecond frequency_estimate(const struct persecond *said, const char *root,
				    bool use_environment);

/* The value that the environment gives, in Hz; 0 if it gives none. */
uint64_t frequency_environment(void);

/* lib/os: what this OS knows, from its files below root, and the source. False: no answer. */
bool frequency_os(const char *root, struct persecond *answer);

/* The same on Linux for a machine of this architecture, in configure's words: tests ask for all of
 * them. */
bool frequency_linux(const char *root, const char *architecture, struct persecond *answer);

/* lib/arch: what this CPU tells by this source, in Hz; 0: nothing. It may fault. The sources are
 * those from the first to the last of these two. */
#define PERSECOND_CPU_FIRST PERSECOND_HYPERVISOR_TSC
#define PERSECOND_CPU_LAST PERSECOND_PERF_PAGE
uint64_t frequency_cpu(enum persecond_source source);

#endif
