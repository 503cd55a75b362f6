/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What is written of a measurement of times, in the form that the options ask for: the results, and
 * the file of layouts. */

#ifndef CPUCYCLES_MEASURE_OUTPUT_H
#define CPUCYCLES_MEASURE_OUTPUT_H

#include "options.h"
#include "files/words.h"
#include "report/layouts.h"
#include "run/machine.h"

#include <stddef.h>

/* Print all that there is. */
enum outcome_status output_print(const struct wanted *wanted, const struct outcome outcomes[],
				 size_t n);

/* Whether the file of layouts can be written, seen before anything is measured. It is closed
 * again, so that nothing that is measured has it open. */
enum outcome_status output_try_layouts(const char *path);

/* Write the file of layouts, if it was asked for and there is something in it. */
enum outcome_status output_put_layouts(const char *path, const struct layouts *layouts);

/* The names that one of two files has alone, on standard error: they are not compared. */
void output_tell_alone(const char *file, const struct words *alone);

/* What is known of the machine before the run. */
void output_note_machine(const struct machine *machine, struct outcome *outcome);

#endif
