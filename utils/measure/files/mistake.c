/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "mistake.h"
#include "cxx-name.h"
#include "letters.h"
#include "map.h"
#include "path.h"
#include "symbols.h"
#include "reason.h"

#include <errno.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names that are offered, of NAME bytes at most. */
#define OFFERS 3
#define NAME 48

/* The file from which this process has loaded the address. */
static bool map_file_of(const void *address, struct symbols_file *file)
{
	Dl_info info;

	return address && dladdr((void *)(uintptr_t)address, &info) && info.dli_fname &&
	       !map_loaded(info.dli_fname, file);
}

/* The machine that this process is for, as its C library is. 0: unknown. */
static unsigned own_machine(void)
{
	struct symbols_file file;
	unsigned machine;

	if (!map_file_of(dlsym(RTLD_DEFAULT, "malloc"), &file))
		return 0;
	symbols_kind(&file, &machine);
	map_loaded_end(&file);
	return machine;
}

/* What compiles a source text with this ending. NULL: none that is known here. */
static const char *compiler_of(const char *ending)
{
	static const char *const known[][2] = {
		{ ".c", "cc -O2 -shared -fPIC" },    { ".s", "cc -shared -fPIC" },
		{ ".S", "cc -shared -fPIC" },        { ".cc", "c++ -O2 -shared -fPIC" },
		{ ".cpp", "c++ -O2 -shared -fPIC" }, { ".cxx", "c++ -O2 -shared -fPIC" },
		{ ".C", "c++ -O2 -shared -fPIC" },   { ".rs", "rustc -O --crate-type=cdylib" },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (!strcmp(ending, known[i][0]))
			return known[i][1];
	return NULL;
}

/* The last dot of the path's last part, or its end. */
static const char *ending_of(const char *path)
{
	const char *name = path_name(path), *dot = strrchr(name, '.');

	return dot && dot > name ? dot : path + strlen(path);
}

/* A command that makes a shared object of the file. */
static void advise(struct reason_text *reason, const char *before, const char *path)
{
	reason_remedy(reason, "%s %s -o %.*s.so", before, path, (int)(ending_of(path) - path),
		      path);
}

static bool say_kind(enum symbols_kind kind, const char *path, struct reason_text *reason)
{
	const char *const compiler = compiler_of(ending_of(path));

	switch (kind) {
	case SYMBOLS_OBJECT:
		reason_say(reason, 0, "it is an object file, not a shared object");
		advise(reason, "if it was compiled with -fPIC: cc -shared", path);
		return true;
	case SYMBOLS_ARCHIVE:
		reason_say(reason, 0, "it is an archive of object files, not a shared object");
		advise(reason, "cc -shared -Wl,--whole-archive", path);
		return true;
	case SYMBOLS_PROGRAM:
		reason_say(reason, 0, "it is a program, not a shared object");
		reason_remedy(reason, "compile the file of its functions: "
				      "cc -O2 -shared -fPIC f.c -o f.so");
		return true;
	case SYMBOLS_SCRIPT:
		reason_say(reason, 0, "it is a script of the linker, not a shared object");
		reason_remedy(reason, "name the library that stands in it");
		return true;
	case SYMBOLS_TEXT:
		reason_say(reason, 0, "it is a %s, not a shared object",
			   compiler ? "source text" : "text");
		if (compiler)
			advise(reason, compiler, path);
		else
			reason_remedy(reason, "make one: cc -O2 -shared -fPIC f.c -o f.so");
		return true;
	default:
		return false;
	}
}

bool mistake_in_file(const struct target *target, struct reason_text *reason)
{
	struct symbols_file file;
	enum symbols_kind kind;
	unsigned machine, own;

	if (map_loaded(target->library, &file))
		return false;
	kind = symbols_kind(&file, &machine);
	map_loaded_end(&file);
	own = own_machine();
	if (kind == SYMBOLS_FOREIGN || (own && machine && machine != own)) {
		reason_say(reason, 0, "it is for another machine than this program");
		reason_remedy(reason, "compile it for the machine that cpucycles-measure is for");
		return true;
	}
	return say_kind(kind, target->library, reason);
}

/* Names */

struct search {
	const char *asked;
	bool is_variable, is_code; /* of exactly this name */
	bool is_hidden;            /* there is one, but dlsym does not find it */
	char offers[OFFERS]
		   [NAME + 1]; /* names that contain the one asked for, the shortest first */
	size_t n;
};

static void offer(struct search *search, const char *name)
{
	const size_t length = strlen(name);
	size_t at = search->n;

	/* A name with a version cannot be measured. */
	if (!strstr(name, search->asked) || length > NAME || strchr(name, '@'))
		return;
	for (size_t i = 0; i < search->n; i++)
		if (!strcmp(search->offers[i], name))
			return;
	while (at > 0 && strlen(search->offers[at - 1]) > length)
		at--;
	if (at == OFFERS)
		return;
	if (search->n < OFFERS)
		search->n++;
	memmove(search->offers[at + 1], search->offers[at],
		(search->n - at - 1) * sizeof search->offers[0]);
	memcpy(search->offers[at], name, length + 1);
}

static void see(const struct symbol *symbol, void *argument)
{
	struct search *search = argument;
	const bool same = !strcmp(symbol->name, search->asked);

	if (!symbol->exported) {
		search->is_hidden = search->is_hidden || (same && !symbol->variable);
		return;
	}
	if (same) {
		search->is_variable = search->is_variable || symbol->variable;
		search->is_code = search->is_code || !symbol->variable;
	}
	if (!symbol->variable && !same)
		offer(search, symbol->name);
}

/* hidden: how a function is that has the name, but is not found. */
static void say_missing(const struct target *target, const struct search *search,
			const char *hidden, struct reason_text *reason)
{
	char names[OFFERS * (NAME + 2) + 1] = "";

	for (size_t i = 0; i < search->n; i++)
		letters_add(names, sizeof names, "%s%s", i > 0 ? ", " : "", search->offers[i]);
	reason_say(reason, 0, "there is no function %s in %s", target->function, target->library);
	if (search->is_hidden)
		reason_remedy(reason, "it is %s there: expected void %s(%s)", hidden, target->stem,
			      target_argument(target));
	else if (search->n > 0)
		reason_remedy(reason, "it has %s", names);
	else
		reason_remedy(reason, "expected one that is not static: void %s(%s)", target->stem,
			      target_argument(target));
}

void mistake_in_name(const struct target *target, struct reason_text *reason)
{
	struct search search = { .asked = target_symbol(target) };
	struct symbols_file file;

	if (!map_loaded(target->library, &file)) {
		symbols_each(&file, see, &search);
		map_loaded_end(&file);
	}
	say_missing(target, &search, "static or hidden", reason);
}

static void say_variable(const struct target *target, struct reason_text *reason)
{
	reason_say(reason, 0, "%s is a variable, not a function", target->function);
}

bool mistake_in_object(const struct target *target, const struct symbols_file *file,
		       struct reason_text *reason)
{
	struct search search = { .asked = target_symbol(target) };

	symbols_each(file, see, &search);
	if (search.is_code)
		return false;
	if (search.is_variable)
		say_variable(target, reason);
	else
		say_missing(target, &search, "static", reason);
	return true;
}

bool mistake_is_variable(const struct target *target, const void *address,
			 struct reason_text *reason)
{
	struct search search = { .asked = target_symbol(target) };
	struct symbols_file file;

	/* A variable of each thread lies in no file. */
	if (!map_file_of(address, &file) && map_loaded(target->library, &file))
		return false;
	symbols_each(&file, see, &search);
	map_loaded_end(&file);
	if (!search.is_variable || search.is_code)
		return false;
	say_variable(target, reason);
	return true;
}

/* Helpers, where a C++ compiler has given them names of its own */

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
	size_t scope; /* bytes of the function's mangled name before the function's own name */
	bool function, found[HELPERS], mangled[HELPERS];
};

/* Of a function of C, its helpers of C++ have no scope. */
static struct helper_search begin_helpers(const struct target *target)
{
	const char *const symbol = target_symbol(target);
	const char *const own = cxx_find_part(symbol, target->stem, strlen(target->stem));

	return (struct helper_search){ .target = target,
				       .scope = own ? (size_t)(own - symbol) : 0 };
}

/* A mangled name has the length of the name before it. Libraries have many symbols, so the length
 * is compared first. After a scope, an E ends the name. */
static bool is_mangled_in(const char *of, size_t scope, const char *symbol, const char *name,
			  const struct helper *helper)
{
	const size_t length = strlen(name);
	char *end;

	if (strncmp(symbol, of, scope) || strtoul(symbol + scope, &end, 10) != length ||
	    strncmp(end, name, length))
		return false;
	end += scope > strlen("_Z") && end[length] == 'E';
	for (size_t i = 0; helper->parameters[i]; i++)
		if (!strcmp(end + length, helper->parameters[i]))
			return true;
	return false;
}

/* In the scope of the function, or in none. */
static bool is_mangled(const struct helper_search *search, const char *symbol, const char *name,
		       const struct helper *helper)
{
	return is_mangled_in("_Z", strlen("_Z"), symbol, name, helper) ||
	       (search->scope > strlen("_Z") &&
		is_mangled_in(target_symbol(search->target), search->scope, symbol, name, helper));
}

static const char *name_of(const struct target *target, size_t i)
{
	const char *const names[HELPERS] = { target->setup, target->before, target->input };

	return names[i];
}

static void see_helper(const struct symbol *symbol, void *argument)
{
	struct helper_search *search = argument;

	if (!symbol->exported)
		return;
	search->function = search->function || !strcmp(symbol->name, target_symbol(search->target));
	for (size_t i = 0; i < HELPERS; i++) {
		const char *name = name_of(search->target, i);

		search->found[i] = search->found[i] || !strcmp(symbol->name, name);
		search->mangled[i] =
			search->mangled[i] || is_mangled(search, symbol->name, name, &helpers[i]);
	}
}

/* Of an archive, only the member counts that has the function: others may never be linked. */
static struct helper_search search_member(const struct target *target,
					  const struct symbols_file *file)
{
	struct helper_search search = begin_helpers(target);
	struct symbols_file member;
	size_t at = 0;

	if (!symbols_member(file, &at, &member)) {
		symbols_each(file, see_helper, &search);
		return search;
	}
	do {
		search = begin_helpers(target);
		symbols_each(&member, see_helper, &search);
	} while (!search.function && symbols_member(file, &at, &member));
	return search;
}

bool mistake_in_helper(const struct target *target, const struct symbols_file *file, void *library,
		       struct reason_text *reason)
{
	const struct helper_search search = search_member(target, file);
	struct helper_search all = begin_helpers(target);

	for (size_t i = 0; i < HELPERS; i++) {
		const char *const name = name_of(target, i);

		if (search.found[i] || !search.mangled[i] || (helpers[i].leak && !target->leak) ||
		    (library && dlsym(library, name)))
			continue;
		/* Another member of the archive may have it. */
		symbols_each(file, see_helper, &all);
		if (all.found[i])
			continue;
		reason_say(reason, 0, "%s is a function of C++ and would not be called", name);
		reason_remedy(reason, "declare %s extern \"C\", or give it another name", name);
		return true;
	}
	return false;
}

bool mistake_in_loaded_helper(const struct target *target, void *library,
			      struct reason_text *reason)
{
	struct symbols_file file;
	bool wrong;

	if (!map_file_of(dlsym(library, target->function), &file))
		return false;
	wrong = mistake_in_helper(target, &file, library, reason);
	map_loaded_end(&file);
	return wrong;
}

struct size_search {
	const char *input; /* FUNCTION_input */
	bool wrong;
};

/* Assembler often says no size, and sanitizers make a variable larger. */
static void see_size(const struct symbol *symbol, void *argument)
{
	struct size_search *search = argument;
	const size_t length = strlen(search->input);

	if (symbol->exported && !strncmp(symbol->name, search->input, length) &&
	    !strcmp(symbol->name + length, "_bytes"))
		search->wrong = symbol->code || (symbol->size && symbol->size < sizeof(size_t));
}

bool mistake_in_size(const struct target *target, const struct symbols_file *file,
		     struct reason_text *reason)
{
	struct size_search search = { .input = target->input };

	symbols_each(file, see_size, &search);
	if (!search.wrong)
		return false;
	reason_say(reason, 0, "%s_bytes is not of the type size_t", target->input);
	reason_remedy(reason, "expected this line: const size_t %s_bytes = 32;", target->input);
	return true;
}

bool mistake_is_no_size(const struct target *target, const void *address,
			struct reason_text *reason)
{
	struct symbols_file file;
	bool wrong;

	if (!map_file_of(address, &file))
		return false;
	wrong = mistake_in_size(target, &file, reason);
	map_loaded_end(&file);
	return wrong;
}

static bool fits(const struct target *target)
{
	const struct signature *const s = &target->signature;

	if (!*s->prototype)
		return true;
	if (target->leak)
		return s->pointer;
	return target->sized ? s->size || signature_has_buffer(s) : s->nothing;
}

bool mistake_in_parameters(const struct target *target, struct reason_text *reason)
{
	const struct signature *const s = &target->signature;
	const bool takes_size = s->size || signature_has_buffer(s);

	if (target->listed && s->scoped && fits(target)) {
		reason_say(reason, 0, "it may be a member of a class, which needs an object");
		reason_remedy(reason, "compile it with -g, or choose it by --only");
		return true;
	}
	if (fits(target)) {
		if (!target->sized || !s->narrow || target->size <= INT32_MAX)
			return false;
		reason_say(reason, 0, "a size of %zu does not fit into 32 bits: it is %s",
			   target->size, s->prototype);
		return true;
	}
	reason_say(reason, 0, "it cannot be called as void %s(%s): it is %s", target->stem,
		   target_argument(target), s->prototype);
	if (target->sized && s->nothing)
		reason_remedy(reason, "leave out --sizes");
	else if (target->leak)
		reason_remedy(reason, "test a function that calls it with parts of its input");
	else
		reason_remedy(reason, "%smeasure a function that calls it%s%s",
			      takes_size && !target->sized ?
				      "say with which sizes, such as --sizes 1000, or " :
				      "",
			      *s->wrapper ? ", which its source may have: " : "", s->wrapper);
	return true;
}

int mistake_of_lto(const char *path, const char *others, struct reason_text *reason)
{
	reason_say(reason, 0,
		   "%s%s was compiled with -flto, so it lacks the code that a program runs", path,
		   others);
	reason_remedy(reason, "compile it with -fno-lto");
	return -EINVAL;
}
