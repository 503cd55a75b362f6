/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* One byte, or the end if the other process has ended. */
static ssize_t take_byte(int line)
{
	char byte;
	ssize_t n;

	do
		n = read(line, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n;
}

/* In the child. It says that it is ready only when no signal but SIGKILL can end it. */
static void watch(int line, int (*work)(void *), void *argument)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	if (write(line, "", 1) != 1)
		_exit(1);
	take_byte(line);
	_exit(work(argument));
}

int watcher_start(struct watcher *watcher, int (*work)(void *), void *argument)
{
	int lines[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, lines))
		return -errno;
	fcntl(lines[0], F_SETFD, FD_CLOEXEC);
	/* A parent may have left SIGCHLD ignored. Then the kernel would drop the status. */
	signal(SIGCHLD, SIG_DFL);
	watcher->process = fork();
	watcher->line = lines[0];
	if (watcher->process == 0) {
		close(lines[0]);
		watch(lines[1], work, argument);
	}
	close(lines[1]);
	if (watcher->process > 0 && take_byte(watcher->line) == 1)
		return 0;
	close(watcher->line);
	return watcher->process < 0 ? -EAGAIN : -ECHILD;
}

int watcher_end(struct watcher *watcher)
{
	int status;
	pid_t got;

	close(watcher->line);
	do
		got = waitpid(watcher->process, &status, 0);
	while (got < 0 && errno == EINTR);
	return got == watcher->process && WIFEXITED(status) ? WEXITSTATUS(status) : -ECHILD;
}
