/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Selections made again while threads have perf events. This is the whole library, with task clocks
 * for events of cycles (clock-events.h).
 */

#include "config.h"

#include "unit.h"
#include "cpucycles.h"
#include "clock-events.h"
#include "os/perfevent.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#define THREADS 8
#define ROUNDS 100
#define LIMIT 64 /* of descriptors */
#define KEYS 64  /* more than the 32 that glibc keeps in place */

static int rounds(void)
{
	const char *text = getenv("RESELECT_ROUNDS");
	const int n = text ? atoi(text) : ROUNDS;

	alarm(UNIT_CHILD_SECONDS + (unsigned)n / 50);
	return n;
}

static long long (*pointer(void))(void)
{
	return __atomic_load_n(&cpucycles, __ATOMIC_ACQUIRE);
}

/* The read of the first counter: a thread may go on to call it for as long as it likes. */
static long long (*event)(void);
static atomic_bool stop;
static atomic_ulong counts;

static void *count_on(void *unused)
{
	long long first = event(), last = first;
	const uint64_t id = perfevent_this.ids[0];

	/* Also until the count has moved: all selections may be made before this thread runs. */
	for (int i = 0; !atomic_load(&stop) || last == first; i++) {
		const long long next = event();

		unit_expect(next >= last, "a thread's counts never decrease");
		unit_expect(next > first || i < 1000000, "a thread's counts move");
		unit_expect(perfevent_this.n == 1 && perfevent_this.ids[0] == id,
			    "its event stays its event");
		last = next;
		pointer()();
		atomic_fetch_add(&counts, 1);
	}
	return unused;
}

TEST_IN_CHILD(beside_threads)
{
	static const char *const names[] = {
		EVENT, "default-monotonic", EVENT, EVENT, "default-zero", "none",
	};
	const unsigned before = unit_open_descriptors();
	const int n = rounds();
	pthread_t threads[THREADS];

	need_events();
	event = pointer();
	for (int i = 0; i < THREADS; i++)
		unit_expect(!pthread_create(&threads[i], NULL, count_on, NULL), "a thread");
	for (int i = 0; i < n; i++) {
		select_counter(names[(size_t)i % (sizeof names / sizeof names[0])]);
		cpucycles();
		if (i % 16 == 0)
			usleep(1000);
	}
	atomic_store(&stop, true);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	select_counter("default-monotonic");
	unit_expect(unit_open_descriptors() == before, "no descriptor is left");
	printf("# %d selections beside %d threads that counted %lu times\n", n, THREADS,
	       atomic_load(&counts));
}

/* A selection opens the events of the thread that makes it anew. */
TEST_IN_CHILD(own_count)
{
	long long last = 0;

	need_events();
	for (int i = 0; i < 100; i++) {
		for (int j = 0; j < 100; j++) {
			const long long next = cpucycles();

			unit_expect(next >= last, "the same again: the count goes on");
			last = next;
		}
		if (i % 3 == 0)
			select_counter("default-monotonic");
		unit_expect(i % 3 || perfevent_this.n == 0, "another: its event is closed");
		select_counter(EVENT);
	}
	unit_expect(last > 0, "and moves");
}

static void *count_twice(void *unused)
{
	const long long first = event();

	unit_expect(event() >= first, "a thread counts");
	return unused;
}

/* After a sandbox has come, another counter has to be selected. */
TEST_IN_CHILD(sandboxed)
{
	pthread_t thread;
	long long last;

	need_events();
	event = pointer();
	last = cpucycles();
	refused = true;
	cpucycles_reselect();
	printf("# %s\n", cpucycles_implementation());
	unit_expect(strcmp(cpucycles_implementation(), EVENT), "another counter");
	unit_expect(strcmp(cpucycles_implementation(), "default-zero"), "that counts");
	unit_expect(perfevent_this.n == 0, "the event is closed");
	unit_expect(event() >= last, "who still reads it goes on");
	pthread_create(&thread, NULL, count_twice, NULL);
	pthread_join(thread, NULL);
	refused = false;
	cpucycles_reselect();
	unit_expect(!strcmp(cpucycles_implementation(), EVENT), "and back");
	unit_expect(cpucycles() >= last, "the count goes on");
}

/* Where an event would have to take one of the program's lower descriptors, another counter is
 * selected. */
TEST_IN_CHILD(out_of_descriptors)
{
	struct rlimit limit;
	unsigned before;
	int fd, top = -1;

	need_events();
	select_counter("default-monotonic");
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = LIMIT;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		unit_skip_child("no limit of %d descriptors", LIMIT);
	while ((fd = fcntl(STDOUT_FILENO, F_DUPFD, LIMIT / 2)) >= 0)
		top = fd;
	before = unit_open_descriptors();
	unit_expect(before < LIMIT, "the lower half is not full");
	select_counter(EVENT);
	printf("# %s\n", cpucycles_implementation());
	unit_expect(strcmp(cpucycles_implementation(), EVENT), "another counter");
	unit_expect(strcmp(cpucycles_implementation(), "default-zero"), "that counts");
	unit_expect(unit_open_descriptors() == before, "no descriptor is left");
	close(top);
	cpucycles_reselect();
	unit_expect(!strcmp(cpucycles_implementation(), EVENT), "there is room: the event");
}

/* The program has made keys before its first call. */
TEST_IN_CHILD(keys)
{
	pthread_key_t key;

	if (unit_in_child(need_events))
		_exit(UNIT_CHILD_SKIPPED);
	for (int i = 0; i < KEYS; i++)
		unit_expect(!pthread_key_create(&key, NULL), "a key");
	select_counter(EVENT);
	unit_expect(!strcmp(cpucycles_implementation(), EVENT), "there is an event all the same");
}

UNIT_MAIN("reselect-events", NULL, NULL)
