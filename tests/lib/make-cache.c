/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Make a cache by a real probe, valid for this boot of this machine except for the given fields:
 *   make-cache FILE [FIELD=VALUE...]
 * library=, boot=, machine=, fingerprint=, persecond=, source=: fields of the header;
 * only=NAME: this counter is the only usable one, whether it works here or not;
 * measured=HZ,PPM: the measured rate of each usable counter that does not count the core's cycles;
 * core=HZ,PPM: the measured frequency of the core.
 *   make-cache --seal FILE     correct the checksum of an edited file
 * Exit status: 0, 1 if it cannot be made, 2 usage. */

#include "config.h"

#include "cache.h"
#include "choose.h"
#include "guard.h"
#include "hash.h"
#include "persecond.h"
#include "probe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cache cache;
static char text[CACHE_SIZE_MAX];

static int complain(const char *what, const char *about)
{
	fprintf(stderr, "make-cache: %s%s\n", what, about);
	return 1;
}

static void estimate(void)
{
	struct persecond_file file;

	persecond_read(PERSECOND_PATH, NULL, &file);
	cache.persecond = frequency_estimate(persecond_answer(&file, cache.boot), "", false);
}

static void probe(void)
{
	struct guard guard;

	if (guard_acquire(&guard) != LOCK_TAKEN)
		exit(complain("the guard is taken", ""));
	guard_install(&guard, GUARD_ALL);
	machine_identity(cache.machine);
	probe_all(cache.persecond.hz, false, cache.candidates);
	guard_release(&guard);
}

static int only(const char *name)
{
	size_t wanted = counters_find(name);

	if (wanted == counters_count)
		return complain("no counter ", name);
	for (size_t i = 0; i < counters_count; i++)
		cache.candidates[i] = i == wanted ? (struct candidate){ .counter = counters_list[i],
									.scaling = { 1, 1 },
									.precision = 1 } :
						    (struct candidate){ .counter = counters_list[i],
									.reason = REASON_STILL };
	return 0;
}

static int parse(const char *text_of_rate, struct rate *rate)
{
	char *end;

	rate->hz = strtoull(text_of_rate, &end, 10);
	rate->ppm = *end == ',' ? (uint32_t)strtoul(end + 1, &end, 10) : 0;
	return *end ? complain("no rate: ", text_of_rate) : 0;
}

static int measured(const char *value)
{
	struct rate rate;

	if (parse(value, &rate))
		return 1;
	for (size_t i = 0; i < counters_count; i++)
		if (cache.candidates[i].reason == REASON_NONE &&
		    cache.candidates[i].counter->class == COUNTER_OFF_CORE)
			cache.candidates[i].measured = rate;
	return 0;
}

static int put(char *field, size_t size, const char *value)
{
	if (strlen(value) >= size)
		return complain("too long: ", value);
	strcpy(field, value);
	return 0;
}

static int set(char *setting)
{
	char *value = strchr(setting, '=');

	if (!value)
		return complain("no FIELD=VALUE: ", setting);
	*value++ = 0;
	if (!strcmp(setting, "library"))
		return put(cache.library, sizeof cache.library, value);
	if (!strcmp(setting, "boot"))
		return put(cache.boot, sizeof cache.boot, value);
	if (!strcmp(setting, "machine"))
		return put(cache.machine, sizeof cache.machine, value);
	if (!strcmp(setting, "fingerprint"))
		return put(cache.fingerprint, sizeof cache.fingerprint, value);
	if (!strcmp(setting, "persecond"))
		return cache.persecond.hz = strtoull(value, NULL, 10), 0;
	if (!strcmp(setting, "source"))
		return frequency_source_find(value, &cache.persecond.source) ?
			       0 :
			       complain("no source ", value);
	if (!strcmp(setting, "only"))
		return only(value);
	if (!strcmp(setting, "measured"))
		return measured(value);
	if (!strcmp(setting, "core"))
		return parse(value, &cache.core);
	return complain("no field ", setting);
}

static int write_file(const char *path, size_t length)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return complain("cannot write ", path);
	if (fwrite(text, 1, length, file) != length || fclose(file))
		return complain("cannot write ", path);
	return 0;
}

static int seal(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t length = file ? fread(text, 1, sizeof text - 64, file) : 0;
	char *last;

	if (file)
		fclose(file);
	text[length] = 0;
	last = strstr(text, "\nchecksum ");
	if (!last)
		return complain("no checksum line in ", path);
	length = (size_t)(last + 1 - text);
	length += (size_t)sprintf(last + 1, "checksum %016" PRIx64 "\n", hash_text(text, length));
	return write_file(path, length);
}

int main(int argc, char *argv[])
{
	size_t length;

	if (argc < 2) {
		fputs("usage: make-cache FILE [FIELD=VALUE...] | --seal FILE\n", stderr);
		return 2;
	}
	if (!strcmp(argv[1], "--seal"))
		return argc == 3 ? seal(argv[2]) : 2;
	strcpy(cache.library, PACKAGE_VERSION);
	strcpy(cache.fingerprint, "0123456789abcdef");
	if (machine_boot(cache.boot))
		return complain("this system has no boot id", "");
	estimate();
	probe();
	for (int i = 2; i < argc; i++)
		if (set(argv[i]))
			return 1;
	selection_rank(cache.candidates, counters_count);
	length = cache_format(&cache, text, sizeof text);
	return length ? write_file(argv[1], length) : complain("it does not fit", "");
}
