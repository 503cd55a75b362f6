/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Runs the calibrator: now that knobs have changed, other counters may be the best. */

#include "config.h"

#include "log.h"
#include "opening.h"
#include "streams.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void call_calibrator(const char *path)
{
	static char force[] = "--force";
	char name[] = "cpucycles-calibrated";
	char *const arguments[] = { name, force, NULL };
	char *const environment[] = { NULL };

	streams_give_back();
	execve(path, arguments, environment);
	log_line(LOG_ERROR, "%s: %s", path, strerror(errno));
	_exit(127);
}

enum opening_status recalibrate(const char *path)
{
	int status = 0;
	pid_t child;

	/* A parent may have left SIGCHLD ignored. Then the kernel would drop the child's status. */
	signal(SIGCHLD, SIG_DFL);
	child = fork();
	if (child == 0)
		call_calibrator(path);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (child < 0)
		log_line(LOG_ERROR, "%s: cannot be started: %s", path, strerror(errno));
	else if (WIFSIGNALED(status))
		log_line(LOG_ERROR, "%s: ended by signal %d: the old calibration stays", path,
			 WTERMSIG(status));
	else if (WEXITSTATUS(status))
		log_line(LOG_ERROR, "%s: exit status %d: the old calibration stays", path,
			 WEXITSTATUS(status));
	else
		return OPENING_OK;
	return OPENING_NOT_CALIBRATED;
}
