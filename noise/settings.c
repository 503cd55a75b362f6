/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "files.h"
#include "parse.h"
#include "quota.h"
#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS "/sys/devices/system/cpu/"

/* Room for /proc/meminfo. */
#define TEXT_SIZE 8192

/* The first word, or "". */
static void read_word(const char *root, const char *path, char word[SETTINGS_TEXT])
{
	if (!files_read(root, path, word, SETTINGS_TEXT))
		word[0] = 0;
	word[strcspn(word, " \t\n")] = 0;
}

static void read_word_of(const char *root, int cpu, const char *name, char word[SETTINGS_TEXT])
{
	char path[128];

	snprintf(path, sizeof path, CPUS "cpu%d/%s", cpu, name);
	read_word(root, path, word);
}

static bool is(const char *root, const char *path, const char *expected)
{
	char word[SETTINGS_TEXT];

	read_word(root, path, word);
	return !strcmp(word, expected);
}

/* The device tree of other architectures than x86 has a node for it. */
static bool is_guest(const char *root)
{
	char text[TEXT_SIZE];

	return files_read(root, "/proc/device-tree/hypervisor/compatible", text, sizeof text);
}

static uint64_t read_room(const char *root)
{
	char text[TEXT_SIZE];
	const char *available = NULL;
	const uint64_t limit = quota_memory(root) / 1024;
	uint64_t room;

	if (files_read(root, "/proc/meminfo", text, sizeof text))
		available = strstr(text, "MemAvailable:");
	room = available ? parse_field(available, 1) : PARSE_UNKNOWN;
	return limit < room ? limit : room;
}

void settings_read(const char *root, int cpu, struct noise_settings *settings)
{
	char word[SETTINGS_TEXT];

	settings->guest = is_guest(root);
	read_word_of(root, cpu, "cpufreq/scaling_governor", settings->governor);
	settings->boost =
		is(root, CPUS "cpufreq/boost", "1") || is(root, CPUS "intel_pstate/no_turbo", "0");
	read_word_of(root, cpu, "cpuidle/state1/name", word);
	settings->idle_states = word[0];
	read_word_of(root, cpu, "thermal_throttle/core_throttle_count", word);
	settings->hot = strtoull(word, NULL, 10);
	read_word_of(root, cpu, "topology/thread_siblings_list", settings->siblings);
	settings->room = read_room(root);
}
