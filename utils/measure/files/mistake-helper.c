/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "mistake-helper.h"
#include "archive.h"
#include "letters.h"
#include "reason.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* So much of a name stands in a sentence. */
#define NAME 48

/* FUNCTION_setup, FUNCTION_before and FUNCTION_input. parameters: how a mangled name may end, from
 * the Itanium C++ ABI, "Mangling": by v for void, m and j for what size_t may be, i for int and Ph
 * for unsigned char *. */
static const struct helper {
	const char *parameters[4];
	bool leak; /* for a test of leaks only */
} helpers[] = {
	{ { "v", "m", "j" }, false },
	{ { "v", "m", "j" }, false },
	{ { "iPh" }, true },
};

#define HELPERS (sizeof helpers / sizeof helpers[0])

struct helper_search {
	const struct target *target;
	bool function, found[HELPERS], mangled[HELPERS];
};

/* A mangled name has the length of the name before it. Libraries have many symbols, so the length
 * is compared first. */
static bool is_mangled(const char *symbol, const char *name, const struct helper *helper)
{
	const size_t length = strlen(name);
	char *end;

	if (strncmp(symbol, "_Z", 2) || strtoul(symbol + 2, &end, 10) != length ||
	    strncmp(end, name, length))
		return false;
	for (size_t i = 0; helper->parameters[i]; i++)
		if (!strcmp(end + length, helper->parameters[i]))
			return true;
	return false;
}

static const char *name_of(const struct target *target, size_t i)
{
	const char *const names[HELPERS] = { target->setup, target->before, target->input };

	return names[i];
}

static void see(const struct symbol *symbol, void *argument)
{
	struct helper_search *search = argument;

	if (!symbol->exported)
		return;
	search->function = search->function || !strcmp(symbol->name, search->target->function);
	for (size_t i = 0; i < HELPERS; i++) {
		const char *name = name_of(search->target, i);

		search->found[i] = search->found[i] || !strcmp(symbol->name, name);
		search->mangled[i] =
			search->mangled[i] || is_mangled(symbol->name, name, &helpers[i]);
	}
}

/* Of an archive, only the member counts that has the function: others may never be linked. */
static struct helper_search search_member(const struct target *target,
					  const struct symbols_file *file)
{
	struct helper_search search = { .target = target };
	struct symbols_file member;
	size_t at = 0;

	if (!symbols_member(file, &at, &member)) {
		symbols_each(file, see, &search);
		return search;
	}
	do {
		search = (struct helper_search){ .target = target };
		symbols_each(&member, see, &search);
	} while (!search.function && symbols_member(file, &at, &member));
	return search;
}

bool mistake_in_helper(const struct target *target, const struct symbols_file *file, void *library,
		       struct cpucycles_reason *reason)
{
	const struct helper_search search = search_member(target, file);
	struct helper_search all = { .target = target };

	for (size_t i = 0; i < HELPERS; i++) {
		const char *const name = name_of(target, i);
		char shown[NAME + 1];

		if (search.found[i] || !search.mangled[i] || (helpers[i].leak && !target->leak) ||
		    (library && dlsym(library, name)))
			continue;
		/* Another member of the archive may have it. */
		symbols_each(file, see, &all);
		if (all.found[i])
			continue;
		letters_cut(shown, sizeof shown, name);
		reason_say(reason, 0, "%s is a function of C++ and would not be called", shown);
		reason_remedy(reason, "declare %s extern \"C\", or give it another name", shown);
		return true;
	}
	return false;
}
