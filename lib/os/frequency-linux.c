/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Linux: what cpufreq, SPARC's sysfs and /proc/cpuinfo say. Sources: the kernel's
 * Documentation/admin-guide/pm/cpufreq.rst; arch/sparc/kernel/sysfs.c for clock_tick
 * (Hz); arch/x86/kernel/cpu/proc.c and arch/powerpc/kernel/setup-common.c. */

#include "config.h"

#include "decimal.h"
#include "file.h"
#include "frequency.h"

#include <string.h>

#define CPU0 "/sys/devices/system/cpu/cpu0/"
#define PATH_SIZE 256

/* Of /proc/cpuinfo, which grows with the machine, only the first processor. */
#define CPUINFO_SIZE 4096

static const struct {
	const char *path;
	int power; /* of ten, from the file's unit to Hz */
	enum persecond_source source;
} files[] = {
	{ CPU0 "cpufreq/scaling_setspeed", 3, PERSECOND_CPUFREQ_SETSPEED },
	{ CPU0 "cpufreq/scaling_max_freq", 3, PERSECOND_CPUFREQ_MAX },
	{ CPU0 "clock_tick", 0, PERSECOND_CLOCK_TICK },
};

static long read_below(const char *root, const char *path, char *buffer, size_t size)
{
	char whole[PATH_SIZE];
	size_t length = strlen(root);

	if (length + strlen(path) >= sizeof whole)
		return -1;
	memcpy(whole, root, length);
	strcpy(whole + length, path);
	return file_read(whole, buffer, size);
}

/* The value behind "key<blanks>:", in MHz, possibly with its unit. */
static bool parse_line(const char *line, const char *key, uint64_t *hz)
{
	size_t length = strlen(key);

	if (strncmp(line, key, length))
		return false;
	line += length;
	line += strspn(line, " \t");
	if (*line++ != ':')
		return false;
	if (!decimal_parse(&line, 6, hz))
		return false;
	if (!strncmp(line, "MHz", 3))
		line += 3;
	line += strspn(line, " \t\r");
	return (*line == 0 || *line == '\n') && frequency_is_sane(*hz);
}

/* The first line with that key, of the first block. */
static bool parse_cpuinfo(const char *text, const char *key, uint64_t *hz)
{
	while (*text && *text != '\n') {
		const char *end = strchr(text, '\n');

		if (!end)
			return false; /* cut off: not a whole line */
		if (parse_line(text, key, hz))
			return true;
		text = end + 1;
	}
	return false;
}

bool frequency_os(const char *root, struct persecond *answer)
{
	static const struct {
		const char *key;
		enum persecond_source source;
	} keys[] = {
		{ "cpu MHz", PERSECOND_CPUINFO_MHZ },
		{ "clock", PERSECOND_CPUINFO_CLOCK },
	};
	char text[CPUINFO_SIZE];

	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		answer->source = files[i].source;
		if (read_below(root, files[i].path, text, 64) > 0 &&
		    decimal_whole(text, files[i].power, &answer->hz) &&
		    frequency_is_sane(answer->hz))
			return true;
	}
	if (read_below(root, "/proc/cpuinfo", text, sizeof text) <= 0)
		return false;
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		answer->source = keys[i].source;
		if (parse_cpuinfo(text, keys[i].key, &answer->hz))
			return true;
	}
	return false;
}
