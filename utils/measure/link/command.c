/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "command.h"
#include "printable.h"
#include "raw-clock.h"
#include "signals.h"
#include "spent.h"
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* What a shell answers for a program that is not there. Some systems' posix_spawnp does, too. */
#define NO_SUCH_PROGRAM 127

/* The parent reads the output every LOOK_NS, unless the program's end wakes it up. */
#define LOOK_NS UINT64_C(10000000)

/* When the output has ended, the program has ended, or is about to: look again after SOON_NS. */
#define SOON_NS UINT64_C(500000)

/* The parent reads TURNS times at most before it looks again. */
#define TURNS 64

/* Begins with this name and an equals sign. */
static bool is_variable(const char *text, const char *name)
{
	const size_t length = strlen(name);

	return !strncmp(text, name, length) && text[length] == '=';
}

/* This process's environment, but with English messages, and temporary files in the folder. */
static void add_environment(struct words *words, const char *folder)
{
	for (char **at = environ; at && *at; at++)
		if (!is_variable(*at, "LC_ALL") && !is_variable(*at, "LANGUAGE") &&
		    !is_variable(*at, "TMPDIR"))
			words_add(words, *at);
	words_add(words, "LC_ALL=C");
	words_take(words, words_join("TMPDIR=", folder, ""));
}

/* A process group of its own: so Ctrl-C reaches this process alone, which then ends the group. */
static int set_attributes(posix_spawnattr_t *attributes)
{
	sigset_t none, defaults;

	sigemptyset(&none);
	sigemptyset(&defaults);
	sigaddset(&defaults, SIGCHLD);
	sigaddset(&defaults, SIGPIPE);
	posix_spawnattr_setpgroup(attributes, 0);
	posix_spawnattr_setsigmask(attributes, &none);
	posix_spawnattr_setsigdefault(attributes, &defaults);
	return posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
							    POSIX_SPAWN_SETSIGDEF);
}

/* What it prints goes into a pipe; an answer is what it prints on standard output. */
struct output {
	int ends[2];
	bool answer;
};

static int set_files(posix_spawn_file_actions_t *files, const struct output *output)
{
	const int end = output->ends[1];
	int error = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

	if (!error)
		error = posix_spawn_file_actions_adddup2(files, end, STDOUT_FILENO);
	if (!error && output->answer)
		error = posix_spawn_file_actions_addopen(files, STDERR_FILENO, "/dev/null",
							 O_WRONLY, 0);
	else if (!error)
		error = posix_spawn_file_actions_adddup2(files, end, STDERR_FILENO);
	return error;
}

static int spawn(const struct words *words, char *const environment[], const struct output *output,
		 pid_t *child)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	int error = posix_spawn_file_actions_init(&files);

	if (error)
		return -error;
	error = posix_spawnattr_init(&attributes);
	if (!error) {
		error = set_files(&files, output);
		if (!error)
			error = set_attributes(&attributes);
		if (!error)
			error = posix_spawnp(child, words->list[0], &files, &attributes,
					     words->list, environment);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&files);
	return -error;
}

static int start(const struct words *words, const char *folder, const struct output *output,
		 pid_t *child)
{
	struct words environment = { 0 };
	int error = -ENOMEM;

	add_environment(&environment, folder);
	if (!words->failed && words->n > 0 && !environment.failed)
		error = spawn(words, environment.list, output, child);
	words_free(&environment);
	return error;
}

/* Take what can be read now, but not for ever. False: the output has ended. */
static bool read_output(int fd, struct command *command)
{
	char beyond[4096];

	for (unsigned turn = 0; turn < TURNS; turn++) {
		const size_t room = COMMAND_OUTPUT - command->length;
		char *to = room > 0 ? command->output + command->length : beyond;
		const ssize_t n = read(fd, to, room > 0 ? room : sizeof beyond);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK;
		if (n == 0)
			return false;
		if (room > 0)
			command->length += (size_t)n;
		else
			command->cut = true;
	}
	return true;
}

/* Wait for the program's end. *code: how it has ended (waitid(2)); 0: unknown. 0, -EINTR or
 * -ETIMEDOUT. Programs that it starts may keep its output open after it, as servers do that keep
 * what was compiled. */
static int follow(pid_t child, int output, unsigned seconds, int *code, struct command *command)
{
	const uint64_t limit_ns = seconds * UINT64_C(1000000000);
	struct spent spent = { .looked_ns = raw_clock_ns() };
	bool open = true;

	for (;;) {
		const bool ended = signals_has_ended(child, code);

		open = open && read_output(output, command);
		/* Also when the program has ended meanwhile: others of its group may not have. */
		if (signals_asked())
			return -EINTR;
		if (ended)
			return 0;
		if (spent.ns > limit_ns)
			return -ETIMEDOUT;
		signals_sleep(open ? LOOK_NS : SOON_NS);
		spent_add(&spent, raw_clock_ns(), LOOK_NS);
	}
}

int command_run(const struct words *words, const char *folder, unsigned seconds, bool answer,
		struct command *command)
{
	struct output output = { .answer = answer };
	int error, reaped, status, code = 0;
	pid_t child;

	*command = (struct command){ 0 };
	error = streams_pipe(output.ends);
	if (error)
		return error;
	fcntl(output.ends[0], F_SETFL, O_NONBLOCK);
	error = start(words, folder, &output, &child);
	close(output.ends[1]);
	if (!error) {
		error = follow(child, output.ends[0], seconds, &code, command);
		/* If a signal ended it, it could not end what it had started. */
		reaped = signals_reap(child, error || code == CLD_KILLED || code == CLD_DUMPED,
				      &status);
		command->status =
			WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
		if (!error)
			error = reaped;
	}
	close(output.ends[0]);
	return !error && command->status == NO_SUCH_PROGRAM ? -ENOENT : error;
}

void command_put(const char *output, size_t length)
{
	for (size_t i = 0; i < length;) {
		const char *const text = &output[i];
		const size_t bytes = *text == '\t' || *text == '\n' ? 1 : printable(text);

		if (bytes)
			fwrite(text, 1, bytes, stderr);
		else
			putc('?', stderr);
		i += bytes ? bytes : 1;
	}
	if (length > 0 && output[length - 1] != '\n')
		putc('\n', stderr);
}

void command_show(const struct command *command)
{
	command_put(command->output, command->length);
	if (command->cut)
		fputs("...\n", stderr);
}
