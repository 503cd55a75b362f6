/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Core cycles of this thread, read by RDPMC at the index that the perf user page
 * names. Sources: perf_event_open(2); Intel SDM volume 2B and AMD64 APM volume 3,
 * RDPMC. */

#include "config.h"

#include "counter.h"
#include "os/perfevent.h"

#if !defined(__x86_64__)
#error "amd64 only"
#endif

static int setup(const struct counter_conditions *conditions)
{
	int error = perfevent_setup(PERFEVENT_CYCLES, conditions->persecond);

	if (error)
		return error;
	return perfevent_is_open(perfevent_mine()->page) ? 0 : COUNTER_CLOSED;
}

static uint64_t rdpmc(uint32_t index)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
	return (uint64_t)high << 32 | low;
}

static long long read_pmc(void)
{
	struct perfevent *event = perfevent_mine();
	long long raw;

	if (event->page && perfevent_read_page(event->page, rdpmc, &raw))
		return perfevent_advance(event, raw);
	return perfevent_read(event);
}

const struct counter cpucycles_counter_amd64_pmc = {
	.name = "amd64-pmc",
	.class = COUNTER_ON_CORE,
	.width = 64,
	.setup = setup,
	.teardown = perfevent_teardown,
	.read = read_pmc,
	.caveat = "cycles of the calling thread in user space",
};
