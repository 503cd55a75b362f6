/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "link.h"
#include "letters.h"
#include "linkscript.h"
#include "map.h"
#include "mistake.h"
#include "side.h"
#include "tools.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME 60 /* of a name that stands in a sentence */

struct link {
	struct tools tools;
	const char *harness;
	struct target *const *targets;
	struct side *sides; /* n of them */
	size_t n;
	char **inputs;       /* of each side: the object or archive */
	struct words with;   /* files and libraries, as the linker gets them */
	bool cxx;            /* a file is compiled as C++ */
	bool bfd;            /* the compiler's usual linker does not know what is needed */
	bool without_unused; /* what nobody needs is left out */
	char *script, *program;
	struct words command; /* what links all sides */
};

bool link_is_input(const char *path)
{
	const char *dot = strrchr(path, '.');
	enum symbols_kind kind = SYMBOLS_UNKNOWN;
	struct symbols_file file;
	unsigned machine;
	bool cxx;

	if (!map_file(path, &file)) {
		kind = symbols_kind(&file, &machine);
		map_end(&file);
	}
	if (kind == SYMBOLS_OBJECT || kind == SYMBOLS_ARCHIVE)
		return true;
	if (kind == SYMBOLS_SHARED || kind == SYMBOLS_PROGRAM)
		return false;
	return tools_is_source(path, &cxx) || (dot && (!strcmp(dot, ".o") || !strcmp(dot, ".a")));
}

/* Making the sides */

/* The object of a source text, number i of those that are compiled. NULL with *error. */
static char *compile(struct link *link, const char *path, const char *kind, size_t i, int *error,
		     struct cpucycles_reason *reason)
{
	char name[64], *object;
	bool cxx;

	snprintf(name, sizeof name, "%s-%zu.o", kind, i);
	object = scratch_file(&link->tools.scratch, name);
	*error = object ? tools_compile(&link->tools, path, object, reason) : -ENOMEM;
	tools_is_source(path, &cxx);
	link->cxx = link->cxx || cxx;
	if (*error) {
		free(object);
		return NULL;
	}
	return object;
}

/* The object that an earlier target's file was compiled into, if it is the same file. */
static char *compiled_before(const struct link *link, size_t i)
{
	for (size_t earlier = 0; earlier < i; earlier++)
		if (!strcmp(link->targets[earlier]->library, link->targets[i]->library))
			return strdup(link->inputs[earlier]);
	return NULL;
}

/* Whether the compiler is to see the file. It would say less clearly that the file is not there. */
static bool is_compiled(const char *path)
{
	struct symbols_file file;
	bool cxx;
	int error;

	if (!tools_is_source(path, &cxx))
		return false;
	error = map_file(path, &file);
	map_end(&file);
	return !error || error == -ENODATA;
}

static int make_side(struct link *link, size_t i, struct cpucycles_reason *reason)
{
	const struct target *target = link->targets[i];
	int error = -ENOMEM;

	link->inputs[i] = compiled_before(link, i);
	if (!link->inputs[i] && is_compiled(target->library))
		link->inputs[i] = compile(link, target->library, "source", i, &error, reason);
	else if (!link->inputs[i])
		link->inputs[i] = strdup(target->library);
	if (!link->inputs[i])
		return error;
	return side_make(&link->tools, target, link->inputs[i], link->harness, i, &link->sides[i],
			 reason);
}

static int make_sides(struct link *link, size_t *which, struct cpucycles_reason *reason)
{
	for (size_t i = 0; i < link->n; i++) {
		const int error = make_side(link, i, reason);

		if (error) {
			*which = i;
			return error;
		}
	}
	return 0;
}

/* A program looks for a shared object in the folders that it knows, wherever it was linked from. */
static void add_folder(const char *folder, struct words *words)
{
	char *absolute = realpath(folder, NULL);

	if (absolute) {
		words_add(words, "-Xlinker");
		words_add(words, "-rpath");
		words_add(words, "-Xlinker");
		words_add(words, absolute);
	}
	free(absolute);
}

/* The absolute path of the file's folder, or of a file beside it, to be freed. */
static char *beside(const char *path, const char *name)
{
	char *absolute = realpath(path, NULL), *slash = absolute ? strrchr(absolute, '/') : NULL;
	char *other = slash ? malloc(strlen(absolute) + strlen(name) + 2) : NULL;

	if (other)
		sprintf(other, "%.*s/%s", (int)(slash - absolute), absolute, name);
	free(absolute);
	return other;
}

/* Its own name leads to it in this program's folder, as it will after it has been installed. No
 * other file there has such a name. */
static void name_library(struct link *link, const char *path, const char *soname)
{
	char *absolute = realpath(path, NULL);
	char *other = scratch_file(&link->tools.scratch, soname);

	/* If it cannot be done, the program says that it misses the file. */
	if (absolute && other && strstr(soname, ".so") && !symlink(absolute, other))
		add_folder(link->tools.scratch.path, &link->with);
	free(absolute);
	free(other);
}

/* The program is to find the shared object by the name that it has for programs. */
static void find_library(struct link *link, const char *path, const char *soname)
{
	char *folder = beside(path, ""), *other = soname ? beside(path, soname) : NULL;

	if (folder)
		add_folder(folder, &link->with);
	if (other && !strchr(soname, '/') && access(other, F_OK))
		name_library(link, path, soname);
	free(folder);
	free(other);
}

/* A file for the linker. */
static int add_file(struct link *link, const char *path, struct cpucycles_reason *reason)
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
	words_add_path(&link->with, path);
	if (symbols_kind(&file, &machine) == SYMBOLS_SHARED)
		find_library(link, path, symbols_soname(&file));
	map_end(&file);
	return 0;
}

/* A library that the linker finds in this folder. */
static void look_for(struct link *link, const char *folder, const char *library)
{
	char *path = malloc(strlen(folder) + strlen(library) + sizeof "/lib.so");
	struct symbols_file file;
	unsigned machine;

	if (!path)
		return;
	sprintf(path, "%s/lib%s.so", folder, library);
	if (!map_file(path, &file)) {
		if (symbols_kind(&file, &machine) == SYMBOLS_SHARED)
			find_library(link, path, symbols_soname(&file));
		map_end(&file);
	}
	free(path);
}

/* A library in the folders of all -LFOLDER. */
static void look_everywhere(struct link *link, const char *library, const struct words *words)
{
	for (size_t i = 0; i < words->n; i++)
		if (!strncmp(words->list[i], "-L", 2))
			look_for(link, words->list[i] + 2, library);
}

/* Shared objects of -lNAME in folders of -LFOLDER. */
static void find_libraries(struct link *link)
{
	struct words all = { 0 };

	words_append(&all, &link->tools.flags);
	words_append(&all, &link->with);
	for (size_t i = 0; i < all.n; i++)
		if (!strncmp(all.list[i], "-l", 2))
			look_everywhere(link, all.list[i] + 2, &all);
	words_free(&all);
}

/* One --with, number i. */
static int add_one(struct link *link, const char *path, size_t i, struct cpucycles_reason *reason)
{
	char *object;
	int error;

	if (!*path) {
		reason_say(reason, 0, "--with names no file");
		reason_remedy(reason, "expected --with FILE, or --with -lNAME");
		return -EINVAL;
	}
	if (*path == '-') {
		words_add(&link->with, path);
		return 0;
	}
	if (!is_compiled(path))
		return add_file(link, path, reason);
	object = compile(link, path, "with", i, &error, reason);
	if (object)
		words_add(&link->with, object);
	free(object);
	return error;
}

static int add_with(struct link *link, const struct link_options *options,
		    struct cpucycles_reason *reason)
{
	int error = 0;

	for (size_t i = 0; i < options->with_count && !error; i++)
		error = add_one(link, options->with[i], i, reason);
	if (!error)
		find_libraries(link);
	return error;
}

/* The command */

/* The compiler's driver knows where the C library lies, and what each program begins with. */
static void add_driver(const struct link *link, struct words *words)
{
	tools_add_compiler(words, link->cxx);
	words_append(words, &link->tools.flags);
	if (link->bfd)
		words_add(words, "-fuse-ld=bfd");
}

static void add_driver_words(const struct link *link, struct words *words)
{
	words_add(words, "-no-pie");
	words_add(words, "-o");
	words_add(words, link->program);
	/* Flags may say that all files are of one language. */
	words_add(words, "-x");
	words_add(words, "none");
	words_add_path(words, link->harness);
	for (size_t i = 0; i < link->n; i++)
		words_add(words, link->sides[i].object);
	words_append(words, &link->with);
	/* Names in messages as they stand in the files. */
	words_add(words, "-Xlinker");
	words_add(words, "--no-demangle");
	words_add(words, "-Xlinker");
	words_add(words, "--strip-debug");
	if (link->without_unused) {
		words_add(words, "-Xlinker");
		words_add(words, "--gc-sections");
	}
	words_add(words, "-T");
	words_add(words, link->script);
}

/* The driver's answer is the linker's command. If it is not understood, the driver itself is run
 * each time. */
static int ask_driver(struct link *link, const struct words *driver, const char *linker,
		      struct cpucycles_reason *reason)
{
	struct words question = { 0 };
	int error;

	words_append(&question, driver);
	words_add(&question, "-###");
	error = tools_run(&link->tools, &question, reason);
	if (!error && (link->tools.command.status || link->tools.command.cut || !linker ||
		       !linkscript_command(link->tools.command.output, linker, link->program,
					   &link->command)))
		words_append(&link->command, driver);
	words_free(&question);
	return !error && link->command.failed ? -ENOMEM : error;
}

/* Ask the driver for the linker's command, which takes a third of the driver's time. */
static int ask_command(struct link *link, struct cpucycles_reason *reason)
{
	struct words driver = { 0 };
	char *linker;
	int error;

	words_free(&link->command);
	add_driver(link, &driver);
	error = tools_ask(&link->tools, &driver, "ld", &linker, reason);
	add_driver_words(link, &driver);
	if (!error)
		error = ask_driver(link, &driver, linker, reason);
	free(linker);
	words_free(&driver);
	return error;
}

/* Linking */

/* Where a side's first section begins, so that its function begins there. */
static size_t place_of(const struct side *side, size_t start)
{
	const size_t before = side->offset % LINKSCRIPT_PAGE;

	return start < before ? start + LINKSCRIPT_PAGE - before : start - before;
}

static int put_script(const struct link *link, const struct placement *placement,
		      const size_t order[], size_t n)
{
	struct linkscript_side *sides = calloc(n, sizeof *sides);
	FILE *to = sides ? fopen(link->script, "w") : NULL;
	bool failed;
	int error;

	if (!to) {
		error = sides ? -errno : -ENOMEM;
		free(sides);
		return error;
	}
	for (size_t k = 0; k < n; k++) {
		const struct side *side = &link->sides[order[k]];

		sides[k] = (struct linkscript_side){
			.number = order[k],
			.first = side->section,
			.place = place_of(side, placement->starts[order[k]]),
			.gap = placement->gaps[order[k]],
			.codes = &side->codes,
		};
	}
	errno = 0;
	linkscript_write(sides, n, placement->padding, to);
	free(sides);
	failed = fflush(to) || ferror(to);
	if (fclose(to) || failed)
		return errno ? -errno : -EIO;
	return 0;
}

static bool is_in(const size_t order[], size_t n, size_t i)
{
	for (size_t k = 0; k < n; k++)
		if (order[k] == i)
			return true;
	return false;
}

/* Whether the word is a side that is left out. */
static bool is_left_out(const struct link *link, const size_t order[], size_t n, const char *word)
{
	for (size_t i = 0; i < link->n; i++)
		if (!strcmp(word, link->sides[i].object))
			return !is_in(order, n, i);
	return false;
}

static int run_linker(struct link *link, const size_t order[], size_t n,
		      struct cpucycles_reason *reason)
{
	struct words words = { 0 };
	int error;

	for (size_t i = 0; i < link->command.n; i++)
		if (!is_left_out(link, order, n, link->command.list[i]))
			words_add(&words, link->command.list[i]);
	/* Of the program before, nothing may be left if this goes wrong. */
	remove(link->program);
	error = words.failed ? -ENOMEM : tools_run(&link->tools, &words, reason);
	words_free(&words);
	return error;
}

/* What is wrong, from the linker's messages */

static bool needs(const char *path, const char *name)
{
	struct symbols_file file;
	bool answer;

	if (map_file(path, &file))
		return false;
	answer = symbols_needs(&file, name);
	map_end(&file);
	return answer;
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

	if (map_file(path, &file))
		return false;
	symbols_each(&file, see_defined, &name);
	map_end(&file);
	return !name;
}

/* The path of a measured file that has the name. NULL: none has it. */
static const char *who_defines(const struct link *link, const char *name)
{
	for (size_t i = 0; i < link->n; i++)
		if (defines(link->inputs[i], name))
			return link->targets[i]->library;
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
		who = mistake_path(link->targets[*which]->library);
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

/* One of those names, as a text. False: there is none. */
static bool find_undefined(const char *output, char **name)
{
	size_t length;
	const char *found = linkscript_undefined(&output, &length);

	*name = found ? strndup(found, length) : NULL;
	return found != NULL;
}

/* One file is given twice, or two files have the same name for something. */
static bool is_double(const char *output)
{
	return strstr(output, "multiple definition") || strstr(output, "duplicate symbol");
}

/* The linker has failed. */
static int say_failure(struct link *link, size_t *which, struct cpucycles_reason *reason)
{
	const char *output = link->tools.command.output;
	char *name;
	int error;

	if (find_undefined(output, &name)) {
		error = name ? say_undefined(link, name, which, reason) : -ENOMEM;
		free(name);
		return error;
	}
	command_show(&link->tools.command);
	reason_say(reason, 0, "%s cannot link this, and says why above",
		   link->command.n > 0 ? mistake_path(link->command.list[0]) : "the linker");
	if (tools_lack_index(&link->tools))
		reason_remedy(reason, "make the archive's index: ranlib FILE.a");
	else if (is_double(output))
		reason_remedy(reason, "give each file once, either to measure or by --with");
	else
		reason_remedy(reason, "give what both sides need by --with FILE or --with -lNAME");
	return -EINVAL;
}

/* Whatever has failed: the reason has a sentence, in one line. */
static int finish(int error, struct cpucycles_reason *reason)
{
	if (!error)
		reason_clear(reason);
	else if (!reason->what[0])
		reason_say(reason, -error, "it cannot be linked: %s", strerror(-error));
	if (error == -ENOSPC && !reason->remedy[0])
		reason_remedy(reason, "make room, or set TMPDIR to another folder");
	reason_tidy(reason);
	return error;
}

int link_make(struct link *link, const struct placement *placement, const size_t order[], size_t n,
	      struct cpucycles_reason *reason)
{
	struct cpucycles_reason own;
	size_t which = link->n;
	int error;

	reason = reason ? reason : &own;
	reason_clear(reason);
	error = n > 0 ? put_script(link, placement, order, n) : -EINVAL;
	if (!error)
		error = run_linker(link, order, n, reason);
	if (!error && link->tools.command.status)
		error = say_failure(link, &which, reason);
	return finish(error, reason);
}

/* The first link */

static void see_section(const struct symbols_section *section, void *argument)
{
	bool *found = argument;

	*found = *found || !strcmp(section->name, LINKSCRIPT_SECTION);
}

/* Some linkers ignore scripts. */
static bool obeys_script(const struct link *link)
{
	struct symbols_file file;
	bool found = false;

	if (!map_file(link->program, &file)) {
		symbols_sections(&file, see_section, &found);
		map_end(&file);
	}
	return found;
}

/* Link all sides at the first places. 0: the linker has ended; its status says how. */
static int try_once(struct link *link, struct cpucycles_reason *reason)
{
	size_t *order = calloc(link->n, sizeof *order), *none = calloc(link->n, sizeof *none);
	const struct placement placement = { .starts = none, .gaps = none };
	int error = order && none ? ask_command(link, reason) : -ENOMEM;

	for (size_t i = 0; order && i < link->n; i++)
		order[i] = i;
	if (!error)
		error = put_script(link, &placement, order, link->n);
	if (!error)
		error = run_linker(link, order, link->n, reason);
	free(order);
	free(none);
	return error;
}

/* After a try that has failed: whether there is another way. */
static bool change_way(struct link *link)
{
	const char *output = link->tools.command.output;
	size_t length;

	if (linkscript_undefined(&output, &length)) {
		const bool again = !link->without_unused;

		link->without_unused = true;
		return again;
	}
	if (link->bfd || is_double(output))
		return false;
	link->bfd = true;
	return true;
}

/* Link for the first time. A linker that does not know what the script says makes way for GNU ld.
 * If something needs what is not there, perhaps nobody needs that something. */
static int try_link(struct link *link, size_t *which, struct cpucycles_reason *reason)
{
	int error;

	do {
		error = try_once(link, reason);
		if (error || (!link->tools.command.status && obeys_script(link)))
			return error;
	} while (change_way(link));
	if (link->tools.command.status)
		return say_failure(link, which, reason);
	reason_say(reason, 0, "%s does not obey a linker's script with INSERT",
		   mistake_path(link->command.list[0]));
	reason_remedy(reason, "let the compiler take GNU ld: --cflags -fuse-ld=bfd");
	return -ENOTSUP;
}

#if defined(HAVE_ELF_H)
#define HAS_ELF true
#else
#define HAS_ELF false
#endif

/* The linker's script and the names in objects are those of ELF. */
static int check_system(struct cpucycles_reason *reason)
{
	if (HAS_ELF)
		return 0;
	reason_say(reason, 0, "objects can be placed on systems with ELF only");
	reason_remedy(reason, "make a shared object, and measure LIB.so:FUNCTION");
	return -ENOTSUP;
}

static int prepare(struct link *link, const struct link_options *options, size_t *which,
		   struct cpucycles_reason *reason)
{
	int error = check_system(reason);

	if (!error)
		error = tools_begin(&link->tools, options->flags, options->seconds, reason);
	if (error)
		return error;
	link->script = scratch_file(&link->tools.scratch, "measured.ld");
	link->program = scratch_file(&link->tools.scratch, "measured");
	link->sides = calloc(link->n, sizeof *link->sides);
	link->inputs = calloc(link->n, sizeof *link->inputs);
	if (!link->script || !link->program || !link->sides || !link->inputs)
		return -ENOMEM;
	error = make_sides(link, which, reason);
	if (!error)
		error = add_with(link, options, reason);
	if (!error)
		error = try_link(link, which, reason);
	return error;
}

int link_begin(struct link **link, struct target *const targets[], size_t n,
	       const struct link_options *options, size_t *which, struct cpucycles_reason *reason)
{
	struct cpucycles_reason own;
	int error;

	reason = reason ? reason : &own;
	reason_clear(reason);
	*which = n;
	*link = calloc(1, sizeof **link);
	if (!*link) {
		reason_say(reason, ENOMEM, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	(*link)->tools.scratch.lock = -1;
	(*link)->harness = options->harness;
	(*link)->targets = targets;
	(*link)->n = n;
	error = finish(prepare(*link, options, which, reason), reason);
	if (error) {
		link_end(*link);
		*link = NULL;
	}
	return error;
}

size_t link_alignment(const struct link *link, size_t i)
{
	return link->sides[i].alignment;
}

const char *link_program(const struct link *link)
{
	return link->program;
}

void link_end(struct link *link)
{
	if (!link)
		return;
	for (size_t i = 0; i < link->n; i++) {
		if (link->sides)
			side_free(&link->sides[i]);
		if (link->inputs)
			free(link->inputs[i]);
	}
	free(link->sides);
	free(link->inputs);
	free(link->script);
	free(link->program);
	words_free(&link->with);
	words_free(&link->command);
	tools_end(&link->tools);
	free(link);
}
