/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* CPU cycles per second: who says so, and what. */

#ifndef CPUCYCLES_FREQUENCY_H
#define CPUCYCLES_FREQUENCY_H

#include "machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order in which they are asked; the names are part of the API. */
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
	PERSECOND_CPUID_TSC,
	PERSECOND_CPUID_BASE,
	PERSECOND_HYPERVISOR_TSC,
	PERSECOND_PERF_PAGE,
	PERSECOND_ENVIRONMENT,
	PERSECOND_MEASURED, /* by the calibrator; only ever in a cache */
	PERSECOND_DEFAULT,
	PERSECOND_SOURCES
};

/* What nobody measured: the value when nobody answers. */
#define PERSECOND_BLIND UINT64_C(2399987654)

struct persecond {
	uint64_t hz; /* cycles per second */
	enum persecond_source source;
};

const char *frequency_source_name(enum persecond_source source);

/* False if there is no such name. */
bool frequency_source_find(const char *name, enum persecond_source *source);

/* The persecond file: number on the first line, and a second one if we wrote it. */
struct persecond_file {
	uint64_t hz; /* 0: no answer */
	bool exists;
	bool ours;   /* the calibrator wrote it; else it is the sysadmin's */
	char boot[MACHINE_BOOT_SIZE]; /* if ours */
	enum persecond_source source; /* if ours, where the number came from; else PERSECOND_FILE */
};

/* The second line is this, a boot id, this and the source's name. */
#define PERSECOND_FILE_MARK "# written by cpucycles-calibrated, boot "
#define PERSECOND_FILE_SOURCE ", source "

/* Whether the calibrator writes a value of this source into the file: what one process
 * was told, or nobody knows, is not the machine's. */
bool frequency_is_machines(enum persecond_source source);

/* The file as the calibrator writes it. Its length; 0 if it does not fit. */
size_t frequency_format_file(const struct persecond *persecond, const char *boot, char *text,
			     size_t size);

/* Pure. length: of the text without its closing 0. */
void frequency_parse_file(const char *text, size_t length, struct persecond_file *file);

/* Where a read may fault, to be called in a file_guard_call. After a fault the file exists and
 * has no answer. */
void frequency_read_file(const char *path, struct persecond_file *file);

/* Whether it counts here and now: ours only in the boot in which it was written. */
bool frequency_file_answers(const struct persecond_file *file, const char *boot);

/*
 * The first that answers: file (if not NULL and it answers), the OS below root (""
 * but in tests), the CPU (unless in tests), the environment if use_environment, the
 * blind default. Where the guard is installed, a source that faults is no answer.
 */
struct persecond frequency_estimate(const struct persecond_file *file, const char *boot,
				    const char *root, bool use_environment);

/* What the environment says; 0 if nothing. */
uint64_t frequency_environment(void);

/* lib/os: what this OS knows, with its source. False: no answer. */
bool frequency_os(const char *root, struct persecond *answer);

/* lib/arch: what this CPU tells a program. Each may fault; a NULL ends them. */
typedef bool frequency_ask(struct persecond *answer);
extern frequency_ask *const frequency_cpu[];

#endif
