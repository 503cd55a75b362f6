/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Linux: what cpufreq, sysfs, /proc/cpuinfo and the device tree say. Sources: the
 * kernel's Documentation/admin-guide/pm/cpufreq.rst; arch/sparc/kernel/sysfs.c for
 * clock_tick (Hz); show_cpuinfo() of each architecture for /proc/cpuinfo;
 * arch/mips/cavium-octeon/csrc-octeon.c for Octeon's BogoMIPS, whose loops per
 * second are the clock; the Devicetree Specification, 3.8.1, for clock-frequency.
 * tsc_freq_khz comes with modules and with the kernels of some data centres. */

#include "config.h"

#include "decimal.h"
#include "os/frequency-linux.h"
#include "os/linux-files.h"

#include <string.h>

/* A number, its end of line, and no more. */
#define NUMBER_SIZE 64

/* Of /proc/cpuinfo, which grows with the machine, only the first processor. The kernel writes a processor's lines
 * when they are read, in 20 us on x86, where the first part of them has the answer. */
#define CPUINFO_SIZE 4096
#define CPUINFO_START 512

static const struct {
	const char *path;
	int power; /* of ten, from the file's unit to Hz */
	enum persecond_source source;
} files[] = {
	{ LINUX_CPU0 "cpufreq/scaling_setspeed", 3, PERSECOND_CPUFREQ_SETSPEED },
	{ LINUX_CPU0 "cpufreq/scaling_max_freq", 3, PERSECOND_CPUFREQ_MAX },
	{ LINUX_CPU0 "clock_tick", 0, PERSECOND_CLOCK_TICK },
	{ LINUX_CPU0 "tsc_freq_khz", 3, PERSECOND_TSC_FREQ_KHZ },
};

/* Lines of /proc/cpuinfo in which the kernels of some architectures give the clock. The
 * others' are not asked: what such a line says there comes from somewhere else, such
 * as the host of an emulator of user programs. */
static const struct line {
	const char *key;
	int power; /* of ten, from the line's unit to Hz */
	unsigned divisor;
	const char *only, *except; /* architectures, by the start of their names */
	enum persecond_source source;
} lines[] = {
	{ "cpu MHz", 6, 1, "", "aarch64 alpha arm loongarch m68k mips powerpc riscv s390 sparc",
	  PERSECOND_CPUINFO_MHZ },
	{ "CPU MHz", 6, 1, "loongarch mips", NULL, PERSECOND_CPUINFO_MHZ },
	{ "cpu MHz static", 6, 1, "s390", NULL, PERSECOND_CPUINFO_STATIC },
	{ "cpu MHz dynamic", 6, 1, "s390", NULL, PERSECOND_CPUINFO_DYNAMIC },
	{ "clock", 6, 1, "", NULL, PERSECOND_CPUINFO_CLOCK },
	{ "cycle frequency [Hz]", 0, 1, "alpha", NULL, PERSECOND_CPUINFO_CLOCK },
	{ "Clocking", 6, 1, "m68k nios2", NULL, PERSECOND_CPUINFO_CLOCK },
	{ "BogoMIPS", 6, 2, "mips", NULL, PERSECOND_CPUINFO_BOGOMIPS },
};

/* CPUs of which BogoMIPS says the clock, by the start of their "cpu model". */
#define BOGOMIPS_MODEL "Cavium Octeon"

/* Some trees have a link to the node, some only the node of this name. */
static const char *const nodes[] = {
	LINUX_CPU0 "of_node/clock-frequency",
	"/proc/device-tree/cpus/cpu@0/clock-frequency",
};

/* A file that is a number in whole. */
static bool ask_file(const char *root, const char *path, int power, uint64_t *hz)
{
	char text[NUMBER_SIZE];
	long length = linux_read(root, path, text, sizeof text);

	return length > 0 && length < NUMBER_SIZE - 1 && strlen(text) == (size_t)length &&
	       decimal_whole(text, power, hz) && frequency_is_sane(*hz);
}

static bool is_blank(const char *line)
{
	line += strspn(line, " \t\r");
	return *line == '\n';
}

/* The end of the first processor's block, or of its last whole line. What stands before that
 * block belongs to it: s390 and LoongArch start with one of their own. */
static char *find_end(char *text)
{
	bool processor = false;
	char *end;

	for (; *text; text = end + 1) {
		end = strchr(text, '\n');
		if (!end || (processor && is_blank(text)))
			break;
		processor = processor || linux_value(text, "processor") || linux_value(text, "cpu number");
	}
	return text;
}

/* The next line of the text with that key: its value. NULL: no more. */
static const char *find(const char **text, const char *key)
{
	while (**text) {
		const char *value = linux_value(*text, key);

		*text = strchr(*text, '\n') + 1;
		if (value)
			return value;
	}
	return NULL;
}

/* A number, possibly with its unit or as an estimate. */
static bool parse(const char *value, const struct line *line, uint64_t *hz)
{
	const char *unit;

	if (!decimal_parse(&value, line->power, hz))
		return false;
	*hz /= line->divisor;
	value += strspn(value, " \t");
	unit = text_skip(value, "MHz");
	if (!unit)
		unit = text_skip(value, "est.");
	if (unit)
		value = unit;
	return is_blank(value) && frequency_is_sane(*hz);
}

/* Whether one of the words starts the name. An empty list has all of them. */
static bool is_one_of(const char *architecture, const char *words)
{
	size_t length;

	if (!*words)
		return true;
	for (; *words; words += length + strspn(words + length, " ")) {
		length = strcspn(words, " ");
		if (!strncmp(architecture, words, length))
			return true;
	}
	return false;
}

static bool is_asked(const struct line *line, const char *architecture, const char *text)
{
	const char *model;

	if (!is_one_of(architecture, line->only) ||
	    (line->except && is_one_of(architecture, line->except)))
		return false;
	if (line->source != PERSECOND_CPUINFO_BOGOMIPS)
		return true;
	model = find(&text, "cpu model");
	return model && text_skip(model + strspn(model, " \t"), BOGOMIPS_MODEL);
}

enum text_part { START, WHOLE };

/* Of a start it takes what no later line can outrank. */
static bool ask_lines(char *text, enum text_part part, const char *architecture, struct persecond *answer)
{
	char *end = find_end(text), was = *end;
	bool found = false, last = false;

	*end = 0;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0] && !found && !last; i++) {
		const char *rest = text, *value;

		if (!is_asked(&lines[i], architecture, text))
			continue;
		answer->source = lines[i].source;
		while (!found && (value = find(&rest, lines[i].key)))
			found = parse(value, &lines[i], &answer->hz);
		last = part == START;
	}
	*end = was;
	return found;
}

static bool ask_cpuinfo(const char *root, const char *architecture, struct persecond *answer)
{
	static char text[CPUINFO_SIZE]; /* the holder of the guard only; stacks are small */
	int fd = linux_open(root, LINUX_CPUINFO);
	bool found = false;
	long start;

	if (fd < 0)
		return false;
	start = file_fill(fd, text, CPUINFO_START);
	if (start > 0)
		found = ask_lines(text, START, architecture, answer);
	if (start > 0 && !found) {
		file_fill(fd, text + start, sizeof text - (size_t)start);
		found = ask_lines(text, WHOLE, architecture, answer);
	}
	file_close(fd);
	return found;
}

bool frequency_linux(const char *root, const char *architecture, struct persecond *answer)
{
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		answer->source = files[i].source;
		if (ask_file(root, files[i].path, files[i].power, &answer->hz))
			return true;
	}
	if (ask_cpuinfo(root, architecture, answer))
		return true;
	answer->source = PERSECOND_DEVICE_TREE;
	for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++)
		if (linux_cells(root, nodes[i], &answer->hz) && frequency_is_sane(answer->hz))
			return true;
	return false;
}

bool frequency_os(const char *root, struct persecond *answer)
{
	return frequency_linux(root, MACHINE_ARCHITECTURE, answer);
}
