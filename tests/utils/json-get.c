/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* json-get KEY...: prints the value at that place of the JSON on standard input. A key of an array
 * is an index, or "#" for its length. Exit status 1: no JSON, or no such place; 77: no jansson. */

#include "config.h"

#include <stdio.h>

#ifdef HAVE_JANSSON

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static json_t *step(json_t *value, const char *key)
{
	if (json_is_array(value) && !strcmp(key, "#"))
		return json_integer((json_int_t)json_array_size(value));
	if (json_is_array(value))
		return json_array_get(value, strtoul(key, NULL, 10));
	return json_object_get(value, key);
}

int main(int argc, char *argv[])
{
	json_error_t error;
	json_t *value = json_loadf(stdin, JSON_REJECT_DUPLICATES, &error);

	if (!value) {
		fprintf(stderr, "json-get: %d: %s\n", error.line, error.text);
		return 1;
	}
	for (int i = 1; i < argc; i++)
		value = step(value, argv[i]);
	if (!value)
		return 1;
	if (json_is_string(value))
		puts(json_string_value(value));
	else if (json_dumpf(value, stdout, JSON_COMPACT | JSON_ENCODE_ANY) == 0)
		puts("");
	/* Not freed: the process ends. */
	_Exit(fflush(stdout) ? 1 : 0);
}

#else

int main(void)
{
	fprintf(stderr, "json-get: built without jansson\n");
	return 77;
}

#endif
