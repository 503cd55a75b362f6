/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The time of a run: how much is used, and how much is left for measuring. The caller holds the
 * guard, installed. */

#ifndef CPUCYCLES_BUDGET_H
#define CPUCYCLES_BUDGET_H

#include <stdint.h>

struct budget {
	uint64_t ns;          /* for all that is measured against a clock */
	uint64_t began_ns;    /* of the raw clock */
	uint64_t prepared_ns; /* of the CPU, before the core is measured */
};

/* The process has begun earlier, if a CPU worked for it all the time. On a slow core, starting a
 * program is a part of what a run takes. */
void budget_begin(struct budget *budget, uint64_t ns);

/* All that comes before the measuring is done. */
void budget_prepared(struct budget *budget);

/* The time since the process began, and the same with what publishing will take. */
uint64_t budget_passed(const struct budget *budget);
uint64_t budget_used(const struct budget *budget);

/* What is left after used_ns, but at least budget / least_part. */
uint64_t budget_left(const struct budget *budget, uint64_t used_ns, unsigned least_part);

#endif
