/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the text of an event asks for. Pure: whether this machine has such an event is not known
 * here. */

#ifndef CPUCYCLES_EVENT_NAME_H
#define CPUCYCLES_EVENT_NAME_H

#include "digits.h"
#include "reason.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A longer text is refused. */
#define EVENT_TEXT 128

/* Kinds of core in one machine. An event has a code for each. */
#define EVENT_KINDS_MAX 8

/* Whether a name of a PMU, of an event or of a term may have this letter. Not by the functions of
 * ctype.h, because the locale does not matter. */
static inline bool event_name_letter(char c)
{
	const char lower = (char)(c | 0x20);

	return digit_is_decimal(c) || (lower >= 'a' && lower <= 'z') || c == '_' || c == '-' ||
	       c == '.';
}

/* Whether these are a name that stays in its folder, and that people can write as part of an
 * event. */
static inline bool event_name_is_plain(const char *name, size_t length)
{
	if (length == 0 || length >= EVENT_TEXT || name[0] == '.')
		return false;
	for (size_t i = 0; i < length; i++)
		if (!event_name_letter(name[i]) || (name[i] == '.' && name[i + 1] == '.'))
			return false;
	return true;
}

/* Who knows the event. */
enum event_source {
	EVENT_HARDWARE,   /* a generic event of the kernel for each PMU of cores: number */
	EVENT_CACHE,      /* a generic event of the kernel on caches: number */
	EVENT_SOFTWARE,   /* an event that the kernel itself counts: number */
	EVENT_BREAKPOINT, /* uses of an address: number, length, access */
	EVENT_PMU,        /* PMU/EVENT/ or PMU/TERM=VALUE,.../: pmu, terms */
	EVENT_RAW,        /* a code of the CPU's manual, r01c0: number, parts */
	EVENT_WORD,       /* a function word of pctr(4), 0x4300c0: number is its code, parts */
	EVENT_OTHER       /* another name, which only libpfm4 may know: rest */
};

/* Access to the address of a breakpoint, as bits of a set. */
enum { EVENT_READ = 1, EVENT_WRITE = 2, EVENT_EXECUTE = 4 };

/* What pctr(4) lets people say in addition to the code of an event. */
struct event_parts {
	bool has_mask, edge, invert;
	uint8_t mask;  /* the unit mask */
	uint8_t count; /* the counter mask: as many per cycle at least; 0: any */
};

struct event_ask {
	char text[EVENT_TEXT]; /* as it was asked for */
	enum event_source source;
	bool user, kernel; /* the letters u and k; neither: nothing was said */
	uint64_t number;
	struct event_parts parts;
	unsigned length, access; /* of a breakpoint, in bytes */
	char pmu[EVENT_TEXT];    /* the name of a PMU in sysfs */
	char terms[EVENT_TEXT];  /* between the slashes */
	char rest[EVENT_TEXT];   /* the name without the letters u and k */
};

/* The next event of a list with commas; commas between slashes belong to an event. *length: of its
 * text. *list moves after it. NULL: there is none left. An event that is missing before a comma is
 * an empty text. A comma at the end of the list, with nothing after it, belongs to the last event.
 * So event_parse() refuses both. */
const char *event_next(const char **list, size_t *length);

/* 0; -EINVAL: it is no event, and *reason says what was expected where. Then *ask is of no use. */
int event_parse(const char *text, size_t length, struct event_ask *ask, struct reason_text *reason);

/* The names of the kernel's own events, for lists: number i, from 0. False: there are no more. The
 * name has no letters after it. */
struct event_name {
	char name[32];
	char what[80]; /* what the event counts */
	enum event_source source;
	uint64_t number;
};
bool event_name_at(size_t i, struct event_name *name);

/* The event of this name, or of another one that perf-list(1) gives for it. False: there is none.
 */
bool event_name_find(const char *text, size_t length, struct event_name *name);

#endif
