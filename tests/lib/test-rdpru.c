/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * A read of the counter over RDPRU, in which a signal handler finds out that the register is
 * closed. The handler comes between any two instructions of the read. The registers are made, so
 * that any x86-64 can run this: both are one variable, and a read of 0 is one that has faulted. The
 * read, the clock and the handlers are real.
 */

#include "config.h"

#include "unit.h"

#if defined(__x86_64__) && defined(__LP64__) && defined(__linux__)

#include "os/core-register.h"

#include <sched.h>
#include <stddef.h>

/* In place of RDTSC and of RDPRU. What the signal handler for a fault does, this does itself. */
uint32_t made_register = 1000000000;
#define GIVEN_UP 4
_Static_assert(offsetof(struct core_register, given_up) == GIVEN_UP, "it is where this sets it");
#define STRING(name) #name
#define NAME(name) STRING(name)
#define FIXUP(instruction) \
	"movl made_register(%%rip), %%eax\n\t" \
	"testl %%eax, %%eax\n\t" \
	"jnz 1f\n\t" \
	"movq " NAME(core_register_this) "@gottpoff(%%rip), %%rdx\n\t" \
					 "movl $1, %%fs:" NAME(GIVEN_UP) "(%%rdx)\n" \
									 "1:\txorl %%edx, %%edx"
#include "arch/x86/rdpru.h"

#include "stepped.h"

/* Between reads, in ticks and in cycles. The window does not end. */
#define APART 30000

static const struct counter_conditions conditions = { .persecond = 3000000000,
						      .scaling = { 1, 1 } };

/* How the handler meets the fault, and how it ends. */
static bool by_register, leaves;

static long long first, in_handler, last;

static void read_once(void)
{
	last = rdpru_read();
}

static void run(void)
{
	stepped_call(read_once);
}

static void close_and_read(void)
{
	made_register = 0;
	if (by_register)
		rdpru_register();
	rdpru_read(); /* the clock begins here */
	in_handler = rdpru_read();
	if (leaves)
		stepped_leave();
}

static void prepare(void)
{
	in_handler = last = 0;
	rdpru_read();
	made_register += APART / 2;
	first = rdpru_read();
	made_register += APART;
}

/* Also in the process whose read nobody interrupted: there the register still works. */
static void check(void)
{
	long long before = last > in_handler ? last : in_handler;

	unit_expect(last == 0 || last == first + APART || (in_handler > 0 && last >= in_handler),
		    "the read ends before the handler's or behind it");
	unit_expect(in_handler == 0 || in_handler > first, "the handler's goes on from the last");
	for (int i = 0; i < 3; i++) {
		const long long now = rdpru_read();

		unit_expect(now >= before, "no count is less than one before");
		before = now;
	}
	unit_expect(core_register_lost() == (in_handler != 0), "the thread knows of the fault");
}

static void handlers_anywhere(void)
{
	static const struct stepped stepped = { prepare, run, close_and_read, check };

	core_register_setup(&conditions);
	for (int n = 0; n < 4; n++) {
		by_register = n % 2;
		leaves = n / 2;
		unit_expect(stepped_through(&stepped) > 20, "the read was stepped");
	}
}

static void handlers_child(void)
{
	stepped_in_child(handlers_anywhere);
}

static void handlers(void **state)
{
	(void)state;
	unit_child_passes(handlers_child);
}

/* A thread whose registers are closed before its first read. */
static void first_read(void **state)
{
	long long before = 0;

	(void)state;
	made_register = 0;
	core_register_setup(&conditions);
	for (int i = 0; i < 4; i++) {
		const long long now = rdpru_read();

		assert_true(now > 0);
		assert_true(now >= before);
		before = now;
	}
	assert_true(core_register_lost());
}

/* The register works again: the count goes on, by the register. */
static void again(void **state)
{
	long long before;

	(void)state;
	before = rdpru_read();
	made_register = 2000000000;
	core_register_setup(&conditions);
	aperf_restart(&rdpru_this, (uint64_t)before);
	assert_int_equal(rdpru_read(), before);
	made_register += APART;
	assert_int_equal(rdpru_read(), before + APART);
	assert_false(core_register_lost());
}

/* A window without a pair has zeros, which a void pair on this CPU has, too. */
static void stay_on_cpu_0(void)
{
	cpu_set_t here;

	CPU_ZERO(&here);
	CPU_SET(0, &here);
	sched_setaffinity(0, sizeof here, &here); /* if it may not run there, it runs elsewhere */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_read),
		cmocka_unit_test(again),
		cmocka_unit_test(handlers),
	};

	stay_on_cpu_0();
	return cmocka_run_group_tests_name("rdpru", tests, NULL, NULL);
}

#else

static void handlers(void **state)
{
	(void)state;
	unit_skip("the registers are made by instructions of x86-64");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(handlers) };

	return cmocka_run_group_tests_name("rdpru", tests, NULL, NULL);
}

#endif
