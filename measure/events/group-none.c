/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* For systems that count no events, or in a way that the library does not know. */

#include "config.h"

#include "group.h"
#include "reason.h"

#include <errno.h>

static int refuse(struct reason_text *reason)
{
	return reason_say(reason, ENOTSUP, "this system has no events that the library knows");
}

int event_resolve(struct event *event, struct reason_text *reason)
{
	(void)event;
	return refuse(reason);
}

size_t event_group_bytes(void)
{
	return 1;
}

/* The rest is never reached, because no event can be resolved. */
int event_group_open(struct event_group *group, const struct event *const events[], size_t n,
		     size_t *which, struct reason_text *reason)
{
	(void)group;
	(void)events;
	(void)n;
	*which = 0;
	return refuse(reason);
}

int event_group_read(struct event_group *group, uint64_t counts[])
{
	(void)group;
	(void)counts;
	return -EAGAIN;
}

int event_group_lost(struct event_group *group)
{
	(void)group;
	return -EAGAIN;
}

const char *event_group_way(const struct event_group *group)
{
	(void)group;
	return "no way";
}

void event_group_close(struct event_group *group)
{
	(void)group;
}
