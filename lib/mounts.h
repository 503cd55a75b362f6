/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which mount a path leads to, from the text of /proc/self/mountinfo. Pure: the file that the path
 * names is not asked for, because the program that serves it may never answer. */

#ifndef CPUCYCLES_MOUNTS_H
#define CPUCYCLES_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Mounts at the path and above it, hidden ones included. A machine has some three of them. */
#define MOUNTS_MAX 16

/* A longer mount point is above none of the files that the library reads. */
#define MOUNTS_WORD_SIZE 128

struct mount {
	uint64_t id, parent;
	size_t length; /* of the mount point */
	bool fuse;
};

struct mounts {
	const char *path; /* absolute */
	bool any_fuse;    /* a mount of FUSE lies on /proc, on /sys or below these */
	size_t n;
	struct mount of[MOUNTS_MAX];
	/* The line that is being read. */
	struct mount now;
	bool now_below; /* its mount point is /proc, /sys, or lies below these */
	bool now_dash;  /* the next word is the type of the file system */
	unsigned field;
	size_t length; /* of the word, of which at most MOUNTS_WORD_SIZE - 1 bytes are kept */
	char word[MOUNTS_WORD_SIZE];
};

void mounts_begin(struct mounts *m, const char *path);

/* The next bytes of the text, which may end anywhere. */
void mounts_add(struct mounts *m, const char *text, size_t size);

/* Whether a program serves the path through FUSE. False where the text does not tell. */
bool mounts_is_fuse(const struct mounts *m);

#endif
