/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "log.h"
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void streams_keep_apart(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
	signal(SIGPIPE, SIG_IGN);
}

bool streams_written(void)
{
	if (fflush(stdout))
		log_line(LOG_ERROR, "standard output: %s", strerror(errno));
	else if (ferror(stdout)) /* an earlier write failed, and its errno is gone */
		log_line(LOG_ERROR, "standard output: cannot write");
	else
		return true;
	return false;
}
