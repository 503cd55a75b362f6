/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The functions of compare.c, lookup.c and power.c, for the two programs that test them. A function
 * alone, for cpucycles-measure, needs no such header. */

#include <stddef.h>

/* compare.c */
extern const size_t early_exit_input_bytes, all_bytes_input_bytes;
void early_exit(const unsigned char *input);
void early_exit_input(int group, unsigned char *input);
void all_bytes(const unsigned char *input);
void all_bytes_input(int group, unsigned char *input);

/* lookup.c */
extern const size_t lookup_input_bytes, scan_input_bytes;
void lookup(const unsigned char *input);
void scan(const unsigned char *input);

/* power.c */
extern const size_t square_and_multiply_input_bytes, ladder_input_bytes;
void square_and_multiply(const unsigned char *input);
void ladder(const unsigned char *input);

/* functions.c: all of them, by name. */
#define FUNCTIONS 6
#define BYTES_MAX 32 /* of an input */

struct function {
	const char *name;
	void (*call)(const unsigned char *input);
	const size_t *bytes;
	void (*input)(int group, unsigned char *input); /* NULL: there is none */
};

extern const struct function functions[FUNCTIONS];

/* NULL: there is none of this name. */
const struct function *function_named(const char *name);
