/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "linkscript.h"
#include "files/symbols.h"
#include "path.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A line of the processor's cache, in bytes. */
#define LINE 64

#define FILE_OF_SIDE "cpucycles-measured-%zu.o"

void linkscript_name(size_t i, char name[LINKSCRIPT_NAME])
{
	snprintf(name, LINKSCRIPT_NAME, FILE_OF_SIDE, i);
}

/* The side's file, with a bracket. A linker finds a path at once, and compares a pattern with all
 * files. A path with other characters than these may have a meaning in a script. */
static void put_file(const struct linkscript_side *side, FILE *to)
{
	const size_t plain =
		strspn(side->path, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				   "0123456789/._-");

	if (side->path[plain])
		fprintf(to, "*" FILE_OF_SIDE "(", side->number);
	else
		fprintf(to, "%s(", side->path);
}

/* Sections of a side. */
static void put_side(const struct linkscript_side *side, const char *sections, FILE *to)
{
	fputs("\t\t", to);
	put_file(side, to);
	fprintf(to, "%s)\n", sections);
}

bool linkscript_has_borders(const char *section)
{
	for (const char *at = section; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '_')
			return false;
	return *section && !isdigit((unsigned char)*section);
}

/* One section. A linker defines no borders of a section that a script has moved, so the script
 * does. */
static void put_section(const struct linkscript_side *side, const char *section, FILE *to)
{
	const bool borders = linkscript_has_borders(section);

	if (borders)
		fprintf(to, "\t\t" SYMBOLS_START "%s = .;\n", section);
	put_side(side, section, to);
	if (borders)
		fprintf(to, "\t\t" SYMBOLS_STOP "%s = .;\n", section);
}

static void put_code_of(const struct linkscript_side *side, FILE *to)
{
	fprintf(to, "\t\t. = ALIGN(%d);\n\t\t. += %zu;\n", LINKSCRIPT_PAGE, side->place);
	if (side->first) {
		put_section(side, side->first, to);
		fprintf(to, "\t\t. += %zu;\n", side->gap);
	}
	put_side(side, ".text .text.*", to);
	for (size_t i = 0; i < side->codes->n; i++) {
		const char *section = side->codes->list[i];

		if (side->first && !strcmp(section, side->first))
			continue;
		/* So that nothing lies between a border and its section. */
		if (linkscript_has_borders(section))
			fprintf(to, "\t\t. = ALIGN(%d);\n", LINE);
		put_section(side, section, to);
	}
}

static void put_code(const struct linkscript_side sides[], size_t n, FILE *to)
{
	fprintf(to, "SECTIONS\n{\n\t" LINKSCRIPT_SECTION " :\n\t{\n");
	for (size_t i = 0; i < n; i++)
		put_code_of(&sides[i], to);
	fprintf(to, "\t}\n}\nINSERT AFTER .text;\n");
}

static void put_data(const char *section, const char *more, const struct linkscript_side sides[],
		     size_t n, size_t padding, FILE *to)
{
	char sections[LINE];

	snprintf(sections, sizeof sections, "%s %s.*%s", section, section, more);
	fprintf(to, "SECTIONS\n{\n\t%s.measured :\n\t{\n", section);
	fprintf(to, "\t\t. = ALIGN(%d);\n\t\t. += %zu;\n", LINE, padding);
	for (size_t i = 0; i < n; i++)
		put_side(&sides[i], sections, to);
	fprintf(to, "\t}\n}\nINSERT AFTER %s;\n", section);
}

/* The constructors of each side, which the program does not call by itself. The harness calls them
 * one side after the other, and sees what each one leaves. */
static void put_constructors(const struct linkscript_side *side, FILE *to)
{
	const size_t i = side->number;

	fprintf(to, "SECTIONS\n{\n\t.constructors.measured.%zu : ALIGN(%d)\n\t{\n", i, LINE);
	fprintf(to, "\t\t" LINKSCRIPT_SIDE "_begin = .;\n", i);
	fputs("\t\tKEEP(", to);
	put_file(side, to);
	fputs("SORT_BY_INIT_PRIORITY(.init_array.*)))\n\t\tKEEP(", to);
	put_file(side, to);
	fputs(".init_array))\n", to);
	fprintf(to, "\t\t" LINKSCRIPT_SIDE "_end = .;\n\t}\n}\nINSERT AFTER .data;\n", i);
}

void linkscript_write(const struct linkscript_side sides[], size_t n, size_t data_padding, FILE *to)
{
	put_code(sides, n, to);
	put_data(".rodata", "", sides, n, data_padding, to);
	put_data(".data", "", sides, n, data_padding, to);
	put_data(".bss", " COMMON", sides, n, data_padding, to);
	for (size_t i = 0; i < n; i++)
		put_constructors(&sides[i], to);
}

/* Read one word from *text, up to its line's end, into the room. A word in quotation marks has a
 * backslash before some characters. Both gcc and clang write words so. False: the quotation does
 * not end. */
static bool read_word(const char **text, char room[])
{
	const bool quoted = **text == '"';
	const char *at = *text + (quoted ? 1 : 0);

	while (*at && *at != '\n' && *at != (quoted ? '"' : ' ')) {
		if (quoted && *at == '\\' && at[1])
			at++;
		*room++ = *at++;
	}
	*room = 0;
	if (quoted && *at != '"')
		return false;
	*text = at + (quoted ? 1 : 0);
	return !quoted || **text == ' ' || **text == '\n' || !**text;
}

static bool read_words(const char *line, struct words *words)
{
	char *room = malloc(strlen(line) + 1);
	bool fine = room != NULL;

	while (fine && *(line += strspn(line, " ")) && *line != '\n') {
		fine = read_word(&line, room);
		if (fine)
			words_add(words, room);
	}
	free(room);
	return fine && !words->failed;
}

/* The only line that begins with a blank: drivers print each command so. NULL: there is none, or
 * more than one. */
static const char *command_line(const char *printed)
{
	const char *found = NULL;

	for (const char *line = printed; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (*line != ' ')
			continue;
		if (found)
			return NULL;
		found = line;
	}
	return found;
}

/* Whether the linker is to see this word. Without the plugin, its options make no sense, and some
 * words are for collect2. */
static bool is_for_linker(const char *word)
{
	return strncmp(word, "-plugin-opt=", 12) && strncmp(word, "--plugin-opt=", 13) &&
	       strncmp(word, "-fuse-ld=", 9) && strcmp(word, "-fno-lto");
}

/* The words of collect2 as words of the linker. False: collect2 would do more than to run it. */
static bool translate(const struct words *printed, const char *linker, struct words *words)
{
	const bool collect = !strcmp(path_name(printed->list[0]), "collect2");

	words_add(words, collect ? linker : printed->list[0]);
	for (size_t i = 1; i < printed->n; i++) {
		const char *word = printed->list[i];

		if (collect && !strncmp(word, "-flto", 5))
			return false;
		/* What loads the plugin stands in two words. */
		if (!strcmp(word, "-plugin") || !strcmp(word, "--plugin"))
			i++;
		else if (is_for_linker(word))
			words_add(words, word);
	}
	return !words->failed;
}

/* Whether the command makes this file. */
static bool makes(const struct words *words, const char *program)
{
	for (size_t i = 1; i + 1 < words->n; i++)
		if (!strcmp(words->list[i], "-o"))
			return !strcmp(words->list[i + 1], program);
	return false;
}

bool linkscript_command(const char *printed, const char *linker, const char *program,
			struct words *words)
{
	const char *line = command_line(printed);
	struct words all = { 0 };
	bool fine = line && read_words(line, &all) && all.n > 0;

	*words = (struct words){ 0 };
	fine = fine && translate(&all, linker, words) && makes(words, program);
	words_free(&all);
	if (!fine)
		words_free(words);
	return fine;
}

/* The name after the nearest of these words, in the text from *at on. NULL: there is none. */
static const char *name_after(const char *const words[], size_t n, const char **at, size_t *length)
{
	const char *nearest = NULL, *name = NULL;

	for (size_t i = 0; i < n; i++) {
		const char *found = strstr(*at, words[i]);

		if (found && (!nearest || found <= nearest)) {
			nearest = found;
			name = found + strlen(words[i]);
		}
	}
	if (!name)
		return NULL;
	name += *name == '`' || *name == '\'';
	*length = strcspn(name, "'`@ \n");
	*at = name + *length;
	return name;
}

const char *linkscript_undefined(const char **at, size_t *length)
{
	/* The second one is of what a library has that was not asked for. */
	static const char *const words[] = { "undefined reference to ",
					     "undefined reference to symbol ",
					     "undefined symbol: " };

	return name_after(words, sizeof words / sizeof words[0], at, length);
}

const char *linkscript_double(const char **at, size_t *length)
{
	static const char *const words[] = { "multiple definition of ", "duplicate symbol: " };

	return name_after(words, sizeof words / sizeof words[0], at, length);
}
