/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Events of OpenBSD, through pctr(4). Its counters belong to CPUs and not to threads, and OpenBSD
 * cannot bind a thread to a CPU. So a count is of this thread only if the thread was not switched
 * away since the opening: then it neither moved to another CPU, nor did another thread run on this
 * one. The kernel tells the number of switches (getrusage(2)). Interrupts of the CPU are counted,
 * too, by events that count the kernel.
 *
 * The counters are read by PCIOCRD and not by RDPMC. That faults where the kernel has not set CR4's
 * bit PCE, which differs from CPU to CPU (pctr.c of i386, 1.31, and of amd64, 1.10), and the thread
 * may move between any question and the read. A handler of SIGSEGV would be the program's concern,
 * and the switches cost a system call anyway. cpucycles-events(7) has this for users.
 *
 * This file has been compiled against a header made from the manual, and was given made answers. It
 * has not run on OpenBSD.
 *
 * Source: pctr(4) and getrusage(2) of OpenBSD; Intel SDM, volume 3B, "Architectural Performance
 * Monitoring"; AMD's processor programming references, "Core Performance Monitor Counters".
 */

#include "config.h"

#ifndef __OpenBSD__
#error "OpenBSD only"
#endif

#include "group.h"
#include "word.h"
#include "reason.h"

#include <sys/types.h>

#include <cpuid.h>
#include <errno.h>
#include <fcntl.h>
#include <machine/cpu.h>
#include <machine/pctr.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#define DEVICE "/dev/pctr"

#define COUNTERS PCTR_NUM

/* Bits of a counter that are counted, on all processors. */
#define COUNT_BITS 40
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)

/* No event happens more often in one tick of the time-stamp counter. With it, a counter that was
 * set back looks different from one that began again from 0 after its 40 bits, unless so much time
 * has passed that the counter may have begun again more than once. */
#define PER_TICK 16
#define TICKS_MAX (COUNT_MASK / PER_TICK)

#define N(array) (sizeof(array) / sizeof(array)[0])

static const unsigned long set_function[COUNTERS] = { PCIOCS0, PCIOCS1, PCIOCS2, PCIOCS3 };

struct event_group {
	int fd;
	size_t n;
	bool lost;
	long switches; /* of the thread, before the opening's first look at the counters */
	unsigned words[COUNTERS];
	unsigned before[COUNTERS]; /* functions of the counters before the opening */
	uint64_t tsc;              /* at the last look */
	uint64_t last[COUNTERS];
	uint64_t counts[COUNTERS];
};

/* Names */

#define INTEL "GenuineIntel"
#define AMD "AuthenticAMD"

/* The kernel's generic events, by their numbers. bit: of the architectural events that the CPU does
 * not have, in EBX of CPUID leaf 0AH; -1: it is not architectural. */
static const struct generic {
	const char *vendor;
	uint8_t number;
	uint16_t code; /* with the unit mask */
	int8_t bit;
} generics[] = {
	{ INTEL, 0, 0x003c, 0 }, /* cpu-cycles */
	{ INTEL, 1, 0x00c0, 1 }, /* instructions */
	{ INTEL, 2, 0x4f2e, 3 }, /* cache-references */
	{ INTEL, 3, 0x412e, 4 }, /* cache-misses */
	{ INTEL, 4, 0x00c4, 5 }, /* branches */
	{ INTEL, 5, 0x00c5, 6 }, /* branch-misses */
	{ INTEL, 9, 0x013c, 2 }, /* ref-cycles */
	/* AMD has no architectural events. These have had the same codes since the first AMD64
	 * CPUs. */
	{ AMD, 0, 0x76, -1 }, /* cpu-cycles */
	{ AMD, 1, 0xc0, -1 }, /* instructions */
	{ AMD, 4, 0xc2, -1 }, /* branches */
	{ AMD, 5, 0xc3, -1 }, /* branch-misses */
};

static bool is_made_by(const char *vendor)
{
	unsigned leaf, words[3];

	return __get_cpuid(0, &leaf, &words[0], &words[2], &words[1]) &&
	       memcmp(words, vendor, sizeof words) == 0;
}

static bool has_architectural(unsigned bit)
{
	unsigned eax, ebx, ecx, edx;

	return __get_cpuid(0x0a, &eax, &ebx, &ecx, &edx) && (eax & 0xff) > 0 && eax >> 24 > bit &&
	       !(ebx >> bit & 1);
}

static bool is_here(const struct generic *event)
{
	return is_made_by(event->vendor) &&
	       (event->bit < 0 || has_architectural((unsigned)event->bit));
}

/* 0: this CPU has no such event. */
static uint32_t word_of_generic(const struct event_ask *ask)
{
	for (size_t i = 0; i < N(generics); i++) {
		const struct generic *event = &generics[i];
		struct event_ask raw = *ask;

		if (event->number != ask->number || !is_here(event))
			continue;
		raw.source = EVENT_RAW;
		raw.number = event->code;
		return event_word_encode(&raw);
	}
	return 0;
}

static int refuse(const struct event *event, int error, const char *why, struct reason_text *reason)
{
	reason_say(reason, error, "%s: %s", event->ask.text, why);
	reason_remedy(reason, "name the event by its code in the CPU's manual, as in r00c0:u");
	return -error;
}

int event_resolve(struct event *event, struct reason_text *reason)
{
	const struct event_ask *ask = &event->ask;
	uint32_t word;

	switch (ask->source) {
	case EVENT_RAW:
	case EVENT_WORD:
		word = event_word_encode(ask);
		if (!word)
			return refuse(event, ENOENT,
				      "does not fit into a function word of pctr(4), which has 8 "
				      "bits for the code and 8 for the unit mask",
				      reason);
		break;
	case EVENT_HARDWARE:
		word = word_of_generic(ask);
		if (!word)
			return refuse(event, ENOENT, "no code is known for it on this CPU", reason);
		break;
	default:
		return refuse(event, ENOTSUP, "OpenBSD counts events of the CPU only, by pctr(4)",
			      reason);
	}
	event_set_modes(event);
	event_give(event, 0, word);
	return 0;
}

/* Reading */

size_t event_group_bytes(void)
{
	return sizeof(struct event_group);
}

/* How often the thread has left its CPU. -1: unknown. */
static long switches(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		return -1;
	return (long)(usage.ru_nvcsw + usage.ru_nivcsw);
}

/* Whether the counters have the functions that they were given. */
static bool has_functions(const struct event_group *group, const struct pctrst *state)
{
	for (size_t i = 0; i < group->n; i++)
		if (state->pctr_fn[i] != group->words[i])
			return false;
	return true;
}

/* False: the differences since the last look are no counts. */
static bool add_differences(struct event_group *group, const struct pctrst *state)
{
	const uint64_t ticks = state->pctr_tsc - group->tsc;

	if (state->pctr_tsc < group->tsc || ticks > TICKS_MAX || !has_functions(group, state))
		return false;
	for (size_t i = 0; i < group->n; i++) {
		const uint64_t difference = (state->pctr_hwc[i] - group->last[i]) & COUNT_MASK;

		if (difference > ticks * PER_TICK)
			return false;
		group->counts[i] += difference;
		group->last[i] = state->pctr_hwc[i];
	}
	group->tsc = state->pctr_tsc;
	return true;
}

/* The number of switches is compared after the counters, so that a switch in between is noticed. */
static int update(struct event_group *group)
{
	struct pctrst state;

	if (!group->lost)
		group->lost = ioctl(group->fd, PCIOCRD, &state) ||
			      !add_differences(group, &state) || switches() != group->switches;
	return group->lost ? -EAGAIN : 0;
}

int event_group_read(struct event_group *group, uint64_t counts[])
{
	const int error = update(group);

	if (!error)
		memcpy(counts, group->counts, group->n * sizeof *counts);
	return error;
}

int event_group_lost(struct event_group *group)
{
	return update(group);
}

const char *event_group_way(const struct event_group *group)
{
	(void)group;
	return "system call; the CPU's counts, void once the thread is switched away";
}

/* Opening */

static void put_back(struct event_group *group, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ioctl(group->fd, set_function[i], &group->before[i]);
}

static int say_limit(size_t asked, size_t limit, struct reason_text *reason)
{
	reason_say(reason, ENOSPC, "%zu events with the cycles, but this CPU has %zu counters",
		   asked, limit);
	reason_remedy(reason, "ask for fewer events, or for some of them in another run");
	return -ENOSPC;
}

static int say_why(int error, struct reason_text *reason)
{
	switch (error) {
	case EACCES:
	case EPERM:
		reason_say(reason, error, DEVICE ": setting the counters is not permitted: %s",
			   strerror(error));
		reason_remedy(reason, "run as root; see pctr(4)");
		break;
	case ENOENT:
	case ENXIO:
	case ENODEV:
		reason_say(reason, error, DEVICE ": this CPU or kernel has no such counters: %s",
			   strerror(error));
		reason_remedy(reason, "pctr(4) says which processors have them");
		break;
	default:
		reason_say(reason, error, DEVICE ": %s", strerror(error));
		break;
	}
	return -error;
}

/* Give the counters their functions. *which: the event whose function the CPU does not take. */
static int set_functions(struct event_group *group, size_t *which, struct reason_text *reason)
{
	for (size_t i = 0; i < group->n; i++) {
		int error;

		*which = i;
		if (!ioctl(group->fd, set_function[i], &group->words[i]))
			continue;
		error = errno;
		put_back(group, i);
		/* Processors with two counters refuse the third and the fourth. */
		if (error == EINVAL && i > 0) {
			*which = group->n;
			return say_limit(group->n, i, reason);
		}
		return say_why(error, reason);
	}
	return 0;
}

static int start(struct event_group *group, size_t *which, struct reason_text *reason)
{
	struct pctrst state;
	int error;

	if (ioctl(group->fd, PCIOCRD, &state))
		return say_why(errno, reason);
	memcpy(group->before, state.pctr_fn, sizeof group->before);
	error = set_functions(group, which, reason);
	if (error)
		return error;
	/* From here on the counters are compared. */
	group->switches = switches();
	if (ioctl(group->fd, PCIOCRD, &state)) {
		error = errno;
		put_back(group, group->n);
		return say_why(error, reason);
	}
	group->tsc = state.pctr_tsc;
	memcpy(group->last, state.pctr_hwc, sizeof group->last);
	return 0;
}

int event_group_open(struct event_group *group, const struct event *const events[], size_t n,
		     size_t *which, struct reason_text *reason)
{
	int error;

	*which = 0;
	memset(group, 0, sizeof *group);
	group->fd = -1;
	if (n > COUNTERS) {
		*which = n;
		return say_limit(n, COUNTERS, reason);
	}
	group->n = n;
	for (size_t i = 0; i < n; i++)
		group->words[i] = (unsigned)events[i]->codes[0].config[0];
	group->fd = open(DEVICE, O_RDWR | O_CLOEXEC);
	if (group->fd < 0)
		return say_why(errno, reason);
	error = start(group, which, reason);
	if (error) {
		close(group->fd);
		group->fd = -1;
	}
	return error;
}

void event_group_close(struct event_group *group)
{
	if (group->fd < 0)
		return;
	put_back(group, group->n);
	close(group->fd);
	group->fd = -1;
}
