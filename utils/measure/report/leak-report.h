/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What is printed of a test for leaks. Pure, but for the file that it is written to. */

#ifndef CPUCYCLES_LEAK_REPORT_H
#define CPUCYCLES_LEAK_REPORT_H

#include "figures.h"
#include "result/outcome.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct leak_report {
	const struct outcome *outcome; /* of the one function, with what the test has found */
	bool threshold_given;
	unsigned flags; /* of struct cpucycles_leak */
};

enum outcome_status leak_status(const struct leak_report *report);

/* "leaks", "no difference above", "cannot tell" or "no verdict". */
const char *leak_word(const struct leak_report *report);

/* Whether a quantile was looked at. Without enough calls, it was not, and its zeros are no times.
 */
bool leak_is_seen(const struct groups_interval *d);

/* What the inputs of a group are, such as "a random input". */
const char *leak_group(const struct leak_report *report, int group);

/* Of all times in the result: "cycles" if the core's cycles are known, else the counter's unit. */
const char *leak_time_unit(const struct leak_report *report);

/* The counter's step in this unit. */
double leak_step(const struct leak_report *report);

/* What was found: sentences. */
#define LEAK_TEXT 1024
void leak_sentence(const struct leak_report *report, char text[LEAK_TEXT]);

/* What the result means, and what would tell more: sentences. */
void leak_advice(const struct leak_report *report, char text[LEAK_TEXT]);

#endif
