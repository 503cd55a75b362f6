/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Counts of programs. Machines without a PMU have an event of another kind, which counts the time
 * of a task: it is opened and inherited like cycles, and wait4(2) knows how much it should be.
 */

#include "config.h"

#include "measure/run/counts.h"
#include "unit.h"

#include <sys/resource.h>

#ifdef HAVE_LINUX_PERF_EVENT_H
#include <linux/perf_event.h>

static const struct counts_kinds clocks = { PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK,
					    PERF_COUNT_SW_CPU_CLOCK };

/* Takes tens of milliseconds or more. */
#define WORK "awk 'BEGIN{while(i<1000000)i++}'; "

/* Run a command of sh. Returns its CPU time by wait4, in ns. */
static double run(const char *command)
{
	struct rusage usage;
	int status;
	const pid_t child = fork();

	if (child == 0) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(1);
	}
	assert_true(child > 0);
	assert_int_equal(wait4(child, &status, 0, &usage), child);
	assert_int_equal(status, 0);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3;
}

static void open_or_skip(struct counts *counts)
{
	counts_open(&clocks, counts);
	if (counts->cycles >= 0 && counts->instructions >= 0)
		return;
	counts_close(counts);
	unit_skip("no perf event can be opened here");
}

/* All of the CPU time is counted, also in what the program has started. Where much of it was not,
 * nothing is known. */
TEST(children)
{
	struct counts_values values;
	struct counts counts;
	double ns;

	open_or_skip(&counts);
	ns = run(WORK "sh -c \"" WORK "\" & " WORK "wait");
	counts_read(&counts, ns, &values);
	print_message("# %.0f ns by the count, %.0f ns by wait4\n", values.cycles, ns);
	/* What the child does before it is the program is far below a tenth. */
	assert_true(values.cycles > 0.9 * ns);
	assert_true(values.instructions > 0.9 * ns);
	counts_read(&counts, 2 * values.cycles, &values);
	assert_true(values.cycles == 0 && values.instructions == 0);
	counts_close(&counts);
}

/* What this process does itself is not counted. */
TEST(own)
{
	struct counts_values values;
	struct counts counts;
	volatile unsigned turns = 0;

	open_or_skip(&counts);
	while (turns < 10000000)
		turns++;
	counts_read(&counts, 0, &values);
	counts_close(&counts);
	assert_true(values.cycles == 0 && values.instructions == 0);
}
#else
TEST(children)
{
	unit_skip("no perf event can be opened here");
}
#endif

/* Nothing is counted that was not asked for, or that there is not. */
TEST(none)
{
	struct counts_values values = { 1, 1, true };
	struct counts counts;

	counts_open(NULL, &counts);
	counts_read(&counts, 1e9, &values);
	counts_close(&counts);
	assert_true(values.cycles == 0 && values.instructions == 0);
	counts_open(&(struct counts_kinds){ 0xffffff, 0, 0 }, &counts);
	counts_read(&counts, 1e9, &values);
	counts_close(&counts);
	assert_true(values.cycles == 0 && values.instructions == 0);
}

UNIT_MAIN("counts", NULL, NULL)
