/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Runs a program on a made AMD processor: one that has RDPRU, whatever this one is.
 *
 *     made-amd [-r CYCLES] [-m READS] [-s READS] [-i] [-t] PROGRAM [ARGUMENT]...
 *
 * This is no real APERF, and says nothing about how long a real read takes. The program, the
 * library, the signals and the kernel are real. The program is traced. Its CPUID faults
 * (arch_prctl(2), ARCH_SET_CPUID) and gets the answers of this CPU with AMD's name; its RDPRU
 * faults and gets a made register. Where this CPU is AMD's, CPUID has that name by itself.
 *
 * -r: the register counts so many cycles in 1,000 ticks of the time-stamp counter (1,700). But if a
 *     read follows another one at once, what the tracer takes for it is left out: the two are 45
 *     cycles apart, as on a real processor.
 * -m: after so many reads the program moves to another CPU, with another register.
 * -s: after so many reads the instruction faults.
 * -i: a SIGUSR1 that the program raises comes behind its next read, by one instruction the first
 *     time, and by one more each time, up to 64. The read after that faults, which is that of the
 *     signal's handler.
 *
 * -t: nothing is left out: the register counts the ticks of all that passes.
 *
 * Exit status: that of the program; 77 if this system cannot do so, with the reason.
 */

#include "config.h"

#include <stdio.h>

#if defined(__x86_64__) && defined(__linux__)

#include <cpuid.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

#define ARCH_SET_CPUID 0x1012

/* Number of arch_prctl in the tables of 32-bit programs. */
#define ARCH_PRCTL_32 384

/* The code segment of 32-bit programs. */
#define CODE_SEGMENT_32 0x23

#define APART UINT64_C(80000000000000)

#define OPTIONS \
	(PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | \
	 PTRACE_O_TRACECLONE)

/* Reads that are fewer ticks apart follow each other at once. The tracer takes 10,000 ticks for
 * one, or 200,000 where it has to wake another CPU. */
#define AT_ONCE 2000000
#define READ_CYCLES 45

/* How many instructions behind a read a signal may come. */
#define BEHIND_MAX 64

static unsigned long ratio = 1700, moving, stopping, reads;
static bool delaying;        /* option -i */
static bool counts_all;      /* option -t */
static bool raised;          /* a signal waits for the next read */
static unsigned long behind; /* of the last signal, in instructions */
static bool closed;          /* the next read faults */
static uint64_t last_tsc, last_aperf;

static void fail(const char *what)
{
	fprintf(stderr, "made-amd: %s: %s\n", what, strerror(errno));
	exit(1);
}

static bool is_code(pid_t thread, const struct user_regs_struct *r, long code, unsigned bytes)
{
	const long mask = (1L << 8 * bytes) - 1;
	long word;

	errno = 0;
	word = ptrace(PTRACE_PEEKTEXT, thread, (void *)r->rip, NULL);
	return !errno && (word & mask) == code;
}

static void step(pid_t thread)
{
	int status;

	ptrace(PTRACE_SINGLESTEP, thread, NULL, NULL);
	waitpid(thread, &status, __WALL);
}

/* Run one system call of the traced thread, and put everything back. */
static long call(pid_t thread, long number, unsigned long a, unsigned long b)
{
	struct user_regs_struct saved, r;
	long word, answer;

	ptrace(PTRACE_GETREGS, thread, NULL, &saved);
	r = saved;
	word = ptrace(PTRACE_PEEKTEXT, thread, (void *)r.rip, NULL);
	if (r.cs == CODE_SEGMENT_32) {
		r.rbx = a;
		r.rcx = b;
	} else {
		r.rdi = a;
		r.rsi = b;
	}
	r.rax = (unsigned long)number;
	r.orig_rax = (unsigned long)-1;
	/* INT 0x80, or SYSCALL. */
	ptrace(PTRACE_POKETEXT, thread, (void *)r.rip,
	       (void *)((word & ~0xffffL) | (r.cs == CODE_SEGMENT_32 ? 0x80cd : 0x050f)));
	ptrace(PTRACE_SETREGS, thread, NULL, &r);
	step(thread);
	ptrace(PTRACE_GETREGS, thread, NULL, &r);
	answer = (long)r.rax;
	ptrace(PTRACE_POKETEXT, thread, (void *)saved.rip, (void *)word);
	ptrace(PTRACE_SETREGS, thread, NULL, &saved);
	return answer;
}

static bool is_amd(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(0, &a, &b, &c, &d) && b == signature_AMD_ebx && d == signature_AMD_edx &&
	       c == signature_AMD_ecx;
}

/* A new program may execute CPUID: forbid it. The thread is still in execve(2), which it has to
 * leave first. */
static void close_cpuid(pid_t thread)
{
	struct user_regs_struct r;
	long answer;

	if (is_amd())
		return;
	step(thread);
	ptrace(PTRACE_GETREGS, thread, NULL, &r);
	answer = call(thread, r.cs == CODE_SEGMENT_32 ? ARCH_PRCTL_32 : SYS_arch_prctl,
		      ARCH_SET_CPUID, 0);
	if (answer == 0)
		return;
	printf("this CPU cannot make CPUID fault: %s\n", strerror((int)-answer));
	exit(77);
}

static void answer_cpuid(struct user_regs_struct *r)
{
	unsigned a, b, c, d;

	__cpuid_count((unsigned)r->rax, (unsigned)r->rcx, a, b, c, d);
	if (r->rax == 0 || r->rax == 0x80000000) {
		memcpy(&b, "Auth", 4);
		memcpy(&d, "enti", 4);
		memcpy(&c, "cAMD", 4);
	} else if (r->rax == 0x80000001) {
		c |= bit_SSE4a;
	}
	r->rax = a;
	r->rbx = b;
	r->rcx = c;
	r->rdx = d;
	r->rip += 2;
}

static void answer_rdpru(struct user_regs_struct *r)
{
	const uint64_t moved = moving ? reads / moving % 2 * APART : 0;
	const uint64_t tsc = __rdtsc(), ticks = tsc - last_tsc;
	const uint64_t aperf =
		last_aperf + (ticks < AT_ONCE && !counts_all ? READ_CYCLES : ticks * ratio / 1000);

	last_tsc = tsc;
	last_aperf = aperf;
	reads++;
	r->rax = (uint32_t)(aperf + moved);
	r->rdx = (aperf + moved) >> 32;
	r->rip += 3;
}

/* Whether the instruction works this time. */
static bool is_open(void)
{
	const bool open = !closed && !(stopping && reads >= stopping);

	closed = false;
	return open;
}

/* Whether the signal was the fault of an instruction that was answered here. */
static bool answered(pid_t thread, int sig)
{
	struct user_regs_struct r;

	if ((sig != SIGSEGV && sig != SIGILL) || ptrace(PTRACE_GETREGS, thread, NULL, &r))
		return false;
	if (sig == SIGSEGV && is_code(thread, &r, 0xa20f, 2))
		answer_cpuid(&r);
	else if (sig == SIGILL && is_code(thread, &r, 0xfd010f, 3) && is_open())
		answer_rdpru(&r);
	else
		return false;
	return !ptrace(PTRACE_SETREGS, thread, NULL, &r);
}

/* Behind a read: let some instructions pass, and return the signal to send. */
static int deliver(pid_t thread)
{
	int status;

	raised = false;
	behind = behind % BEHIND_MAX + 1;
	for (unsigned long n = 0; n < behind; n++) {
		ptrace(PTRACE_SINGLESTEP, thread, NULL, NULL);
		if (waitpid(thread, &status, __WALL) < 0 || !WIFSTOPPED(status))
			return 0;
		if (WSTOPSIG(status) != SIGTRAP && !answered(thread, WSTOPSIG(status)))
			return WSTOPSIG(status);
	}
	closed = true;
	return SIGUSR1;
}

/* A stopped thread goes on. A new one begins with SIGSTOP. */
static void go_on(pid_t thread, int status)
{
	const unsigned long before = reads;
	int sig = WSTOPSIG(status);

	if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
		close_cpuid(thread);
	if (delaying && sig == SIGUSR1) {
		raised = true;
		sig = 0;
	}
	if (status >> 16 || sig == SIGSTOP || answered(thread, sig))
		sig = 0;
	if (raised && reads > before)
		sig = deliver(thread);
	ptrace(PTRACE_CONT, thread, NULL, (void *)(long)sig);
}

/* Until the program and all of its children have ended. */
static int trace(pid_t program)
{
	int status, answer = 1;
	pid_t thread;

	while ((thread = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFSTOPPED(status))
			go_on(thread, status);
		else if (thread == program)
			answer = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	return answer;
}

static int run(char *argv[])
{
	const pid_t program = fork();
	int status;

	if (program < 0)
		fail("fork");
	if (program == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL)) {
			printf("no process may be traced here: %s\n", strerror(errno));
			exit(77);
		}
		raise(SIGSTOP);
		execvp(argv[0], argv);
		fail(argv[0]);
	}
	if (waitpid(program, &status, 0) < 0 || !WIFSTOPPED(status))
		return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
	if (ptrace(PTRACE_SETOPTIONS, program, NULL, (void *)(long)OPTIONS))
		fail("ptrace");
	ptrace(PTRACE_CONT, program, NULL, NULL);
	return trace(program);
}

int main(int argc, char *argv[])
{
	int option;

	while ((option = getopt(argc, argv, "+r:m:s:it")) != -1) {
		unsigned long *number = option == 'r' ? &ratio :
					option == 'm' ? &moving :
							&stopping;

		if (option == '?')
			return 2;
		if (option == 'i')
			delaying = true;
		else if (option == 't')
			counts_all = true;
		else
			*number = strtoul(optarg, NULL, 10);
	}
	return optind < argc ? run(argv + optind) : 2;
}

#else

int main(void)
{
	puts("RDPRU is an instruction of x86-64");
	return 77;
}

#endif
