/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Whether a first call takes longer on a machine of more CPUs, with a longer cache, or when many
 * processes make theirs at the same time. */

#include "config.h"

#include "sections.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define CPUS_MANY 1024

/* So many times, all --together processes start at once. */
#define CROWDS 10

/* Two commands that take turns. Which one goes first is drawn anew for each turn. */
struct pair {
	const char *few, *many;     /* names of series */
	struct command commands[2]; /* of few, of many */
};

/* source: where the selection has to come from. */
static bool sample(struct bench *bench, const char *name, const struct command *command,
		   const char *source)
{
	struct answer answer;
	char why[SERIES_WHY];

	if (answer_ask(bench, command, &answer, why)) {
		if (!strcmp(answer.source, source)) {
			bench_add(bench, name, "us", (double)answer.ns / 1e3);
			return true;
		}
		snprintf(why, sizeof why, "its selection came from %s (%s)", answer.source,
			 answer.status);
	}
	bench_missing(bench, name, "us", "%s", why);
	return false;
}

static void take_turns(struct bench *bench, const struct pair *pair, const char *source)
{
	uint64_t state = bench->seed | 1;

	for (long i = 0; i < bench->rounds; i++) {
		bool many_first = random_next(&state) >> 63;

		for (int j = 0; j < 2; j++) {
			bool many = many_first == (j == 0);

			if (!sample(bench, many ? pair->many : pair->few, &pair->commands[many],
				    source))
				return;
		}
	}
}

/* 1 and 1,024 CPUs: a mount namespace whose /proc/cpuinfo and /sys show so many. */

static bool write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	bool good = file && fputs(text, file) >= 0;

	return file && !fclose(file) && good;
}

/* Repeats this machine's lines on its first CPU for each CPU. */
static bool write_cpuinfo(const char *path, long cpus)
{
	static char block[8192];
	FILE *in = fopen("/proc/cpuinfo", "r"), *out = fopen(path, "w");
	size_t n = in ? fread(block, 1, sizeof block - 1, in) : 0;
	char *rest;

	if (in)
		fclose(in);
	block[n] = 0;
	rest = strstr(block, "\n\n");
	if (rest)
		rest[2] = 0;
	rest = strchr(block, '\n'); /* the first line is "processor : 0", with a number for each */
	if (!out || !rest)
		return false;
	for (long i = 0; i < cpus; i++)
		fprintf(out, "processor\t: %ld%s", i, rest);
	return !fclose(out);
}

static bool write_sys(const char *folder, long cpus)
{
	char path[PATH_MAX * 2], range[32];

	snprintf(range, sizeof range, cpus > 1 ? "0-%ld\n" : "%ld\n", cpus - 1);
	for (long i = 0; i < cpus; i++) {
		snprintf(path, sizeof path, "%s/cpu%ld", folder, i);
		if (mkdir(path, 0755))
			return false;
	}
	for (size_t i = 0; i < 3; i++) {
		static const char *const lists[] = { "online", "present", "possible" };

		snprintf(path, sizeof path, "%s/%s", folder, lists[i]);
		if (!write_text(path, range))
			return false;
	}
	return true;
}

/* Moves the calling process into a new mount namespace that shows so many CPUs. */
static bool mount_machine(const struct bench *bench, long cpus)
{
	const char *root = bench->root ? bench->root : "";
	char cpuinfo[PATH_MAX + 64], path[PATH_MAX + 64];

	snprintf(cpuinfo, sizeof cpuinfo, "%s/cpuinfo-%ld", bench->folder_outside, cpus);
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    !write_cpuinfo(cpuinfo, cpus))
		return false;
	snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
	if (mount(cpuinfo, path, NULL, MS_BIND, NULL))
		return false;
	snprintf(path, sizeof path, "%s/sys/devices/system/cpu", root);
	return !mount("cpus", path, "tmpfs", 0, NULL) && write_sys(path, cpus);
}

/* A descriptor of a mount namespace that shows so many CPUs, or a negative errno. A child makes
 * the namespace and ends; the descriptor keeps the namespace. */
static int machine_of(const struct bench *bench, long cpus)
{
	int ends[2], back[2], fd = -EPERM;
	char path[64], answer = 0;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) || pipe2(back, O_CLOEXEC))
		return -errno;
	child = fork();
	if (child == 0) {
		char byte = mount_machine(bench, cpus) ? 'y' : 'n';

		close(back[1]);
		if (write(ends[1], &byte, 1) == 1)
			while (read(back[0], &byte, 1) > 0)
				continue;
		_exit(0);
	}
	close(ends[1]);
	close(back[0]);
	if (child > 0 && read(ends[0], &answer, 1) == 1 && answer == 'y') {
		snprintf(path, sizeof path, "/proc/%d/ns/mnt", (int)child);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		fd = fd < 0 ? -errno : fd;
	}
	close(ends[0]);
	close(back[1]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return fd;
}

static void grow_cpus(struct bench *bench)
{
	struct pair cached = { .few = "growth.cpus-1", .many = "growth.cpus-1024" };
	struct pair none = { .few = "growth.cpus-1.none", .many = "growth.cpus-1024.none" };
	int few = machine_of(bench, 1), many = few < 0 ? few : machine_of(bench, CPUS_MANY);

	if (many < 0) {
		bench_missing(bench, cached.many, "us",
			      "only root can make a /proc/cpuinfo of its own here");
		if (few >= 0)
			close(few);
		return;
	}
	for (int i = 0; i < 2; i++) {
		cached.commands[i] = (struct command){
			.words = { bench->call, "first", bench->library },
			.environment = { bench->cache[0] ? bench->cache : NULL },
			.input = -1,
			.output = -1,
			.mounts = i ? many : few,
		};
		none.commands[i] = cached.commands[i];
		none.commands[i].environment[0] = "CPUCYCLES_CACHE=none";
	}
	take_turns(bench, &cached, "cache");
	take_turns(bench, &none, "probe");
	close(few);
	close(many);
}

/* 5 and 50 counters in the cache: see many.c */

static bool write_cache(struct bench *bench, const char *program, const char *file)
{
	const struct command command = {
		.words = { program, "write", file },
		.input = -1,
		.output = -1,
	};
	static struct ended ended;

	if (spawn_run(bench, &command, &ended))
		return true;
	bench_missing(bench, "growth.counters-50", "us", "%s: %.100s", file, ended.text);
	return false;
}

static void grow_counters(struct bench *bench)
{
	static struct {
		char program[PATH_MAX + 32], file[PATH_MAX + 32], cache[PATH_MAX + 64];
	} few, many;
	struct pair pair = { .few = "growth.counters-5", .many = "growth.counters-50" };

	snprintf(few.program, sizeof few.program, "%s/bench/many-5", bench->build);
	snprintf(many.program, sizeof many.program, "%s/bench/many-50", bench->build);
	snprintf(few.file, sizeof few.file, "%s/many-5", bench->folder);
	snprintf(many.file, sizeof many.file, "%s/many-50", bench->folder);
	snprintf(few.cache, sizeof few.cache, "CPUCYCLES_CACHE=%s", few.file);
	snprintf(many.cache, sizeof many.cache, "CPUCYCLES_CACHE=%s", many.file);
	if (!write_cache(bench, few.program, few.file) ||
	    !write_cache(bench, many.program, many.file))
		return;
	pair.commands[0] = (struct command){
		.words = { few.program, "first" },
		.environment = { few.cache },
		.input = -1,
		.output = -1,
	};
	pair.commands[1] = (struct command){
		.words = { many.program, "first" },
		.environment = { many.cache },
		.input = -1,
		.output = -1,
	};
	take_turns(bench, &pair, "cache");
}

/* 1 and many processes at once */

struct crowd {
	pid_t *children;
	long n, ready, answered;
	int gate[2];    /* a pipe: the children wait until its writing end is closed */
	int answers[2]; /* a pipe that all children write to */
};

static void raise_files(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static bool start_crowd(struct bench *bench, const struct command *command, long n,
			struct crowd *crowd)
{
	struct command one = *command;

	memset(crowd, 0, sizeof *crowd);
	crowd->children = calloc((size_t)n, sizeof crowd->children[0]);
	if (!crowd->children || pipe2(crowd->gate, O_CLOEXEC) || pipe2(crowd->answers, O_CLOEXEC))
		return false;
	one.input = crowd->gate[0];
	one.output = crowd->answers[1];
	for (; crowd->n < n; crowd->n++) {
		crowd->children[crowd->n] = spawn_start(bench, &one);
		if (crowd->children[crowd->n] < 0)
			break;
	}
	close(crowd->gate[0]);
	close(crowd->answers[1]);
	return crowd->n == n;
}

/* Reads a line "ready" from each child, opens the gate, and reads an answer from each. */
static void hear_crowd(struct bench *bench, const char *name, struct crowd *crowd)
{
	FILE *in = fdopen(crowd->answers[0], "r");
	struct answer answer;
	char line[512];

	while (in && fgets(line, sizeof line, in)) {
		if (!strcmp(line, "ready\n")) {
			if (++crowd->ready == crowd->n)
				close(crowd->gate[1]);
		} else if (answer_parse(line, &answer)) {
			crowd->answered++;
			bench_add(bench, name, "us", (double)answer.ns / 1e3);
		}
	}
	if (in)
		fclose(in);
	if (crowd->ready < crowd->n)
		close(crowd->gate[1]);
	for (long i = 0; i < crowd->n; i++)
		waitpid(crowd->children[i], NULL, 0);
	free(crowd->children);
	if (crowd->answered < crowd->n)
		bench_missing(bench, name, "us", "%ld of %ld processes answered", crowd->answered,
			      crowd->n);
}

static void run_crowd(struct bench *bench, const char *name, const struct command *command, long n)
{
	struct crowd crowd;

	if (!start_crowd(bench, command, n, &crowd))
		bench_missing(bench, name, "us", "only %ld processes could be started: %s", crowd.n,
			      strerror(errno));
	if (crowd.n > 0)
		hear_crowd(bench, name, &crowd);
}

/* The bare system calls are measured too. What they lose in a crowd is lost in the kernel. */
static void grow_processes(struct bench *bench)
{
	struct command first = {
		.words = { bench->call, "first", bench->library, "wait" },
		.environment = { bench->cache[0] ? bench->cache : NULL },
	};
	struct command bare = {
		.words = { bench->call, "bare", bench->library, bench->cached_trace.text, "wait" },
	};
	bool has_bare = bench->bare_trace.n > 0 && !bench->bare_trace.why[0];

	raise_files();
	/* In turns, because a shared machine's speed changes from second to second. */
	for (long i = 0; i < CROWDS; i++) {
		long from = i * bench->rounds / CROWDS, to = (i + 1) * bench->rounds / CROWDS;

		for (long j = from; j < to; j++) {
			run_crowd(bench, "growth.processes-1", &first, 1);
			if (has_bare)
				run_crowd(bench, "growth.processes-1.bare", &bare, 1);
		}
		run_crowd(bench, "growth.processes-many", &first, bench->together);
		if (has_bare)
			run_crowd(bench, "growth.processes-many.bare", &bare, bench->together);
	}
}

void bench_growth(struct bench *bench)
{
	grow_cpus(bench);
	grow_counters(bench);
	grow_processes(bench);
}
