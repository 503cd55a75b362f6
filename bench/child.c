/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "child.h"

#include "dependent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Between two looks at whether the parent is still there. */
#define BUSY_LOOPS 2500

/* Runs in the child: become a program whose standard output goes to a pipe. */
static void become(const char *const words[], int output)
{
	if (dup2(output, STDOUT_FILENO) >= 0)
		execvp(words[0], (char *const *)(uintptr_t)words);
	fprintf(stderr, "%s: %s\n", words[0], strerror(errno));
	_exit(127);
}

FILE *child_start(const char *const words[], pid_t *child)
{
	int ends[2];
	FILE *from;

	if (pipe(ends))
		return NULL;
	from = fdopen(ends[0], "r");
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	*child = from ? fork() : -1;
	if (*child == 0)
		become(words, ends[1]);
	close(ends[1]);
	if (*child > 0)
		return from;
	if (from)
		fclose(from);
	else
		close(ends[0]);
	return NULL;
}

int child_finish(FILE *from, pid_t child)
{
	int status = -1;

	/* Read all: a program that writes to a closed pipe is killed. */
	while (getc(from) != EOF)
		continue;
	fclose(from);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	return status;
}

/* A child keeps a CPU busy until this program has ended, which changes the child's parent. */
void child_keep_busy(void)
{
	const pid_t parent = getpid();

	for (long i = sysconf(_SC_NPROCESSORS_ONLN); i > 0; i--) {
		if (fork() != 0)
			continue;
		while (getppid() == parent)
			for (int loops = 0; loops < BUSY_LOOPS; loops++)
				dependent_400(NULL);
		_exit(0);
	}
}
