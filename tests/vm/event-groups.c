/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * What the kernel does with groups of events on the PMUs of made-pmu.c:
 *   event-groups ratio        a pinned group on one CPU, read while it counts and later
 *   event-groups too-large    open a group until the kernel refuses a member
 *   event-groups taken        read a pinned group while another one has all counters
 *   event-groups shared       six events that are not pinned
 *   event-groups moves        a pinned group for each kind, while the thread moves between all CPUs
 *   event-groups moves-alone  one such group
 *   event-groups refused      what the PMUs refuse
 *   event-groups hold COMMAND run the command while all counters are taken
 * The events are those of the PMU cpu_core, or of one that is named as the second argument. Each
 * line of the output is a name and its values.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define DEVICES "/sys/bus/event_source/devices/"
#define CPUS 4
#define COUNTERS 4 /* of each CPU */
#define MEMBERS_MAX 8
#define NS_PER_MS 1000000
#define CYCLES 0x3c /* the codes of the module's events */
#define INSTRUCTIONS 0xc0
#define SLOTS 0x1a4

static const char *first_pmu = "cpu_core";

static uint32_t type_of(const char *pmu)
{
	char path[128];
	unsigned type = 0;
	FILE *file;

	snprintf(path, sizeof path, DEVICES "%s/type", pmu);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%u", &type) != 1) {
		printf("missing %s\n", path);
		exit(1);
	}
	fclose(file);
	return type;
}

static struct perf_event_attr event_of(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = { .type = type, .size = sizeof attr, .config = config };

	attr.read_format =
		PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return attr;
}

/* Of this thread. The descriptor, or a negative errno. */
static int open_event(struct perf_event_attr attr, int leader)
{
	int descriptor = (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);

	return descriptor < 0 ? -errno : descriptor;
}

struct group {
	int descriptors[MEMBERS_MAX];
	unsigned n;
	int error; /* of the member that was refused */
};

/* From now on the group counts, or it is in error. */
static void enable(const struct group *group)
{
	ioctl(group->descriptors[0], PERF_EVENT_IOC_ENABLE, 0);
}

/* A pinned group of these events, or of those before one that is refused. Nothing is counted before
 * all are open. */

static struct group open_group(uint32_t type, const uint64_t configs[], unsigned n)
{
	struct group group = { .n = 0 };

	while (group.n < n) {
		struct perf_event_attr attr = event_of(type, configs[group.n]);
		int descriptor;

		attr.pinned = group.n == 0;
		attr.disabled = group.n == 0;
		descriptor = open_event(attr, group.n ? group.descriptors[0] : -1);
		if (descriptor < 0) {
			group.error = descriptor;
			break;
		}
		group.descriptors[group.n++] = descriptor;
	}
	if (group.n)
		enable(&group);
	return group;
}

static void close_group(const struct group *group)
{
	for (unsigned i = group->n; i-- > 0;)
		close(group->descriptors[i]);
}

struct reading {
	uint64_t n, enabled_ns, running_ns, counts[MEMBERS_MAX];
};

/* The bytes that were read: 0 if the group is in error. */
static struct reading read_group(const struct group *group, long *bytes)
{
	struct reading reading = { 0 };

	*bytes = group->n ? read(group->descriptors[0], &reading, sizeof reading) : -EBADF;
	return reading;
}

static void print_reading(const char *name, const struct group *group)
{
	long bytes;
	const struct reading reading = read_group(group, &bytes);

	printf("%s-bytes %ld\n%s-time %llu %llu\n%s-counts", name, bytes, name,
	       (unsigned long long)reading.enabled_ns, (unsigned long long)reading.running_ns,
	       name);
	for (unsigned i = 0; i < reading.n; i++)
		printf(" %llu", (unsigned long long)reading.counts[i]);
	putchar('\n');
}

static void run_on(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof set, &set) != 0)
		printf("no-cpu %u\n", cpu);
}

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void spin_ms(int64_t ms)
{
	const int64_t end = now_ns() + ms * NS_PER_MS;

	while (now_ns() < end)
		;
}

static const uint64_t both[] = { CYCLES, INSTRUCTIONS };
static const uint64_t many[] = { CYCLES, INSTRUCTIONS, SLOTS, CYCLES, INSTRUCTIONS, SLOTS };

static void ratio(void)
{
	struct group group;

	run_on(0);
	group = open_group(type_of(first_pmu), both, 2);
	spin_ms(20);
	print_reading("first", &group);
	usleep(1000);
	print_reading("second", &group);
	close_group(&group);
}

static void too_large(void)
{
	const struct group group = open_group(type_of(first_pmu), many, 6);

	printf("members %u\nerror %d\n", group.n, -group.error);
	close_group(&group);
}

static void taken(void)
{
	struct group first, second;

	run_on(1);
	first = open_group(type_of(first_pmu), many, COUNTERS);
	second = open_group(type_of(first_pmu), both, 2);
	spin_ms(10);
	print_reading("first", &first);
	print_reading("second", &second);
	close_group(&first);
	print_reading("left-alone", &second);
	enable(&second);
	spin_ms(10);
	print_reading("enabled-again", &second);
	close_group(&second);
}

/* Each is a group of its own. */
static void shared(void)
{
	const uint32_t type = type_of(first_pmu);
	int descriptors[6];

	run_on(0);
	for (unsigned i = 0; i < 6; i++)
		descriptors[i] = open_event(event_of(type, many[i]), -1);
	spin_ms(200);
	for (unsigned i = 0; i < 6; i++) {
		const struct group one = { .descriptors = { descriptors[i] }, .n = 1 };

		print_reading("shared", &one);
	}
}

/* Run on each CPU in turn. */
static void walk(void)
{
	for (unsigned i = 0; i < 40; i++) {
		run_on(i % CPUS);
		spin_ms(5);
	}
}

static void moves(void)
{
	const struct group core = open_group(type_of(first_pmu), both, 2);
	const struct group atom = open_group(type_of("cpu_atom"), both, 2);

	walk();
	print_reading("core", &core);
	print_reading("atom", &atom);
	close_group(&core);
	close_group(&atom);
}

static void moves_alone(void)
{
	const struct group group = open_group(type_of(first_pmu), both, 2);

	walk();
	print_reading("alone", &group);
	close_group(&group);
}

static void print_error(const char *name, struct perf_event_attr attr, int leader)
{
	const int descriptor = open_event(attr, leader);

	printf("%s %d\n", name, descriptor < 0 ? -descriptor : 0);
	if (descriptor >= 0)
		close(descriptor);
}

static void refused(void)
{
	const uint32_t atom = type_of("cpu_atom");
	struct perf_event_attr attr = event_of(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
	const int leader = open_event(event_of(type_of(first_pmu), CYCLES), -1);

	print_error("generic", attr, leader);
	attr.config |= (uint64_t)atom << 32;
	print_error("generic-atom", attr, -1);
	print_error("other-kind", attr, leader);
	attr.config = PERF_COUNT_HW_BRANCH_MISSES;
	print_error("branch-misses", attr, -1);
	print_error("cache", event_of(PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1D), -1);
	print_error("software", event_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS), leader);
	print_error("unknown-code", event_of(atom, 0x77), -1);
	attr = event_of(atom, CYCLES);
	attr.exclude_kernel = 1;
	print_error("exclude", attr, -1);
	attr = event_of(atom, CYCLES);
	attr.sample_period = 1000;
	print_error("samples", attr, -1);
}

/* Events of a CPU come before those of its threads. They count until the command has ended, which
 * inherits the descriptors. */
static int hold(char *command[])
{
	const uint32_t types[] = { type_of("cpu_core"), type_of("cpu_atom") };

	for (int cpu = 0; cpu < CPUS; cpu++) {
		for (int i = 0; i < COUNTERS; i++) {
			struct perf_event_attr attr = event_of(types[cpu / (CPUS / 2)], CYCLES);

			attr.pinned = 1;
			if (syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0) < 0)
				perror("hold");
		}
	}
	execvp(command[0], command);
	perror(command[0]);
	return 1;
}

int main(int argc, char *argv[])
{
	static const struct {
		const char *name;
		void (*run)(void);
	} all[] = {
		{ "ratio", ratio },     { "too-large", too_large }, { "taken", taken },
		{ "shared", shared },   { "moves", moves },         { "moves-alone", moves_alone },
		{ "refused", refused },
	};

	if (argc > 2 && strcmp(argv[1], "hold") == 0)
		return hold(argv + 2);
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		if (argc > 1 && strcmp(argv[1], all[i].name) == 0) {
			if (argc > 2)
				first_pmu = argv[2];
			all[i].run();
			return 0;
		}
	}
	fprintf(stderr, "usage: event-groups hold COMMAND..., or the name of a case [PMU]\n");
	return 2;
}
