/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which thread is the calling one. lib/os implements it by system calls where it can, because a
 * child of vfork or clone(2) sees another thread's variables. */

#ifndef CPUCYCLES_THREAD_H
#define CPUCYCLES_THREAD_H

#include <stdbool.h>

/* A positive number that no other thread of this process has while this one lives. */
int thread_id(void);

/* False only if this process has no thread of that id any more. */
bool thread_exists(int id);

/*
 * id: the calling thread's. Whether the caller is a guest in another thread's memory: a child of
 * vfork or of clone(CLONE_VM). What the library keeps per process or per thread then belongs to
 * somebody else. True also if the system cannot tell.
 */
bool thread_is_guest(int id);

/* Whether libc says that the process has no other thread. */
bool thread_is_alone(void);

#endif
