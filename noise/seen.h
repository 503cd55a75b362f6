/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What a look has seen on all its CPUs together. Pure. */

#ifndef CPUCYCLES_SEEN_H
#define CPUCYCLES_SEEN_H

#include "account.h"
#include "gaps.h"
#include "programs.h"
#include "quota.h"

#define SEEN_NAMES 64

struct seen {
	struct gaps gaps;
	uint64_t steal;      /* ns, or PARSE_UNKNOWN */
	uint64_t smi;        /* system management interrupts, or PARSE_UNKNOWN */
	bool counted;        /* interrupts and softirqs are known */
	uint64_t interrupts; /* of all these CPUs */
	uint64_t softirqs;   /* with work of devices, which takes longer than an interrupt */
	size_t names;        /* kinds of interrupts that came */
	struct parse_row name[SEEN_NAMES];
	struct quota quota;      /* throttled: during the look */
	double ticks_per_second; /* of the programs' ticks */
	struct programs_most most;
	size_t cpus; /* on which the thread may run */
	int quiet;   /* the CPU that lost the least, where others lost much more; -1: none */
	double quiet_lost;
	int usable;             /* a CPU on which the thread may run */
	struct gaps_rest moved; /* while it was not pinned */
	uint64_t moved_of;      /* ns that it was not pinned; 0: it could not move */
	bool tickless;          /* this kernel can do without a tick */
};

/* Add the system management interrupts of one CPU; PARSE_UNKNOWN: they are not known. */
void seen_add_smi(struct seen *seen, uint64_t number);

/* Add what one CPU has counted between two readings. */
void seen_add(struct seen *seen, const struct account *before, const struct account *after);

#endif
