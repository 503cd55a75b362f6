/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What Linux says of the machine in /proc and /sys, in files below a folder: the frequency of the
 * CPU, and that of the time base. The input:
 *   %architecture NAME
 *   %cpuinfo, %online, %setspeed, %max, %tick, %khz, %node, %base     one file each */

#include "config.h"

#include "fuzz.h"
#include "frequency.h"
#include "os/linux-files.h"
#include "os/ticks.h"
#include "os/timebase.h"
#include "rate.h"

#include <stdio.h>
#include <string.h>

#define NAME_SIZE 64

static const struct {
	const char *section, *path;
} files[] = {
	{ "cpuinfo", LINUX_CPUINFO },
	{ "online", LINUX_CPUS "online" },
	{ "setspeed", LINUX_CPUS "cpu0/cpufreq/scaling_setspeed" },
	{ "max", LINUX_CPUS "cpu0/cpufreq/scaling_max_freq" },
	{ "tick", LINUX_CPUS "cpu0/clock_tick" },
	{ "khz", LINUX_CPUS "cpu0/tsc_freq_khz" },
	{ "node", LINUX_CPUS "cpu0/of_node/clock-frequency" },
	{ "base", LINUX_CPUS "cpu0/of_node/timebase-frequency" },
};

static void write_files(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		char name[LINUX_PATH_SIZE];
		const char *words;
		size_t length = 0;
		const char *text = fuzz_section(data, size, files[i].section, &length, &words);

		snprintf(name, sizeof name, "root%s", files[i].path);
		fuzz_file(name, text, length);
	}
}

static void architecture_of(const uint8_t *data, size_t size, char name[NAME_SIZE])
{
	const char *words;
	size_t length;

	strcpy(name, MACHINE_ARCHITECTURE);
	if (fuzz_section(data, size, "architecture", &length, &words))
		snprintf(name, NAME_SIZE, "%.63s", words + (*words == ' '));
}

static bool ask(const char *architecture, struct persecond *answer)
{
	if (!frequency_linux(fuzz_path("root"), architecture, answer))
		return false;
	FUZZ_EXPECT(rate_is_sane(answer->hz));
	FUZZ_EXPECT(answer->source >= PERSECOND_CPUFREQ_SETSPEED &&
		    answer->source <= PERSECOND_DEVICE_TREE);
	return true;
}

static bool is_key(const char *line, const char *newline, const char *key)
{
	return (size_t)(newline - line) > strlen(key) && !memcmp(line, key, strlen(key));
}

/* The empty line that ends the first processor's block; NULL if it is not there. */
static const char *behind_first(const char *text, const char *end)
{
	bool processor = false;

	for (const char *newline; text < end; text = newline + 1) {
		newline = memchr(text, '\n', (size_t)(end - text));
		if (!newline)
			return NULL;
		if (processor && newline == text)
			return text;
		processor = processor || is_key(text, newline, "processor\t:") ||
			    is_key(text, newline, "cpu number      :");
	}
	return NULL;
}

/* What stands behind the first processor, such as 511 others, changes nothing. */
static void expect_first_processor(const uint8_t *data, size_t size, const char *architecture,
				   bool answered, const struct persecond *answer)
{
	static const char others[] = "\nprocessor\t: 1\ncpu MHz\t\t: 1234.567\nclock : 1234MHz\n";
	const char *words;
	size_t length = 0, n;
	const char *text = fuzz_section(data, size, "cpuinfo", &length, &words);
	const char *block = text ? behind_first(text, text + length) : NULL;
	char longer[4096];
	struct persecond now;

	/* Its first 4095 bytes are read, up to a 0. */
	if (!block || block - text > 4000 || memchr(text, 0, length))
		return;
	n = (size_t)(block - text);
	memcpy(longer, text, n);
	memcpy(longer + n, others, sizeof others - 1);
	fuzz_file("root" LINUX_CPUINFO, longer, n + sizeof others - 1);
	FUZZ_EXPECT(ask(architecture, &now) == answered);
	if (answered)
		FUZZ_EXPECT(now.hz == answer->hz && now.source == answer->source);
}

static void expect_frequency(const uint8_t *data, size_t size)
{
	char architecture[NAME_SIZE];
	struct persecond answer = { 0 };
	bool answered;

	write_files(data, size);
	architecture_of(data, size, architecture);
	answered = ask(architecture, &answer);
	if (answered)
		fuzz_count_valid();
	expect_first_processor(data, size, architecture, answered, &answer);
}

static void expect_timebase(void)
{
	uint64_t hz;

	if (timebase_told(fuzz_path("root"), &hz))
		FUZZ_EXPECT(rate_is_sane(hz));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	expect_frequency(data, size);
	expect_timebase();
	return 0;
}
