/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A file that --raw or --layouts asks for. It grows next to its place, and takes that place when it
 * is complete. That of all samples grows while the functions are measured, and ends with the
 * verdicts. */

#ifndef CPUCYCLES_MEASURE_RAW_H
#define CPUCYCLES_MEASURE_RAW_H

#include "result/outcome.h"
#include "publish.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct raw {
	const char *path; /* NULL: not requested; the other members are unset */
	struct publish_place place;
	int lock, fd; /* below 0: closed */
	int error;    /* the first one, a negative errno; then nothing more is written */
};

/* What all the following functions take, for a path that is NULL: they do nothing then. An error
 * stays in raw->error. */

/* Open the file, before anything is measured. 0 or a negative errno. -ENOTSUP: there is something
 * that is no regular file, which would be replaced by one. -ETIMEDOUT: another run writes it. */
int raw_open(struct raw *raw, const char *path);

/* Begin anew: what was written so far does not count. */
void raw_begin(struct raw *raw);

/* Write to the file through a buffer, in a process that shares the file or in this one. 0 or a
 * negative errno. */
int raw_write(const struct raw *raw, void (*write)(const void *, FILE *), const void *argument);

struct raw_samples {
	const struct outcome *outcome;
	const double *const *samples; /* those of each function, of each round all places */
	size_t rounds, places;
};

/* Of a `const struct raw_samples`, write those of the process that comes next, as lines of
 * tab-separated values, and before the first one their names. */
void raw_put_samples(const void *samples, FILE *to);

/* A write has ended. With an error, the file is given up. */
void raw_keep(struct raw *raw, int error);

/* In a process that runs the user's functions: let go of the file. */
void raw_leave(const struct raw *raw);

/* Put the file in its place. wait: for the disk. In a process that shares it, or in this one. */
int raw_publish(struct raw *raw, bool wait);

/* It was published, or it is given up: what is left is removed. */
void raw_close(struct raw *raw);

#endif
