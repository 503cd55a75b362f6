/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "take.h"
#include "raw-clock.h"
#include "statistics.h"

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#ifdef HAVE_SYS_SINGLE_THREADED_H
#include <sys/single_threaded.h>
#endif

/* Samples of an empty function, to estimate the overhead of a reading. */
#define EVENT_OVERHEAD_SAMPLES 51

/* Samples of an empty function, to estimate the time of the loop and the calls. They take at most
 * budget / LOOP_PART. */
#define LOOP_SAMPLES 11
#define LOOP_PART 40

/* Whether the counter stepped back from one read to the next. */
static void see_order(struct watch *watch, const struct source *source, int64_t from, int64_t to)
{
	double back;

	if (to >= from)
		return;
	back = (double)(from - to) * source->units;
	watch->backwards++;
	if (back > watch->worst)
		watch->worst = back;
}

/* The events are read around the pair, so they do not count in its units. Not inlined, so that an
 * empty function is counted by the same instructions as each work. */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
static struct pair
take_pair(const struct setting *s, struct track *track, unsigned batch, double event_sums[])
{
	struct events *const events = event_sums ? s->run->events : NULL;
	const struct cpucycles_work *const work = &track->work;
	struct pair pair;

	if (events)
		events_start(events);
	pair = pair_take(s->source, work->call, work->context, batch);
	/* Before any code that copies memory: that would go backwards, and crash. */
	if (state_clear_direction())
		track->unrestored.direction = true;
	if (!events)
		return pair;
	events_stop(events, event_sums);
	if (events->cycles_by_meter)
		event_sums[events->n] += (double)(pair.end - pair.begin) * s->source->units;
	return pair;
}

/* Tell a process that watches this one which work is called, and that there is progress. */
static void announce(struct run *run, const struct track *track)
{
	const size_t pairs = atomic_load_explicit(&run->pairs, memory_order_relaxed);

	atomic_store_explicit(&run->at, track->number, memory_order_relaxed);
	atomic_store_explicit(&run->pairs, pairs + 1, memory_order_relaxed);
}

/* Let the work make its input anew. What that leaves is what the work begins with, as with a
 * _setup: the work is not blamed for it. */
static struct state call_before(const struct setting *s, struct track *track)
{
	if (!track->work.before)
		return track->state;
	atomic_store_explicit(&s->run->prepares, 1, memory_order_relaxed);
	track->work.before(track->work.context);
	atomic_store_explicit(&s->run->prepares, 0, memory_order_relaxed);
	state_clear_direction();
	if (!track->called)
		take_see_mask(s);
	return state_get();
}

/* A pair in the state of the work's own file. The next work finds nothing of it. */
static struct pair take_pair_apart(const struct setting *s, struct track *track, unsigned batch,
				   double event_sums[])
{
	struct state before, after;
	struct pair pair;

	if (!state_is(&track->state, &s->own))
		state_set(&track->state);
	before = call_before(s, track);
	track->called = true;
	pair = take_pair(s, track, batch, event_sums);
	after = state_get();
	unrestored_look(&track->unrestored, &before, &after);
	if (!state_is(&after, &s->own))
		state_set(&s->own);
	return pair;
}

double take_sample(struct setting *s, struct track *track, unsigned batch, double event_sums[])
{
	struct pair pair;
	double units;

	announce(s->run, track);
	pair = take_pair_apart(s, track, batch, event_sums);
	units = (double)(pair.end - pair.begin) * s->source->units;
	see_order(&s->run->watch, s->source, s->last, pair.begin);
	see_order(&s->run->watch, s->source, pair.begin, pair.end);
	s->last = pair.end;
	s->moved = pair.moved;
	return (units - s->instrument->overhead) / batch;
}

static void empty(void *unused)
{
	(void)unused;
}

/* The overhead of a sample's events: the reading, the pair, and the calls. The median,
 * because one interrupted sample would spoil a mean. */
static void find_event_overhead(const struct setting *s)
{
	struct track track = { .work = { .name = "empty", .call = empty } };
	double *const values = s->run->scratch; /* of each event all samples */
	double sums[EVENTS_SUMS] = { 0 };
	const uint64_t end = raw_clock_ns() + s->budget_ns / LOOP_PART;
	size_t n = 0;

	if (!s->run->events)
		return;
	take_pair(s, &track, s->run->iterations, sums); /* may bring its code into memory */
	while (n < EVENT_OVERHEAD_SAMPLES &&
	       (n == 0 || s->run->iterations == 1 || raw_clock_ns() < end)) {
		memset(sums, 0, sizeof sums);
		take_pair(s, &track, s->run->iterations, sums);
		for (size_t e = 0; e < EVENTS_SUMS; e++)
			values[e * EVENT_OVERHEAD_SAMPLES + n] = sums[e];
		n++;
	}
	for (size_t e = 0; e < EVENTS_SUMS; e++)
		s->run->event_overhead[e] =
			statistics_median(values + e * EVENT_OVERHEAD_SAMPLES, n);
}

_Static_assert(EVENTS_SUMS *EVENT_OVERHEAD_SAMPLES <= INSTRUMENT_PAIRS,
	       "they fit into the scratch");

/* How long a batch of an empty function takes: what the loop and the calls take by themselves. */
static void find_loop_overhead(const struct setting *s)
{
	struct track track = { .work = { .name = "empty", .call = empty } };
	const uint64_t end = raw_clock_ns() + s->budget_ns / LOOP_PART;
	double values[LOOP_SAMPLES];
	size_t n = 0;

	if (s->run->iterations == 1)
		return;
	take_pair(s, &track, s->run->iterations, NULL); /* the processor learns where it goes */
	while (n < LOOP_SAMPLES && (n == 0 || raw_clock_ns() < end)) {
		const struct pair pair = take_pair(s, &track, s->run->iterations, NULL);

		values[n++] = (double)(pair.end - pair.begin) * s->source->units;
	}
	/* The shortest one, because the others may have been interrupted. */
	statistics_sort(values, n);
	s->run->loop = (values[0] - s->instrument->overhead) / s->run->iterations;
}

static uint64_t ns_of(clockid_t clock)
{
	struct timespec time = { 0 };

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t take_cpu_ns(void)
{
	return ns_of(CLOCK_THREAD_CPUTIME_ID);
}

/* Source: getrusage(2), of this thread where the system can tell that apart. */
static struct rusage counts_of_thread(void)
{
	struct rusage counts = { 0 };

#if HAVE_DECL_RUSAGE_THREAD
	getrusage(RUSAGE_THREAD, &counts);
#endif
	return counts;
}

/* The kernel gives the CPU to another thread at the end of a system call above all. So the system
 * calls are outside of the time. */
struct usage take_usage_before(void)
{
	struct usage usage = { .interruptions = counts_of_thread().ru_nivcsw };

	usage.cpu_ns = take_cpu_ns();
	usage.wall_ns = ns_of(CLOCK_MONOTONIC);
	return usage;
}

struct usage take_usage_after(void)
{
	struct usage usage = { .wall_ns = ns_of(CLOCK_MONOTONIC) };

	usage.cpu_ns = take_cpu_ns();
	usage.interruptions = counts_of_thread().ru_nivcsw;
	return usage;
}

double take_own_part(const struct usage *before, const struct usage *after)
{
	const uint64_t cpu_ns = after->cpu_ns - before->cpu_ns;
	const uint64_t wall_ns = after->wall_ns - before->wall_ns;

	if (after->interruptions == before->interruptions)
		return 1;
	return cpu_ns > 0 && cpu_ns < wall_ns ? (double)cpu_ns / (double)wall_ns : 1;
}

long take_faults(void)
{
	const struct rusage counts = counts_of_thread();

	return counts.ru_minflt + counts.ru_majflt;
}

struct waits take_waits(void)
{
	struct rusage children = { 0 };

	getrusage(RUSAGE_CHILDREN, &children);
	return (struct waits){ counts_of_thread().ru_nvcsw, children.ru_minflt };
}

#ifdef HAVE_SYS_SINGLE_THREADED_H

bool take_may_wait(const struct waits *begin)
{
	const struct waits now = take_waits();
	siginfo_t child = { 0 };

	return now.own != begin->own || now.children != begin->children ||
	       !__libc_single_threaded || !waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT);
}

#else

bool take_may_wait(const struct waits *begin)
{
	(void)begin;
	return true; /* libc does not tell how many threads there are */
}

#endif

void take_overheads(const struct setting *s)
{
	find_event_overhead(s);
	find_loop_overhead(s);
}
