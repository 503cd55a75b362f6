/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "command-line.h"
#include "unit.h"

#include <getopt.h>
#include <stddef.h>

struct wanted {
	bool dry;
	unsigned bits;
	const char *file, *word;
};

/* The word "bad" is refused. */
static int take_word(const struct option_row *row, const char *value, void *wanted)
{
	((struct wanted *)wanted)->word = value ? value : row->name;
	return value && !strcmp(value, "bad") ? COMMAND_LINE_WRONG : 0;
}

#define AT(member) offsetof(struct wanted, member)
static const struct option_row rows[] = {
	{ 'n', "dry-run", NULL, "change nothing", option_set, AT(dry), 0 },
	{ 0, "warm", NULL, "one bit", option_add_bits, AT(bits), 4 },
	{ 'p', "pairs", NULL, "another bit", option_add_bits, AT(bits), 2 },
	{ 'f', "to-file", "=FILE", "write to this file,\nand read it", option_take_file, AT(file),
	  0 },
	{ 'j', "json", "[=WORD]", "for programs", take_word, 0, 0 },
};

static const struct command_line line = {
	.program = "try",
	.usage = "Usage: try [OPTION]...\n",
	.rows = rows,
	.n = sizeof rows / sizeof rows[0],
	.column = 20,
	.end = "Exit status: 0.\n",
};

/* Obey these words, which end with NULL. The first one is the program's name. */
static int obey(char *argv[], struct wanted *wanted, struct command_line_found *found)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	*wanted = (struct wanted){ false, 0, NULL, NULL };
	opterr = 0;
	optind = 0; /* glibc and musl: begin anew */
	return command_line_obey(&line, argc, argv, wanted, found);
}

#define OBEY(...) obey((char *[]){ "try", __VA_ARGS__, NULL }, &wanted, &found)

TEST(each_row_is_obeyed)
{
	struct wanted wanted;
	struct command_line_found found;

	assert_int_equal(OBEY("-np", "--warm", "-f", "a", "--json=b", "c"), 0);
	assert_true(wanted.dry && wanted.bits == 6);
	assert_string_equal(wanted.file, "a");
	assert_string_equal(wanted.word, "b");
	assert_int_equal(found.count, 5);
	assert_int_equal(found.show, COMMAND_LINE_SHOW_NOTHING);
	assert_int_equal(optind, 6);
}

/* An argument that may be left out is not taken from the next word. */
TEST(optional_argument_is_left_out)
{
	struct wanted wanted;
	struct command_line_found found;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(OBEY(i ? "-j" : "--json", "b"), 0);
		assert_string_equal(wanted.word, "json");
		assert_int_equal(optind, 2);
	}
}

TEST(wrong_lines)
{
	struct wanted wanted;
	struct command_line_found found;

	assert_int_equal(OBEY("--unknown"), COMMAND_LINE_WRONG);
	assert_int_equal(OBEY("-x"), COMMAND_LINE_WRONG);
	assert_int_equal(OBEY("--dry-run=1"), COMMAND_LINE_WRONG);
	assert_int_equal(OBEY("-f"), COMMAND_LINE_WRONG);
	assert_int_equal(OBEY("--to-file="), COMMAND_LINE_WRONG);
	/* The first wrong one ends it. */
	assert_int_equal(OBEY("--json=bad", "-n"), COMMAND_LINE_WRONG);
	assert_false(wanted.dry);
}

TEST(what_is_shown)
{
	struct wanted wanted;
	struct command_line_found found;

	assert_int_equal(OBEY("-V"), 0);
	assert_int_equal(found.show, COMMAND_LINE_SHOW_VERSION);
	assert_int_equal(OBEY("-n", "--help"), 0);
	assert_int_equal(found.show, COMMAND_LINE_SHOW_HELP);
}

/* A name that leaves no blank before the column stands alone in its line. */
TEST(help_is_aligned)
{
	static const char expected[] = "Usage: try [OPTION]...\n"
				       "\n"
				       "  -n, --dry-run     change nothing\n"
				       "      --warm        one bit\n"
				       "  -p, --pairs       another bit\n"
				       "  -f, --to-file=FILE\n"
				       "                    write to this file,\n"
				       "                    and read it\n"
				       "  -j, --json[=WORD] for programs\n"
				       "  -V, --version     print the version\n"
				       "  -h, --help        print this help\n"
				       "\n"
				       "Exit status: 0.\n";
	char text[sizeof expected + 1] = "";
	FILE *const shown = tmpfile();
	const int out = dup(STDOUT_FILENO);

	assert_non_null(shown);
	fflush(stdout);
	dup2(fileno(shown), STDOUT_FILENO);
	command_line_show(&line, COMMAND_LINE_SHOW_HELP);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	rewind(shown);
	assert_int_equal(fread(text, 1, sizeof expected, shown), sizeof expected - 1);
	fclose(shown);
	assert_string_equal(text, expected);
}

UNIT_MAIN("command-line", NULL, NULL)
