/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What this machine's counters are like, in the text format that Prometheus reads. Source:
 * "Exposition formats" and "Metric and label naming" in the manual of Prometheus. */

#ifndef CPUCYCLES_METRICS_H
#define CPUCYCLES_METRICS_H

#include "inspect.h"

#include <stddef.h>
#include <time.h>

/* Enough for COUNTERS_MAX counters and KNOBS_MAX knobs. */
#define METRICS_SIZE 65536

/* What is published in addition to the inspection. */
struct metrics_setting {
	time_t now;
	char kernel[64]; /* its release, such as 6.1.0-9-amd64 */
	char model[MODEL_SIZE];
};

/* Look at cache and counters as a program of this process finds them. Counters are probed only if
 * no cache is in use, because then they are not ranked. False: the guard cannot be had. */
bool metrics_look(struct inspection *inspection, struct metrics_setting *setting);

/* Write the metrics of what metrics_look found. The text's length, or 0 if it does not fit. Pure.
 */
size_t metrics_format(const struct inspection *inspection, const struct metrics_setting *setting,
		      char *text, size_t size);

#endif
