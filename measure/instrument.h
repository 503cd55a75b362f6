/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What a counter is, measured: its step, and the overhead of an empty pair of reads. */

#ifndef CPUCYCLES_INSTRUMENT_H
#define CPUCYCLES_INSTRUMENT_H

#include "source.h"

#define INSTRUMENT_PAIRS 1024

/* In units of the source. */
struct instrument {
	double resolution;    /* 0: the counter stands still */
	double resolution_ns; /* the same in nanoseconds of a clock, which may be off by some
				 percent */
	double overhead;      /* of an empty pair: smooth interquartile mean */
	double overhead_iqr;  /* of an empty pair: distance of the quartiles */
};

/* Takes a millisecond; a counter that moves seldom is watched for INSTRUMENT_WATCH_NS. scratch has
 * room for INSTRUMENT_PAIRS values: 8 KB do not fit on every thread's stack. */
#define INSTRUMENT_WATCH_NS 50000000u
void instrument_measure(const struct source *source, double scratch[],
			struct instrument *instrument);

/* Measure the overhead and the noise again. A pair takes more ticks while a core that was idle
 * still runs slowly. */
void instrument_renew_overhead(const struct source *source, double scratch[],
			       struct instrument *instrument);

#endif
