/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* First calls in odd places:
 *   odd stack SIZE            in a thread with a stack of that many bytes; 0: the least possible
 *   odd dlopen LIBRARY N      N times: load it, count in this thread and another one, unload it
 *   odd stepped PROGRAM...    run a program one instruction at a time, for STEPS instructions
 *                             from its first mark on
 *   odd stopped PROGRAM...    stop a program again and again, as a debugger that attaches does
 * The library is the libcpucycles.so.1 that the loader finds. The program is not linked with it, so
 * that it can unload the library. The marks are those of sandboxed.c: getpriority() of 7357.
 * Exit status: the program's, 0, 1 if a promise is broken, 2 usage, 77 impossible here. */

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MARK 7357
#define STEPS 100000
#define STOP_EVERY_NS 20000

static int fail(int status, const char *what)
{
	printf("%s\n", what);
	return status;
}

typedef long long counter(void);

static void *count_there(void *library)
{
	counter **pointer = dlsym(library, "cpucycles");

	return pointer && (*pointer)() != 0 ? library : NULL;
}

static const char *word(void *library, const char *function)
{
	const char *(*ask)(void) = (const char *(*)(void))dlsym(library, function);

	return ask ? ask() : "nothing";
}

/* Stacks */

static int on_stack(size_t size)
{
	void *library = dlopen("libcpucycles.so.1", RTLD_NOW), *answer;
	pthread_attr_t attr;
	pthread_t thread;

	if (!library)
		return fail(77, dlerror());
	if (size == 0)
		size = (size_t)sysconf(_SC_THREAD_STACK_MIN);
	pthread_attr_init(&attr);
	if (pthread_attr_setstacksize(&attr, size))
		return fail(77, "libc takes no stack so small");
	if (pthread_create(&thread, &attr, count_there, library))
		return fail(77, "no thread with a stack so small");
	pthread_join(thread, &answer);
	printf("%zu bytes: %s, cache %s\n", size, word(library, "cpucycles_implementation"),
	       word(library, "cpucycles_cache_status"));
	return answer && strcmp(word(library, "cpucycles_implementation"), "default-zero") ? 0 : 1;
}

/* Loading */

static unsigned entries(const char *folder)
{
	DIR *dir = opendir(folder);
	unsigned n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

static unsigned lines(const char *path)
{
	FILE *file = fopen(path, "r");
	unsigned n = 0;
	int c;

	while (file && (c = getc(file)) != EOF)
		n += c == '\n';
	if (file)
		fclose(file);
	return n;
}

static atomic_bool counted, unloaded;

/* A thread that has counted, and ends after the library was unloaded. */
static void *count_and_stay(void *library)
{
	library = count_there(library);
	atomic_store(&counted, true);
	while (!atomic_load(&unloaded))
		sched_yield();
	return library;
}

static int load(const char *path)
{
	void *library = dlopen(path, RTLD_NOW), *there = NULL;
	pthread_t thread;

	if (!library)
		return fail(77, dlerror());
	if (!count_there(library))
		return fail(1, "no count");
	atomic_store(&counted, false);
	atomic_store(&unloaded, false);
	if (pthread_create(&thread, NULL, count_and_stay, library))
		return fail(77, "no thread");
	while (!atomic_load(&counted))
		sched_yield();
	dlclose(library);
	atomic_store(&unloaded, true);
	pthread_join(thread, &there);
	return there ? 0 : fail(1, "no count in a thread");
}

static int load_often(const char *path, int n)
{
	unsigned maps = 0, files = 0, now;
	int status = 0;

	for (int i = 0; i < n && !status; i++) {
		status = load(path);
		if (i == 9) {
			maps = lines("/proc/self/maps");
			files = entries("/proc/self/fd");
		}
	}
	now = lines("/proc/self/maps");
	printf("mappings %u, at last %u; descriptors %u, at last %u\n", maps, now, files,
	       entries("/proc/self/fd"));
	if (status)
		return status;
	return now > maps || entries("/proc/self/fd") > files;
}

/* Tracers */

static pid_t start(char *argv[])
{
	pid_t child = fork();

	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[0], argv);
		_exit(126);
	}
	return child;
}

static int result(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* The tracer itself causes SIGTRAP only; every other signal is passed on to the program. */
static long to_pass_on(int status)
{
	return WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
}

#ifdef __x86_64__
static int at_mark(pid_t child)
{
	struct user_regs_struct r;

	return !ptrace(PTRACE_GETREGS, child, 0, &r) && (long)r.orig_rax == SYS_getpriority &&
	       r.rsi == MARK;
}

static int stepped(char *argv[])
{
	enum __ptrace_request request = PTRACE_SYSCALL;
	pid_t child = start(argv);
	long steps = 0;
	int status;

	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		if (request == PTRACE_SYSCALL && at_mark(child))
			request = PTRACE_SINGLESTEP;
		if (request == PTRACE_SINGLESTEP && ++steps > STEPS)
			request = PTRACE_CONT;
		ptrace(request, child, 0, to_pass_on(status));
	}
	printf("%ld steps\n", steps);
	return steps > 1000 ? result(status) : 77;
}
#else
static int stepped(char *argv[])
{
	(void)argv;
	return fail(77, "not on this architecture");
}
#endif

static int stopped(char *argv[])
{
	const struct timespec pause = { .tv_nsec = STOP_EVERY_NS };
	long stops = 0;
	int status, ready[2];
	pid_t child;
	char byte;

	if (pipe(ready))
		return fail(77, "no pipe");
	child = fork();
	if (child == 0) {
		close(ready[1]);
		if (read(ready[0], &byte, 1) < 0) /* until it is traced */
			_exit(126);
		execv(argv[0], argv);
		_exit(126);
	}
	if (ptrace(PTRACE_SEIZE, child, 0, 0))
		return fail(77, strerror(errno));
	close(ready[1]);
	for (;;) {
		nanosleep(&pause, NULL);
		ptrace(PTRACE_INTERRUPT, child, 0, 0);
		if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
			break;
		/* A stop of the tracer's has the event in its status. Other stops are signals. */
		ptrace(PTRACE_CONT, child, 0, status >> 16 ? 0 : WSTOPSIG(status));
		stops++;
	}
	printf("%ld stops\n", stops);
	return result(status);
}

int main(int argc, char *argv[])
{
	if (argc == 3 && !strcmp(argv[1], "stack"))
		return on_stack(strtoul(argv[2], NULL, 10));
	if (argc == 4 && !strcmp(argv[1], "dlopen"))
		return load_often(argv[2], atoi(argv[3]));
	if (argc > 2 && !strcmp(argv[1], "stepped"))
		return stepped(argv + 2);
	if (argc > 2 && !strcmp(argv[1], "stopped"))
		return stopped(argv + 2);
	fputs("usage: odd stack SIZE | dlopen LIBRARY N | stepped PROGRAM... | stopped "
	      "PROGRAM...\n",
	      stderr);
	return 2;
}
