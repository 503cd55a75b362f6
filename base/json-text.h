/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A text from outside as a value of JSON, and what arrays and objects are made by. Inline, because
 * two tools use it. Only where jansson is. */

#ifndef CPUCYCLES_JSON_TEXT_H
#define CPUCYCLES_JSON_TEXT_H

#include "letters.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text may have a path in it, which need not be UTF-8. Each byte that is of no letter becomes
 * '?'. NULL: out of memory. */
static inline json_t *json_of_text(const char *text)
{
	json_t *value = json_string(text);
	char *plain;

	if (value)
		return value;
	plain = malloc(strlen(text) + 1);
	if (!plain)
		return NULL;
	strcpy(plain, text);
	letters_mend(plain);
	value = json_string(plain);
	free(plain);
	return value;
}

/* null if there is no sentence. */
static inline json_t *json_of_sentence(const char *text)
{
	return text[0] ? json_of_text(text) : json_null();
}

/* The array with the value at its end. NULL: one of both is, or memory ran out, and both are
 * freed. */
static inline json_t *json_append(json_t *array, json_t *value)
{
	return json_array_append_new(array, value) ? json_decref(array), NULL : array;
}

/* The same of an object with one more member. */
static inline json_t *json_with(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new(object, key, value) ? json_decref(object), NULL : object;
}

/* Print a value with this many digits of a fraction, and free it. False: it is NULL, or memory ran
 * out. */
static inline bool json_print(json_t *value, size_t digits, FILE *to)
{
	char *const text =
		value ? json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(digits)) : NULL;

	json_decref(value);
	if (text)
		fprintf(to, "%s\n", text);
	free(text);
	return text != NULL;
}

#endif
