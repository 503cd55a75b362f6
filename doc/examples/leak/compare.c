/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Two ways to compare 32 bytes with a secret. The first one ends at the first byte that differs, so
 * its time tells how many bytes were right.
 *
 *     cpucycles-measure --leak compare.c:early_exit
 *     cpucycles-measure --leak compare.c:all_bytes
 */

#include "functions.h"

#include <stdlib.h>
#include <string.h>

static const unsigned char secret[32] = "the secret that nobody may know";

/* The compiler has to think that somebody reads it: a comparison whose result nobody uses would be
 * left out. */
static volatile int equal;

const size_t early_exit_input_bytes = sizeof(secret);
void early_exit(const unsigned char *input)
{
	for (size_t i = 0; i < sizeof(secret); i++) {
		if (input[i] != secret[i]) {
			equal = 0;
			return;
		}
	}
	equal = 1;
}

const size_t all_bytes_input_bytes = sizeof(secret);
void all_bytes(const unsigned char *input)
{
	unsigned different = 0;

	for (size_t i = 0; i < sizeof(secret); i++)
		different |= (unsigned)(input[i] ^ secret[i]);
	equal = (int)((different - 1) >> 8 & 1);
}

/* Group 0 is the secret itself, group 1 is random. Two random inputs would differ from the secret
 * in the first byte, both of them, and the first function would not show its leak. */
void early_exit_input(int group, unsigned char *input)
{
	if (group == 0)
		memcpy(input, secret, sizeof(secret));
	else
		for (size_t i = 0; i < sizeof(secret); i++)
			input[i] = (unsigned char)rand();
}

void all_bytes_input(int group, unsigned char *input)
{
	early_exit_input(group, input);
}
