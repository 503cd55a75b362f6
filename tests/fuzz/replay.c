/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The main program of a fuzz target without a fuzzer: it gives the target each of the named files
 * once. Exit status: 0, or 2 if a file cannot be read. A wrong answer of the library aborts the
 * program. */

#include "fuzz.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INPUT_SIZE 65536

int main(int argc, char *argv[])
{
	static char bytes[INPUT_SIZE];

	for (int i = 1; i < argc; i++) {
		FILE *file = fopen(argv[i], "rb");
		size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
		char *input;

		if (!file || ferror(file) || fclose(file)) {
			fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
			return 2;
		}
		input = fuzz_copy(bytes, size, false);
		LLVMFuzzerTestOneInput((const uint8_t *)input, size);
		free(input);
	}
	fprintf(stderr, "inputs: %d\n", argc - 1);
	return 0;
}
