/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "mask.h"

#include <stdbool.h>
#include <stddef.h>

/* POSIX has no name for the largest number. */
#if !defined(NSIG)
#define NSIG 32
#endif

int mask_difference(const sigset_t *before, const sigset_t *after)
{
	for (int number = 1; number < NSIG; number++) {
		const bool was = sigismember(before, number) == 1;

		if (was != (sigismember(after, number) == 1))
			return was ? -number : number;
	}
	return 0;
}

int mask_see(void)
{
	static sigset_t last;
	static bool seen;
	sigset_t before;

	if (!seen)
		sigemptyset(&last);
	seen = true;
	before = last;
	sigprocmask(SIG_SETMASK, NULL, &last);
	return mask_difference(&before, &last);
}
