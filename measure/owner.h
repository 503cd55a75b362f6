/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Who owns a meter: the thread that opened it, in the process that opened it. A child of fork has
 * a copy of the meter, and is not the owner. To ask takes no system call where the kernel can clear
 * a page of memory in a child. Knows nothing of meters. */

#ifndef CPUCYCLES_OWNER_H
#define CPUCYCLES_OWNER_H

#include <stdbool.h>
#include <sys/types.h>

struct owner {
	unsigned long thread; /* see owner.c */
	/* A page that begins with 1. In a child of fork, the kernel has made it all zeros. NULL:
	 * the kernel has no such pages, and the number of the process is compared. */
	volatile unsigned char *page;
	pid_t process;
};

/* The calling thread becomes the owner. */
void owner_begin(struct owner *owner);

/* Whether the caller is the owner. */
bool owner_is_caller(const struct owner *owner);

/* Whether the caller is in the owner's process, maybe another thread. A child of vfork shares its
 * parent's memory, and passes for the parent. */
bool owner_is_process(const struct owner *owner);

/* Free the page, also in a child. */
void owner_end(struct owner *owner);

#endif
