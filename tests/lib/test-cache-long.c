/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Caches of a list so long that a first call does not keep all of their text in memory. */

#include "config.h"

#include "cache.h"
#include "cache-text.h"

#define MADE 50

/* What a first call reads at once, and how much of a longer text it keeps: cpucycles-cache(5). */
#define AT_ONCE 4096
#define KEPT 3072

/* The library's list here, linked instead of counters.c. */

static struct counter made[MADE];
static char names[MADE][32];

#define PLACES_FIVE(n) &made[n], &made[n + 1], &made[n + 2], &made[n + 3], &made[n + 4]
#define PLACES_TEN(n) PLACES_FIVE(n), PLACES_FIVE(n + 5)
const struct counter *const counters_list[] = {
	PLACES_TEN(0), PLACES_TEN(10), PLACES_TEN(20), PLACES_TEN(30), PLACES_TEN(40),
};
const size_t counters_count = MADE;

size_t counters_find(const char *name)
{
	size_t i = 0;

	while (i < MADE && strcmp(made[i].name, name))
		i++;
	return i;
}

uint64_t counters_hash(void)
{
	return MADE;
}

const struct counter *counters_last_resort(void)
{
	return &made[MADE - 1];
}

static struct cache cache;

/* Write a cache of which so many counters work and the others do not. */
static void write_cache(size_t usable)
{
	random_cache(&cache);
	memset(cache.facts, 0, sizeof cache.facts);
	for (size_t i = 0; i < MADE; i++) {
		sprintf(names[i], "made-counter-%zu", i);
		made[i].name = names[i];
		made[i].class = COUNTER_OFF_CORE;
		cache.candidates[i] = (struct candidate){ .counter = &made[i] };
		if (i >= usable) {
			cache.candidates[i].reason = REASON_CLOSED;
			continue;
		}
		cache.candidates[i].precision = 100 + i;
		cache.candidates[i].scaling = (struct ratio){ 1, 1 };
		cache.candidates[i].measured = (struct rate){ RATE_SANE_MAX_HZ, 1000 };
	}
	cache.usable = usable;
	memset(text, 0, sizeof text);
	length = cache_format(&cache, text, sizeof text);
	assert_true(length > 0);
}

/* The same with this length, by a longer or shorter word that nothing reads. */
static void write_length(size_t wanted)
{
	size_t usable = MADE;

	do {
		write_cache(usable--);
	} while (length + 60 > wanted);
	for (unsigned i = 0; length < wanted; i++) {
		size_t more = wanted - length < 23 ? wanted - length : 23;

		memset(cache.facts[i], 'x', strlen("unknown") + more);
		length = cache_format(&cache, text, sizeof text);
	}
	assert_int_equal(length, wanted);
}

static struct cache_context context(void)
{
	static char path[PATH_MAX];

	strcpy(path, unit_path("counters"));
	return (struct cache_context){ .path = path, .own = true, .persecond_path = "/nowhere" };
}

static enum cache_status look(struct cache_reader *reader)
{
	const struct cache_context file = context();
	static struct cache header;

	return cache_open(&file, &header, reader);
}

/* A first call gets the best counters, down to the last line that was kept as a whole. */
TEST(first_counters)
{
	struct cache_reader reader;
	enum cache_line line;
	struct candidate c;
	size_t n = 0, lines = 0;

	need_boot_id();
	write_cache(MADE);
	assert_true(length > AT_ONCE);
	for (size_t i = 0; i < KEPT; i++)
		lines += text[i] == '\n';
	unit_write("counters", text, length);
	assert_int_equal(look(&reader), CACHE_USED);
	while ((line = cache_parse_usable(&reader, &c)) == CACHE_LINE_USABLE)
		expect_same_candidate(&c, &cache.candidates[n++]);
	assert_int_equal(line, CACHE_LINE_NONE);
	assert_int_equal(reader.line, lines + 1);
	assert_true(n > 20 && n < MADE);
}

/* Around the lengths at which the way of reading changes, the programs' reading agrees. */
TEST(every_length)
{
	static const size_t around[] = { KEPT, AT_ONCE, AT_ONCE + 26, AT_ONCE + 1024 };
	const struct cache_context file = context();
	struct cache_reader reader;
	struct candidate c;

	need_boot_id();
	for (size_t i = 0; i < sizeof around / sizeof around[0]; i++)
		for (size_t n = around[i] - 30; n <= around[i] + 30; n++) {
			static struct cache whole;

			write_length(n);
			unit_write("counters", text, length);
			assert_int_equal(look(&reader), CACHE_USED);
			assert_int_equal(cache_parse_usable(&reader, &c), CACHE_LINE_USABLE);
			assert_ptr_equal(c.counter, &made[0]);
			assert_int_equal(cache_load(&file, &whole).status, CACHE_USED);
		}
}

/* Damage that lies beyond what is kept is seen. */
TEST(damage)
{
	struct cache_reader reader;

	need_boot_id();
	write_cache(MADE);
	for (size_t i = 0; i < length; i += i < length - 60 ? 37 : 1) {
		text[i] ^= 1;
		unit_write("counters", text, length);
		assert_int_equal(look(&reader), CACHE_MALFORMED);
		text[i] ^= 1;
	}
	for (size_t n = AT_ONCE - 30; n < length; n++) {
		unit_write("counters", text, n);
		assert_int_equal(look(&reader), CACHE_MALFORMED);
	}
	text[length] = '\n';
	unit_write("counters", text, length + 1);
	assert_int_equal(look(&reader), CACHE_MALFORMED);
}

UNIT_MAIN_SEEDED("cache-long", unit_folder_make, unit_folder_remove)
