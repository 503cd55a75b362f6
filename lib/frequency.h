/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* CPU cycles per second: the sources of the value, and the value. */

#ifndef CPUCYCLES_FREQUENCY_H
#define CPUCYCLES_FREQUENCY_H

#include "machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

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
	PERSECOND_CPUID_TSC,
	PERSECOND_CPUID_BASE,
	PERSECOND_HYPERVISOR_TSC,
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

/* The persecond file. The first line is a number; the calibrator adds a second line. */
struct persecond_file {
	uint64_t hz; /* 0: no answer */
	bool exists;
	bool elsewhere;               /* it was not read, because its file system is not local */
	bool ours;                    /* the calibrator wrote it; if false, the sysadmin did */
	char boot[MACHINE_BOOT_SIZE]; /* if ours: the boot in which it was written */
	enum persecond_source source; /* if ours: the number's source; if not: PERSECOND_FILE */
};

/* The second line consists of the first text, a boot id, the second text and a source's name. */
#define PERSECOND_FILE_MARK "# written by cpucycles-calibrated, boot "
#define PERSECOND_FILE_SOURCE ", source "

/* Whether a value of this source is true for the whole machine, so that the calibrator writes it
 * into the file. False for what the sysadmin said, what one process was told, and the default. */
bool frequency_is_machines(enum persecond_source source);

/* The text of the file as the calibrator writes it. Returns its length; 0 if it does not fit. */
size_t frequency_format_file(const struct persecond *persecond, const char *boot, char *text,
			     size_t size);

/* Pure. length: without the 0 behind the text. known_boot: a boot id, or "". A file of that boot is
 * parsed in less time, because the id in it need not be checked digit by digit. */
void frequency_parse_file(const char *text, size_t length, const char *known_boot,
			  struct persecond_file *file);

/* What the reader of the persecond file knows already, so that it is not asked again. */
struct persecond_known {
	dev_t file_system; /* the number of a local file system; 0: none is known */
	const char *boot;  /* see frequency_parse_file */
};

/* Where a read may fault, to be called in a file_guard_call. After a fault the file exists and
 * has no answer. known: may be NULL. */
void frequency_read_file(const char *path, const struct persecond_known *known,
			 struct persecond_file *file);

/* Whether the file has a number that counts in this boot. What the calibrator wrote counts only in
 * the boot in which it was written. boot: this boot's id, or "" if there is none. */
bool frequency_file_answers(const struct persecond_file *file, const char *boot);

/*
 * The value of the first source that answers: the file if it is not NULL, the OS, the CPU, the
 * environment if use_environment, the default. A source that faults does not answer, if the
 * guard is installed. root: "", or in tests a folder with the files of another machine, whose CPU
 * is then not asked.
 */
struct persecond frequency_estimate(const struct persecond_file *file, const char *boot,
				    const char *root, bool use_environment);

/* The value that the environment gives, in Hz; 0 if it gives none. */
uint64_t frequency_environment(void);

/* lib/os: what this OS knows, from its files below root, and the source. False: no answer. */
bool frequency_os(const char *root, struct persecond *answer);

/* lib/arch: the ways to ask this CPU, in order, up to a NULL. Each may fault. */
typedef bool frequency_ask(struct persecond *answer);
extern frequency_ask *const frequency_cpu[];

#endif
