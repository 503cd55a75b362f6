/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "table.h"
#include "colours.h"
#include "printable.h"

#include <string.h>

/* Between two columns. */
#define GAP 2

/* Columns of a terminal that "\x1b" takes. */
#define ESCAPE 4

/* Columns of a terminal. Wide characters are not counted as two. */
static size_t width(const char *text)
{
	size_t columns = 0;

	while (*text) {
		const size_t bytes = printable(text);

		columns += bytes ? 1 : ESCAPE;
		text += bytes ? bytes : 1;
	}
	return columns;
}

/* What stands before this character, so that it has no meaning in this form. */
static const char *escape(char c, bool printed, enum table_form form)
{
	if (form == TABLE_CSV && c == '"')
		return "\"";
	if (form == TABLE_MARKDOWN && (!printed || strchr("\\`*_<[|", c)))
		return "\\";
	return "";
}

static void put_text(const char *text, enum table_form form, FILE *to)
{
	while (*text) {
		const size_t bytes = printable(text);

		fputs(escape(*text, bytes > 0, form), to);
		if (bytes)
			fwrite(text, 1, bytes, to);
		else
			fprintf(to, "\\x%02x", (unsigned)(unsigned char)*text);
		text += bytes ? bytes : 1;
	}
}

void table_put(const char *text, enum table_form form, FILE *to)
{
	const bool quoted = form == TABLE_CSV && strpbrk(text, ",\"");

	if (quoted)
		putc('"', to);
	put_text(text, form, to);
	if (quoted)
		putc('"', to);
}

static size_t column_width(const struct table *table, size_t column)
{
	size_t widest = width(table->columns[column].title);

	for (size_t row = 0; row < table->rows; row++) {
		char room[TABLE_CELL];
		const size_t columns = width(table->cell(table->of, row, column, room));

		widest = columns > widest ? columns : widest;
	}
	return widest;
}

/* One cell of a text. No blanks stand at the end of a line. */
static void put_aligned(const struct table *table, size_t column, size_t widest, const char *text,
			FILE *to)
{
	const int blanks = (int)(widest - width(text));
	const bool right = table->columns[column].right, last = column + 1 == table->columns_count;

	if (last && !*text)
		return;
	fprintf(to, "%*s", (column > 0 ? GAP : 0) + (right ? blanks : 0), "");
	table_put(text, TABLE_TEXT, to);
	if (!right && !last)
		fprintf(to, "%*s", blanks, "");
}

static void put_cell(const struct table *table, size_t column, size_t widest, const char *text,
		     enum table_form form, FILE *to)
{
	if (form == TABLE_TEXT) {
		put_aligned(table, column, widest, text, to);
		return;
	}
	if (form == TABLE_MARKDOWN)
		fputs(column ? " | " : "| ", to);
	else if (column > 0)
		putc(',', to);
	table_put(text, form, to);
}

static void end_line(enum table_form form, FILE *to)
{
	fputs(form == TABLE_MARKDOWN ? " |\n" : "\n", to);
}

static void put_markers(const struct table *table, FILE *to)
{
	for (size_t i = 0; i < table->columns_count; i++)
		fputs(table->columns[i].right ? "|---:" : "|:---", to);
	fputs("|\n", to);
}

void table_print_coloured(const struct table *table, enum table_form form,
			  const char *(*colour)(const void *of, size_t row), FILE *to)
{
	size_t widths[table->columns_count];
	char room[TABLE_CELL];

	for (size_t i = 0; i < table->columns_count; i++)
		widths[i] = form == TABLE_TEXT ? column_width(table, i) : 0;
	for (size_t i = 0; i < table->columns_count; i++)
		put_cell(table, i, widths[i], table->columns[i].title, form, to);
	end_line(form, to);
	if (form == TABLE_MARKDOWN)
		put_markers(table, to);
	for (size_t row = 0; row < table->rows; row++) {
		const char *const begin = colour ? colour(table->of, row) : "";

		fputs(begin, to);
		for (size_t i = 0; i < table->columns_count; i++)
			put_cell(table, i, widths[i], table->cell(table->of, row, i, room), form,
				 to);
		fputs(*begin ? NO_COLOUR : "", to);
		end_line(form, to);
	}
}

void table_print(const struct table *table, enum table_form form, FILE *to)
{
	table_print_coloured(table, form, NULL, to);
}
