/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "file.h"
#include "fingerprint.h"
#include "hash.h"
#include "log.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define TEXT_SIZE 16384

/* Hypervisor, platform, the CPUs between which the skew was measured, and the knobs that open and
 * close counters. */
static const char *const files[] = {
	"/sys/devices/system/cpu/online",
	"/sys/hypervisor/type",
	"/sys/class/dmi/id/sys_vendor",
	"/sys/class/dmi/id/product_name",
	"/proc/device-tree/model",
	"/proc/sys/kernel/perf_event_paranoid",
	"/proc/sys/kernel/perf_user_access",
	"/proc/sys/kernel/nmi_watchdog",
	"/sys/bus/event_source/devices/cpu/rdpmc",
	"/sys/bus/event_source/devices/cpu_core/rdpmc",
	"/sys/bus/event_source/devices/cpu_atom/rdpmc",
	"/sys/devices/system/clocksource/clocksource0/current_clocksource",
};

/* Keys of /proc/cpuinfo whose values change from boot to boot or from CPU to CPU. */
static const char *const volatile_keys[] = {
	"processor", "cpu MHz",        "clock",   "bogomips",    "BogoMIPS",
	"apicid",    "initial apicid", "core id", "physical id",
};

static bool is_volatile(const char *line)
{
	for (size_t i = 0; i < sizeof volatile_keys / sizeof volatile_keys[0]; i++) {
		size_t length = strlen(volatile_keys[i]);

		if (strncmp(line, volatile_keys[i], length))
			continue;
		length += strspn(line + length, " \t");
		if (line[length] == ':')
			return true;
	}
	return false;
}

size_t fingerprint_stable_cpuinfo(char *text)
{
	char *from = text, *to = text;

	while (*from && *from != '\n') {
		size_t length = strcspn(from, "\n");

		length += from[length] == '\n';
		if (!is_volatile(from)) {
			memmove(to, from, length);
			to += length;
		}
		from += length;
	}
	*to = 0;
	return (size_t)(to - text);
}

static uint64_t add(uint64_t hash, const char *key, const char *value)
{
	log_line(LOG_DEBUG, "fingerprint: %s: %.*s", key, (int)strcspn(value, "\n"), value);
	hash = hash_add(hash, key, strlen(key) + 1);
	return hash_add(hash, value, strlen(value) + 1);
}

static uint64_t add_file(uint64_t hash, const char *root, const char *path)
{
	char whole[512], text[512];

	snprintf(whole, sizeof whole, "%s%s", root, path);
	if (file_read(whole, text, sizeof text) < 0)
		return hash;
	return add(hash, path, text);
}

static uint64_t add_cpuinfo(uint64_t hash, const char *root)
{
	char path[512], text[TEXT_SIZE];

	snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
	if (file_read(path, text, sizeof text) < 0)
		return hash;
	fingerprint_stable_cpuinfo(text);
	return add(hash, "/proc/cpuinfo", text);
}

static uint64_t add_kernel(uint64_t hash)
{
	struct utsname kernel;

	if (uname(&kernel))
		return hash;
	hash = add(hash, "machine", kernel.machine);
	hash = add(hash, "release", kernel.release);
	return add(hash, "version", kernel.version);
}

static uint64_t add_number(uint64_t hash, const char *key, long number)
{
	char text[24];

	snprintf(text, sizeof text, "%ld", number);
	return add(hash, key, text);
}

void fingerprint_take(const char *root, char fingerprint[CACHE_FINGERPRINT_SIZE])
{
	uint64_t hash = add(HASH_START, "library", PACKAGE_VERSION);

	hash = add_kernel(hash);
	hash = add_number(hash, "cpus", sysconf(_SC_NPROCESSORS_CONF));
	hash = add_cpuinfo(hash, root);
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
		hash = add_file(hash, root, files[i]);
	for (size_t i = 0; i < counters_count; i++)
		hash = add(hash, "counter", counters_list[i]->name);
	snprintf(fingerprint, CACHE_FINGERPRINT_SIZE, "%016" PRIx64, hash);
}
