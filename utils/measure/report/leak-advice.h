/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the result of a test for leaks means, and what would tell more. Pure. */

#ifndef CPUCYCLES_MEASURE_LEAK_ADVICE_H
#define CPUCYCLES_MEASURE_LEAK_ADVICE_H

#include "leak-report.h"

/* Sentences. */
void leak_advice(const struct leak_report *report, char text[LEAK_TEXT]);

#endif
