/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the programs of the soak share: their time, and the resources that a process holds. */

#ifndef CPUCYCLES_SOAK_H
#define CPUCYCLES_SOAK_H

#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#define NS_PER_S UINT64_C(1000000000)

static inline uint64_t soak_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static inline void soak_sleep(long ns)
{
	nanosleep(&(struct timespec){ .tv_nsec = ns }, NULL);
}

static inline _Noreturn void soak_broken(const char *what)
{
	printf("broken: %s\n", what);
	fflush(stdout);
	_exit(1);
}

/* Resources of a process: open descriptors, mappings, and KiB of memory, in all and of its own. */
struct held {
	long descriptors, mappings, resident, anonymous;
};

/* A process that cannot open a descriptor to look at itself has leaked descriptors. */
static inline void *soak_opened(void *file)
{
	if (!file)
		soak_broken("a file of /proc/self can't be opened");
	return file;
}

static inline long held_descriptors(void)
{
	DIR *folder = soak_opened(opendir("/proc/self/fd"));
	long n = 0;

	while (readdir(folder))
		n++;
	closedir(folder);
	return n;
}

static inline long held_mappings(void)
{
	FILE *file = soak_opened(fopen("/proc/self/maps", "r"));
	char line[4096];
	long n = 0;

	while (fgets(line, sizeof line, file))
		n++;
	fclose(file);
	return n;
}

/* Not VmRSS: the kernel sums it up per CPU, so it can be off by some pages (proc_pid_status(5)). */
static inline void held_memory(struct held *held)
{
	FILE *file = soak_opened(fopen("/proc/self/smaps_rollup", "r"));
	char line[4096];

	while (fgets(line, sizeof line, file)) {
		sscanf(line, "Rss: %ld", &held->resident);
		sscanf(line, "Anonymous: %ld", &held->anonymous);
	}
	fclose(file);
}

static inline struct held held_now(void)
{
	struct held held = { .descriptors = held_descriptors(), .mappings = held_mappings() };

	held_memory(&held);
	return held;
}

/* Within this many rounds, a process has all resources that it needs. */
#define SOAK_ROUNDS 10

/* The time of a run, and the resources of the process after a tenth of it, or after SOAK_ROUNDS
 * rounds if those took longer. */
struct soak {
	uint64_t start, length; /* ns */
	unsigned long rounds;
	bool looked;
	struct held first;
};

/* A process ends when the script that started it ends. */
static inline struct soak soak_begin(const char *seconds)
{
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	return (struct soak){ .start = soak_now(),
			      .length = strtoull(seconds, NULL, 10) * NS_PER_S };
}

static inline bool soak_goes_on(struct soak *soak)
{
	uint64_t passed = soak_now() - soak->start;

	if (!soak->looked && passed > soak->length / 10 && soak->rounds >= SOAK_ROUNDS) {
		soak->looked = true;
		soak->first = held_now();
	}
	soak->rounds++;
	return passed < soak->length || !soak->looked;
}

static inline void soak_report(const struct soak *soak, const char *what, unsigned long n)
{
	const struct held last = held_now();

	printf("%s %lu descriptors %ld %ld mappings %ld %ld resident %ld %ld anonymous %ld %ld\n",
	       what, n, soak->first.descriptors, last.descriptors, soak->first.mappings,
	       last.mappings, soak->first.resident, last.resident, soak->first.anonymous,
	       last.anonymous);
	fflush(stdout);
}

#endif
