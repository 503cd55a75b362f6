/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "os/perfevent.h"
#include "guard.h"
#include "hot.h"
#include "os/clock.h"
#include "os/perfevent-set.h"
#include "thread.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

_Thread_local struct perfevent perfevent_this TLS_MODEL;
HOT struct perfevent_kinds perfevent_chosen;
HOT uint64_t perfevent_multiplier;
static HOT atomic_uint setups;

COLD void perfevent_choose(const struct perfevent_kinds *wanted)
{
	perfevent_chosen = *wanted;
	atomic_fetch_add(&setups, 1);
}

/* The life of a thread's events */

/* Under the guard, because a sandbox may have come since the events were opened. Where the guard
 * cannot be had, they stay. */
COLD static void thread_ends(void *argument)
{
	struct perfevent *event = argument;
	struct guard guard;

	event->ended = true;
	if (guard_acquire(&guard) != LOCK_TAKEN)
		return;
	if (guard_install(&guard, GUARD_BASE))
		guard_call(perfevent_set_call_end, event);
	guard_release(&guard);
}

COLD int perfevent_open(void)
{
	struct perfevent *event = &perfevent_this;
	int error;

	perfevent_set_release(event);
	event->base = event->last;
	error = perfevent_set_open(event, &perfevent_chosen);
	if (error) /* as on most machines: the handler for the thread's end is then not needed */
		return error;
	error = perfevent_process_enter(thread_ends, event);
	if (error) {
		perfevent_set_close(event);
		return error;
	}
	event->process = perfevent_process_number();
	event->setup = atomic_load(&setups);
	event->page_error = perfevent_chosen.by_call ? 0 : perfevent_set_map(event);
	return 0;
}

COLD bool perfevent_lost(void)
{
	return !perfevent_process_is_foreign(perfevent_this.process) && perfevent_this.n == 0;
}

/* The first read of a thread or of a process */

COLD static void call_open(void *error)
{
	perfevent_set_begin();
	*(int *)error = perfevent_open();
}

/* From here on, cycles are made from the clock. process is last: a signal handler in between begins
 * anew. */
static void start_clock(struct perfevent *event)
{
	event->readable = event->n = 0;
	clock_by_syscall(&event->start_ns);
	event->base = event->last;
	event->process = perfevent_process_number();
}

/*
 * The thread is a guest (thread.h): it counts in its parent's struct perfevent. It opens no event,
 * because the descriptor would not be its parent's, and changes nothing but what its parent sets
 * anew before its next read.
 */
static void start_guest(struct perfevent *event)
{
	event->readable = 0; /* the pages are its grandparent's, and not mapped here */
	if (event->n > 0 || event->start_ns)
		return;
	event->base = event->last;
	clock_by_syscall(&event->start_ns);
}

/* Under the guard, because a sandbox may have come since the selection. */
COLD static void open_or_start_clock(struct perfevent *event)
{
	struct guard guard;
	enum lock_answer answer = guard_acquire(&guard);
	int error = -EAGAIN;

	if (answer == LOCK_TAKEN) {
		if (!guard_install(&guard, GUARD_BASE)) {
			error = -EFAULT;
		} else if (guard_call(call_open, &error)) {
			error = -EFAULT;
			guard_call(perfevent_set_call_close, NULL);
		}
		guard_release(&guard);
	} else if (answer == LOCK_NESTED) {
		call_open(&error);
	}
	if (answer == LOCK_GUEST) {
		start_guest(event);
	} else if (error) {
		/* Descriptors that were not closed under the guard stay open: a sandbox may trap
		 * the ioctl that tells whether they are lost. */
		start_clock(event);
	}
}

void perfevent_renew(void)
{
	struct perfevent *event = &perfevent_this;
	int saved_errno = errno;

	if (event->ended)
		start_clock(event);
	else
		open_or_start_clock(event);
	errno = saved_errno;
}

COLD void perfevent_closed(void)
{
	perfevent_this.readable = 0;
}

/* Reading without a register */

/* The kernel gives the event's id with the count: a file that got a lost descriptor's number has
 * something else to give. */
static bool add_count(const struct perfevent *event, unsigned i, uint64_t *sum)
{
	uint64_t answer[2];

	/* libc's read would be a cancellation point. */
	if (syscall(SYS_read, event->fds[i], answer, sizeof answer) != sizeof answer ||
	    answer[1] != event->ids[i])
		return false;
	*sum += answer[0];
	return true;
}

/* Each count only grows, so their sum does, wherever the thread goes between the reads. */
static bool read_counts(const struct perfevent *event, uint64_t *sum)
{
	*sum = 0;
	for (unsigned i = 0; i < event->n; i++)
		if (!add_count(event, i, sum))
			return false;
	return event->n > 0;
}

long long perfevent_read(struct perfevent *event)
{
	int saved_errno = errno;
	uint32_t changes;
	uint64_t raw, now;
	bool done;

	do {
		if (event->process == 0) /* a signal handler over this read has released them */
			perfevent_renew();
		changes = event->changes;
		done = read_counts(event, &raw);
	} while (event->changes != changes);
	if (done)
		return perfevent_advance(event, (long long)raw);
	if (event->n > 0) {                         /* a descriptor is lost */
		if (thread_is_guest(thread_id())) { /* its parent may still have it open */
			errno = saved_errno;
			return event->last;
		}
		perfevent_set_release(event);
		start_clock(event);
	}
	clock_by_syscall(&now);
	errno = saved_errno;
	return perfevent_advance(event,
				 clock_cycles_since(event->start_ns, now, &perfevent_multiplier));
}

/* If the new ones cannot be opened, the old ones stay. */
COLD static void call_replace(void *argument)
{
	struct perfevent *event = argument;

	perfevent_set_begin();
	if (perfevent_set_try(&perfevent_chosen))
		return;
	perfevent_read(event);
	perfevent_open();
}

COLD static void replace(struct perfevent *event)
{
	int saved_errno = errno;
	struct guard guard;

	if (guard_acquire(&guard) == LOCK_TAKEN) {
		event->setup = atomic_load(&setups); /* once for each setup, also if this fails */
		if (guard_install(&guard, GUARD_BASE) && guard_call(call_replace, event))
			guard_call(perfevent_set_call_close, NULL);
		guard_release(&guard);
	}
	errno = saved_errno;
}

long long perfevent_read_without_register(struct perfevent *event)
{
	if (event->n > 0 && event->setup != atomic_load(&setups))
		replace(event);
	return perfevent_read(event);
}
