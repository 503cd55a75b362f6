/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "thread.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#ifdef __linux__
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>

/* linux/kcmp.h, which not every libc brings. */
#define THREAD_KCMP_VM 1

int thread_id(void)
{
	return (int)syscall(SYS_gettid);
}

bool thread_exists(int id)
{
	return !(syscall(SYS_tgkill, getpid(), id, 0) && errno == ESRCH);
}

/* The id that libc keeps of its thread; 0 if it does not tell. The clock's name is made of it,
 * without a system call (linux/posix-timers.h, CPUCLOCK_PID; glibc nptl/pthread_getcpuclockid.c,
 * musl src/thread/pthread_getcpuclockid.c). */
static int id_of_libc(void)
{
	clockid_t clock;

	return pthread_getcpuclockid(pthread_self(), &clock) ? 0 : (int)~(clock >> 3);
}

/* libc tells a child of fork its own id, but none of vfork, nor of a clone that goes past it. The
 * last has memory of its own if it came without CLONE_VM: only the kernel knows. */
bool thread_is_guest(int id)
{
	int known = id_of_libc();

	if (known == id || known <= 0)
		return false;
#ifdef SYS_kcmp
	long order = syscall(SYS_kcmp, id, known, THREAD_KCMP_VM, 0, 0);

	return order == 0 || (order < 0 && errno != ESRCH);
#else
	return true;
#endif
}
#else
/* Elsewhere the address of a thread's own variable tells threads apart, and a
 * lock held at the time of a fork is waited for until its deadline. */
static _Thread_local char mark;

int thread_id(void)
{
	return (int)(((uintptr_t)&mark >> 2 & 0x7fffffff) | 1);
}

bool thread_exists(int id)
{
	(void)id;
	return true;
}

bool thread_is_guest(int id)
{
	(void)id;
	return false;
}
#endif
