/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "os/perfevent-set.h"
#include "hot.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Events get descriptors from here on, or from half the soft limit on if that is less. */
#define HIGH_DESCRIPTOR 500

/* A descriptor that is open and does not yet belong to a struct perfevent; -1: none. A sandbox may
 * end the opening with a signal in between. */
static HOT int underway = -1;

/* Descriptors */

static int event_open(struct perf_event_attr *attr)
{
	return (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The lowest number that an event may have. The numbers below stay the program's, however many of
 * its threads count. */
static int lowest_descriptor(void)
{
	struct {
		uint64_t soft, hard;
	} limit; /* the kernel's struct rlimit64 */
	uint64_t lowest = HIGH_DESCRIPTOR;

	/* getrlimit would be one more symbol to look up when the library is loaded. */
	if (!syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &limit) && limit.soft < 2 * lowest)
		lowest = limit.soft - limit.soft / 2;
	return lowest > STDERR_FILENO ? (int)lowest : STDERR_FILENO + 1;
}

/*
 * Give the descriptor a number that no other open() gets soon. A program may close all descriptors
 * that it does not know, and then open its own. If the first of these had the event's number, a
 * read of the event would take data out of it.
 */
static int move_up(void)
{
	const int low = underway, high = fcntl(low, F_DUPFD_CLOEXEC, lowest_descriptor());

	if (high < 0)
		return errno == EINVAL ? -EMFILE : -errno; /* EINVAL: the limit is lower still */
	underway = high;
	close(low);
	return 0;
}

/* An event that counts in user space, or also in the kernel if the PMU cannot leave that out. */
static int open_event(const struct perfevent_kind *kind)
{
	struct perf_event_attr attr = {
		.type = kind->type,
		.size = sizeof attr,
		.config = kind->config,
		.config1 = kind->config1,
		.read_format = PERF_FORMAT_ID,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	underway = event_open(&attr);
	if (underway < 0 && (errno == EINVAL || errno == EOPNOTSUPP)) {
		attr.exclude_kernel = attr.exclude_hv = 0;
		underway = event_open(&attr);
	}
	return underway < 0 ? -errno : move_up();
}

static void close_underway(void)
{
	if (underway >= 0)
		close(underway);
	underway = -1;
}

static int open_one(struct perfevent *event, const struct perfevent_kind *kind)
{
	unsigned i = event->n;
	int error = open_event(kind);

	if (!error && ioctl(underway, PERF_EVENT_IOC_ID, &event->ids[i]))
		error = -errno;
	if (error) {
		close_underway();
		return error;
	}
	event->fds[i] = underway;
	event->n++;
	underway = -1;
	return 0;
}

static bool is_lost(const struct perfevent *event, unsigned i)
{
	uint64_t id;

	return ioctl(event->fds[i], PERF_EVENT_IOC_ID, &id) || id != event->ids[i];
}

/* The same, if a sandbox lets nobody ask: then the event may well be there. */
static bool is_known_lost(const struct perfevent *event, unsigned i)
{
	errno = 0;
	return is_lost(event, i) && errno != EPERM && errno != EACCES && errno != ENOSYS;
}

COLD void perfevent_set_close(struct perfevent *event)
{
	while (event->n > 0) {
		unsigned i = --event->n;

		if (!is_lost(event, i))
			close(event->fds[i]);
	}
}

COLD int perfevent_set_open(struct perfevent *event, const struct perfevent_kinds *which)
{
	int error = 0;

	for (unsigned i = 0; i < which->n && !error; i++)
		error = open_one(event, &which->of[i]);
	if (error)
		perfevent_set_close(event);
	return error;
}

/* Pages */

static void *page_at(const struct perfevent *event, unsigned i)
{
	return (void *)(uintptr_t)event->pages[i];
}

/* Replace an event's page by one of zeros: its index, 0, names no register. */
static void empty_page(void *page)
{
	const size_t size = perfevent_process_page_size();

	if (mmap(page, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page)
		madvise(page, size, MADV_DONTFORK); /* as the kernel does with an event's page */
}

/* Map an event's page, in the place of the thread's earlier page if it had one. 0 or a negative
 * errno. */
static int map_page(struct perfevent *event, unsigned i)
{
	void *place = page_at(event, i);
	void *page = mmap(place, perfevent_process_page_size(), PROT_READ,
			  MAP_SHARED | (place ? MAP_FIXED : 0), event->fds[i], 0);
	const int error = page == MAP_FAILED ? -errno : 0;

	if (!error)
		event->pages[i] = page;
	else if (place)
		empty_page(place);
	return error;
}

COLD int perfevent_set_map(struct perfevent *event)
{
	int error = 0;

	event->pages_process = perfevent_process_number();
	event->mapped = event->n;
	for (unsigned i = 0; i < event->n; i++) {
		const int why = map_page(event, i);

		error = why ? why : error;
	}
	if (!error)
		event->readable = event->n;
	return error;
}

/* Pages of another process are not mapped in this one, where other memory may have their places. */
static void forget_foreign_pages(struct perfevent *event)
{
	if (perfevent_process_is_foreign(event->pages_process))
		memset(event->pages, 0, sizeof event->pages);
}

static void empty_pages(struct perfevent *event)
{
	forget_foreign_pages(event);
	for (unsigned i = 0; i < event->mapped; i++)
		if (event->pages[i])
			empty_page(page_at(event, i));
	event->mapped = 0;
}

static void unmap_pages(struct perfevent *event)
{
	forget_foreign_pages(event);
	for (unsigned i = 0; i < PERFEVENT_PMUS_MAX; i++) {
		if (event->pages[i])
			munmap(page_at(event, i), perfevent_process_page_size());
		event->pages[i] = NULL;
	}
	event->mapped = 0;
}

/* Sets */

/* The next read opens new events, also if a fault cuts this off, or if a signal handler has opened
 * some meanwhile: those are closed, too. */
static void forget_events(struct perfevent *event)
{
	event->process = 0;
	perfevent_set_close(event);
	event->process = 0;
}

COLD void perfevent_set_release(struct perfevent *event)
{
	event->readable = 0;
	event->changes++;
	empty_pages(event);
	forget_events(event);
}

COLD void perfevent_set_call_end(void *argument)
{
	struct perfevent *event = argument;

	event->readable = 0;
	unmap_pages(event);
	forget_events(event);
}

COLD bool perfevent_set_is_counting(const struct perfevent *event)
{
	unsigned i = 0;

	if (perfevent_process_is_foreign(event->process))
		return false;
	while (i < event->n && !is_known_lost(event, i))
		i++;
	return event->n > 0 && i == event->n;
}

/* Events that are opened to see whether that is possible. Not on a stack, so that those which a
 * fault has cut off can be closed. */
static struct perfevent tried;

COLD void perfevent_set_call_close(void *unused)
{
	(void)unused;
	close_underway();
	perfevent_set_close(&tried);
}

COLD void perfevent_set_begin(void)
{
	underway = -1;
}

COLD int perfevent_set_try(const struct perfevent_kinds *which)
{
	int error;

	memset(&tried, 0, sizeof tried);
	error = perfevent_set_open(&tried, which);
	perfevent_set_close(&tried);
	return error;
}
