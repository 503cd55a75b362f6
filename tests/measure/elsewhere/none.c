/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A system without events, for measure/events/group-none.c and measure/kperf-none.c. */

#include "config.h"

#include "driver.h"
#include "kperf.h"

#include <errno.h>
#include <stdio.h>

void drive(size_t n)
{
	long long (*read)(void);
	uint64_t counts[1];
	size_t which = 99;

	print_result("open", event_group_open(group(0), members, n, &which, &reason));
	print_result("kperf", kperf_cycles_ready(&read, &reason));
	if (read || event_group_lost(group(0)) != -EAGAIN ||
	    event_group_read(group(0), counts) != -EAGAIN)
		puts("not refused");
	puts(event_group_way(group(0)));
	event_group_close(group(0));
	kperf_cycles_close();
}
