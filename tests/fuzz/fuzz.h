/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the fuzz targets share. A target is LLVMFuzzerTestOneInput, with an oracle of its own: it
 * ends the program where the library's answer is wrong, not only where it crashes. libFuzzer's
 * main calls it with what it makes up, that of replay.c with the files of the corpus. */

#ifndef CPUCYCLES_FUZZ_H
#define CPUCYCLES_FUZZ_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* libFuzzer's names, which it finds by them. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

/* Ends the program, saying what does not hold. */
#define FUZZ_EXPECT(condition) \
	do { \
		if (!(condition)) \
			fuzz_fail(__FILE__, __LINE__, #condition); \
	} while (0)

_Noreturn void fuzz_fail(const char *file, int line, const char *condition);

/* An input was taken as valid: how many were is printed at the end, so that one sees
 * whether the deep paths are reached at all. */
void fuzz_count_valid(void);

/* A copy that ends where the text ends, so that AddressSanitizer sees a read past it, with a 0
 * behind it if asked. To be freed. */
char *fuzz_copy(const char *text, size_t length, bool with_0);

/*
 * An input of several files is one text: a line "%name words" starts each. The text
 * behind the first such line with that name; NULL if there is none. *words: behind the name, up
 * to the end of its line, in a buffer of the next call.
 */
const char *fuzz_section(const uint8_t *data, size_t size, const char *name, size_t *length,
			 const char **words);

/*
 * The text of a cache made valid for this process in four lines: boot, machine, counters (the hash
 * of the library's list) and the checksum that the text has then. A reader would otherwise refuse
 * the text at the first of these and never see the rest. Returns the length of result, at most
 * size.
 */
size_t fuzz_seal(const char *text, size_t length, char *result, size_t size);

/* A private folder, removed at the end; a path in it, good for three more calls. */
const char *fuzz_path(const char *name);

/* Write the whole file anew, making the folders above it. NULL: there is to be none. */
void fuzz_file(const char *name, const void *text, size_t length);

#endif
