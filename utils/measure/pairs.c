/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "pairs.h"
#include "map.h"
#include "reason.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* What a function's file may have for it. */
static const char *const endings[] = { "_setup", "_before" };

#define ENDINGS (sizeof endings / sizeof endings[0])

bool pairs_may_have_parameters(const char *name)
{
	const char *at = name + 2;
	size_t length = 0;

	if (strncmp(name, "_Z", 2))
		return false;
	for (; *at >= '0' && *at <= '9' && length < strlen(name); at++)
		length = length * 10 + (size_t)(*at - '0');
	return length == 0 || strlen(at) != length + 1 || at[length] != 'v';
}

/* A function of one of the files. */
struct entry {
	char *name;
	bool serves; /* another one, whose name it has with one of the endings */
	bool shared; /* the other file has this name, too */
};

struct entries {
	struct entry *list;
	size_t n, room;
	const char *const *patterns;
	size_t patterns_count;
	bool failed; /* memory ran out */
};

static bool fits(const struct entries *entries, const char *name)
{
	if (entries->patterns_count == 0)
		return !pairs_may_have_parameters(name);
	for (size_t i = 0; i < entries->patterns_count; i++)
		if (!fnmatch(entries->patterns[i], name, 0))
			return true;
	return false;
}

static bool has_room(struct entries *entries)
{
	const size_t room = entries->room ? 2 * entries->room : 64;
	struct entry *list;

	if (entries->n < entries->room)
		return true;
	list = realloc(entries->list, room * sizeof *list);
	if (!list)
		return false;
	entries->list = list;
	entries->room = room;
	return true;
}

static void see(const struct symbol *symbol, void *argument)
{
	struct entries *entries = argument;
	char *name;

	if (!symbol->exported || !symbol->code || !strcmp(symbol->name, "main") || entries->failed)
		return;
	name = has_room(entries) ? strdup(symbol->name) : NULL;
	if (name)
		entries->list[entries->n++] = (struct entry){ .name = name };
	else
		entries->failed = true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* In order, and each once. */
static void sort(struct entries *entries)
{
	size_t kept = 0;

	if (entries->n == 0)
		return;
	qsort(entries->list, entries->n, sizeof *entries->list, by_name);
	for (size_t i = 0; i < entries->n; i++)
		if (kept > 0 && !by_name(&entries->list[i], &entries->list[kept - 1]))
			free(entries->list[i].name);
		else
			entries->list[kept++] = entries->list[i];
	entries->n = kept;
}

static bool has(const struct entries *entries, char *name)
{
	const struct entry wanted = { .name = name };

	return entries->n > 0 &&
	       bsearch(&wanted, entries->list, entries->n, sizeof wanted, by_name);
}

/* Whether the name is that of one of these functions with an ending. */
static bool serves(const struct entries *entries, char *name)
{
	const size_t length = strlen(name);
	bool found = false;

	for (size_t i = 0; i < ENDINGS && !found; i++) {
		const size_t ending = strlen(endings[i]);

		if (length <= ending || strcmp(name + length - ending, endings[i]))
			continue;
		name[length - ending] = 0;
		found = has(entries, name);
		name[length - ending] = *endings[i];
	}
	return found;
}

static void compare(struct entries *entries, const struct entries *others)
{
	for (size_t i = 0; i < entries->n; i++) {
		entries->list[i].shared = has(others, entries->list[i].name);
		entries->list[i].serves = serves(entries, entries->list[i].name);
	}
}

/* The names that are wanted, out of the entries. */
static bool take(struct entries *entries, bool shared, struct pairs_names *names)
{
	names->list = calloc(entries->n + 1, sizeof *names->list);
	names->n = 0;
	if (!names->list)
		return false;
	for (size_t i = 0; i < entries->n; i++) {
		struct entry *const entry = &entries->list[i];

		if (entry->shared != shared || entry->serves || !fits(entries, entry->name))
			continue;
		names->list[names->n++] = entry->name;
		entry->name = NULL;
	}
	return true;
}

static void free_names(struct pairs_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->list[i]);
	free(names->list);
}

void pairs_free(struct pairs *pairs)
{
	free_names(&pairs->both);
	free_names(&pairs->alone[0]);
	free_names(&pairs->alone[1]);
}

static void free_entries(struct entries *entries)
{
	for (size_t i = 0; i < entries->n; i++)
		free(entries->list[i].name);
	free(entries->list);
}

int pairs_find(const struct symbols_file files[2], const char *const patterns[],
	       size_t patterns_count, struct pairs *pairs)
{
	struct entries entries[2];
	bool failed = false;

	*pairs = (struct pairs){ 0 };
	for (size_t i = 0; i < 2; i++) {
		entries[i] =
			(struct entries){ .patterns = patterns, .patterns_count = patterns_count };
		symbols_each(&files[i], see, &entries[i]);
		sort(&entries[i]);
		failed = failed || entries[i].failed;
	}
	for (size_t i = 0; i < 2; i++)
		compare(&entries[i], &entries[1 - i]);
	/* Once the names are taken, the entries have none. */
	failed = failed || !take(&entries[0], false, &pairs->alone[0]) ||
		 !take(&entries[1], false, &pairs->alone[1]) ||
		 !take(&entries[0], true, &pairs->both);
	free_entries(&entries[0]);
	free_entries(&entries[1]);
	if (!failed)
		return 0;
	pairs_free(pairs);
	*pairs = (struct pairs){ 0 };
	return -ENOMEM;
}

/* Whether a file, or a member of it, is for another machine. */
static bool is_foreign(const struct symbols_file *file)
{
	struct symbols_file member;
	size_t at = 0;
	unsigned machine;

	if (symbols_kind(file, &machine) == SYMBOLS_FOREIGN)
		return true;
	while (symbols_member(file, &at, &member))
		if (symbols_kind(&member, &machine) == SYMBOLS_FOREIGN)
			return true;
	return false;
}

/* What keeps a file's functions from being listed. NULL: nothing does. */
static const char *why_not(const struct symbols_file *file, const char **remedy)
{
	unsigned machine;
	const enum symbols_kind kind = symbols_kind(file, &machine);

	*remedy = "compile it for the machine that cpucycles-measure is for";
	if (is_foreign(file))
		return "it is for another machine than this program";
	*remedy = "expected an object file or an archive, or FILE:FUNCTION";
	if (kind != SYMBOLS_OBJECT && kind != SYMBOLS_ARCHIVE)
		return "its functions cannot be listed";
	*remedy = "make it again";
	if (symbols_is_cut(file))
		return "it is damaged: it ends too early";
	*remedy = "expected an archive that has its members, or FILE:FUNCTION";
	if (symbols_is_thin(file))
		return "it is a thin archive, whose functions are not in it";
	*remedy = "compile it with -fno-lto";
	return symbols_wait_for_lto(file) ?
		       "it was compiled with -flto, so its code is not made yet" :
		       NULL;
}

static int map_listed(const char *path, struct symbols_file *file, struct cpucycles_reason *reason)
{
	const int error = map_file(path, file);
	const char *why, *remedy;

	reason_clear(reason);
	if (error && error != -ENODATA) {
		reason_say(reason, -error, "%s", map_error(error));
		return error;
	}
	why = why_not(file, &remedy);
	if (!why)
		return 0;
	reason_say(reason, 0, "%s", why);
	reason_remedy(reason, "%s", remedy);
	return -EINVAL;
}

int pairs_read(char *const paths[2], const char *const patterns[], size_t patterns_count,
	       struct pairs *pairs, size_t *which, struct cpucycles_reason *reason)
{
	struct symbols_file files[2] = { { 0 } };
	int error = map_listed(paths[0], &files[0], reason);

	*which = 0;
	if (!error) {
		*which = 1;
		error = map_listed(paths[1], &files[1], reason);
	}
	if (!error) {
		error = pairs_find(files, patterns, patterns_count, pairs);
		reason_say(reason, ENOMEM, "%s", strerror(ENOMEM));
	}
	map_end(&files[0]);
	map_end(&files[1]);
	return error;
}
