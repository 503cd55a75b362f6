/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Groups of perf events. A pinned group is on the PMU whenever its thread runs, all of its events
 * together, or it is in error and never counts again. So no count is an estimate.
 *
 * An event of one kind of core counts on cores of this kind only, so a machine with several kinds
 * needs a group for each. What counts on every core then has a group of its own.
 *
 * Source: perf_event_open(2); the comments on struct perf_event_mmap_page in linux/perf_event.h.
 */

#include "config.h"

#ifndef HAVE_LINUX_PERF_EVENT_H
#error "Linux only"
#endif

#include "group.h"
#include "page.h"
#include "pmu-register.h"
#include "reason.h"
#include "refusal.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* One for each kind of core, and one for what counts on every core. */
#define PARTS_MAX (EVENT_KINDS_MAX + 1)

/* The groups of several kinds of core are read one after the other, so their times differ by what
 * lies in between: this much, and a thousandth for clocks of different CPUs. */
#define SLACK_NS 100000
#define SLACK_PART 1000

/* One event on one kind of core. */
struct member {
	int fd;
	uint64_t id;  /* the kernel's name of the event, by which the descriptor is known */
	size_t event; /* whose count this is a part of */
};

/* Events that are on the PMU together. */
struct part {
	struct member members[EVENT_MEMBERS_MAX];
	const struct perf_event_mmap_page *pages[EVENT_MEMBERS_MAX]; /* of the members, or NULL */
	size_t n;
	bool whole; /* it has to count all the time by itself: an event counts on this kind only */
	uint64_t enabled, running; /* ns, when all groups had been opened */
};

struct event_group {
	struct part parts[PARTS_MAX];
	size_t events;
	unsigned kinds;
	bool user_mode;
	size_t page_size;
};

/* What read(2) gives of a group. */
struct counts {
	uint64_t n;
	uint64_t enabled, running; /* ns in which it could have counted, and in which it did */
	uint64_t values[EVENT_MEMBERS_MAX];
};

size_t event_group_bytes(void)
{
	return sizeof(struct event_group);
}

/* Reading */

/* Whether the descriptor is still the event's. A function that is measured may close it, and the
 * program may then have another file at this number: a read would take bytes from a pipe, or wait
 * for some. */
static bool is_there(const struct member *member)
{
	uint64_t id;

	return !ioctl(member->fd, PERF_EVENT_IOC_ID, &id) && id == member->id;
}

/* The times count from the opening. -EAGAIN: the descriptor is lost, or the group is in error,
 * which the kernel tells by an empty read. */
static int read_part(const struct part *part, struct counts *counts)
{
	const size_t size = (3 + part->n) * sizeof(uint64_t);
	ssize_t got;

	if (!is_there(&part->members[0]))
		return -EAGAIN;
	do
		got = read(part->members[0].fd, counts, size);
	while (got < 0 && errno == EINTR);
	if (got != (ssize_t)size || counts->n != part->n)
		return -EAGAIN;
	counts->enabled -= part->enabled;
	counts->running -= part->running;
	return 0;
}

/* All events at one moment, without a system call. */
static bool read_pages(const struct part *part, uint64_t counts[])
{
	uint64_t values[EVENT_MEMBERS_MAX];

	if (!event_page_read(part->pages, (unsigned)part->n, pmu_register_read, values))
		return false;
	for (size_t m = 0; m < part->n; m++)
		counts[part->members[m].event] = values[m];
	return true;
}

static int read_all(const struct event_group *group, uint64_t counts[])
{
	struct counts c;
	uint64_t enabled = 0, running = 0; /* of the kinds of core that count together */
	unsigned kinds = 0;
	bool stays = group->kinds == 1; /* on one kind of core, or it is void */

	memset(counts, 0, group->events * sizeof *counts);
	for (size_t p = 0; p < PARTS_MAX; p++) {
		const struct part *part = &group->parts[p];

		if (part->n == 0)
			continue;
		if (read_part(part, &c) || (part->whole && c.running != c.enabled))
			return -EAGAIN;
		for (size_t m = 0; m < part->n; m++)
			counts[part->members[m].event] += c.values[m];
		stays |= part->whole && p < EVENT_KINDS_MAX;
		if (part->whole)
			continue;
		enabled = kinds++ ? enabled : c.enabled;
		running += c.running;
	}
	/* Together, these have to count all the time. */
	return stays || running + SLACK_NS + enabled / SLACK_PART >= enabled ? 0 : -EAGAIN;
}

/* A group in user mode has one part: see may_be_in_user_mode. */
int event_group_read(struct event_group *group, uint64_t counts[])
{
	if (group->user_mode && read_pages(&group->parts[0], counts))
		return 0;
	return read_all(group, counts);
}

int event_group_lost(struct event_group *group)
{
	uint64_t counts[EVENT_MEMBERS_MAX];

	for (size_t p = 0; p < PARTS_MAX; p++)
		for (size_t m = 0; m < group->parts[p].n; m++)
			if (!is_there(&group->parts[p].members[m]))
				return EVENT_GROUP_CLOSED;
	return read_all(group, counts);
}

const char *event_group_way(const struct event_group *group)
{
	return group->user_mode ? "user mode" : "system call";
}

/* Opening */

static struct perf_event_attr attributes(const struct event *event, const struct event_code *code)
{
	struct perf_event_attr attr = {
		.type = code->type,
		.size = sizeof attr,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
		.exclude_user = !event->user,
		.exclude_kernel = !event->kernel,
		.exclude_hv = !event->kernel,
		.bp_type = code->access,
	};

	attr.config = code->config[0];
	/* Of a breakpoint, these two are bp_addr and bp_len (perf_event_open(2)). */
	attr.config1 = code->config[1];
	attr.config2 = code->config[2];
	return attr;
}

static int open_event(struct perf_event_attr *attr, int leader)
{
	return (int)syscall(SYS_perf_event_open, attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

/* Events of one kind of core only are void when the thread leaves it; so are all where there is one
 * kind. */
static struct part *part_of(struct event_group *group, const struct event *event,
			    const struct event_code *code)
{
	struct part *part;

	if (group->kinds == 1)
		part = &group->parts[0];
	else
		part = &group->parts[code->kind < 0 ? EVENT_KINDS_MAX : code->kind];
	if (part->n == 0)
		part->whole = group->kinds == 1 || code->kind < 0;
	if (event->n < group->kinds)
		part->whole = true;
	return part;
}

/* Add event `number` on the cores of this code. 0 or a negative errno. */
static int add_event(struct event_group *group, const struct event *event,
		     const struct event_code *code, size_t number)
{
	struct perf_event_attr attr = attributes(event, code);
	struct part *part = part_of(group, event, code);
	const int leader = part->n ? part->members[0].fd : -1;
	void *page;
	uint64_t id;
	int fd = -1;

	/* The whole group begins to count at once, when its leader is enabled. */
	attr.pinned = attr.disabled = !part->n;
	if (PMU_REGISTER_ACCESS && event->hardware && group->kinds == 1) {
		attr.config1 |= PMU_REGISTER_ACCESS;
		fd = open_event(&attr, leader);
		attr.config1 &= ~(uint64_t)PMU_REGISTER_ACCESS;
	}
	if (fd < 0)
		fd = open_event(&attr, leader);
	/* A 64-bit x86 kernel wants its own length of an instruction from 32-bit programs, too. */
	if (fd < 0 && errno == EINVAL && attr.bp_type == HW_BREAKPOINT_X) {
		attr.bp_len = sizeof(uint64_t);
		fd = open_event(&attr, leader);
	}
	if (fd < 0)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id)) {
		const int error = -errno;

		close(fd);
		return error;
	}
	part->members[part->n] = (struct member){ .fd = fd, .id = id, .event = number };
	page = mmap(NULL, group->page_size, PROT_READ, MAP_SHARED, fd, 0);
	part->pages[part->n] = page == MAP_FAILED ? NULL : page;
	part->n++;
	return 0;
}

/* A group with events of a PMU has to be led by one of them. */
static int add_events(struct event_group *group, const struct event *const events[], size_t n,
		      size_t *which)
{
	int error = 0;

	for (int hardware = 1; hardware >= 0; hardware--)
		for (size_t i = 0; i < n && !error; i++) {
			if (events[i]->hardware != hardware)
				continue;
			*which = i;
			for (unsigned c = 0; c < events[i]->n && !error; c++)
				error = add_event(group, events[i], &events[i]->codes[c], i);
		}
	return error;
}

/* Let all parts count. -ENOSPC: a part cannot be on the PMU as a whole, at least not now. */
static int start(struct event_group *group)
{
	struct counts counts;

	for (size_t p = 0; p < PARTS_MAX; p++) {
		struct part *part = &group->parts[p];

		if (part->n && ioctl(part->members[0].fd, PERF_EVENT_IOC_ENABLE, 0))
			return -errno;
	}
	for (size_t p = 0; p < PARTS_MAX; p++) {
		struct part *part = &group->parts[p];

		if (part->n == 0)
			continue;
		if (read_part(part, &counts))
			return -ENOSPC;
		part->enabled = counts.enabled;
		part->running = counts.running;
	}
	return 0;
}

/* On a machine with several kinds of core, a thread may come to a core whose registers are closed
 * for it between the look at a page and the read of the register. */
static bool may_be_in_user_mode(const struct event_group *group)
{
	uint64_t counts[EVENT_MEMBERS_MAX];

	if (group->kinds != 1)
		return false;
	for (size_t m = 0; m < group->parts[0].n; m++)
		if (!group->parts[0].pages[m])
			return false;
	return read_pages(&group->parts[0], counts);
}

int event_group_open(struct event_group *group, const struct event *const events[], size_t n,
		     size_t *which, struct reason_text *reason)
{
	int error;

	memset(group, 0, sizeof *group);
	group->events = n;
	group->kinds = n ? events[0]->kinds : 1;
	group->page_size = (size_t)sysconf(_SC_PAGESIZE);
	error = add_events(group, events, n, which);
	if (error) {
		event_refusal_say(events[*which], -error, reason);
	} else {
		*which = n;
		error = start(group);
		if (error) {
			reason_say(reason, ENOSPC,
				   "the PMU cannot count these %zu events at the same time as what "
				   "others count",
				   n);
			reason_remedy(reason,
				      "ask for fewer events, or for some of them in another run");
		}
	}
	if (error)
		event_group_close(group);
	else
		group->user_mode = may_be_in_user_mode(group);
	return error;
}

void event_group_close(struct event_group *group)
{
	for (size_t p = 0; p < PARTS_MAX; p++) {
		struct part *part = &group->parts[p];

		/* The leader goes last: without one, its members would count as events of their
		 * own. */
		for (size_t m = part->n; m-- > 0;) {
			if (part->pages[m])
				munmap((void *)(uintptr_t)part->pages[m], group->page_size);
			if (is_there(&part->members[m]))
				close(part->members[m].fd);
		}
		part->n = 0;
	}
}
