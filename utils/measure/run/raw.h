/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A file that --raw or --layouts asks for. It grows next to its place, and takes that place when it
 * is complete. That of all samples grows while the functions are measured, and ends with the
 * verdicts. */

#ifndef CPUCYCLES_MEASURE_RAW_H
#define CPUCYCLES_MEASURE_RAW_H

#include "child.h"
#include "result/outcome.h"
#include "publish.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct raw {
	const char *path; /* NULL: not requested; the other members are unset */
	struct publish_place place;
	int lock, fd; /* below 0: closed */
	off_t length; /* of what is complete: the samples of whole processes */
	int error;    /* the first one, a negative errno; then nothing more is written */
};

/* What all the following functions take, for a path that is NULL: they do nothing then. An error
 * stays in raw->error. */

/* Open the file, before anything is measured. 0 or a negative errno. -ENOTSUP: there is something
 * that is no regular file, which would be replaced by one. -ETIMEDOUT: another run writes it. */
int raw_open(struct raw *raw, const char *path);

/* Begin anew: what was written so far does not count. */
void raw_begin(struct raw *raw);

/* Write the samples of one process, which stand in the memory of this meter. In a process of its
 * own, which shares the file: 0 or a negative errno. */
int raw_add(const struct raw *raw, const struct outcome *outcome, const struct child_job *job,
	    const struct cpucycles_meter *meter);

/* Write to the file through a buffer. 0 or a negative errno. */
int raw_write(const struct raw *raw, void (*write)(const void *, FILE *), const void *argument);

struct raw_samples {
	const struct outcome *outcome;
	const double *const *samples; /* those of each function, of each round all places */
	size_t rounds, places;
};

/* Of a `const struct raw_samples`, write those of the process that comes next, as lines of
 * tab-separated values, and before the first one their names. */
void raw_put_samples(const void *samples, FILE *to);

/* Those of that process are complete; or, with an error, they are given up, and so is the file. */
void raw_keep(struct raw *raw, int error);

/* Forget those of a process that could not write them all. */
void raw_undo(struct raw *raw);

/* In a process that runs the user's functions: let go of the file. */
void raw_leave(const struct raw *raw);

/* Put the file in its place. wait: for the disk. In a process that shares it, or in this one. */
int raw_publish(struct raw *raw, bool wait);

/* It was published, or it is given up: what is left is removed. */
void raw_close(struct raw *raw);

#endif
