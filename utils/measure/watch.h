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
#include <sys/types.h>

/* How the child ended. */
enum watch_end {
	WATCH_DONE,        /* it says in the shared memory what came of its job */
	WATCH_CRASHED,     /* a signal ended it, or one of the functions did */
	WATCH_HUNG,        /* it made no progress for the time-out, and was killed */
	WATCH_INTERRUPTED, /* somebody interrupted the parent, and the child was killed */
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

/* Take over SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGCHLD. To be called once. */
void watch_prepare(void);

/* Run the job in a child, which lets go of the file of samples. timeout_ns without progress is too
 * long; 0: nothing is. On a terminal, a line on standard error shows the progress. */
void watch_run(const struct child_job *job, const struct child_memory *memory,
	       const struct raw *raw, uint64_t timeout_ns, struct progress *progress,
	       struct watched *watched);

/*
 * Do work in a child that may take long, and obey signals meanwhile. What the work finds out stands
 * in memory that is shared, or in a file. False: a signal came, and the work was ended somewhere in
 * the middle. Signals of before do not count.
 */
bool watch_apart(void (*work)(void *), void *argument);

/* Whether a child has ended. It stays a zombie, so that its number, which is that of its group,
 * stays its own. *code: of its end, or of the signal that has stopped it (waitid(2)); 0: none. */
bool watch_has_ended(pid_t child, int *code);

/* Wait for the end of a child, and get its status. group: end it, and all that it has started in
 * its group. 0 or a negative errno. */
int watch_reap(pid_t child, bool group, int *status);

/* Sleep until a signal comes, also that of a child's end, or for so long, which is less than a
 * second. Signals arrive here only. */
void watch_sleep(uint64_t ns);

/* Whether a signal has asked this program to end. */
bool watch_asked(void);

/* Whether it was another one than that of Ctrl-C, or a second one. Then there is nothing more to do
 * but to remove what is left, and watch_release(). */
bool watch_must_end(void);

/* Give the signals back. True: Ctrl-C was pressed since watch_prepare(). If watch_must_end(), the
 * program ends here by that signal. */
bool watch_release(void);

#endif
