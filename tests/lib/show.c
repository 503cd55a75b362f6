/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Make a first call under some conditions and print the result, for scripts:
 *   show [CONDITION...]
 * The conditions are made in this order:
 *   block                   all signals are blocked
 *   tsc                     RDTSC faults
 *   eperm, enosys, sigsys   what perf_event_open answers
 *   comma                   numbers have a decimal comma
 *   trace                   tracesetup
 *   closed, full, many      no descriptor is allowed, none is free, 600 are in use
 *   bare                    descriptors 0, 1 and 2 are closed
 *   memory                  no further memory can be had
 *   counter                 the counter's name is asked for before the first count
 * Exit status: 0, 1 if a promise is broken, 2 usage, 77 impossible here. */

#include "config.h"

#include "comma.h"
#include "cpucycles.h"
#include "faults.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define STEPS 100000000
#define MANY 600

static sigset_t mask_before;

static int block(void)
{
	sigset_t all;

	sigfillset(&all);
	return sigprocmask(SIG_SETMASK, &all, NULL);
}

static int comma(void)
{
	return comma_set() ? 0 : -1;
}

static int trace(void)
{
	cpucycles_tracesetup();
	return 0;
}

static int closed(void)
{
	return setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 0, 0 });
}

/* Open up to this many descriptors, or all. */
static int open_files(int n)
{
	while (n-- > 0)
		if (open("/", O_RDONLY) < 0)
			return errno == EMFILE ? 0 : -1;
	return 0;
}

static int full(void)
{
	return open_files(INT_MAX);
}

static int many(void)
{
	const struct rlimit limit = { MANY + 100, MANY + 100 };

	return setrlimit(RLIMIT_NOFILE, &limit) || open_files(MANY) ? -1 : 0;
}

static int memory(void)
{
	return setrlimit(RLIMIT_AS, &(struct rlimit){ 0, 0 });
}

static int standard_output = -1;

static int bare(void)
{
	standard_output = fcntl(STDOUT_FILENO, F_DUPFD, 100);
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	return standard_output < 0 ? -1 : 0;
}

static int counter(void)
{
	return cpucycles_implementation() ? 0 : -1;
}

#ifdef __linux__
static int tsc(void)
{
	return forbid_tsc() ? 0 : -1;
}

static int eperm(void)
{
	return sandbox(SYS_perf_event_open, SECCOMP_RET_ERRNO | EPERM);
}

static int enosys(void)
{
	return sandbox(SYS_perf_event_open, SECCOMP_RET_ERRNO | ENOSYS);
}

static int sigsys(void)
{
	return sandbox(SYS_perf_event_open, SECCOMP_RET_TRAP);
}
#endif

static const struct {
	const char *name;
	int (*make)(void);
} conditions[] = {
	{ "block", block },
#ifdef __linux__
	{ "tsc", tsc },     { "eperm", eperm }, { "enosys", enosys }, { "sigsys", sigsys },
#endif
	{ "comma", comma }, { "trace", trace }, { "closed", closed }, { "full", full },
	{ "many", many },   { "bare", bare },   { "memory", memory }, { "counter", counter },
};

static void make(const char *name)
{
	for (size_t i = 0; i < sizeof conditions / sizeof conditions[0]; i++) {
		if (strcmp(name, conditions[i].name))
			continue;
		if (!conditions[i].make())
			return;
		fprintf(stderr, "show: %s cannot be made here\n", name);
		exit(77);
	}
	fprintf(stderr, "show: no condition %s\n", name);
	exit(2);
}

static void promise(bool holds, const char *what)
{
	if (holds)
		return;
	printf("broken %s\n", what);
	fflush(stdout);
	exit(1);
}

/* Counts never fall, and they rise within a bounded number of calls. */
static void count(void)
{
	long long first = cpucycles(), last = first;

	for (int i = 0; last == first; i++) {
		long long next = cpucycles();

		promise(next >= last, "counts decrease");
		promise(i < STEPS, "counts stand still");
		last = next;
	}
}

static void keep_everything(void)
{
	sigset_t now;

	memset(&now, 0, sizeof now);
	sigprocmask(SIG_BLOCK, NULL, &now);
	promise(!memcmp(&now, &mask_before, sizeof now), "signal mask");
	promise(errno == 42, "errno");
}

/* The closed descriptors are still closed, and the output goes where it went. */
static void unbare(void)
{
	if (standard_output < 0)
		return;
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			standard_output = -1;
	if (standard_output < 0)
		exit(1);
	dup2(standard_output, STDOUT_FILENO);
}

int main(int argc, char *argv[])
{
	for (int i = 1; i < argc; i++)
		make(argv[i]);
	memset(&mask_before, 0, sizeof mask_before);
	sigprocmask(SIG_BLOCK, NULL, &mask_before);
	errno = 42;
	count();
	keep_everything();
	count();
	/* One by one, because each of them must leave errno alone. */
	const char *name = cpucycles_implementation(), *source = cpucycles_selection_source();
	const char *status = cpucycles_cache_status(), *from = cpucycles_persecond_source();
	const char *version = cpucycles_version();
	long long persecond = cpucycles_persecond();

	keep_everything();
	unbare();
	promise(persecond > 0, "persecond is positive");
	promise(!strcmp(version, PACKAGE_VERSION), "version");
	printf("implementation %s\nsource %s\nstatus %s\npersecond %lld\npersecond-source %s\n",
	       name, source, status, persecond, from);
	return fflush(stdout) ? 1 : 0;
}
