/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The rate of the time base, as the Linux kernels of POWER and RISC-V tell it. Sources:
 * the Devicetree Specification, 3.7 and 3.8.1, timebase-frequency; the kernel's
 * drivers/base/cpu.c for of_node, arch/powerpc/kernel/setup-common.c, show_cpuinfo_summary(),
 * for /proc/cpuinfo, where it stands behind the last processor. */

#ifndef CPUCYCLES_TIMEBASE_H
#define CPUCYCLES_TIMEBASE_H

#include "decimal.h"
#include "os/linux-files.h"
#include "os/ticks.h"

#define TIMEBASE_HZ_SOURCE "device tree or /proc/cpuinfo, else measured"

/* The start of /proc/cpuinfo that is looked at, piece by piece: of 10,000 processors. */
#define TIMEBASE_PIECES 1024
#define TIMEBASE_PIECE 4096

static inline bool timebase_from_tree(const char *root, uint64_t *hz)
{
	/* A node of every CPU, or above them. */
	static const char *const files[] = {
		LINUX_CPU0 "of_node/timebase-frequency",
		"/proc/device-tree/cpus/timebase-frequency",
		"/proc/device-tree/cpus/cpu@0/timebase-frequency",
	};

	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
		if (linux_cells(root, files[i], hz) && ticks_is_sane(*hz))
			return true;
	return false;
}

/* Whether a whole line of the text says it. What follows its last end of line is moved
 * to its start; *kept: so many bytes. */
static inline bool timebase_from_lines(char *text, size_t *kept, uint64_t *hz)
{
	char *line = text, *end;

	for (; (end = strchr(line, '\n')); line = end + 1) {
		const char *value = linux_value(line, "timebase");

		if (!value)
			continue;
		*end = 0;
		return decimal_whole(value, 0, hz) && ticks_is_sane(*hz);
	}
	*kept = strlen(line);
	memmove(text, line, *kept);
	return false;
}

static inline bool timebase_from_cpuinfo(const char *root, uint64_t *hz)
{
	static char text[TIMEBASE_PIECE]; /* the holder of the guard only; stacks are small */
	char path[LINUX_PATH_SIZE];
	size_t kept = 0;
	bool found = false;
	int fd = linux_path(path, root, LINUX_CPUINFO) ? file_open(path, 0) : -1;

	if (fd < 0)
		return false;
	for (int i = 0; i < TIMEBASE_PIECES && !found; i++) {
		/* Nothing too, where a line fills it. */
		if (file_fill(fd, text + kept, sizeof text - kept) <= 0)
			break;
		found = timebase_from_lines(text, &kept, hz);
	}
	file_close(fd);
	return found;
}

/* What the kernel says below a root, "" but in tests. */
static inline bool timebase_told(const char *root, uint64_t *hz)
{
	return timebase_from_tree(root, hz) || timebase_from_cpuinfo(root, hz);
}

/* What the kernel says, else what the time base does. 0, or a negative errno. */
static inline int timebase_rate(uint64_t (*read)(void), uint64_t *hz)
{
	return timebase_told("", hz) ? 0 : ticks_measured_rate(read, hz);
}

#endif
