/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The options of a program that measures: what is wrong ends it with status 2, and a line says
 * why. */

#ifndef BENCH_OPTIONS_H
#define BENCH_OPTIONS_H

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

struct options {
	const char *program, *help;
	const char *surplus; /* what is said of an argument */
	const struct option *known;
	void (*take)(int option, const char *value);
};

static inline void options_take(const struct options *options, int argc, char *argv[])
{
	int option;

	while ((option = getopt_long(argc, argv, "", options->known, NULL)) != -1) {
		if (option == '?')
			exit(2); /* getopt has printed the reason */
		if (option == 'h') {
			fputs(options->help, stdout);
			exit(fflush(stdout) ? 1 : 0);
		}
		options->take(option, optarg);
	}
	if (optind == argc)
		return;
	fprintf(stderr, "%s: %s: %s\n", options->program, argv[optind], options->surplus);
	exit(2);
}

static inline long options_number(const char *program, const char *text, long least)
{
	char *end;
	const long value = strtol(text, &end, 10);

	if (!*end && end != text && value >= least)
		return value;
	fprintf(stderr, "%s: %s: expected a number, at least %ld\n", program, text, least);
	exit(2);
}

#endif
