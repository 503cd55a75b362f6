/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Sources: perf_event_open(2) for the numbers of the kernel's own events, for those on caches and
 * for breakpoints; perf-list(1) for their names and for mem:, PMU/TERMS/ and r01c0; pctr(4) and
 * pctr(1) of OpenBSD for the parts of a raw event and the letters of its unit mask.
 */

#include "config.h"

#include "name.h"
#include "word.h"
#include "reason.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HEX_MAX 16 /* digits of 64 bits */
#define COUNT_DIGITS_MAX 3
#define DEFAULT_LENGTH 4 /* of the data that a breakpoint watches, as perf-list(1) says */

#define N(array) (sizeof(array) / sizeof(array)[0])

/* The kernel's own events */

static const struct {
	const char *name, *alias, *what;
	enum event_source source;
	unsigned number;
} kernel_events[] = {
	{ "cpu-cycles", "cycles", "cycles of the core at its present frequency", EVENT_HARDWARE,
	  0 },
	{ "instructions", NULL, "instructions that were retired", EVENT_HARDWARE, 1 },
	{ "cache-references", NULL, "accesses to the cache, usually to its last level",
	  EVENT_HARDWARE, 2 },
	{ "cache-misses", NULL, "accesses that missed the cache, usually its last level",
	  EVENT_HARDWARE, 3 },
	{ "branches", "branch-instructions", "branches that were retired", EVENT_HARDWARE, 4 },
	{ "branch-misses", NULL, "branches that were predicted wrongly", EVENT_HARDWARE, 5 },
	{ "bus-cycles", NULL, "cycles of a bus, which has a frequency of its own", EVENT_HARDWARE,
	  6 },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", "cycles without a new instruction",
	  EVENT_HARDWARE, 7 },
	{ "stalled-cycles-backend", "idle-cycles-backend", "cycles without a result",
	  EVENT_HARDWARE, 8 },
	{ "ref-cycles", NULL, "cycles of a fixed frequency while the core runs", EVENT_HARDWARE,
	  9 },
	{ "cpu-clock", NULL, "ns by a clock of the CPU", EVENT_SOFTWARE, 0 },
	{ "task-clock", NULL, "ns that the thread has run", EVENT_SOFTWARE, 1 },
	{ "page-faults", "faults", "page faults", EVENT_SOFTWARE, 2 },
	{ "context-switches", "cs", "switches to another thread", EVENT_SOFTWARE, 3 },
	{ "cpu-migrations", "migrations", "moves of the thread to another CPU", EVENT_SOFTWARE, 4 },
	{ "minor-faults", NULL, "page faults without reading from a disk", EVENT_SOFTWARE, 5 },
	{ "major-faults", NULL, "page faults that read from a disk", EVENT_SOFTWARE, 6 },
	{ "alignment-faults", NULL, "unaligned accesses that the kernel had to make",
	  EVENT_SOFTWARE, 7 },
	{ "emulation-faults", NULL, "instructions that the kernel had to emulate", EVENT_SOFTWARE,
	  8 },
};

/* In the order of their numbers. perf has no names for what a cache is not used for. */
static const struct {
	const char *name, *what;
	bool stores, prefetches;
} caches[] = {
	{ "L1-dcache", "first-level data cache", true, true },
	{ "L1-icache", "first-level instruction cache", false, true },
	{ "LLC", "last-level cache", true, true },
	{ "dTLB", "TLB of data", true, true },
	{ "iTLB", "TLB of instructions", false, false },
	{ "branch", "branch predictor", false, false },
	{ "node", "memory of this NUMA node", true, true },
};

/* Number i is operation i / 2 with result i % 2. */
static const struct {
	const char *name, *what;
} uses[] = {
	{ "loads", "loads" },           { "load-misses", "loads that missed" },
	{ "stores", "stores" },         { "store-misses", "stores that missed" },
	{ "prefetches", "prefetches" }, { "prefetch-misses", "prefetches that missed" },
};

static bool has_use(size_t cache, size_t use)
{
	return use < 2 || (use < 4 ? caches[cache].stores : caches[cache].prefetches);
}

static void give_cache_event(size_t cache, size_t use, struct event_name *name)
{
	*name = (struct event_name){
		.source = EVENT_CACHE,
		.number = cache | use / 2 << 8 | use % 2 << 16,
	};
	snprintf(name->name, sizeof name->name, "%s-%s", caches[cache].name, uses[use].name);
	snprintf(name->what, sizeof name->what, "%s: %s", caches[cache].what, uses[use].what);
}

static bool cache_event_at(size_t i, struct event_name *name)
{
	for (size_t cache = 0; cache < N(caches); cache++) {
		for (size_t use = 0; use < N(uses); use++) {
			if (!has_use(cache, use) || i-- > 0)
				continue;
			give_cache_event(cache, use, name);
			return true;
		}
	}
	return false;
}

bool event_name_at(size_t i, struct event_name *name)
{
	const char *alias;

	if (i >= N(kernel_events))
		return cache_event_at(i - N(kernel_events), name);
	alias = kernel_events[i].alias;
	*name = (struct event_name){
		.source = kernel_events[i].source,
		.number = kernel_events[i].number,
	};
	snprintf(name->name, sizeof name->name, "%s", kernel_events[i].name);
	snprintf(name->what, sizeof name->what, "%s%s%s%s", kernel_events[i].what,
		 alias ? " (also: " : "", alias ? alias : "", alias ? ")" : "");
	return true;
}

/* Text */

static bool is_of(char c, const char *set)
{
	return c && strchr(set, c);
}

static bool is_exactly(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && !memcmp(text, word, length);
}

/* Not by the functions of ctype.h, because the locale does not matter. */
static bool is_of_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       is_of(c, "_-.");
}

static const char *behind(const char *text, const char *start)
{
	const size_t length = strlen(start);

	return strncmp(text, start, length) == 0 ? text + length : NULL;
}

static bool is_hex(char c)
{
	return is_of(c, "0123456789abcdefABCDEF");
}

static size_t hex_length(const char *text)
{
	size_t length = 0;

	while (is_hex(text[length]))
		length++;
	return length;
}

/* So many digits, which are at most HEX_MAX. */
static uint64_t hex_of(const char *digits, size_t length)
{
	uint64_t value = 0;

	for (size_t i = 0; i < length; i++) {
		const char c = digits[i];
		const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;

		value = value << 4 | (unsigned)digit;
	}
	return value;
}

static int refuse(const struct event_ask *ask, const char *expected,
		  struct cpucycles_reason *reason)
{
	reason_say(reason, EINVAL, "%.40s: %s", ask->text, expected);
	return -EINVAL;
}

/* Parts */

/* Each letter at most once. */
static bool take_letters(const char *letters, size_t length, bool raw, struct event_ask *ask)
{
	bool *const flags[] = { &ask->user, &ask->kernel, &ask->parts.edge, &ask->parts.invert };
	static const char known[] = "ukei";

	for (size_t i = 0; i < length; i++) {
		const char *at = strchr(known, letters[i]);
		const size_t flag = at ? (size_t)(at - known) : N(flags);

		if (flag >= (raw ? 4U : 2U) || *flags[flag])
			return false;
		*flags[flag] = true;
	}
	return length > 0;
}

/* The letters of the states of a cache line, which are bits of the unit mask of some events. */
static bool take_states(const char *letters, size_t length, uint8_t *mask)
{
	static const struct {
		char letter;
		uint8_t bit;
	} states[] = {
		{ 'm', 0x08 }, { 'e', 0x04 }, { 's', 0x02 }, { 'i', 0x01 }, { 'a', 0x20 },
	};

	for (size_t i = 0; i < length; i++) {
		uint8_t bit = 0;

		for (size_t k = 0; k < N(states); k++)
			if (states[k].letter == letters[i])
				bit = states[k].bit;
		if (bit == 0 || (*mask & bit))
			return false;
		*mask |= bit;
	}
	return length > 0;
}

/* A number begins with a digit, because a, e and i may be letters or digits. */
static bool take_mask(const char *text, size_t length, struct event_parts *parts)
{
	if (parts->has_mask)
		return false;
	parts->has_mask = true;
	if (length == 0 || !is_of(text[0], "0123456789"))
		return take_states(text, length, &parts->mask);
	if (length > 2 || hex_length(text) < length)
		return false;
	parts->mask = (uint8_t)hex_of(text, length);
	return true;
}

static bool take_count(const char *digits, size_t length, struct event_parts *parts)
{
	unsigned count = 0;

	if (length == 0 || length > COUNT_DIGITS_MAX)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (!is_of(digits[i], "0123456789"))
			return false;
		count = count * 10 + (unsigned)(digits[i] - '0');
	}
	parts->count = (uint8_t)count;
	return count <= UINT8_MAX;
}

/* One part of a raw event. *counted: c= was there. */
static bool take_raw_part(const char *part, size_t length, bool *counted, struct event_ask *ask)
{
	if (length > 2 && behind(part, "c=")) {
		const bool again = *counted;

		*counted = true;
		return !again && take_count(part + 2, length - 2, &ask->parts);
	}
	if (length > 3 && behind(part, "um="))
		return take_mask(part + 3, length - 3, &ask->parts);
	return take_letters(part, length, true, ask);
}

/* All parts, each behind a colon. Only raw events have more than the letters u and k. */
static int parse_parts(const char *p, bool raw, struct event_ask *ask,
		       struct cpucycles_reason *reason)
{
	bool counted = false;

	while (*p == ':') {
		const char *part = p + 1;
		const size_t length = strcspn(part, ":");

		if (!(raw ? take_raw_part(part, length, &counted, ask) :
			    take_letters(part, length, false, ask)))
			return refuse(ask,
				      raw ? "behind each colon stands u, k, e, i, c=0 to c=255, "
					    "um=0f or um=mesia, each once" :
					    "behind a colon stands u or k, each once; e, i, c= and "
					    "um= are for raw events such as r01c0",
				      reason);
		p = part + length;
	}
	return *p ? refuse(ask, "a colon was expected before its parts", reason) : 0;
}

/* Sources */

static int parse_raw(size_t digits, struct event_ask *ask, struct cpucycles_reason *reason)
{
	if (digits > HEX_MAX)
		return refuse(ask, "the code of a raw event has at most 16 hex digits", reason);
	ask->source = EVENT_RAW;
	ask->number = hex_of(ask->text + 1, digits);
	return parse_parts(ask->text + 1 + digits, true, ask, reason);
}

static int parse_word(const char *digits, struct event_ask *ask, struct cpucycles_reason *reason)
{
	const size_t length = hex_length(digits);

	if (length == 0 || length > HEX_MAX || digits[length])
		return refuse(ask,
			      "a function word is 0x and up to 8 hex digits, without parts: "
			      "its bits say all, as in 0x4300c0",
			      reason);
	if (event_word_decode(hex_of(digits, length), ask))
		return refuse(
			ask,
			"a function word has the bits 0x400000 (enable) and 0x010000 (user) or "
			"0x020000 (kernel), and none outside of 0xffc7ffff",
			reason);
	return 0;
}

static bool take_access(const char *letters, size_t length, struct event_ask *ask)
{
	for (size_t i = 0; i < length; i++) {
		const unsigned bit = letters[i] == 'r' ? EVENT_READ :
				     letters[i] == 'w' ? EVENT_WRITE :
				     letters[i] == 'x' ? EVENT_EXECUTE :
							 0;

		if (bit == 0 || (ask->access & bit))
			return false;
		ask->access |= bit;
	}
	/* The kernel takes execution alone. */
	return length > 0 && (ask->access == EVENT_EXECUTE || !(ask->access & EVENT_EXECUTE));
}

/* By perf_event_open(2), a breakpoint on execution has the length of a long. */
static bool set_length(unsigned asked, struct event_ask *ask)
{
	const bool executes = ask->access == EVENT_EXECUTE;

	ask->length = asked ? asked : executes ? (unsigned)sizeof(long) : DEFAULT_LENGTH;
	return !executes || ask->length == sizeof(long);
}

/* At "/LEN", if it is there. False: the length is none. */
static bool take_length(const char **p, unsigned *length)
{
	*length = 0;
	if (**p != '/')
		return true;
	if (!is_of((*p)[1], "1248"))
		return false;
	*length = (unsigned)((*p)[1] - '0');
	*p += 2;
	return true;
}

static int parse_breakpoint(const char *address, struct event_ask *ask,
			    struct cpucycles_reason *reason)
{
	const char *p = behind(address, "0x");
	const size_t digits = p ? hex_length(p) : 0;
	unsigned asked;

	if (digits == 0 || digits > HEX_MAX)
		return refuse(ask, "behind mem: an address was expected, such as 0x12ab", reason);
	ask->source = EVENT_BREAKPOINT;
	ask->number = hex_of(p, digits);
	p += digits;
	if (!take_length(&p, &asked))
		return refuse(ask, "behind the slash a length was expected: 1, 2, 4 or 8", reason);
	if (p[0] == ':' && is_of(p[1], "rwx")) {
		const size_t length = strcspn(p + 1, ":");

		if (!take_access(p + 1, length, ask))
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

/* A name that can stand in a path and stays in its folder. */
static bool is_file_name(const char *name, size_t length)
{
	if (length == 0 || name[0] == '.')
		return false;
	for (size_t i = 0; i < length; i++)
		if (!is_of_word(name[i]) || (name[i] == '.' && name[i + 1] == '.'))
			return false;
	return true;
}

static bool are_terms(const char *terms, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!is_of_word(terms[i]) && !is_of(terms[i], "=,"))
			return false;
	return length > 0;
}

static int parse_pmu(const char *slash, struct event_ask *ask, struct cpucycles_reason *reason)
{
	const size_t name = (size_t)(slash - ask->text), terms = strcspn(slash + 1, "/");
	const char *p = slash + 1 + terms;
	size_t letters;

	if (!is_file_name(ask->text, name))
		return refuse(ask,
			      "before the slash the name of a PMU was expected: letters, digits, "
			      "_, - and .",
			      reason);
	if (*p != '/' || !are_terms(slash + 1, terms))
		return refuse(ask,
			      "behind the name of a PMU was expected /EVENT/ or "
			      "/TERM=NUMBER,.../",
			      reason);
	ask->source = EVENT_PMU;
	memcpy(ask->pmu, ask->text, name);
	memcpy(ask->terms, slash + 1, terms);
	letters = strcspn(++p, ":");
	if (letters && !take_letters(p, letters, false, ask))
		return refuse(ask, "behind the second slash stands u or k, each once", reason);
	return parse_parts(p + letters, false, ask, reason);
}

static bool find_name(const char *text, size_t length, struct event_ask *ask)
{
	struct event_name name;
	bool found = false;

	for (size_t i = 0; !found && event_name_at(i, &name); i++) {
		const char *alias = i < N(kernel_events) ? kernel_events[i].alias : NULL;

		found = is_exactly(text, length, name.name) ||
			(alias && is_exactly(text, length, alias));
	}
	if (found) {
		ask->source = name.source;
		ask->number = name.number;
	}
	return found;
}

/* libpfm4 has colons of its own. So only letters at the end are taken off. */
static int parse_other(struct event_ask *ask, struct cpucycles_reason *reason)
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
	if (!is_of_word(ask->rest[0]))
		return refuse(ask, "the name of an event begins with a letter or a digit", reason);
	return 0;
}

static int parse(struct event_ask *ask, struct cpucycles_reason *reason)
{
	const char *text = ask->text, *p = behind(text, "mem:");
	size_t length = strcspn(text, ":");

	if (p)
		return parse_breakpoint(p, ask, reason);
	p = strchr(text, '/');
	if (p)
		return parse_pmu(p, ask, reason);
	if (strchr(text, ','))
		return refuse(ask, "an event was expected behind the comma", reason);
	p = behind(text, "0x");
	if (p)
		return parse_word(p, ask, reason);
	if (text[0] == 'r' && length > 1 && 1 + hex_length(text + 1) == length)
		return parse_raw(length - 1, ask, reason);
	if (find_name(text, length, ask))
		return parse_parts(text + length, false, ask, reason);
	return parse_other(ask, reason);
}

/* How many characters at the start may stand in an event and in a message. */
static size_t plain_length(const char *text, size_t length)
{
	size_t n = 0;

	while (n < length && text[n] > ' ' && text[n] < 0x7f)
		n++;
	return n;
}

int event_parse(const char *text, size_t length, struct event_ask *ask,
		struct cpucycles_reason *reason)
{
	const size_t plain = plain_length(text, length);

	reason_clear(reason);
	*ask = (struct event_ask){ .source = EVENT_OTHER };
	if (length == 0) {
		reason_say(reason, EINVAL,
			   "an event is empty: expected a name such as instructions, r01c0:u or "
			   "msr/tsc/");
		return -EINVAL;
	}
	memcpy(ask->text, text, plain < EVENT_TEXT ? plain : EVENT_TEXT - 1);
	if (plain < length) {
		reason_say(reason, EINVAL,
			   "an event has the character 0x%02x behind \"%.40s\", expected were "
			   "printable ones of ASCII and no blanks",
			   (unsigned char)text[plain], ask->text);
		return -EINVAL;
	}
	if (length >= EVENT_TEXT) {
		reason_say(reason, EINVAL, "%.40s...: %zu characters, expected were at most %d",
			   ask->text, length, EVENT_TEXT - 1);
		return -EINVAL;
	}
	return parse(ask, reason);
}

const char *event_next(const char **list, size_t *length)
{
	const char *event = *list, *p = event;
	/* The slash of a breakpoint stands alone, before its length. */
	const bool has_terms = !behind(event, "mem:");
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
