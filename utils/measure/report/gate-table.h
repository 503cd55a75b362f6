/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What came of a gate: a row for each function that a reader has to see, and a line for each kind
 * of the others. */

#ifndef CPUCYCLES_MEASURE_GATE_TABLE_H
#define CPUCYCLES_MEASURE_GATE_TABLE_H

#include "table.h"
#include "result/gate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A function that is compared with an older one, or failed. */
struct gate_row {
	const struct outcome *outcome;
	const struct target *target;
	enum gate_answer answer;
	const struct verdict *verdict; /* NULL: it was not compared */
	bool shown;                    /* in the table */
};

/* All of them, alarms first, and of each answer those with the largest change first. An array to be
 * freed. NULL: memory ran out. */
struct gate_row *gate_rows(const struct outcome outcomes[], size_t n, size_t *count);

/* Texts on a row, which may be made in the room: the function's name, its figures before and after,
 * the change with its interval, and the verdict. cycles: in core cycles, not as a time. */
const char *gate_name(const struct gate_row *row, char room[TABLE_CELL]);
const char *gate_figure(const struct gate_row *row, bool before, bool cycles,
			char room[TABLE_CELL]);
const char *gate_change(const struct gate_row *row, char room[TABLE_CELL]);
const char *gate_verdict(const struct gate_row *row, char room[TABLE_CELL]);

/* Whether the core cycles of all functions are known that were compared. */
bool gate_has_cycles(const struct gate_row rows[], size_t count);

/* Print the table, and a line for each kind of function that has no row. 0 or -ENOMEM. */
int gate_table(const struct outcome outcomes[], size_t n, enum table_form form, bool colour,
	       FILE *to);

#endif
