/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "files.h"
#include "parse.h"
#include "quota.h"

#include <stdio.h>
#include <string.h>

#define CGROUPS "/sys/fs/cgroup"
#define PATH_SIZE 512
#define TEXT_SIZE 1024
#define NS_PER_US 1000
#define QUOTA_GROUPS PATH_SIZE /* as many as a path can have, one in another */

struct reading {
	const char *root;
	struct quota *quota; /* NULL: the memory is read */
	uint64_t memory;
	bool unified; /* the hierarchy that is being read: version 2 */
};

/* A file of a group. False: it cannot be read. */
static bool read_file(const char *root, const char *group, const char *name, char text[TEXT_SIZE])
{
	char path[PATH_SIZE];

	text[0] = 0;
	return snprintf(path, sizeof path, "%s/%s", group, name) < PATH_SIZE &&
	       files_read(root, path, text, TEXT_SIZE);
}

static void take_limit(const struct reading *reading, const char *group, const char *name,
		       const char *allowed, const char *of)
{
	struct quota *const least = reading->quota;
	const uint64_t quota = parse_field(allowed, 0), period = parse_field(of, 0);
	const double cpus = period ? (double)quota / (double)period : 0;

	/* "max", and version 1's -1, are no numbers. */
	if (quota == PARSE_UNKNOWN || period == PARSE_UNKNOWN || cpus <= 0 ||
	    (least->cpus > 0 && least->cpus <= cpus))
		return;
	least->cpus = cpus;
	least->unified = reading->unified;
	snprintf(least->file, sizeof least->file, "%.*s/%s",
		 (int)(sizeof least->file - strlen(name) - 2), group, name);
}

static void take_time(const struct reading *reading, const char *group)
{
	struct quota *const quota = reading->quota;
	const bool unified = reading->unified;
	char text[TEXT_SIZE], period[TEXT_SIZE];
	uint64_t throttled;

	if (read_file(reading->root, group, "cpu.stat", text)) {
		throttled = parse_after(text, unified ? "throttled_usec " : "throttled_time ");
		quota->known = true;
		if (throttled < UINT64_MAX / QUOTA_GROUPS / NS_PER_US)
			quota->throttled += throttled * (unified ? NS_PER_US : 1);
	}
	if (unified && read_file(reading->root, group, "cpu.max", text))
		take_limit(reading, group, "cpu.max", text, text + strcspn(text, " "));
	else if (!unified && read_file(reading->root, group, "cpu.cfs_quota_us", text) &&
		 read_file(reading->root, group, "cpu.cfs_period_us", period))
		take_limit(reading, group, "cpu.cfs_quota_us", text, period);
}

static void take_memory(struct reading *reading, const char *group)
{
	char text[TEXT_SIZE];
	uint64_t limit;

	if (!read_file(reading->root, group,
		       reading->unified ? "memory.max" : "memory.limit_in_bytes", text))
		return;
	limit = parse_field(text, 0);
	reading->memory = limit < reading->memory ? limit : reading->memory;
}

static void take_group(struct reading *reading, const char *group)
{
	if (reading->quota)
		take_time(reading, group);
	else
		take_memory(reading, group);
}

struct mount {
	const char *point; /* with a blank on each side */
	bool outside;
};

static bool take_mount(char *line, void *argument)
{
	struct mount *const mount = argument;
	char *const point = strstr(line, mount->point);

	if (point) {
		*point = 0;
		mount->outside = strstr(line, " /..");
	}
	return true;
}

/* In a cgroup namespace, paths begin at its own group. Is the mount of a group further out? Then
 * they lead to groups of other processes. */
static bool is_outside(const char *root, const char *group, int base)
{
	char point[PATH_SIZE + 2];
	struct mount mount = { point, false };

	snprintf(point, sizeof point, " %.*s ", base, group);
	files_lines(root, "/proc/self/mountinfo", take_mount, &mount);
	return mount.outside;
}

/* The group, and those that it is in: each may have a limit. In a container, a group that cannot be
 * seen may lie at the mount itself. */
static void take_groups(struct reading *reading, const char *controllers, const char *path)
{
	char group[PATH_SIZE];
	const int base =
		snprintf(group, sizeof group, CGROUPS "%s%s", *controllers ? "/" : "", controllers);

	if (snprintf(group + base, sizeof group - (size_t)base, "%s", path) >=
	    (int)sizeof group - base)
		return;
	/* This reads another file's lines, so the path is no longer there. */
	if (is_outside(reading->root, group, base)) {
		reading->memory = 0;
		return;
	}
	for (char *end; (end = strrchr(group + base, '/')); *end = 0)
		if (end[1])
			take_group(reading, group);
	take_group(reading, group);
}

/* Beside a hierarchy of version 1 with the CPU controller, version 2 has none. */
static bool take_line(char *line, void *argument)
{
	struct reading *reading = argument;
	struct parse_cgroup cgroup;

	if (!parse_cgroup(line, reading->quota ? "cpu" : "memory", &cgroup))
		return true;
	reading->unified = cgroup.unified;
	take_groups(reading, cgroup.controllers, cgroup.path);
	return !reading->quota || !reading->quota->known;
}

void quota_read(const char *root, struct quota *quota)
{
	struct reading reading = { .root = root, .quota = quota };

	memset(quota, 0, sizeof *quota);
	files_lines(root, "/proc/self/cgroup", take_line, &reading);
}

uint64_t quota_memory(const char *root)
{
	struct reading reading = { .root = root, .memory = UINT64_MAX };

	files_lines(root, "/proc/self/cgroup", take_line, &reading);
	return reading.memory;
}
