/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "functions.h"

#include <string.h>

const struct function functions[FUNCTIONS] = {
	{ "early_exit", early_exit, &early_exit_input_bytes, early_exit_input },
	{ "all_bytes", all_bytes, &all_bytes_input_bytes, all_bytes_input },
	{ "lookup", lookup, &lookup_input_bytes, NULL },
	{ "scan", scan, &scan_input_bytes, NULL },
	{ "square_and_multiply", square_and_multiply, &square_and_multiply_input_bytes, NULL },
	{ "ladder", ladder, &ladder_input_bytes, NULL },
};

const struct function *function_named(const char *name)
{
	for (size_t i = 0; i < FUNCTIONS; i++)
		if (strcmp(functions[i].name, name) == 0)
			return &functions[i];
	return NULL;
}
