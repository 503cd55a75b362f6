/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "os/perfevent.h"
#include "os/clock.h"
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* In a library that is loaded late, glibc would allocate other thread-local storage
 * at the first read, which a signal handler may make. musl never does. */
#if defined(__GLIBC__)
#define TLS_MODEL __attribute__((tls_model("initial-exec")))
#else
#define TLS_MODEL
#endif

#define HIGH_DESCRIPTOR 500

/* PTHREAD_KEY_2NDLEVEL_SIZE of nptl/internaltypes.h. */
#define GLIBC_KEYS_IN_PLACE 32

static _Thread_local struct perfevent mine TLS_MODEL;

static struct perfevent_kind kind;
static uint64_t multiplier; /* clock to cycles, for threads without an event */
static pthread_key_t at_exit;
static bool at_exit_ready;

/*
 * A page that the kernel empties in a child (MADV_WIPEONFORK): the generation of
 * this process. Without it an event would be taken for the child's own, and its
 * page, which is not inherited, read.
 */
static _Atomic(uint32_t) *generation;
static uint32_t generations;

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
static int open_event(void)
{
	struct perf_event_attr attr = {
		.type = kind.type,
		.size = sizeof attr,
		.config = kind.config,
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

/* Whether fd is still the event, not something else that got its number. */
static bool owns_fd(const struct perfevent *event)
{
	uint64_t id;

	return event->process && event->fd >= 0 &&
		!ioctl(event->fd, PERF_EVENT_IOC_ID, &id) && id == event->id;
}

static void close_event(struct perfevent *event)
{
	if (owns_fd(event))
		close(event->fd);
	/* In a child the page is not there, and its address may be another's. */
	if (event->page && event->process == atomic_load(generation))
		munmap((void *)(uintptr_t)event->page, (size_t)sysconf(_SC_PAGESIZE));
	event->page = NULL;
	event->fd = -1;
	event->process = 0;
}

static void call_close(void *event)
{
	close_event(event);
}

/* A sandbox may have come; where the guard can't be had, the descriptor stays. */
static void thread_exits(void *event)
{
	struct guard guard;

	if (guard_acquire(&guard) != LOCK_TAKEN)
		return;
	guard_install(&guard);
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
	if (generation)
		return 0;
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return -errno;
	if (madvise(page, (size_t)sysconf(_SC_PAGESIZE), MADV_WIPEONFORK)) {
		int error = -errno;

		munmap(page, (size_t)sysconf(_SC_PAGESIZE));
		return error;
	}
	generation = page;
	return 0;
}

/* A fresh number for a process that has none: new, or a child. */
static uint32_t this_process(void)
{
	if (atomic_load(generation) == 0)
		atomic_store(generation, ++generations);
	return atomic_load(generation);
}

static int open_mine(struct perfevent *event)
{
	void *page;
	int fd;

	close_event(event);
	event->base = event->last;
	event->process = this_process();
	fd = open_event();
	if (fd < 0)
		return fd;
	event->fd = fd;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &event->id) ||
	    pthread_setspecific(at_exit, event)) {
		close(fd);
		event->fd = -1;
		return -ENOMEM;
	}
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	event->page = page == MAP_FAILED ? NULL : page;
	return 0;
}

int perfevent_setup(struct perfevent_kind wanted, uint64_t persecond)
{
	int error = prepare_process();

	if (error)
		return error;
	kind = wanted;
	multiplier = scale_multiplier((struct ratio){ persecond, CLOCK_NS_PER_S },
				      SCALE_CLOCK_SHIFT);
	return open_mine(&mine);
}

void perfevent_teardown(void)
{
	if (generation)
		close_event(&mine);
}

static void call_open(void *error)
{
	*(int *)error = open_mine(&mine);
}

/* A sandbox may have come since the selection, so the guard is needed again. */
static void open_later(struct perfevent *event)
{
	int saved_errno = errno, error = -EAGAIN;
	struct guard guard;
	enum lock_answer answer = guard_acquire(&guard);

	if (answer == LOCK_TAKEN) {
		guard_install(&guard);
		if (guard_call(call_open, &error))
			error = -EFAULT;
		guard_release(&guard);
	} else if (answer == LOCK_NESTED) {
		call_open(&error);
	}
	if (error) {
		/* What can't be closed under the guard stays: ioctl may be a trap by now. */
		event->fd = -1;
		event->page = NULL;
		event->process = this_process();
		clock_by_syscall(&event->start_ns);
	}
	errno = saved_errno;
}

struct perfevent *perfevent_mine(void)
{
	/* A thread's first event, or one from before a fork, is of another generation. */
	if (mine.process == 0 || mine.process != atomic_load_explicit(generation, memory_order_relaxed))
		open_later(&mine);
	return &mine;
}

/* The count with the event's id: a file that got its number has another to tell. */
static bool read_count(const struct perfevent *event, uint64_t *raw)
{
	uint64_t answer[2];

	/* libc's read would be a cancellation point. */
	if (event->fd < 0 ||
	    syscall(SYS_read, event->fd, answer, sizeof answer) != sizeof answer ||
	    answer[1] != event->id)
		return false;
	*raw = answer[0];
	return true;
}

long long perfevent_read(struct perfevent *event)
{
	int saved_errno = errno;
	uint64_t raw, now;

	if (read_count(event, &raw))
		return perfevent_advance(event, (long long)raw);
	if (event->fd >= 0) { /* closed under our hands */
		close_event(event);
		event->base = event->last;
		event->process = this_process();
		clock_by_syscall(&event->start_ns);
	}
	clock_by_syscall(&now);
	errno = saved_errno;
	return perfevent_advance(event, (long long)scale_multiply(now - event->start_ns, multiplier,
								  SCALE_CLOCK_SHIFT));
}
