/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "link.h"
#include "inputs.h"
#include "linkscript.h"
#include "names.h"
#include "side.h"
#include "files/map.h"
#include "files/mistake.h"
#include "files/unchanged.h"
#include "streams.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct link {
	struct tools tools;
	const char *harness;
	const char *flags_of[2]; /* of link_options */
	struct target *targets;
	struct side *sides; /* n * copies of them: number k is a side of target k % n */
	size_t n, copies;
	char **inputs; /* of each side: the object or archive */
	struct inputs besides;
	bool bfd;            /* the compiler's usual linker does not know what is needed */
	bool without_unused; /* what is not needed is left out */
	bool apart;          /* the files of --with are part of each side */
	char *script, *program;
	struct words command; /* what links all sides */
	struct words symbols; /* of functions with another name on the command line */
};

/* To add a kind of file: here, in sources[] of tools.c if it is compiled, in inputs.c (the files of
 * --with) and side-check.c (what a side may be), and in files/mistake.c (what a library may not be)
 * and files/pairs.c (whose functions are listed). */
bool link_is_input(const char *path)
{
	const char *dot = strrchr(path, '.');
	enum symbols_kind kind;
	struct symbols_file file;
	unsigned machine;
	bool cxx;

	map_beginning(path, &file);
	kind = symbols_kind(&file, &machine);
	map_end(&file);
	if (kind == SYMBOLS_OBJECT || kind == SYMBOLS_ARCHIVE)
		return true;
	if (kind == SYMBOLS_SHARED || kind == SYMBOLS_PROGRAM)
		return false;
	return tools_is_source(path, &cxx) || (dot && (!strcmp(dot, ".o") || !strcmp(dot, ".a")));
}

/* The library that the compiler of C++ links. */
#define CXX_LIBRARY "-lstdc++"

/* Names that compilers call by themselves, as patterns of fnmatch(3), and the library that has
 * them. Of libstdc++ also what is in namespace std, where libc++ has a namespace of its own. */
static const struct origin {
	const char *names, *of, *library;
} origins[] = {
	{ "_Z*St3__1*", "C++ with libc++", "-lc++" },
	{ "__cxa_*", "C++", CXX_LIBRARY },
	{ "__gxx_*", "C++", CXX_LIBRARY },
	{ "_Z[nd][alw]*", "C++", CXX_LIBRARY },
	{ "_ZS*", "C++", CXX_LIBRARY },
	{ "_ZNS*", "C++", CXX_LIBRARY },
	{ "_ZNKS*", "C++", CXX_LIBRARY },
	{ "_ZT[ISV]St*", "C++", CXX_LIBRARY },
	{ "_ZT[ISV]NSt*", "C++", CXX_LIBRARY },
	{ "_ZT[ISV]N10__cxxabiv1*", "C++", CXX_LIBRARY },
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

#define ORIGINS (sizeof origins / sizeof origins[0])

/* The other names with __cxa_ are called by code that is not of C++, too, or come together with
 * __gxx_personality_v0. */
static bool is_cxx_alone(const char *name)
{
	return strncmp(name, "__cxa_", 6) || !strncmp(name, "__cxa_guard_", 12) ||
	       !strcmp(name, "__cxa_pure_virtual");
}

static void see_cxx(const struct symbol *symbol, void *argument)
{
	bool *const cxx = argument;
	size_t i = 0;

	while (i < ORIGINS && fnmatch(origins[i].names, symbol->name, 0))
		i++;
	*cxx = *cxx || (i < ORIGINS && !strcmp(origins[i].library, CXX_LIBRARY) &&
			is_cxx_alone(symbol->name));
}

/* Whether the side needs the library of C++, and it is not given. */
static bool needs_cxx(const struct link *link, const struct side *side)
{
	struct symbols_file file;
	bool cxx = false;

	if (words_have(&link->besides.with, CXX_LIBRARY))
		return false;
	map_file(side->object, &file);
	symbols_each_needed(&file, see_cxx, &cxx);
	map_end(&file);
	return cxx;
}

/* Making the sides */

static const char *flags_of(const struct link *link, size_t i)
{
	return i < 2 ? link->flags_of[i] : NULL;
}

/* What the linker gets for an earlier target's file, if it is the same file. */
static char *prepared_before(const struct link *link, size_t i)
{
	for (size_t earlier = 0; earlier < i; earlier++)
		if (!strcmp(link->targets[earlier].library, link->targets[i].library) &&
		    !flags_of(link, earlier) && !flags_of(link, i))
			return strdup(link->inputs[earlier]);
	return NULL;
}

/* If names clash in one file, the files of --with become part of each side, so that all functions
 * are placed alike. */
static int prepare_input(struct link *link, size_t i, struct reason_text *reason)
{
	const char *const path = link->targets[i].library, *const object = link->targets[i].object;
	int error = -ENOMEM;
	bool cxx;

	link->inputs[i] = prepared_before(link, i);
	if (!link->inputs[i])
		link->inputs[i] = inputs_prepare(&link->besides, object ? object : path,
						 flags_of(link, i), "source", i, &error, reason);
	if (!link->inputs[i])
		return error;
	if (tools_is_source(path, &cxx))
		link->besides.cxx |= cxx;
	link->apart = link->apart || inputs_clash(&link->besides, path, link->inputs[i]);
	return 0;
}

static int prepare_inputs(struct link *link, size_t *which, struct reason_text *reason)
{
	for (size_t i = 0; i < link->n; i++) {
		int error = prepare_input(link, i, reason);

		if (!error)
			error = names_resolve(&link->tools, &link->targets[i], link->inputs[i],
					      &link->symbols, reason);
		if (error) {
			*which = i;
			return error;
		}
	}
	return 0;
}

static int make_sides(struct link *link, size_t *which, struct reason_text *reason)
{
	for (size_t i = 0; i < link->n; i++) {
		const int error = side_make(&link->tools, &link->targets[i], link->inputs[i],
					    link->apart ? &link->besides : NULL, link->harness, i,
					    &link->sides[i], reason);

		link->targets[i].side = i;
		if (error) {
			*which = i;
			return error;
		}
		link->besides.cxx = link->besides.cxx || needs_cxx(link, &link->sides[i]);
	}
	return 0;
}

static size_t sides_of(const struct link *link)
{
	return link->n * link->copies;
}

/* The command */

/* What the compiler's driver gets besides. */
static void add_driver_words(const struct link *link, struct words *words)
{
	words_split(words, "-no-pie -o");
	words_add(words, link->program);
	/* Flags may say that all files are of one language. */
	words_split(words, "-x none");
	words_add_path(words, link->harness);
	for (size_t i = 0; i < sides_of(link); i++)
		words_add(words, link->sides[i].object);
	words_append(words, &link->besides.with);
	/* Names in messages as they stand in the files. */
	words_split(words, "-Xlinker --no-demangle -Xlinker --strip-debug");
	if (link->without_unused)
		words_split(words, "-Xlinker --gc-sections");
	words_add(words, "-T");
	words_add(words, link->script);
}

/* The compiler's driver knows where the C library lies, and what each program begins with. Its
 * answer is the linker's command, which takes a third of the driver's time. If the answer is not
 * understood, the driver itself is run each time. */
static int ask_command(struct link *link, struct reason_text *reason)
{
	const struct command *answer = &link->tools.command;
	struct words driver = { 0 }, question = { 0 };
	char *linker;
	int error;

	words_free(&link->command);
	tools_add_compiler(&driver, link->besides.cxx);
	words_append(&driver, &link->tools.flags);
	if (link->bfd)
		words_add(&driver, "-fuse-ld=bfd");
	error = tools_ask(&link->tools, &driver, "ld", &linker, reason);
	add_driver_words(link, &driver);
	words_append(&question, &driver);
	words_add(&question, "-###");
	if (!error)
		error = tools_run(&link->tools, &question, reason);
	if (!error && (answer->status || answer->cut || !linker ||
		       !linkscript_command(answer->output, linker, link->program, &link->command)))
		words_append(&link->command, &driver);
	free(linker);
	words_free(&question);
	words_free(&driver);
	return !error && link->command.failed ? -ENOMEM : error;
}

/* Linking */

/* Where a side's first section begins, so that its function begins there. */
static size_t place_of(const struct side *side, size_t start)
{
	const size_t before = side->offset % LINKSCRIPT_PAGE;

	return start < before ? start + LINKSCRIPT_PAGE - before : start - before;
}

static int put_script(const struct link *link, const struct placement *placement)
{
	struct linkscript_side *sides = calloc(sides_of(link), sizeof *sides);
	FILE *to = sides ? fopen(link->script, "w") : NULL;
	size_t n = 0;

	if (!to) {
		const int error = sides ? -errno : -ENOMEM;

		free(sides);
		return error;
	}
	for (size_t k = 0; k < sides_of(link); k++) {
		const size_t i = placement->order[k];
		const struct side *side = &link->sides[i];

		if (side->part)
			sides[n++] = (struct linkscript_side){
				.number = i,
				.path = side->object,
				.first = side->section,
				.place = place_of(side, placement->starts[i]),
				.gap = placement->gaps[i],
				.codes = &side->codes,
			};
	}
	errno = 0;
	linkscript_write(sides, n, placement->padding, to);
	free(sides);
	return streams_close(to);
}

/* Whether the word is a side that is left out, or a file that is part of each side. */
static bool is_left_out(const struct link *link, const char *word)
{
	if (link->apart && words_have(&link->besides.files, word))
		return true;
	for (size_t i = 0; i < sides_of(link); i++)
		if (!strcmp(word, link->sides[i].object))
			return !link->sides[i].part;
	return false;
}

static int run_linker(struct link *link, struct reason_text *reason)
{
	struct words words = { 0 };
	int error;

	for (size_t i = 0; i < link->command.n; i++)
		if (!is_left_out(link, link->command.list[i]))
			words_add(&words, link->command.list[i]);
	/* Of the program before, nothing may be left if this goes wrong. */
	remove(link->program);
	error = words.failed ? -ENOMEM : tools_run(&link->tools, &words, reason);
	words_free(&words);
	return error;
}

/* What is wrong if the linker has failed, from its messages */

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

/* The next undefined name in the linker's messages from *output on, to be freed. NULL: there is
 * none, or memory ran out. */
static char *next_undefined(const char **output)
{
	size_t length;
	const char *const name = linkscript_undefined(output, &length);

	return name ? strndup(name, length) : NULL;
}

static bool is_linked(const struct link *link, const char *library)
{
	return words_have(&link->besides.with, library) ||
	       (link->besides.cxx && !strcmp(library, CXX_LIBRARY));
}

/* The undefined name that the first row fits, or else simply the first name. *origin: that row.
 * NULL: none fits, or its library was given in vain. */
static char *choose_undefined(const struct link *link, const struct origin **origin)
{
	const char *output = link->tools.command.output;

	for (size_t i = 0; i < ORIGINS; i++) {
		const char *at = output;
		char *name;

		*origin = is_linked(link, origins[i].library) ? NULL : &origins[i];
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
static void say_other_library(const char *name, struct reason_text *reason)
{
	struct words words = { 0 };

	tools_add_compiler(&words, false);
	reason_say(reason, 0, "cpucycles-measure needs %s, which the C library of %s lacks", name,
		   words.n > 0 ? words.list[0] : "the compiler");
	reason_remedy(reason, "take a compiler for the C library that cpucycles-measure was built "
			      "with: CC=gcc");
	words_free(&words);
}

static bool with_needs(const struct link *link, const char *name)
{
	for (size_t i = 0; i < link->besides.with.n; i++)
		if (needs(link->besides.with.list[i], name))
			return true;
	return false;
}

/* False: no file needs the name, as with --wrap of a linker. */
static bool say_needed(const struct link *link, const char *name, const struct origin *origin,
		       size_t *which, struct reason_text *reason)
{
	const char *who = "a file of --with", *other = who_defines(link, name);

	*which = who_needs(link, name);
	if (*which < link->n)
		who = link->targets[*which].library;
	else if (needs(link->harness, name)) {
		say_other_library(name, reason);
		return true;
	} else if (!with_needs(link, name))
		return false;
	if (other) {
		reason_say(reason, 0,
			   "%s needs %s of %s, but files that are measured share nothing", who,
			   name, other);
		reason_remedy(reason, "link it for all of them: --with %s", other);
		return true;
	}
	reason_say(reason, 0, "%s needs %s, which none of the files has", who, name);
	if (origin)
		reason_remedy(reason, "it is %s: --with %s", origin->of, origin->library);
	else
		reason_remedy(reason, "give the file or the library that has it: --with FILE, or "
				      "--with -lNAME");
	return true;
}

/* Whether the linker says that one file is given twice, or two have the same name for something. */
static bool is_double(const char *output)
{
	return strstr(output, "multiple definition") || strstr(output, "duplicate symbol");
}

/* Say what is wrong. *which: the target that it is about; it stays if it is about none. A negative
 * errno. */
static int say_failure(struct link *link, size_t *which, struct reason_text *reason)
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
		   link->command.n > 0 ? link->command.list[0] : "the linker");
	if (tools_lack_index(&link->tools))
		reason_remedy(reason, "make the archive's index: ranlib FILE.a");
	else if (is_double(output))
		reason_remedy(reason,
			      "give each file once, either to measure or by --with, and none that "
			      "has main()");
	return -EINVAL;
}

/* Linking again */

/* Whatever has failed: the reason has a sentence, in one line. */
static int finish(int error, struct reason_text *reason)
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

int link_make(struct link *link, const struct placement *placement, struct target *const targets[],
	      size_t n, size_t copies, struct reason_text *reason)
{
	size_t which = link->n;
	int error;

	reason_clear(reason);
	for (size_t k = 0; k < sides_of(link); k++)
		link->sides[k].part = false;
	for (size_t i = 0; i < n; i++)
		for (size_t k = targets[i]->side; k < link->n * copies; k += link->n)
			link->sides[k].part = true;
	error = n > 0 ? put_script(link, placement) : -EINVAL;
	if (!error)
		error = run_linker(link, reason);
	if (!error && link->tools.command.status)
		error = say_failure(link, &which, reason);
	return finish(error, reason);
}

/* The first link */

/* Some linkers ignore scripts. */
static bool obeys_script(const struct link *link)
{
	struct symbols_section section;
	struct symbols_file file;
	bool found = false;
	size_t at = 0;

	map_file(link->program, &file);
	while (!found && symbols_section(&file, &at, &section))
		found = !strcmp(section.name, LINKSCRIPT_SECTION);
	map_end(&file);
	return found;
}

/* Link all sides at the first places. 0: the linker has ended; its status says how. */
static int try_once(struct link *link, struct reason_text *reason)
{
	size_t *order = calloc(sides_of(link), sizeof *order),
	       *none = calloc(sides_of(link), sizeof *none);
	const struct placement placement = { .starts = none, .gaps = none, .order = order };
	int error = order && none ? ask_command(link, reason) : -ENOMEM;

	for (size_t i = 0; order && i < sides_of(link); i++) {
		order[i] = i;
		link->sides[i].part = true;
	}
	if (!error)
		error = put_script(link, &placement);
	if (!error)
		error = run_linker(link, reason);
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
 * If a section needs what is not there, perhaps that section is not needed. */
static int try_link(struct link *link, size_t *which, struct reason_text *reason)
{
	int error;

	do {
		error = try_once(link, reason);
		if (error || (!link->tools.command.status && obeys_script(link)))
			return error;
	} while (change_way(link));
	if (link->tools.command.status || access(link->program, F_OK))
		return say_failure(link, which, reason);
	/* The compiler was asked for GNU ld, too. */
	reason_say(reason, 0, "%s does not obey a linker's script with INSERT",
		   link->command.list[0]);
	return -ENOTSUP;
}

/* To link more bytes of copies of one side takes as long as to link more programs. */
#define COPIED_MOST (1 << 22)

/* In a layout, calls follow each other for a millisecond. If each needs other bytes of much data,
 * most of them are not in the caches yet, or not even in memory. */
#define DATA_MOST (1 << 20)

static size_t data_of(const struct symbols_file *file)
{
	struct symbols_section section;
	size_t at = 0, bytes = 0;

	while (symbols_section(file, &at, &section))
		bytes += section.data ? section.size : 0;
	return bytes;
}

/* How many copies of a side this long, up to `most`, a power of two. However much data it has, a
 * process measures in one layout. */
static size_t copies_of(const struct side *side, size_t most)
{
	struct symbols_file file;
	size_t data;

	if (map_file(side->object, &file))
		most = 1;
	data = data_of(&file);
	while (most > 1 && file.size > COPIED_MOST / most)
		most /= 2;
	while (most > PLACEMENT_PROCESSES && data > DATA_MOST / most)
		most /= 2;
	map_end(&file);
	return most;
}

static bool can_copy(struct link *link)
{
	for (size_t k = link->n; k < sides_of(link); k++) {
		const size_t i = k % link->n;

		if (side_copy(&link->tools, &link->targets[i], &link->sides[i], i, k,
			      &link->sides[k]))
			return false;
	}
	return !try_once(link, NULL) && !link->tools.command.status && obeys_script(link);
}

/* Make `copies` copies of all sides, and link them. False: they cannot be linked, for example
 * because their variables have no room in 2 GiB. Then everything is as it was. */
static bool make_copies(struct link *link, size_t copies)
{
	struct words one = link->command;

	link->command = (struct words){ 0 };
	link->copies = copies;
	if (can_copy(link)) {
		words_free(&one);
		return true;
	}
	for (size_t k = link->n; k < sides_of(link); k++)
		side_free(&link->sides[k]);
	words_free(&link->command);
	link->command = one;
	link->copies = 1;
	return false;
}

/* Make as many copies as can be, but one for each process of a unit, or none. */
static void add_copies(struct link *link, size_t most)
{
	size_t copies = most;

	for (size_t i = 0; i < link->n; i++)
		copies = copies_of(&link->sides[i], copies);
	while (copies >= PLACEMENT_PROCESSES && !make_copies(link, copies))
		copies /= 2;
}

/* If files of --with share names with the two files, more than these files says what is linked.
 * NULL: nothing of them can be compared. */
static struct unchanged *compare_inputs(const struct link *link, size_t i)
{
	return link->apart ?
		       NULL :
		       unchanged_open((const char *const[]){ link->inputs[0], link->inputs[i] });
}

static bool is_unchanged(struct unchanged *files, const struct target *target)
{
	return files && unchanged_is(files, target_symbol(target), target->stem);
}

/* Whether all functions are one function of one name, in files that have the same code for it. */
static bool are_unchanged(const struct link *link)
{
	const char *const symbol = target_symbol(&link->targets[0]);
	bool same = link->n > 1;

	for (size_t i = 1; same && i < link->n; i++) {
		struct unchanged *files = NULL;

		if (!strcmp(symbol, target_symbol(&link->targets[i])))
			files = compare_inputs(link, i);
		same = is_unchanged(files, &link->targets[0]);
		unchanged_close(files);
	}
	return same;
}

static int make_all(struct link *link, const struct link_options *options, size_t *which,
		    struct reason_text *reason)
{
	int error;

	if (options->without_unchanged && are_unchanged(link))
		return -EALREADY;
	error = make_sides(link, which, reason);
	if (!error)
		error = try_link(link, which, reason);
	if (!error && options->copies > 1)
		add_copies(link, options->copies);
	return error;
}

static int prepare(struct link *link, const struct link_options *options, size_t *which,
		   struct reason_text *reason)
{
	int error = tools_begin(&link->tools, options->flags, options->seconds, reason);

	if (error)
		return error;
	link->script = scratch_file(&link->tools.scratch, "measured.ld");
	link->program = scratch_file(&link->tools.scratch, "measured");
	link->copies = 1;
	link->sides = calloc(link->n * (options->copies + 1), sizeof *link->sides);
	link->inputs = calloc(link->n, sizeof *link->inputs);
	if (!link->script || !link->program || !link->sides || !link->inputs)
		return -ENOMEM;
	error = inputs_add_with(&link->besides, options->with, options->with_count, reason);
	return error ? error : prepare_inputs(link, which, reason);
}

/* NULL: memory ran out. */
static struct link *new_link(struct target targets[], size_t n, const struct link_options *options)
{
	struct link *const link = calloc(1, sizeof *link);

	if (!link)
		return NULL;
	link->besides.cxx = options->cxx;
	link->besides.tools = &link->tools;
	link->harness = options->harness;
	memcpy(link->flags_of, options->flags_of, sizeof options->flags_of);
	link->targets = targets;
	link->n = n;
	return link;
}

int link_begin(struct link **link, struct target targets[], size_t n,
	       const struct link_options *options, size_t *which, struct reason_text *reason)
{
	int error;

	reason_clear(reason);
	*which = n;
	*link = new_link(targets, n, options);
	if (!*link) {
		reason_say(reason, ENOMEM, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	error = prepare(*link, options, which, reason);
	error = finish(error ? error : make_all(*link, options, which, reason), reason);
	if (error) {
		link_end(*link);
		*link = NULL;
	}
	return error;
}

void link_find_unchanged(struct target targets[], size_t count, const struct link_options *options,
			 bool unchanged[])
{
	struct link *const link = new_link(targets, 2, options);
	struct unchanged *files = NULL;
	struct reason_text reason;
	size_t which;

	if (link && !prepare(link, options, &which, &reason))
		files = compare_inputs(link, 1);
	for (size_t i = 0; i < count; i++)
		unchanged[i] = is_unchanged(files, &targets[2 * i]);
	unchanged_close(files);
	link_end(link);
}

size_t link_alignment(const struct link *link, size_t i)
{
	return link->sides[i].alignment;
}

size_t link_copies(const struct link *link)
{
	return link->copies;
}

const char *link_program(const struct link *link)
{
	return link->program;
}

void link_end(struct link *link)
{
	if (!link)
		return;
	for (size_t k = 0; link->sides && k < sides_of(link); k++)
		side_free(&link->sides[k]);
	for (size_t i = 0; link->inputs && i < link->n; i++)
		free(link->inputs[i]);
	free(link->sides);
	free(link->inputs);
	free(link->script);
	free(link->program);
	inputs_free(&link->besides);
	words_free(&link->command);
	words_free(&link->symbols);
	tools_end(&link->tools);
	free(link);
}
