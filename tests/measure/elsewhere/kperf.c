/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * A macOS with kperf, for measure/events/group-macos.c. Each kpc_get_thread_counters takes the next
 * look: the counts with commas between them, or - for an error. Without a member, a meter counts
 * the cycles. The environment may have:
 *
 *     counters=NUMBER  of the CPU
 *     forced=1         another program has all counters
 *     holder=PID       this process has the lock
 *     no_kperf=1       there is no framework
 *     lacks=FUNCTION   the framework has no such function
 *     also=WHAT        what happens while the group is open, see also()
 */

#include "config.h"

#include "driver.h"
#include "kperf.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int process = 100;
static unsigned counters = 10, counting = 4, thread_counting = 8;
static int forced;

pid_t made_getpid(void)
{
	return process;
}
int made_fcntl(int fd, int command, ...)
{
	const char *holder = getenv("holder");
	struct flock *lock;
	va_list list;

	va_start(list, command);
	lock = va_arg(list, struct flock *);
	va_end(list);
	if (lock->l_type != F_WRLCK || lock->l_whence != SEEK_SET || lock->l_start || lock->l_len)
		puts("another lock");
	if (command == F_SETLK) {
		printf("lock %d\n", fd);
		errno = EAGAIN;
		return holder || fails("lock") ? -1 : 0;
	}
	if (command != F_GETLK)
		return -1;
	lock->l_type = holder ? F_WRLCK : F_UNLCK;
	lock->l_pid = holder ? atoi(holder) : 0;
	return 0;
}

static int call(const char *name, unsigned value)
{
	printf("%s %u\n", name, value);
	return fails(name);
}

static int force_get(int *value)
{
	*value = forced;
	return fails("force_get");
}

static int force_set(int value)
{
	if (call("force", (unsigned)value))
		return -1;
	forced = value;
	return 0;
}

static uint32_t counter_count(uint32_t classes)
{
	return (classes & 1 ? 2 : 0) + (classes & 2 ? counters - 2 : 0);
}

static uint32_t config_count(uint32_t classes)
{
	return classes & 2 ? counters - 2 : 0;
}
static int get_config(uint32_t classes, void *config)
{
	for (uint64_t i = 0; i < config_count(classes); i++)
		((uint64_t *)config)[i] = i + 1;
	return fails("get_config");
}

static int set_config(uint32_t classes, void *config)
{
	printf("config %u", (unsigned)classes);
	for (uint32_t i = 0; i < config_count(classes); i++)
		printf(" %llx", ((unsigned long long *)config)[i]);
	puts("");
	return fails("config");
}

static uint32_t get_counting(void)
{
	return counting;
}
static int set_counting(uint32_t classes)
{
	counting = classes;
	return call("counting", classes);
}

static uint32_t get_thread_counting(void)
{
	return thread_counting;
}
static int set_thread_counting(uint32_t classes)
{
	thread_counting = classes;
	return call("thread_counting", classes);
}

static int get_thread_counters(uint32_t thread, uint32_t n, uint64_t *counts)
{
	char *text = *looks;

	if (thread != 0 || n != counters)
		puts("another thread or number of counters");
	if (!text)
		return 0;
	looks++;
	if (*text == '-') {
		errno = EINVAL;
		return -1;
	}
	for (uint32_t i = 0; i < n; i++) {
		counts[i] = text ? strtoull(text, &text, 10) : 0;
		text = text && *text == ',' ? text + 1 : NULL;
	}
	return 0;
}

static int reset(void)
{
	puts("kperf_reset");
	return 0;
}

void *made_dlopen(const char *path, int flags)
{
	printf("dlopen %s%s\n", path, flags == (RTLD_LAZY | RTLD_LOCAL) ? "" : " otherwise");
	return getenv("no_kperf") ? NULL : &counting;
}

void *made_dlsym(void *library, const char *name)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} all[] = {
#define SYMBOL(name, function) { name, (void (*)(void))function }
		SYMBOL("kpc_force_all_ctrs_get", force_get),
		SYMBOL("kpc_force_all_ctrs_set", force_set),
		SYMBOL("kpc_get_counter_count", counter_count),
		SYMBOL("kpc_get_config_count", config_count),
		SYMBOL("kpc_get_config", get_config),
		SYMBOL("kpc_set_config", set_config),
		SYMBOL("kpc_get_counting", get_counting),
		SYMBOL("kpc_set_counting", set_counting),
		SYMBOL("kpc_get_thread_counting", get_thread_counting),
		SYMBOL("kpc_set_thread_counting", set_thread_counting),
		SYMBOL("kpc_get_thread_counters", get_thread_counters),
		SYMBOL("kperf_reset", reset),
	};
	const char *lacks = getenv("lacks");
	void *symbol = NULL;

	if (library != &counting || (lacks && !strcmp(lacks, name)))
		return NULL;
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (!strcmp(all[i].name, name))
			memcpy(&symbol, &all[i].function, sizeof symbol);
	return symbol;
}

static long long (*cycles)(void);

static void open_cycles(void)
{
	print_result("cycles", kperf_cycles_ready(&cycles, &reason));
	if (cycles)
		printf("%lld\n", cycles());
}

/* What the variable `also` names, while the group is open. */
static void also(const char *what, size_t n)
{
	if (!strcmp(what, "cycles")) {
		open_cycles();
		kperf_cycles_close();
	} else if (!strcmp(what, "group")) {
		if (!open_group(1, n))
			event_group_close(group(1));
	} else if (!strcmp(what, "child")) {
		process = 200;
	} else if (!strcmp(what, "unforced")) {
		forced = 0;
	} else if (!strcmp(what, "stopped")) {
		counting = 1;
	} else if (!strcmp(what, "threads")) {
		thread_counting = 0;
	}
}

static void drive_cycles(void)
{
	open_cycles();
	while (cycles && *looks)
		printf("%lld\n", cycles());
	kperf_cycles_close();
	kperf_cycles_close(); /* does nothing */
}

void drive(size_t n)
{
	if (getenv("counters"))
		counters = (unsigned)atoi(getenv("counters"));
	forced = getenv("forced") != NULL;
	if (n == 0) {
		drive_cycles();
		return;
	}
	if (open_group(0, n))
		return;
	puts("open");
	if (getenv("also"))
		also(getenv("also"), n);
	read_and_close(n);
}
