/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Texts in columns, written as lines for people, as Markdown or as CSV. Pure, but for the file that
 * they are written to. */

#ifndef CPUCYCLES_TABLE_H
#define CPUCYCLES_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum table_form { TABLE_TEXT, TABLE_MARKDOWN, TABLE_CSV };

struct table_column {
	const char *title;
	bool right; /* numbers are aligned to the right */
};

/* Room for the text of a cell. */
#define TABLE_CELL 224

struct table {
	const struct table_column *columns;
	size_t columns_count, rows;
	/* The text of a cell, which may be made in this room. The same one is asked for again. */
	const char *(*cell)(const void *of, size_t row, size_t column, char room[TABLE_CELL]);
	const void *of;
};

/* CSV is as in RFC 4180, but with the line ends of Unix. */
void table_print(const struct table *table, enum table_form form, FILE *to);

/* The same with colours (colours.h): colour() has that of a row, or "". NULL: no row has one. */
void table_print_coloured(const struct table *table, enum table_form form,
			  const char *(*colour)(const void *of, size_t row), FILE *to);

/*
 * Write one text. A name may have any bytes in it. Bytes that a terminal obeys would change what
 * its user sees: they are written as \x1b and the like. So are bytes that are no UTF-8. In
 * Markdown, what would be markup has a backslash before it. In CSV, a text is in quotes where
 * these are needed.
 */
void table_put(const char *text, enum table_form form, FILE *to);

#endif
