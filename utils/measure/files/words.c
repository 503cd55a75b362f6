/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n\r\v\f"

/* What is wrong with a text that only a shell can run. */
#define SHELL "no shell runs it, which one of |&;<>()$` is for; quote that, or give sh -c 'COMMAND'"

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

/* A word that is being made of parts of a text. */
struct part {
	const char *text; /* what is left of it */
	char *word;       /* with room for all of the text */
	size_t length;
};

/* Take the inside of quotes, up to the second one of them. Between double quotes, a backslash
 * protects these four. */
static const char *take_quoted(struct part *part)
{
	const char quote = *part->text++;

	for (; *part->text != quote; part->text++) {
		if (quote == '"' && *part->text == '\\' && part->text[1] &&
		    strchr("\"\\$`", part->text[1]))
			part->text++;
		else if (quote == '"' && (*part->text == '$' || *part->text == '`'))
			return SHELL;
		if (!*part->text)
			return "a quote is not closed";
		part->word[part->length++] = *part->text;
	}
	part->text++;
	return NULL;
}

/* Take one word, which is not empty. NULL or what is wrong. */
static const char *take_word(struct part *part)
{
	const char *wrong = NULL;

	while (!wrong && *part->text && !strchr(BLANKS, *part->text)) {
		if (*part->text == '\'' || *part->text == '"') {
			wrong = take_quoted(part);
			continue;
		}
		if (strchr("|&;<>()$`", *part->text))
			return SHELL;
		if (*part->text == '\\' && !*++part->text)
			return "nothing follows the last backslash";
		part->word[part->length++] = *part->text++;
	}
	return wrong;
}

const char *words_split_quoted(struct words *words, const char *text)
{
	struct part part = { .text = text, .word = malloc(strlen(text) + 1) };
	const char *wrong = NULL;

	while (part.word && !wrong && *(part.text += strspn(part.text, BLANKS))) {
		part.length = 0;
		wrong = take_word(&part);
		if (!wrong)
			add_part(words, part.word, part.length);
	}
	words->failed |= !part.word;
	free(part.word);
	return wrong;
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
