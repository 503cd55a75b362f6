/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "decimal.h"
#include "environment.h"
#include "file.h"
#include "frequency.h"
#include "hot.h"
#include "os/filesystem.h"
#include "rate.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The buffer for the persecond file. Of a longer file, only the start is read. */
#define FILE_SIZE 512

static const char source_names[PERSECOND_SOURCES][24] = {
	[PERSECOND_FILE] = "persecond-file",
	[PERSECOND_CPUFREQ_SETSPEED] = "cpufreq-setspeed",
	[PERSECOND_CPUFREQ_MAX] = "cpufreq-max",
	[PERSECOND_CLOCK_TICK] = "clock-tick",
	[PERSECOND_TSC_FREQ_KHZ] = "tsc-freq-khz",
	[PERSECOND_CPUINFO_MHZ] = "cpuinfo-mhz",
	[PERSECOND_CPUINFO_STATIC] = "cpuinfo-mhz-static",
	[PERSECOND_CPUINFO_DYNAMIC] = "cpuinfo-mhz-dynamic",
	[PERSECOND_CPUINFO_CLOCK] = "cpuinfo-clock",
	[PERSECOND_CPUINFO_BOGOMIPS] = "cpuinfo-bogomips",
	[PERSECOND_DEVICE_TREE] = "device-tree",
	[PERSECOND_SYSCTL_TSC] = "sysctl-tsc",
	[PERSECOND_SYSCTL_CPUFREQUENCY] = "sysctl-cpufrequency",
	[PERSECOND_SYSCTL_CPUSPEED] = "sysctl-cpuspeed",
	[PERSECOND_SYSCTL_CPU_FREQ] = "sysctl-cpu-freq",
	[PERSECOND_SYSCTL_TBFREQUENCY] = "sysctl-tbfrequency",
	[PERSECOND_KSTAT] = "kstat",
	[PERSECOND_PERFSTAT] = "perfstat",
	[PERSECOND_CPUID_TSC] = "cpuid-tsc",
	[PERSECOND_CPUID_BASE] = "cpuid-base",
	[PERSECOND_HYPERVISOR_TSC] = "hypervisor-tsc",
	[PERSECOND_PERF_PAGE] = "perf-page",
	[PERSECOND_ENVIRONMENT] = "environment",
	[PERSECOND_MEASURED] = "measured",
	[PERSECOND_DEFAULT] = "default",
};

const char *frequency_source_name(enum persecond_source source)
{
	return source_names[source];
}

bool frequency_source_find(const char *name, enum persecond_source *source)
{
	for (unsigned i = 0; i < PERSECOND_SOURCES; i++) {
		if (*name != *source_names[i] || !text_is(name, source_names[i]))
			continue;
		*source = (enum persecond_source)i;
		return true;
	}
	return false;
}

bool frequency_is_machines(enum persecond_source source)
{
	return source != PERSECOND_FILE && source != PERSECOND_ENVIRONMENT &&
	       source != PERSECOND_DEFAULT;
}

size_t frequency_format_file(const struct persecond *persecond, const char *boot, char *text,
			     size_t size)
{
	int n = snprintf(text, size,
			 "%" PRIu64 "\n" PERSECOND_FILE_MARK "%s" PERSECOND_FILE_SOURCE "%s\n",
			 persecond->hz, boot, frequency_source_name(persecond->source));

	return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

/* Where the parts of the second line begin that the calibrator writes. */
#define MARK_BOOT (sizeof PERSECOND_FILE_MARK - 1)
#define MARK_COMMA (MARK_BOOT + MACHINE_BOOT_SIZE - 1)
#define MARK_SOURCE (MARK_COMMA + sizeof PERSECOND_FILE_SOURCE - 1)

/* Whether the text is the second line of a file that the calibrator wrote. If so, *file gets the
 * boot and the source. */
static bool parse_mark(const char *text, size_t length, const char *known_boot,
		       struct persecond_file *file)
{
	char source[32];
	size_t source_length;

	if (length <= MARK_SOURCE || memcmp(text, PERSECOND_FILE_MARK, MARK_BOOT) ||
	    memcmp(text + MARK_COMMA, PERSECOND_FILE_SOURCE, MARK_SOURCE - MARK_COMMA))
		return false;
	source_length = length - MARK_SOURCE - 1;
	if (source_length >= sizeof source || text[length - 1] != '\n')
		return false;
	memcpy(source, text + MARK_SOURCE, source_length);
	source[source_length] = 0;
	memcpy(file->boot, text + MARK_BOOT, MACHINE_BOOT_SIZE - 1);
	return (machine_is_same_boot(file->boot, known_boot) || machine_is_boot(file->boot)) &&
	       frequency_source_find(source, &file->source) && frequency_is_machines(file->source);
}

void frequency_parse_file(const char *text, size_t length, const char *known_boot,
			  struct persecond_file *file)
{
	const char *end = memchr(text, '\n', length);
	size_t first = end ? (size_t)(end - text) : length;
	char line[64];
	uint64_t hz;

	memset(file, 0, sizeof *file);
	file->exists = true;
	if (memchr(text, 0, length))
		return; /* a file with a 0 in it is no text */
	file->ours = end && parse_mark(end + 1, length - first - 1, known_boot, file);
	if (!file->ours)
		file->source = PERSECOND_FILE;
	if (first >= sizeof line)
		return;
	memcpy(line, text, first);
	line[first] = 0;
	if (decimal_whole(line, 0, &hz) && rate_is_sane(hz))
		file->hz = hz;
}

void frequency_read_file(const char *path, const struct persecond_known *known,
			 struct persecond_file *file)
{
	char text[FILE_SIZE];
	struct stat status;
	long length = -1;
	int fd;

	memset(file, 0, sizeof *file);
	file->exists = true; /* the answer if a call faults */
	fd = file_open_regular(path, &status);
	if (fd < 0) {
		file->exists = fd != -ENOENT && fd != -ENOTDIR;
		return;
	}
	file->elsewhere = !filesystem_is_local(fd, &status, known ? known->file_system : 0);
	if (!file->elsewhere)
		length = file_fill(fd, text, sizeof text);
	file_close(fd);
	if (length >= 0)
		frequency_parse_file(text, (size_t)length, known ? known->boot : "", file);
}

bool frequency_file_answers(const struct persecond_file *file, const char *boot)
{
	if (file->hz == 0)
		return false;
	return !file->ours || machine_is_same_boot(file->boot, boot);
}

uint64_t frequency_environment(void)
{
	const char *text = environment_get(ENVIRONMENT_PERSECOND);
	uint64_t hz;

	if (!text || !decimal_whole(text, 0, &hz) || !rate_is_sane(hz))
		return 0;
	return hz;
}

/* A question to one source, which may fault. */
struct question {
	const char *root;   /* see frequency_os */
	frequency_ask *cpu; /* NULL: ask the OS */
	struct persecond answer;
	bool answered;
};

static void call_ask(void *argument)
{
	struct question *q = argument;

	q->answered = q->cpu ? q->cpu(&q->answer) : frequency_os(q->root, &q->answer);
}

static bool ask(struct question *q)
{
	q->answered = false;
	file_guard_call(call_ask, q);
	return q->answered && rate_is_sane(q->answer.hz);
}

static bool ask_cpu(struct question *q)
{
	for (size_t i = 0; frequency_cpu[i]; i++) {
		q->cpu = frequency_cpu[i];
		if (ask(q))
			return true;
	}
	return false;
}

COLD struct persecond frequency_estimate(const struct persecond_file *file, const char *boot,
					 const char *root, bool use_environment)
{
	struct question question = { .root = root };
	uint64_t hz;

	if (file && frequency_file_answers(file, boot))
		return (struct persecond){ file->hz, file->source };
	/* Another root shows the files of another machine, whose CPU is not this one. */
	if (ask(&question) || (!*root && ask_cpu(&question)))
		return question.answer;
	hz = use_environment ? frequency_environment() : 0;
	if (hz)
		return (struct persecond){ hz, PERSECOND_ENVIRONMENT };
	return (struct persecond){ PERSECOND_BLIND, PERSECOND_DEFAULT };
}
