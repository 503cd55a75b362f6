/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "cache-format.h"
#include "digits.h"
#include "hash.h"
#include "rate.h"
#include "text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define FORMAT_LINE CACHE_BEGINNING "4"

#define HASH_DIGITS 16

#define DETAIL_MAX 4095 /* the largest errno of the Linux kernel */

static const char fact_names[CACHE_FACTS][16] = {
	[FACT_TSC] = "tsc",
	[FACT_CLOCKSOURCE] = "clocksource",
	[FACT_HYPERVISOR] = "hypervisor",
	[FACT_GOVERNOR] = "governor",
	[FACT_TURBO] = "turbo",
	[FACT_SMT] = "smt",
	[FACT_KINDS] = "kinds",
	[FACT_SKEW] = "skew",
	[FACT_WITNESS] = "witness",
	[FACT_COUNTED] = "counted",
	[FACT_CHAIN] = "chain",
	[FACT_CHECK] = "check",
	[FACT_SLOWEST] = "slowest",
};

const char *cache_fact_name(enum cache_fact fact)
{
	return fact_names[fact];
}

/* Writing. The checksum finds damage. Against forgery, cache.c checks the file's owner and mode. */

struct writer {
	char *text;
	size_t size, length;
	bool full;
};

#if defined(__GNUC__)
static void append(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
#endif
static void append(struct writer *w, const char *format, ...)
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
		append(w, "usable %s %s precision %" PRIu64 " hz %" PRIu64, c->counter->name,
		       counter_class_name(c->counter->class), c->precision, c->hz);
		append(w, " scaling %" PRIu64 "/%" PRIu64, c->scaling.num, c->scaling.den);
		append(w, " measured %" PRIu64 " ppm %" PRIu32 "\n", c->measured.hz,
		       c->measured.ppm);
		return;
	}
	append(w, "unusable %s %s %d\n", c->counter->name, reason_name(c->reason), c->detail);
}

size_t cache_format(const struct cache *cache, char *text, size_t size)
{
	struct writer w = { .text = text, .size = size };

	/* What a first call reads. */
	append(&w, FORMAT_LINE "\nlibrary %s\nboot %s\nmachine %s\n", cache->library, cache->boot,
	       cache->machine);
	append(&w, "persecond %" PRIu64 " %s\n", cache->persecond.hz,
	       frequency_source_name(cache->persecond.source));
	append(&w, "counters %016" PRIx64 "\n", counters_hash());
	for (size_t i = 0; i < counters_count; i++)
		put_candidate(&w, &cache->candidates[i]);
	/* What only programs read. */
	append(&w, "fingerprint %s\n", cache->fingerprint);
	append(&w, "core %" PRIu64 " ppm %" PRIu32 "\n", cache->core.hz, cache->core.ppm);
	for (unsigned i = 0; i < CACHE_FACTS; i++)
		append(&w, "fact %s %s\n", fact_names[i],
		       cache->facts[i][0] ? cache->facts[i] : "unknown");
	append(&w, "checksum %016" PRIx64 "\n", hash_text(text, w.length));
	return w.full ? 0 : w.length;
}

/* Reading is strict, and never goes past the end. Words are separated by one blank. Each function
 * takes what it is named after from the start of the rest; false: something else stands there. */

/* The length of a literal is known to the compiler, so comparing a short one needs no call. */
static inline bool take_text(struct cache_reader *r, const char *text)
{
	const size_t length = strlen(text);

	if ((size_t)(r->end - r->p) < length || memcmp(r->p, text, length))
		return false;
	r->p += length;
	return true;
}

/* A word of printable characters that fits into size bytes with a 0 after it. */
static bool take_word(struct cache_reader *r, char *word, size_t size)
{
	const size_t rest = (size_t)(r->end - r->p), most = rest < size ? rest : size - 1;
	const char *const p = r->p;
	size_t n = 0;

	for (; n < most && ' ' < p[n] && p[n] < 127; n++)
		word[n] = p[n];
	word[n] = 0;
	r->p += n;
	return n > 0;
}

/* The same with words that have one blank between two of them. */
static bool take_words(struct cache_reader *r, char *words, size_t size)
{
	size_t n = 0;

	while (take_word(r, words + n, size - n)) {
		n += strlen(words + n);
		if (n + 1 >= size || !take_text(r, " "))
			return true;
		words[n++] = ' ';
	}
	return false;
}

/* There is one way only to write a number: without zeros in front. */
static bool take_number(struct cache_reader *r, uint64_t *number)
{
	const char *const start = r->p, *p = start;
	uint64_t value = 0;

	for (; p < r->end && digit_is_decimal(*p); p++)
		if (!digit_push(&value, 10, (unsigned)(*p - '0')))
			return false;
	*number = value;
	r->p = p;
	return p > start && (*start != '0' || p == start + 1);
}

/* Exactly this hash, in 16 hexadecimal digits. */
static bool take_hash(struct cache_reader *r, uint64_t hash)
{
	if (r->end - r->p < HASH_DIGITS)
		return false;
	for (int i = HASH_DIGITS; i-- > 0; hash >>= 4)
		if (r->p[i] != "0123456789abcdef"[hash & 15])
			return false;
	r->p += HASH_DIGITS;
	return true;
}

static bool end_line(struct cache_reader *r)
{
	if (!take_text(r, "\n"))
		return false;
	r->line++;
	return true;
}

static bool take_identity(struct cache_reader *r, struct cache *cache)
{
	return take_text(r, FORMAT_LINE) && end_line(r) && take_text(r, "library ") &&
	       take_word(r, cache->library, sizeof cache->library) && end_line(r) &&
	       take_text(r, "boot ") && take_word(r, cache->boot, sizeof cache->boot) &&
	       machine_is_boot(cache->boot) && end_line(r) && take_text(r, "machine ") &&
	       take_word(r, cache->machine, sizeof cache->machine) && end_line(r);
}

static bool take_persecond(struct cache_reader *r, struct persecond *persecond)
{
	char source[24];

	return take_text(r, "persecond ") && take_number(r, &persecond->hz) &&
	       rate_is_sane(persecond->hz) && take_text(r, " ") &&
	       take_word(r, source, sizeof source) &&
	       frequency_source_find(source, &persecond->source) && end_line(r);
}

/* "HZ ppm PPM"; a rate that was not measured has 0 Hz. */
static bool take_rate(struct cache_reader *r, struct rate *rate)
{
	uint64_t ppm;

	if (!take_number(r, &rate->hz) || !take_text(r, " ppm ") || !take_number(r, &ppm) ||
	    (rate->hz && !rate_is_sane(rate->hz)) || ppm > RATE_PPM_MAX)
		return false;
	rate->ppm = (uint32_t)ppm;
	return true;
}

/* All lines before those of the counters. A cache for another list of counters ends here. */
static bool take_header(struct cache_reader *r, struct cache *cache)
{
	return take_identity(r, cache) && take_persecond(r, &cache->persecond) &&
	       take_text(r, "counters ") && take_hash(r, counters_hash()) && end_line(r);
}

bool cache_is_seal(const char last_line[CACHE_SEAL_SIZE], uint64_t hash)
{
	struct cache_reader r = { .p = last_line, .end = last_line + CACHE_SEAL_SIZE };

	return take_text(&r, "checksum ") && take_hash(&r, hash) && take_text(&r, "\n");
}

/* The last line. Where it is there and right, the rest ends before it. */
static bool take_checksum(struct cache_reader *r)
{
	const char *const last = r->end - CACHE_SEAL_SIZE;

	if (r->end - r->p < CACHE_SEAL_SIZE ||
	    !cache_is_seal(last, hash_text(r->p, (size_t)(last - r->p))))
		return false;
	r->end = last;
	return true;
}

/* A counter of this library that no line before has named. */
static bool take_counter(struct cache_reader *r, struct candidate *c)
{
	char name[32];
	size_t i;

	if (!take_word(r, name, sizeof name))
		return false;
	i = counters_find(name);
	if (i == counters_count || r->named[i])
		return false;
	r->named[i] = true;
	c->counter = counters_list[i];
	return take_text(r, " ");
}

/* What follows the word "usable". */
static bool take_usable(struct cache_reader *r, struct candidate *c)
{
	return take_counter(r, c) && take_text(r, counter_class_name(c->counter->class)) &&
	       take_text(r, " precision ") && take_number(r, &c->precision) &&
	       c->precision >= r->precision && take_text(r, " hz ") && take_number(r, &c->hz) &&
	       take_text(r, " scaling ") && take_number(r, &c->scaling.num) && c->scaling.num > 0 &&
	       take_text(r, "/") && take_number(r, &c->scaling.den) && c->scaling.den > 0 &&
	       take_text(r, " measured ") && take_rate(r, &c->measured) && end_line(r);
}

static bool take_reason(struct cache_reader *r, struct candidate *c)
{
	char word[24];
	uint64_t detail;

	if (!take_word(r, word, sizeof word) || !take_text(r, " ") || !take_number(r, &detail) ||
	    detail > DETAIL_MAX)
		return false;
	c->detail = (int)detail;
	for (c->reason = REASON_NONE + 1; c->reason <= REASON_LAST_RESORT; c->reason++)
		if (text_is(word, reason_name(c->reason)))
			return end_line(r);
	return false;
}

static bool take_unusable(struct cache_reader *r, struct candidate *c)
{
	memset(c, 0, sizeof *c);
	return take_text(r, "unusable ") && take_counter(r, c) && take_reason(r, c);
}

static enum cache_line take_next(struct cache_reader *r, struct candidate *c)
{
	memset(c, 0, sizeof *c);
	if (!take_text(r, "usable "))
		return CACHE_LINE_NONE;
	if (!take_usable(r, c))
		return CACHE_LINE_WRONG;
	r->precision = c->precision;
	return CACHE_LINE_USABLE;
}

/* One line for each counter of this library: the usable ones first, the others after them. */
static bool take_candidates(struct cache_reader *r, struct cache *cache)
{
	enum cache_line line = CACHE_LINE_USABLE;

	for (size_t i = 0; i < counters_count; i++) {
		struct candidate *const c = &cache->candidates[i];

		if (line == CACHE_LINE_USABLE)
			line = take_next(r, c);
		if (line == CACHE_LINE_USABLE)
			cache->usable++;
		else if (line == CACHE_LINE_WRONG || !take_unusable(r, c))
			return false;
	}
	return true;
}

static bool take_facts(struct cache_reader *r, struct cache *cache)
{
	for (unsigned i = 0; i < CACHE_FACTS; i++)
		if (!take_text(r, "fact ") || !take_text(r, fact_names[i]) || !take_text(r, " ") ||
		    !take_word(r, cache->facts[i], sizeof cache->facts[i]) || !end_line(r))
			return false;
	return true;
}

/* The lines after those of the counters. */
static bool take_rest(struct cache_reader *r, struct cache *cache)
{
	return take_text(r, "fingerprint ") &&
	       take_words(r, cache->fingerprint, sizeof cache->fingerprint) && end_line(r) &&
	       take_text(r, "core ") && take_rate(r, &cache->core) && end_line(r) &&
	       take_facts(r, cache);
}

static struct cache_reader reader_of(const char *text, size_t length)
{
	return (struct cache_reader){ .p = text, .end = text + length, .line = 1, .precision = 1 };
}

bool cache_parse_start(struct cache_reader *r, const char *start, size_t length,
		       struct cache *header)
{
	*r = reader_of(start, length);
	if (take_header(r, header))
		return true;
	header->library[0] = 0;
	return false;
}

bool cache_parse_header(struct cache_reader *r, const char *text, size_t length,
			struct cache *header)
{
	struct cache_reader whole = reader_of(text, length);

	if (take_checksum(&whole))
		return cache_parse_start(r, text, (size_t)(whole.end - text), header);
	header->library[0] = 0;
	return false;
}

enum cache_line cache_parse_usable(struct cache_reader *r, struct candidate *c)
{
	const enum cache_line line = take_next(r, c);

	/* After the usable counters: another counter, the next line, or the end of what is kept.
	 */
	if (line == CACHE_LINE_NONE && r->p < r->end && !take_text(r, "unusable ") &&
	    !take_text(r, "fingerprint "))
		return CACHE_LINE_WRONG;
	return line;
}

uint64_t cache_parse_core(const struct cache_reader *reader)
{
	struct cache_reader r = *reader;
	struct rate core;

	while (r.p < r.end && !take_text(&r, "core "))
		while (r.p < r.end && *r.p++ != '\n')
			;
	return take_rate(&r, &core) && end_line(&r) ? core.hz : 0;
}

unsigned cache_parse(const char *text, size_t length, struct cache *cache)
{
	struct cache_reader r = reader_of(text, length);
	const bool sealed = take_checksum(&r);

	/* A wrong checksum is reported only where no line before it is wrong. */
	cache->usable = 0;
	if (take_header(&r, cache) && take_candidates(&r, cache) && take_rest(&r, cache) &&
	    sealed && r.p == r.end)
		return 0;
	cache->library[0] = 0;
	return r.line;
}
