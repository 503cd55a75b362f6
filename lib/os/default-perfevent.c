/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Core cycles of this thread, counted by a perf event and read by a system call. Source:
 * perf_event_open(2). */

#include "config.h"

#include "counter.h"
#include "os/perfevent.h"

static long long read_event(void)
{
	return perfevent_read(perfevent_mine());
}

const struct counter cpucycles_counter_default_perfevent = {
	.name = "default-perfevent",
	.class = COUNTER_KERNEL_COUNT,
	.own_thread = true,
	.width = 64,
	.setup = perfevent_setup_by_call,
	.teardown = perfevent_teardown,
	.signals = COUNTER_SIGNAL(SIGSYS),
	.read = read_event,
	.lost = perfevent_lost,
	.caveat = "cycles of the calling thread; every read is a system call",
};
