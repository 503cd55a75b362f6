/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Sources: perf_event_open(2) for breakpoints; perf-list(1) for mem:, PMU/TERMS/ and r01c0; pctr(4)
 * and pctr(1) of OpenBSD for the parts of a raw event and the letters of its unit mask. */

#include "config.h"

#include "name.h"
#include "word.h"
#include "digits.h"
#include "reason.h"

#include <errno.h>
#include <string.h>

#define HEX_MAX 16 /* digits of 64 bits */
#define COUNT_DIGITS_MAX 3
#define DEFAULT_LENGTH 4 /* of the data that a breakpoint watches, as perf-list(1) says */

#define N(array) (sizeof(array) / sizeof(array)[0])

/* Text */

static bool is_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static const char *after(const char *text, const char *start)
{
	const size_t length = strlen(start);

	return strncmp(text, start, length) == 0 ? text + length : NULL;
}

static size_t hex_length(const char *text)
{
	return strspn(text, "0123456789abcdefABCDEF");
}

static int refuse(const struct event_ask *ask, const char *expected, struct reason_text *reason)
{
	return reason_say(reason, EINVAL, "%s: %s", ask->text, expected);
}

/* Parts */

/* Which of these letters stand there, as bits of a set, each once. 0: none, or others do. */
static unsigned letters_of(const char *letters, size_t length, const char *known)
{
	unsigned set = 0;

	for (size_t i = 0; i < length; i++) {
		const char *at = strchr(known, letters[i]);
		const unsigned bit = at ? 1u << (at - known) : 0;

		if (bit == 0 || (set & bit))
			return 0;
		set |= bit;
	}
	return set;
}

/* Also after several colons, each letter stands once at most. */
static bool take_letters(const char *letters, size_t length, bool raw, struct event_ask *ask)
{
	bool *const flags[] = { &ask->user, &ask->kernel, &ask->parts.edge, &ask->parts.invert };
	const unsigned set = letters_of(letters, length, raw ? "ukei" : "uk");

	for (size_t i = 0; i < N(flags); i++) {
		if (*flags[i] && (set >> i & 1))
			return false;
		*flags[i] |= set >> i & 1;
	}
	return set;
}

/* A number begins with a digit, because a, e and i may be letters or digits. */
static bool take_mask(const char *text, size_t length, struct event_parts *parts)
{
	const char *end = text;
	uint64_t mask;

	if (parts->has_mask)
		return false;
	parts->has_mask = true;
	if (!digit_is_decimal(text[0])) {
		/* The states of a cache line are bits of it. No event has a blank. */
		parts->mask = (uint8_t)letters_of(text, length, "isem a");
		return parts->mask;
	}
	digits_take(&end, 16, &mask);
	parts->mask = (uint8_t)mask;
	return length <= 2 && end == text + length;
}

static bool take_count(const char *digits, size_t length, struct event_parts *parts)
{
	const char *end = digits;
	uint64_t count;

	if (!digits_take(&end, 10, &count))
		return false;
	parts->count = (uint8_t)count;
	return end == digits + length && length <= COUNT_DIGITS_MAX && count <= UINT8_MAX;
}

/* One part of a raw event. *counted: c= was there. */
static bool take_raw_part(const char *part, size_t length, bool *counted, struct event_ask *ask)
{
	if (length > 2 && after(part, "c=")) {
		const bool again = *counted;

		*counted = true;
		return !again && take_count(part + 2, length - 2, &ask->parts);
	}
	if (length > 3 && after(part, "um="))
		return take_mask(part + 3, length - 3, &ask->parts);
	return take_letters(part, length, true, ask);
}

/* All parts, each after a colon. Only raw events have more than the letters u and k. */
static int parse_parts(const char *p, bool raw, struct event_ask *ask, struct reason_text *reason)
{
	bool counted = false;

	while (*p == ':') {
		const char *part = p + 1;
		const size_t length = strcspn(part, ":");

		if (!(raw ? take_raw_part(part, length, &counted, ask) :
			    take_letters(part, length, false, ask)))
			return refuse(ask,
				      raw ? "after each colon stands u, k, e, i, c=0 to c=255, "
					    "um=0f or um=mesia, each once" :
					    "after a colon stands u or k, each once; e, i, c= and "
					    "um= are for raw events such as r01c0",
				      reason);
		p = part + length;
	}
	return *p ? refuse(ask, "a colon was expected before its parts", reason) : 0;
}

/* Sources */

static int parse_raw(size_t digits, struct event_ask *ask, struct reason_text *reason)
{
	const char *parts = ask->text + 1;

	if (digits > HEX_MAX)
		return refuse(ask, "the code of a raw event has at most 16 hex digits", reason);
	ask->source = EVENT_RAW;
	digits_take(&parts, 16, &ask->number);
	return parse_parts(parts, true, ask, reason);
}

static int parse_word(const char *digits, struct event_ask *ask, struct reason_text *reason)
{
	const size_t length = hex_length(digits);
	uint64_t word;

	if (length == 0 || length > HEX_MAX || digits[length])
		return refuse(ask,
			      "a function word is 0x and up to 8 hex digits, without parts: "
			      "its bits say all, as in 0x4300c0",
			      reason);
	digits_take(&digits, 16, &word);
	if (event_word_decode(word, ask))
		return refuse(
			ask,
			"a function word has the bits 0x400000 (enable) and 0x010000 (user) or "
			"0x020000 (kernel), and none outside of 0xffc7ffff",
			reason);
	return 0;
}

/* By perf_event_open(2), a breakpoint on execution has the length of a long. */
static bool set_length(unsigned asked, struct event_ask *ask)
{
	const bool executes = ask->access == EVENT_EXECUTE;

	ask->length = asked ? asked : executes ? (unsigned)sizeof(long) : DEFAULT_LENGTH;
	return !executes || ask->length == sizeof(long);
}

static int parse_breakpoint(const char *address, struct event_ask *ask, struct reason_text *reason)
{
	const char *p = after(address, "0x");
	const size_t digits = p ? hex_length(p) : 0;
	unsigned asked = 0;

	if (digits == 0 || digits > HEX_MAX)
		return refuse(ask, "after mem: an address was expected, such as 0x12ab", reason);
	ask->source = EVENT_BREAKPOINT;
	digits_take(&p, 16, &ask->number);
	if (*p == '/') {
		if (!is_of(p[1], "1248"))
			return refuse(ask, "after the slash a length was expected: 1, 2, 4 or 8",
				      reason);
		asked = (unsigned)(p[1] - '0');
		p += 2;
	}
	if (p[0] == ':' && is_of(p[1], "rwx")) {
		const size_t length = strcspn(p + 1, ":");

		ask->access = letters_of(p + 1, length, "rwx");
		/* The kernel takes execution alone. */
		if (!ask->access || ask->access > EVENT_EXECUTE)
			return refuse(ask, "the access is r, w, rw or x", reason);
		p += 1 + length;
	} else {
		ask->access = EVENT_READ | EVENT_WRITE;
	}
	if (!set_length(asked, ask))
		return refuse(ask,
			      "a breakpoint on execution has the length of a long: leave it out",
			      reason);
	return parse_parts(p, false, ask, reason);
}

static bool are_terms(const char *terms, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!event_name_letter(terms[i]) && !is_of(terms[i], "=,"))
			return false;
	return length > 0;
}

static int parse_pmu(const char *slash, struct event_ask *ask, struct reason_text *reason)
{
	const size_t name = (size_t)(slash - ask->text), terms = strcspn(slash + 1, "/");
	const char *p = slash + 1 + terms;
	size_t letters;

	if (!event_name_is_plain(ask->text, name))
		return refuse(ask,
			      "before the slash the name of a PMU was expected: letters, digits, "
			      "_, - and .",
			      reason);
	if (*p != '/' || !are_terms(slash + 1, terms))
		return refuse(ask,
			      "after the name of a PMU was expected /EVENT/ or "
			      "/TERM=NUMBER,.../",
			      reason);
	ask->source = EVENT_PMU;
	memcpy(ask->pmu, ask->text, name);
	memcpy(ask->terms, slash + 1, terms);
	letters = strcspn(++p, ":");
	if (letters && !take_letters(p, letters, false, ask))
		return refuse(ask, "after the second slash stands u or k, each once", reason);
	return parse_parts(p + letters, false, ask, reason);
}

/* libpfm4 has colons of its own. So only letters at the end are taken off. */
static int parse_other(struct event_ask *ask, struct reason_text *reason)
{
	char *colon;

	ask->source = EVENT_OTHER;
	memcpy(ask->rest, ask->text, sizeof ask->rest);
	while ((colon = strrchr(ask->rest, ':')) && colon[1]) {
		const size_t length = strlen(colon + 1);

		if (strspn(colon + 1, "uk") < length)
			break;
		if (!take_letters(colon + 1, length, false, ask))
			return refuse(ask, "u and k stand there once at most", reason);
		*colon = 0;
	}
	if (!event_name_letter(ask->rest[0]))
		return refuse(ask, "the name of an event begins with a letter or a digit", reason);
	return 0;
}

static int parse(struct event_ask *ask, struct reason_text *reason)
{
	const char *text = ask->text, *p = after(text, "mem:");
	const size_t length = strcspn(text, ":");
	struct event_name name;

	if (p)
		return parse_breakpoint(p, ask, reason);
	p = strchr(text, '/');
	if (p)
		return parse_pmu(p, ask, reason);
	if (strchr(text, ','))
		return refuse(ask, "an event was expected after the comma", reason);
	p = after(text, "0x");
	if (p)
		return parse_word(p, ask, reason);
	if (text[0] == 'r' && length > 1 && 1 + hex_length(text + 1) == length)
		return parse_raw(length - 1, ask, reason);
	if (event_name_find(text, length, &name)) {
		ask->source = name.source;
		ask->number = name.number;
		return parse_parts(text + length, false, ask, reason);
	}
	return parse_other(ask, reason);
}

int event_parse(const char *text, size_t length, struct event_ask *ask, struct reason_text *reason)
{
	size_t plain = 0; /* characters that may stand in an event and in a message */

	while (plain < length && text[plain] > ' ' && text[plain] < 0x7f)
		plain++;
	reason_clear(reason);
	*ask = (struct event_ask){ .source = EVENT_OTHER };
	if (length == 0)
		return reason_say(
			reason, EINVAL,
			"an event is empty: expected a name such as instructions, r01c0:u or "
			"msr/tsc/");
	memcpy(ask->text, text, plain < EVENT_TEXT ? plain : EVENT_TEXT - 1);
	if (plain < length)
		return reason_say(reason, EINVAL,
				  "an event has the character 0x%02x after \"%s\", expected were "
				  "printable ones of ASCII and no blanks",
				  (unsigned char)text[plain], ask->text);
	if (length >= EVENT_TEXT)
		return reason_say(reason, EINVAL,
				  "%.40s...: %zu characters, expected were at most %d", ask->text,
				  length, EVENT_TEXT - 1);
	return parse(ask, reason);
}

const char *event_next(const char **list, size_t *length)
{
	const char *event = *list, *p = event;
	/* The slash of a breakpoint stands alone, before its length. */
	const bool has_terms = !after(event, "mem:");
	bool inside = false;

	if (!*event)
		return NULL;
	for (; *p && (*p != ',' || inside); p++)
		if (*p == '/' && has_terms)
			inside = !inside;
	if (*p && !p[1])
		p++;
	*length = (size_t)(p - event);
	*list = p + (*p == ',');
	return event;
}
