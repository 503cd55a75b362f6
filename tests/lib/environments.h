/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Environments that fault when they are looked at, as one may that another thread is changing. Each
 * names a counter before the place that faults. */

#ifndef CPUCYCLES_ENVIRONMENTS_H
#define CPUCYCLES_ENVIRONMENTS_H

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

extern char **environ;

static char environments_counter[] = "CPUCYCLES_COUNTER=default-gettimeofday";
static char environments_cache[] = "CPUCYCLES_CACHE=none";

/* The end of a page behind which nothing is mapped. */
static char *environments_edge(void)
{
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *pages =
		mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED || mprotect(pages + size, size, PROT_NONE))
		_exit(1);
	return pages + size;
}

/* This entry, between good ones. */
static void environments_set(char *entry)
{
	static char last[] = "cpucyclespersecond=1000000000";
	static char *entries[4];

	entries[0] = environments_counter;
	entries[1] = entry;
	entries[2] = last;
	environ = entries;
}

static void environments_set_address(uintptr_t address)
{
	char *entry;

	memcpy(&entry, &address, sizeof entry);
	environments_set(entry);
}

static void environments_set_without_end(const char *text)
{
	const size_t length = strlen(text);

	environments_set(memcpy(environments_edge() - length, text, length));
}

static void environments_nowhere(void)
{
	environ = (char **)(void *)environments_edge();
}

/* An address that no process can have, such as a number in freed memory. */
#define ENVIRONMENTS_IMPOSSIBLE (UINTPTR_MAX / 15 * 9 - 1) /* 0x9...98 */

static void environments_impossible(void)
{
	const uintptr_t address = ENVIRONMENTS_IMPOSSIBLE;

	memcpy(&environ, &address, sizeof environ);
}

static void environments_array_without_end(void)
{
	char **entries = (char **)(void *)environments_edge() - 1;

	entries[0] = environments_counter;
	environ = entries;
}

static void environments_entry_unmapped(void)
{
	environments_set(environments_edge());
}

static void environments_entry_small(void)
{
	environments_set_address(3);
}

static void environments_entry_impossible(void)
{
	environments_set_address(ENVIRONMENTS_IMPOSSIBLE);
}

static void environments_value_without_end(void)
{
	environments_set_without_end(environments_cache);
}

static void environments_name_without_end(void)
{
	environments_set_without_end("CPUCYCLES_CA");
}

static void environments_letter_without_end(void)
{
	environments_set_without_end("C");
}

static const struct {
	const char *name;
	void (*set)(void);
} environments[] = {
	{ "environ is not mapped", environments_nowhere },
	{ "environ is at an impossible address", environments_impossible },
	{ "an array without an end", environments_array_without_end },
	{ "an entry that is not mapped", environments_entry_unmapped },
	{ "an entry at a small address", environments_entry_small },
	{ "an entry at an impossible address", environments_entry_impossible },
	{ "a value without an end", environments_value_without_end },
	{ "a name without an end", environments_name_without_end },
	{ "a letter without an end", environments_letter_without_end },
};

#define ENVIRONMENTS (sizeof environments / sizeof environments[0])

#endif
