/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Runs a program and kills it just before a system call:
 *   kill-at NUMBER N PROGRAM [ARGUMENT...]     the N-th call of that number
 * (strace can inject a signal, but not at the stops of --seccomp-bpf, without which it takes ten
 * times as long.) Children of the program run free. Exit status: 137 if it was killed, else the
 * program's; 2 usage, 77 impossible here. */

#include "config.h"

#include <stdio.h>

#ifdef __linux__

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* ptrace(2), PTRACE_O_TRACESYSGOOD. */
#define SYSCALL_STOP (SIGTRAP | 0x80)

/* A bit of x32's numbers that strace leaves out. */
#define X32_BIT 0x40000000u

static int impossible(const char *what)
{
	fprintf(stderr, "kill-at: %s: %s\n", what, strerror(errno));
	return 77;
}

static bool enters(pid_t pid, unsigned long long number)
{
	struct __ptrace_syscall_info info = { 0 };

	return ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) > 0 &&
	       info.op == PTRACE_SYSCALL_INFO_ENTRY &&
	       (info.entry.nr & ~(unsigned long long)X32_BIT) == number;
}

static int follow(pid_t pid, unsigned long long number, long left)
{
	long pass = 0; /* a signal for the program, to be passed on */
	int status;

	/* ESRCH: the program is being killed. */
	while ((!ptrace(PTRACE_SYSCALL, pid, NULL, pass) || errno == ESRCH) &&
	       waitpid(pid, &status, 0) == pid) {
		pass = 0;
		if (WIFEXITED(status))
			return WEXITSTATUS(status);
		if (WIFSIGNALED(status))
			return 128 + WTERMSIG(status);
		if (WSTOPSIG(status) != SYSCALL_STOP &&
		    !(status >> 16)) /* and no event such as exec */
			pass = WSTOPSIG(status);
		else if (WSTOPSIG(status) == SYSCALL_STOP && enters(pid, number) && --left == 0)
			kill(pid, SIGKILL);
	}
	return impossible("tracing");
}

int main(int argc, char *argv[])
{
	int status;
	pid_t pid;

	if (argc < 4 || atol(argv[2]) < 1) {
		fputs("usage: kill-at NUMBER N PROGRAM [ARGUMENT...]\n", stderr);
		return 2;
	}
	pid = fork();
	if (pid == 0) {
		if (!ptrace(PTRACE_TRACEME, 0, NULL, NULL) && !raise(SIGSTOP))
			execv(argv[3], argv + 3);
		_exit(77);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
	    ptrace(PTRACE_SETOPTIONS, pid, NULL,
		   (long)(PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)))
		return impossible("starting");
	return follow(pid, strtoull(argv[1], NULL, 10), atol(argv[2]));
}

#else

int main(void)
{
	puts("kill-at: this system has no ptrace(2) as Linux has it");
	return 77;
}

#endif
