/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Mach's absolute time, scaled to cycles. The kernel tells its rate. Source: Apple, Technical Q&A
 * QA1398. This counter has not been run, because no such machine is at hand. */

#include "config.h"

#include "counter.h"
#include "os/ticks.h"

#include <errno.h>
#include <mach/mach_time.h>

static int rate(uint64_t *hz)
{
	mach_timebase_info_data_t base;

	if (mach_timebase_info(&base) || base.numer == 0)
		return -ENODEV;
	*hz = UINT64_C(1000000000) * base.denom / base.numer;
	return 0;
}

TICKS_FUNCTION(mach_absolute_time)

const struct counter cpucycles_counter_default_mach = {
	.name = "default-mach",
	.class = COUNTER_OFF_CORE,
	.width = 64,
	.rate = rate,
	.hz_source = "mach_timebase_info",
	TICKS_COUNTER,
	.signals = COUNTER_SIGNAL(SIGSEGV),
	.caveat = "ticks at a constant rate, scaled to cycles",
};
