/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Only Linux has this tree. These are the functions that lists of events call everywhere. */

#include "config.h"

#include "sysfs.h"

#include <errno.h>

int event_sysfs_code(const char *root, const char *pmu, const char *terms,
		     struct event_config *config, struct reason_text *reason)
{
	(void)root;
	(void)pmu;
	(void)terms;
	(void)config;
	(void)reason;
	return -ENOENT;
}

int event_sysfs_list(const char *root, event_sysfs_each *each, void *context)
{
	(void)root;
	(void)each;
	(void)context;
	return 0;
}
