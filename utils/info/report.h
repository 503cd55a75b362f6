/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What cpucycles-info prints. */

#ifndef CPUCYCLES_REPORT_H
#define CPUCYCLES_REPORT_H

#include "explain.h"

#include <stdbool.h>

/* Without options: in form line for line what the original libcpucycles's tool prints. */
void report_plain(void);

#define SUMMARY_TEXT (2 * EXPLAIN_COMMAND)

/* What --cache tells people first: one or two sentences each. */
struct summary {
	char counter[SUMMARY_TEXT]; /* which counter programs get, from where, and how good it is */
	char better[SUMMARY_TEXT];  /* what would be better, and why programs do not get it */
	char remedy[SUMMARY_TEXT];  /* how to get it */
};

/* After inspect_cache and, where the cache is not in use, inspect_probe. Pure. */
void summary_make(const struct inspection *inspection, struct summary *summary);

/* --cache on a terminal: that, and an empty line. */
void report_summary(const struct inspection *inspection);

/* --cache; after inspect_cache. */
void report_cache(const struct inspection *inspection);

/* --cache or --probe: the counter of core cycles that could be had instead, if there is one. */
void report_core_cycles(const struct inspection *inspection);

/* --probe; after inspect_cache and inspect_probe. */
void report_probe(const struct inspection *inspection);

/* --json; after inspect_cache and inspect_probe. False: memory ran out. Without jansson, the option
 * is refused. */
#ifdef HAVE_JANSSON
bool report_json(const struct inspection *inspection);
#else
#define report_json(inspection) false
#endif

/* --noise: look for so long, and print it. JSON: as report_json. */
void report_noise_look(unsigned seconds);
void report_noise_text(void);
#ifdef HAVE_JANSSON
bool report_noise_json(void);
#else
#define report_noise_json() false
#endif

/* --samples: the longest time that can be asked for, and the kinds, for messages. */
#define SAMPLES_SECONDS_MAX 3600
#define SAMPLES_KINDS "noise, skew, drift, frequency or gaps"

bool samples_is_kind(const char *kind);

/*
 * Print the samples of this kind. seconds: how long to measure; 0: the default. After
 * inspect_cache, and after inspect_probe where no cache is in use. False: not all could be printed;
 * an error line says why if the reason is not standard output.
 */
bool samples_print(const char *kind, unsigned seconds, const struct inspection *inspection);

#endif
