/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What is wrong if the linker has failed, from its messages. */

#include "config.h"

#include "letters.h"
#include "link-failure.h"
#include "linkscript.h"
#include "files/archive.h"
#include "files/map.h"
#include "files/mistake.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define NAME 61 /* room for a name that stands in a sentence */

/* Whether the symbol is the name, or a version of it. */
static bool is_of_name(const char *symbol, const char *name)
{
	const size_t length = strlen(name);

	return !strncmp(symbol, name, length) && (!symbol[length] || symbol[length] == '@');
}

static void see_needed(const struct symbol *symbol, void *argument)
{
	const char **name = argument;

	if (*name && is_of_name(symbol->name, *name))
		*name = NULL;
}

/* Whether an object, or a member of an archive, needs the name. */
static bool needs(const char *path, const char *name)
{
	struct symbols_file file, member;
	size_t at = 0;

	map_file(path, &file);
	symbols_each_needed(&file, see_needed, &name);
	while (name && symbols_member(&file, &at, &member))
		symbols_each_needed(&member, see_needed, &name);
	map_end(&file);
	return !name;
}

/* Names that compilers call by themselves, as patterns of fnmatch(3), and the library that has
 * them. Of libstdc++ also what is in namespace std, where libc++ has a namespace of its own. */
static const struct origin {
	const char *names, *of, *library;
} origins[] = {
	{ "_Z*St3__1*", "C++ with libc++", "-lc++" },
	{ "__cxa_*", "C++", "-lstdc++" },
	{ "__gxx_*", "C++", "-lstdc++" },
	{ "_Z[nd][alw]*", "C++", "-lstdc++" },
	{ "_ZS*", "C++", "-lstdc++" },
	{ "_ZNS*", "C++", "-lstdc++" },
	{ "_ZNKS*", "C++", "-lstdc++" },
	{ "_ZT[ISV]St*", "C++", "-lstdc++" },
	{ "_ZT[ISV]NSt*", "C++", "-lstdc++" },
	{ "_ZT[ISV]N10__cxxabiv1*", "C++", "-lstdc++" },
	{ "_gfortran_*", "Fortran", "-lgfortran" },
	{ "__kmpc_*", "OpenMP of clang", "-lomp" },
	{ "GOMP_*", "OpenMP", "-lgomp" },
	{ "omp_[gs]et_*", "OpenMP", "-lgomp" },
	{ "__gcov_*", "gcov", "-lgcov" },
	{ "__asan_*", "AddressSanitizer", "-lasan" },
	{ "__tsan_*", "ThreadSanitizer", "-ltsan" },
	{ "__ubsan_*", "UndefinedBehaviorSanitizer", "-lubsan" },
	{ "__atomic_*", "an atomic operation", "-latomic" },
};

/* The next undefined name in the linker's messages from *output on, to be freed. NULL: there is
 * none, or memory ran out. */
static char *next_undefined(const char **output)
{
	size_t length;
	const char *const name = linkscript_undefined(output, &length);

	return name ? strndup(name, length) : NULL;
}

/* The undefined name that the first row fits, or else simply the first name. *origin: that row.
 * NULL: none fits, or its library was given in vain. */
static char *choose_undefined(const struct link *link, const struct origin **origin)
{
	const char *output = link->tools.command.output;

	for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++) {
		const char *at = output;
		char *name;

		*origin = words_have(&link->besides.with, origins[i].library) ? NULL : &origins[i];
		while ((name = next_undefined(&at))) {
			if (!fnmatch(origins[i].names, name, 0))
				return name;
			free(name);
		}
	}
	*origin = NULL;
	return next_undefined(&output);
}

/* The path of a measured file that has the name. NULL: none has it. */
static const char *who_defines(const struct link *link, const char *name)
{
	for (size_t i = 0; i < link->n; i++)
		if (inputs_define(link->inputs[i], name))
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
	char shown[NAME];

	tools_add_compiler(&words, false);
	reason_say(reason, 0, "cpucycles-measure needs %s, which the C library of %s lacks",
		   letters_cut(shown, sizeof shown, name),
		   words.n > 0 ? mistake_path(words.list[0]) : "the compiler");
	reason_remedy(reason, "take a compiler for the C library that cpucycles-measure was built "
			      "with: CC=gcc");
	words_free(&words);
}

/* Another file has the name. */
static void say_alone(const char *who, const char *name, const char *other,
		      struct cpucycles_reason *reason)
{
	char shown[NAME];

	reason_say(reason, 0, "%s needs %s of %s, but files that are measured share nothing", who,
		   letters_cut(shown, sizeof shown, name), other);
	reason_remedy(reason, "link it for all of them: --with %s", other);
}

static bool with_needs(const struct link *link, const char *name)
{
	for (size_t i = 0; i < link->besides.with.n; i++)
		if (needs(link->besides.with.list[i], name))
			return true;
	return false;
}

/* No file has the name. */
static void say_undefined(const char *who, const char *name, const struct origin *origin,
			  struct cpucycles_reason *reason)
{
	char shown[NAME];

	reason_say(reason, 0, "%s needs %s, which none of the files has", who,
		   letters_cut(shown, sizeof shown, name));
	if (origin)
		reason_remedy(reason, "it is %s: --with %s", origin->of, origin->library);
	else
		reason_remedy(reason, "give the file or the library that has it: --with FILE, or "
				      "--with -lNAME");
}

/* False: no file needs the name, as with --wrap of a linker. */
static bool say_needed(const struct link *link, const char *name, const struct origin *origin,
		       size_t *which, struct cpucycles_reason *reason)
{
	const char *who = "a file of --with", *other = who_defines(link, name);

	*which = who_needs(link, name);
	if (*which < link->n)
		who = mistake_path(link->targets[*which].library);
	else if (needs(link->harness, name)) {
		say_other_library(name, reason);
		return true;
	} else if (!with_needs(link, name))
		return false;
	if (other)
		say_alone(who, name, mistake_path(other), reason);
	else
		say_undefined(who, name, origin, reason);
	return true;
}

bool link_is_double(const char *output)
{
	return strstr(output, "multiple definition") || strstr(output, "duplicate symbol");
}

int link_say_failure(struct link *link, size_t *which, struct cpucycles_reason *reason)
{
	const char *output = link->tools.command.output;
	const struct origin *origin;
	char *const undefined = choose_undefined(link, &origin);
	const bool said = undefined && say_needed(link, undefined, origin, which, reason);

	free(undefined);
	if (said)
		return -EINVAL;
	command_show(&link->tools.command);
	reason_say(reason, 0, "%s cannot link this, and says why above",
		   link->command.n > 0 ? mistake_path(link->command.list[0]) : "the linker");
	if (tools_lack_index(&link->tools))
		reason_remedy(reason, "make the archive's index: ranlib FILE.a");
	else if (link_is_double(output))
		reason_remedy(reason,
			      "give each file once, either to measure or by --with, and none that "
			      "has main()");
	return -EINVAL;
}
