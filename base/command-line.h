/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The options of a program. Each is one row: its names, its help, and what it does. */

#ifndef CPUCYCLES_COMMAND_LINE_H
#define CPUCYCLES_COMMAND_LINE_H

#include <stddef.h>
#include <stdint.h>

/* The exit status for a wrong command line, in all programs. */
#define COMMAND_LINE_WRONG 2

/* Rows at most. */
#define COMMAND_LINE_OPTIONS 48

struct option_row {
	char letter;          /* 0: there is no short name */
	const char *name;     /* the long name, without dashes */
	const char *argument; /* as the help shows it: " FILE" or "=FILE", or "[=FILE]", which may
				 be left out; NULL: there is none */
	const char *help;     /* lines with a newline between two of them */
	/* Set the member. 0; or COMMAND_LINE_WRONG, when a line has said why. value: NULL if there
	 * is no argument. */
	int (*obey)(const struct option_row *row, const char *value, void *wanted);
	size_t member;  /* its offset in *wanted */
	uint64_t extra; /* what else obey needs */
};

struct command_line {
	const char *program; /* its name */
	const char *usage;   /* the lines of the help before the options */
	const struct option_row *rows;
	size_t n;
	int column;      /* of the help, where the text on an option begins */
	const char *end; /* the lines of the help after the options */
};

/* What a program prints instead of doing its work. Every program has these two options. */
enum command_line_shown {
	COMMAND_LINE_SHOW_NOTHING,
	COMMAND_LINE_SHOW_VERSION,
	COMMAND_LINE_SHOW_HELP
};

struct command_line_found {
	enum command_line_shown show;
	size_t count; /* of all options */
};

/* Obey the options in their order. optind of getopt_long(3) is then the first argument. 0, or
 * COMMAND_LINE_WRONG, when a line has said why. */
int command_line_obey(const struct command_line *line, int argc, char *argv[], void *wanted,
		      struct command_line_found *found);

/* Print the help or the version. */
void command_line_show(const struct command_line *line, enum command_line_shown show);

/* Where the member is. */
static inline void *option_member(const struct option_row *row, void *wanted)
{
	return (char *)wanted + row->member;
}

/* For rows: the member is a bool, which becomes true. */
int option_set(const struct option_row *row, const char *value, void *wanted);

/* For rows: the member is an unsigned, which gets the bits of `extra`. */
int option_add_bits(const struct option_row *row, const char *value, void *wanted);

/* For rows: the member is a const char *, the path of a file. */
int option_take_file(const struct option_row *row, const char *value, void *wanted);

#endif
