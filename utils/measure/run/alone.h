/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * What control registers the loading of a file leaves in a process that has loaded nothing before.
 * In one process, the constructors of a library that two files need run with the first file only.
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

/* Load a file as the first one. If nobody can say what that leaves, *state stays. */
void alone_ask(const struct alone *alone, const char *library, struct state *state);

void alone_end(struct alone *alone);

#endif
