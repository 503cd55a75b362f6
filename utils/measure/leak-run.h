/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* One test for leaks: one child, one link if there is something to link, and what is printed. */

#ifndef CPUCYCLES_MEASURE_LEAK_RUN_H
#define CPUCYCLES_MEASURE_LEAK_RUN_H

#include "options.h"

/* wanted->plan has its budget. */
enum outcome_status measure_leak(struct wanted *wanted, struct target *target);

#endif
