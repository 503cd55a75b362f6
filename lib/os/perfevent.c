/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "os/perfevent.h"
#include "os/clock.h"
#include "os/core-pmus.h"
#include "file.h"
#include "guard.h"
#include "hot.h"
#include "thread.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef HAVE_GETAUXVAL
#include <sys/auxv.h>
#endif

#define HIGH_DESCRIPTOR 500

/* PTHREAD_KEY_2NDLEVEL_SIZE of nptl/internaltypes.h. */
#define GLIBC_KEYS_IN_PLACE 32

_Thread_local struct perfevent perfevent_this TLS_MODEL;

/* Of the last setup: once a counter over perf events is selected, its own. Only for the holder of the
 * guard, as all below but the multiplier and setups. */
static HOT struct perfevent_kinds kinds;
static HOT atomic_uint setups;
static struct perfevent fresh; /* on the way to take another's place */
static HOT struct perfevent_kinds core_kinds; /* what sysfs said */
static HOT bool core_kinds_known;
static HOT uint64_t multiplier; /* clock to cycles, for threads without an event */
static HOT pthread_key_t at_exit;
static HOT bool at_exit_ready;

/*
 * A page that the kernel empties in a child (MADV_WIPEONFORK): the generation of
 * this process. Without it an event would be taken for the child's own, and its
 * page, which is not inherited, read.
 */
HOT _Atomic(uint32_t) *perfevent_generation;
static HOT uint32_t generations;

/* getauxval is in use already; sysconf would be one more page of libc to read in. */
static size_t page_size(void)
{
#ifdef HAVE_GETAUXVAL
	return (size_t)getauxval(AT_PAGESZ);
#else
	return (size_t)sysconf(_SC_PAGESIZE);
#endif
}

static long event_open(struct perf_event_attr *attr)
{
	return syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/*
 * To a number that no other open() gets soon: a program that closes whatever it does
 * not know, and then opens its own, must not find the first of its data read by us.
 */
static int move_up(int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);

	if (high < 0)
		return fd; /* the limit is lower */
	close(fd);
	return high;
}

/* User-space cycles, or those of the kernel too where this PMU can't tell them apart. */
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
	long fd = event_open(&attr);

	if (fd < 0 && (errno == EINVAL || errno == EOPNOTSUPP)) {
		attr.exclude_kernel = attr.exclude_hv = 0;
		fd = event_open(&attr);
	}
	return fd < 0 ? -errno : move_up((int)fd);
}

/* Whether the descriptor is still the event, not something else that got its number. */
static bool owns_fd(const struct perfevent *event, unsigned i)
{
	uint64_t id;

	return !ioctl(event->fds[i], PERF_EVENT_IOC_ID, &id) && id == event->ids[i];
}

/* An empty page in the place of an event's, whose index says that there is no register. */
static void empty_page(void *page)
{
	if (mmap(page, page_size(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page)
		madvise(page, page_size(), MADV_DONTFORK); /* as the kernel does with an event's */
}

static void leave_pages(struct perfevent *event, bool for_good)
{
	for (unsigned i = 0; i < PERFEVENT_PMUS_MAX; i++) {
		void *page = (void *)(uintptr_t)event->pages[i];

		/* In a child the page is not there, and its address may be another's. */
		if (page && event->home != atomic_load(perfevent_generation))
			event->pages[i] = NULL;
		else if (page && for_good)
			munmap(page, page_size());
		else if (page && i < event->mapped)
			empty_page(page);
		if (for_good)
			event->pages[i] = NULL;
	}
	event->mapped = 0;
}

static void close_descriptors(struct perfevent *event)
{
	while (event->n > 0) {
		unsigned i = --event->n;

		if (owns_fd(event, i))
			close(event->fds[i]);
	}
}

static void close_events(struct perfevent *event)
{
	event->readable = 0;
	event->version++;
	leave_pages(event, false);
	close_descriptors(event);
	event->process = 0;
}

/* The thread ends. */
static void call_close(void *argument)
{
	struct perfevent *event = argument;

	event->readable = 0;
	leave_pages(event, true);
	close_descriptors(event);
	event->process = 0;
}

/* A sandbox may have come; where the guard can't be had, the descriptor stays. */
static void thread_exits(void *event)
{
	struct guard guard;

	if (guard_acquire(&guard) != LOCK_TAKEN)
		return;
	if (guard_install(&guard))
		guard_call(call_close, event);
	guard_release(&guard);
}

static int prepare_process(void)
{
	void *page;

	if (!at_exit_ready) {
		int error = pthread_key_create(&at_exit, thread_exits);

		if (error)
			return -error;
		at_exit_ready = true;
	}
#if defined(__GLIBC__)
	/* Beyond its first block of keys, pthread_setspecific allocates: no signal
	 * handler could make a thread's first read. */
	if (at_exit >= GLIBC_KEYS_IN_PLACE)
		return -ENOBUFS;
#endif
	if (perfevent_generation)
		return 0;
	page = mmap(NULL, page_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return -errno;
	if (madvise(page, page_size(), MADV_WIPEONFORK)) {
		int error = -errno;

		munmap(page, page_size());
		return error;
	}
	perfevent_generation = page;
	/* Written at once: to read it first would be a page fault more. */
	atomic_store(perfevent_generation, ++generations);
	return 0;
}

/* A fresh number for a process that has none: new, or a child. */
static uint32_t this_process(void)
{
	if (atomic_load(perfevent_generation) == 0)
		atomic_store(perfevent_generation, ++generations);
	return atomic_load(perfevent_generation);
}

static int open_one(struct perfevent *event, const struct perfevent_kind *kind)
{
	unsigned i = event->n;
	int fd = open_event(kind);

	if (fd < 0)
		return fd;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &event->ids[i])) {
		close(fd);
		return -ENOMEM;
	}
	event->fds[i] = fd;
	event->n++;
	return 0;
}

/* All or none: a sum without one of them would stand still on some cores. */
static int open_all(struct perfevent *event)
{
	int error = 0;

	for (unsigned i = 0; i < kinds.n && !error; i++)
		error = open_one(event, &kinds.of[i]);
	if (error)
		close_descriptors(event);
	return error;
}

/* Where the thread had one before, if it had. */
static bool map_page(struct perfevent *event, unsigned i)
{
	void *place = (void *)(uintptr_t)event->pages[i];
	void *page = mmap(place, page_size(), PROT_READ, MAP_SHARED | (place ? MAP_FIXED : 0),
			  event->fds[i], 0);

	if (page != MAP_FAILED)
		event->pages[i] = page;
	else if (place)
		empty_page(place);
	return page != MAP_FAILED;
}

static void map_pages(struct perfevent *event)
{
	unsigned mapped = 0;

	event->process = event->home = this_process();
	event->setup = atomic_load(&setups);
	if (kinds.by_call)
		return;
	event->mapped = event->n;
	for (unsigned i = 0; i < event->n; i++)
		mapped += map_page(event, i);
	if (mapped == event->n)
		event->readable = event->n;
}

static int open_mine(struct perfevent *event)
{
	int error;

	close_events(event);
	event->base = event->last;
	error = open_all(event);
	if (error) /* most often, and nothing else is needed then */
		return error;
	error = prepare_process();
	if (!error)
		error = -pthread_setspecific(at_exit, event);
	if (error)
		close_descriptors(event);
	else
		map_pages(event);
	return error;
}

int perfevent_setup(const struct perfevent_kinds *wanted, uint64_t persecond)
{
	kinds = *wanted;
	atomic_fetch_add(&setups, 1);
	published_keep(&multiplier, scale_multiplier((struct ratio){ persecond, CLOCK_NS_PER_S },
						     SCALE_CLOCK_SHIFT));
	return open_mine(&perfevent_this);
}

static void call_find(void *error)
{
	*(int *)error = core_pmus_find(CORE_PMUS_ROOT, &core_kinds);
}

/* Once in a process. Where a sandbox answers a look at files with a signal, nothing is known
 * of the cores, as where there is no sysfs. */
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

/* The generic event first: most often it fails, and sysfs need not be looked at. */
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

int perfevent_setup_cycles(uint64_t config1, uint64_t persecond)
{
	return setup_cycles(config1, false, persecond);
}

int perfevent_setup_counts(uint64_t persecond)
{
	return setup_cycles(0, true, persecond);
}

void perfevent_teardown(void)
{
	if (perfevent_generation)
		close_events(&perfevent_this);
}

static void call_open(void *error)
{
	*(int *)error = open_mine(&perfevent_this);
}

/* From here on, cycles are made from the clock. */
static void start_clock(struct perfevent *event)
{
	event->base = event->last;
	event->process = this_process();
	clock_by_syscall(&event->start_ns);
}

/* A guest opens nothing: its parent would be left with a descriptor that is not its own. Only
 * what the parent renews before it reads is touched. */
static void start_guest(struct perfevent *event)
{
	event->readable = 0; /* the page is a grandparent's, and not here */
	if (event->n > 0 || event->start_ns)
		return;
	event->base = event->last;
	clock_by_syscall(&event->start_ns);
}

/* A sandbox may have come since the selection, so the guard is needed again. */
void perfevent_renew(void)
{
	struct perfevent *event = &perfevent_this;
	int saved_errno = errno, error = -EAGAIN;
	struct guard guard;
	enum lock_answer answer = guard_acquire(&guard);

	if (answer == LOCK_TAKEN) {
		if (!guard_install(&guard) || guard_call(call_open, &error))
			error = -EFAULT;
		guard_release(&guard);
	} else if (answer == LOCK_NESTED) {
		call_open(&error);
	}
	if (answer == LOCK_GUEST) {
		start_guest(event);
	} else if (error) {
		/* What can't be closed under the guard stays: ioctl may be a trap by now. */
		event->readable = event->n = 0;
		start_clock(event);
	}
	errno = saved_errno;
}

void perfevent_closed(void)
{
	perfevent_this.readable = 0;
}

/* The count with the event's id: a file that got its number has another to tell. */
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

/* One after the other: each only grows, so the sum does, wherever the thread goes meanwhile. */
static bool read_counts(const struct perfevent *event, uint64_t *sum)
{
	*sum = 0;
	for (unsigned i = 0; i < event->n; i++)
		if (!add_count(event, i, sum))
			return false;
	return event->n > 0;
}

static void call_close_fresh(void *unused)
{
	(void)unused;
	close_descriptors(&fresh);
}

static void take_descriptors(struct perfevent *to, const struct perfevent *from)
{
	memcpy(to->fds, from->fds, sizeof to->fds);
	memcpy(to->ids, from->ids, sizeof to->ids);
	to->n = from->n;
}

/* What cannot be opened anew stays. */
static void call_replace(void *argument)
{
	struct perfevent *event = argument, old;

	memset(&fresh, 0, sizeof fresh);
	if (open_all(&fresh))
		return;
	event->base = perfevent_read(event);
	event->readable = 0;
	event->version++;
	leave_pages(event, false);
	old = *event;
	take_descriptors(event, &fresh);
	take_descriptors(&fresh, &old);
	map_pages(event);
	close_descriptors(&fresh);
}

static void replace(struct perfevent *event)
{
	int saved_errno = errno;
	struct guard guard;

	if (guard_acquire(&guard) != LOCK_TAKEN) {
		errno = saved_errno;
		return;
	}
	event->setup = atomic_load(&setups);
	if (guard_install(&guard) && guard_call(call_replace, event))
		guard_call(call_close_fresh, NULL);
	guard_release(&guard);
	errno = saved_errno;
}

long long perfevent_read_closed(struct perfevent *event)
{
	if (event->n > 0 && event->setup != atomic_load(&setups))
		replace(event);
	return perfevent_read(event);
}

long long perfevent_read(struct perfevent *event)
{
	int saved_errno = errno;
	uint64_t raw, now;
	uint32_t version;
	bool done;

	do {
		if (event->process == 0) /* closed in a handler over this read */
			perfevent_renew();
		version = event->version;
		done = read_counts(event, &raw);
	} while (event->version != version);
	if (done)
		return perfevent_advance(event, (long long)raw);
	if (event->n > 0) { /* closed under our hands */
		if (thread_is_guest(thread_id())) { /* its copy of the descriptor is */
			errno = saved_errno;
			return event->last;
		}
		close_events(event);
		start_clock(event);
	}
	clock_by_syscall(&now);
	errno = saved_errno;
	return perfevent_advance(event, (long long)scale_multiply(now - event->start_ns, multiplier,
								  SCALE_CLOCK_SHIFT));
}
