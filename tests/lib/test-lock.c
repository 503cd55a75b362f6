/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "faults.h"
#include "lock.h"
#include "namespaces.h"
#include "os/clock.h"
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

#define THREADS 8
#define ROUNDS 5000

/* Why a test of owners that are gone is skipped: only os/thread-linux.c can ask whether a thread
 * exists. */
#define NOT_LINUX "no owner that is gone is seen here: not Linux"

static struct lock lock;
static unsigned long total; /* not atomic: the lock has to do */

TEST(take_and_release)
{
	assert_int_equal(lock_take(&lock), LOCK_TAKEN);
	assert_int_equal(lock_take(&lock), LOCK_NESTED);
	assert_int_equal(lock_take(&lock), LOCK_NESTED);
	lock_release(&lock);
	assert_int_equal(lock_take(&lock), LOCK_TAKEN);
	lock_release(&lock);
}

static void *count(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (lock_take(&lock) != LOCK_TAKEN)
			return &lock;
		total++;
		lock_release(&lock);
	}
	return unused;
}

/* Whether each of several threads got the lock each time, and nobody beside it. */
static bool contend(void)
{
	pthread_t threads[THREADS];
	bool all = true;

	total = 0;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, count, NULL))
			return false;
	for (int i = 0; i < THREADS; i++) {
		void *failed;

		pthread_join(threads[i], &failed);
		all = all && !failed;
	}
	return all && total == THREADS * ROUNDS;
}

TEST(contention)
{
	assert_true(contend());
}

#ifdef __linux__

/* A sandbox refuses gettid(2). The threads have ids of their own nevertheless, so that only one at
 * a time gets the lock. */
TEST_IN_CHILD(refused_ids)
{
	const int id = thread_id();

	if (sandbox(SYS_gettid, SECCOMP_RET_ERRNO | EPERM))
		unit_skip_child("no seccomp filter here");
	unit_expect(syscall(SYS_gettid) < 0, "no id from the kernel");
	unit_expect(thread_id() == id, "the same id from libc");
	unit_expect(contend(), "one owner at a time");
}

static void *take_and_stay(void *taken)
{
	if (lock_take(&lock) == LOCK_TAKEN)
		atomic_store((atomic_int *)taken, 1);
	for (;;)
		pause();
	return NULL;
}

/* A sandbox refuses the clock. Waiting has an end nevertheless, and here it takes no time, because
 * the waits are refused, too. */
static void refused_clock_child(void)
{
	static const long calls[] = {
#ifdef SYS_clock_gettime
		SYS_clock_gettime,
#endif
#ifdef SYS_clock_gettime64
		SYS_clock_gettime64,
#endif
#ifdef SYS_futex
		SYS_futex,
#endif
#ifdef SYS_futex_time64
		SYS_futex_time64,
#endif
#ifdef SYS_nanosleep
		SYS_nanosleep,
#endif
#ifdef SYS_clock_nanosleep
		SYS_clock_nanosleep,
#endif
#ifdef SYS_clock_nanosleep_time64
		SYS_clock_nanosleep_time64,
#endif
	};
	static atomic_int taken;
	pthread_t thread;
	uint64_t ns;

	unit_expect(!pthread_create(&thread, NULL, take_and_stay, &taken), "a thread");
	while (!atomic_load(&taken))
		sched_yield();
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
		if (sandbox(calls[i], SECCOMP_RET_ERRNO | EPERM))
			unit_skip_child("no seccomp filter here");
	unit_expect(clock_by_syscall(&ns) < 0, "no clock");
	unit_expect(lock_take(&lock) == LOCK_TIMEOUT, "the waiting ends");
}

TEST(refused_clock)
{
	if (SANITIZED)
		unit_skip("a sanitizer's own code waits, too");
	unit_child_passes(refused_clock_child);
}

#endif

static void *take_and_end(void *unused)
{
	lock_take(&lock);
	return unused;
}

/* Nobody waits for an owner whose thread has ended. */
TEST(abandoned)
{
	pthread_t thread;

#ifndef __linux__
	unit_skip(NOT_LINUX);
#endif
	assert_int_equal(pthread_create(&thread, NULL, take_and_end, NULL), 0);
	pthread_join(thread, NULL);
	assert_int_equal(lock_take(&lock), LOCK_TAKEN);
	lock_release(&lock);
}

static void child_of_owner(void)
{
	/* The owner's id is no thread of this process. */
	unit_expect(lock_take(&lock) == LOCK_TAKEN, "a child takes its parent's lock");
	lock_release(&lock);
}

TEST(forked)
{
#ifndef __linux__
	unit_skip(NOT_LINUX);
#endif
	assert_int_equal(lock_take(&lock), LOCK_TAKEN);
	unit_child_passes(child_of_owner);
	assert_int_equal(lock_take(&lock), LOCK_NESTED);
	lock_release(&lock);
}

/* A child of vfork gets no lock: its parent would take it for gone, and it would take every owner
 * for gone. */

static volatile int guest_answer;

__attribute__((noinline)) static pid_t vfork_and_take(void)
{
	pid_t child = vfork();

	if (child == 0) {
		guest_answer = (int)lock_take(&lock);
		_exit(0);
	}
	return child;
}

static void vforked_child(void)
{
	int status = -1;
	pid_t child;

	guest_answer = -1;
	child = vfork_and_take();
	waitpid(child, &status, 0);
	unit_expect(status == 0, "the child lives");
	if (guest_answer == -1)
		unit_skip_child("vfork is a fork here");
	unit_expect(guest_answer == LOCK_GUEST, "it gets nothing");
	unit_expect(lock_take(&lock) == LOCK_TAKEN, "its parent does");
	lock_release(&lock);
}

TEST(vforked)
{
#ifndef __linux__
	unit_skip(NOT_LINUX);
#endif
	unit_child_passes(vforked_child);
}

#ifdef __linux__

/* A child of clone(2) with memory of its own, which libc does not know of, is a process like any
 * other. */
TEST_IN_CHILD(cloned)
{
	int status = -1;
	pid_t child;
#if defined(__s390x__) /* the stack comes first: clone(2) */
	child = (pid_t)syscall(SYS_clone, 0L, SIGCHLD, NULL, NULL, 0L);
#else
	child = (pid_t)syscall(SYS_clone, SIGCHLD, 0L, NULL, NULL, 0L);
#endif
	if (child == 0) {
		long order = syscall(SYS_kcmp, syscall(SYS_gettid), getppid(), 1, 0, 0);

		if (order < 0)
			unit_skip_child("no kcmp(2) here");
		_exit(lock_take(&lock) != LOCK_TAKEN);
	}
	waitpid(child, &status, 0);
	if (unit_child_skipped(status))
		_exit(UNIT_CHILD_SKIPPED);
	unit_expect(status == 0, "it gets the lock");
}

#endif

/* In a PID namespace of its own, a child may have the id of an owner that fork did not copy. */

static pid_t fork_into_namespace(void)
{
	pid_t child;

	fflush(stdout);
	child = namespace_fork();
	if (child < 0)
		unit_skip_child("no PID namespaces here");
	return child;
}

/* The thread has had a lock itself, and given it back. */
static void *fork_beside_owner(void *unused)
{
	static struct lock earlier;
	pid_t child;

	unit_expect(lock_take(&earlier) == LOCK_TAKEN, "another lock");
	lock_release(&earlier);
	child = fork_into_namespace();
	if (child == 0) {
		unit_expect(lock.owner == thread_id(), "the child has the owner's id");
		unit_expect(lock_take(&lock) == LOCK_TAKEN, "and is not the owner");
		unit_expect(lock_take(&lock) == LOCK_NESTED, "until it takes the lock");
		lock_release(&lock);
		unit_expect(lock_take(&lock) == LOCK_TAKEN, "and again");
		_exit(0);
	}
	unit_expect_child(child, "another thread's child gets the lock");
	return unused;
}

/* As after clone(2) in a signal handler over the owner, whose work goes on in the child too. */
static void fork_as_owner(void)
{
	pid_t child = fork_into_namespace();

	if (child == 0) {
		unit_expect(lock.owner == thread_id(), "the child has the owner's id");
		_exit(lock_take(&lock) != LOCK_NESTED);
	}
	unit_expect_child(child, "a child of the owner's own thread is the owner");
}

static _Noreturn void be_process_one(void)
{
	pthread_t thread;

	alarm(UNIT_CHILD_SECONDS);
	unit_expect(thread_id() == 1, "the first thread of a namespace has the id 1");
	unit_expect(lock_take(&lock) == LOCK_TAKEN, "process 1 gets the lock");
	unit_expect(!pthread_create(&thread, NULL, fork_beside_owner, NULL), "a thread");
	pthread_join(thread, NULL);
	fork_as_owner();
	unit_expect(lock_take(&lock) == LOCK_NESTED, "process 1 is still the owner");
	_exit(0);
}

TEST_IN_CHILD(namespaced)
{
	pid_t child;

	if (THREAD_SANITIZED)
		unit_skip_child("ThreadSanitizer does not support children of threads");
	child = fork_into_namespace();
	if (child == 0)
		be_process_one();
	unit_expect_child(child, "process 1 of a namespace");
}

TEST(mine)
{
	assert_false(lock_is_mine(&lock));
	assert_int_equal(lock_take(&lock), LOCK_TAKEN);
	assert_true(lock_is_mine(&lock));
	assert_int_equal(lock_take(&lock), LOCK_NESTED);
	assert_true(lock_is_mine(&lock));
	lock_release(&lock);
	assert_false(lock_is_mine(&lock));
}

TEST(ids)
{
	assert_true(thread_id() > 0);
	assert_int_equal(thread_id(), thread_id());
	assert_true(thread_exists(thread_id()));
}

UNIT_MAIN("lock", NULL, NULL)
