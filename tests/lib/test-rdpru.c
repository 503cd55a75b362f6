/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Reads of the counter over RDPRU, next to handlers of signals that find the register closed, or
 * open it again. The handler comes between any two instructions of the read. The registers are
 * made, so that any x86-64 can run this: both are one variable, and a read of 0 is one that has
 * faulted. The read, the clock and the handlers are real.
 */

#include "config.h"

#include "unit.h"

#if defined(__x86_64__) && defined(__LP64__) && defined(__linux__)

#include "os/core-register.h"

#include <sched.h>

/* In place of RDTSC and of RDPRU. This also does what the handler of a real fault does where no
 * clock has counted: core_register_closed(). */
uint32_t made_register = 1000000000;
#define GIVEN_UP 4
_Static_assert(offsetof(struct core_register, given_up) == GIVEN_UP, "it is where this sets it");
#define STRING(name) #name
#define NAME(name) STRING(name)
/* clang-format off */
#define FIXUP(instruction) \
	"movl made_register(%%rip), %%eax\n\t" \
	"testl %%eax, %%eax\n\t" \
	"jnz 1f\n\t" \
	"movq " NAME(core_register_this) "@gottpoff(%%rip), %%rdx\n\t" \
	"movl $1, %%fs:" NAME(GIVEN_UP) "(%%rdx)\n" \
	"1:\txorl %%edx, %%edx"
/* clang-format on */
#include "arch/x86/rdpru.h"

#include "stepped.h"

/* Between reads, in ticks and in cycles. The window does not end. */
#define APART 30000

/* No whole number of cycles passes in a ns. */
static const struct counter_conditions conditions = { .persecond = 3200000000,
						      .scaling = { 1, 1 },
						      .held = true };

/* What the counts of a test never come to: those of five minutes. */
#define TOO_MANY 1000000000000

/* The register before the read that is interrupted: it works; it was found closed, but the thread
 * has not counted since; or it counts by the clock. */
static enum { WORKS, CLOSED, COUNTED, BEFORE } before;

/* What the handler does. REGISTER: it reads the register itself first. */
static enum { READS, REGISTER, OPENS, ACTIONS } action;

static bool leaves;

static uint32_t value = 1000000000; /* of the register that works */
static long long first, in_handler, last;

static void open_register(void)
{
	made_register = value;
	rdpru_open(&conditions);
}

static void close_register(void)
{
	value = made_register + APART;
	made_register = 0;
}

static void prepare(void)
{
	in_handler = last = 0;
	open_register();
	rdpru_read();
	made_register += APART / 2;
	first = rdpru_read();
	made_register += APART;
	if (before == WORKS)
		return;
	close_register();
	core_register_closed();
	core_register_this.start_ns = 0; /* as in a thread in which no clock has counted yet */
	if (before == COUNTED)
		first = rdpru_read();
}

static void read_once(void)
{
	last = rdpru_read();
}

static void run(void)
{
	stepped_call(read_once);
}

static void interrupt(void)
{
	if (action == OPENS)
		open_register();
	else if (made_register)
		close_register();
	if (action == REGISTER)
		rdpru_register();
	rdpru_read(); /* a clock may begin here */
	made_register += action == OPENS ? APART : 0;
	in_handler = rdpru_read();
	if (leaves)
		stepped_leave();
}

/* The highest count so far; no later one may be less. */
static long long highest;

static void expect_next(void)
{
	const long long now = rdpru_read();

	unit_expect(now >= highest, "no count is less than one before");
	unit_expect(now < TOO_MANY, "no count is far ahead");
	highest = now;
}

/* In the process whose read nobody interrupted, too. */
static void check(void)
{
	const bool handled = in_handler != 0;

	highest = last > in_handler ? last : in_handler;
	unit_expect(!handled || in_handler >= first, "the handler's count goes on from the last");
	/* A read that ends before the handler has the register's count. */
	if (before == WORKS && action != OPENS)
		unit_expect(last == 0 || last == first + APART || last >= in_handler,
			    "the read ends before the handler, or behind it");
	for (int i = 0; i < 3; i++)
		expect_next();
	/* A core that is faster than persecond says: the clock would be behind. */
	for (int i = 0; i < 100 && made_register; i++) {
		made_register += APART;
		expect_next();
	}
	if (handled && made_register) {
		close_register();
		core_register_closed();
	}
	expect_next();
	unit_expect(core_register_lost() == (made_register == 0), "the thread knows of the fault");
}

static void handlers_anywhere(void)
{
	static const struct stepped stepped = { prepare, run, interrupt, check };

	for (before = WORKS; before < BEFORE; before++)
		for (action = READS; action < ACTIONS; action++)
			for (int n = 0; n < 2; n++) {
				leaves = n;
				unit_expect(stepped_through(&stepped) > 20, "it was stepped");
			}
}

/* A thread whose registers are closed before its first read. */
TEST(first_read)
{
	long long count = 0;

	made_register = 0;
	core_register_setup(&conditions);
	for (int i = 0; i < 4; i++) {
		const long long now = rdpru_read();

		assert_true(now > 0);
		assert_true(now >= count);
		count = now;
	}
	assert_true(core_register_lost());
}

/* The register works again: the count goes on, by the register. */
TEST(again)
{
	const long long count = rdpru_read();

	open_register();
	assert_true(rdpru_read() >= count);
	made_register += APART;
	assert_in_range(rdpru_read(), count + APART, count + 100 * APART);
	assert_false(core_register_lost());
}

TEST_IN_CHILD(handlers)
{
	stepped_in_child(handlers_anywhere);
}

/* What a made CPU calls its maker. */
static const char *maker;

static void made_cpuid(uint32_t leaf, uint32_t r[4])
{
	memset(r, 0, 4 * sizeof r[0]);
	if (leaf != 0)
		return;
	memcpy(&r[1], maker, 4); /* EBX, EDX, ECX */
	memcpy(&r[3], maker + 4, 4);
	memcpy(&r[2], maker + 8, 4);
}

TEST(makers)
{
	maker = "AuthenticAMD";
	assert_true(rdpru_may_exist(made_cpuid));
	maker = "HygonGenuine";
	assert_true(rdpru_may_exist(made_cpuid));
	if (X86_HAS(SSE4A))
		return; /* this one is of AMD, whatever a made one says */
	maker = "GenuineIntel";
	assert_false(rdpru_may_exist(made_cpuid));
}

/* With which of the two ways the numbers of the CPUs are right. */
TEST(numbers_of_cpus)
{
	const bool has_rdpid = rdpru_has_rdpid(x86_this_cpuid);
	cpu_set_t allowed, here;
	bool noted = false;

	assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
	for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed))
			continue;
		CPU_ZERO(&here);
		CPU_SET(cpu, &here);
		assert_int_equal(sched_setaffinity(0, sizeof here, &here), 0);
		noted = rdpru_noted_cpu() < APERF_NO_CPU;
		if (noted)
			assert_int_equal(rdpru_cpu(), cpu);
		/* Linux puts the number of the memory's node above these 12 bits. */
		if (has_rdpid)
			assert_int_equal(rdpru_rdpid() % 4096, cpu);
		rdpru_by_rdpid = has_rdpid;
		if (has_rdpid && !noted)
			assert_int_equal(rdpru_cpu() % 4096, cpu);
	}
	sched_setaffinity(0, sizeof allowed, &allowed);
	printf("# the kernel notes it: %d, RDPID: %d\n", noted, has_rdpid);
	if (!noted && !has_rdpid)
		unit_skip("nobody tells a program its CPU here");
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
	stay_on_cpu_0();
	return unit_run("rdpru", NULL, NULL);
}

#else

TEST_NOT_HERE(handlers, "the registers are made by instructions of x86-64")

UNIT_MAIN("rdpru", NULL, NULL)

#endif
