/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 *     PROGRAM EVENTS [LOOK...]
 *
 * prints what the file of a system makes of the events, and of the looks if there are any.
 */

#include "config.h"

#include "driver.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char **looks;
struct event events[EVENTS_MAX + 1];
const struct event *members[EVENTS_MAX + 1];
struct reason_text reason;

static union {
	char bytes[4096];
	long long aligned;
} memory[2];

struct event_group *group(unsigned i)
{
	return (struct event_group *)&memory[i];
}

void print_result(const char *what, int error)
{
	if (error)
		printf("%s: %s: %s (%s)\n", what, strerror(-error), reason.what, reason.remedy);
	else
		printf("%s\n", what);
}

int fails(const char *key)
{
	const char *text = getenv("fail");
	const size_t length = strlen(key);

	errno = text && !strncmp(text, key, length) && text[length] == ':' ?
			atoi(text + length + 1) :
			0;
	return errno ? -1 : 0;
}

int made_open(const char *path, int flags, ...)
{
	va_list list;

	printf("open %s%s%s%s%s", path, (flags & O_ACCMODE) == O_RDWR ? " rw" : "",
	       flags & O_CREAT ? " create" : "", flags & O_CLOEXEC ? " cloexec" : "",
	       flags & O_NOFOLLOW ? " nofollow" : "");
	if (flags & O_CREAT) {
		va_start(list, flags);
		printf(" %o", va_arg(list, unsigned));
		va_end(list);
	}
	puts("");
	return fails("open") ? -1 : 5;
}

int made_close(int fd)
{
	printf("close %d\n", fd);
	return 0;
}

/* How many could be resolved. */
static size_t resolve(const char *list)
{
	size_t n = 0, length;
	const char *text;

	while ((text = event_next(&list, &length))) {
		struct event *event = &events[n];
		int error = event_parse(text, length, &event->ask, &reason);

		if (!error)
			error = event_resolve(event, &reason);
		if (error) {
			print_result("refused", error);
			continue;
		}
		printf("%s: %u %08llx%s%s%s\n", event->ask.text, (unsigned)event->codes[0].type,
		       (unsigned long long)event->codes[0].config[0], event->user ? " user" : "",
		       event->kernel ? " kernel" : "", event->by_default ? " by default" : "");
		members[n++] = event;
	}
	return n;
}

int open_group(unsigned i, size_t n)
{
	size_t which = 99;
	const int error = event_group_open(group(i), members, n, &which, &reason);

	if (error) {
		printf("event %zu: ", which);
		print_result("not open", error);
	}
	return error;
}

static void read_group(size_t n)
{
	uint64_t counts[EVENTS_MAX + 1] = { 0 };
	char **const next_look = looks + 1;
	const int error = event_group_read(group(0), counts);

	printf("read: %s", strerror(-error));
	for (size_t i = 0; !error && i < n; i++)
		printf(" %llu", (unsigned long long)counts[i]);
	puts("");
	looks = next_look; /* a group that has lost its counts need not look */
}

void read_and_close(size_t n)
{
	while (*looks && (looks[1] || !getenv("lost")))
		read_group(n);
	if (getenv("lost"))
		printf("lost: %s\n", strerror(-event_group_lost(group(0))));
	event_group_close(group(0));
	event_group_close(group(0)); /* does nothing */
}

int main(int count, char **arguments)
{
	size_t n;

	if (count < 2 || event_group_bytes() > sizeof memory[0])
		return 2;
	n = resolve(arguments[1]);
	looks = arguments + 2;
	if (*looks)
		drive(n);
	return 0;
}
