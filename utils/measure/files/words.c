/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n\r\v\f"

static bool make_room(struct words *words)
{
	const size_t room = words->room ? 2 * words->room : 16;
	char **list;

	if (words->n + 1 < words->room)
		return true;
	list = realloc(words->list, room * sizeof *list);
	if (!list)
		return false;
	words->list = list;
	words->room = room;
	return true;
}

/* Add a copy of the first bytes of a text, as one word. */
static void add_part(struct words *words, const char *text, size_t length)
{
	char *copy = make_room(words) ? malloc(length + 1) : NULL;

	if (!copy) {
		words->failed = true;
		return;
	}
	memcpy(copy, text, length);
	copy[length] = 0;
	words->list[words->n++] = copy;
	words->list[words->n] = NULL;
}

void words_add(struct words *words, const char *word)
{
	add_part(words, word, strlen(word));
}

void words_take(struct words *words, char *word)
{
	if (word)
		words_add(words, word);
	else
		words->failed = true;
	free(word);
}

void words_split(struct words *words, const char *text)
{
	while (text && *(text += strspn(text, BLANKS))) {
		const size_t length = strcspn(text, BLANKS);

		add_part(words, text, length);
		text += length;
	}
}

void words_append(struct words *words, const struct words *more)
{
	words->failed = words->failed || more->failed;
	for (size_t i = 0; i < more->n; i++)
		words_add(words, more->list[i]);
}

void words_add_path(struct words *words, const char *path)
{
	words_take(words, words_join(*path == '/' || *path == '.' ? "" : "./", path, ""));
}

bool words_have(const struct words *words, const char *word)
{
	for (size_t i = 0; i < words->n; i++)
		if (!strcmp(words->list[i], word))
			return true;
	return false;
}

static int by_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void words_sort(struct words *words)
{
	size_t kept = 0;

	if (words->n == 0)
		return;
	qsort(words->list, words->n, sizeof *words->list, by_order);
	for (size_t i = 0; i < words->n; i++)
		if (kept > 0 && !strcmp(words->list[i], words->list[kept - 1]))
			free(words->list[i]);
		else
			words->list[kept++] = words->list[i];
	words->n = kept;
	words->list[kept] = NULL;
}

char **words_find(const struct words *words, const char *word)
{
	if (words->n == 0)
		return NULL;
	return bsearch(&word, words->list, words->n, sizeof *words->list, by_order);
}

void words_free(struct words *words)
{
	for (size_t i = 0; i < words->n; i++)
		free(words->list[i]);
	free(words->list);
	*words = (struct words){ 0 };
}

char *words_join(const char *first, const char *second, const char *third)
{
	const size_t size = strlen(first) + strlen(second) + strlen(third) + 1;
	char *text = malloc(size);

	if (text)
		snprintf(text, size, "%s%s%s", first, second, third);
	return text;
}
