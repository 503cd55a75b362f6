/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The number of a thread, as the kernel numbers threads. */

#include "config.h"

#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef HAVE_SYS_SINGLE_THREADED_H
#include <sys/single_threaded.h>
#endif

#ifndef __linux__
#error "Linux only"
#endif

/* From linux/kcmp.h, which not every libc brings. */
#define THREAD_KCMP_VM 1

/*
 * The id that libc has stored for the calling thread; 0 if libc does not tell. No system call is
 * made: the name of the thread's CPU clock contains the id (linux/posix-timers.h, CPUCLOCK_PID;
 * glibc nptl/pthread_getcpuclockid.c, musl src/thread/pthread_getcpuclockid.c).
 */
static int id_of_libc(void)
{
	clockid_t clock;

	return pthread_getcpuclockid(pthread_self(), &clock) ? 0 : (int)~(clock >> 3);
}

/* A sandbox may refuse gettid(2). If all threads then had the same id, two of them could take a
 * lock at once. */
int thread_id(void)
{
	const long id = syscall(SYS_gettid);

	return id > 0 ? (int)id : id_of_libc();
}

bool thread_exists(int id)
{
	return !(syscall(SYS_tgkill, getpid(), id, 0) && errno == ESRCH);
}

/*
 * libc stores the new id in a child of fork, but not in a child of vfork or of a clone(2) that
 * libc does not know of. Such a clone has memory of its own if it was made without CLONE_VM,
 * which only the kernel can tell.
 */
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

bool thread_is_alone(void)
{
#ifdef HAVE_SYS_SINGLE_THREADED_H
	return __libc_single_threaded;
#else
	return false;
#endif
}
