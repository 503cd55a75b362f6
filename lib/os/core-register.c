/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "os/core-register.h"
#include "os/clock.h"

_Thread_local struct core_register core_register_this TLS_MODEL;

volatile sig_atomic_t core_register_moved;

static uint64_t multiplier; /* ns to cycles */

int core_register_setup(const struct counter_conditions *conditions)
{
	multiplier = clock_multiplier(conditions);
	return 0;
}

void core_register_closed(void)
{
	core_register_this.closed = 1;
}

void core_register_stopped(void)
{
	if (core_register_moved)
		core_register_closed();
}

long long core_register_clock(struct core_register *mine)
{
	uint64_t now, count;

	clock_by_syscall(&now);
	if (!mine->by_clock) {
		mine->start_ns = now;
		mine->start = mine->last;
		mine->by_clock = true;
	}
	count = mine->start + (uint64_t)clock_cycles(now - mine->start_ns, &multiplier);
	if ((int64_t)(count - mine->last) > 0)
		mine->last = count;
	return (long long)mine->last;
}
