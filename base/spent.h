/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* How long a process has waited for another one, which it looks at from time to time. */

#ifndef CPUCYCLES_SPENT_H
#define CPUCYCLES_SPENT_H

#include <stdint.h>

struct spent {
	uint64_t ns;
	uint64_t looked_ns; /* when it was last added to, or began, by raw_clock_ns() */
};

/* Add the time since the last look. look_ns: the time between two looks. */
static inline void spent_add(struct spent *spent, uint64_t now_ns, uint64_t look_ns)
{
	const uint64_t passed_ns = now_ns - spent->looked_ns;

	/* Count two looks at most: this process may have been stopped, too. */
	spent->ns += passed_ns < 2 * look_ns ? passed_ns : 2 * look_ns;
	spent->looked_ns = now_ns;
}

#endif
