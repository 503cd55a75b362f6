/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Several counters that share a thread's perf events. This is the whole library, with
 * task clocks for events of cycles (clock-events.h). Their pages name no register, so a counter
 * that reads registers is out, unless the test puts a page of its own in their place (--wrap=mmap).
 */

#include "config.h"

#include "clock-events.h"
#include "faults.h"
#include "os/perfevent.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#define THREADS 8
#define BURNT_NS 3000000
#define HZ UINT64_C(1000000000) /* so a cycle is a ns of the thread's time */

void *__real_mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset);

static bool makes_pages; /* the events' pages are made ones, which name register 0 */

void *__wrap_mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
	struct perf_event_mmap_page *page;

	if (!makes_pages || fd < 0)
		return __real_mmap(address, length, protection, flags, fd, offset);
	page = __real_mmap(address, length, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | (flags & MAP_FIXED), -1, 0);
	if (page == MAP_FAILED)
		return page;
	page->cap_user_rdpmc = 1;
	page->index = 1;
	page->pmc_width = 64;
	return page;
}

static void burn(void)
{
	const int fd = task_clock_open(0);

	task_clock_burn(fd, BURNT_NS);
	close(fd);
}

/* Counts of this reader over work, a moment, and work again: no work is lost. The task clock of the
 * kernel and that of the test advance alike, except for a few ns at their ends. */
static void expect_all(long long (*count)(void), void (*moment)(void), const char *what)
{
	const long long first = count();
	long long counted;

	burn();
	moment();
	burn();
	counted = count() - first;
	if (counted < 2 * BURNT_NS - BURNT_NS / 100)
		printf("# counted %lld of %d ns\n", counted, 2 * BURNT_NS);
	unit_expect(counted >= 2 * BURNT_NS - BURNT_NS / 100, what);
}

static struct cpucycles_counter look(const char *name)
{
	struct cpucycles_counter counter = { .size = sizeof counter };

	unit_expect(cpucycles_counter_look(name, &counter) == 0, "a look");
	return counter;
}

static void nothing(void) {}

static void look_at_all(void)
{
	const char *name;

	for (unsigned i = 0; (name = cpucycles_counter_name(i)) != NULL; i++) {
		const struct cpucycles_counter c = look(name);

		unit_expect(c.in_use || !strstr(name, "perf") || c.reason || !strcmp(name, EVENT),
			    "no page names a register");
	}
}

static void ready_all(void)
{
	long long (*read)(void);
	const char *name;

	for (unsigned i = 0; (name = cpucycles_counter_name(i)) != NULL; i++)
		cpucycles_counter_ready(name, &read);
}

/* The events of the counter in use go on, and stay by read(2) only. */
TEST_IN_CHILD(in_use)
{
	unsigned before;

	need_events();
	before = unit_open_descriptors();
	expect_all(cpucycles, nothing, "the test's clock agrees");
	expect_all(cpucycles, look_at_all, "no look loses work");
	unit_expect(unit_open_descriptors() == before, "nor leaves a descriptor");
	unit_expect(perfevent_this.n == 1 && perfevent_this.mapped == 0, "the kinds are as before");
	expect_all(cpucycles, ready_all, "nor does a counter that is made ready");
	unit_expect(!strcmp(cpucycles_implementation(), EVENT), "the counter in use stays");
	unit_expect(look(EVENT).in_use && !look(EVENT).reason, "and works");
}

/* A look at a counter of events that nobody reads gives back its events. */
TEST_IN_CHILD(not_in_use)
{
	unsigned before;

	need_events();
	select_counter("default-monotonic");
	before = unit_open_descriptors();
	unit_expect(!look(EVENT).reason && look(EVENT).own_thread, "it works");
	unit_expect(unit_open_descriptors() == before && perfevent_this.n == 0,
		    "nothing is left open");
}

static long long (*event)(void);

static void make_ready(void)
{
	unit_expect(!cpucycles_counter_ready(EVENT, &event) && event, "it is ready");
}

static void reselect_others(void)
{
	static const char *const names[] = { "default-monotonic", "default-zero", "none",
					     "on-core",           "kernel-count", EVENT,
					     "os-clock" };

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		select_counter(names[i]);
}

/* Selections try and tear down each counter, but who reads one that was made ready loses nothing.
 */
TEST_IN_CHILD(reselected)
{
	need_events();
	select_counter("default-monotonic");
	make_ready();
	expect_all(event, reselect_others, "no selection loses work");
	expect_all(event, look_at_all, "no look does");
	unit_expect(!cpucycles_counter_lost(EVENT), "it is no clock");
	select_counter(EVENT);
	expect_all(event, reselect_others, "also not of the counter that is in use");
	expect_all(event, ready_all, "nor ready");
}

/* Made ready while in use. */
TEST_IN_CHILD(ready_in_use)
{
	need_events();
	make_ready();
	unit_expect(event == cpucycles, "the reader is cpucycles' own");
	expect_all(event, reselect_others, "it stays, whatever is selected");
	unit_expect(perfevent_this.n == 1, "with its event");
}

/* The kernel, or the program, took the event from the thread. */
TEST_IN_CHILD(lost)
{
	struct cpucycles_counter c;
	long long last, (*read)(void) = NULL;

	need_events();
	last = cpucycles();
	unit_expect(!cpucycles_counter_lost(EVENT), "a thread has its event");
	close(perfevent_this.fds[0]);
	unit_expect(cpucycles() >= last, "without it, the count goes on");
	unit_expect(cpucycles_counter_lost(EVENT) == 1, "from a clock, which is told");
	c = look(EVENT);
	unit_expect(c.in_use && c.reason && !strcmp(c.reason, "closed"), "and seen");
	unit_expect(cpucycles_counter_ready(EVENT, &read) == -ENOTSUP && !read,
		    "it does not work in this thread");
}

/* A sandbox forbids new events: what counts goes on. */
TEST_IN_CHILD(forbidden)
{
	struct cpucycles_counter c;

	need_events();
	select_counter("default-monotonic");
	make_ready();
	refused = true;
	expect_all(event, look_at_all, "no look at a counter that cannot be had loses work");
	expect_all(event, reselect_others, "nor a selection");
	unit_expect(!look(EVENT).reason, "the thread has its event");
	unit_expect(!cpucycles_counter_lost(EVENT), "and reads it");
	perfevent_teardown();
	close(perfevent_this.fds[0]);
	event();
	unit_expect(cpucycles_counter_lost(EVENT) == 1, "without its event");
	c = look(EVENT);
	unit_expect(c.reason && !strcmp(c.reason, "errno") && c.error == EPERM && !c.signal_number,
		    "it has none");
}

/* A sandbox lets nobody ask an event for its id, so that nobody knows whether its descriptor is
 * lost. What counts goes on. */
static void expect_in_sandbox(unsigned answer)
{
	unsigned before;

	need_events();
	look_at_all(); /* to know the kinds of core, for which sysfs is read */
	if (sandbox(SYS_ioctl, answer))
		unit_skip_child("no seccomp filter here");
	before = unit_open_descriptors();
	expect_all(cpucycles, look_at_all, "no look loses work");
	expect_all(cpucycles, ready_all, "nor does a counter that is made ready");
	unit_expect(!cpucycles_counter_lost(EVENT), "the thread reads its event");
	unit_expect(unit_open_descriptors() == before, "no descriptor is left");
}

TEST_IN_CHILD(refused_ids)
{
	expect_in_sandbox(SECCOMP_RET_ERRNO | EPERM);
}

TEST_IN_CHILD(trapped_ids)
{
	expect_in_sandbox(SECCOMP_RET_TRAP);
}

static atomic_bool stop;

static void *count_in_thread(void *unused)
{
	const bool also_ready = unused != NULL;
	long long (*own)(void) = event, last = own();

	expect_all(own, also_ready ? ready_all : look_at_all, "a thread loses no work");
	while (!atomic_load(&stop)) {
		const long long next = own();

		unit_expect(next >= last, "nor steps back");
		last = next;
	}
	expect_all(own, also_ready ? look_at_all : ready_all, "nor then");
	return NULL;
}

TEST_IN_CHILD(threads)
{
	pthread_t threads[THREADS];
	unsigned before;

	need_events();
	make_ready();
	before = unit_open_descriptors();
	for (int i = 0; i < THREADS; i++)
		unit_expect(!pthread_create(&threads[i], NULL, count_in_thread,
					    i % 2 ? &threads[i] : NULL),
			    "a thread");
	for (int i = 0; i < 20; i++) {
		look_at_all();
		reselect_others();
	}
	atomic_store(&stop, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	unit_expect(unit_open_descriptors() == before, "no descriptor is left");
}

TEST_IN_CHILD(forked)
{
	pid_t child;

	need_events();
	select_counter("default-monotonic");
	make_ready();
	expect_all(event, nothing, "the parent counts");
	child = fork();
	if (child == 0) {
		alarm(UNIT_CHILD_SECONDS / 2);
		event();
		expect_all(event, ready_all, "the child's event goes on");
		expect_all(event, reselect_others, "also over its selections");
		_exit(0);
	}
	unit_expect_child(child, "a child with events");
	expect_all(event, look_at_all, "the parent's event goes on");
}

/* Registers, by made pages. */

static int register_clock = -1;

static bool read_register(uint32_t number, uint64_t *value)
{
	*value = (uint64_t)task_clock_ns(register_clock);
	return number == 0;
}

static long long count_by_register(void)
{
	return perfevent_read_register(read_register);
}

static long long count_by_call(void)
{
	return perfevent_read(perfevent_mine());
}

static const struct counter_conditions first_of_all = { HZ, { 1, 1 }, false };
static const struct counter_conditions held = { HZ, { 1, 1 }, true };

static void set_up_register(void)
{
	unit_expect(!perfevent_setup_register(0, &held, read_register), "a register");
}

static void set_up_register_in_vain(void)
{
	makes_pages = false;
	unit_expect(perfevent_setup_register(0, &held, read_register) == COUNTER_CLOSED, "closed");
	perfevent_teardown();
	makes_pages = true;
}

static void set_up_call(void)
{
	unit_expect(!perfevent_setup_by_call(&held), "read(2)");
}

static void set_up_call_and_down(void)
{
	set_up_call();
	perfevent_teardown();
}

static void set_up_register_and_down(void)
{
	set_up_register();
	perfevent_teardown();
}

/* From events without pages to events with them and back. */
TEST_IN_CHILD(registers)
{
	if (sizeof(off_t) > sizeof(long))
		unit_skip_child("mmap() is called by its name for large files here");
	makes_pages = true;
	if (perfevent_setup_by_call(&first_of_all))
		unit_skip_child("no perf event can be opened here");
	register_clock = task_clock_open(0);
	expect_all(count_by_call, set_up_register_in_vain, "a register that is closed loses none");
	unit_expect(perfevent_this.mapped == 0, "the events are as before");
	expect_all(count_by_call, set_up_register_and_down, "nor one that was looked at");
	unit_expect(perfevent_this.mapped == 0, "again as before");
	expect_all(count_by_call, set_up_register, "nor one that stays");
	unit_expect(perfevent_this.readable == 1, "which can be read");
	expect_all(count_by_register, set_up_call, "by read(2) too");
	unit_expect(perfevent_this.readable == 1, "the register stays");
	expect_all(count_by_register, set_up_call_and_down, "also behind a look");
	expect_all(count_by_register, set_up_register, "a second time");
	unit_expect(perfevent_this.readable == 1, "the register can still be read");
}

UNIT_MAIN("other-events", NULL, NULL)
