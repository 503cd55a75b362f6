/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The results as JSON, and the values of JSON that all such forms share. */

#ifndef CPUCYCLES_MEASURE_JSON_H
#define CPUCYCLES_MEASURE_JSON_H

#include "result/outcome.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Print outcomes that differ in the size of the functions' argument, or a single one, as one
 * object. False: memory ran out. Without jansson, the option that asks for it is refused. */
#ifndef HAVE_JANSSON
#define json_results(outcomes, n, to) false
#else
bool json_results(const struct outcome outcomes[], size_t n, FILE *to);

#include <jansson.h>

/* null if it is unknown: JSON has no infinity. */
json_t *json_of_real(double value);

/* null: there is none. */
json_t *json_of_count(uint64_t count);

/* Its names, and what became of it. measured: there are figures. */
json_t *json_of_target(const struct target *target, bool measured);

/* What is known of the counter. null: nothing is. */
json_t *json_of_counter(const struct outcome *outcome);

/* An array, to which `add` adds each target of each outcome, as json_append() does. */
json_t *json_of_targets(json_t *(*add)(json_t *array, const struct outcome *outcome,
				       const struct target *target),
			const struct outcome outcomes[], size_t n);

/* Print it and free it. False: memory ran out, also if root is NULL. */
bool json_put(json_t *root, FILE *to);

#endif

#endif
