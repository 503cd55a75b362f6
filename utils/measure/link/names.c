/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "names.h"
#include "files/cxx-name.h"
#include "files/map.h"
#include "inputs.h"
#include "letters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Functions that a message lists. */
#define LISTED 5

/* Bytes of mangled names that one command gets. Demangled, they are several times as long. */
#define BYTES 2000

/* Functions whose mangled names have the last part of the name. */
struct candidates {
	const char *part;
	size_t length;
	struct words seen, hidden; /* to a linker; each name once */
	struct words demangled;    /* of those seen, then of those hidden */
};

static void see(const struct symbol *symbol, void *argument)
{
	struct candidates *c = argument;

	/* What an optimiser makes of a function has a dot in its name. */
	if (symbol->code && !strpbrk(symbol->name, ".@") &&
	    cxx_find_part(symbol->name, c->part, c->length))
		words_add(symbol->exported ? &c->seen : &c->hidden, symbol->name);
}

static void add_lines(struct words *words, char *text)
{
	for (char *end; (end = strchr(text, '\n')); text = end + 1) {
		*end = 0;
		words_add(words, text);
	}
}

/* Demangle names from number *i on, as many as a command gets. *bytes: of these, half as many if
 * the answer has no room. */
static int demangle_some(struct tools *tools, const char *program, const struct words *mangled,
			 size_t *i, size_t *bytes, struct words *demangled,
			 struct reason_text *reason)
{
	const size_t before = demangled->n, first = *i;
	struct words words = { 0 };
	size_t given = 0;
	int error;

	words_add(&words, program);
	while (*i < mangled->n && (*i == first || given < *bytes)) {
		given += strlen(mangled->list[*i]);
		words_add(&words, mangled->list[(*i)++]);
	}
	error = tools_run(tools, &words, reason);
	words_free(&words);
	if (!error && tools->command.cut && *i - first > 1) {
		*i = first;
		*bytes /= 2;
		return 0;
	}
	if (error)
		return error;
	add_lines(demangled, tools->command.output);
	/* A name that no room is enough for is none that people write. */
	if (tools->command.cut)
		words_add(demangled, mangled->list[first]);
	if ((tools->command.cut || !tools->command.status) && demangled->n - before == *i - first)
		return 0;
	reason_say(reason, 0, "%s does not demangle names", program);
	reason_remedy(reason, "give the mangled name, which nm shows");
	return -EINVAL;
}

int names_demangle(struct tools *tools, const struct words *mangled, struct words *demangled,
		   struct reason_text *reason)
{
	struct words driver = { 0 };
	char *program = NULL;
	size_t i = 0, bytes = BYTES;
	int error;

	tools_add_compiler(&driver, true);
	error = mangled->n ? tools_ask(tools, &driver, "c++filt", &program, reason) : 0;
	while (!error && i < mangled->n)
		error = demangle_some(tools, program ? program : "c++filt", mangled, &i, &bytes,
				      demangled, reason);
	if (!error && (mangled->failed || demangled->failed))
		error = -ENOMEM;
	free(program);
	words_free(&driver);
	return error;
}

static int demangle(struct tools *tools, struct candidates *c, struct reason_text *reason)
{
	struct words all = { 0 };
	int error;

	words_append(&all, &c->seen);
	words_append(&all, &c->hidden);
	error = names_demangle(tools, &all, &c->demangled, reason);
	words_free(&all);
	return error;
}

static void list(const struct words *names, char text[REASON_TEXT / 2])
{
	text[0] = 0;
	for (size_t i = 0; i < names->n && i < LISTED; i++)
		letters_add(text, REASON_TEXT / 2, "%s%s", i > 0 ? ", " : "", names->list[i]);
	if (names->n > LISTED)
		letters_add(text, REASON_TEXT / 2, " and %zu more", names->n - LISTED);
}

/* What the name is not, or not alone. matches: the functions that the linker sees. */
static int say(const struct target *target, const struct candidates *c, bool hidden,
	       const struct words *matches, struct reason_text *reason)
{
	const char *const name = target->function;
	struct words others = { 0 };
	char text[REASON_TEXT / 2];

	if (matches->n > 1) {
		list(matches, text);
		reason_say(reason, 0, "%s is one of: %s", name, text);
		reason_remedy(reason, "expected one of these");
		return -ENOENT;
	}
	reason_say(reason, 0, "there is no function %s in %s", name, target->library);
	if (hidden) {
		reason_remedy(reason, "it is static there, or in an anonymous namespace: expected "
				      "one that other files can call");
		return -ENOENT;
	}
	for (size_t i = 0; i < c->seen.n; i++)
		words_add(&others, c->demangled.list[i]);
	list(&others, text);
	reason_remedy(reason, "it has %s", text);
	words_free(&others);
	return -ENOENT;
}

static int say_special(const struct target *target, struct reason_text *reason)
{
	reason_say(reason, 0,
		   "%s is a constructor, a destructor or an operator, which is not measured alone",
		   target->function);
	reason_remedy(reason, "measure a function that calls it");
	return -ENOENT;
}

/* Which of the candidates it is. */
static int choose(const struct candidates *c, struct target *target, struct words *symbols,
		  struct reason_text *reason)
{
	struct words matches = { 0 };
	bool hidden = false, special = false;
	size_t found = 0;
	int error = 0;

	for (size_t i = 0; i < c->demangled.n; i++) {
		const char *const match = cxx_match(c->demangled.list[i], target->function);

		if (match && i < c->seen.n &&
		    cxx_is_special(c->seen.list[i], c->demangled.list[i])) {
			special = true;
		} else if (match && i < c->seen.n) {
			words_add(&matches, match);
			found = i;
		}
		hidden = hidden || match;
	}
	if (matches.n == 1) {
		words_add(symbols, c->seen.list[found]);
		if (!symbols->failed)
			target->symbol = symbols->list[symbols->n - 1];
	} else if (special && matches.n == 0) {
		error = say_special(target, reason);
	} else if (hidden || c->seen.n > 0) {
		error = say(target, c, hidden, &matches, reason);
	}
	words_free(&matches);
	return symbols->failed ? -ENOMEM : error;
}

int names_resolve(struct tools *tools, struct target *target, const char *input,
		  struct words *symbols, struct reason_text *reason)
{
	struct candidates c = { 0 };
	struct symbols_file file;
	int error = 0;

	if (target->symbol || inputs_define(input, target->function))
		return 0;
	if (cxx_is_special(NULL, target->function))
		return say_special(target, reason);
	if (map_file(input, &file))
		return 0;
	c.part = cxx_last_part(target->function, &c.length);
	symbols_each(&file, see, &c);
	map_end(&file);
	words_sort(&c.seen);
	words_sort(&c.hidden);
	error = demangle(tools, &c, reason);
	if (!error)
		error = choose(&c, target, symbols, reason);
	words_free(&c.seen);
	words_free(&c.hidden);
	words_free(&c.demangled);
	return error;
}
