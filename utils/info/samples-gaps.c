/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* On each CPU in turn, a loop reads the clock. A row is a gap: a time in which the CPU did
 * something else. */

#include "config.h"

#include "affinity.h"
#include "gaps.h"
#include "raw-clock.h"
#include "samples-run.h"

#include <inttypes.h>
#include <stdio.h>

/* After SLICE_NS the rows are printed, which is no part of the time that is looked at. */
#define SLICE_NS 100000000u

/* Look until the raw clock shows `end`. looked: the ns without those of printing are added. False:
 * rows cannot be written. */
static bool look_until(struct samples_run *run, struct own *own, int cpu, uint64_t end,
		       uint64_t *looked)
{
	static struct gaps gaps;

	do {
		const uint64_t now = raw_clock_ns();

		gaps = (struct gaps){ 0 };
		gaps_look(own, end < now + SLICE_NS ? end : now + SLICE_NS, &gaps);
		*looked += gaps.ns;
		for (size_t i = 0; i < gaps.kept; i++)
			printf("%d\t%.9f\t%" PRIu64 "\n", cpu,
			       (double)(gaps.list[i].begin - run->begun_ns) * 1e-9,
			       gaps.list[i].ns);
		if (gaps.number > gaps.kept)
			samples_comment_number("left_out", gaps.number - gaps.kept);
		if (!samples_hand_out(run))
			return false;
	} while (raw_clock_ns() < end);
	return true;
}

static bool look_at(struct samples_run *run, struct own *own, int cpu, uint64_t end)
{
	uint64_t ns = 0;
	bool complete;

	if (!affinity_pin(cpu)) {
		printf("# not_measured\t%d\n", cpu);
		return true;
	}
	complete = look_until(run, own, cpu, end, &ns);
	printf("# looked\t%d %.6f\n", cpu, (double)ns * 1e-9);
	return complete;
}

bool samples_gaps(struct samples_run *run)
{
	struct own own;
	uint64_t cpus, n = 0;
	bool complete = true;

	affinity_save();
	cpus = (uint64_t)affinity_count();
	printf("cpu\tseconds\tgap_ns\n");
	own_open(&own, "");
	samples_begin(run);
	for (int cpu = 0; cpu < AFFINITY_CPUS_MAX && complete; cpu++)
		if (affinity_allows(cpu))
			complete = look_at(run, &own, cpu,
					   run->begun_ns + run->budget_ns * ++n / cpus);
	own_close(&own);
	return complete && samples_hand_out(run);
}
