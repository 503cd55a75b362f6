/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Counts the core cycles and instructions of a program, and of all that it starts, where the system
 * allows that. It is perf events of Linux that count: elsewhere nothing does. It knows nothing of
 * how the program is started.
 */

#ifndef CPUCYCLES_MEASURE_COUNTS_H
#define CPUCYCLES_MEASURE_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

/* What is counted: a type and two numbers, as in struct perf_event_attr. */
struct counts_kinds {
	uint32_t type;
	uint64_t cycles, instructions;
};

extern const struct counts_kinds counts_hardware;

struct counts {
	int cycles, instructions; /* descriptors; below 0: it is not counted */
	bool kernel;
};

/* 0: not counted, or not all of the time. */
struct counts_values {
	double cycles, instructions;
	bool kernel; /* what happens in the kernel counts, too; else only what does in user mode */
};

/* Prepare to count the next child of the calling thread. The counts begin when that child becomes
 * another program (execve(2)). kinds: NULL: count nothing. */
void counts_open(const struct counts_kinds *kinds, struct counts *counts);

/* The child has ended. cpu_ns: its CPU time: where much less than that was counted, nothing is
 * known. */
void counts_read(const struct counts *counts, double cpu_ns, struct counts_values *values);

void counts_close(struct counts *counts);

#endif
