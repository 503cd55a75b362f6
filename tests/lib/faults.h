/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Functions that cause each of the guard's six signals, by a real fault of the calling thread. */

#ifndef CPUCYCLES_FAULTS_H
#define CPUCYCLES_FAULTS_H

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif
#ifdef HAVE_LINUX_SECCOMP_H
#include <linux/filter.h>
#include <linux/seccomp.h>
#else
#define SECCOMP_RET_TRAP 0
#define SECCOMP_RET_ERRNO 0
#endif

/* A page without any access. */
static volatile char *fault_page;

__attribute__((unused)) static int fault_prepare(void)
{
	void *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	fault_page = page == MAP_FAILED ? NULL : page;
	return fault_page ? 0 : -1;
}

/* Sanitizers would report the fault before it happens. */
#define UNSANITIZED __attribute__((unused, no_sanitize("address", "undefined", "thread")))

UNSANITIZED static void fault_segv(void *unused)
{
	(void)unused;
	(void)*fault_page;
}

#ifdef __sparc__
/* An int at an odd address. (Not a page behind the end of a file: the host of qemu-user has smaller
 * pages, so that page is not mapped.) */
__attribute__((unused)) static void fault_bus(void *unused)
{
	static const uint64_t place;

	(void)unused;
	__asm__ volatile("lduw [%0 + 1], %%g1" : : "r"(&place) : "g1", "memory");
}
#else
/* A page behind the end of a file. */
UNSANITIZED static void fault_bus(void *unused)
{
	char name[] = "/tmp/cpucycles-bus.XXXXXX";
	int fd = mkstemp(name);
	volatile char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);

	(void)unused;
	unlink(name);
	close(fd);
	(void)*page;
}
#endif

#if defined(__x86_64__) || defined(__i386__)
#define FAULT_INSTRUCTIONS
__attribute__((unused)) static void fault_ill(void *unused)
{
	(void)unused;
	__asm__ volatile("ud2");
}

__attribute__((unused)) static void fault_fpe(void *unused)
{
	int high = 0, low = 1;

	(void)unused;
	__asm__ volatile("idivl %2" : "+a"(low), "+d"(high) : "r"(0));
}

__attribute__((unused)) static void fault_trap(void *unused)
{
	(void)unused;
	__asm__ volatile("int3");
}
#endif

/* From now on, RDTSC faults in this thread, and in the threads and children that it starts. Returns
 * whether that can be had. Under some hypervisors prctl(2) answers 0 and RDTSC goes on to work, so
 * a child tries it first. */
__attribute__((unused)) static bool forbid_tsc(void)
{
#if defined(PR_SET_TSC) && (defined(__x86_64__) || defined(__i386__))
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		signal(SIGSEGV, SIG_DFL);
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
		if (!prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0))
			__asm__ volatile("rdtsc" : : : "eax", "edx");
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFSIGNALED(status))
		return false;
	return !prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
#else
	return false;
#endif
}

#ifdef __linux__
#ifdef HAVE_LINUX_SECCOMP_H
/* The lower half of an argument of a system call. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LOWER_HALF sizeof(uint32_t)
#else
#define LOWER_HALF 0
#endif

__attribute__((unused)) static int install_filter(struct sock_filter *filter, size_t steps)
{
	struct sock_fprog program = { (unsigned short)steps, filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
#endif

/* From now on, one system call of this process gets this answer (SECCOMP_RET_...). Returns 0, or -1
 * if that is impossible, for example without the kernel's headers. */
__attribute__((unused)) static int sandbox(long call, unsigned answer)
{
#ifdef HAVE_LINUX_SECCOMP_H
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return install_filter(filter, sizeof filter / sizeof filter[0]);
#else
	(void)call, (void)answer;
	return -1;
#endif
}

/* The same, only for calls whose first argument is this one. */
__attribute__((unused)) static int sandbox_argument(long call, int argument, unsigned answer)
{
#ifdef HAVE_LINUX_SECCOMP_H
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args) + LOWER_HALF),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)argument, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	return install_filter(filter, sizeof filter / sizeof filter[0]);
#else
	(void)call, (void)argument, (void)answer;
	return -1;
#endif
}

/* Faults after sandbox(SYS_getpriority, SECCOMP_RET_TRAP). */
__attribute__((unused)) static void fault_sys(void *unused)
{
	(void)unused;
	syscall(SYS_getpriority, 0, 0);
}
#endif

/* The sanitizers of this build. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

/* This sanitizer's own code makes the calls that fault, while it holds its locks. The jump out of
 * the fault would leave these locks taken for ever. */
#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZED 1
#endif
#endif
#ifndef THREAD_SANITIZED
#define THREAD_SANITIZED 0
#endif

/* Whether this counter leaves a handler for the signal, because the kernel may close its register:
 * cpucycles-process(7), "Handler that stays". */
__attribute__((unused)) static bool faults_may_stay(const char *counter, int sig)
{
	if (strstr(counter, "rdpru"))
		return sig == SIGILL || sig == SIGSEGV;
	if (strstr(counter, "pmc") && !strncmp(counter, "amd64", 5))
		return sig == SIGSEGV;
	return (strstr(counter, "pmc") || strstr(counter, "arm32") || strstr(counter, "rdcycle")) &&
	       sig == SIGILL;
}

#endif
