/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which counter fulfils a need, and what can be done if none does. */

#ifndef CPUCYCLES_NEED_H
#define CPUCYCLES_NEED_H

#include "instrument.h"
#include "source.h"

/* A step of more nanoseconds than this is not fine. */
#define NEED_FINE_NS 2.0

/*
 * Find the counter, make it ready and measure what it is. Returns 0; 1 if next_best was allowed and
 * another counter was taken, and *reason says what could not be had; -ENOTSUP, with *reason.
 * scratch: see instrument.h.
 */
int need_fulfil(int need, bool next_best, double scratch[], struct source *source,
		struct instrument *instrument, struct reason_text *reason);

/* Measure a counter that is ready. -ENOTSUP, with *reason: it stands still. */
int need_measure(const struct source *source, double scratch[], struct instrument *instrument,
		 struct reason_text *reason);

#endif
