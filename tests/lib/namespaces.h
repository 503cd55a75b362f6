/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* PID namespaces, in which thread ids begin at 1 again. */

#ifndef CPUCYCLES_NAMESPACES_H
#define CPUCYCLES_NAMESPACES_H

#include <sched.h>
#include <unistd.h>

/* fork, and the child is process 1 of a new namespace. Once in a thread. -1: it is not permitted,
 * or there are no namespaces here. */
static pid_t namespace_fork(void)
{
#ifdef CLONE_NEWPID
	if (unshare(CLONE_NEWPID) && unshare(CLONE_NEWUSER | CLONE_NEWPID))
		return -1;
	return fork();
#else
	return -1;
#endif
}

#endif
