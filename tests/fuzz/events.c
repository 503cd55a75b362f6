/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Events by name: all that parses them and opens no file. The input has sections of four kinds, and
 * as many of each as it likes: "%list" with a list of events, "%format NUMBER" with a format of
 * sysfs in which this number is put, "%terms" with the terms of an event, and "%word NUMBER". The
 * oracles read formats a second time, and write what was parsed to parse it again. */

#include "config.h"

#include "events/field.h"
#include "events/name.h"
#include "events/word.h"
#include "fuzz.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BITS 64

static bool is_printable(const char *text)
{
	for (; *text; text++)
		if (*text < ' ' || *text > '~')
			return false;
	return true;
}

/* Function words */

static bool are_same_parts(const struct event_parts *a, const struct event_parts *b)
{
	return a->mask == b->mask && a->count == b->count && a->edge == b->edge &&
	       a->invert == b->invert;
}

static void expect_word(uint64_t word)
{
	struct event_ask ask = { .number = 0 }, again;
	struct reason_text reason;
	char text[32];
	const int error = event_word_decode(word, &ask);
	const int length = snprintf(text, sizeof text, "0x%llx", (unsigned long long)word);

	FUZZ_EXPECT(event_parse(text, (size_t)length, &again, &reason) == error);
	FUZZ_EXPECT(error == 0 || error == -EINVAL);
	/* Of all bits, these have a meaning here; enabled; user or kernel. */
	FUZZ_EXPECT(!error ==
		    (!(word & ~UINT64_C(0xffc7ffff)) && (word & 0x400000) && (word & 0x030000)));
	if (error)
		return;
	fuzz_count_valid();
	FUZZ_EXPECT(event_word_encode(&ask) == word);
	FUZZ_EXPECT(again.source == EVENT_WORD && again.number == ask.number);
	FUZZ_EXPECT(are_same_parts(&again.parts, &ask.parts));
	FUZZ_EXPECT(again.user == ask.user && again.kernel == ask.kernel);
}

/* Lists */

static void expect_raw(const struct event_ask *ask)
{
	const uint32_t word = event_word_encode(ask);
	struct event_ask again = { .number = 0 };

	if (!word) {
		FUZZ_EXPECT(ask->number > 0xff);
		return;
	}
	FUZZ_EXPECT(event_word_decode(word, &again) == 0);
	FUZZ_EXPECT(again.number == (ask->number & 0xff));
	FUZZ_EXPECT(again.parts.mask == (ask->number >> 8 | ask->parts.mask));
	FUZZ_EXPECT(again.parts.count == ask->parts.count);
	FUZZ_EXPECT(again.user == (ask->user || !ask->kernel) && again.kernel == ask->kernel);
}

static void expect_breakpoint(const struct event_ask *ask)
{
	const unsigned length = ask->length;

	FUZZ_EXPECT(length == 1 || length == 2 || length == 4 || length == 8);
	FUZZ_EXPECT(ask->access >= EVENT_READ && ask->access <= EVENT_EXECUTE);
	FUZZ_EXPECT(ask->access != EVENT_EXECUTE || length == sizeof(long));
}

static void expect_pmu(const struct event_ask *ask)
{
	char text[2 * EVENT_TEXT + 4];
	const int length = snprintf(text, sizeof text, "%s/%s/", ask->pmu, ask->terms);

	FUZZ_EXPECT(!strncmp(ask->text, text, (size_t)length));
	FUZZ_EXPECT(ask->pmu[0] && ask->pmu[0] != '.' && !strstr(ask->pmu, ".."));
	FUZZ_EXPECT(ask->terms[0]);
}

static void expect_kernel_name(const struct event_ask *ask)
{
	struct event_name name;
	size_t i = 0;

	while (event_name_at(i, &name) &&
	       (name.source != ask->source || name.number != ask->number))
		i++;
	FUZZ_EXPECT(name.source == ask->source && name.number == ask->number);
}

static void expect_other(const struct event_ask *ask)
{
	const size_t length = strlen(ask->rest);

	FUZZ_EXPECT(length > 0 && !strncmp(ask->text, ask->rest, length));
	FUZZ_EXPECT(strspn(ask->text + length, ":uk") == strlen(ask->text + length));
	FUZZ_EXPECT((ask->user || ask->kernel) == (ask->text[length] != 0));
}

static void expect_event(const struct event_ask *ask)
{
	FUZZ_EXPECT(is_printable(ask->text) && !strchr(ask->text, ' '));
	switch (ask->source) {
	case EVENT_HARDWARE:
	case EVENT_CACHE:
	case EVENT_SOFTWARE:
		expect_kernel_name(ask);
		break;
	case EVENT_BREAKPOINT:
		expect_breakpoint(ask);
		break;
	case EVENT_PMU:
		expect_pmu(ask);
		break;
	case EVENT_RAW:
	case EVENT_WORD:
		expect_raw(ask);
		break;
	case EVENT_OTHER:
		expect_other(ask);
		break;
	}
}

static void expect_text(const char *event, size_t length)
{
	struct reason_text reason;
	struct event_ask ask;
	char *copy = fuzz_copy(event, length, false);
	const int error = event_parse(copy, length, &ask, &reason);

	FUZZ_EXPECT(error == 0 || error == -EINVAL);
	FUZZ_EXPECT(reason.error == -error && !error == !reason.what[0]);
	FUZZ_EXPECT(is_printable(reason.what));
	if (!error) {
		FUZZ_EXPECT(strlen(ask.text) == length && !memcmp(ask.text, copy, length));
		expect_event(&ask);
		fuzz_count_valid();
	}
	free(copy);
}

/* The events are the list, with one comma between two. */
static void expect_list(const char *text, size_t length)
{
	char *copy = fuzz_copy(text, length, true);
	const char *p = copy, *event, *end = copy;
	size_t n;

	copy[strcspn(copy, "\n")] = 0;
	while ((event = event_next(&p, &n))) {
		FUZZ_EXPECT(event == end);
		expect_text(event, n);
		end = event + n + (event[n] == ',');
		FUZZ_EXPECT(p == end);
	}
	FUZZ_EXPECT(*end == 0);
	free(copy);
}

/* Formats */

/* A number of at most two digits that count: 0 to 63. */
static bool take_bit(const char **p, unsigned *bit)
{
	size_t zeros = strspn(*p, "0"), digits = strspn(*p, "0123456789");

	if (digits == 0 || digits - zeros > 2)
		return false;
	*bit = (unsigned)strtoul(*p, NULL, 10);
	*p += digits;
	return *bit < BITS;
}

/* The bits from low to high, in this order. Returns how many; 0: it is no format. */
static unsigned take_format(const char *text, unsigned *word, unsigned bits[BITS])
{
	const char *p = text + 6;
	unsigned n = 0, low, high;

	if (strncmp(text, "config", 6) != 0)
		return 0;
	*word = *p == '1' ? 1 : *p == '2' ? 2 : 0;
	for (p += *word > 0; *p == (n == 0 ? ':' : ',');) {
		p++;
		if (!take_bit(&p, &low))
			return 0;
		high = low;
		if (*p == '-') {
			p++;
			if (!take_bit(&p, &high))
				return 0;
		}
		if (low > high || (n > 0 && low <= bits[n - 1]))
			return 0;
		while (low <= high)
			bits[n++] = low++;
	}
	return *p == 0 || !strcmp(p, "\n") ? n : 0;
}

static void expect_format(const char *text, size_t length, uint64_t value)
{
	char *format = fuzz_copy(text, length, true);
	struct event_config config = { .value = { 0 } };
	unsigned bits[BITS], word = 0;
	const unsigned n = take_format(format, &word, bits);
	const int error = event_field_place(format, value, &config);
	uint64_t back = 0;

	if (n == 0) {
		FUZZ_EXPECT(error == -EINVAL);
	} else if (n < BITS && value >> n) {
		FUZZ_EXPECT(error == -ERANGE);
	} else {
		FUZZ_EXPECT(error == 0);
		for (unsigned i = 0; i < n; i++) {
			back |= (config.value[word] >> bits[i] & 1) << i;
			FUZZ_EXPECT(config.taken[word] >> bits[i] & 1);
			config.taken[word] &= ~(UINT64_C(1) << bits[i]);
			config.value[word] &= ~(UINT64_C(1) << bits[i]);
		}
		FUZZ_EXPECT(back == value);
		config.taken[word] = UINT64_C(1) << bits[n - 1];
		FUZZ_EXPECT(event_field_place(format, 0, &config) == -EEXIST);
		config.taken[word] = 0;
		fuzz_count_valid();
	}
	for (unsigned i = 0; i < EVENT_CONFIGS; i++)
		FUZZ_EXPECT(config.value[i] == 0 && config.taken[i] == 0);
	free(format);
}

/* Terms */

/* So many terms, written in one form only, are read again. */
static void expect_terms(const char *text, size_t length)
{
	char *copy = fuzz_copy(text, length, true), again[sizeof(struct event_term) + 32];
	const char *p = copy;
	struct event_term term, same;
	bool bad, same_bad;

	copy[strcspn(copy, "\n")] = 0;
	while (event_term_next(&p, &term, &bad)) {
		const char *q = again;

		FUZZ_EXPECT(!bad && term.name[0] && is_printable(term.name));
		FUZZ_EXPECT(p > copy && (*p == 0 || p[-1] == ','));
		snprintf(again, sizeof again, "%s=0x%llx", term.name,
			 (unsigned long long)term.value);
		FUZZ_EXPECT(event_term_next(&q, &same, &same_bad) && *q == 0);
		FUZZ_EXPECT(same.value == term.value && !strcmp(same.name, term.name));
		fuzz_count_valid();
	}
	FUZZ_EXPECT(bad == (*p != 0));
	free(copy);
}

static void expect_section(const char *kind, const char *words, const char *text, size_t length)
{
	if (!strcmp(kind, "list"))
		expect_list(text, length);
	else if (!strcmp(kind, "terms"))
		expect_terms(text, length);
	else if (!strcmp(kind, "format"))
		expect_format(text, length, strtoull(words, NULL, 0));
	else
		expect_word(strtoull(words, NULL, 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const kinds[] = { "list", "format", "terms", "word" };

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		const uint8_t *from = data, *end = data + size;
		const char *text, *words;
		size_t length;

		while ((text = fuzz_section(from, (size_t)(end - from), kinds[i], &length,
					    &words))) {
			expect_section(kinds[i], words, text, length);
			from = (const uint8_t *)text;
		}
	}
	return 0;
}
