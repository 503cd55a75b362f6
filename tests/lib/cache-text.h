/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The text of a cache, made and edited in memory, for the tests of those who read it. */

#ifndef CPUCYCLES_CACHE_TEXT_H
#define CPUCYCLES_CACHE_TEXT_H

#include "unit.h"
#include "cache-format.h"
#include "rate.h"

#include <inttypes.h>
#include <string.h>

#define OTHER_BOOT "fedcba98-7654-3210-fedc-ba9876543210"

static char text[CACHE_SIZE_MAX];
static size_t length;

UNIT_UNUSED static uint64_t documented_step(uint64_t hash, uint64_t number)
{
	hash ^= number;
	hash *= UINT64_C(1099511628211);
	return hash ^ (hash >> 32);
}

#define DOCUMENTED_START UINT64_C(14695981039346656037)

/* The hash of one piece as cpucycles-cache(5) describes it, written a second time. */
UNIT_UNUSED static uint64_t documented_piece(uint64_t hash, const char *bytes, size_t n)
{
	uint64_t side[4] = { hash, hash, hash, hash };
	const size_t blocks = n / 32;
	size_t i = 0;

	for (; i + 8 <= n; i += 8) {
		uint64_t number = 0;

		for (unsigned j = 0; j < 8; j++)
			number |= (uint64_t)(unsigned char)bytes[i + j] << (8 * j);
		if (i < 32 * blocks)
			side[i / 8 % 4] = documented_step(side[i / 8 % 4], number);
		if (i == 32 * blocks - 8)
			hash = documented_step(documented_step(documented_step(side[0], side[1]),
							       side[2]),
					       side[3]);
		if (i >= 32 * blocks)
			hash = documented_step(hash, number);
	}
	for (; i < n; i++) {
		hash ^= (unsigned char)bytes[i];
		hash *= UINT64_C(1099511628211);
	}
	return hash;
}

UNIT_UNUSED static uint64_t documented_hash(const char *bytes, size_t n)
{
	uint64_t hash = DOCUMENTED_START;

	for (size_t i = 0; i < n; i += 1024)
		hash = documented_piece(hash, bytes + i, n - i < 1024 ? n - i : 1024);
	return hash;
}

/* Without this boot's id no cache is of this boot. */
UNIT_UNUSED static void need_boot_id(void)
{
	char boot[MACHINE_BOOT_SIZE];

	if (machine_boot(boot))
		unit_skip("this system has no boot id");
}

/* Make the checksum of the text right. */
UNIT_UNUSED static void seal(void)
{
	char *last = strstr(text, "\nchecksum ");
	size_t summed;

	assert_non_null(last);
	summed = (size_t)(last - text) + 1;
	length = summed + (size_t)sprintf(last + 1, "checksum %016" PRIx64 "\n",
					  documented_hash(text, summed));
}

UNIT_UNUSED static struct rate random_rate(void)
{
	struct rate rate = { 0 };

	if (unit_random() % 4 == 0)
		return rate;
	rate.hz = RATE_SANE_MIN_HZ + unit_random() % (RATE_SANE_MAX_HZ - RATE_SANE_MIN_HZ + 1);
	rate.ppm = (uint32_t)(unit_random() % 1000001);
	return rate;
}

/* Of any length that fits and any characters that a word may have. */
UNIT_UNUSED static void random_word(char *word, size_t size)
{
	size_t n = 1 + (size_t)(unit_random() % (size - 1));

	for (size_t i = 0; i < n; i++)
		word[i] = (char)('!' + unit_random() % ('~' - '!' + 1));
	word[n] = 0;
}

/* The same with a blank in place of some characters, but never at an end or beside another. */
UNIT_UNUSED static void random_words(char *words, size_t size)
{
	random_word(words, size);
	for (size_t i = 1; words[i] && words[i + 1]; i++)
		if (words[i - 1] != ' ' && unit_random() % 16 == 0)
			words[i] = ' ';
}

/* One in four is left empty, which is written as unknown. */
UNIT_UNUSED static void random_facts(struct cache *cache)
{
	for (unsigned i = 0; i < CACHE_FACTS; i++) {
		cache->facts[i][0] = 0;
		if (unit_random() % 4)
			random_word(cache->facts[i], sizeof cache->facts[i]);
	}
}

UNIT_UNUSED static void random_candidates(struct cache *cache)
{
	for (size_t i = 0; i < counters_count; i++) {
		struct candidate *c = &cache->candidates[i];

		*c = (struct candidate){ .counter = counters_list[i] };
		if (unit_random() % 2) {
			c->reason = (enum reason)(1 + unit_random() % REASON_LAST_RESORT);
			c->detail = (int)(unit_random() % 4096);
			continue;
		}
		c->precision = 1 + unit_random_bits(unit_random() % 2 ? 3 : 63);
		c->hz = unit_random_bits(64);
		c->scaling = (struct ratio){ 1 + unit_random_bits(63), 1 + unit_random_bits(63) };
		c->measured = random_rate();
		cache->usable++;
	}
	selection_rank(cache->candidates, counters_count);
}

/* Right for this boot of this machine, but for what is random. A system that names no boot, as a
 * chroot without /proc, gets another boot's id. */
UNIT_UNUSED static void random_cache(struct cache *cache)
{
	memset(cache, 0, sizeof *cache);
	strcpy(cache->library, PACKAGE_VERSION);
	if (machine_boot(cache->boot))
		strcpy(cache->boot, OTHER_BOOT);
	machine_identity(cache->machine);
	sprintf(cache->fingerprint, "kernel:%08" PRIx32 " cpu:%08" PRIx32, (uint32_t)unit_random(),
		(uint32_t)unit_random());
	cache->persecond.hz = 1000 + unit_random() % UINT64_C(99999999001);
	cache->persecond.source = PERSECOND_CPUINFO_MHZ;
	cache->core = random_rate();
	random_facts(cache);
	random_candidates(cache);
}

/* One with a usable and an unusable counter, so that there is something to break. */
UNIT_UNUSED static void make_text(struct cache *cache)
{
	random_cache(cache);
	for (size_t i = 0; i < counters_count; i++) {
		struct candidate *c = &cache->candidates[i];

		*c = (struct candidate){ .counter = counters_list[i],
					 .reason = REASON_ERRNO,
					 .detail = 2 };
		if (i < 2)
			*c = (struct candidate){ counters_list[i], REASON_NONE, 0,       0,
						 { 1, 1 },         124 + i,     { 0, 0 } };
	}
	cache->usable = 2;
	cache->core = (struct rate){ 0 };
	memset(cache->facts, 0, sizeof cache->facts);
	memset(text, 0, sizeof text);
	length = cache_format(cache, text, sizeof text);
	assert_true(length > 0);
	assert_int_equal(strlen(text), length);
}

UNIT_UNUSED static void expect_same_candidate(const struct candidate *c, const struct candidate *d)
{
	assert_ptr_equal(c->counter, d->counter);
	assert_int_equal(c->reason, d->reason);
	assert_int_equal(c->detail, d->detail);
	assert_int_equal(c->hz, d->hz);
	assert_int_equal(c->precision, d->precision);
	assert_int_equal(c->scaling.num, d->scaling.num);
	assert_int_equal(c->scaling.den, d->scaling.den);
	assert_int_equal(c->measured.hz, d->measured.hz);
	assert_int_equal(c->measured.ppm, d->measured.ppm);
}

UNIT_UNUSED static void expect_same(const struct cache *a, const struct cache *b)
{
	assert_string_equal(a->library, b->library);
	assert_string_equal(a->boot, b->boot);
	assert_string_equal(a->machine, b->machine);
	assert_string_equal(a->fingerprint, b->fingerprint);
	assert_int_equal(a->persecond.hz, b->persecond.hz);
	assert_int_equal(a->persecond.source, b->persecond.source);
	assert_int_equal(a->core.hz, b->core.hz);
	assert_int_equal(a->core.ppm, b->core.ppm);
	for (unsigned i = 0; i < CACHE_FACTS; i++)
		assert_string_equal(a->facts[i][0] ? a->facts[i] : "unknown", b->facts[i]);
	assert_int_equal(a->usable, b->usable);
	for (size_t i = 0; i < counters_count; i++)
		expect_same_candidate(&a->candidates[i], &b->candidates[i]);
}

/* Replace the first such piece of the text and make the checksum right again. */
UNIT_UNUSED static void edit(const char *piece, const char *by)
{
	static char rest[CACHE_SIZE_MAX];
	char *place = strstr(text, piece);

	if (!place)
		fail_msg("no \"%s\" in the cache", piece);
	else {
		strcpy(rest, place + strlen(piece));
		strcpy(place, by);
		strcat(place, rest);
	}
	seal();
}

#endif
