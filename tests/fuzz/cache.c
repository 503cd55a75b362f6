/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The text of a cache, as it is and once more sealed. What cache_parse takes, cache_format writes
 * again byte for byte, and it is what cpucycles-cache(5) says of it. What is read line by line is
 * what cache_parse reads, or begins a text that cache_parse refuses in a later line. */

#include "config.h"

#include "cache.h"
#include "fuzz.h"
#include "rate.h"

#include <stdlib.h>
#include <string.h>

static bool is_word(const char *word, size_t size)
{
	size_t length = strnlen(word, size);

	if (length == 0 || length == size)
		return false;
	for (size_t i = 0; i < length; i++)
		if (word[i] <= ' ' || word[i] >= 127)
			return false;
	return true;
}

/* What a first call reads of it. */
static void expect_head(const struct cache *cache)
{
	FUZZ_EXPECT(is_word(cache->library, sizeof cache->library));
	FUZZ_EXPECT(is_word(cache->machine, sizeof cache->machine));
	FUZZ_EXPECT(machine_is_boot(cache->boot));
	FUZZ_EXPECT(rate_is_sane(cache->persecond.hz));
	FUZZ_EXPECT((unsigned)cache->persecond.source < PERSECOND_SOURCES);
}

static void expect_rate(struct rate rate)
{
	FUZZ_EXPECT((rate.hz == 0 || rate_is_sane(rate.hz)) && rate.ppm <= 1000000);
}

/* Words with one blank between two of them. */
static bool are_words(const char *words, size_t size)
{
	bool blank = true;
	size_t i = 0;

	for (; i < size && words[i]; i++) {
		if (words[i] == ' ' ? blank : words[i] < ' ' || words[i] >= 127)
			return false;
		blank = words[i] == ' ';
	}
	return i < size && !blank;
}

/* What only programs read. */
static void expect_rest(const struct cache *cache)
{
	FUZZ_EXPECT(are_words(cache->fingerprint, sizeof cache->fingerprint));
	expect_rate(cache->core);
	for (unsigned i = 0; i < CACHE_FACTS; i++)
		FUZZ_EXPECT(is_word(cache->facts[i], sizeof cache->facts[i]));
}

static void expect_usable(const struct candidate *c, uint64_t least)
{
	FUZZ_EXPECT(c->reason == REASON_NONE && c->precision >= least);
	FUZZ_EXPECT(c->scaling.num > 0 && c->scaling.den > 0);
	expect_rate(c->measured);
}

/* Every counter once, the usable ones first and by precision. */
static void expect_candidates(const struct cache *cache)
{
	bool seen[COUNTERS_MAX] = { false };
	uint64_t least = 1;

	FUZZ_EXPECT(cache->usable <= counters_count);
	for (size_t i = 0; i < counters_count; i++) {
		const struct candidate *c = &cache->candidates[i];
		size_t k = 0;

		while (k < counters_count && counters_list[k] != c->counter)
			k++;
		FUZZ_EXPECT(k < counters_count && !seen[k]);
		seen[k] = true;
		FUZZ_EXPECT((c->reason == REASON_NONE) == (i < cache->usable));
		if (c->reason != REASON_NONE) {
			FUZZ_EXPECT((unsigned)c->reason <= REASON_LAST_RESORT);
			FUZZ_EXPECT(c->detail >= 0 && c->detail <= 4095);
			continue;
		}
		expect_usable(c, least);
		least = c->precision;
	}
}

static unsigned lines(const char *text, size_t length)
{
	unsigned n = 1;

	for (size_t i = 0; i < length; i++)
		n += text[i] == '\n';
	return n;
}

static void expect_same_again(const struct cache *cache, const char *text, size_t length)
{
	static char again[CACHE_SIZE_MAX * 2];

	FUZZ_EXPECT(cache_format(cache, again, sizeof again) == length);
	FUZZ_EXPECT(!memcmp(again, text, length));
}

static bool same_candidate(const struct candidate *a, const struct candidate *b)
{
	return a->counter == b->counter && a->precision == b->precision && a->hz == b->hz &&
	       a->scaling.num == b->scaling.num && a->scaling.den == b->scaling.den &&
	       a->measured.hz == b->measured.hz && a->measured.ppm == b->measured.ppm;
}

/* line: the first that cache_parse finds wrong, or 0, and then whole is the result. */
static void expect_line_by_line(const char *text, size_t length, unsigned line,
				const struct cache *whole)
{
	static struct cache header;
	struct cache_reader reader;
	struct candidate c;
	enum cache_line answer;
	uint64_t least = 1;
	size_t usable = 0;

	memset(&header, 0xa5, sizeof header);
	if (!cache_parse_header(&reader, text, length, &header)) {
		FUZZ_EXPECT(line != 0 && header.library[0] == 0);
		return;
	}
	expect_head(&header);
	while ((answer = cache_parse_usable(&reader, &c)) == CACHE_LINE_USABLE) {
		FUZZ_EXPECT(usable < counters_count);
		expect_usable(&c, least);
		FUZZ_EXPECT(line || same_candidate(&c, &whole->candidates[usable]));
		FUZZ_EXPECT(!line || line >= reader.line);
		least = c.precision;
		usable++;
	}
	if (answer == CACHE_LINE_WRONG)
		FUZZ_EXPECT(line == reader.line);
	else
		FUZZ_EXPECT(line || usable == whole->usable);
}

static void parse(const char *text, size_t length)
{
	static struct cache cache;
	char *copy = fuzz_copy(text, length, false);
	unsigned line;

	/* What was there before must not shine through. */
	memset(&cache, 0xa5, sizeof cache);
	line = cache_parse(copy, length, &cache);
	if (line) {
		FUZZ_EXPECT(line <= lines(copy, length) && cache.library[0] == 0);
	} else {
		fuzz_count_valid();
		expect_head(&cache);
		expect_candidates(&cache);
		expect_rest(&cache);
		expect_same_again(&cache, copy, length);
	}
	expect_line_by_line(copy, length, line, &cache);
	free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char sealed[CACHE_SIZE_MAX * 2];
	size_t length;

	if (size > CACHE_SIZE_MAX)
		return 0;
	parse((const char *)data, size);
	length = fuzz_seal((const char *)data, size, sealed, sizeof sealed);
	parse(sealed, length);
	return 0;
}
