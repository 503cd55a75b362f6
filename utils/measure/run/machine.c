/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "affinity.h"
#include "machine.h"
#include "mounts.h"
#include "os/filesystem.h"
#include "reason.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPUS "/sys/devices/system/cpu"
#define PATH_SIZE 512

/* With more programs than this for each CPU, it is not sure that one CPU has nothing else to do. */
#define LOAD_PER_CPU 0.5

/* Whether the list of mounts says that a program serves the path through FUSE. */
static bool is_served(const char *path)
{
	const int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	struct mounts mounts;
	char text[4096];
	ssize_t n = 0;

	mounts_begin(&mounts, path);
	while (fd >= 0 && (n = read(fd, text, sizeof text)) > 0)
		mounts_add(&mounts, text, (size_t)n);
	if (fd >= 0)
		close(fd);
	return mounts_is_fuse(&mounts);
}

/*
 * Open a file of /proc or /sys below the root. The descriptor or a negative errno. -EXDEV: another
 * mount than that folder's has the file. A program may serve it through FUSE, as lxcfs does in
 * containers, and open(2) would wait for ever if that program hangs. Where the kernel or a filter
 * has no answer, the list of mounts has one.
 */
static int open_own(const char *root, const char *path)
{
	const size_t folder = strlen(root) + 1 + strcspn(path + 1, "/");
	const int flags = O_RDONLY | O_NONBLOCK | O_CLOEXEC;
	char whole[PATH_SIZE];
	int below, fd;

	if (snprintf(whole, sizeof whole, "%s%s", root, path) >= PATH_SIZE)
		return -ENAMETOOLONG;
	whole[folder] = 0;
	below = open(whole, FILESYSTEM_FOLDER | O_CLOEXEC);
	if (below < 0)
		return -errno;
	fd = filesystem_open_within(below, whole + folder + 1, flags);
	close(below);
	if (fd != -ENOSYS)
		return fd;
	whole[folder] = '/';
	if (is_served(whole))
		return -EXDEV;
	fd = open(whole, flags);
	return fd < 0 ? -errno : fd;
}

/* Whether to ask the C library for what it reads from this file. */
static bool may_ask(const char *path)
{
	const int fd = open_own("", path);

	if (fd >= 0)
		close(fd);
	return fd != -EXDEV;
}

/* The first line of a file. False: there is none. */
static bool read_line(const char *root, const char *path, char text[MACHINE_TEXT])
{
	const int fd = open_own(root, path);
	ssize_t n;

	text[0] = 0;
	if (fd < 0)
		return false;
	n = read(fd, text, MACHINE_TEXT - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	text[strcspn(text, "\n")] = 0;
	return text[0] != 0;
}

static bool reads(const char *root, const char *path, const char *expected)
{
	char text[MACHINE_TEXT];

	return read_line(root, path, text) && !strcmp(text, expected);
}

static double load_of_minute(void)
{
	double load = -1;

#if defined(HAVE_GETLOADAVG)
	if (!may_ask("/proc/loadavg") || getloadavg(&load, 1) != 1)
		load = -1;
#endif
	return load;
}

long machine_cpus(void)
{
#if defined(_SC_NPROCESSORS_ONLN)
	if (may_ask(CPUS "/online"))
		return sysconf(_SC_NPROCESSORS_ONLN);
#endif
	affinity_save();
	return affinity_count();
}

void machine_look(const char *root, struct machine *machine)
{
	char path[sizeof CPUS + 64];

	machine->load = load_of_minute();
	machine->cpus = machine_cpus();
	machine->cpu = affinity_here();
	snprintf(path, sizeof path, CPUS "/cpu%d/cpufreq/scaling_governor", machine->cpu);
	read_line(root, path, machine->governor);
	machine->intel = reads(root, CPUS "/intel_pstate/no_turbo", "0");
	machine->boosts = machine->intel || reads(root, CPUS "/cpufreq/boost", "1");
	machine->smt = reads(root, CPUS "/smt/active", "1");
}

static struct cpucycles_reason *add(struct judge_warnings *list, const char *name, size_t runs)
{
	list->list[list->n].name = name;
	list->list[list->n].bit = 0;
	list->list[list->n].runs = runs;
	return &list->list[list->n++].reason;
}

static void judge_load(const struct machine *machine, struct judge_warnings *warnings)
{
	const double most = (double)machine->cpus * LOAD_PER_CPU;
	struct cpucycles_reason *reason;

	if (machine->cpus <= 0 || !(machine->load > most))
		return;
	reason = add(warnings, "load", 1);
	reason_say(reason, 0, "%.1f programs want to run, the mean of a minute, on %ld CPU%s",
		   machine->load, machine->cpus, machine->cpus == 1 ? "" : "s");
	reason_remedy(reason, "end them, or wait until uptime(1) shows %.1f at most", most);
}

static void judge_settings(const struct machine *machine, struct judge_warnings *notes)
{
	struct cpucycles_reason *reason;

	if (machine->governor[0] && strcmp(machine->governor, "performance")) {
		reason = add(notes, "governor", 0);
		reason_say(reason, 0,
			   "%s sets the frequency of CPU %d, which may change with the load",
			   machine->governor, machine->cpu);
		reason_remedy(reason, "run as root: cpupower frequency-set -g performance");
	}
	if (machine->boosts) {
		reason = add(notes, "boost", 0);
		reason_say(reason, 0,
			   "the CPU may run faster for a while, as far as its heat allows");
		reason_remedy(reason, "run as root: echo %d >" CPUS "/%s", machine->intel ? 1 : 0,
			      machine->intel ? "intel_pstate/no_turbo" : "cpufreq/boost");
	}
	if (machine->smt) {
		reason = add(notes, "smt", 0);
		reason_say(reason, 0,
			   "two threads share each core, so another program may slow one down");
		reason_remedy(reason, "run as root: echo off >" CPUS "/smt/control");
	}
}

void machine_judge(const struct machine *machine, struct judge_warnings *warnings,
		   struct judge_warnings *notes)
{
	judge_load(machine, warnings);
	judge_settings(machine, notes);
}
