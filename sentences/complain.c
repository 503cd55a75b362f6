/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "complain.h"
#include "counter.h"
#include "decimal.h"
#include "letters.h"
#include "rate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a path, and of a line of a user's file, that a message shows. */
#define PATH_SHOWN 256
#define LINE_SHOWN 64

/* Room for the names of all counters. */
#define NAMES_SIZE 512

#define SHOWN_SIZE (LINE_SHOWN + sizeof "...")

/* Copy what is shown of a text of this length. Also the bytes of letters that are not ASCII become
 * '?', because some terminals obey them. */
static void quote(const char *text, size_t length, char shown[SHOWN_SIZE])
{
	size_t n = 0;

	for (; n < length && n < LINE_SHOWN; n++)
		shown[n] = text[n] >= ' ' && text[n] <= '~' ? text[n] : '?';
	strcpy(shown + n, n < length ? "..." : "");
}

static void not_a_number(const char *text, const char *before, const char *after,
			 char sentence[COMPLAIN_SIZE])
{
	char shown[SHOWN_SIZE];

	quote(text, strcspn(text, "\r\n"), shown);
	snprintf(sentence, COMPLAIN_SIZE,
		 "%s%s%s not a number of cycles per second from %" PRIu64 " to %" PRIu64
		 ", such as 3500000000",
		 before, shown, after, RATE_SANE_MIN_HZ, RATE_SANE_MAX_HZ);
}

void complain_of_file(const char *path, const struct persecond_file *file, const char *text,
		      char sentence[COMPLAIN_SIZE])
{
	static const char *const words[] = {
		[FLAW_NOT_A_TEXT] = "a null byte in it: no text",
		[FLAW_NOT_A_FILE] = "not a regular file",
		[FLAW_UNREADABLE] = "cannot be read: ",
		[FLAW_ELSEWHERE] = "on a file system that the library does not read from",
		[FLAW_DANGLING] = "a symbolic link to a file that does not exist",
	};
	const int shown = letters_within(path, PATH_SHOWN);
	char before[PATH_SHOWN + sizeof ":1: \""];

	sentence[0] = 0;
	if (file->flaw == FLAW_NONE)
		return;
	if (file->flaw == FLAW_NOT_A_NUMBER) {
		snprintf(before, sizeof before, "%.*s:1: \"", shown, path);
		not_a_number(text, before, "\" is", sentence);
		return;
	}
	snprintf(sentence, COMPLAIN_SIZE, "%.*s: %s%s", shown, path, words[file->flaw],
		 file->flaw != FLAW_UNREADABLE ? "" :
		 file->error                   ? strerror(-file->error) :
						 "looking at it faults");
}

/* The names of the list's counters, each with a comma before it. */
static void list_counters(char names[NAMES_SIZE])
{
	static const char list[] =
#define COUNTER(symbol) ", " #symbol
#include "counters.inc"
#undef COUNTER
		;

	_Static_assert(sizeof list <= NAMES_SIZE, "raise NAMES_SIZE");
	strcpy(names, list);
	for (char *p = names; *p; p++)
		*p = *p == '_' ? '-' : *p;
}

/* Whether the list has the name, in which neither a comma nor a blank stands. */
static bool is_listed(const char *names, const char *name)
{
	const size_t length = strlen(name);

	if (strcspn(name, ", ") < length)
		return false;
	for (const char *p = names; (p = strstr(p, ", ")); p += 2)
		if (strcspn(p + 2, ",") == length && !strncmp(p + 2, name, length))
			return true;
	return false;
}

void complain_of_counter(const char *value, char sentence[COMPLAIN_SIZE])
{
	char shown[SHOWN_SIZE], names[NAMES_SIZE];
	enum counter_class class;

	sentence[0] = 0;
	list_counters(names);
	if (!value || !*value || is_listed(names, value) || counter_class_find(value, &class))
		return;
	quote(value, strlen(value), shown);
	snprintf(sentence, COMPLAIN_SIZE,
		 "CPUCYCLES_COUNTER=%s: no such counter in this library, and no such class; the"
		 " classes are %s, %s, %s and %s, the counters %s: see cpucycles-environment(7)",
		 shown, counter_class_name(COUNTER_ON_CORE),
		 counter_class_name(COUNTER_KERNEL_COUNT), counter_class_name(COUNTER_OFF_CORE),
		 counter_class_name(COUNTER_OS_CLOCK), names + 2);
}

void complain_of_persecond(const char *value, char sentence[COMPLAIN_SIZE])
{
	uint64_t hz;

	sentence[0] = 0;
	if (value && *value && (!decimal_hertz(value, &hz) || !rate_is_sane(hz)))
		not_a_number(value, "cpucyclespersecond=", ":", sentence);
}

void complain_of_environment(void (*say)(const char *sentence))
{
	char sentence[COMPLAIN_SIZE];

	complain_of_counter(getenv("CPUCYCLES_COUNTER"), sentence);
	if (sentence[0])
		say(sentence);
	complain_of_persecond(getenv("cpucyclespersecond"), sentence);
	if (sentence[0])
		say(sentence);
}
