/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Functions whose names begin with call_ are for guard_call: a sandbox may answer any of their
 * system calls with a signal, and then they end at that call.
 */

#include "config.h"

#include "os/perfevent.h"
#include "file.h"
#include "guard.h"
#include "hot.h"
#include "os/clock.h"
#include "os/core-pmus.h"
#include "thread.h"

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

_Thread_local struct perfevent perfevent_this TLS_MODEL;

/* What the last setup chose. While a counter over perf events is selected, the last setup is that
 * counter's. Only the holder of the guard uses the kinds. */
static HOT struct perfevent_kinds kinds;
static HOT atomic_uint setups;
static HOT uint64_t multiplier; /* from the clock to cycles */

/* Why the last page could not be mapped: a negative errno. 0: the pages are mapped, or none was to
 * be. Only the holder of the guard uses it. */
static HOT int page_error;

/* A descriptor that is open and does not yet belong to a struct perfevent; -1: none. A sandbox may
 * end the opening with a signal in between. */
static HOT int underway = -1;

/* Opening and closing descriptors */

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

static void call_close_underway(void *unused)
{
	(void)unused;
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
		call_close_underway(NULL);
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

/* All but those that are lost: their numbers belong to the program. */
static void close_descriptors(struct perfevent *event)
{
	while (event->n > 0) {
		unsigned i = --event->n;

		if (!is_lost(event, i))
			close(event->fds[i]);
	}
}

/* All or none: a sum without one of the events would stand still on some cores. */
static int open_descriptors(struct perfevent *event, const struct perfevent_kinds *which)
{
	int error = 0;

	for (unsigned i = 0; i < which->n && !error; i++)
		error = open_one(event, &which->of[i]);
	if (error)
		close_descriptors(event);
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

/* All pages are to be read or none, for the same reason as with descriptors. */
static void map_pages(struct perfevent *event)
{
	page_error = 0;
	if (kinds.by_call)
		return;
	event->pages_process = perfevent_process_number();
	event->mapped = event->n;
	for (unsigned i = 0; i < event->n; i++) {
		const int error = map_page(event, i);

		page_error = error ? error : page_error;
	}
	if (!page_error)
		event->readable = event->n;
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

/* Releasing a thread's events */

/* The next read opens new events, also if a fault cuts this off, or if a signal handler has opened
 * some meanwhile: those are closed, too. */
static void forget_events(struct perfevent *event)
{
	event->process = 0;
	close_descriptors(event);
	event->process = 0;
}

static void release(struct perfevent *event)
{
	event->readable = 0;
	event->changes++;
	empty_pages(event);
	forget_events(event);
}

COLD static void call_release_for_good(void *argument)
{
	struct perfevent *event = argument;

	event->readable = 0;
	unmap_pages(event);
	forget_events(event);
}

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
		guard_call(call_release_for_good, event);
	guard_release(&guard);
}

/* Opening a thread's events */

/* Put this thread's events into use, now that their descriptors are open. */
static void begin(struct perfevent *event)
{
	event->process = perfevent_process_number();
	event->setup = atomic_load(&setups);
	map_pages(event);
}

COLD static int open_mine(void)
{
	struct perfevent *event = &perfevent_this;
	int error;

	release(event);
	event->base = event->last;
	error = open_descriptors(event, &kinds);
	if (error) /* as on most machines: the handler for the thread's end is then not needed */
		return error;
	error = perfevent_process_enter(thread_ends, event);
	if (error)
		close_descriptors(event);
	else
		begin(event);
	return error;
}

/* Events in the place of others */

/* Events that are opened to see whether that is possible. Not on a stack, so that those which a
 * fault has cut off can be closed. */
static struct perfevent tried;

COLD static void call_close_tried(void *unused)
{
	call_close_underway(unused);
	close_descriptors(&tried);
}

/*
 * Whether events of these kinds can be opened. They are closed at once: while the thread has its
 * earlier events open, new ones may get no counter of the PMU, or not the one whose register can be
 * read.
 */
static int try_to_open(const struct perfevent_kinds *which)
{
	int error;

	memset(&tried, 0, sizeof tried);
	error = open_descriptors(&tried, which);
	close_descriptors(&tried);
	return error;
}

/* Bring the thread's count up to date, before its events are released: otherwise the cycles since
 * the last read would be missing. */
static void catch_up(struct perfevent *event)
{
	if (!perfevent_process_is_foreign(event->process))
		perfevent_read(event);
}

/* Whether this thread's events are open, and those of this process. */
static bool is_counting(const struct perfevent *event)
{
	unsigned i = 0;

	if (perfevent_process_is_foreign(event->process))
		return false;
	while (i < event->n && !is_known_lost(event, i))
		i++;
	return event->n > 0 && i == event->n;
}

static bool is_same_kind(const struct perfevent_kind *a, const struct perfevent_kind *b)
{
	return a->type == b->type && a->config == b->config && a->config1 == b->config1;
}

static bool are_same(const struct perfevent_kinds *a, const struct perfevent_kinds *b)
{
	unsigned i = 0;

	while (i < a->n && i < b->n && is_same_kind(&a->of[i], &b->of[i]))
		i++;
	return i == a->n && i == b->n && a->by_call == b->by_call;
}

/* Whether a counter that wants these kinds can use the present ones. read(2) gives the cycles of an
 * event whose register can be read, too. */
static bool is_served(const struct perfevent_kinds *wanted)
{
	struct perfevent_kinds present = kinds;

	if (wanted->by_call && !kinds.by_call) {
		present.by_call = true;
		for (unsigned i = 0; i < kinds.n && i < wanted->n; i++)
			present.of[i].config1 = wanted->of[i].config1;
	}
	return are_same(wanted, &present);
}

static void choose_kinds(const struct perfevent_kinds *wanted)
{
	kinds = *wanted;
	atomic_fetch_add(&setups, 1);
}

/* What a setup of held events found. The teardown goes back to it. */
static HOT bool held;
static struct {
	struct perfevent_kinds kinds;
	bool counting; /* the thread had events */
} before;

static void begin_setup(const struct counter_conditions *conditions)
{
	held = conditions->held;
	if (!held)
		return;
	underway = -1; /* in a child of fork, it may be another thread's */
	before.kinds = kinds;
	before.counting = true; /* if a fault cuts off the question */
	before.counting = is_counting(&perfevent_this);
}

COLD static int setup_held(const struct perfevent_kinds *wanted)
{
	struct perfevent *event = &perfevent_this;
	const bool served = is_served(wanted), counting = is_counting(event);
	int error;

	if (served && counting && (wanted->by_call || event->readable == event->n))
		return 0;
	if (counting) {
		error = try_to_open(wanted);
		if (error)
			return error;
	}
	catch_up(event);
	choose_kinds(served ? &kinds : wanted);
	return open_mine();
}

/* Where no event can be opened, the thread's next read tries again, and then takes the clock. */
COLD static void go_back(struct perfevent *event)
{
	const bool changed = !are_same(&kinds, &before.kinds);

	call_close_tried(NULL); /* what a fault has cut off */
	if (before.counting && !changed && is_counting(event))
		return;
	catch_up(event);
	if (changed)
		choose_kinds(&before.kinds);
	if (before.counting)
		open_mine();
	else
		release(event);
}

/* Setup */

COLD int perfevent_setup(const struct perfevent_kinds *wanted, uint64_t persecond)
{
	published_keep(&multiplier, scale_multiplier((struct ratio){ persecond, CLOCK_NS_PER_S },
						     SCALE_CLOCK_SHIFT));
	if (held)
		return setup_held(wanted);
	choose_kinds(wanted);
	return open_mine();
}

/* What sysfs says of the cores. It is asked once in a process. */
static HOT struct perfevent_kinds core_kinds;
static HOT bool core_kinds_known;

COLD static void call_find(void *error)
{
	*(int *)error = core_pmus_find(CORE_PMUS_ROOT, &core_kinds);
}

/* Where a sandbox answers the look at files with a signal, nothing is known of the cores, as where
 * there is no sysfs. */
static int find_core_kinds(void)
{
	int error = 0;

	if (core_kinds_known)
		return 0;
	if (file_guard_call(call_find, &error))
		core_kinds.n = 0;
	core_kinds_known = !error;
	return error;
}

/* The generic event first: most often it cannot be opened, and sysfs need not be looked at. */
static int setup_cycles(uint64_t config1, bool by_call, uint64_t persecond)
{
	struct perfevent_kinds wanted = {
		.n = 1,
		.by_call = by_call,
		.of[0] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, config1 },
	};
	int error;

	if (core_kinds.n == 0) {
		error = perfevent_setup(&wanted, persecond);
		if (!error)
			error = find_core_kinds();
		if (error || core_kinds.n == 0)
			return error;
	}
	wanted = core_kinds;
	wanted.by_call = by_call;
	for (unsigned i = 0; i < wanted.n; i++)
		wanted.of[i].config1 = config1;
	return perfevent_setup(&wanted, persecond);
}

COLD int perfevent_setup_cycles(uint64_t config1, uint64_t persecond)
{
	return setup_cycles(config1, false, persecond);
}

COLD int perfevent_setup_by_call(const struct counter_conditions *conditions)
{
	begin_setup(conditions);
	return setup_cycles(0, true, conditions->persecond);
}

bool perfevent_register_is_open(const struct perfevent *event, perfevent_register *read_register)
{
	long long raw;

	return event->readable > 0 &&
	       perfevent_page_sum(event->pages, event->readable, read_register, &raw);
}

COLD int perfevent_setup_register(uint64_t config1, const struct counter_conditions *conditions,
				  perfevent_register *read_register)
{
	int error;

	begin_setup(conditions);
	error = perfevent_setup_cycles(config1, conditions->persecond);
	if (error)
		return error;
	if (perfevent_register_is_open(&perfevent_this, read_register))
		return 0;
	return COUNTER_CLOSED + (perfevent_this.readable ? 0 : page_error);
}

COLD void perfevent_teardown(void)
{
	if (held)
		go_back(&perfevent_this);
	else
		release(&perfevent_this);
	held = false;
}

COLD bool perfevent_lost(void)
{
	return !perfevent_process_is_foreign(perfevent_this.process) && perfevent_this.n == 0;
}

/* The first read of a thread or of a process */

COLD static void call_open(void *error)
{
	underway = -1; /* in a child of fork, it may be another thread's */
	*(int *)error = open_mine();
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
			guard_call(call_close_underway, NULL);
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
		release(event);
		start_clock(event);
	}
	clock_by_syscall(&now);
	errno = saved_errno;
	return perfevent_advance(event, clock_cycles(now - event->start_ns, &multiplier));
}

/* If the new ones cannot be opened, the old ones stay. */
COLD static void call_replace(void *argument)
{
	struct perfevent *event = argument;

	underway = -1;
	if (try_to_open(&kinds))
		return;
	perfevent_read(event);
	open_mine();
}

COLD static void replace(struct perfevent *event)
{
	int saved_errno = errno;
	struct guard guard;

	if (guard_acquire(&guard) == LOCK_TAKEN) {
		event->setup = atomic_load(&setups); /* once for each setup, also if this fails */
		if (guard_install(&guard, GUARD_BASE) && guard_call(call_replace, event))
			guard_call(call_close_tried, NULL);
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
