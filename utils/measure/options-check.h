/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which options of cpucycles-measure make no sense together, and how that is said. */

#ifndef CPUCYCLES_MEASURE_OPTIONS_CHECK_H
#define CPUCYCLES_MEASURE_OPTIONS_CHECK_H

#include "options.h"

/* Say in one line that the command line is wrong. Both return OUTCOME_USAGE. */
int options_refuse(const char *what, const char *why);
int options_expect(const char *option, const char *value, const char *expected);

/* The option that asks for each form. */
extern const char *const options_form[];

/* Whether options and arguments make sense together. options, arguments: their numbers. OUTCOME_OK,
 * or OUTCOME_USAGE when a line says why they do not. */
int options_check(const struct wanted *wanted, size_t options, int arguments);

#endif
