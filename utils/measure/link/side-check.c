/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "side-check.h"
#include "linkscript.h"
#include "files/cxx-name.h"
#include "files/map.h"
#include "files/mistake.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a file may have for a function, and what the harness calls that. */
static const struct role {
	const char *ending, *name;
	bool leak; /* for a test of leaks only: in others, a function may have such a name by chance
		    */
} roles[SIDE_ROLES] = {
	{ "", "call", false },          { "_setup", "setup", false },
	{ "_before", "before", false }, { "_bytes", "bytes", false },
	{ "_input", "input", true },    { "_input_bytes", "input_bytes", true },
};

int side_names_make(const struct target *target, size_t i, struct side_names *names)
{
	char ours[64];

	snprintf(ours, sizeof ours, LINKSCRIPT_SIDE "_", i);
	*names = (struct side_names){ .leak = target->leak };
	for (size_t r = 0; r < SIDE_ROLES; r++) {
		names->theirs[r] = words_join(r > 0 ? target->stem : target_symbol(target),
					      roles[r].ending, "");
		names->ours[r] = words_join(ours, roles[r].name, "");
		if (!names->theirs[r] || !names->ours[r])
			return -ENOMEM;
	}
	return 0;
}

void side_names_free(struct side_names *names)
{
	for (size_t r = 0; r < SIDE_ROLES; r++) {
		free(names->theirs[r]);
		free(names->ours[r]);
	}
}

static void see_name(const struct symbol *symbol, void *argument)
{
	struct side_names *names = argument;

	for (size_t r = 0; r < SIDE_ROLES; r++)
		if (symbol->exported && (names->leak || !roles[r].leak) &&
		    !strcmp(symbol->name, names->theirs[r]))
			names->there[r] = true;
}

/* The machine of an object, or of an archive's first one. 0: unknown. *foreign: of another word
 * size or byte order. */
static unsigned machine_of(const struct symbols_file *file, bool *foreign)
{
	struct symbols_file member;
	unsigned machine;
	size_t at = 0;
	enum symbols_kind kind = symbols_kind(file, &machine);

	while (kind != SYMBOLS_OBJECT && kind != SYMBOLS_FOREIGN &&
	       symbols_member(file, &at, &member))
		kind = symbols_kind(&member, &machine);
	*foreign = kind == SYMBOLS_FOREIGN;
	return machine;
}

static int own_machine(const char *harness, unsigned *machine, struct reason_text *reason)
{
	struct symbols_file file;
	const int error = map_file(harness, &file);
	bool foreign;

	if (error) {
		reason_say(reason, -error, "%s, which calls the functions, cannot be read: %s",
			   harness, strerror(-error));
		reason_remedy(reason, "install cpucycles-measure again");
		return error;
	}
	*machine = machine_of(&file, &foreign);
	map_end(&file);
	return 0;
}

static int say_kind(enum symbols_kind kind, const char *path, struct reason_text *reason)
{
	static const char *const words[] = {
		[SYMBOLS_PROGRAM] = "a program, not an object file",
		[SYMBOLS_SHARED] = "a shared object, not an object file",
		[SYMBOLS_SCRIPT] = "a script of the linker, not an object file",
		[SYMBOLS_TEXT] = "a text, not an object file",
	};

	reason_say(reason, 0, "%s is %s", path, words[kind] ? words[kind] : "no object file");
	reason_remedy(reason,
		      "expected a source text, FILE.o or FILE.a: cc -O2 -ffunction-sections -c "
		      "f.c");
	return -EINVAL;
}

static int check_kind(const struct symbols_file *file, const char *path, unsigned own,
		      struct reason_text *reason)
{
	bool foreign;
	const unsigned machine = machine_of(file, &foreign);
	unsigned any;
	const enum symbols_kind kind = symbols_kind(file, &any);

	if (foreign || (machine && own && machine != own)) {
		reason_say(reason, 0, "%s is for another machine than this program", path);
		reason_remedy(reason, "compile it for the machine that cpucycles-measure is for");
		return -EINVAL;
	}
	if (symbols_is_cut(file)) {
		reason_say(reason, 0, "%s is damaged: it ends too early", path);
		reason_remedy(reason, "compile it again");
		return -EINVAL;
	}
	/* A compiler's intermediate code may be in a file of any kind. Of an archive, only members
	 * that the function needs matter. */
	if (kind != SYMBOLS_ARCHIVE && symbols_wait_for_lto(file))
		return mistake_of_lto(path, "", reason);
	if (kind != SYMBOLS_OBJECT && kind != SYMBOLS_ARCHIVE)
		return say_kind(kind, path, reason);
	return 0;
}

/* Whether nothing in the name has a meaning for the linker or objcopy. Letters that are not of
 * ASCII have none, and compilers take them as they are. */
static bool is_name(const char *name)
{
	for (const char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && !strchr("_.$", *at) && (unsigned char)*at < 128)
			return false;
	return *name != 0;
}

static int check_names(const struct target *target, const struct symbols_file *file,
		       struct side_names *names, struct reason_text *reason)
{
	if (!is_name(target_symbol(target)) &&
	    (!cxx_is_name(target->function) || symbols_is_thin(file))) {
		reason_say(reason, 0, "this is no name of a function in C");
		reason_remedy(reason, "expected letters, digits and underscores: %s:f",
			      target->library);
		return -ENOENT;
	}
	memset(names->there, 0, sizeof names->there);
	names->there[0] = true;
	/* Members of a thin archive lie in files of their own. */
	if (symbols_is_thin(file))
		return 0;
	if (mistake_in_object(target, file, reason))
		return symbols_wait_for_lto(file) ? mistake_of_lto(target->library, "", reason) :
						    -ENOENT;
	if (mistake_in_helper(target, file, NULL, reason))
		return -ENOENT;
	if (names->leak && mistake_in_size(target, file, reason))
		return -EDOM;
	symbols_each(file, see_name, names);
	return 0;
}

int side_check_input(const struct target *target, const char *input, const char *harness,
		     struct side_names *names, struct reason_text *reason)
{
	struct symbols_file file;
	unsigned own = 0;
	int error = own_machine(harness, &own, reason);

	if (error)
		return error;
	error = map_file(input, &file);
	if (error == -ENODATA)
		return say_kind(SYMBOLS_UNKNOWN, target->library, reason);
	if (error) {
		reason_say(reason, -error, "%s cannot be read: %s", input, map_error(error));
		reason_remedy(reason,
			      "expected a source text (.c, .cc, .cpp, .s), FILE.o, FILE.a or "
			      "LIB.so");
		return error;
	}
	error = check_kind(&file, target->library, own, reason);
	if (!error)
		error = check_names(target, &file, names, reason);
	map_end(&file);
	return error;
}

int side_check_object(const struct target *target, const struct side *side,
		      struct side_names *names, struct reason_text *reason)
{
	struct symbols_file file;
	int error = map_file(side->object, &file);

	if (!error)
		error = check_names(target, &file, names, reason);
	map_end(&file);
	return error;
}
