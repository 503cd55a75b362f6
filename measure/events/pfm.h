/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The names of libpfm4, where the library is built with it: the events of the CPU's manual. */

#ifndef CPUCYCLES_EVENT_PFM_H
#define CPUCYCLES_EVENT_PFM_H

#include "field.h"
#include "name.h"

#include <stdbool.h>
#include <stdint.h>

/* The code of this name for the PMU that libpfm4 has detected. 0; -ENOENT: it does not know the
 * name; -ENOSYS: built without libpfm4; *reason says which tables were searched. */
int event_pfm_code(const char *name, uint32_t *type, struct event_config *config,
		   struct reason_text *reason);

/* The tables for this machine in one line, such as "libpfm4 4.13: amd64_fam19h_zen4, perf"; or why
 * there are none. */
const char *event_pfm_tables(void);

/* Call back for each event of the detected PMUs, until the callback returns false. */
typedef bool event_pfm_each(void *context, const char *pmu, const char *event, const char *what);
void event_pfm_list(event_pfm_each *each, void *context);

#endif
