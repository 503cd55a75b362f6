/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What keeps a counter of core cycles from a process, so that people can be told how to get it.
 * Pure. */

#ifndef CPUCYCLES_OBSTACLE_H
#define CPUCYCLES_OBSTACLE_H

#include "knobs.h"
#include "probe.h"

enum obstacle {
	OBSTACLE_NONE,    /* nothing is known that could be opened */
	OBSTACLE_SETTING, /* a setting of the kernel, which root may open to users */
	OBSTACLE_FILTER,  /* the settings are open: a filter of system calls or a security module */
	OBSTACLE_NO_CALL, /* a filter that answers as if there were no such system call */
	OBSTACLE_ABSENT,  /* this machine shows no PMU */
	OBSTACLE_MEMORY,  /* all memory that this user's perf events may lock is in use */
	OBSTACLE_INSTRUCTION, /* programs may not execute the instruction that reads the counter */
};

enum obstacle obstacle_of(const struct candidate *candidate, const struct knobs *knobs);

#endif
