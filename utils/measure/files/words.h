/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A list of words, as a command has them. Pure. */

#ifndef CPUCYCLES_MEASURE_WORDS_H
#define CPUCYCLES_MEASURE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* All zeros is an empty list. */
struct words {
	char **list; /* n of them, and then NULL; without words, the list itself may be NULL */
	size_t n, room;
	bool failed; /* memory ran out, so words are missing */
};

/* Add a copy of the word. */
void words_add(struct words *words, const char *word);

/* Add a word that was allocated. NULL: memory ran out. */
void words_take(struct words *words, char *word);

/* Add the words of a text, which have blanks between them. NULL: there are none. */
void words_split(struct words *words, const char *text);

/* Add the words of a text as a shell splits it: quotes and backslashes join what stands in them.
 * NULL, or what is wrong, as a part of a sentence; then some words may have been added. What else a
 * shell would do for a text is wrong, too. */
const char *words_split_quoted(struct words *words, const char *text);

/* Add copies of all words of another list. */
void words_append(struct words *words, const struct words *more);

/* A file's path as the word of a command, which begins like no option and no file of options. */
void words_add_path(struct words *words, const char *path);

/* Whether a short list has the word, in any order. */
bool words_have(const struct words *words, const char *word);

/* Into the order of strcmp(3), each word once. */
void words_sort(struct words *words);

/* Where a sorted list has the word; NULL: it does not have it. Of a long list, this is fast. */
char **words_find(const struct words *words, const char *word);

void words_free(struct words *words);

/* One text of three, to be freed. NULL: memory ran out. */
char *words_join(const char *first, const char *second, const char *third);

#endif
