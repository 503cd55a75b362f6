/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "pairs.h"
#include "map.h"
#include "mistake.h"
#include "reason.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* What a function's file may have for it. */
static const char *const endings[] = { "_setup", "_before" };

#define ENDINGS (sizeof endings / sizeof endings[0])

/* The newer names of Rust, and the names that gfortran and flang give to procedures of modules. */
static bool has_scope(const char *name)
{
	return !strncmp(name, "_R", 2) || !strncmp(name, "_QM", 3) ||
	       (!strncmp(name, "__", 2) && strstr(name, "_MOD_"));
}

bool pairs_may_have_parameters(const char *name)
{
	const char *at = name + 2;
	size_t length = 0;

	if (strncmp(name, "_Z", 2))
		return has_scope(name);
	for (; *at >= '0' && *at <= '9' && length < strlen(name); at++)
		length = length * 10 + (size_t)(*at - '0');
	return length == 0 || strlen(at) != length + 1 || at[length] != 'v';
}

static bool fits(const char *name, const char *const patterns[], size_t patterns_count)
{
	if (patterns_count == 0)
		return !pairs_may_have_parameters(name);
	for (size_t i = 0; i < patterns_count; i++)
		if (!fnmatch(patterns[i], name, 0))
			return true;
	return false;
}

/* name@@VERSION is what a linker takes for name. name@VERSION is for programs of former times. */
static void see(const struct symbol *symbol, void *names)
{
	const char *version = strchr(symbol->name, '@');

	if (!symbol->exported || !symbol->code || !strcmp(symbol->name, "main"))
		return;
	if (!version)
		words_add(names, symbol->name);
	else if (version[1] == '@')
		words_take(names, strndup(symbol->name, (size_t)(version - symbol->name)));
}

/* A name without its ending. */
struct stem {
	const char *name;
	size_t length;
};

static int by_stem(const void *a, const void *b)
{
	const struct stem *stem = a;
	const char *const name = *(char *const *)b;
	const int order = strncmp(stem->name, name, stem->length);

	return order ? order : -(name[stem->length] != 0);
}

/* Whether the name is one of these functions with an ending. */
static bool serves(const struct words *names, const char *name)
{
	const size_t length = strlen(name);

	for (size_t j = 0; j < ENDINGS && names->n > 0; j++) {
		const size_t ending = strlen(endings[j]);
		const struct stem stem = { name, length > ending ? length - ending : 0 };

		if (stem.length && !strcmp(name + stem.length, endings[j]) &&
		    bsearch(&stem, names->list, names->n, sizeof *names->list, by_stem))
			return true;
	}
	return false;
}

/* The functions of file number i that are wanted, each into its list. */
static void take(const struct words names[2], size_t i, const char *const patterns[],
		 size_t patterns_count, struct pairs *pairs)
{
	for (size_t k = 0; k < names[i].n; k++) {
		const char *const name = names[i].list[k];

		if (serves(&names[i], name) || !fits(name, patterns, patterns_count))
			continue;
		if (!words_find(&names[1 - i], name))
			words_add(&pairs->alone[i], name);
		else if (i == 0)
			words_add(&pairs->both, name);
	}
}

void pairs_free(struct pairs *pairs)
{
	words_free(&pairs->both);
	words_free(&pairs->alone[0]);
	words_free(&pairs->alone[1]);
}

int pairs_find(const struct symbols_file files[2], const char *const patterns[],
	       size_t patterns_count, struct pairs *pairs)
{
	struct words names[2] = { { 0 } };
	bool failed = false;

	*pairs = (struct pairs){ 0 };
	for (size_t i = 0; i < 2; i++) {
		symbols_each(&files[i], see, &names[i]);
		words_sort(&names[i]);
	}
	for (size_t i = 0; i < 2; i++) {
		take(names, i, patterns, patterns_count, pairs);
		failed = failed || names[i].failed || pairs->alone[i].failed;
	}
	words_free(&names[0]);
	words_free(&names[1]);
	if (!failed && !pairs->both.failed)
		return 0;
	pairs_free(pairs);
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
	return symbols_is_thin(file) ? "it is a thin archive, whose functions are not in it" : NULL;
}

static int map_listed(const char *path, struct symbols_file *file, struct reason_text *reason)
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
		return symbols_wait_for_lto(file) ? mistake_of_lto("it", "", reason) : 0;
	reason_say(reason, 0, "%s", why);
	reason_remedy(reason, "%s", remedy);
	return -EINVAL;
}

int pairs_read(char *const paths[2], const char *const patterns[], size_t patterns_count,
	       struct pairs *pairs, size_t *which, struct reason_text *reason)
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
		if (error)
			reason_say(reason, -error, "%s", strerror(-error));
	}
	map_end(&files[0]);
	map_end(&files[1]);
	return error;
}
