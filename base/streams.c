/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "log.h"
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* What is ignored, and what a child gets back. */
static const int ignored[] = { SIGXFSZ, SIGPIPE };
#define IGNORED (sizeof ignored / sizeof ignored[0])

static struct sigaction before[IGNORED];
static bool known[IGNORED];

static void ignore(size_t i)
{
	struct sigaction action = { .sa_handler = SIG_IGN };

	sigemptyset(&action.sa_mask);
	if (!known[i])
		known[i] = !sigaction(ignored[i], &action, &before[i]);
}

void streams_outlive_limit(void)
{
	ignore(0);
}

void streams_give_back(void)
{
	for (size_t i = 0; i < IGNORED; i++)
		if (known[i])
			sigaction(ignored[i], &before[i], NULL);
}

void streams_keep_apart(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
	for (size_t i = 0; i < IGNORED; i++)
		ignore(i);
}

/* An earlier write has failed, and its errno is gone. One more byte meets the same error, unless
 * its cause is gone, too. What was written is not whole anyway. */
static bool fails_again(void)
{
	return putc('\n', stdout) == EOF || fflush(stdout);
}

bool streams_written(void)
{
	const bool failed = fflush(stdout);

	if (!failed && !ferror(stdout))
		return true;
	log_line(LOG_ERROR, "standard output: %s",
		 failed || fails_again() ? strerror(errno) : "cannot write");
	return false;
}

int streams_pipe(int ends[2])
{
	if (pipe(ends)) {
		ends[0] = ends[1] = -1;
		return -errno;
	}
	for (size_t i = 0; i < 2; i++)
		fcntl(ends[i], F_SETFD, FD_CLOEXEC);
	return 0;
}

int streams_close(FILE *file)
{
	const bool failed = fflush(file) || ferror(file);

	if (fclose(file) || failed)
		return errno ? -errno : -EIO;
	return 0;
}
