/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "mistake.h"
#include "mistake-helper.h"
#include "letters.h"
#include "map.h"
#include "path.h"
#include "symbols.h"
#include "reason.h"

#include <errno.h>
#include <ctype.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* So much of a name stands in a sentence. */
#define NAME 48
#define PATH 60

/* So many names are offered. */
#define OFFERS 3

/* A name of fewer letters is near everything. */
#define NEAR_LEAST 3
#define NEAR_MOST 64

/* The file from which this process has loaded the address. */
static bool map_file_of(const void *address, struct symbols_file *file)
{
	Dl_info info;

	return address && dladdr((void *)(uintptr_t)address, &info) && info.dli_fname &&
	       !map_loaded(info.dli_fname, file);
}

/* The name, as it stands in a sentence. */
static const char *shown(const char *name)
{
	static char room[NAME + 1];

	return letters_cut(room, sizeof room, name);
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

const char *mistake_path(const char *path)
{
	if (strlen(path) > PATH)
		path = path_name(path);
	return strlen(path) <= PATH ? path : "FILE";
}

/* The last dot of the path's last part, or its end. */
static const char *ending_of(const char *path)
{
	const char *name = path_name(path), *dot = strrchr(name, '.');

	return dot && dot > name ? dot : path + strlen(path);
}

/* A command that makes a shared object of the file. */
static void advise(struct cpucycles_reason *reason, const char *before, const char *path)
{
	const char *name = mistake_path(path);

	reason_remedy(reason, "%s %s -o %.*s.so", before, name, (int)(ending_of(name) - name),
		      name);
}

static void say_text(const char *path, struct cpucycles_reason *reason)
{
	const char *compiler = compiler_of(ending_of(path));

	reason_say(reason, 0, "it is a %s, not a shared object", compiler ? "source text" : "text");
	if (compiler)
		advise(reason, compiler, path);
	else
		reason_remedy(reason, "make one: cc -O2 -shared -fPIC f.c -o f.so");
}

static bool say_kind(enum symbols_kind kind, const char *path, struct cpucycles_reason *reason)
{
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
		say_text(path, reason);
		return true;
	default:
		return false;
	}
}

bool mistake_in_file(const struct target *target, struct cpucycles_reason *reason)
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

struct offer {
	char name[NAME + 1];
	unsigned distance; /* from what was asked for */
};

struct search {
	const char *asked;
	bool is_variable, is_code; /* of exactly this name */
	bool is_hidden;            /* there is one, but dlsym does not find it */
	char mangled[2 * NAME + 1];
	struct offer offers[OFFERS]; /* the nearest first */
	size_t n;
};

#define FAR 1000u

/* How many letters differ, are too many or too few. */
static unsigned edits(const char *a, const char *b)
{
	const size_t length = strlen(a), other = strlen(b);
	unsigned row[NEAR_MOST + 1], left, corner;

	if (length > NEAR_MOST || other > NEAR_MOST)
		return FAR;
	for (size_t i = 0; i <= length; i++)
		row[i] = (unsigned)i;
	for (size_t j = 0; j < other; j++) {
		corner = row[0];
		left = row[0] = (unsigned)j + 1;
		for (size_t i = 0; i < length; i++) {
			const unsigned same = corner + (a[i] != b[j]), above = row[i + 1] + 1;

			corner = row[i + 1];
			left = left + 1 < above ? left + 1 : above;
			left = left < same ? left : same;
			row[i + 1] = left;
		}
	}
	return row[length];
}

/* Two names are near if they differ in case, in two letters, or by what one has more. */
static unsigned distance_of(const char *asked, const char *name)
{
	unsigned distance;

	if (!strcasecmp(asked, name))
		return 0;
	if (strlen(asked) < NEAR_LEAST || strlen(name) < NEAR_LEAST)
		return FAR;
	distance = edits(asked, name);
	if (distance <= 2 && 2 * distance < strlen(asked))
		return distance;
	return strstr(name, asked) || strstr(asked, name) ? 3 : FAR;
}

/* C++ and Rust write the length before each part of a name. */
static bool is_mangled(const char *name, const char *asked)
{
	char part[NAME + 24];

	if (strncmp(name, "_Z", 2) && strncmp(name, "_R", 2))
		return false;
	snprintf(part, sizeof part, "%zu%.*s", strlen(asked), NAME, asked);
	for (const char *at = name; (at = strstr(at, part)); at++)
		if (!isdigit((unsigned char)at[-1]))
			return true;
	return false;
}

static void offer(struct search *search, const char *name)
{
	const unsigned distance = distance_of(search->asked, name);
	size_t at = search->n;

	/* A name with a version cannot be measured. */
	if (distance == FAR || strlen(name) > NAME || strchr(name, '@'))
		return;
	for (size_t i = 0; i < search->n; i++)
		if (!strcmp(search->offers[i].name, name))
			return;
	while (at > 0 && search->offers[at - 1].distance > distance)
		at--;
	if (at == OFFERS)
		return;
	if (search->n < OFFERS)
		search->n++;
	memmove(&search->offers[at + 1], &search->offers[at],
		(search->n - at - 1) * sizeof search->offers[0]);
	snprintf(search->offers[at].name, sizeof search->offers[at].name, "%s", name);
	search->offers[at].distance = distance;
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
	if (symbol->variable || same)
		return;
	/* The shortest one has the fewest parameters and folders of names. */
	if (is_mangled(symbol->name, search->asked)) {
		if (!search->mangled[0] || strlen(symbol->name) < strlen(search->mangled))
			letters_cut(search->mangled, sizeof search->mangled, symbol->name);
		return;
	}
	offer(search, symbol->name);
}

static void say_mangled(const struct target *target, const char *name,
			struct cpucycles_reason *reason)
{
	const size_t length = strlen(name);
	/* Rust's older names end in a hash, and its newer ones begin in another way. */
	const bool rust = name[1] == 'R' || (length > 20 && !strncmp(name + length - 20, "17h", 3));
	char plain[NAME + 24];

	if (rust) {
		reason_say(reason, 0, "Rust calls %s %s here", shown(target->function), name);
		reason_remedy(reason, "declare it #[no_mangle] pub extern \"C\" fn %s()",
			      shown(target->function));
		return;
	}
	reason_say(reason, 0, "C++ calls %s %s here", shown(target->function), name);
	snprintf(plain, sizeof plain, "_Z%zu%.*s%s", strlen(target->function), NAME,
		 target->function, target->sized ? "m" : "v");
	if (target->leak || strcmp(plain, name))
		reason_remedy(reason, "expected extern \"C\" void %s(%s)", shown(target->function),
			      target_argument(target));
	else
		reason_remedy(reason, "declare it extern \"C\", or measure %s:%s",
			      mistake_path(target->library), name);
}

static void say_names(const struct search *search, struct cpucycles_reason *reason)
{
	char names[OFFERS * (NAME + 2) + 1] = "";

	for (size_t i = 0; i < search->n; i++)
		letters_add(names, sizeof names, "%s%s", i > 0 ? ", " : "", search->offers[i].name);
	reason_remedy(reason, "it has %s", names);
}

/* hidden: how a function is that has the name, but is not found. */
static void say_missing(const struct target *target, const struct search *search,
			const char *hidden, struct cpucycles_reason *reason)
{
	if (search->mangled[0]) {
		say_mangled(target, search->mangled, reason);
		return;
	}
	reason_say(reason, 0, "there is no function %s in %s", shown(target->function),
		   mistake_path(target->library));
	if (search->is_hidden)
		reason_remedy(reason, "it is %s there: expected void %s(%s)", hidden,
			      shown(target->function), target_argument(target));
	else if (search->n > 0)
		say_names(search, reason);
	else
		reason_remedy(reason, "expected one that is not static: void %s(%s)",
			      shown(target->function), target_argument(target));
}

void mistake_in_name(const struct target *target, struct cpucycles_reason *reason)
{
	struct search search = { .asked = target->function };
	struct symbols_file file;

	if (!map_loaded(target->library, &file)) {
		symbols_each(&file, see, &search);
		map_loaded_end(&file);
	}
	say_missing(target, &search, "static or hidden", reason);
}

static void say_variable(const struct target *target, struct cpucycles_reason *reason)
{
	reason_say(reason, 0, "%s is a variable, not a function", shown(target->function));
}

bool mistake_in_object(const struct target *target, const struct symbols_file *file,
		       struct cpucycles_reason *reason)
{
	struct search search = { .asked = target->function };

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
			 struct cpucycles_reason *reason)
{
	struct search search = { .asked = target->function };
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

bool mistake_in_loaded_helper(const struct target *target, void *library,
			      struct cpucycles_reason *reason)
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
		     struct cpucycles_reason *reason)
{
	struct size_search search = { .input = target->input };

	symbols_each(file, see_size, &search);
	if (!search.wrong)
		return false;
	reason_say(reason, 0, "%s_bytes is not of the type size_t", shown(target->input));
	reason_remedy(reason, "expected this line: const size_t %s_bytes = 32;",
		      shown(target->input));
	return true;
}

bool mistake_is_no_size(const struct target *target, const void *address,
			struct cpucycles_reason *reason)
{
	struct symbols_file file;
	bool wrong;

	if (!map_file_of(address, &file))
		return false;
	wrong = mistake_in_size(target, &file, reason);
	map_loaded_end(&file);
	return wrong;
}

int mistake_of_lto(const char *path, struct cpucycles_reason *reason)
{
	reason_say(reason, 0, "%s was compiled with -flto, so its code is not made yet",
		   mistake_path(path));
	reason_remedy(reason, "compile it with -fno-lto");
	return -EINVAL;
}
