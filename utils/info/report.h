/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What cpucycles-info prints. */

#ifndef CPUCYCLES_REPORT_H
#define CPUCYCLES_REPORT_H

#include "inspect.h"

#include <stdbool.h>

/* Without options: in form line for line what the original libcpucycles's tool prints. */
void report_plain(void);

/* --cache on a terminal: sentences for people, and an empty line; see summary_make. */
void report_summary(const struct inspection *inspection);

/* --cache; after inspect_cache. */
void report_cache(const struct inspection *inspection);

/* --cache or --probe: the counter of core cycles that could be had instead, if there is one. */
void report_core_cycles(const struct inspection *inspection);

/* --probe; after inspect_cache and inspect_probe. */
void report_probe(const struct inspection *inspection);

/* --json; after inspect_cache and inspect_probe. False: memory ran out. */
bool report_json(const struct inspection *inspection);

#endif
