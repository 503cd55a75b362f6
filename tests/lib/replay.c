/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Give recorded machines to the library's rule of selection, and print its result:
 *   replay FILE            for a table like tests/data/machines.tsv: machine<TAB>counter
 *   replay --scaling FILE  for one like scaling.tsv: hz<TAB>persecond<TAB>scaling, or out
 * Exit status: 0, 1 for bad data, 2 for bad usage. */

#include "config.h"

#include "decimal.h"
#include "frequency.h"
#include "rate.h"
#include "selection.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_SIZE 1024
#define NAME_SIZE 128
#define FIELDS_MAX 16

/* The rows of one machine. */
#define ROWS_MAX 256

static const char *path;
static unsigned line_number;

static int bad(const char *expected)
{
	fprintf(stderr, "replay: %s:%u: expected %s\n", path, line_number, expected);
	return 1;
}

/* Cut the line at its tabs. Returns the number of fields, FIELDS_MAX + 1 if there are too many. */
static int split(char *line, char *fields[])
{
	int n = 0;

	for (char *p = line; p; n++) {
		if (n == FIELDS_MAX)
			return n + 1;
		fields[n] = p;
		p = strchr(p, '\t');
		if (p)
			*p++ = 0;
	}
	return n;
}

/* Read the next line of data. Returns 1, 0 at the end of the file, -1 for bad data. */
static int next_line(FILE *file, char line[LINE_SIZE])
{
	while (fgets(line, LINE_SIZE, file)) {
		size_t length = strlen(line);

		line_number++;
		if (length == LINE_SIZE - 1 && line[length - 1] != '\n')
			return -bad("a line of less than 1023 bytes");
		if (length == 0)
			return -bad("text");
		line[strcspn(line, "\r\n")] = 0;
		if (*line && *line != '#')
			return 1;
	}
	if (!ferror(file))
		return 0;
	fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
	return -1;
}

/* Machines */

static struct {
	char name[NAME_SIZE];
	struct candidate rows[ROWS_MAX];
	char counters[ROWS_MAX][NAME_SIZE];
	size_t count;
} machine;

static void finish_machine(void)
{
	size_t winner = selection_winner(machine.rows, machine.count);

	if (machine.count)
		printf("%s\t%s\n", machine.name,
		       winner < machine.count ? machine.counters[winner] : "default-zero");
	machine.count = 0;
}

/* The table has no "hz", and its precision includes the penalty already. */
static int add_row(char *fields[])
{
	struct candidate *row = &machine.rows[machine.count];
	uint64_t precision;

	if (!*fields[0] || strlen(fields[0]) >= NAME_SIZE)
		return bad("a machine's name of 1 to 127 bytes");
	if (!*fields[4] || strlen(fields[4]) >= NAME_SIZE)
		return bad("a counter's name of 1 to 127 bytes");
	if (!decimal_whole(fields[5], 0, &precision) ||
	    strspn(fields[5], "0123456789") != strlen(fields[5]))
		return bad("a whole number as precision");
	if (machine.count && strcmp(machine.name, fields[0])) {
		finish_machine();
		row = &machine.rows[0];
	}
	if (machine.count == ROWS_MAX)
		return bad("at most 256 counters of one machine");
	strcpy(machine.name, fields[0]);
	strcpy(machine.counters[machine.count++], fields[4]);
	*row = (struct candidate){
		.precision = precision,
		.reason = precision ? REASON_NONE : REASON_ERRNO,
	};
	/* A recorded precision of this counter means nothing, because it counts nothing. */
	if (!strcmp(fields[4], "default-zero"))
		row->reason = REASON_LAST_RESORT;
	return 0;
}

static int machine_row(char *fields[], int n)
{
	if (n != 8)
		return bad(
			"8 fields: machine cpu persecond chosen counter precision scaling only32");
	return add_row(fields);
}

/* Scalings */

static void print_scaling(struct ratio scaling)
{
	/* The divisor is a power of two up to 2^10, so ten decimals are exact. */
	unsigned long long rest = (unsigned long long)(scaling.num % scaling.den) *
				  UINT64_C(10000000000) / scaling.den;
	char decimals[24];
	size_t end = (size_t)snprintf(decimals, sizeof decimals, ".%010llu", rest);

	while (end > 0 && decimals[end - 1] == '0')
		end--;
	decimals[end == 1 ? 0 : end] = 0;
	printf("%llu%s\n", (unsigned long long)(scaling.num / scaling.den), decimals);
}

static int scaling_row(char *fields[], int n)
{
	uint64_t hz, persecond;
	struct ratio scaling;

	if (n < 2)
		return bad("hz and persecond, separated by a tab");
	if (!decimal_whole(fields[0], 0, &hz) || !rate_is_sane(hz))
		return bad("hz from 1000 to 100000000000");
	if (!decimal_whole(fields[1], 0, &persecond) || !rate_is_sane(persecond))
		return bad("persecond from 1000 to 100000000000");
	printf("%s\t%s\t", fields[0], fields[1]);
	if (selection_scaling(COUNTER_OFF_CORE, hz, persecond, &scaling))
		print_scaling(scaling);
	else
		puts("out");
	return 0;
}

static int replay(FILE *file, int (*row)(char *fields[], int n))
{
	char line[LINE_SIZE];
	int answer;

	while ((answer = next_line(file, line)) > 0) {
		char *fields[FIELDS_MAX + 1];
		int n = split(line, fields);

		if (row(fields, n))
			return 1;
	}
	if (answer < 0)
		return 1;
	finish_machine();
	return 0;
}

static int usage(void)
{
	fputs("usage: replay [--scaling] FILE\n", stderr);
	return 2;
}

int main(int argc, char *argv[])
{
	bool scaling = argc > 1 && !strcmp(argv[1], "--scaling");
	FILE *file;
	int status;

	if (argc != 2 + scaling || (!scaling && argv[1][0] == '-'))
		return usage();
	path = argv[argc - 1];
	file = fopen(path, "r");
	if (!file) {
		fprintf(stderr, "replay: %s: %s\n", path, strerror(errno));
		return 1;
	}
	status = replay(file, scaling ? scaling_row : machine_row);
	fclose(file);
	if (fflush(stdout) || ferror(stdout)) {
		fputs("replay: cannot write to standard output\n", stderr);
		return 1;
	}
	return status;
}
