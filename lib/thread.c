/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "thread.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>

int thread_id(void)
{
	return (int)syscall(SYS_gettid);
}

bool thread_exists(int id)
{
	return !(syscall(SYS_tgkill, getpid(), id, 0) && errno == ESRCH);
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
#endif
