/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "pairs.h"
#include "cxx-name.h"
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

static bool fits_any(const char *text, const char *const patterns[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!fnmatch(patterns[i], text, 0))
			return true;
	return false;
}

bool pairs_is_asked_for(const char *name, const char *written, const char *const patterns[],
			size_t patterns_count)
{
	size_t length;
	const bool nothing = cxx_parameters(written, &length) && length == 0;

	for (size_t i = 0; i < patterns_count; i++)
		if ((nothing || strchr(patterns[i], '(')) && cxx_match(written, patterns[i]))
			return true;
	/* A mangled name is asked for by a pattern of mangled names only: "*f" is not one. */
	for (size_t i = 0; i < patterns_count; i++)
		if ((!strcmp(written, name) || !strncmp(patterns[i], "_Z", 2)) &&
		    !fnmatch(patterns[i], name, 0))
			return true;
	return false;
}

/* Whether a name that people write fits, with or without its parameters. */
static bool fits_written(const char *written, const char *const patterns[], size_t n)
{
	size_t length;
	const char *const parameters = cxx_parameters(written, &length);
	char *const shorter =
		parameters ? strndup(written, (size_t)(parameters - written) - 1) : NULL;
	const bool fits =
		fits_any(written, patterns, n) || (shorter && fits_any(shorter, patterns, n));

	free(shorter);
	return fits;
}

/* written: the name itself if it was not demangled. */
static bool is_wanted(const char *name, const char *written, const char *const patterns[], size_t n)
{
	size_t length;

	if (pairs_is_asked_for(name, written, patterns, n))
		return true;
	if (written == name)
		return n == 0 && strncmp(name, "_Z", 2) && !has_scope(name);
	return cxx_parameters(written, &length) && !cxx_is_special(name, written) &&
	       (n == 0 || fits_written(written, patterns, n));
}

/* name@@VERSION is what a linker takes for name. name@VERSION is for programs of former times. */
static void see(const struct symbol *symbol, void *names)
{
	const char *version = strchr(symbol->name, '@');

	/* clang makes the second one in C++. */
	if (!symbol->exported || !symbol->code || !strcmp(symbol->name, "main") ||
	    !strcmp(symbol->name, "__clang_call_terminate"))
		return;
	if (!version)
		words_add(names, symbol->name);
	else if (version[1] == '@')
		words_take(names, strndup(symbol->name, (size_t)(version - symbol->name)));
}

/* The name as people write it, or else itself. */
static const char *written_of(const struct pairs *pairs, const struct words *demangled,
			      const char *name)
{
	char **const found = words_find(&pairs->mangled, name);

	return found ? cxx_without_result(demangled->list[found - pairs->mangled.list]) : name;
}

/* Whether the name is what one of the functions has for itself. stems: their own names, without a
 * scope, sorted. */
static bool serves(const struct words *stems, const char *written)
{
	size_t length;
	const char *const own = cxx_last_part(written, &length);

	for (size_t j = 0; j < ENDINGS; j++) {
		const size_t ending = strlen(endings[j]);
		char *const stem = length > ending ? strndup(own, length - ending) : NULL;
		const bool found = stem && !strncmp(own + length - ending, endings[j], ending) &&
				   words_find(stems, stem);

		free(stem);
		if (found)
			return true;
	}
	return false;
}

/* The functions of file number i that are wanted, each into its list. */
static void choose_wanted(struct pairs *pairs, size_t i, const struct words *demangled,
			  const char *const patterns[], size_t patterns_count)
{
	const struct words *const names = &pairs->names[i];
	struct words stems = { 0 };

	for (size_t k = 0; k < names->n; k++) {
		const char *const written = written_of(pairs, demangled, names->list[k]);
		size_t length;
		const char *const own = cxx_last_part(written, &length);

		words_take(&stems, strndup(own, length));
	}
	words_sort(&stems);
	for (size_t k = 0; k < names->n; k++) {
		const char *const name = names->list[k];
		const char *const written = written_of(pairs, demangled, name);

		if (serves(&stems, written) || !is_wanted(name, written, patterns, patterns_count))
			continue;
		if (!words_find(&pairs->names[1 - i], name)) {
			words_add(&pairs->alone[i], written);
		} else if (i == 0) {
			words_add(&pairs->both, name);
			words_add(&pairs->written, written);
		}
	}
	pairs->both.failed = pairs->both.failed || stems.failed;
	words_free(&stems);
}

void pairs_free(struct pairs *pairs)
{
	for (size_t i = 0; i < 2; i++) {
		words_free(&pairs->names[i]);
		words_free(&pairs->alone[i]);
	}
	words_free(&pairs->mangled);
	words_free(&pairs->both);
	words_free(&pairs->written);
}

static int choice_error(const struct pairs *pairs)
{
	return pairs->both.failed || pairs->written.failed || pairs->alone[0].failed ||
			       pairs->alone[1].failed ?
		       -ENOMEM :
		       0;
}

int pairs_choose(struct pairs *pairs, const struct words *demangled, const char *const patterns[],
		 size_t patterns_count)
{
	for (size_t i = 0; i < 2; i++)
		choose_wanted(pairs, i, demangled, patterns, patterns_count);
	return choice_error(pairs);
}

/* A name may have letters that mean something in a pattern. */
static bool fits_name(const char *name, const char *const patterns[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(patterns[i], name))
			return true;
	return n == 0 || fits_any(name, patterns, n);
}

int pairs_choose_names(struct pairs *pairs, const char *const patterns[], size_t patterns_count)
{
	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < pairs->names[i].n; k++) {
			const char *const name = pairs->names[i].list[k];

			if (!fits_name(name, patterns, patterns_count))
				continue;
			if (!words_find(&pairs->names[1 - i], name))
				words_add(&pairs->alone[i], name);
			else if (i == 0)
				words_add(&pairs->both, name);
		}
	return choice_error(pairs);
}

int pairs_find(const struct symbols_file files[2], struct pairs *pairs)
{
	*pairs = (struct pairs){ 0 };
	for (size_t i = 0; i < 2; i++) {
		struct words *const names = &pairs->names[i];

		symbols_each(&files[i], see, names);
		words_sort(names);
		for (size_t k = 0; k < names->n; k++)
			if (cxx_is_own(names->list[k]))
				words_add(&pairs->mangled, names->list[k]);
	}
	words_sort(&pairs->mangled);
	return pairs->names[0].failed || pairs->names[1].failed || pairs->mangled.failed ? -ENOMEM :
											   0;
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

int pairs_read(char *const paths[2], struct pairs *pairs, size_t *which, struct reason_text *reason)
{
	struct symbols_file files[2] = { { 0 } };
	int error = map_listed(paths[0], &files[0], reason);

	*which = 0;
	if (!error) {
		*which = 1;
		error = map_listed(paths[1], &files[1], reason);
	}
	if (!error) {
		error = pairs_find(files, pairs);
		if (error)
			reason_say(reason, -error, "%s", strerror(-error));
	}
	map_end(&files[0]);
	map_end(&files[1]);
	return error;
}
