/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "cache-format.h"
#include "decimal.h"
#include "hash.h"
#include "hot.h"
#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FORMAT_LINE "cpucycles-cache 2"

static const char fact_names[CACHE_FACTS][16] = {
	[FACT_TSC] = "tsc",
	[FACT_CLOCKSOURCE] = "clocksource",
	[FACT_HYPERVISOR] = "hypervisor",
	[FACT_GOVERNOR] = "governor",
	[FACT_TURBO] = "turbo",
	[FACT_SMT] = "smt",
	[FACT_KINDS] = "kinds",
	[FACT_SKEW] = "skew",
};

const char *cache_fact_name(enum cache_fact fact)
{
	return fact_names[fact];
}

/* Writing. The checksum is against damage; owner and mode rule out forgery. */

struct writer {
	char *text;
	size_t size, length;
	bool full;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void put(struct writer *w, const char *format, ...)
{
	va_list list;
	int n;

	if (w->full)
		return;
	va_start(list, format);
	n = vsnprintf(w->text + w->length, w->size - w->length, format, list);
	va_end(list);
	w->full = n < 0 || (size_t)n >= w->size - w->length;
	if (!w->full)
		w->length += (size_t)n;
}

static void put_candidate(struct writer *w, const struct candidate *c)
{
	if (c->reason == REASON_NONE) {
		put(w, "usable %s %s precision %" PRIu64 " hz %" PRIu64 " scaling %" PRIu64 "/%" PRIu64,
		    c->counter->name, counter_class_name(c->counter->class), c->precision, c->hz,
		    c->scaling.num, c->scaling.den);
		put(w, " measured %" PRIu64 " ppm %" PRIu32 "\n", c->measured.hz, c->measured.ppm);
		return;
	}
	put(w, "unusable %s %s %d\n", c->counter->name, reason_name(c->reason), c->detail);
}

size_t cache_format(const struct cache *cache, char *text, size_t size)
{
	struct writer w = { .text = text, .size = size };

	put(&w, FORMAT_LINE "\nlibrary %s\nboot %s\nmachine %s\nfingerprint %s\n", cache->library,
	    cache->boot, cache->machine, cache->fingerprint);
	put(&w, "persecond %" PRIu64 " %s\n", cache->persecond.hz,
	    frequency_source_name(cache->persecond.source));
	put(&w, "core %" PRIu64 " ppm %" PRIu32 "\n", cache->core.hz, cache->core.ppm);
	for (unsigned i = 0; i < CACHE_FACTS; i++)
		put(&w, "fact %s %s\n", fact_names[i],
		    cache->facts[i][0] ? cache->facts[i] : "unknown");
	for (size_t i = 0; i < counters_count; i++)
		put_candidate(&w, &cache->candidates[i]);
	put(&w, "checksum %016" PRIx64 "\n", hash_add(HASH_START, text, w.length));
	return w.full ? 0 : w.length;
}

/* Reading: strict, and never past the end. Words are separated by one blank. */

struct reader {
	const char *p, *end;
	unsigned line;
};

/* The next words are these. Of a literal the length is known, and to compare it is no call. */
static inline bool take(struct reader *r, const char *words)
{
	size_t length = strlen(words);

	if ((size_t)(r->end - r->p) < length || memcmp(r->p, words, length))
		return false;
	r->p += length;
	return true;
}

/* The same of what is no literal. */
static ONE_COPY bool take_name(struct reader *r, const char *name)
{
	const char *p = r->p;

	while (p < r->end && *name && *p == *name)
		p++, name++;
	if (*name)
		return false;
	r->p = p;
	return true;
}

/* A word of printable characters. */
static ONE_COPY bool take_word(struct reader *r, char *word, size_t size)
{
	const char *const start = r->p, *p = start;
	const char *const last = (size_t)(r->end - p) < size ? r->end : p + size - 1;

	for (; p < last && *p > ' ' && *p < 127; p++)
		*word++ = *p;
	*word = 0;
	r->p = p;
	return p > start;
}

static ONE_COPY bool take_number(struct reader *r, uint64_t *number)
{
	const char *const start = r->p, *p = start;
	uint64_t value = 0;

	for (; p < r->end && *p >= '0' && *p <= '9'; p++)
		if (!decimal_push(&value, (unsigned)(*p - '0')))
			return false;
	*number = value;
	r->p = p;
	/* One way only to write a number. */
	return p > start && (*start != '0' || p == start + 1);
}

static bool end_line(struct reader *r)
{
	if (!take(r, "\n"))
		return false;
	r->line++;
	return true;
}

static bool take_header(struct reader *r, struct cache *cache)
{
	return take(r, FORMAT_LINE) && end_line(r) &&
	       take(r, "library ") && take_word(r, cache->library, sizeof cache->library) && end_line(r) &&
	       take(r, "boot ") && take_word(r, cache->boot, sizeof cache->boot) &&
	       machine_is_boot(cache->boot) && end_line(r) &&
	       take(r, "machine ") && take_word(r, cache->machine, sizeof cache->machine) && end_line(r) &&
	       take(r, "fingerprint ") && take_word(r, cache->fingerprint, sizeof cache->fingerprint) &&
	       end_line(r);
}

static bool take_persecond(struct reader *r, struct persecond *persecond)
{
	char source[24];

	return take(r, "persecond ") && take_number(r, &persecond->hz) &&
	       frequency_is_sane(persecond->hz) && take(r, " ") &&
	       take_word(r, source, sizeof source) &&
	       frequency_source_find(source, &persecond->source) && end_line(r);
}

/* HZ ppm PPM; 0 Hz, if it was not measured. */
static bool take_rate(struct reader *r, struct rate *rate)
{
	uint64_t ppm;

	if (!take_number(r, &rate->hz) || !take(r, " ppm ") || !take_number(r, &ppm) ||
	    (rate->hz && !frequency_is_sane(rate->hz)) || ppm > 1000000)
		return false;
	rate->ppm = (uint32_t)ppm;
	return true;
}

static bool take_facts(struct reader *r, struct cache *cache)
{
	for (unsigned i = 0; i < CACHE_FACTS; i++)
		if (!take(r, "fact ") || !take_name(r, fact_names[i]) || !take(r, " ") ||
		    !take_word(r, cache->facts[i], sizeof cache->facts[i]) || !end_line(r))
			return false;
	return true;
}

/* The counters that were named, and the first that was not. */
struct named {
	bool seen[COUNTERS_MAX];
	size_t next;
};

/* The library's index of the next word; counters_count if it has none. Most often it is the first
 * that was not named: what is not ranked stands in the library's order. */
static size_t take_index(struct reader *r, size_t next)
{
	const char *const start = r->p;
	char name[32];

	if (take_name(r, counters_list[next]->name) && r->p < r->end && *r->p == ' ')
		return next;
	r->p = start;
	return take_word(r, name, sizeof name) ? counters_find(name) : counters_count;
}

/* A counter of this library that was not named before. */
static bool take_counter(struct reader *r, struct named *named, struct candidate *c)
{
	const size_t i = take_index(r, named->next);

	if (i == counters_count || named->seen[i])
		return false;
	named->seen[i] = true;
	while (named->next < counters_count && named->seen[named->next])
		named->next++;
	c->counter = counters_list[i];
	return take(r, " ");
}

/* least: precision of the one before, which ranks no lower. */
static bool take_usable(struct reader *r, struct named *named, uint64_t least, struct candidate *c)
{
	return take_counter(r, named, c) && take_name(r, counter_class_name(c->counter->class)) &&
	       take(r, " precision ") && take_number(r, &c->precision) && c->precision >= least &&
	       take(r, " hz ") && take_number(r, &c->hz) &&
	       take(r, " scaling ") && take_number(r, &c->scaling.num) && c->scaling.num > 0 &&
	       take(r, "/") && take_number(r, &c->scaling.den) && c->scaling.den > 0 &&
	       take(r, " measured ") && take_rate(r, &c->measured) && end_line(r);
}

static bool take_reason(struct reader *r, struct candidate *c)
{
	char word[24];
	uint64_t detail;

	if (!take_word(r, word, sizeof word) || !take(r, " ") || !take_number(r, &detail) ||
	    detail > 4095)
		return false;
	c->detail = (int)detail;
	for (c->reason = REASON_NONE + 1; c->reason <= REASON_LAST_RESORT; c->reason++)
		if (text_is(word, reason_name(c->reason)))
			return end_line(r);
	return false;
}

/* One line per counter of this library, the usable ones first and by precision. */
static bool take_candidates(struct reader *r, struct cache *cache)
{
	struct named named = { .next = 0 };
	uint64_t least = 1;

	for (size_t i = 0; i < counters_count; i++) {
		struct candidate *c = &cache->candidates[i];

		memset(c, 0, sizeof *c);
		if (cache->usable == i && take(r, "usable ")) {
			if (!take_usable(r, &named, least, c))
				return false;
			least = c->precision;
			cache->usable++;
		} else if (!take(r, "unusable ") || !take_counter(r, &named, c) || !take_reason(r, c)) {
			return false;
		}
	}
	return true;
}

static bool take_checksum(struct reader *r, uint64_t expected)
{
	char word[CACHE_FINGERPRINT_SIZE];

	if (!take(r, "checksum ") || !take_word(r, word, sizeof word) || strlen(word) != 16)
		return false;
	for (int i = 0; i < 16; i++)
		if (word[i] != "0123456789abcdef"[expected >> (60 - 4 * i) & 15])
			return false;
	return end_line(r) && r->p == r->end;
}

unsigned cache_parse(const char *text, size_t length, struct cache *cache)
{
	struct reader r = { text, text + length, 1 };

	cache->usable = 0;
	if (take_header(&r, cache) && take_persecond(&r, &cache->persecond) &&
	    take(&r, "core ") && take_rate(&r, &cache->core) && end_line(&r) && take_facts(&r, cache) &&
	    take_candidates(&r, cache) && take_checksum(&r, hash_add(HASH_START, text, (size_t)(r.p - text))))
		return 0;
	cache->library[0] = 0;
	return r.line;
}
