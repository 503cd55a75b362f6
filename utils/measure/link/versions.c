/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "versions.h"
#include "files/map.h"
#include "streams.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT "@@"

static void see_default(const struct symbol *symbol, void *names)
{
	if (symbol->exported && strstr(symbol->name, DEFAULT))
		words_add(names, symbol->name);
}

static void see_plain(const struct symbol *symbol, void *names)
{
	if (symbol->exported && !strchr(symbol->name, '@'))
		words_add(names, symbol->name);
}

/* The sorted names with their new ones, as a file for objcopy. objcopy allows each new name once,
 * and a linker allows one definition of a name: what is there already stays the only one. */
static int put_renaming(const char *to, const struct words *versioned, const struct words *plain)
{
	FILE *file = fopen(to, "w");
	char *before = NULL;
	bool failed = false;

	if (!file)
		return -errno;
	for (size_t i = 0; i < versioned->n && !failed; i++) {
		const char *name = versioned->list[i];
		char *base = strndup(name, (size_t)(strstr(name, DEFAULT) - name));

		failed = !base;
		if (base && !words_find(plain, base) && (!before || strcmp(before, base)))
			fprintf(file, "%s %s\n", name, base);
		free(before);
		before = base;
	}
	free(before);
	errno = 0;
	return streams_close(file) ? -EIO : failed ? -ENOMEM : 0;
}

/* If objcopy refuses the file, the linker says what is missing. */
static int copy(struct tools *tools, const char *renaming, char **path, char *copied,
		struct reason_text *reason)
{
	struct words words = { 0 };
	int error;

	words_add(&words, tools->objcopy);
	words_add(&words, "--redefine-syms");
	words_add(&words, renaming);
	words_add_path(&words, *path);
	words_add(&words, copied);
	error = words.failed ? -ENOMEM : tools_run(tools, &words, reason);
	words_free(&words);
	if (error || tools->command.status) {
		free(copied);
		return error;
	}
	free(*path);
	*path = copied;
	return 0;
}

static int rename_all(struct tools *tools, const struct words *versioned, const struct words *plain,
		      char **path, const char *name, struct reason_text *reason)
{
	char *renaming = scratch_file(&tools->scratch, "versions");
	char *copied = scratch_file(&tools->scratch, name);
	int error = -ENOMEM;

	if (renaming && copied && !versioned->failed && !plain->failed)
		error = put_renaming(renaming, versioned, plain);
	if (error)
		free(copied);
	else
		error = copy(tools, renaming, path, copied, reason);
	free(renaming);
	return error;
}

int versions_drop(struct tools *tools, char **path, const char *kind, size_t i,
		  struct reason_text *reason)
{
	struct words versioned = { 0 }, plain = { 0 };
	struct symbols_file file;
	char name[64];
	int error = 0;

	map_file(*path, &file);
	symbols_each(&file, see_default, &versioned);
	if (versioned.n > 0)
		symbols_each(&file, see_plain, &plain);
	map_end(&file);
	words_sort(&versioned);
	words_sort(&plain);
	snprintf(name, sizeof name, "%s-%zu.plain", kind, i);
	if (versioned.n > 0)
		error = rename_all(tools, &versioned, &plain, path, name, reason);
	words_free(&versioned);
	words_free(&plain);
	return error;
}
