/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Texts in columns. */

#include "config.h"

#include "table.h"
#include "unit.h"

static const struct table_column columns[] = { { "name", false },
					       { "count", true },
					       { "note", false } };

/* Cells row by row. */
static const char *cell_of(const void *of, size_t row, size_t column, char room[TABLE_CELL])
{
	const char *const *const cells = of;

	(void)room;
	return cells[3 * row + column];
}

static void expect(const char *const cells[], size_t rows, enum table_form form,
		   const char *expected)
{
	const struct table table = {
		.columns = columns, .columns_count = 3, .rows = rows, .cell = cell_of, .of = cells
	};
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	assert_non_null(to);
	table_print(&table, form, to);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, expected);
	free(text);
}

static const char *const plain[] = { "a", "1", "", "longer", "12345678", "the end" };

/* No line ends with a blank. */
TEST(text)
{
	expect(plain, 2, TABLE_TEXT,
	       "name       count  note\n"
	       "a              1\n"
	       "longer  12345678  the end\n");
	expect(plain, 0, TABLE_TEXT, "name  count  note\n");
}

TEST(markdown)
{
	static const char *const marked[] = { "a|b_c", "<1>", "*`[\\" };

	expect(plain, 2, TABLE_MARKDOWN,
	       "| name | count | note |\n"
	       "|:---|---:|:---|\n"
	       "| a | 1 |  |\n"
	       "| longer | 12345678 | the end |\n");
	expect(marked, 1, TABLE_MARKDOWN,
	       "| name | count | note |\n"
	       "|:---|---:|:---|\n"
	       "| a\\|b\\_c | \\<1> | \\*\\`\\[\\\\ |\n");
}

/* RFC 4180. */
TEST(csv)
{
	static const char *const quoted[] = { "a,b", "say \"1\"", "two\nlines" };

	expect(plain, 2, TABLE_CSV, "name,count,note\na,1,\nlonger,12345678,the end\n");
	expect(quoted, 1, TABLE_CSV, "name,count,note\n\"a,b\",\"say \"\"1\"\"\",two\\x0alines\n");
}

/* What a terminal would obey is shown, and does not move the columns. U+009B is as good as an
 * escape and a bracket. */
TEST(commands)
{
	static const char *const evil[] = { "\033[2J", "\t", "\177", "\302\233m", "\233", "ok" };

	expect(evil, 2, TABLE_TEXT,
	       "name       count  note\n"
	       "\\x1b[2J     \\x09  \\x7f\n"
	       "\\xc2\\x9bm   \\x9b  ok\n");
	expect(evil, 1, TABLE_MARKDOWN,
	       "| name | count | note |\n"
	       "|:---|---:|:---|\n"
	       "| \\\\x1b\\[2J | \\\\x09 | \\\\x7f |\n");
}

/* The character U+202E turns the line around behind it, and others do so or are not seen. The
 * second row has characters beside them, which are printed. */
TEST(invisible)
{
	static const char *const names[] = { "a\342\200\256b",       "\342\200\213\342\201\251",
					     "\330\234\357\273\277", "\342\200\247\342\200\257",
					     "\330\233\330\235",     "\302\254\302\256" };

	expect(names, 2, TABLE_TEXT,
	       "name                               count  note\n"
	       "a\\xe2\\x80\\xaeb  \\xe2\\x80\\x8b\\xe2\\x81\\xa9  "
	       "\\xd8\\x9c\\xef\\xbb\\xbf\n"
	       "\342\200\247\342\200\257                                    \330\233\330\235"
	       "  \302\254\302\256\n");
}

/* Halves of pairs of UTF-16, longer forms than a character needs, and too large ones. */
TEST(malformed)
{
	static const char *const names[] = { "\355\240\200", "\340\200\200", "\364\220\200\200" };

	expect(names, 1, TABLE_MARKDOWN,
	       "| name | count | note |\n"
	       "|:---|---:|:---|\n"
	       "| \\\\xed\\\\xa0\\\\x80 | \\\\xe0\\\\x80\\\\x80 | "
	       "\\\\xf4\\\\x90\\\\x80\\\\x80 |\n");
}

/* Letters of other languages are one column wide; bytes that are no UTF-8 are shown. */
TEST(letters)
{
	static const char *const names[] = {
		"\303\244\342\202\254\360\237\230\200", "1", "", "\303", "\300\200", "\342\202"
	};

	expect(names, 2, TABLE_TEXT,
	       "name     count  note\n"
	       "\303\244\342\202\254\360\237\230\200          1\n"
	       "\\xc3  \\xc0\\x80  \\xe2\\x82\n");
}

#define MANY 10000
#define TIMES_CSV 50

static double seconds_of(const struct table *table, enum table_form form)
{
	const clock_t start = clock();
	FILE *to = fopen("/dev/null", "w");

	assert_non_null(to);
	table_print(table, form, to);
	assert_int_equal(fclose(to), 0);
	return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* A text of many rows takes about as long as CSV, which has no widths. If each cell looked for the
 * widest one of its column, a text would take hundreds of times as long. */
TEST(many_rows)
{
	const char **const cells = calloc(MANY, 3 * sizeof *cells);
	const struct table table = {
		.columns = columns, .columns_count = 3, .rows = MANY, .cell = cell_of, .of = cells
	};
	double csv_s, text_s;

	assert_non_null(cells);
	for (size_t i = 0; i < 3 * MANY; i++)
		cells[i] = plain[i % 6];
	csv_s = seconds_of(&table, TABLE_CSV);
	text_s = seconds_of(&table, TABLE_TEXT);
	free(cells);
	print_message("CSV of %d rows takes %g s of the processor, a text %g s\n", MANY, csv_s,
		      text_s);
	assert_true(text_s <= TIMES_CSV * csv_s);
}

UNIT_MAIN("table", NULL, NULL)
