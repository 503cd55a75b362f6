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
	struct quota *quota;
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

static void take_group(const struct reading *reading, const char *group)
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

/* The group, and those that it is in: each may have a limit. In a container, a group that cannot be
 * seen may lie at the mount itself. */
static void take_groups(const struct reading *reading, const char *controllers, const char *path)
{
	char group[PATH_SIZE];
	const int base =
		snprintf(group, sizeof group, CGROUPS "%s%s", *controllers ? "/" : "", controllers);

	if (snprintf(group + base, sizeof group - (size_t)base, "%s", path) >=
	    (int)sizeof group - base)
		return;
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

	if (!parse_cgroup(line, &cgroup))
		return true;
	reading->unified = cgroup.unified;
	take_groups(reading, cgroup.controllers, cgroup.path);
	return !reading->quota->known;
}

void quota_read(const char *root, struct quota *quota)
{
	struct reading reading = { .root = root, .quota = quota };

	memset(quota, 0, sizeof *quota);
	files_lines(root, "/proc/self/cgroup", take_line, &reading);
}
