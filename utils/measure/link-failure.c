/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What is wrong if the linker has failed, from its messages. */

#include "config.h"

#include "letters.h"
#include "link-made.h"
#include "linkscript.h"
#include "map.h"
#include "mistake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NAME 60 /* of a name that stands in a sentence */

static void see_needed(const struct symbol *symbol, void *argument)
{
	const char **name = argument;

	if (*name && !strcmp(symbol->name, *name))
		*name = NULL;
}

static bool needs(const char *path, const char *name)
{
	struct symbols_file file;

	map_file(path, &file);
	symbols_each_needed(&file, see_needed, &name);
	map_end(&file);
	return !name;
}

/* The library of C++, in functions that the compiler calls by itself, and in namespace std. */
static bool is_of_cxx(const char *name)
{
	static const char *const beginnings[] = { "__cxa_", "__gxx_", "_Zn",   "_Zd",
						  "_ZS",    "_ZNS",   "_ZNKS", "_ZT" };

	for (size_t i = 0; i < sizeof beginnings / sizeof beginnings[0]; i++)
		if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

static void see_defined(const struct symbol *symbol, void *argument)
{
	const char **name = argument;

	if (*name && symbol->exported && !strcmp(symbol->name, *name))
		*name = NULL;
}

static bool defines(const char *path, const char *name)
{
	struct symbols_file file;

	map_file(path, &file);
	symbols_each(&file, see_defined, &name);
	map_end(&file);
	return !name;
}

/* The path of a measured file that has the name. NULL: none has it. */
static const char *who_defines(const struct link *link, const char *name)
{
	for (size_t i = 0; i < link->n; i++)
		if (defines(link->inputs[i], name))
			return link->targets[i].library;
	return NULL;
}

/* The number of the side that needs the name. n: none. */
static size_t who_needs(const struct link *link, const char *name)
{
	for (size_t i = 0; i < link->n; i++)
		if (needs(link->sides[i].object, name))
			return i;
	return link->n;
}

/* Only the harness needs it. */
static void say_other_library(const char *name, struct cpucycles_reason *reason)
{
	struct words words = { 0 };

	tools_add_compiler(&words, false);
	reason_say(reason, 0, "cpucycles-measure needs %.*s, which the C library of %s lacks",
		   letters_within(name, NAME), name,
		   words.n > 0 ? mistake_path(words.list[0]) : "the compiler");
	reason_remedy(reason, "take a compiler for the C library that cpucycles-measure was built "
			      "with: CC=gcc");
	words_free(&words);
}

/* Another file has the name. */
static void say_alone(const char *who, const char *name, const char *other,
		      struct cpucycles_reason *reason)
{
	reason_say(reason, 0, "%s needs %.*s of %s, but files that are measured share nothing", who,
		   letters_within(name, NAME), name, other);
	reason_remedy(reason, "link it for all of them: --with %s", other);
}

static int say_undefined(const struct link *link, const char *name, size_t *which,
			 struct cpucycles_reason *reason)
{
	const char *who = "a file of --with", *other = who_defines(link, name);

	*which = who_needs(link, name);
	if (*which < link->n)
		who = mistake_path(link->targets[*which].library);
	else if (needs(link->harness, name)) {
		say_other_library(name, reason);
		return -EINVAL;
	}
	if (other) {
		say_alone(who, name, mistake_path(other), reason);
		return -EINVAL;
	}
	reason_say(reason, 0, "%s needs %.*s, which none of the files has", who,
		   letters_within(name, NAME), name);
	if (is_of_cxx(name))
		reason_remedy(reason, "it is C++: --with -lstdc++");
	else
		reason_remedy(reason, "give the file or the library that has it: --with FILE, or "
				      "--with -lNAME");
	return -EINVAL;
}

bool link_is_double(const char *output)
{
	return strstr(output, "multiple definition") || strstr(output, "duplicate symbol");
}

int link_say_failure(struct link *link, size_t *which, struct cpucycles_reason *reason)
{
	const char *output = link->tools.command.output;
	size_t length;
	const char *const undefined = linkscript_undefined(&output, &length);

	if (undefined) {
		char *const name = strndup(undefined, length);
		const int error = name ? say_undefined(link, name, which, reason) : -ENOMEM;

		free(name);
		return error;
	}
	command_show(&link->tools.command);
	reason_say(reason, 0, "%s cannot link this, and says why above",
		   link->command.n > 0 ? mistake_path(link->command.list[0]) : "the linker");
	if (tools_lack_index(&link->tools))
		reason_remedy(reason, "make the archive's index: ranlib FILE.a");
	else if (link_is_double(output))
		reason_remedy(reason, "give each file once, either to measure or by --with");
	else
		reason_remedy(reason, "give what both sides need by --with FILE or --with -lNAME");
	return -EINVAL;
}
