/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the kernel says of this thread: how long it waited for a CPU, and how often it lost one. */

#ifndef CPUCYCLES_OWN_H
#define CPUCYCLES_OWN_H

#include <stdbool.h>
#include <stdint.h>

struct own_rise {
	bool known;                      /* waited is known */
	uint64_t waited;                 /* ns in which the thread was ready and had no CPU */
	uint64_t voluntary, involuntary; /* switches to something else */
};

struct own {
	int fd; /* below 0: the account cannot be read */
	struct own_rise last;
};

/* The descriptor of the account, or what is below 0. own_end closes it. */
#define OWN_ACCOUNT "/proc/thread-self/schedstat"
void own_begin(struct own *own, int fd);
void own_end(struct own *own);

/* What has come since the reading before. Two system calls. */
struct own_rise own_read(struct own *own);

static inline void own_add(struct own_rise *sum, const struct own_rise *rise)
{
	sum->known = rise->known;
	sum->waited += rise->waited;
	sum->voluntary += rise->voluntary;
	sum->involuntary += rise->involuntary;
}

#endif
