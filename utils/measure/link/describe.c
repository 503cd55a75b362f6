/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "describe.h"
#include "command.h"
#include "files/mistake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAM "measure-prototype"

/* Debug information of a large library takes a second. */
#define SECONDS 60

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

int describe_target(const char *path, const char *harness, struct target *target)
{
	struct command *const command = malloc(sizeof *command);
	struct words words = { 0 };

	words_take(&words, find_program(harness));
	words_add_path(&words, path);
	words_add(&words, target->function);
	target->signature.asked = command && !words.failed &&
				  !command_run(&words, "/", SECONDS, true, command) &&
				  !command->status;
	if (target->signature.asked)
		signature_parse(command->output, &target->signature);
	words_free(&words);
	free(command);
	return mistake_in_parameters(target, &target->reason) ? -EPROTOTYPE : 0;
}
