/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Counters next to the one that cpucycles() uses, for a part of a program that needs another one.
 * No thread's cpucycles() notices. The caller holds the guard, and has installed it.
 */

#ifndef CPUCYCLES_OTHER_H
#define CPUCYCLES_OTHER_H

#include "choose.h"

#include <stdbool.h>

struct other {
	bool in_use;        /* cpucycles() reads this counter */
	enum reason reason; /* REASON_NONE: it works in the calling thread */
	int detail;         /* errno or signal number, else 0 */
	struct rate rate;   /* of its counts, as choice.rate; 0 Hz if it does not work */
};

/*
 * Try a counter next to options->before, the choice in use. The counter of that choice is only
 * read. Another one is set up with the choice's persecond. With keep, a counter that works stays
 * set up as long as the process lives, whatever is selected later; otherwise what the setup took is
 * given back. Where the two counters share a thread's events, that thread's count goes on.
 */
void other_try(const struct choose_options *options, const struct counter *counter, bool keep,
	       struct other *result);

#endif
