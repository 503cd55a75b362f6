/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The first call of a library whose list has MANY counters. A cache has a line for each counter of
 * the list, so a longer cache needs a longer list. The library's own sources are compiled with a
 * list of made counters, each of which reads the monotonic clock.
 *
 *   many-N write FILE      a valid cache in FILE, all counters usable
 *   many-N first           the first call; prints what call.c prints
 */

#include "config.h"

#include "cache.h"
#include "cpucycles.h"
#include "hash.h"
#include "os/clock.h"
#include "persecond.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static long long read_clock(void)
{
	struct timespec t = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (long long)clock_ns(&t);
}

static int setup(const struct counter_conditions *conditions)
{
	(void)conditions;
	return 0;
}

/* clang-format takes the braces of a macro for those of a block. */
/* clang-format off */
#define MADE(n) .name = "made-counter-" #n, .class = COUNTER_OFF_CORE, .width = 64, \
	.setup = setup, .read = read_clock
#define FIVE(n) \
	{ MADE(n##0) }, { MADE(n##1) }, { MADE(n##2) }, { MADE(n##3) }, { MADE(n##4) }
#define TEN(n) \
	FIVE(n), { MADE(n##5) }, { MADE(n##6) }, { MADE(n##7) }, { MADE(n##8) }, { MADE(n##9) }
/* clang-format on */

#define PLACE(n) &made[n]
#define PLACES(n) PLACE(n), PLACE(n + 1), PLACE(n + 2), PLACE(n + 3), PLACE(n + 4)
#define PLACES_TEN(n) PLACES(n), PLACES(n + 5)

#if MANY == 5
static const struct counter made[] = { FIVE(1) };
const struct counter *const counters_list[] = { PLACES(0) };
#elif MANY == 50
static const struct counter made[] = { TEN(1), TEN(2), TEN(3), TEN(4), TEN(5) };
const struct counter *const counters_list[] = { PLACES_TEN(0), PLACES_TEN(10), PLACES_TEN(20),
						PLACES_TEN(30), PLACES_TEN(40) };
#else
#error "so many have not been made"
#endif

const size_t counters_count = MANY;

_Static_assert(MANY <= COUNTERS_MAX, "raise COUNTERS_MAX in bench/Makefile.inc");

/* These stand in for counters.c. */

size_t counters_find(const char *name)
{
	size_t i = 0;

	while (i < counters_count && strcmp(counters_list[i]->name, name))
		i++;
	return i;
}

uint64_t counters_hash(void)
{
	return hash_step(HASH_START, MANY);
}

const struct counter *counters_last_resort(void)
{
	return counters_list[counters_count - 1];
}

static int write_cache(const char *path)
{
	static struct cache cache;
	static char text[CACHE_SIZE_MAX];
	struct persecond_file file;
	FILE *out = fopen(path, "w");
	size_t length;

	strcpy(cache.library, PACKAGE_VERSION);
	strcpy(cache.fingerprint, "0123456789abcdef");
	machine_boot(cache.boot);
	machine_identity(cache.machine);
	persecond_read(PERSECOND_PATH, NULL, &file);
	cache.persecond = frequency_estimate(persecond_answer(&file, cache.boot), "", false);
	cache.usable = counters_count;
	for (size_t i = 0; i < counters_count; i++)
		cache.candidates[i] = (struct candidate){ .counter = counters_list[i],
							  .scaling = { 1, 1 },
							  .precision = 100 + i,
							  .measured = { 1000000000, 1 } };
	length = cache_format(&cache, text, sizeof text);
	if (!out || length == 0 || fwrite(text, 1, length, out) != length || fclose(out)) {
		fprintf(stderr, "many: %s: not written\n", path);
		return 1;
	}
	return 0;
}

static int first(void)
{
	struct timespec start, end;

	for (int i = 0; i < 3; i++) /* warms the clock */
		clock_gettime(CLOCK_MONOTONIC, &end);
	clock_gettime(CLOCK_MONOTONIC, &start);
	cpucycles();
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("ns %lld clock 0 faults 0 implementation %s source %s status %s\n",
	       (long long)(clock_ns(&end) - clock_ns(&start)), cpucycles_implementation(),
	       cpucycles_selection_source(), cpucycles_cache_status());
	return fflush(stdout) ? 3 : 0;
}

int main(int argc, char *argv[])
{
	if (argc == 3 && !strcmp(argv[1], "write"))
		return write_cache(argv[2]);
	if (argc == 2 && !strcmp(argv[1], "first"))
		return first();
	fputs("many: the head of bench/many.c says what it takes\n", stderr);
	return 2;
}
