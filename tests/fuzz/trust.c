/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A cache and a persecond file, real ones, and the choice that a process makes of them. The file is
 * used exactly where cpucycles-cache(5), "Trust", says so; the counter is one of the
 * cache where it is used, else one that a probe can choose; never the last resort. The input:
 *   %cache MODE OWNER named|default     the cache's text
 *   %persecond                          the persecond file's text
 *   %environment                        the environment variable's text */

#include "config.h"

#include "choose.h"
#include "environment.h"
#include "fuzz.h"
#include "guard.h"
#include "persecond.h"
#include "probe.h"
#include "rate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HZ UINT64_C(2399987654)

static struct {
	char text[CACHE_SIZE_MAX * 2];
	size_t length;
	bool own;                        /* the caller named the file */
	bool trusted;                    /* its owner and mode are as they have to be */
	struct persecond_file persecond; /* what its text says */
	struct cache parsed; /* the header, and the counters that are read in rank order */
	enum cache_line end; /* the answer behind these counters */
} scene;

/* Which counters work in this process; but for a clock's rate, that does not change. */
static bool works[COUNTERS_MAX];

static void find_working(void)
{
	static struct candidate candidates[COUNTERS_MAX];
	struct guard guard;
	bool any = false;

	FUZZ_EXPECT(guard_acquire(&guard) == LOCK_TAKEN);
	guard_install(&guard, GUARD_ALL);
	probe_all(HZ, false, candidates);
	guard_release(&guard);
	for (size_t i = 0; i < counters_count; i++) {
		works[i] = candidates[i].reason == REASON_NONE;
		any = any || works[i];
	}
	FUZZ_EXPECT(any);
}

/* Making the scene */

/* "MODE OWNER named|default"; what is missing or wrong is as a calibrator leaves it. */
static void set_owner_and_mode(const char *words)
{
	unsigned mode = 0644, owner = 0;
	char by[16] = "";
	struct stat status;

	sscanf(words, " %o %u %15s", &mode, &owner, by);
	scene.own = strcmp(by, "default") != 0;
	/* Whoever may give no file away may be unable to read what is closed. */
	if (chown(fuzz_path("counters"), owner > INT_MAX ? 0 : owner, (gid_t)-1))
		mode |= 0400;
	FUZZ_EXPECT(!chmod(fuzz_path("counters"), mode & 07777));
	FUZZ_EXPECT(!stat(fuzz_path("counters"), &status));
	scene.trusted = (status.st_uid == 0 || (scene.own && status.st_uid == geteuid())) &&
			!(status.st_mode & 022);
}

static void set_cache(const uint8_t *data, size_t size, bool sealed)
{
	const char *words = "";
	size_t length = 0;
	const char *text = fuzz_section(data, size, "cache", &length, &words);

	if (length > sizeof scene.text)
		length = sizeof scene.text;
	if (text && !sealed)
		memcpy(scene.text, text, length);
	if (text && sealed)
		length = fuzz_seal(text, length, scene.text, sizeof scene.text);
	scene.length = length;
	fuzz_file("counters", NULL, 0);
	fuzz_file("counters", scene.text, length);
	set_owner_and_mode(words);
}

/* A file of ours, made one of this boot. */
static void seal_persecond(char *text)
{
	char *mark = strstr(text, PERSECOND_MARK), boot[MACHINE_BOOT_SIZE];

	if (!mark || strlen(mark) < sizeof PERSECOND_MARK - 1 + MACHINE_BOOT_SIZE ||
	    machine_boot(boot))
		return;
	memcpy(mark + sizeof PERSECOND_MARK - 1, boot, MACHINE_BOOT_SIZE - 1);
}

static void set_persecond(const uint8_t *data, size_t size, bool sealed)
{
	const char *words;
	size_t length = 0;
	const char *text = fuzz_section(data, size, "persecond", &length, &words);
	char *copy;

	memset(&scene.persecond, 0, sizeof scene.persecond);
	if (!text) {
		fuzz_file("cpucyclespersecond", NULL, 0);
		return;
	}
	copy = fuzz_copy(text, length, true);
	if (sealed)
		seal_persecond(copy);
	fuzz_file("cpucyclespersecond", copy, length);
	if (length >= PERSECOND_TEXT_SIZE)
		copy[length = PERSECOND_TEXT_SIZE - 1] = 0;
	persecond_parse(copy, length, "", &scene.persecond);
	free(copy);
}

static void set_environment(const uint8_t *data, size_t size)
{
	const char *words;
	size_t length;
	const char *text = fuzz_section(data, size, "environment", &length, &words);
	char *copy;

	unsetenv("cpucyclespersecond");
	if (text) {
		copy = fuzz_copy(text, length, true);
		setenv("cpucyclespersecond", copy, 1);
		free(copy);
	}
	environment_read();
}

/* The oracle: the same from the manual. */

static bool same_persecond(const char *boot)
{
	const struct persecond *cached = &scene.parsed.persecond;
	const struct persecond_file *file = &scene.persecond;
	const struct persecond *said = &file->said;

	if (said->hz && !file->ours)
		return cached->source == PERSECOND_FILE && cached->hz == said->hz;
	if (said->hz && !strcmp(file->boot, boot))
		return cached->source == said->source && cached->hz == said->hz;
	if (cached->source == PERSECOND_MEASURED || cached->source == PERSECOND_DEFAULT)
		return frequency_environment() == 0;
	return cached->source != PERSECOND_FILE && cached->source != PERSECOND_ENVIRONMENT;
}

/* The counters that are read if none of them works. False: the header is malformed. */
static bool parse_scene(const char *text)
{
	struct cache *const parsed = &scene.parsed;
	struct cache_reader reader;

	parsed->usable = 0;
	if (!cache_parse_header(&reader, text, scene.length, parsed))
		return false;
	do {
		struct candidate c;

		scene.end = cache_parse_usable(&reader, &c);
		if (scene.end == CACHE_LINE_USABLE)
			parsed->candidates[parsed->usable++] = c;
	} while (scene.end == CACHE_LINE_USABLE);
	return true;
}

static enum cache_status expected_status(void)
{
	char boot[MACHINE_BOOT_SIZE], machine[MACHINE_IDENTITY_SIZE];
	char *copy;
	bool good;

	if (!scene.trusted || scene.length > CACHE_SIZE_MAX)
		return CACHE_UNTRUSTED;
	copy = fuzz_copy(scene.text, scene.length, false);
	good = parse_scene(copy);
	free(copy);
	if (!good)
		return CACHE_MALFORMED;
	if (machine_boot(boot) || strcmp(boot, scene.parsed.boot))
		return CACHE_STALE_BOOT;
	machine_identity(machine);
	if (strcmp(machine, scene.parsed.machine))
		return CACHE_STALE_MACHINE;
	return same_persecond(boot) ? CACHE_USED : CACHE_STALE_PERSECOND;
}

/* What the library does */

static void call_read(void *argument)
{
	const struct choice *choice = argument;

	choice->counter->read();
	choice->counter->read();
}

/* As the first call does, but so that it can be done again. */
static void make_choice(struct choice *choice)
{
	const struct choose_options options = {
		.cache = { fuzz_path("counters"), scene.own, fuzz_path("cpucyclespersecond") },
	};
	struct guard guard;
	int signal;

	memset(choice, 0, sizeof *choice);
	FUZZ_EXPECT(guard_acquire(&guard) == LOCK_TAKEN);
	guard_install(&guard, GUARD_ALL);
	choose_counter(&options, choice);
	signal = guard_call(call_read, choice);
	if (choice->counter->teardown)
		choice->counter->teardown();
	guard_release(&guard);
	FUZZ_EXPECT(signal == 0);
}

/* The first in rank order that works: none is passed over that counts without a rate, and
 * so works whatever the cache says of it. */
static void expect_ranked(const struct choice *choice)
{
	size_t i = 0;

	for (; i < scene.parsed.usable; i++) {
		const struct counter *counter = scene.parsed.candidates[i].counter;

		if (counter == choice->counter)
			break;
		FUZZ_EXPECT(counter->rate || !works[counters_find(counter->name)]);
	}
	FUZZ_EXPECT(i < scene.parsed.usable);
	FUZZ_EXPECT(choice->persecond.hz == scene.parsed.persecond.hz);
	FUZZ_EXPECT(choice->persecond.source == scene.parsed.persecond.source);
}

static void expect_choice(const struct choice *choice, enum cache_status expected)
{
	FUZZ_EXPECT(choice->counter && choice->counter->class != COUNTER_LAST_RESORT);
	FUZZ_EXPECT(works[counters_find(choice->counter->name)]);
	FUZZ_EXPECT(rate_is_sane(choice->persecond.hz));
	if (choice->from_cache) {
		FUZZ_EXPECT(expected == CACHE_USED && choice->cache_status == CACHE_USED);
		fuzz_count_valid();
		expect_ranked(choice);
		return;
	}
	if (expected == CACHE_USED)
		expected = scene.end == CACHE_LINE_WRONG ? CACHE_MALFORMED : CACHE_NO_COUNTER;
	FUZZ_EXPECT(choice->cache_status == expected);
}

static void choose_in_scene(const uint8_t *data, size_t size, bool sealed)
{
	static struct choice choice;

	set_persecond(data, size, sealed);
	set_cache(data, size, sealed);
	make_choice(&choice);
	expect_choice(&choice, expected_status());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool ready;

	if (!ready)
		find_working();
	ready = true;
	set_environment(data, size);
	choose_in_scene(data, size, false);
	choose_in_scene(data, size, true);
	return 0;
}
