/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* An emulator and its options have at most so many words. */
#define RUNNER_WORDS 16

static void redirect(int fd, int to)
{
	if (fd < 0)
		fd = open("/dev/null", O_RDWR);
	if (fd >= 0 && dup2(fd, to) < 0)
		_exit(125);
}

/* The runner's words, then the program's. */
static void put_words(const struct bench *bench, const struct command *command, char *words[])
{
	static char runner[4096];
	size_t n = 0;

	if (bench->runner) {
		snprintf(runner, sizeof runner, "%s", bench->runner);
		for (char *word = strtok(runner, " "); word && n < RUNNER_WORDS;
		     word = strtok(NULL, " "))
			words[n++] = word;
	}
	for (size_t i = 0; command->words[i]; i++)
		words[n++] = (char *)(uintptr_t)command->words[i];
	words[n] = NULL;
}

/* Runs in the child. Exit statuses from 123 on say what could not be set up. */
static void become(const struct bench *bench, const struct command *command)
{
	static char path[] = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
	char *words[RUNNER_WORDS + SPAWN_WORDS + 1], *environment[6] = { path };

	redirect(command->input, STDIN_FILENO);
	redirect(command->output, STDOUT_FILENO);
	redirect(command->output, STDERR_FILENO);
#ifdef CLONE_NEWNS
	if (command->mounts && setns(command->mounts, CLONE_NEWNS))
		_exit(124);
#endif
	if (bench->root && (chroot(bench->root) || chdir("/")))
		_exit(123);
	for (size_t i = 0; i < 4 && command->environment[i]; i++)
		environment[i + 1] = (char *)(uintptr_t)command->environment[i];
	put_words(bench, command, words);
	if (command->trace)
		trace_me();
	execve(words[0], words, environment);
	dprintf(STDERR_FILENO, "%s: %s\n", words[0], strerror(errno));
	_exit(127);
}

pid_t spawn_start(const struct bench *bench, const struct command *command)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0)
		become(bench, command);
	return child;
}

static void read_all(int fd, char *text, size_t size)
{
	size_t length = 0;
	char rest[512];
	ssize_t n;

	while (length + 1 < size && (n = read(fd, text + length, size - 1 - length)) > 0)
		length += (size_t)n;
	text[length] = 0;
	while (read(fd, rest, sizeof rest) > 0)
		continue;
}

bool spawn_run(const struct bench *bench, const struct command *command, struct ended *ended)
{
	struct command with_pipe = *command;
	int ends[2];
	pid_t child;

	memset(ended, 0, sizeof *ended);
	ended->status = -1;
	if (pipe2(ends, O_CLOEXEC))
		return false;
	with_pipe.output = ends[1];
	child = spawn_start(bench, &with_pipe);
	close(ends[1]);
	/* A traced program writes so little that the pipe holds it until the trace ends. */
	if (child > 0 && command->trace)
		ended->status = trace_follow(child, command->trace);
	if (child > 0)
		read_all(ends[0], ended->text, sizeof ended->text);
	close(ends[0]);
	if (child > 0 && !command->trace)
		while (waitpid(child, &ended->status, 0) < 0 && errno == EINTR)
			continue;
	return child > 0 && ended->status == 0;
}

void spawn_explain(const struct ended *ended, char why[SERIES_WHY])
{
	snprintf(why, SERIES_WHY, "status %d: %.*s", ended->status, (int)strcspn(ended->text, "\n"),
		 ended->text);
}
