/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* FUNCTION_setup and the like, where a C++ compiler has given them names of its own. */

#include "config.h"

#include "mistake.h"
#include "letters.h"
#include "reason.h"

#include <stdio.h>
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
	bool found[HELPERS], mangled[HELPERS];
};

static bool is_mangled(const char *symbol, const char *name, const struct helper *helper)
{
	char length[24];
	size_t n;

	n = (size_t)snprintf(length, sizeof length, "_Z%zu", strlen(name));
	if (strncmp(symbol, length, n) || strncmp(symbol + n, name, strlen(name)))
		return false;
	for (size_t i = 0; helper->parameters[i]; i++)
		if (!strcmp(symbol + n + strlen(name), helper->parameters[i]))
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

	for (size_t i = 0; i < HELPERS; i++) {
		const char *name = name_of(search->target, i);

		if (!symbol->exported)
			continue;
		search->found[i] = search->found[i] || !strcmp(symbol->name, name);
		search->mangled[i] =
			search->mangled[i] || is_mangled(symbol->name, name, &helpers[i]);
	}
}

bool mistake_in_helper(const struct target *target, const struct symbols_file *file,
		       struct cpucycles_reason *reason)
{
	struct helper_search search = { .target = target };

	symbols_each(file, see, &search);
	for (size_t i = 0; i < HELPERS; i++) {
		const char *const name = name_of(target, i);
		const int shown = letters_within(name, NAME);

		if (search.found[i] || !search.mangled[i] || (helpers[i].leak && !target->leak))
			continue;
		reason_say(reason, 0, "%.*s is a function of C++ and would not be called", shown,
			   name);
		reason_remedy(reason, "declare %.*s extern \"C\", or give it another name", shown,
			      name);
		return true;
	}
	return false;
}
