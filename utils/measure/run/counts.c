/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Source: perf_event_open(2), on inherit and enable_on_exec. */

#include "config.h"

#include "counts.h"

#ifdef HAVE_LINUX_PERF_EVENT_H
#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What a child does before it is another program is not counted. It takes about this much, and a
 * part of a longer time is within what two clocks differ by. */
#define BEFORE_NS 2000000
#define CLOCKS_PART 0.1

const struct counts_kinds counts_hardware = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
					      PERF_COUNT_HW_INSTRUCTIONS };

/* The event is this thread's, and does not count there. A child inherits it, and so do the children
 * of that. */
static int open_event(uint32_t type, uint64_t config, bool kernel)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof attr,
		.config = config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
		.inherit = 1,
		.enable_on_exec = 1,
		.exclude_kernel = !kernel,
		.exclude_hv = !kernel,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void counts_open(const struct counts_kinds *kinds, struct counts *counts)
{
	*counts = (struct counts){ -1, -1, true };
	if (!kinds)
		return;
	counts->cycles = open_event(kinds->type, kinds->cycles, true);
	if (counts->cycles < 0 && (errno == EACCES || errno == EPERM)) {
		counts->kernel = false;
		counts->cycles = open_event(kinds->type, kinds->cycles, false);
	}
	if (counts->cycles >= 0)
		counts->instructions = open_event(kinds->type, kinds->instructions, counts->kernel);
}

/* An event that was off the PMU for a time has missed what happened then. It is off for good in a
 * program that has other rights than its user. */
static double read_event(int fd, double cpu_ns)
{
	struct {
		uint64_t count, enabled, running; /* ns of all processes together */
	} got;

	if (fd < 0 || read(fd, &got, sizeof got) != (ssize_t)sizeof got ||
	    got.running != got.enabled ||
	    (double)got.enabled < cpu_ns - BEFORE_NS - CLOCKS_PART * cpu_ns)
		return 0;
	return (double)got.count;
}

void counts_read(const struct counts *counts, double cpu_ns, struct counts_values *values)
{
	*values =
		(struct counts_values){ read_event(counts->cycles, cpu_ns),
					read_event(counts->instructions, cpu_ns), counts->kernel };
}

void counts_close(struct counts *counts)
{
	if (counts->cycles >= 0)
		close(counts->cycles);
	if (counts->instructions >= 0)
		close(counts->instructions);
}
#else
const struct counts_kinds counts_hardware;

void counts_open(const struct counts_kinds *kinds, struct counts *counts)
{
	(void)kinds;
	*counts = (struct counts){ -1, -1, false };
}

void counts_read(const struct counts *counts, double cpu_ns, struct counts_values *values)
{
	(void)counts;
	(void)cpu_ns;
	*values = (struct counts_values){ 0 };
}

void counts_close(struct counts *counts)
{
	(void)counts;
}
#endif
