/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The time that the cgroups of this process may use, and how long they had none left. And their
 * memory. */

#ifndef CPUCYCLES_QUOTA_H
#define CPUCYCLES_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

#define QUOTA_PATH 128

struct quota {
	bool known;
	uint64_t throttled;    /* ns, of all CPUs together */
	double cpus;           /* the least that a group grants; 0: all have no limit */
	char file[QUOTA_PATH]; /* of that limit */
	bool unified;          /* a cgroup of version 2 */
};

/* root: "", in tests a folder with made files. */
void quota_read(const char *root, struct quota *quota);

/* The least memory that a group grants, in bytes; UINT64_MAX: all have no limit; 0: they cannot be
 * seen. */
uint64_t quota_memory(const char *root);

#endif
