/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "file.h"
#include "knobs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICES "/sys/devices"
#define RDPMC DEVICES "/*/rdpmc"
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:"

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
	.path = RDPMC,
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

static bool matches(const char *path, const char *pattern)
{
	const char *star = strchr(pattern, '*');
	size_t before, length;

	if (!star)
		return !strcmp(path, pattern);
	before = (size_t)(star - pattern);
	if (strncmp(path, pattern, before) || path[before] == '.')
		return false;
	length = strspn(path + before, NAME_CHARACTERS);
	return length > 0 && !strcmp(path + before + length, star + 1);
}

const struct knob_kind *knob_kind_of(const char *path)
{
	for (size_t i = 0; i < KINDS; i++)
		if (matches(path, kinds[i]->path))
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

int knob_get(const char *root, const char *path, int *value)
{
	char whole[PATH_MAX], text[32];
	const char *end = text;
	long length;

	snprintf(whole, sizeof whole, "%s%s", root, path);
	length = file_read(whole, text, sizeof text);
	if (length < 0)
		return (int)length;
	return knob_parse(&end, value) && (!*end || !strcmp(end, "\n")) ? 0 : -EINVAL;
}

/* The kernel expects the whole value in one write. */
static int write_once(const char *path, const char *text, size_t length)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
	int error = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, length);
	if (n < 0)
		error = -errno;
	else if ((size_t)n < length)
		error = -EIO;
	if (close(fd) && !error)
		error = -errno;
	return error;
}

int knob_set(const char *root, const char *path, int value)
{
	char whole[PATH_MAX], text[32];
	int length = snprintf(text, sizeof text, "%d\n", value);
	int error, now;

	snprintf(whole, sizeof whole, "%s%s", root, path);
	error = write_once(whole, text, (size_t)length);
	if (!error)
		error = knob_get(root, path, &now);
	if (!error && now != value)
		error = -EIO;
	return error;
}

static void add_knob(const char *root, const char *path, struct knobs *knobs)
{
	struct knob *knob = &knobs->knob[knobs->count];

	if (knobs->count == KNOBS_MAX || strlen(path) >= KNOB_PATH_SIZE)
		return;
	knobs->count++;
	*knob = (struct knob){ .kind = knob_kind_of(path) };
	strcpy(knob->path, path);
	knob->error = knob_get(root, path, &knob->value);
}

static void add_pmu(const char *root, const char *name, struct knobs *knobs)
{
	char path[PATH_MAX], whole[2 * PATH_MAX];

	snprintf(path, sizeof path, DEVICES "/%s/rdpmc", name);
	snprintf(whole, sizeof whole, "%s%s", root, path);
	if (knob_kind_of(path) == &rdpmc && !access(whole, F_OK))
		add_knob(root, path, knobs);
}

static void add_pmus(const char *root, struct knobs *knobs)
{
	char path[PATH_MAX];
	struct dirent **entries;
	int n;

	snprintf(path, sizeof path, "%s" DEVICES, root);
	n = scandir(path, &entries, NULL, alphasort);
	if (n < 0)
		return;
	for (int i = 0; i < n; i++) {
		add_pmu(root, entries[i]->d_name, knobs);
		free(entries[i]);
	}
	free(entries);
}

void knobs_read(const char *root, struct knobs *knobs)
{
	knobs->count = 0;
	for (size_t i = 0; i < KINDS; i++) {
		if (kinds[i] == &rdpmc)
			add_pmus(root, knobs);
		else
			add_knob(root, kinds[i]->path, knobs);
	}
}
