/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * What the loading of a file does in a process that has loaded nothing before: what it leaves in
 * control registers, and which libraries it loads. In one process, the constructors of a library
 * that two files need run with the first file only. And the dynamic linker takes a library that is
 * already there for any later one of the same name (DT_SONAME).
 */

#ifndef CPUCYCLES_MEASURE_ALONE_H
#define CPUCYCLES_MEASURE_ALONE_H

#include "state.h"

#include <stdbool.h>
#include <sys/types.h>

/* A process that stays as this one is now, until it is asked or ended. */
struct alone {
	pid_t process; /* below 0: there is none */
	int questions, answers;
};

/* To be called before anything is loaded. */
void alone_begin(struct alone *alone);

/* Load a file as the first one. If that fails, *state stays. Returns the path of a library that the
 * file has got there and that this process has not loaded, or NULL. The next call overwrites the
 * path. */
const char *alone_ask(const struct alone *alone, const char *library, struct state *state);

void alone_end(struct alone *alone);

#endif
