/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* no-vdso PROGRAM [ARGUMENT...]: run a program that does not find the kernel's vDSO, so that libc
 * reads clocks by system calls. Before the program's first instruction, AT_SYSINFO_EHDR in its
 * auxiliary vector (getauxval(3)) is replaced by AT_IGNORE.
 * Exit status: the program's, 128 and its signal, 77 where this can't be done, 2 usage. */

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

static int impossible(const char *what)
{
	perror(what);
	return 77;
}

#if defined(__x86_64__)

static int peek(pid_t child, uint64_t place, uint64_t *word)
{
	errno = 0;
	*word = (uint64_t)ptrace(PTRACE_PEEKDATA, child, place, 0);
	return errno;
}

/* At the start, the stack has argc, argv, NULL, the environment, NULL, and the pairs of the
 * auxiliary vector (x86-64 psABI, 3.4.1). */
static int hide(pid_t child)
{
	struct user_regs_struct registers;
	uint64_t place, word = 0;

	if (ptrace(PTRACE_GETREGS, child, 0, &registers))
		return -1;
	place = registers.rsp;
	if (peek(child, place, &word))
		return -1;
	place += (word + 2) * 8;
	do {
		if (peek(child, place, &word))
			return -1;
		place += 8;
	} while (word);
	for (; !peek(child, place, &word) && word != AT_NULL; place += 16)
		if (word == AT_SYSINFO_EHDR)
			return (int)ptrace(PTRACE_POKEDATA, child, place, (long)AT_IGNORE);
	return -1;
}

int main(int argc, char *argv[])
{
	int status;
	pid_t child;

	if (argc < 2)
		return 2;
	child = fork();
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execvp(argv[1], argv + 1);
		_exit(126);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		return impossible("no-vdso: no traced child");
	if (hide(child) || ptrace(PTRACE_DETACH, child, 0, 0)) {
		kill(child, SIGKILL);
		return impossible("no-vdso: no AT_SYSINFO_EHDR to hide");
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#else

int main(void)
{
	errno = ENOSYS;
	return impossible("no-vdso: not on this architecture");
}

#endif
