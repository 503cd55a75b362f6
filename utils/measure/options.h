/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The options of cpucycles-measure. */

#ifndef CPUCYCLES_MEASURE_OPTIONS_H
#define CPUCYCLES_MEASURE_OPTIONS_H

#include "command-line.h"
#include "harness/driver.h"
#include "link/link.h"
#include "result/outcome.h"
#include "sizes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is printed. */
enum form {
	FORM_TABLE,
	FORM_VERBOSE,
	FORM_CSV,
	FORM_MARKDOWN,
	FORM_JSON,
	FORM_BENCHMARK,
	FORM_GITLAB
};

/* Whether several functions are compared. Several sizes are not, by default. */
enum compare { COMPARE_DEFAULT, COMPARE_YES, COMPARE_NO };

struct wanted {
	struct cpucycles_meter_options options;
	struct cpucycles_plan plan;
	/* As parts of 1; 0: not requested. Without --within, --gate is the equivalence margin. */
	double precision, gate, within;
	uint64_t timeout_ns;
	enum form form;
	enum compare compare;
	bool alone;  /* what follows from that: nothing is compared */
	bool github; /* print its annotations, too */
	bool check, list;
	bool leak;           /* test a function for leaks */
	unsigned leak_flags; /* of struct cpucycles_leak */
	double threshold;    /* of struct cpucycles_leak, too */
	struct sizes sizes;
	size_t bytes; /* of one call; 0: the libraries may say */
	bool measure_unchanged;
	struct link_options link;
	const char **with; /* the array of these */
	char *flags[3];    /* of all --cflags together, of all --cflags1, and of all --cflags2 */
	bool links;        /* the functions are linked anew many times */
	const char **only; /* patterns of names */
	size_t only_count;
	bool pairs;              /* the functions of two files, each with its namesake */
	struct sources *sources; /* what was compiled for that; NULL: nothing */
	bool time_of_each;       /* without -t, each pair that is measured adds its time */
	const char *raw, *layouts;
	const char
		*input; /* a file with bytes for buffers, or for the standard input of commands */
	const char **commands; /* to be measured in the place of functions */
	size_t commands_count;
	const struct driver *harness; /* whose benchmarks are compared; NULL: none */
	const char *prepare;          /* the command before each run; NULL: there is none */
	bool show_output, ignore_failure;
	bool wall; /* the wall time is judged */
	enum command_line_shown show;
};

/* Read the options into *wanted, which has the defaults, and see whether they make sense with the
 * arguments. OUTCOME_OK, or OUTCOME_USAGE when a line says why. */
int options_parse(int argc, char *argv[], struct wanted *wanted);

/* Say in one line that the command line is wrong. Both return OUTCOME_USAGE. */
int options_refuse(const char *what, const char *why);
int options_expect(const char *option, const char *value, const char *expected);

/* Print the help or the version. */
void options_show(enum command_line_shown show);

/* Fill in what the options say of an outcome: plan, precision, gate and within. */
void options_plan(const struct wanted *wanted, struct outcome *outcome);

void options_free(struct wanted *wanted);

#endif
