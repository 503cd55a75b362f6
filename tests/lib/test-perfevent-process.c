/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The number of a process, and the end of its threads. Each test is a process of its own, because
 * a process begins only once. */

#include "config.h"

#include "unit.h"
#include "os/perfevent-process.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

#define ROUNDS 20000
#define DELAYS 200
#define KEYS_MAX 2000 /* more than a process can have */
#define FIRST_KEYS 32
#define EARLY "TEST_KEYS_EARLY" /* in the environment: take keys before the library does */

static pthread_key_t early_keys[FIRST_KEYS];

/* Of this program's constructors, those with a number are the first. */
__attribute__((constructor(101))) static void take_keys_early(void)
{
	for (int i = 0; getenv(EARLY) && i < FIRST_KEYS; i++)
		pthread_key_create(&early_keys[i], NULL);
}

static bool all_taken;

/* Of this program's destructors, those with a number are the last. */
__attribute__((destructor(101))) static void expect_key_deleted(void)
{
	pthread_key_t key;

	unit_expect(!all_taken || !pthread_key_create(&key, NULL),
		    "the library has deleted its key when it is unloaded");
}

static atomic_int ended;

static void thread_ends(void *argument)
{
	atomic_fetch_add(&ended, *(const int *)argument);
}

/* Where another libc, or an older kernel, has no such page there is nothing to test. */
static uint32_t enter(void)
{
	static const int main_thread = 0;
	const int error = perfevent_process_enter(thread_ends, (void *)(uintptr_t)&main_thread);

	unit_expect(error != -ENOBUFS, "there is a key");
	if (error)
		unit_skip_child("perfevent_process_enter: %s", strerror(-error));
	return perfevent_process_number();
}

/* qemu-user accepts MADV_WIPEONFORK and does nothing. */
static bool wipes_on_fork(void)
{
	const size_t size = perfevent_process_page_size();
	int *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status = -1;
	pid_t pid;

	unit_expect(page != MAP_FAILED && !madvise(page, size, MADV_WIPEONFORK), "a page");
	*page = 1;
	pid = fork();
	if (pid == 0)
		_exit(*page);
	waitpid(pid, &status, 0);
	munmap(page, size);
	return status == 0;
}

static void expect_child(void (*run)(uint32_t parents), uint32_t parents)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0) {
		alarm(UNIT_CHILD_SECONDS / 2);
		run(parents);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	unit_expect(status == 0, "the child lives");
}

static void expect_new_number(uint32_t parents)
{
	uint32_t number;

	unit_expect(perfevent_process_is_foreign(parents), "a child is not its parent");
	number = perfevent_process_number();
	unit_expect(number != 0 && number != parents, "a child has a number of its own");
	unit_expect(!perfevent_process_is_foreign(number), "which is its number from then on");
	unit_expect(perfevent_process_number() == number, "and stays it");
}

static void expect_descendants(uint32_t parents)
{
	expect_child(expect_new_number, parents); /* while this process has no number yet */
	expect_new_number(parents);
	expect_child(expect_new_number, perfevent_process_number());
}

TEST_IN_CHILD(numbers)
{
	uint32_t number;

	unit_expect(perfevent_process_is_foreign(0), "0 is no process's number, at the start");
	number = enter();
	if (!wipes_on_fork())
		unit_skip_child("a page is not emptied in a child here");
	unit_expect(number != 0 && !perfevent_process_is_foreign(number), "a process has a number");
	unit_expect(perfevent_process_is_foreign(0), "0 is no process's number");
	unit_expect(enter() == number, "which stays when another thread enters");
	expect_child(expect_descendants, number);
	unit_expect(!perfevent_process_is_foreign(number), "and when it has children");
}

/* Two threads of a child take its number at once. The page is emptied by hand, because so many
 * children would take too long. */

static atomic_int rounds, answers;
static uint32_t its;

static void *take_numbers(void *unused)
{
	for (int i = 1; i <= ROUNDS; i++) {
		while (atomic_load(&rounds) != i)
			sched_yield();
		its = perfevent_process_number();
		atomic_store(&answers, i);
	}
	return unused;
}

TEST_IN_CHILD(numbers_at_once)
{
	pthread_t thread;

	enter();
	unit_expect(!pthread_create(&thread, NULL, take_numbers, NULL), "a thread");
	for (int i = 1; i <= ROUNDS; i++) {
		uint32_t mine;

		atomic_store(perfevent_process_page, 0);
		atomic_store(&rounds, i);
		/* The other thread sees that later, by a time that is not known. */
		for (volatile int wait = i % DELAYS; wait > 0; wait--)
			;
		mine = perfevent_process_number();
		while (atomic_load(&answers) != i)
			sched_yield();
		unit_expect(mine == its, "threads of one process have the same number");
		unit_expect(!perfevent_process_is_foreign(mine), "which is the process's");
	}
	pthread_join(thread, NULL);
}

static void *enter_and_end(void *argument)
{
	unit_expect(!perfevent_process_enter(thread_ends, argument), "a thread enters");
	unit_expect(atomic_load(&ended) == 0, "and has not ended");
	return NULL;
}

TEST_IN_CHILD(ends)
{
	static int thread = 7;
	pthread_t other;

	enter();
	unit_expect(!pthread_create(&other, NULL, enter_and_end, &thread), "a thread");
	pthread_join(other, NULL);
	unit_expect(atomic_load(&ended) == 7, "its end is told, with its argument, once");
}

/* Returns how many keys the program has made; the last one is *key. */
static int take_keys(int most, pthread_key_t *key)
{
	int taken = 0;

	while (taken < most && !pthread_key_create(key, NULL))
		taken++;
	return taken;
}

/* glibc's first 32 keys are kept in place, and the program has made more before its first call. */
TEST_IN_CHILD(keys_before)
{
	static int argument = 7;
	pthread_t thread;
	pthread_key_t key;

	unit_expect(take_keys(FIRST_KEYS, &key) == FIRST_KEYS, "the program has keys");
	enter();
	unit_expect(!pthread_create(&thread, NULL, enter_and_end, &argument), "a thread");
	pthread_join(thread, NULL);
	unit_expect(atomic_load(&ended) == 7, "its end is told");
}

/* The program has made keys before the library was loaded. A key that needs allocated memory in
 * each thread is not used. */
static void expect_keys(void)
{
	static const int argument = 0;
	void *const pointer = (void *)(uintptr_t)&argument;
	pthread_key_t key;
	int taken = take_keys(KEYS_MAX, &key), error;

	unit_expect(taken > 0 && taken < KEYS_MAX, "the program has all keys");
	unit_expect(perfevent_process_enter(thread_ends, pointer) == -EAGAIN, "none is left");
	unit_expect(!pthread_key_delete(key), "but one, the last");
	error = perfevent_process_enter(thread_ends, pointer);
#if defined(__GLIBC__)
	unit_expect(error == -ENOBUFS, "which glibc does not keep in place");
	unit_expect(!pthread_key_delete(early_keys[0]), "one of the first");
	error = perfevent_process_enter(thread_ends, pointer);
	all_taken = take_keys(KEYS_MAX, &key) == 1;
	unit_expect(all_taken, "the other was given back");
#endif
	unit_expect(error == 0 || error == -EINVAL, "is used");
}

TEST_IN_CHILD(keys_early)
{
	char *const arguments[] = { (char *)(uintptr_t)EARLY, NULL };

	setenv(EARLY, "yes", 1);
	execv("/proc/self/exe", arguments);
	unit_skip_child("this program cannot start itself: %s", strerror(errno));
}

int main(void)
{
	if (getenv(EARLY)) {
		expect_keys();
		return 0;
	}
	return unit_run("perfevent-process", NULL, NULL);
}
