/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Events of macOS on Apple silicon. The kernel adds up the counters of all cores for each thread.
 * Two counters are fixed: cycles and instructions, of user mode and of the kernel together. The
 * others take a code and two bits for the modes.
 *
 * This file has been compiled with kperf-macos.c, against declarations that the tests make, and was
 * given made answers. It has not run on macOS.
 *
 * Source: Apple's published kernel, in XNU osfmk/arm64/kpc.c (CFGWORD_*, the modes of the fixed
 * counters). In Linux, the comments of drivers/perf/apple_m1_cpu_pmu.c (which counters count which
 * events).
 */

#include "config.h"

#if !defined(__APPLE__) || !defined(__arm64__)
#error "macOS on Apple silicon only"
#endif

#include "group.h"
#include "kperf-counters.h"
#include "reason.h"

#include <errno.h>
#include <string.h>

/* A configuration: a code, and the modes that it counts in. */
#define CODE_MAX 0xffff
#define MODE_USER 0x20000
#define MODE_KERNEL 0x40000

struct event_group {
	size_t n, codes;
	bool open, lost;
	/* Of each event: the first of its counters, and the distance of the next one, or 0. */
	struct {
		uint32_t first, step;
	} places[EVENT_MEMBERS_MAX];
	uint64_t begin[KPERF_COUNTERS_MAX];
};

/* Names */

enum type { TYPE_FIXED, TYPE_CODE };

static int refuse(const struct event *event, const char *why, const char *remedy,
		  struct reason_text *reason)
{
	reason_say(reason, ENOTSUP, "%s: %s", event->ask.text, why);
	reason_remedy(reason, "%s", remedy);
	return -ENOTSUP;
}

/* The fixed counters count both modes, whatever is set. */
static int fixed(struct event *event, struct reason_text *reason)
{
	if (event->ask.number > KPERF_INSTRUCTIONS)
		return refuse(event,
			      "of the kernel's generic events, kperf has cycles and "
			      "instructions only",
			      "name the event by its code in the CPU's manual, as in r8d", reason);
	if (event->ask.user != event->ask.kernel && !event->by_default)
		return refuse(event, "its counter counts user mode and the kernel together",
			      "leave out the letter", reason);
	event->by_default = event->by_default || !event->ask.user;
	event->user = event->kernel = true;
	event_give(event, TYPE_FIXED, event->ask.number);
	return 0;
}

static int code(struct event *event, struct reason_text *reason)
{
	const struct event_parts *parts = &event->ask.parts;

	if (parts->has_mask || parts->edge || parts->invert || parts->count)
		return refuse(event, "this CPU has neither unit masks nor other parts of an event",
			      "ask for the code alone, as in r8d", reason);
	if (event->ask.number == 0 || event->ask.number > CODE_MAX)
		return refuse(event, "a code of this CPU is from 1 to ffff",
			      "look the code up in the CPU's manual", reason);
	event_set_modes(event);
	event_give(event, TYPE_CODE,
		   event->ask.number | (event->user ? MODE_USER : 0) |
			   (event->kernel ? MODE_KERNEL : 0));
	return 0;
}

int event_resolve(struct event *event, struct reason_text *reason)
{
	switch (event->ask.source) {
	case EVENT_HARDWARE:
		return fixed(event, reason);
	case EVENT_RAW:
		return code(event, reason);
	default:
		return refuse(event, "kperf counts cycles, instructions and codes only",
			      "name the event by its code in the CPU's manual, as in r8d", reason);
	}
}

/* Groups */

/*
 * Not every counter counts every event: a counter that does not stays at 0. So an event gets
 * several counters, from the one on that counts most events of an M1, and its count is the largest.
 * An event that is named alone gets all of them.
 */
static const uint8_t order[KPERF_CONFIGS_MAX] = { 5, 4, 3, 2, 1, 0, 6, 7 };

size_t event_group_bytes(void)
{
	return sizeof(struct event_group);
}

static uint64_t largest(const struct event_group *group, size_t event, const uint64_t counts[])
{
	const uint32_t first = group->places[event].first, step = group->places[event].step;
	uint64_t most = 0;

	if (step == 0)
		return counts[first] - group->begin[first];
	for (uint32_t i = first; i < KPERF_CONFIGS_MAX; i += step) {
		const uint32_t counter = KPERF_FIXED + order[i];
		uint64_t count;

		if (order[i] >= kperf_configs)
			continue;
		count = counts[counter] - group->begin[counter];
		most = count > most ? count : most;
	}
	return most;
}

int event_group_read(struct event_group *group, uint64_t counts[])
{
	uint64_t now[KPERF_COUNTERS_MAX];

	group->lost |= kperf_read(now) != 0;
	for (uint32_t i = 0; !group->lost && i < kperf_counters; i++)
		group->lost = now[i] < group->begin[i];
	if (group->lost)
		return -EAGAIN;
	for (size_t i = 0; i < group->n; i++)
		counts[i] = largest(group, i, now);
	return 0;
}

int event_group_lost(struct event_group *group)
{
	uint64_t counts[EVENT_MEMBERS_MAX];

	group->lost |= !kperf_is_counting();
	return event_group_read(group, counts);
}

const char *event_group_way(const struct event_group *group)
{
	(void)group;
	return "system call";
}

static void place(struct event_group *group, const struct event *const events[],
		  uint64_t config[KPERF_COUNTERS_MAX])
{
	uint32_t next = 0;

	for (size_t i = 0; i < group->n; i++) {
		const struct event_code *code = &events[i]->codes[0];

		if (code->type == TYPE_FIXED) {
			group->places[i].first = (uint32_t)code->config[0];
			continue;
		}
		group->places[i].first = next++;
		group->places[i].step = (uint32_t)group->codes;
		for (size_t k = group->places[i].first; k < KPERF_CONFIGS_MAX; k += group->codes)
			config[order[k]] = code->config[0];
	}
}

int event_group_open(struct event_group *group, const struct event *const events[], size_t n,
		     size_t *which, struct reason_text *reason)
{
	uint64_t config[KPERF_COUNTERS_MAX] = { 0 };
	int error;

	memset(group, 0, sizeof *group);
	group->n = n;
	*which = 0;
	for (size_t i = 0; i < n; i++) {
		if (events[i]->codes[0].type != TYPE_CODE)
			continue;
		group->codes++;
		*which = i;
	}
	place(group, events, config);
	error = kperf_open(group, config, group->codes, group->begin, reason);
	group->open = !error;
	return error;
}

void event_group_close(struct event_group *group)
{
	if (!group->open)
		return;
	group->open = false;
	kperf_close(group);
}
