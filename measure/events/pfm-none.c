/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A library that is built without libpfm4 knows none of its names. */

#include "config.h"

#include "pfm.h"
#include "reason.h"

#include <errno.h>

#define WHY "this library is built without libpfm4"

int event_pfm_code(const char *name, uint32_t *type, struct event_config *config,
		   struct reason_text *reason)
{
	(void)type;
	(void)config;
	return reason_say(reason, ENOSYS, "%s: " WHY, name);
}

const char *event_pfm_tables(void)
{
	return WHY;
}

void event_pfm_list(event_pfm_each *each, void *context)
{
	(void)each;
	(void)context;
}
