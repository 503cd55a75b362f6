/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "tools.h"
#include "files/mistake.h"
#include "path.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A large file of C++ takes a minute to compile. */
#define SECONDS 120

#define WITHOUT "a shared object is measured without it: LIB.so:FUNCTION"

void tools_add_compiler(struct words *words, bool cxx)
{
	const char *own = getenv(cxx ? "CXX" : "CC");
	const size_t before = words->n;

	words_split(words, own);
	if (words->n == before)
		words_add(words, cxx ? "c++" : "cc");
}

#define FORTRAN "gfortran -O2 -c"

/* Source texts, by the ends of their names. */
static const struct source {
	const char *ending;
	bool cxx;
	const char *other; /* what else makes an object of it, as not each compiler of C does */
} sources[] = {
	{ ".c", false, NULL },
	{ ".i", false, NULL },
	{ ".s", false, NULL },
	{ ".S", false, NULL },
	{ ".cc", true, NULL },
	{ ".cpp", true, NULL },
	{ ".cxx", true, NULL },
	{ ".C", true, NULL },
	{ ".ii", true, NULL },
	{ ".f", false, FORTRAN },
	{ ".F", false, FORTRAN },
	{ ".for", false, FORTRAN },
	{ ".f90", false, FORTRAN },
	{ ".F90", false, FORTRAN },
	{ ".f95", false, FORTRAN },
	{ ".f03", false, FORTRAN },
	{ ".f08", false, FORTRAN },
	{ ".ll", false, "clang -O2 -c" },
	{ ".asm", false, "nasm -f elf64" },
};

/* NULL: it is none. */
static const struct source *source_of(const char *path)
{
	const char *name = path_name(path), *dot = strrchr(name, '.');

	for (size_t i = 0; dot && dot != name && i < sizeof sources / sizeof sources[0]; i++)
		if (!strcmp(dot, sources[i].ending))
			return &sources[i];
	return NULL;
}

bool tools_is_source(const char *path, bool *cxx)
{
	const struct source *source = source_of(path);

	*cxx = source && source->cxx;
	return source != NULL;
}

static bool is_compiler(const char *program, bool cxx)
{
	struct words words = { 0 };
	bool answer;

	tools_add_compiler(&words, cxx);
	answer = words.n > 0 && !strcmp(words.list[0], program);
	words_free(&words);
	return answer;
}

static void say_missing(const char *program, struct reason_text *reason)
{
	const bool c = is_compiler(program, false), cxx = !c && is_compiler(program, true);
	const bool binutils = !c && !cxx;

	reason_say(reason, ENOENT, "there is no %s %s, which links what is measured",
		   binutils ? "program" : "compiler", program);
	if (binutils)
		reason_remedy(reason, "install binutils; " WITHOUT);
	else
		reason_remedy(reason, "install %s, or name a compiler: %s=...; " WITHOUT,
			      cxx ? "g++" : "gcc", cxx ? "CXX" : "CC");
}

bool tools_lack_index(const struct tools *tools)
{
	return strstr(tools->command.output, "archive has no index");
}

/* A command has failed: whether for want of room. */
static int check_room(const struct tools *tools, const char *program, struct reason_text *reason)
{
	const struct command *command = &tools->command;

	if (strstr(command->output, strerror(ENOSPC)) ||
	    strstr(command->output, "No space left on device") ||
	    strstr(command->output, "Disk quota exceeded")) {
		reason_say(reason, ENOSPC, "there is no room left in %s", tools->scratch.path);
		reason_remedy(reason, "make room there, or set TMPDIR to another folder");
		return -ENOSPC;
	}
	/* The limit of the size of files ends a process that does not care. A compiler says so of
	 * its parts. */
	if (command->status == 128 + SIGXFSZ || strstr(command->output, "File too large") ||
	    strstr(command->output, "File size limit exceeded")) {
		reason_say(reason, EFBIG, "a file of %s got larger than this process may write",
			   program);
		reason_remedy(reason, "raise the limit, which ulimit -f shows");
		return -EFBIG;
	}
	return 0;
}

/* The command has not ended by itself. */
static int say_error(const struct tools *tools, const char *program, int error,
		     struct reason_text *reason)
{
	switch (error) {
	case -ENOENT:
		say_missing(program, reason);
		return -ENOTSUP;
	case -ETIMEDOUT:
		reason_say(reason, ETIMEDOUT, "%s has not ended within %u s, and was killed",
			   program, tools->seconds);
		reason_remedy(reason, "run it yourself to see what it waits for");
		return error;
	case -EINTR:
		reason_say(reason, EINTR, "%s was interrupted", program);
		return error;
	default:
		reason_say(reason, -error, "%s does not start: %s", program, strerror(-error));
		return error;
	}
}

static int run(struct tools *tools, const struct words *words, bool answer,
	       struct reason_text *reason)
{
	const int error =
		command_run(words, tools->scratch.path, tools->seconds, answer, &tools->command);

	return error ? say_error(tools, words->n > 0 ? words->list[0] : "", error, reason) : 0;
}

int tools_run(struct tools *tools, const struct words *words, struct reason_text *reason)
{
	const int error = run(tools, words, false, reason);

	return error || !tools->command.status ? error : check_room(tools, words->list[0], reason);
}

int tools_ask(struct tools *tools, const struct words *driver, const char *program, char **answer,
	      struct reason_text *reason)
{
	struct command *command = &tools->command;
	struct words words = { 0 };
	size_t length;
	int error;

	*answer = NULL;
	words_append(&words, driver);
	words_take(&words, words_join("-print-prog-name=", program, ""));
	error = run(tools, &words, true, reason);
	words_free(&words);
	if (error || command->status)
		return error;
	length = strcspn(command->output, "\n");
	if (length == 0)
		return 0;
	command->output[length] = 0;
	*answer = strdup(command->output);
	return *answer ? 0 : -ENOMEM;
}

/* Other linkers call themselves compatible with it. */
static bool is_gnu_linker(struct tools *tools, const char *linker)
{
	struct words words = { 0 };
	bool gnu;

	words_add(&words, linker);
	words_add(&words, "--version");
	gnu = !tools_run(tools, &words, NULL) && !strncmp(tools->command.output, "GNU ld", 6);
	words_free(&words);
	return gnu;
}

/* The linker that makes one object of many. GNU ld does that as needed: mold and gold refuse
 * options, and lld takes some without obeying them. */
static int find_linker(struct tools *tools, const struct words *driver, struct reason_text *reason)
{
	char *bfd;
	int error = tools_ask(tools, driver, "ld", &tools->linker, reason);

	if (error || !tools->linker || is_gnu_linker(tools, tools->linker))
		return error;
	error = tools_ask(tools, driver, "ld.bfd", &bfd, reason);
	if (bfd && is_gnu_linker(tools, bfd)) {
		free(tools->linker);
		tools->linker = bfd;
	} else
		free(bfd);
	return error;
}

/* The compiler's own linker and objcopy, which a compiler for another machine has, too. */
static int find_binutils(struct tools *tools, struct reason_text *reason)
{
	struct words driver = { 0 };
	int error;

	tools_add_compiler(&driver, false);
	error = find_linker(tools, &driver, reason);
	if (!error && tools->linker)
		error = tools_ask(tools, &driver, "objcopy", &tools->objcopy, reason);
	if (!error && !tools->objcopy) {
		reason_say(reason, 0, "%s is no compiler like gcc or clang", driver.list[0]);
		reason_remedy(reason, "name another one: CC=gcc");
		error = -ENOTSUP;
	}
	words_free(&driver);
	return error;
}

/* With some flags, a compiler makes no program. What follows -Xlinker is not for the compiler.
 * where: the flags stand there. */
static int check_flags(const struct words *flags, const char *where, struct reason_text *reason)
{
	static const char *const stopping[] = { "-c", "-E",        "-S",
						"-M", "-MM",       "-fsyntax-only",
						"-r", "-nostdlib", "-nostartfiles" };

	for (size_t i = 0; i < flags->n; i++) {
		if (i > 0 && !strncmp(flags->list[i - 1], "-X", 2))
			continue;
		for (size_t k = 0; k < sizeof stopping / sizeof stopping[0]; k++)
			if (!strcmp(flags->list[i], stopping[k])) {
				reason_say(reason, 0, "with %s, the compiler makes no program",
					   stopping[k]);
				reason_remedy(reason, "leave it out of %s", where);
				return -EINVAL;
			}
	}
	return 0;
}

static int check_compiler(bool cxx, struct reason_text *reason)
{
	struct words words = { 0 };
	int error;

	tools_add_compiler(&words, cxx);
	error = check_flags(&words, cxx ? "CXX" : "CC", reason);
	words_free(&words);
	return error;
}

/* Without PATH, posix_spawnp(3) finds gcc in the system's folders, but gcc does not find its own
 * parts. So it gets these folders. */
static void need_path(void)
{
	char path[4096];
	size_t length = 0;

	if (!getenv("PATH"))
		length = confstr(_CS_PATH, path, sizeof path);
	if (length > 0 && length <= sizeof path)
		setenv("PATH", path, 0);
}

int tools_begin(struct tools *tools, const char *flags, unsigned seconds,
		struct reason_text *reason)
{
	int error;

	*tools = (struct tools){ .seconds = seconds ? seconds : SECONDS };
	need_path();
	words_split(&tools->flags, flags);
	error = check_flags(&tools->flags, "--cflags", reason);
	if (!error)
		error = check_compiler(false, reason);
	if (!error)
		error = check_compiler(true, reason);
	if (!error)
		error = scratch_begin(&tools->scratch, reason);
	if (!error)
		error = find_binutils(tools, reason);
	return error;
}

static int say_not_compiled(const char *path, const char *compiler, struct reason_text *reason)
{
	const struct source *source = source_of(path);
	const bool other = source && source->other;

	reason_say(reason, 0, "%s %s: %s says why above", path,
		   other ? "is not compiled here" : "does not compile", compiler);
	if (other)
		reason_remedy(reason, "make an object, and give that: %s %s", source->other, path);
	else
		reason_remedy(reason, "options for the compiler: --cflags \"-O2 -I...\"");
	return -EINVAL;
}

int tools_compile(struct tools *tools, const char *path, const char *flags, const char *object,
		  struct reason_text *reason)
{
	const struct source *const source = source_of(path);
	/* Of assembly, debug information would say nothing of parameters. */
	const bool assembly = source && (source->ending[1] == 's' || source->ending[1] == 'S');
	struct words words = { 0 }, more = { 0 };
	bool cxx;
	int error;

	words_split(&more, flags);
	error = check_flags(&more, "--cflags1 and --cflags2", reason);
	if (error) {
		words_free(&more);
		return error;
	}
	tools_is_source(path, &cxx);
	tools_add_compiler(&words, cxx);
	words_split(&words, assembly ? "-O2 -ffunction-sections" : "-g -O2 -ffunction-sections");
	words_append(&words, &tools->flags);
	words_append(&words, &more);
	words_free(&more);
	words_split(&words, "-c -o");
	words_add(&words, object);
	words_add_path(&words, path);
	error = tools_run(tools, &words, reason);
	/* Warnings, too. */
	if (!error || error == -ENOSPC)
		command_show(&tools->command);
	/* A driver that does not know such a text warns and makes nothing. */
	if (!error && (tools->command.status || access(object, F_OK)))
		error = say_not_compiled(path, words.list[0], reason);
	words_free(&words);
	return error;
}

void tools_end(struct tools *tools)
{
	scratch_end(&tools->scratch);
	words_free(&tools->flags);
	free(tools->linker);
	free(tools->objcopy);
}
