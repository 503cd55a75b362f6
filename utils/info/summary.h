/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What cpucycles-info --cache tells people first. */

#ifndef CPUCYCLES_SUMMARY_H
#define CPUCYCLES_SUMMARY_H

#include "explain.h"

#define SUMMARY_TEXT (2 * EXPLAIN_COMMAND)

/* One or two sentences each. */
struct summary {
	char counter[SUMMARY_TEXT]; /* which counter programs get, from where, and how good it is */
	char better[SUMMARY_TEXT];  /* what would be better, and why programs do not get it */
	char remedy[SUMMARY_TEXT];  /* how to get it */
};

/* After inspect_cache and, where the cache is not in use, inspect_probe. Pure. */
void summary_make(const struct inspection *inspection, struct summary *summary);

#endif
