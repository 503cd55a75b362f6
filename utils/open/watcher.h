/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A process that outlives this one, and then does a last piece of work. */

#ifndef CPUCYCLES_WATCHER_H
#define CPUCYCLES_WATCHER_H

#include <sys/types.h>

struct watcher {
	pid_t process;
	int line; /* a socket: when no process has this end open any more, the work begins */
};

/*
 * Start a process that waits until this one has ended, even by SIGKILL, or calls watcher_end. Then
 * it does the work, with everything that this process has open and knows now. It has a session of
 * its own, so that what ends this process and all in its group does not end the watcher.
 * 0 or a negative errno.
 */
int watcher_start(struct watcher *watcher, int (*work)(void *), void *argument);

/* Have the work done now. What it returned, from 0 to 255; a negative errno if the watcher was
 * killed. */
int watcher_end(struct watcher *watcher);

#endif
