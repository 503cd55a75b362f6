/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* For systems where a program cannot ask for a thread's number, or not whether that thread still
 * exists: the address of a thread's own variable tells threads apart. */

#include "config.h"

#include "thread.h"

#include <stdint.h>

static _Thread_local char mark;

int thread_id(void)
{
	return (int)(((uintptr_t)&mark >> 2 & 0x7fffffff) | 1);
}

/* So a lock that another thread held at the time of a fork is waited for until its deadline. */
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

bool thread_is_alone(void)
{
	return false;
}
