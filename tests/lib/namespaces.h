/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* PID namespaces, in which thread ids begin at 1 again. */

#ifndef CPUCYCLES_NAMESPACES_H
#define CPUCYCLES_NAMESPACES_H

#include <sched.h>
#include <stdbool.h>

/* Give the calling thread's next child a PID namespace of its own. False: it is not permitted, or
 * there are none here. */
__attribute__((unused)) static bool namespace_for_child(void)
{
#ifdef CLONE_NEWPID
	return !unshare(CLONE_NEWPID) || !unshare(CLONE_NEWUSER | CLONE_NEWPID);
#else
	return false;
#endif
}

#endif
