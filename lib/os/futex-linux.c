/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Waiting for another thread by futex(2). */

#include "config.h"

#include "os/futex.h"

#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __linux__
#error "Linux only"
#endif

/* From linux/futex.h, which not every libc brings: FUTEX_WAIT and FUTEX_WAKE, each with
 * FUTEX_PRIVATE_FLAG. */
#define WAIT_PRIVATE 128
#define WAKE_PRIVATE 129

/* The call, and a word of the timespec that it takes. */
#if defined(SYS_futex)
#define FUTEX_CALL SYS_futex
typedef long time_word;
#elif defined(SYS_futex_time64)
#define FUTEX_CALL SYS_futex_time64
typedef int64_t time_word;
#else
#error "no futex"
#endif

bool futex_wait(atomic_int *word, int value, long ns)
{
	const time_word timeout[2] = { 0, ns };

	return !syscall(FUTEX_CALL, word, WAIT_PRIVATE, value, timeout, NULL, 0) ||
	       errno == EAGAIN || errno == ETIMEDOUT || errno == EINTR;
}

void futex_wake_all(atomic_int *word)
{
	syscall(FUTEX_CALL, word, WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
