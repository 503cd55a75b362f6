/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What came of a gate, for a forge that shows it next to the lines of a change. Functions that have
 * passed have no annotation. A function stands where its debug information says, or else in line 1
 * of its file. */

#ifndef CPUCYCLES_MEASURE_ANNOTATIONS_H
#define CPUCYCLES_MEASURE_ANNOTATIONS_H

#include "result/outcome.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Commands of GitHub Actions: ::error for an alarm or a failure, ::warning where there is no
 * answer. False: memory ran out. */
bool annotations_github(const struct outcome outcomes[], size_t n, FILE *to);

/* GitLab's report of code quality, in JSON. False: memory ran out. Without jansson, the option that
 * asks for it is refused. */
#ifndef HAVE_JANSSON
#define annotations_gitlab(outcomes, n, to) false
#else
bool annotations_gitlab(const struct outcome outcomes[], size_t n, FILE *to);
#endif

#endif
