/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What keeps a counter of core cycles from a process, so that people can be told how to get it.
 * Pure. */

#ifndef CPUCYCLES_GATE_H
#define CPUCYCLES_GATE_H

#include "knobs.h"
#include "probe.h"

enum gate {
	GATE_NONE,        /* nothing that somebody could open, or nothing that is known */
	GATE_KNOB,        /* a setting of the kernel, which root may open to users */
	GATE_FILTER,      /* the settings are open: a filter of system calls or a security module */
	GATE_NO_CALL,     /* a filter that answers as if there were no such system call */
	GATE_ABSENT,      /* this machine shows no PMU */
	GATE_MEMORY,      /* all memory that this user's perf events may lock is in use */
	GATE_INSTRUCTION, /* programs may not execute the instruction that reads the counter */
};

enum gate gate_of(const struct candidate *candidate, const struct knobs *knobs);

#endif
