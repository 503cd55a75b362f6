/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "fingerprint.h"
#include "hash.h"
#include "letters.h"
#include "log.h"
#include "text.h"
#include "tree.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

/* What may change which counters work, or how well: the CPUs between which the skew was measured,
 * hypervisor, platform, and the knobs that open and close counters. The files of a part stand
 * together. A part none of whose files is there is left out of the fingerprint. */
static const struct {
	const char *part, *path;
} files[] = {
	{ "cpus", "/sys/devices/system/cpu/possible" },
	{ "cpus-online", "/sys/devices/system/cpu/online" },
	{ "hypervisor", "/sys/hypervisor/type" },
	{ "platform", "/sys/class/dmi/id/sys_vendor" },
	{ "platform", "/sys/class/dmi/id/product_name" },
	{ "platform", "/proc/device-tree/model" },
	{ "perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid" },
	{ "perf_user_access", "/proc/sys/kernel/perf_user_access" },
	{ "nmi_watchdog", "/proc/sys/kernel/nmi_watchdog" },
	{ "cpu/rdpmc", "/sys/bus/event_source/devices/cpu/rdpmc" },
	{ "cpu_core/rdpmc", "/sys/bus/event_source/devices/cpu_core/rdpmc" },
	{ "cpu_atom/rdpmc", "/sys/bus/event_source/devices/cpu_atom/rdpmc" },
	{ "clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource" },
};

#define FILES (sizeof files / sizeof files[0])

/* Keys of /proc/cpuinfo whose values change from boot to boot or from CPU to CPU. */
static const char *const volatile_keys[] = {
	"processor", "cpu MHz",        "clock",   "bogomips",    "BogoMIPS",
	"apicid",    "initial apicid", "core id", "physical id",
};

static bool is_volatile(const char *line)
{
	for (size_t i = 0; i < sizeof volatile_keys / sizeof volatile_keys[0]; i++) {
		const char *rest = text_skip(line, volatile_keys[i]);

		if (rest && rest[strspn(rest, " \t")] == ':')
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

static uint64_t hash_of_cpuinfo(char *text)
{
	if (!*text)
		return HASH_START;
	fingerprint_stable_cpuinfo(text);
	return add(HASH_START, "/proc/cpuinfo", text);
}

static uint64_t hash_of_kernel(void)
{
	struct utsname kernel;
	uint64_t hash;

	if (uname(&kernel))
		return HASH_START;
	hash = add(HASH_START, "machine", kernel.machine);
	hash = add(hash, "release", kernel.release);
	return add(hash, "version", kernel.version);
}

static uint64_t hash_of_list(void)
{
	uint64_t hash = HASH_START;

	for (size_t i = 0; i < counters_count; i++)
		hash = add(hash, "counter", counters_list[i]->name);
	return hash;
}

/* Append a part. All of them fit, which the unit test holds. */
static void append_part(char *fingerprint, const char *name, uint64_t hash)
{
	/* One more step brings the upper half of the hash into the lower one. */
	const uint32_t half = (uint32_t)hash_step(hash, 0);

	letters_add(fingerprint, CACHE_FINGERPRINT_SIZE, "%s%s:%08" PRIx32, *fingerprint ? " " : "",
		    name, half);
}

static void put_files(char *fingerprint, const char *root)
{
	uint64_t hash = HASH_START;

	for (size_t i = 0; i < FILES; i++) {
		char text[512];

		if (tree_read(root, files[i].path, text, sizeof text) >= 0)
			hash = add(hash, files[i].path, text);
		if (i + 1 < FILES && !strcmp(files[i].part, files[i + 1].part))
			continue;
		if (hash != HASH_START)
			append_part(fingerprint, files[i].part, hash);
		hash = HASH_START;
	}
}

void fingerprint_take(const char *root, char cpuinfo[FINGERPRINT_CPUINFO_SIZE],
		      char fingerprint[CACHE_FINGERPRINT_SIZE])
{
	fingerprint[0] = 0;
	append_part(fingerprint, "library", add(HASH_START, "library", PACKAGE_VERSION));
	append_part(fingerprint, "counters", hash_of_list());
	append_part(fingerprint, "kernel", hash_of_kernel());
	append_part(fingerprint, "cpu", hash_of_cpuinfo(cpuinfo));
	put_files(fingerprint, root);
}

/* A part of a fingerprint is a word: its name, a colon and its hash. */

static const char *next_word(const char *word)
{
	word += strcspn(word, " ");
	return word + strspn(word, " ");
}

/* 0: the word is no part. */
static size_t name_length(const char *word)
{
	const size_t length = strcspn(word, ": ");

	return word[length] == ':' ? length : 0;
}

/* The part of this name; NULL if there is none. */
static const char *find_part(const char *words, const char *name, size_t length)
{
	for (; *words; words = next_word(words))
		if (name_length(words) == length && !strncmp(words, name, length))
			return words;
	return NULL;
}

static bool same_word(const char *a, const char *b)
{
	const size_t length = strcspn(a, " ");

	return length == strcspn(b, " ") && !strncmp(a, b, length);
}

static void add_name(char *text, const char *name, size_t length)
{
	letters_add(text, FINGERPRINT_CHANGES_SIZE, "%s%.*s", *text ? ", " : "", (int)length, name);
}

/* Add the names of the parts of a that b does not have; with other_hash also of those that have
 * another hash there. */
static void add_names(char *text, const char *a, const char *b, bool other_hash)
{
	for (; *a; a = next_word(a)) {
		const size_t length = name_length(a);
		const char *const found = find_part(b, a, length);

		if (length && (!found || (other_hash && !same_word(a, found))))
			add_name(text, a, length);
	}
}

bool fingerprint_changes(const struct cache *old, const struct cache *new,
			 char text[FINGERPRINT_CHANGES_SIZE])
{
	text[0] = 0;
	if (strcmp(old->machine, new->machine))
		add_name(text, "machine", strlen("machine"));
	add_names(text, new->fingerprint, old->fingerprint, true);
	add_names(text, old->fingerprint, new->fingerprint, false);
	if (!*text && strcmp(old->fingerprint, new->fingerprint))
		add_name(text, "fingerprint", strlen("fingerprint"));
	return *text != 0;
}
