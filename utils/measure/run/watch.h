/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The parent's side: it starts the child, watches it by its own clock, and ends it. */

#ifndef CPUCYCLES_MEASURE_WATCH_H
#define CPUCYCLES_MEASURE_WATCH_H

#include "child.h"
#include "progress.h"
#include "raw.h"

#include <stdbool.h>
#include <stdint.h>

/* How the child ended. */
enum watch_end {
	WATCH_DONE,        /* it says in the shared memory what came of its job */
	WATCH_CRASHED,     /* a signal ended it, or one of the functions did */
	WATCH_HUNG,        /* it made no progress for the time-out, and was killed */
	WATCH_INTERRUPTED, /* the parent was interrupted, and the child has left nothing */
	WATCH_NOT_STARTED  /* there is no child: see watched.error */
};

struct watched {
	enum watch_end end;
	uint64_t timeout_ns;
	uint64_t silent_ns; /* since its last sign; a little less than the call took */
	int signal;         /* that ended it; 0: none */
	int status;         /* of its exit, if no signal ended it */
	bool stopped;       /* a signal had stopped it when it was killed */
	int error;          /* a negative errno */
};

/* Run the job in a child, which lets go of the file of samples. timeout_ns without progress is too
 * long; 0: nothing is. On a terminal, a line on standard error shows the progress. */
void watch_run(const struct child_job *job, const struct child_memory *memory,
	       const struct raw *raw, uint64_t timeout_ns, struct progress *progress,
	       struct watched *watched);

#endif
