/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* One measurement of the benchmarks that two programs both have: it starts the programs and reads
 * their files. What is known of their harness stands in harness/. */

#ifndef CPUCYCLES_MEASURE_HARNESS_RUN_H
#define CPUCYCLES_MEASURE_HARNESS_RUN_H

#include "options.h"

/* Compare the benchmarks of two programs of wanted->harness. */
enum outcome_status measure_harness(const struct wanted *wanted, char *const arguments[2]);

#endif
