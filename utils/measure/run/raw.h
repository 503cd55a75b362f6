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

struct raw_samples {
	const struct outcome *outcome;
	const double *const *samples; /* those of each function, of each round all places */
	size_t rounds, places;
};

/* Of a `const struct raw_samples`, write those of the process that comes next, as lines of
 * tab-separated values, and before the first one their names. */
void raw_put_samples(const void *samples, FILE *to);

/* Give the file up with this error, a negative errno; 0: nothing happens. */
void raw_keep(struct raw *raw, int error);

/* In a process that runs the user's functions: let go of the file. */
void raw_leave(const struct raw *raw);

/* Give the file up: what is left is removed. */
void raw_close(struct raw *raw);

/* What an error of the file of this option means. The error is printed on standard error. */
enum outcome_status raw_status(const char *option, const struct raw *raw, int error);

/* Write this at the end of the file, in a process of its own, which a second Ctrl-C ends: a disk
 * may delay the work. */
void raw_append(struct raw *raw, void (*write)(const void *, FILE *), const void *argument);

/* Write this at the end of the file, put the file in its place, and close it. measured: there is
 * something to write; otherwise nothing is put there. interrupted: do not wait for the disk. */
enum outcome_status raw_end(const char *option, struct raw *raw, bool measured, bool interrupted,
			    void (*write)(const void *, FILE *), const void *argument);

#endif
