/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "budget.h"
#include "guard.h"
#include "raw-clock.h"

#include <time.h>

/* Publishing comes last, and takes about this part of the CPU's time that was used before the core
 * is measured. */
#define PUBLISHING_PART 2

#define NS_PER_S 1000000000u

static void call_now(void *ns)
{
	*(uint64_t *)ns = raw_clock_ns();
}

/* The raw clock; always 0 where reading it faults. */
static uint64_t now_ns(void)
{
	uint64_t ns = 0;

	return guard_call(call_now, &ns) ? 0 : ns;
}

/* For how long a CPU worked for this process. */
static uint64_t cpu_ns(void)
{
	const clock_t used = clock();

	return used < 0 ? 0 : (uint64_t)used * (NS_PER_S / CLOCKS_PER_SEC);
}

void budget_begin(struct budget *budget, uint64_t ns)
{
	const uint64_t now = now_ns(), used = cpu_ns();

	*budget = (struct budget){ .ns = ns, .began_ns = now > used ? now - used : 0 };
}

void budget_prepared(struct budget *budget)
{
	budget->prepared_ns = cpu_ns();
}

uint64_t budget_passed(const struct budget *budget)
{
	return now_ns() - budget->began_ns;
}

uint64_t budget_used(const struct budget *budget)
{
	return budget_passed(budget) + budget->prepared_ns / PUBLISHING_PART;
}

uint64_t budget_left(const struct budget *budget, uint64_t used_ns, unsigned least_part)
{
	const uint64_t least = budget->ns / least_part;
	const uint64_t left = used_ns < budget->ns ? budget->ns - used_ns : 0;

	return left > least ? left : least;
}
