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

/* root: "", in tests a folder with a made /proc. No program serves this file, as lxcfs does others:
 * it is opened without a look at the mounts. */
void own_open(struct own *own, const char *root);
void own_close(struct own *own);

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
