/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * A PMU of cores has a file "cpus" in sysfs; PMUs of other units have "cpumask".
 *
 * Sources: perf_event_open(2) and PERF_PMU_TYPE_SHIFT in linux/perf_event.h; in the kernel,
 * Documentation/ABI/testing/sysfs-bus-event_source-devices, arch/x86/events/intel/core.c for the
 * names "cpu_*", drivers/perf/arm_pmuv3.c and apple_m1_cpu_pmu.c for the names on ARM.
 */

#include "config.h"

#include "os/core-pmus.h"
#include "decimal.h"
#include "file.h"
#include "text.h"
#include "hot.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A server has hundreds of devices there, but few are PMUs of cores, and those have short names. */
#define NAME_SIZE 48
#define NAMES_MAX 16
#define PATH_SIZE 256
#define CALLS_MAX 64 /* of getdents64: 64 KiB of names */

/* A generic event of one PMU has the PMU's type in its upper bits (PERF_PMU_TYPE_SHIFT). */
#define TYPE_SHIFT 32

/* CPU_CYCLES of every PMU since Armv7 (Arm ARM, D13.12.3 "Common event numbers"). It is used there
 * because Linux before 6.6 has no generic events of one PMU on ARM. */
#define ARM_CPU_CYCLES 0x11

struct names {
	unsigned n;
	char of[NAMES_MAX][NAME_SIZE];
};

/* struct linux_dirent64, for which some libcs have no name. */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t length;
	uint8_t type;
	char name[];
};

static bool may_be_core(const char *name)
{
	return text_skip(name, "cpu_") || text_skip(name, "armv") || text_skip(name, "apple_");
}

/* Makes root/name/file. A path that is too long becomes empty, which names no file. */
static void join(char path[PATH_SIZE], const char *root, const char *name, const char *file)
{
	path[0] = 0;
	if (strlen(root) + strlen(name) + strlen(file) + sizeof "//" > PATH_SIZE)
		return;
	strcpy(path, root);
	strcat(path, "/");
	strcat(path, name);
	strcat(path, "/");
	strcat(path, file);
}

static int keep_names(const char *buffer, long size, struct names *names)
{
	for (long at = 0; at < size;) {
		const struct entry *entry = (const void *)(buffer + at);
		size_t length = strlen(entry->name);

		at += entry->length;
		if (!may_be_core(entry->name) || length >= NAME_SIZE)
			continue;
		if (names->n == NAMES_MAX)
			return -E2BIG;
		memcpy(names->of[names->n++], entry->name, length + 1);
	}
	return 0;
}

/* Of those names that may be PMUs of cores. By a system call, because libc's readdir allocates. */
static int list(const char *root, struct names *names)
{
	_Alignas(struct entry) char buffer[1024];
	int fd = file_open(root, O_DIRECTORY), error = 0;

	names->n = 0;
	if (fd < 0)
		return 0; /* no sysfs */
	for (int i = 0; i < CALLS_MAX && !error; i++) {
		long size = syscall(SYS_getdents64, fd, buffer, sizeof buffer);

		if (size <= 0)
			break;
		error = keep_names(buffer, size, names);
	}
	file_close(fd);
	return error;
}

static bool is_there(const char *root, const char *name, const char *file)
{
	char path[PATH_SIZE];

	join(path, root, name, file);
	return !access(path, F_OK);
}

/* The PMU's type, or 0, which is the type of no PMU of cores. */
static uint32_t type_of(const char *root, const char *name)
{
	char path[PATH_SIZE], text[32];
	uint64_t type;

	join(path, root, name, "type");
	if (file_read(path, text, sizeof text) <= 0 || !decimal_whole(text, 0, &type) ||
	    type > INT32_MAX)
		return 0;
	return (uint32_t)type;
}

static struct perfevent_kind cycles_of(const char *name, uint32_t type)
{
	if (text_skip(name, "armv"))
		return (struct perfevent_kind){ .type = type, .config = ARM_CPU_CYCLES };
	return (struct perfevent_kind){
		.type = PERF_TYPE_HARDWARE,
		.config = (uint64_t)type << TYPE_SHIFT | PERF_COUNT_HW_CPU_CYCLES,
	};
}

COLD int core_pmus_find(const char *root, struct perfevent_kinds *kinds)
{
	struct names names;
	int error;

	kinds->n = 0;
	/* On x86 and elsewhere the only PMU of cores has this name: no need to list them. */
	if (is_there(root, "cpu", ""))
		return 0;
	error = list(root, &names);
	/* The generic event does for a single one, as where there is no sysfs. */
	if (names.n < 2)
		return error;
	for (unsigned i = 0; i < names.n && !error; i++) {
		uint32_t type;

		if (!is_there(root, names.of[i], "cpus"))
			continue;
		type = type_of(root, names.of[i]);
		if (type == 0)
			continue;
		if (kinds->n == PERFEVENT_PMUS_MAX)
			error = -E2BIG;
		else
			kinds->of[kinds->n++] = cycles_of(names.of[i], type);
	}
	if (error || kinds->n < 2)
		kinds->n = 0;
	return error;
}
