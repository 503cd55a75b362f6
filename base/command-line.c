/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "command-line.h"
#include "log.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What getopt_long(3) returns for row 0, and for the two options of every program. */
#define FIRST_ROW 256

static const struct option_row version = { 'V', "version", NULL, "print the version", NULL, 0, 0 };
static const struct option_row help = { 'h', "help", NULL, "print this help", NULL, 0, 0 };

/* Row i, or one of the two that follow the rows. */
static const struct option_row *row_at(const struct command_line *line, size_t i)
{
	if (i < line->n)
		return &line->rows[i];
	return i == line->n ? &version : &help;
}

/* The two forms in which getopt_long(3) wants the options. */
struct forms {
	struct option names[COMMAND_LINE_OPTIONS + 3];
	char letters[2 * (COMMAND_LINE_OPTIONS + 2) + 1];
};

static void make_forms(const struct command_line *line, struct forms *forms)
{
	char *end = forms->letters;

	for (size_t i = 0; i < line->n + 2; i++) {
		const struct option_row *row = row_at(line, i);
		const int argument = !row->argument          ? no_argument :
				     row->argument[0] == '[' ? optional_argument :
							       required_argument;

		forms->names[i] = (struct option){ row->name, argument, NULL, FIRST_ROW + (int)i };
		if (!row->letter)
			continue;
		*end++ = row->letter;
		/* After a letter, an optional argument would have to follow without a blank. */
		if (argument == required_argument)
			*end++ = ':';
	}
	forms->names[line->n + 2] = (struct option){ NULL, 0, NULL, 0 };
	*end = 0;
}

static size_t find_row(const struct command_line *line, int option)
{
	size_t i = 0;

	if (option >= FIRST_ROW)
		return (size_t)(option - FIRST_ROW);
	while (row_at(line, i)->letter != option)
		i++;
	return i;
}

int command_line_obey(const struct command_line *line, int argc, char *argv[], void *wanted,
		      struct command_line_found *found)
{
	struct forms forms;
	int option, status = 0;

	make_forms(line, &forms);
	*found = (struct command_line_found){ COMMAND_LINE_SHOW_NOTHING, 0 };
	while (!status &&
	       (option = getopt_long(argc, argv, forms.letters, forms.names, NULL)) != -1) {
		const struct option_row *row;

		if (option == '?')
			return COMMAND_LINE_WRONG; /* getopt_long has said why */
		row = row_at(line, find_row(line, option));
		found->count++;
		if (row->obey)
			status = row->obey(row, optarg, wanted);
		else
			found->show =
				row == &help ? COMMAND_LINE_SHOW_HELP : COMMAND_LINE_SHOW_VERSION;
	}
	return status;
}

static void print_row(const struct option_row *row, int column)
{
	const char *text = row->help;
	const char names[] = { '-', row->letter, ',', ' ', 0 };
	const int printed = printf("  %s--%s%s", row->letter ? names : "    ", row->name,
				   row->argument ? row->argument : "");
	int gap = column - printed;

	if (gap < 1) {
		putchar('\n');
		gap = column;
	}
	for (;;) {
		const int length = (int)strcspn(text, "\n");

		printf("%*s%.*s\n", gap, "", length, text);
		if (!text[length])
			return;
		text += length + 1;
		gap = column;
	}
}

void command_line_show(const struct command_line *line, enum command_line_shown show)
{
	if (show == COMMAND_LINE_SHOW_VERSION) {
		printf("%s " PACKAGE_VERSION "\n", line->program);
		return;
	}
	printf("%s\n", line->usage);
	for (size_t i = 0; i < line->n + 2; i++)
		print_row(row_at(line, i), line->column);
	printf("\n%s", line->end);
}

int option_set(const struct option_row *row, const char *value, void *wanted)
{
	bool *const member = option_member(row, wanted);

	(void)value;
	*member = true;
	return 0;
}

int option_add_bits(const struct option_row *row, const char *value, void *wanted)
{
	unsigned *const member = option_member(row, wanted);

	(void)value;
	*member |= (unsigned)row->extra;
	return 0;
}

int option_take_file(const struct option_row *row, const char *value, void *wanted)
{
	const char **const member = option_member(row, wanted);

	*member = value;
	if (*value)
		return 0;
	log_line(LOG_ERROR, "--%s: expected a file", row->name);
	return COMMAND_LINE_WRONG;
}
