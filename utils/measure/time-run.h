/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* One measurement of times: its processes, its files, and the form in which its results are
 * printed. */

#ifndef CPUCYCLES_MEASURE_TIME_RUN_H
#define CPUCYCLES_MEASURE_TIME_RUN_H

#include "options.h"

#include <stddef.h>

/* wanted->plan has its budget. targets has n targets for each of count outcomes. */
enum outcome_status measure_times(struct wanted *wanted, struct target targets[], size_t n,
				  struct outcome outcomes[], size_t count);

#endif
