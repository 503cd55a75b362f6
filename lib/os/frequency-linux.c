/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What Linux tells about the CPU's frequency: in cpufreq, in sysfs, in /proc/cpuinfo and in the
 * device tree. Sources: the kernel's Documentation/admin-guide/pm/cpufreq.rst;
 * arch/sparc/kernel/sysfs.c for clock_tick (Hz); show_cpuinfo() of each architecture for
 * /proc/cpuinfo; arch/mips/cavium-octeon/csrc-octeon.c for Octeon's BogoMIPS, whose loops per
 * second are the clock; the Devicetree Specification, 3.8.1, for clock-frequency. The file
 * tsc_freq_khz comes with some modules, and with the kernels of some data centres. */

#include "config.h"

#include "decimal.h"
#include "file.h"
#include "frequency.h"
#include "os/linux-files.h"
#include "rate.h"
#include "text.h"
#include "hot.h"

#include <string.h>

/* A file that holds one number and its end of line is shorter than this. */
#define NUMBER_SIZE 64

/* /proc/cpuinfo has a block of lines for each processor, and only the first one is looked at. The
 * kernel makes a processor's lines when they are read, which takes 20 us on x86. The answer stands
 * near their beginning there, so the first look reads only CPUINFO_START bytes. */
#define CPUINFO_SIZE 4096
#define CPUINFO_START 512

static const struct {
	const char *name;
	int power; /* of ten, from the file's unit to Hz */
	enum persecond_source source;
} files[] = {
	{ "/cpufreq/scaling_setspeed", 3, PERSECOND_CPUFREQ_SETSPEED },
	{ "/cpufreq/scaling_max_freq", 3, PERSECOND_CPUFREQ_MAX },
	{ "/clock_tick", 0, PERSECOND_CLOCK_TICK },
	{ "/tsc_freq_khz", 3, PERSECOND_TSC_FREQ_KHZ },
};

/* Lines of /proc/cpuinfo that give the clock, and the architectures whose kernels write them. On
 * another architecture such a line comes from somewhere else, such as the host of an emulator of
 * user programs, and is not an answer. */
static const struct line {
	const char *key;
	int power; /* of ten, from the line's unit to Hz */
	unsigned divisor;
	/* Architectures, by the start of their names. An empty "only" means all, a NULL "except"
	 * none. */
	const char *only, *except;
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

/* BogoMIPS gives the clock of the CPUs whose "cpu model" begins with this. */
#define BOGOMIPS_MODEL "Cavium Octeon"

/* A file that holds a number and nothing else. */
static bool ask_file(const char *root, const char *path, int power, uint64_t *hz)
{
	char text[NUMBER_SIZE];
	long length = linux_read(root, path, text, sizeof text);

	return length > 0 && length < NUMBER_SIZE - 1 && strlen(text) == (size_t)length &&
	       decimal_whole(text, power, hz) && rate_is_sane(*hz);
}

static bool is_blank(const char *line)
{
	line += strspn(line, " \t\r");
	return *line == '\n';
}

/* The end of the first processor's block, or of its last whole line if the text ends within the
 * block. A block before it is searched too: s390 and LoongArch begin with one about the machine. */
static char *find_end(char *text)
{
	bool processor = false;
	char *end;

	for (; *text; text = end + 1) {
		end = strchr(text, '\n');
		if (!end || (processor && is_blank(text)))
			break;
		processor = processor || linux_value(text, "processor") ||
			    linux_value(text, "cpu number");
	}
	return text;
}

/* The value of the next line with that key, which moves *text after that line. NULL: there is
 * none. */
static const char *next_value(const char **text, const char *key)
{
	while (**text) {
		const char *value = linux_value(*text, key);

		*text = strchr(*text, '\n') + 1;
		if (value)
			return value;
	}
	return NULL;
}

/* The value has to be a number, which may be followed by its unit or by "est.". */
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
	return is_blank(value) && rate_is_sane(*hz);
}

/* Whether the architecture's name begins with one of the words. An empty list stands for all
 * names. */
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
	model = next_value(&text, "cpu model");
	return model && text_skip(model + strspn(model, " \t"), BOGOMIPS_MODEL);
}

enum text_part { START, WHOLE };

/* Given only the start of the text, tries only the first key that applies: a later key counts only
 * if the whole text lacks this one. */
static bool ask_lines(char *text, enum text_part part, const char *architecture,
		      struct persecond *answer)
{
	char *end = find_end(text), was = *end;
	bool found = false, last = false;

	*end = 0;
	for (size_t i = 0; i < sizeof lines / sizeof lines[0] && !found && !last; i++) {
		const char *rest = text, *value;

		if (!is_asked(&lines[i], architecture, text))
			continue;
		answer->source = lines[i].source;
		while (!found && (value = next_value(&rest, lines[i].key)))
			found = parse(value, &lines[i], &answer->hz);
		last = part == START;
	}
	*end = was;
	return found;
}

/* Whether the first processor in the text is CPU 0. The kernel lists those that are online. */
static bool shows_cpu_0(const char *text)
{
	const char *value = NULL;
	uint64_t cpu;

	while (text && !value) {
		value = linux_value(text, "processor");
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return text && decimal_parse(&value, 0, &cpu) && cpu == 0;
}

/* *cpu_0: whether the file shows that CPU 0 is online. */
static bool ask_cpuinfo(const char *root, const char *architecture, struct persecond *answer,
			bool *cpu_0)
{
	/* Static because stacks are small. Only the holder of the guard comes here. */
	static char text[CPUINFO_SIZE];
	const char *const lent = file_lent_cpuinfo(root);
	bool found = false;
	long start;
	int fd;

	if (lent) {
		strncpy(text, lent, sizeof text - 1); /* the last byte is 0 always */
		*cpu_0 = shows_cpu_0(text);
		return ask_lines(text, WHOLE, architecture, answer);
	}
	fd = linux_open(root, LINUX_CPUINFO);
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
	*cpu_0 = start > 0 && shows_cpu_0(text);
	return found;
}

static bool ask_files(const char *root, unsigned cpu, struct persecond *answer)
{
	char path[LINUX_PATH_SIZE];

	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		answer->source = files[i].source;
		linux_cpu_path(path, cpu, files[i].name);
		if (ask_file(root, path, files[i].power, &answer->hz))
			return true;
	}
	return false;
}

/* Either sysfs has a link to the CPU's node, or the device tree has a node of this name. */
static bool ask_node(const char *root, unsigned cpu, struct persecond *answer)
{
	char path[LINUX_PATH_SIZE];

	answer->source = PERSECOND_DEVICE_TREE;
	linux_cpu_path(path, cpu, "/of_node/clock-frequency");
	if (linux_cells(root, path, &answer->hz))
		return true;
	linux_node_path(path, cpu, "/clock-frequency");
	return linux_cells(root, path, &answer->hz);
}

/* CPU 0 has no cpufreq while it is offline. Which CPU is then the first one is asked only if
 * /proc/cpuinfo does not begin with CPU 0, because each file costs a first call time. */
COLD bool frequency_linux(const char *root, const char *architecture, struct persecond *answer)
{
	struct persecond of_cpuinfo;
	bool found, cpu_0 = false;
	unsigned first;

	if (ask_files(root, 0, answer))
		return true;
	found = ask_cpuinfo(root, architecture, &of_cpuinfo, &cpu_0);
	first = cpu_0 ? 0 : linux_first_cpu(root);
	if (first && ask_files(root, first, answer))
		return true;
	if (found)
		*answer = of_cpuinfo;
	return found || (first && ask_node(root, first, answer)) || ask_node(root, 0, answer);
}

bool frequency_os(const char *root, struct persecond *answer)
{
	return frequency_linux(root, MACHINE_ARCHITECTURE, answer);
}
