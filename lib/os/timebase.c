/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Sources: the Devicetree Specification, 3.7 and 3.8.1, for timebase-frequency; the kernel's
 * drivers/base/cpu.c for of_node, and arch/powerpc/kernel/setup-common.c, show_cpuinfo_summary(),
 * for /proc/cpuinfo, where the rate stands after the last processor. */

#include "config.h"

#include "decimal.h"
#include "file.h"
#include "os/linux-files.h"
#include "os/ticks.h"
#include "os/timebase.h"
#include "rate.h"
#include "hot.h"

#include <string.h>

#define SHARED "/proc/device-tree/cpus/timebase-frequency"

/* Pieces of /proc/cpuinfo that are read at most: enough for 10,000 processors. */
#define PIECES 1024

/* Either each CPU's node has the rate, or the node above them, which is asked with CPU 0. */
static bool tell_from_cpu(const char *root, unsigned cpu, uint64_t *hz)
{
	char path[LINUX_PATH_SIZE];

	linux_cpu_path(path, cpu, "/of_node/timebase-frequency");
	if (linux_cells(root, path, hz) || (cpu == 0 && linux_cells(root, SHARED, hz)))
		return true;
	linux_node_path(path, cpu, "/timebase-frequency");
	return linux_cells(root, path, hz);
}

/* There may be no CPU 0. */
static bool tell_from_tree(const char *root, uint64_t *hz)
{
	unsigned first;

	if (tell_from_cpu(root, 0, hz))
		return true;
	first = linux_first_cpu(root);
	return first && tell_from_cpu(root, first, hz);
}

/*
 * Looks for the rate in the whole lines of the text. If none of them has it, the unfinished line at
 * the end of the text is moved to its start, and *kept is the length of that line.
 */
static bool tell_from_lines(char *text, size_t *kept, uint64_t *hz)
{
	char *line = text, *end;

	for (; (end = strchr(line, '\n')); line = end + 1) {
		const char *value = linux_value(line, "timebase");

		if (!value)
			continue;
		*end = 0;
		return decimal_whole(value, 0, hz) && rate_is_sane(*hz);
	}
	*kept = strlen(line);
	memmove(text, line, *kept);
	return false;
}

static bool tell_from_cpuinfo(const char *root, uint64_t *hz)
{
	/* Static because stacks are small. Only the holder of the guard comes here. */
	static char text[TIMEBASE_PIECE];
	char path[LINUX_PATH_SIZE];
	size_t kept = 0;
	bool found = false;
	int fd = linux_path(path, root, LINUX_CPUINFO) ? file_open(path, 0) : -1;

	if (fd < 0)
		return false;
	for (int i = 0; i < PIECES && !found; i++) {
		/* No bytes are read either where one line fills the whole text. */
		if (file_fill(fd, text + kept, sizeof text - kept) <= 0)
			break;
		found = tell_from_lines(text, &kept, hz);
	}
	file_close(fd);
	return found;
}

COLD bool timebase_told(const char *root, uint64_t *hz)
{
	return tell_from_tree(root, hz) || tell_from_cpuinfo(root, hz);
}

int timebase_rate(uint64_t (*read)(void), uint64_t *hz)
{
	return timebase_told("", hz) ? 0 : ticks_measured_rate(read, hz);
}
