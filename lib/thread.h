/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Who is the calling thread, where only system calls can be trusted. */

#ifndef CPUCYCLES_THREAD_H
#define CPUCYCLES_THREAD_H

#include <stdbool.h>

/* Positive, and no other thread's of this process while this one lives. */
int thread_id(void);

/* False only when this process has no thread of that id any more. */
bool thread_exists(int id);

/*
 * Whether the calling thread, whose id this is, is not one of libc's but uses the memory and
 * the thread-local storage of one: a child of vfork, or of clone(CLONE_VM). What is kept per
 * process or per thread is not its own. True where that cannot be ruled out.
 */
bool thread_is_guest(int id);

#endif
