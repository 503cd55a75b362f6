/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "inputs.h"
#include "versions.h"
#include "files/map.h"
#include "files/mistake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The object of a source text. NULL with *error. */
static char *compile(struct inputs *inputs, const char *path, const char *flags, const char *kind,
		     size_t i, int *error, struct reason_text *reason)
{
	char name[64], *object;
	bool cxx;

	snprintf(name, sizeof name, "%s-%zu.o", kind, i);
	object = scratch_file(&inputs->tools->scratch, name);
	*error = object ? tools_compile(inputs->tools, path, flags, object, reason) : -ENOMEM;
	tools_is_source(path, &cxx);
	inputs->cxx = inputs->cxx || cxx;
	if (*error) {
		free(object);
		return NULL;
	}
	return object;
}

/* Whether the compiler is to see the file. */
static bool is_compiled(const char *path)
{
	struct symbols_file file;
	bool cxx;
	int error;

	if (!tools_is_source(path, &cxx))
		return false;
	error = map_beginning(path, &file);
	map_end(&file);
	/* It would say less clearly that the file is not there. */
	return !error || error == -ENODATA;
}

char *inputs_prepare(struct inputs *inputs, const char *path, const char *flags, const char *kind,
		     size_t i, int *error, struct reason_text *reason)
{
	char *file;

	*error = -ENOMEM;
	if (is_compiled(path))
		file = compile(inputs, path, flags, kind, i, error, reason);
	else
		file = strdup(path);
	if (!file)
		return NULL;
	*error = versions_drop(inputs->tools, &file, kind, i, reason);
	if (!*error)
		return file;
	free(file);
	return NULL;
}

/* Names */

static void see_name(const struct symbol *symbol, void *names)
{
	if (symbol->exported)
		words_add(names, symbol->name);
}

struct search {
	const struct words *names; /* sorted */
	bool found;
};

static void see_defined(const struct symbol *symbol, void *argument)
{
	struct search *search = argument;

	search->found =
		search->found || (symbol->exported && words_find(search->names, symbol->name));
}

static bool defines_any(const char *path, const struct words *names, bool *thin)
{
	struct search search = { .names = names };
	struct symbols_file file;

	map_file(path, &file);
	symbols_each(&file, see_defined, &search);
	*thin = *thin || symbols_is_thin(&file);
	map_end(&file);
	return search.found;
}

bool inputs_define(const char *file, const char *name)
{
	struct words names = { 0 };
	bool thin = false, found;

	words_add(&names, name);
	found = defines_any(file, &names, &thin);
	words_free(&names);
	return found;
}

static void see_border(const struct symbol *symbol, void *found)
{
	bool *const is_there = found;

	*is_there = *is_there || symbols_is_border(symbol->name);
}

bool inputs_need_border(const char *path)
{
	struct symbols_file file;
	bool found = false;

	map_file(path, &file);
	symbols_each_needed(&file, see_border, &found);
	map_end(&file);
	return found;
}

/* Members of a thin archive lie in other files, so any name may be there. */
bool inputs_clash(const struct inputs *inputs, const char *path, const char *file)
{
	struct words names = { 0 };
	bool thin = false, borders = inputs_need_border(file), clash;

	for (size_t k = 0; k < inputs->files.n; k++) {
		struct symbols_file with;

		if (!strcmp(inputs->named.list[k], path))
			continue;
		map_file(inputs->files.list[k], &with);
		symbols_each(&with, see_name, &names);
		symbols_each_needed(&with, see_name, &names);
		symbols_each_needed(&with, see_border, &borders);
		thin = thin || symbols_is_thin(&with);
		map_end(&with);
	}
	words_sort(&names);
	clash = names.n > 0 && defines_any(file, &names, &thin);
	words_free(&names);
	return clash || thin || (borders && inputs->files.n > 0);
}

/* A program looks for a shared object in the folders that it knows, wherever it was linked from. */
static void add_folder(const char *folder, struct words *words)
{
	char *absolute = realpath(folder, NULL);

	if (absolute) {
		words_split(words, "-Xlinker -rpath -Xlinker");
		words_add(words, absolute);
	}
	free(absolute);
}

/* The absolute path of the file's folder, or of a file in that folder, to be freed. */
static char *in_folder_of(const char *path, const char *name)
{
	char *absolute = realpath(path, NULL), *slash = absolute ? strrchr(absolute, '/') : NULL;
	char *other = NULL;

	if (slash) {
		slash[1] = 0;
		other = words_join(absolute, name, "");
	}
	free(absolute);
	return other;
}

/* Its own name leads to it in this program's folder, as it will after it has been installed. No
 * other file there has such a name. */
static void name_library(struct inputs *inputs, const char *path, const char *soname)
{
	char *absolute = realpath(path, NULL);
	char *other = scratch_file(&inputs->tools->scratch, soname);

	/* If it cannot be done, the program says that it misses the file. */
	if (absolute && other && strstr(soname, ".so") && !symlink(absolute, other))
		add_folder(inputs->tools->scratch.path, &inputs->with);
	free(absolute);
	free(other);
}

/* The program is to find the shared object by the name that it has for programs. */
static void find_library(struct inputs *inputs, const char *path, const char *soname)
{
	char *folder = in_folder_of(path, ""), *other = soname ? in_folder_of(path, soname) : NULL;

	if (folder)
		add_folder(folder, &inputs->with);
	if (other && !strchr(soname, '/') && access(other, F_OK))
		name_library(inputs, path, soname);
	free(folder);
	free(other);
}

/* A file that is linked into each side if names clash. */
static void add_object(struct inputs *inputs, const char *path, const char *file)
{
	words_add(&inputs->named, path);
	words_add_path(&inputs->files, file);
}

/* A file for the linker. prepared: as the linker gets it. */
static int add_file(struct inputs *inputs, const char *path, const char *prepared,
		    struct reason_text *reason)
{
	struct symbols_file file;
	unsigned machine;
	int error = map_file(prepared, &file);
	enum symbols_kind kind;

	if (error) {
		reason_say(reason, -error, "%s cannot be read: %s", path, map_error(error));
		reason_remedy(reason, "expected a file, or a library: --with FILE, --with -lNAME");
		return error;
	}
	words_add_path(&inputs->with, prepared);
	kind = symbols_kind(&file, &machine);
	/* Which names it will have is not known. */
	if (kind != SYMBOLS_SHARED && symbols_wait_for_lto(&file))
		error = mistake_of_lto(path, "", reason);
	else if (kind == SYMBOLS_SHARED)
		find_library(inputs, path, symbols_soname(&file));
	else if (kind == SYMBOLS_OBJECT || kind == SYMBOLS_ARCHIVE)
		add_object(inputs, path, prepared);
	map_end(&file);
	return error;
}

/* A library that the linker finds in this folder. */
static void look_for(struct inputs *inputs, const char *folder, const char *library)
{
	char *path = malloc(strlen(folder) + strlen(library) + sizeof "/lib.so");
	struct symbols_file file;
	unsigned machine;

	if (!path)
		return;
	sprintf(path, "%s/lib%s.so", folder, library);
	if (!map_file(path, &file)) {
		if (symbols_kind(&file, &machine) == SYMBOLS_SHARED)
			find_library(inputs, path, symbols_soname(&file));
		map_end(&file);
	} else {
		sprintf(path, "%s/lib%s.a", folder, library);
		if (!access(path, R_OK))
			add_object(inputs, path, path);
	}
	free(path);
}

/* A library in the folders of all -LFOLDER. */
static void look_everywhere(struct inputs *inputs, const char *library, const struct words *words)
{
	for (size_t i = 0; i < words->n; i++)
		if (!strncmp(words->list[i], "-L", 2))
			look_for(inputs, words->list[i] + 2, library);
}

/* Shared objects of -lNAME in folders of -LFOLDER. */
static void find_libraries(struct inputs *inputs)
{
	struct words all = { 0 };

	words_append(&all, &inputs->tools->flags);
	words_append(&all, &inputs->with);
	for (size_t i = 0; i < all.n; i++)
		if (!strncmp(all.list[i], "-l", 2))
			look_everywhere(inputs, all.list[i] + 2, &all);
	words_free(&all);
}

/* One --with, number i. */
static int add_one(struct inputs *inputs, const char *path, size_t i, struct reason_text *reason)
{
	char *file;
	int error;

	if (!*path) {
		reason_say(reason, 0, "--with names no file");
		reason_remedy(reason, "expected --with FILE, or --with -lNAME");
		return -EINVAL;
	}
	if (*path == '-') {
		words_add(&inputs->with, path);
		return 0;
	}
	file = inputs_prepare(inputs, path, NULL, "with", i, &error, reason);
	if (file)
		error = add_file(inputs, path, file, reason);
	free(file);
	return error;
}

/* What the harness needs. Of libpfm the file that every program uses: its other name comes with the
 * package for developers. */
static const char *const needs[] = {
#ifdef HAVE_LIBPFM
	"-l:libpfm.so.4",
#endif
	"-lm",
};

int inputs_add_with(struct inputs *inputs, const char *const with[], size_t n,
		    struct reason_text *reason)
{
	int error = 0;

	for (size_t i = 0; i < n && !error; i++)
		error = add_one(inputs, with[i], i, reason);
	for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
		words_add(&inputs->with, needs[i]);
	if (!error)
		find_libraries(inputs);
	return !error && (inputs->named.failed || inputs->files.failed) ? -ENOMEM : error;
}

void inputs_free(struct inputs *inputs)
{
	words_free(&inputs->with);
	words_free(&inputs->named);
	words_free(&inputs->files);
}
