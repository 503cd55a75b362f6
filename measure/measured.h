/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What was measured of one function, in one layout or in several: plain numbers, from the samples
 * to the table, the sentence and every other form. A layout here: of functions that are not linked
 * anew, a process. */

#ifndef CPUCYCLES_MEASURED_H
#define CPUCYCLES_MEASURED_H

#include "judge.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

struct measured {
	/* Of several layouts, the medians of what each has found; but min is the smallest,
	 * samples is the sum, and low and high are the interval of the layouts' medians. iqm and
	 * cycles, which are shown, are made as the verdict is: see replicates_centre(). */
	struct cpucycles_result result;
	/* The interval of result.iqm; infinite: not known. A mean spreads its samples over a step
	 * of the counter, so it tells more than a median that is a multiple of the step. */
	double mean_low, mean_high;
	/* Units of the meter per core cycle in the slowest and in the fastest layout, which is the
	 * frequency of the core relative to that of the counter. 0: not known. */
	double units_per_cycle[2];
	/* How far that is from its median, as a part of 1: in nine of ten layouts, no farther. A
	 * time at the core's usual speed may be off by as much. 0: it is known of one layout. */
	double speed_off;
	/* How far its mean in one layout is from that in all, as a part of 1. What else differs
	 * from layout to layout is in this, too, such as the frequency of the core. 0 or not a
	 * number: it lay at the same place in all layouts. */
	double by_layout;
	struct judge_warnings warnings; /* of all layouts */
	bool renewed;                   /* its input is made anew before each call */
	/* Of a run of a program: its time that is not judged (CPU or wall), and the most memory
	 * that a run had, in bytes. 0: not known. */
	double other_ns, memory;

	bool compared; /* with the first function, by the following */
	struct verdict verdict;
	/* The same from the means of nearly all samples (struct judge_findings), where the verdict
	 * above is on typical calls. A ratio that is not a number: not known. */
	struct verdict mean_verdict;
	size_t replicates; /* that the verdict is made from */
	/* How far the value of one layout is from the centre, as a part of 1, if the functions are
	 * linked anew. Otherwise not a number. */
	double placement;
};

/* Whether the core cycles are known, in one layout or in several. */
static inline bool measured_has_cycles(const struct cpucycles_result *result)
{
	return (result->cycles_from == CPUCYCLES_CYCLES_COUNTER ||
		result->cycles_from == CPUCYCLES_CYCLES_CHAIN) &&
	       isfinite(result->cycles);
}

#endif
