/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The sentence on an error of a system call, which names the limit if there are no descriptors. */

#ifndef CPUCYCLES_EVENT_LIMIT_H
#define CPUCYCLES_EVENT_LIMIT_H

#include "reason.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

/* error: a positive errno. name: of the event. */
static inline void event_limit_say(const char *name, int error, struct cpucycles_reason *reason)
{
	struct rlimit limit;

	if (error == EMFILE && !getrlimit(RLIMIT_NOFILE, &limit))
		reason_say(reason, error, "%.60s: all %llu descriptors of this process are in use",
			   name, (unsigned long long)limit.rlim_cur);
	else
		reason_say(reason, error, "%.60s: %s", name, strerror(error));
	reason_advise(reason, error);
}

#endif
