/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "os/core-register.h"
#include "hot.h"
#include "os/clock.h"

#include <stdatomic.h>

_Thread_local struct core_register core_register_this TLS_MODEL = { .last = 1 };

static HOT uint64_t multiplier; /* ns to cycles */
static HOT atomic_uint setups;

int core_register_setup(const struct counter_conditions *conditions)
{
	struct core_register *mine = &core_register_this;

	published_keep(&multiplier, clock_multiplier(conditions->persecond));
	if (conditions->held && mine->started && !mine->given_up)
		return 0;
	if (conditions->held && mine->by_clock) /* the count of the time since the last read */
		core_register_clock(mine);
	mine->unproven = atomic_fetch_add(&setups, 1) + 1;
	/* Somebody reads on whatever comes of this setup, so a register that stands still is given
	 * up. */
	if (conditions->held)
		mine->unproven = 0;
	mine->started = mine->by_clock = false;
	mine->given_up = 0;
	mine->still = 0;
	return 0;
}

COLD bool core_register_lost(void)
{
	return core_register_this.given_up != 0;
}

static void give_up(struct core_register *mine)
{
	/* A clock that was counting before a handler had the register read again counts no more. */
	if (!mine->given_up)
		mine->by_clock = false;
	mine->given_up = 1;
}

void core_register_closed(void)
{
	give_up(&core_register_this);
}

void core_register_stopped(void)
{
	struct core_register *mine = &core_register_this;
	const unsigned last_setup = atomic_load_explicit(&setups, memory_order_relaxed);

	if (mine->unproven == 0 || mine->unproven != last_setup)
		give_up(mine);
}

long long core_register_clock(struct core_register *mine)
{
	uint64_t now, count;

	clock_by_syscall(&now);
	if (!mine->by_clock) {
		mine->start_ns = now;
		mine->start = mine->last;
		atomic_signal_fence(memory_order_seq_cst); /* a handler uses both, or its own */
		mine->by_clock = true;
	}
	count = mine->start + (uint64_t)clock_cycles_since(mine->start_ns, now, &multiplier);
	if ((int64_t)(count - mine->last) > 0)
		mine->last = count;
	return (long long)mine->last;
}
