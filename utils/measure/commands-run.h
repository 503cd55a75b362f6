/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* One measurement of programs, as they are built: their runs, and how the results are printed. */

#ifndef CPUCYCLES_MEASURE_COMMANDS_RUN_H
#define CPUCYCLES_MEASURE_COMMANDS_RUN_H

#include "options.h"

/* Measure the commands of wanted, of which there is one at least. wanted->plan has its budget. */
enum outcome_status measure_commands(const struct wanted *wanted);

#endif
