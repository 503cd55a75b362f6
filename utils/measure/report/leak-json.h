/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The result of a test for leaks as JSON. */

#ifndef CPUCYCLES_MEASURE_LEAK_JSON_H
#define CPUCYCLES_MEASURE_LEAK_JSON_H

#include "leak-report.h"

#include <stdbool.h>
#include <stdio.h>

/* All of it as an object of JSON, also if there is no result. False: memory ran out. Without
 * jansson, the option that asks for it is refused. */
#ifdef HAVE_JANSSON
bool leak_json(const struct leak_report *report, FILE *to);
#else
#define leak_json(report, to) false
#endif

#endif
