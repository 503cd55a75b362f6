/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "knobs.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_MAX 9

/* At 2 users may count what their own processes do in user space. At 3, which kernels of Debian,
 * Ubuntu and Android know, and at Ubuntu's 4 they may open no event. Source: kernel,
 * admin-guide/sysctl/kernel.rst; Debian's patch "security,perf: Allow further restriction of
 * perf_event_open". */
static const struct knob_kind paranoid = {
	.path = "/proc/sys/kernel/perf_event_paranoid",
	.sysctl = "kernel.perf_event_paranoid",
	.least = INT_MIN,
	.open = 2,
	.most = 2,
	.gain = "users may count the cycles that their own programs take in user space, which all"
		" counters over perf events need",
	.risk = "every user may call perf_event_open(2), so that a flaw in it is in everybody's"
		" reach; kernel and other users' programs stay out of sight",
};

/* At 1 a process may read counters while it has an event mapped, at 2 always. Source: kernel,
 * ABI/testing/sysfs-bus-event_source-devices-rdpmc. */
static const struct knob_kind rdpmc = {
	.path = "/sys/devices/*/rdpmc",
	.least = 1,
	.open = 1,
	.most = INT_MAX,
	.gain = "programs read the counter of their own perf event by an instruction, not by a"
		" system call",
	.risk = "a program that has such an event may read all counters of the CPU that it runs on,"
		" also those of system-wide events",
};

/* At 1 through perf events; at 2, on RISC-V, rdcycle works without them. Source: kernel,
 * admin-guide/sysctl/kernel.rst. */
static const struct knob_kind user_access = {
	.path = "/proc/sys/kernel/perf_user_access",
	.sysctl = "kernel.perf_user_access",
	.least = 1,
	.open = 1,
	.most = INT_MAX,
	.gain = "programs read the counter of their own perf event by an instruction, not by a"
		" system call",
	.risk = "a program that has such an event may also read other counters that the CPU has in"
		" use, those of system-wide events among them",
};

static const struct knob_kind watchdog = {
	.path = "/proc/sys/kernel/nmi_watchdog",
	.sysctl = "kernel.nmi_watchdog",
	.least = 0,
	.open = 0,
	.most = 0,
	.gain = "the counter of cycles in which the watchdog counts, on Intel the fixed one, is"
		" free on each CPU",
	.risk = "nobody notices a CPU that hangs in the kernel with interrupts off",
};

/* In the order in which they are opened: the most important first. */
static const struct knob_kind *const kinds[] = { &paranoid, &user_access, &rdpmc, &watchdog };

#define KINDS (sizeof kinds / sizeof kinds[0])

const struct knob_kind *knob_kind_of(const char *path)
{
	for (size_t i = 0; i < KINDS; i++)
		if (setting_matches(path, kinds[i]->path))
			return kinds[i];
	return NULL;
}

static bool has_kind(const struct knobs *knobs, const struct knob_kind *kind)
{
	for (size_t i = 0; i < knobs->count; i++)
		if (knobs->knob[i].kind == kind && knobs->knob[i].error != -ENOENT)
			return true;
	return false;
}

enum knob_state knob_state(const struct knobs *knobs, const struct knob *knob)
{
	if (knob->error == -ENOENT)
		return KNOB_ABSENT;
	if (knob->error)
		return KNOB_UNREADABLE;
	if (knob_is_open(knob->kind, knob->value))
		return KNOB_OPEN;
	/* There is a knob rdpmc only on x86 with a PMU, and only there the watchdog occupies a
	 * counter that users can get. On PowerPC, for one, it uses a timer. */
	if (knob->kind == &watchdog && !has_kind(knobs, &rdpmc))
		return KNOB_NEEDLESS;
	return KNOB_CLOSED;
}

enum knob_state knobs_events(const struct knobs *knobs)
{
	for (size_t i = 0; i < knobs->count; i++)
		if (knobs->knob[i].kind == &paranoid)
			return knob_state(knobs, &knobs->knob[i]);
	return KNOB_ABSENT;
}

bool knobs_hide_counters(const struct knobs *knobs)
{
	for (size_t i = 0; i < knobs->count; i++) {
		const struct knob *knob = &knobs->knob[i];

		if ((knob->kind == &rdpmc || knob->kind == &user_access) &&
		    knob_state(knobs, knob) == KNOB_CLOSED)
			return true;
	}
	return false;
}

bool knob_parse(const char **text, int *value)
{
	const char *digits = *text + (**text == '-');
	size_t length = strspn(digits, "0123456789");

	if (length == 0 || length > DIGITS_MAX ||
	    (digits[0] == '0' && (length > 1 || digits != *text)))
		return false;
	*value = (int)strtol(*text, NULL, 10);
	*text = digits + length;
	return true;
}

static bool parse_whole(const char *text, int *value)
{
	return knob_parse(&text, value) && !*text;
}

bool knob_would_write(const char *path, const char *found, const char *wrote)
{
	const struct knob_kind *kind = knob_kind_of(path);
	int old, new;

	return kind && parse_whole(found, &old) && parse_whole(wrote, &new) &&
	       !knob_is_open(kind, old) && new == kind->open;
}

static int knob_get(const char *root, const char *path, int *value)
{
	char text[SETTING_VALUE_SIZE];
	const int error = setting_get(root, path, text);

	return error || parse_whole(text, value) ? error : -EINVAL;
}

/* What is read, and where it goes. */
struct reading {
	const char *root;
	const struct knob_kind *kind;
	struct knobs *knobs;
};

static void add_knob(const char *path, void *argument)
{
	const struct reading *reading = argument;
	struct knobs *knobs = reading->knobs;
	struct knob *knob = &knobs->knob[knobs->count];

	if (knobs->count == KNOBS_MAX || strlen(path) >= KNOB_PATH_SIZE)
		return;
	knobs->count++;
	*knob = (struct knob){ .kind = reading->kind };
	strcpy(knob->path, path);
	knob->error = knob_get(reading->root, path, &knob->value);
}

void knobs_read(const char *root, struct knobs *knobs)
{
	knobs->count = 0;
	for (size_t i = 0; i < KINDS; i++) {
		struct reading reading = { root, kinds[i], knobs };

		setting_each(root, kinds[i]->path, add_knob, &reading);
	}
}
