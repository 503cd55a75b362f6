/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "inputs.h"
#include "map.h"
#include "mistake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *inputs_compile(struct inputs *inputs, const char *path, const char *kind, size_t i,
		     int *error, struct cpucycles_reason *reason)
{
	char name[64], *object;
	bool cxx;

	snprintf(name, sizeof name, "%s-%zu.o", kind, i);
	object = scratch_file(&inputs->tools->scratch, name);
	*error = object ? tools_compile(inputs->tools, path, object, reason) : -ENOMEM;
	tools_is_source(path, &cxx);
	inputs->cxx = inputs->cxx || cxx;
	if (*error) {
		free(object);
		return NULL;
	}
	return object;
}

bool inputs_are_compiled(const char *path)
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

/* A file for the linker. */
static int add_file(struct inputs *inputs, const char *path, struct cpucycles_reason *reason)
{
	struct symbols_file file;
	unsigned machine;
	const int error = map_file(path, &file);

	if (error) {
		reason_say(reason, -error, "%s cannot be read: %s", mistake_path(path),
			   map_error(error));
		reason_remedy(reason, "expected a file, or a library: --with FILE, --with -lNAME");
		return error;
	}
	words_add_path(&inputs->with, path);
	if (symbols_kind(&file, &machine) == SYMBOLS_SHARED)
		find_library(inputs, path, symbols_soname(&file));
	map_end(&file);
	return 0;
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
static int add_one(struct inputs *inputs, const char *path, size_t i,
		   struct cpucycles_reason *reason)
{
	char *object;
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
	if (!inputs_are_compiled(path))
		return add_file(inputs, path, reason);
	object = inputs_compile(inputs, path, "with", i, &error, reason);
	if (object)
		words_add(&inputs->with, object);
	free(object);
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
		    struct cpucycles_reason *reason)
{
	int error = 0;

	for (size_t i = 0; i < n && !error; i++)
		error = add_one(inputs, with[i], i, reason);
	for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
		words_add(&inputs->with, needs[i]);
	if (!error)
		find_libraries(inputs);
	return error;
}
