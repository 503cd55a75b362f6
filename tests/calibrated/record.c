/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* record COUNTER [MS]: prints a run of the calibrator's readings, in the form of
 * tests/data/rates. */

#include "config.h"

#include "counters.h"
#include "frequency.h"
#include "guard.h"
#include "rates.h"
#include "probe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int print(const struct regress_run *run, const char *name)
{
	printf("# SPDX-FileCopyrightText: The cpucycles developers\n"
	       "# SPDX-License-"
	       "Identifier: 0BSD\n");
	printf("# %s, recorded by tests/calibrated/record\n", name);
	printf("step %" PRIu64 " ns %" PRIu64 "\n", run->step, run->clock_step);
	for (size_t i = 0; i < run->n; i++)
		printf("%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\n", run->pairs[i].before,
		       run->pairs[i].ns, run->pairs[i].after);
	return fflush(stdout) ? 1 : 0;
}

int main(int argc, char *argv[])
{
	size_t i = argc > 1 ? counters_find(argv[1]) : counters_count;
	uint64_t ms = argc > 2 ? strtoull(argv[2], NULL, 10) : 100;
	struct candidate probed, now;
	struct regress_run run;
	struct guard guard;
	bool good = false;

	if (i == counters_count) {
		fprintf(stderr, "usage: record COUNTER [MS]\n");
		return 2;
	}
	if (guard_acquire(&guard) != LOCK_TAKEN)
		return 1;
	guard_install(&guard, GUARD_ALL);
	probe_counter(counters_list[i], PERSECOND_BLIND, &probed);
	if (probed.reason == REASON_NONE &&
	    probe_briefly(counters_list[i], PERSECOND_BLIND, 0, &now))
		good = rates_record(counters_list[i],
				    probed.precision - selection_penalty(counters_list[i]),
				    ms * 1000000, &run);
	guard_release(&guard);
	if (good)
		return print(&run, argv[1]);
	fprintf(stderr, "record: %s does not work here\n", argv[1]);
	return 1;
}
