/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "execute.h"
#include "raw-clock.h"
#include "signals.h"
#include "spent.h"
#include "streams.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

extern char **environ;

/* The parent wakes up every LOOK_NS, unless the program ends or writes. */
#define LOOK_NS UINT64_C(250000000)

/* Read TURNS parts of standard error at most before the parent looks again. */
#define TURNS 64

/* End what the program has started in ROUNDS rounds at most. In each, a child that was killed may
 * leave children. */
#define ROUNDS 1000
#define ROUND_NS 1000000

#define PADDING_NAME "MEASURE_PADDING="

/* Linux counts kilobytes, as BSDs do. */
#ifdef __APPLE__
#define MEMORY_UNIT 1
#else
#define MEMORY_UNIT 1024
#endif

/* Environment */

/* This program's environment, and the padding. NULL: memory ran out. */
static char **pad(size_t padding)
{
	const size_t name = strlen(PADDING_NAME);
	size_t n = 0, i = 0;
	char **padded, *text;

	while (environ[n])
		n++;
	padded = malloc((n + 2) * sizeof *padded + name + padding + 1);
	if (!padded)
		return NULL;
	text = (char *)(padded + n + 2);
	memcpy(text, PADDING_NAME, name);
	memset(text + name, 'x', padding);
	text[name + padding] = 0;
	for (; i < n; i++)
		padded[i] = environ[i];
	if (padding)
		padded[i++] = text;
	padded[i] = NULL;
	return padded;
}

/* Descriptors */

/* All are closed when the program begins, and lie above those of standard error. */
struct files {
	int input, null, output;
	int errors[2]; /* a pipe from its standard error; below 0: there is none */
	int report[2]; /* a pipe for the error if it cannot begin */
};

static void close_files(struct files *files)
{
	const int all[] = { files->input,     files->null,      files->errors[0],
			    files->errors[1], files->report[0], files->report[1] };

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (all[i] >= 0)
			close(all[i]);
}

/* 0 or a negative errno. */
static int open_files(const struct execute *execute, struct files *files)
{
	int error;

	*files = (struct files){ -1, -1, execute->output, { -1, -1 }, { -1, -1 } };
	files->null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (files->null < 0)
		return -errno;
	if (execute->input) {
		files->input = open(execute->input, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (files->input < 0)
			return -errno;
	}
	error = streams_pipe(files->report);
	if (!error && !execute->shown) {
		error = streams_pipe(files->errors);
		fcntl(files->errors[0], F_SETFL, O_NONBLOCK);
	}
	return error;
}

static void redirect(const struct execute *execute, const struct files *files)
{
	dup2(execute->input ? files->input : files->null, STDIN_FILENO);
	if (execute->shown)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	else
		dup2(files->output >= 0 ? files->output : files->null, STDOUT_FILENO);
	if (!execute->shown)
		dup2(files->errors[1], STDERR_FILENO);
}

/* Start */

/* In the child, which may share the memory of its parent until the program begins: nothing that the
 * parent reads is written. */
static void become(const struct execute *execute, const struct files *files, pid_t parent)
{
	int error;

	setsid();
	signals_end_with(parent);
	redirect(execute, files);
	signals_give_back();
	streams_give_back();
	if (!execute->folder || !chdir(execute->folder))
		execvp(execute->arguments[0], execute->arguments);
	error = errno;
	_exit(write(files->report[1], &error, sizeof error) < 0);
}

/* A copy of this process's memory costs the child time, which would count as the program's. So on
 * Linux, the child has none. It is used as posix_spawn(3) uses it, which cannot do the rest. */
#ifdef __linux__
#define START vfork
#else
#define START fork
#endif

/* 0 or a negative errno. *child: of a program that has begun. */
static int start(const struct execute *execute, struct files *files, pid_t *child)
{
	const pid_t parent = getpid();
	char **const before = environ, **const padded = pad(execute->padding);
	int error = 0, status;
	pid_t process;

	if (!padded)
		return -ENOMEM;
	environ = padded;
	process = START();
	if (process == 0)
		become(execute, files, parent);
	*child = process;
	if (process < 0)
		error = errno;
	environ = before;
	free(padded);
	if (error)
		return -error;
	close(files->report[1]);
	files->report[1] = -1;
	if (read(files->report[0], &error, sizeof error) != (ssize_t)sizeof error)
		return 0;
	signals_reap(*child, false, &status);
	return -error;
}

/* The end */

/* Add what can be read now to the last bytes, but not for ever. False: there will be no more. */
static bool read_errors(int fd, struct executed *executed)
{
	char part[8192];

	for (unsigned turn = 0; turn < TURNS; turn++) {
		const ssize_t got = read(fd, part, sizeof part);
		size_t n = got > 0 ? (size_t)got : 0, kept = executed->length;

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK;
		if (got == 0)
			return false;
		if (n > EXECUTE_LAST)
			n = EXECUTE_LAST;
		if (kept > EXECUTE_LAST - n)
			kept = EXECUTE_LAST - n;
		memmove(executed->last, executed->last + executed->length - kept, kept);
		memcpy(executed->last + kept, part + got - n, n);
		executed->length = kept + n;
	}
	return true;
}

static enum execute_end follow(pid_t child, int errors, uint64_t timeout_ns,
			       struct executed *executed)
{
	const uint64_t look_ns =
		timeout_ns && timeout_ns / 4 < LOOK_NS ? timeout_ns / 4 + 1 : LOOK_NS;
	struct spent spent = { .looked_ns = raw_clock_ns() };
	bool open = errors >= 0;
	int code;

	while (!signals_has_ended(child, &code)) {
		if (signals_asked())
			return EXECUTE_INTERRUPTED;
		if (timeout_ns && spent.ns > timeout_ns)
			return EXECUTE_TIMED_OUT;
		signals_wait(look_ns, open ? errors : -1);
		open = open && read_errors(errors, executed);
		spent_add(&spent, raw_clock_ns(), look_ns);
	}
	return code == CLD_EXITED ? EXECUTE_EXITED : EXECUTE_SIGNALLED;
}

/* What has left its parent */

#if defined(__linux__) && defined(PR_SET_CHILD_SUBREAPER)
/* Whether programs that lose their parents become children of this one. Not if it has children of
 * others, which nothing here may end: a shell may have started them before it became this program.
 */
static bool adopts(void)
{
	static bool asked, answer;
	siginfo_t info;

	if (!asked)
		answer = waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) && errno == ECHILD &&
			 !prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	asked = true;
	return answer;
}

/* Source: proc_pid_stat(5). The name of the program may have any bytes in it. 0: not known. */
static long parent_of(const char *process)
{
	char path[64], text[1024], *end;
	FILE *file;
	size_t n;

	snprintf(path, sizeof path, "/proc/%.20s/stat", process);
	file = fopen(path, "re");
	if (!file)
		return 0;
	n = fread(text, 1, sizeof text - 1, file);
	fclose(file);
	text[n] = 0;
	end = strrchr(text, ')');
	return end && strlen(end) > 4 ? strtol(end + 4, NULL, 10) : 0;
}

/* False: nothing was killed, because nothing may be, or is found. */
static bool kill_children(void)
{
	const long own = (long)getpid();
	char self[32] = "";
	bool killed = false;
	DIR *proc;

	/* It may show the numbers of another namespace. */
	if (readlink("/proc/self", self, sizeof self - 1) < 0 || strtol(self, NULL, 10) != own)
		return false;
	proc = opendir("/proc");
	if (!proc)
		return false;
	for (struct dirent *entry; (entry = readdir(proc));) {
		const long process = strtol(entry->d_name, NULL, 10);

		if (process > 0 && parent_of(entry->d_name) == own)
			killed |= !kill((pid_t)process, SIGKILL);
	}
	closedir(proc);
	return killed;
}

static void end_children(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		pid_t ended;

		do
			ended = waitpid(-1, NULL, WNOHANG);
		while (ended > 0);
		if (ended < 0 || !kill_children())
			return;
		signals_sleep(ROUND_NS);
	}
}
#else
static bool adopts(void)
{
	return false;
}

static void end_children(void) {}
#endif

static double ns_of(const struct timeval *time)
{
	return (double)time->tv_sec * 1e9 + (double)time->tv_usec * 1e3;
}

/* Get what the program has used. What is left of its session ends before its number is free. */
static void reap(pid_t child, struct executed *executed)
{
	struct rusage usage = { .ru_maxrss = 0 }, own;
	int status = 0;
	pid_t got;

	kill(-child, SIGKILL);
	kill(child, SIGKILL);
	do
		got = wait4(child, &status, 0, &usage);
	while (got < 0 && errno == EINTR);
	getrusage(RUSAGE_SELF, &own);
	executed->cpu_ns = ns_of(&usage.ru_utime) + ns_of(&usage.ru_stime);
	/* The memory of this process, which the child shared, counts as the child's. */
	executed->memory = usage.ru_maxrss > own.ru_maxrss ? (double)usage.ru_maxrss * MEMORY_UNIT :
							     (double)NAN;
	executed->status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

void execute(const struct execute *execute, struct executed *executed)
{
	const bool all = adopts();
	struct files files;
	struct counts counts;
	uint64_t begun_ns;
	pid_t child;
	int error;

	*executed = (struct executed){ .end = EXECUTE_NOT_STARTED };
	error = open_files(execute, &files);
	counts_open(execute->counts, &counts);
	begun_ns = raw_clock_ns();
	if (!error)
		error = start(execute, &files, &child);
	executed->status = error;
	if (!error) {
		if (files.errors[1] >= 0)
			close(files.errors[1]);
		files.errors[1] = -1;
		executed->end = follow(child, files.errors[0], execute->timeout_ns, executed);
		executed->wall_ns = (double)(raw_clock_ns() - begun_ns);
		if (files.errors[0] >= 0)
			read_errors(files.errors[0], executed);
		reap(child, executed);
		counts_read(&counts, executed->cpu_ns, &executed->counts);
		if (all)
			end_children();
	}
	counts_close(&counts);
	close_files(&files);
	executed->last[executed->length] = 0;
}
