/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "side.h"
#include "describe.h"
#include "linkscript.h"
#include "files/map.h"
#include "files/mistake.h"
#include "side-check.h"
#include "streams.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int say_refused(const struct tools *tools, const struct target *target, const char *program,
		       struct reason_text *reason)
{
	if (tools_lack_index(tools)) {
		reason_say(reason, 0, "the archive %s has no index", target->library);
		reason_remedy(reason, "make it: ranlib %s", target->library);
		return -EINVAL;
	}
	command_show(&tools->command);
	reason_say(reason, 0, "%s refuses %s, and says why above", program, target->library);
	reason_remedy(reason, "a shared object is measured without it: LIB.so:FUNCTION");
	return -EINVAL;
}

/* A name has two definitions that do not yield. False: none of these files has one of them. */
static bool say_double(const struct tools *tools, const struct target *target,
		       const struct inputs *with, struct reason_text *reason)
{
	size_t length;
	const char *at = tools->command.output, *found = linkscript_double(&at, &length);
	char *name = found ? strndup(found, length) : NULL;
	bool double_name;
	size_t k = 0;

	while (name && k < with->files.n && !inputs_define(with->files.list[k], name))
		k++;
	double_name = name && k < with->files.n;
	if (double_name) {
		reason_say(reason, 0, "%s and %s both define %s, so no program can have both",
			   target->library, with->named.list[k], name);
		reason_remedy(reason, "leave one out, or put it into an archive, of which a linker "
				      "takes what is missing: ar rcs FILE.a FILE.o");
	}
	free(name);
	return double_name;
}

/* An object of the file, or of the members of the archive that the function needs. Groups of
 * sections are dissolved, because a linker keeps only one of two groups of a name. Each common
 * variable gets its place, because a linker makes one of two of a name. The files of --with that
 * become part of the side come last, as if after the file on a linker's command line.
 * without_unused: sections that the function does not need are left out, because a linker takes
 * time for each. */
static int run_merge(struct tools *tools, const struct target *target, const char *input,
		     const struct inputs *with, const struct side_names *names,
		     const struct side *side, bool without_unused, struct reason_text *reason)
{
	struct words words = { 0 };
	int error;

	words_add(&words, tools->linker);
	words_split(&words, "-r -d --force-group-allocation");
	if (without_unused)
		words_add(&words, "--gc-sections");
	/* Names in messages as they stand in the files. */
	words_add(&words, "--no-demangle");
	for (size_t r = 0; r < SIDE_ROLES; r++)
		if (names->there[r]) {
			words_add(&words, "-u");
			words_add(&words, names->theirs[r]);
		}
	words_add(&words, "-o");
	words_add(&words, side->object);
	words_add_path(&words, input);
	for (size_t k = 0; with && k < with->files.n; k++)
		if (strcmp(with->named.list[k], target->library))
			words_add(&words, with->files.list[k]);
	error = tools_run(tools, &words, reason);
	words_free(&words);
	return error;
}

static int merge(struct tools *tools, const struct target *target, const char *input,
		 const struct inputs *with, const struct side_names *names, const struct side *side,
		 struct reason_text *reason)
{
	int error = run_merge(tools, target, input, with, names, side, true, reason);

	/* Where an object is not made into a program yet, a linker does not see that the section
	 * of a border is needed. */
	if (!error && (tools->command.status || inputs_need_border(side->object)))
		error = run_merge(tools, target, input, with, names, side, false, reason);
	if (!error && tools->command.status && with && say_double(tools, target, with, reason))
		return -EINVAL;
	if (!error && tools->command.status)
		error = say_refused(tools, target, tools->linker, reason);
	return error;
}

/* New names of symbols, as a file for objcopy. */
struct renaming {
	FILE *to;
	const struct symbols_file *file;
	struct words *sections;
	struct words borders; /* borders that the object uses, sorted */
	struct words names;   /* of the object's sections, sorted */
	size_t i;             /* the side's number */
};

/* Added to the name of what becomes a side's own. */
#define OWN "_" LINKSCRIPT_SIDE

/* Longer names of sections stay. */
#define NAME 1000

/* C++ has variables that the dynamic linker makes one of, in all files. objcopy does not make them
 * local. */
static void see_unique(const struct symbol *symbol, void *argument)
{
	const struct renaming *renaming = argument;

	if (symbol->unique)
		fprintf(renaming->to, "%s " LINKSCRIPT_SIDE ".%s\n", symbol->name, renaming->i,
			symbol->name);
}

static void see_border(const struct symbol *symbol, void *argument)
{
	struct renaming *renaming = argument;

	if (symbols_is_border(symbol->name))
		words_add(&renaming->borders, symbol->name);
}

/* New names for the section's borders that the object uses. False: it uses none. */
static bool put_borders(const struct renaming *renaming, const char *section)
{
	static const char *const borders[] = { SYMBOLS_START, SYMBOLS_STOP };
	bool any = false;
	char name[NAME + 16];

	for (size_t b = 0; b < sizeof borders / sizeof borders[0]; b++) {
		snprintf(name, sizeof name, "%s%s", borders[b], section);
		if (!words_find(&renaming->borders, name))
			continue;
		any = true;
		fprintf(renaming->to, "%s %s" OWN "\n", name, name, renaming->i);
	}
	return any;
}

/* A linker keeps only one of two sections whose names begin with this, as of groups: the way of
 * compilers before there were groups. A name without it is kept. */
#define ONCE ".gnu.linkonce."
#define ONCE_LENGTH (sizeof ONCE - 1)

/* New names of sections with borders, so that the side does not see the sections of other sides,
 * and of sections that are kept once. Some linkers leave two sections of a name. */
static void put_section(const struct renaming *renaming, const char *name)
{
	const bool bordered = linkscript_has_borders(name);
	char word[2 * NAME + 64];

	if (strlen(name) > NAME || (!bordered && strncmp(name, ONCE, ONCE_LENGTH)))
		return;
	if (bordered)
		snprintf(word, sizeof word, "%s=%s" OWN, name, name, renaming->i);
	else
		snprintf(word, sizeof word, "%s=.linkonce.%s", name, name + ONCE_LENGTH);
	if (bordered && !put_borders(renaming, name))
		return;
	words_add(renaming->sections, "--rename-section");
	words_add(renaming->sections, word);
}

static void put_names(const struct side_names *names, struct renaming *renaming)
{
	struct symbols_section section;
	size_t at = 0;

	for (size_t r = 0; r < SIDE_ROLES; r++)
		if (names->there[r])
			fprintf(renaming->to, "%s %s\n", names->theirs[r], names->ours[r]);
	symbols_each(renaming->file, see_unique, renaming);
	symbols_each_needed(renaming->file, see_border, renaming);
	words_sort(&renaming->borders);
	while (symbols_section(renaming->file, &at, &section))
		words_add(&renaming->names, section.name);
	words_sort(&renaming->names);
	for (size_t i = 0; i < renaming->names.n; i++)
		put_section(renaming, renaming->names.list[i]);
}

/* sections: words for objcopy, for new names of sections. */
static int put_renaming(const char *path, const struct side_names *names, const struct side *side,
			size_t i, struct words *sections)
{
	struct symbols_file file;
	struct renaming renaming = {
		.to = fopen(path, "w"), .file = &file, .sections = sections, .i = i
	};
	int error, closed;

	if (!renaming.to)
		return -errno;
	error = map_file(side->object, &file);
	if (!error)
		put_names(names, &renaming);
	if (renaming.borders.failed || renaming.names.failed)
		error = -ENOMEM;
	words_free(&renaming.borders);
	words_free(&renaming.names);
	map_end(&file);
	errno = 0;
	closed = streams_close(renaming.to);
	return closed ? closed : error;
}

/* The names that the harness knows are the only ones that stay visible. objcopy compares some with
 * the old names, and some with the new ones. */
static void add_localize(const char *renaming, const struct side_names *names,
			 const struct side *side, struct words *words)
{
	words_add(words, "--redefine-syms");
	words_add(words, renaming);
	for (size_t r = 0; r < SIDE_ROLES; r++)
		if (names->there[r]) {
			words_add(words, "--keep-global-symbol");
			words_add(words, names->theirs[r]);
			words_add(words, "--keep-global-symbol");
			words_add(words, names->ours[r]);
		}
	words_add(words, side->object);
}

static int localize(struct tools *tools, const struct target *target,
		    const struct side_names *names, const struct side *side, size_t i,
		    struct reason_text *reason)
{
	char *renaming = scratch_file(&tools->scratch, "names");
	struct words words = { 0 };
	int error = -ENOMEM;

	words_add(&words, tools->objcopy);
	/* Debug information would take time in each link. */
	words_add(&words, "--strip-debug");
	if (renaming)
		error = put_renaming(renaming, names, side, i, &words);
	if (!error) {
		add_localize(renaming, names, side, &words);
		error = tools_run(tools, &words, reason);
		if (!error && tools->command.status)
			error = say_refused(tools, target, tools->objcopy, reason);
	}
	words_free(&words);
	free(renaming);
	return error;
}

/* What a look at the object says */

struct look {
	struct side *side;
	const char *function;
	size_t alignment; /* of the function's section */
	size_t sections;  /* of that name */
	bool failed;
};

/* Whether the section has this name, or a longer one: .text.f for .text. */
static bool is_of(const char *name, const char *first)
{
	const size_t length = strlen(first);

	return !strncmp(name, first, length) && (!name[length] || name[length] == '.');
}

/* Whether a section of this name may be moved. The linker knows the sections of the program's start
 * by their names. */
static bool is_moved(const char *name)
{
	const size_t safe = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
					 "0123456789_.$-");

	return linkscript_has_borders(name) ||
	       (*name == '.' && !name[safe] && !is_of(name, ".init") && !is_of(name, ".fini") &&
		!is_of(name, ".plt"));
}

static void see_function(const struct symbol *symbol, void *argument)
{
	struct look *look = argument;
	struct side *side = look->side;

	if (side->section || !symbol->section || strcmp(symbol->name, look->function) ||
	    !is_moved(symbol->section))
		return;
	side->section = strdup(symbol->section);
	side->offset = symbol->offset;
	look->failed = !side->section;
}

static void look_at_section(struct look *look, const struct symbols_section *section)
{
	struct side *side = look->side;

	if (!section->code || section->size == 0)
		return;
	if (section->alignment > side->alignment)
		side->alignment = section->alignment;
	if (side->section && !strcmp(side->section, section->name)) {
		look->alignment = section->alignment;
		look->sections++;
	}
	if (is_moved(section->name) && !is_of(section->name, ".text"))
		words_add(&side->codes, section->name);
}

/* function: its name in the side. */
static int look_at(const struct target *target, const char *function, struct side *side,
		   struct reason_text *reason)
{
	struct look look = { .side = side, .function = function };
	struct symbols_section section;
	struct symbols_file file;
	size_t at = 0;
	int error = map_file(side->object, &file);

	if (error)
		return error;
	side->alignment = 1;
	symbols_each(&file, see_function, &look);
	while (symbols_section(&file, &at, &section))
		look_at_section(&look, &section);
	words_sort(&side->codes);
	if (look.sections == 1) {
		side->alignment = look.alignment;
		side->offset = side->offset / side->alignment * side->alignment;
	} else {
		/* Of two sections of one name, a script cannot name one. */
		free(side->section);
		side->section = NULL;
		side->offset = 0;
	}
	/* side_check_input() looked at the files by their names, and not into archives. */
	if (symbols_wait_for_lto(&file))
		error = mistake_of_lto(target->library, " or a library of --with", reason);
	map_end(&file);
	return look.failed || side->codes.failed ? -ENOMEM : error;
}

/* The names and the path of side number i. 0 or -ENOMEM. */
static int begin(const struct tools *tools, const struct target *target, size_t i,
		 struct side_names *names, struct side *side)
{
	char name[LINKSCRIPT_NAME];
	const int error = side_names_make(target, i, names);

	linkscript_name(i, name);
	*side = (struct side){ .object = scratch_file(&tools->scratch, name) };
	return error || side->object ? error : -ENOMEM;
}

int side_make(struct tools *tools, struct target *target, const char *input,
	      const struct inputs *with, const char *harness, size_t i, struct side *side,
	      struct reason_text *reason)
{
	struct side_names names;
	int error = begin(tools, target, i, &names, side);

	if (!error)
		error = side_check_input(target, input, harness, &names, reason);
	if (!error)
		error = merge(tools, target, input, with, &names, side, reason);
	if (!error)
		error = side_check_object(target, side, &names, reason);
	/* A copy has the same parameters. */
	if (!error && !target->signature.asked) {
		error = describe_target(side->object, harness, target);
		*reason = error ? target->reason : *reason;
	}
	if (!error)
		error = localize(tools, target, &names, side, i, reason);
	if (!error)
		error = look_at(target, names.ours[0], side, reason);
	side_names_free(&names);
	return error;
}

/* Copies */

/* Each number in the bytes that names of side `from` have becomes that of side `to`. */
static void renumber(char *bytes, size_t n, size_t from, size_t to)
{
	char before[LINKSCRIPT_NAME], after[LINKSCRIPT_NAME];
	const size_t length = (size_t)snprintf(before, sizeof before, LINKSCRIPT_SIDE, from);
	char *at = bytes;

	snprintf(after, sizeof after, LINKSCRIPT_SIDE, to);
	while ((at = memchr(at, before[0], n - (size_t)(at - bytes)))) {
		if (n - (size_t)(at - bytes) < length)
			return;
		if (!memcmp(at, before, length))
			memcpy(at, after, length);
		at++;
	}
}

static int write_copy(const struct side *of, size_t from, size_t to, const char *path)
{
	struct symbols_file file;
	int error = map_file(of->object, &file);
	char *const bytes = error ? NULL : malloc(file.size);
	FILE *stream = bytes ? fopen(path, "w") : NULL;

	if (!error && !stream)
		error = bytes ? -errno : -ENOMEM;
	if (!error) {
		memcpy(bytes, file.bytes, file.size);
		renumber(bytes, file.size, from, to);
		errno = 0;
		fwrite(bytes, 1, file.size, stream);
		error = streams_close(stream);
	}
	free(bytes);
	map_end(&file);
	return error;
}

int side_copy(struct tools *tools, const struct target *target, const struct side *of, size_t from,
	      size_t to, struct side *side)
{
	struct side_names names;
	int error = begin(tools, target, to, &names, side);

	if (!error)
		error = write_copy(of, from, to, side->object);
	if (!error)
		error = look_at(target, names.ours[0], side, NULL);
	side_names_free(&names);
	return error;
}

void side_free(struct side *side)
{
	free(side->object);
	words_free(&side->codes);
	free(side->section);
	*side = (struct side){ 0 };
}
