/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "account.h"
#include "files.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_S 1000000000u
#define STEAL_FIELD 8 /* proc_stat(5); 0 is the name of the CPU */

struct reading {
	int cpu;
	uint64_t steal;
	size_t column;
	struct account_rows *rows;
};

static bool take_steal(char *line, void *argument)
{
	struct reading *const reading = argument;
	char name[sizeof "cpu" + 3 * sizeof reading->cpu];
	const int length = snprintf(name, sizeof name, "cpu%d ", reading->cpu);

	if (strncmp(line, name, (size_t)length))
		return !strncmp(line, "cpu", 3);
	reading->steal = parse_field(line, STEAL_FIELD);
	return false;
}

static uint64_t read_steal(const char *root, int cpu)
{
	struct reading reading = { .cpu = cpu, .steal = PARSE_UNKNOWN };
	const long per_second = sysconf(_SC_CLK_TCK);

	files_lines(root, "/proc/stat", take_steal, &reading);
	if (per_second <= 0 || reading.steal > UINT64_MAX / NS_PER_S)
		return PARSE_UNKNOWN;
	return reading.steal * (NS_PER_S / (uint64_t)per_second);
}

static bool take_row(char *line, void *argument)
{
	struct reading *const reading = argument;
	struct account_rows *const rows = reading->rows;

	if (!rows->known) {
		reading->column = parse_column(line, reading->cpu);
		rows->known = reading->column != PARSE_NO_COLUMN;
		return rows->known;
	}
	if (parse_row(line, reading->column, &rows->row[rows->n]) && rows->row[rows->n].count > 0)
		rows->n++;
	return rows->n < ACCOUNT_ROWS;
}

static void read_rows(const char *root, const char *path, int cpu, struct account_rows *rows)
{
	struct reading reading = { .cpu = cpu, .rows = rows };

	rows->known = false;
	rows->n = 0;
	if (!files_lines(root, path, take_row, &reading))
		rows->known = false;
}

void account_read(const char *root, int cpu, struct account *account)
{
	account->steal = read_steal(root, cpu);
	read_rows(root, "/proc/interrupts", cpu, &account->interrupts);
	read_rows(root, "/proc/softirqs", cpu, &account->softirqs);
}
