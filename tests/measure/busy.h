/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Processes that never wait, on the CPUs on which this one may run. */

#ifndef CPUCYCLES_TESTS_BUSY_H
#define CPUCYCLES_TESTS_BUSY_H

#include <signal.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define BUSY_SECONDS 120 /* at most */

static inline void busy_begin(pid_t processes[], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		processes[i] = fork();
		/* A test that fails does not end them. */
		if (processes[i] == 0)
			alarm(BUSY_SECONDS);
		while (processes[i] == 0)
			continue;
	}
}

static inline void busy_end(const pid_t processes[], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		kill(processes[i], SIGKILL);
		waitpid(processes[i], NULL, 0);
	}
}

#endif
