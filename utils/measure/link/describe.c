/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "describe.h"
#include "command.h"
#include "files/cxx-name.h"
#include "files/mistake.h"
#include "log.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "measure-prototype"

/* Debug information of a large library takes a second. */
#define SECONDS 10

#ifdef HAVE_LIBDW

/* The path of the program, next to the harness, to be freed. NULL: memory ran out. */
static char *find_program(const char *harness)
{
	const char *const slash = strrchr(harness, '/');
	const size_t folder = slash ? (size_t)(slash - harness) + 1 : 0;
	char *const path = malloc(folder + sizeof PROGRAM);

	if (path)
		sprintf(path, "%.*s%s", (int)folder, harness, PROGRAM);
	return path;
}

/* The program is installed with this one, so that it does not run is worth a line, but not one for
 * each function. */
static void complain(const char *program, const char *why)
{
	static bool complained;

	if (!complained)
		log_line(LOG_WARNING, "%s: %s; so it is not known which parameters functions have",
			 program, why);
	complained = true;
}

static void ask(const char *path, const char *harness, struct target *target)
{
	struct command *const command = malloc(sizeof *command);
	struct words words = { 0 };
	int error;

	words_take(&words, find_program(harness));
	words_add_path(&words, path);
	words_add(&words, target_symbol(target));
	error = command && !words.failed ? command_run(&words, "/", SECONDS, true, command) :
					   -ENOMEM;
	if (error && error != -EINTR)
		complain(words.n ? words.list[0] : PROGRAM, strerror(-error));
	else if (!error && command->status > 1)
		complain(words.list[0], "it does not run");
	else if (!error && command->status == 0)
		signature_parse(command->output, &target->signature);
	words_free(&words);
	free(command);
}

#endif

/* What the name says, if this system has a program that demangles it. */
static void ask_name(struct target *target)
{
	struct command *const command = malloc(sizeof *command);
	struct words words = { 0 };

	words_add(&words, "c++filt");
	words_add(&words, target_symbol(target));
	if (command && !words.failed && !command_run(&words, "/", SECONDS, true, command) &&
	    command->status == 0) {
		command->output[strcspn(command->output, "\n")] = 0;
		signature_of_name(command->output, &target->signature);
	}
	words_free(&words);
	free(command);
}

int describe_by_name(struct target *target)
{
	struct signature *const s = &target->signature;

	if (cxx_is_own(target_symbol(target)))
		signature_of_name(target->function, s);
	if (*s->prototype && !s->nothing && mistake_in_parameters(target, &target->reason))
		return -EPROTOTYPE;
	*s = (struct signature){ 0 };
	return 0;
}

int describe_target(const char *path, const char *harness, struct target *target)
{
	target->signature = (struct signature){ 0 };
#ifdef HAVE_LIBDW
	target->signature.asked = true;
	if (path)
		ask(path, harness, target);
#else
	(void)path;
	(void)harness;
#endif
	if (!target->signature.known && cxx_is_own(target_symbol(target)))
		ask_name(target);
	return mistake_in_parameters(target, &target->reason) ? -EPROTOTYPE : 0;
}
