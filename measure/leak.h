/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Tests a function for leaks: calls it with inputs of two groups, and keeps in the meter what that
 * has shown. Whether two groups differ is a question for groups.h. */

#ifndef CPUCYCLES_LEAK_H
#define CPUCYCLES_LEAK_H

#include "meter.h"

#include <stddef.h>

/* How long a test takes by default. */
#define LEAK_BUDGET_NS UINT64_C(10000000000)

/* Copy what the caller wants to be tested. 0, or -EINVAL or -E2BIG with *reason. */
int leak_take(const struct cpucycles_leak *from, struct cpucycles_leak *leak,
	      struct reason_text *reason);

/* Test it. The plan has no 0. 0, also if the counter was lost meanwhile; -ENOMEM with *reason. */
int leak_run(struct cpucycles_meter *meter, const struct cpucycles_leak *leak,
	     const struct cpucycles_plan *plan, struct reason_text *reason);

/* The times of some calls of a group, drawn at random from all. 0; -EINVAL: there is no such group;
 * -ENODATA: none was kept. */
int leak_samples(const struct cpucycles_meter *meter, size_t group, const double **samples,
		 size_t *n);

#endif
