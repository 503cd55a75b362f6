/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * States of lib/entry.c that a program reaches only by chance or after years: a fork between two of
 * its stores, a generation that has reached its largest number, a thread that ends while it prints.
 * The source itself is included here, so that a test can stop between two stores and set the
 * generation. A stub makes the choice; everything else is real.
 */

#include "config.h"

#include "unit.h"
#include "choose.h"
#include "faults.h"
#include "guard.h"
#include "namespaces.h"
#include "thread.h"

#include <pthread.h>
#include <stdatomic.h>

/* Called when a choice is in its slot and the pointer is not stored yet; and when the pointer is
 * stored and the generation is not yet. */
static void (*before_pointer)(void), (*behind_pointer)(void);

static void choose_next(const struct choose_options *options, struct choice *choice);

static void call(void (*hook)(void))
{
	if (hook)
		hook();
}

/* entry.c stores nothing else by this one. */
#define __atomic_store_n(place, value, order) \
	(call(before_pointer), __atomic_store_n(place, value, order), call(behind_pointer))
#undef choose_counter
#define choose_counter choose_next
#include "entry.c"

/* ThreadSanitizer ends a child of a process with threads unless told not to. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}

/* Two counters, one of them at two rates, so that its pointer alone does not tell the choice. */

static long long read_first(void)
{
	return 1;
}

static long long read_second(void)
{
	return 2;
}

static const struct counter first = { .name = "first", .read = read_first };
static const struct counter second = { .name = "second", .read = read_second };

static const struct choice first_slow = { .counter = &first,
					  .persecond = { .hz = 1001 },
					  .rate = { .hz = 1003 } };
static const struct choice first_fast = { .counter = &first,
					  .persecond = { .hz = 2001 },
					  .rate = { .hz = 2003 } };
static const struct choice only_second = { .counter = &second,
					   .persecond = { .hz = 3001 },
					   .rate = { .hz = 3003 } };

static const struct choice *next;
static unsigned choices; /* that were made */

static void choose_next(const struct choose_options *options, struct choice *choice)
{
	for (size_t i = 0; options->full_probe && i < counters_count; i++)
		options->full_probe[i] =
			(struct candidate){ .counter = counters_list[i], .reason = REASON_ERRNO };
	choices++;
	*choice = *next;
}

static void select_next(const struct choice *choice)
{
	next = choice;
	cpucycles_reselect();
}

static void expect_answers(const struct choice *choice, const char *what)
{
	unit_expect(!strcmp(cpucycles_implementation(), choice->counter->name) &&
			    cpucycles_persecond() == (long long)choice->persecond.hz &&
			    cpucycles_hz() == (long long)choice->rate.hz,
		    what);
}

static void expect_in_use(const struct choice *choice, const char *what)
{
	expect_answers(choice, what);
	unit_expect(__atomic_load_n(&cpucycles, __ATOMIC_ACQUIRE) == choice->counter->read, what);
}

/* The state after this many selections. The last bit of the number tells the slot. */
static void select_as(unsigned number, const struct choice *choice)
{
	do
		select_next(choice);
	while (atomic_load(&generation) % 2 != number % 2);
	atomic_store(&generation, number);
	expect_in_use(choice, "a choice is in use, whatever its number");
}

/* A fork in the middle of a selection. */

static atomic_int its_id;              /* of a thread that the test knows */
static atomic_int stage;               /* 1: another thread is to fork, 2: it has */
static const struct choice *inherited; /* what is in use in the child */

static void wait_for_stage(int wanted)
{
	while (atomic_load(&stage) != wanted)
		usleep(100);
}

static void let_fork(void)
{
	atomic_store(&stage, 1);
	wait_for_stage(2);
}

static void still_inherited(void)
{
	expect_in_use(inherited,
		      "whoever asks during the child's selection gets the choice of before");
}

static void use_in_child(void)
{
	alarm(UNIT_CHILD_SECONDS / 2);
	behind_pointer = NULL;
	before_pointer = still_inherited;
	expect_in_use(inherited, "the child's answers are those of its pointer");
	select_next(&first_fast);
	before_pointer = NULL;
	expect_in_use(&first_fast, "the child's own choice");
	select_next(&only_second);
	expect_in_use(&only_second, "and its next");
	_exit(0);
}

static void *fork_meanwhile(void *unused)
{
	int status = -1;
	pid_t pid;

	wait_for_stage(1);
	pid = fork();
	if (pid == 0)
		use_in_child();
	waitpid(pid, &status, 0);
	unit_expect(status == 0, "the child lives");
	atomic_store(&stage, 2);
	return unused;
}

static void fork_in(void (**moment)(void), unsigned number, const struct choice *expected)
{
	pthread_t thread;

	select_as(number, &first_slow);
	inherited = expected;
	atomic_store(&stage, 0);
	unit_expect(!pthread_create(&thread, NULL, fork_meanwhile, NULL), "a thread");
	*moment = let_fork;
	select_next(&only_second);
	*moment = NULL;
	pthread_join(thread, NULL);
	expect_in_use(&only_second, "the parent goes on");
}

static const unsigned numbers[] = { 1, 2, UINT_MAX - 1, UINT_MAX };

#define NUMBERS (sizeof numbers / sizeof numbers[0])

TEST_IN_CHILD(forked_before_the_pointer)
{
	for (size_t i = 0; i < NUMBERS; i++)
		fork_in(&before_pointer, numbers[i], &first_slow);
}

TEST_IN_CHILD(forked_behind_the_pointer)
{
	for (size_t i = 0; i < NUMBERS; i++)
		fork_in(&behind_pointer, numbers[i], &only_second);
}

/* A child with the id of the thread that was selecting. */

static const char no_namespaces[] = "no PID namespaces here";

static void *fork_into_namespace(void *unused)
{
	pid_t child;

	wait_for_stage(1);
	child = namespace_fork();
	if (child == 0) {
		before_pointer = NULL;
		alarm(UNIT_CHILD_SECONDS / 2);
		unit_expect(thread_id() == atomic_load(&its_id), "the child has the selecting id");
		expect_in_use(&only_second, "the child makes its own selection");
		_exit(0);
	}
	if (child < 0)
		unit_skip_child(no_namespaces);
	unit_expect_child(child, "the child lives");
	atomic_store(&stage, 2);
	return unused;
}

static _Noreturn void be_process_one(void)
{
	pthread_t thread;

	alarm(UNIT_CHILD_SECONDS);
	atomic_store(&its_id, thread_id());
	unit_expect(!pthread_create(&thread, NULL, fork_into_namespace, NULL), "a thread");
	next = &only_second;
	before_pointer = let_fork;
	expect_answers(&only_second, "process 1 makes the first selection");
	pthread_join(thread, NULL);
	_exit(0);
}

TEST_IN_CHILD(forked_into_a_namespace)
{
	pid_t child;

	if (THREAD_SANITIZED)
		unit_skip_child("ThreadSanitizer does not support children of threads");
	child = namespace_fork();
	if (child == 0)
		be_process_one();
	if (child < 0)
		unit_skip_child(no_namespaces);
	unit_expect_child(child, "process 1 lives");
}

/* A signal handler over a selection can try no counter. This runs in the selecting thread, where a
 * handler would. */

static unsigned looks;

static void look_meanwhile(void)
{
	const char *const name = cpucycles_counter_name(0);
	struct cpucycles_counter counter = { .size = sizeof counter };
	long long (*read)(void) = NULL;

	unit_expect(cpucycles_counter_look(name, &counter) == -EAGAIN && !counter.name, "no look");
	unit_expect(cpucycles_counter_ready(name, &read) == -EAGAIN && !read, "none is ready");
	unit_expect(cpucycles_counter_lost(name) == 0, "but whether one is lost is known");
	looks++;
}

TEST_IN_CHILD(look_over_a_selection)
{
	behind_pointer = look_meanwhile;
	select_next(&first_slow);
	select_next(&only_second);
	behind_pointer = NULL;
	unit_expect(looks == 2, "the looks were made");
	expect_in_use(&only_second, "the selections too");
}

/* More selections than there are numbers. */

static const struct choice *in_use;

static void still_in_use(void)
{
	expect_answers(in_use, "during a selection the choice of before is in use");
}

TEST_IN_CHILD(numbers_end)
{
	static const struct choice *const turns[] = { &first_fast, &only_second, &first_slow };

	for (unsigned start = UINT_MAX - 3; start != 0; start++) {
		select_as(start, &first_slow);
		in_use = &first_slow;
		before_pointer = still_in_use;
		choices = 0;
		for (unsigned i = 0; i < 8; i++) {
			select_next(turns[i % 3]);
			in_use = turns[i % 3];
			expect_in_use(in_use, "a choice is in use behind the end of the numbers");
		}
		before_pointer = NULL;
		unit_expect(choices == 8, "no choice is made that nobody asked for");
	}
}

/* A thread that ends while it prints. */

static int saved_output;

static void trace_to_file(void)
{
	fflush(stdout);
	saved_output = dup(STDOUT_FILENO);
	unit_expect(freopen(unit_path("trace"), "w", stdout) != NULL, "a file for the trace");
	setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
	next = &first_slow;
}

/* Tables that have come to their end. */
static unsigned tables(void)
{
	char text[65536] = "", last[64];
	unsigned n = 0;
	FILE *file;

	fflush(stdout);
	file = fopen(unit_path("trace"), "r");
	unit_expect(file != NULL, "the trace can be read");
	text[fread(text, 1, sizeof text - 1, file)] = 0;
	fclose(file);
	snprintf(last, sizeof last, "cpucycles tracesetup %zu ", counters_count - 1);
	for (const char *p = text; (p = strstr(p, last)); p++)
		n++;
	return n;
}

static void trace_to_terminal(void)
{
	fflush(stdout);
	dup2(saved_output, STDOUT_FILENO);
}

static void *trace_and_end(void *unused)
{
	atomic_store(&its_id, thread_id());
	pthread_cancel(pthread_self()); /* at the first call that may wait, which printf makes */
	cpucycles_tracesetup();
	cpucycles_reselect();
	return unused;
}

/* The kernel takes its time after pthread_join. */
static void wait_until_gone(void)
{
	while (thread_exists(atomic_load(&its_id)))
		usleep(100);
}

TEST_IN_CHILD(cancelled_printer)
{
	pthread_t thread;
	void *end = NULL;
	unsigned n;

#ifndef __linux__
	unit_skip_child("threads that have ended are not known here");
#endif
	if (SANITIZED)
		unit_skip_child("sanitizers do not bear the end of a thread inside printf");
	trace_to_file();
	unit_expect(!pthread_create(&thread, NULL, trace_and_end, NULL), "a thread");
	pthread_join(thread, &end);
	n = tables();
	if (end == PTHREAD_CANCELED) {
		wait_until_gone();
		cpucycles_tracesetup();
		cpucycles_reselect();
	}
	trace_to_terminal();
	if (end != PTHREAD_CANCELED)
		unit_skip_child("this libc's printf does not let a thread be cancelled");
	unit_expect(n == 0, "the thread has ended in the middle of its table");
	unit_expect(tables() == 1, "the next table is printed whole");
}

static void *print_until_told(void *unused)
{
	atomic_store(&its_id, thread_id());
	atomic_store(&printer, thread_id());
	atomic_store(&stage, 1);
	wait_for_stage(2);
	return unused;
}

/* As while a thread waits for whoever reads what it prints: its table must not be written over. */
TEST_IN_CHILD(waiting_printer)
{
	pthread_t thread;
	unsigned meanwhile, afterwards;

#ifndef __linux__
	unit_skip_child("threads that have ended are not known here");
#endif
	trace_to_file();
	unit_expect(!pthread_create(&thread, NULL, print_until_told, NULL), "a thread");
	wait_for_stage(1);
	cpucycles_tracesetup();
	cpucycles_reselect();
	meanwhile = tables();
	atomic_store(&stage, 2);
	pthread_join(thread, NULL);
	wait_until_gone();
	cpucycles_reselect();
	afterwards = tables();
	trace_to_terminal();
	unit_expect(meanwhile == 0, "while one prints, no other does");
	unit_expect(afterwards == 1,
		    "when it has ended, the next selection prints what was asked for");
	unit_expect(atomic_load(&printer) == 0, "and then nobody prints");
}

UNIT_MAIN("entry", unit_folder_make, unit_folder_remove)
