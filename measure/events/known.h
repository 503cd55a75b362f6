/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Work of which it is known how often an event happens in it. */

#ifndef CPUCYCLES_EVENT_KNOWN_H
#define CPUCYCLES_EVENT_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

enum known_work {
	KNOWN_CHAIN,    /* KNOWN_CHAIN_ROUNDS times a thousand dependent instructions */
	KNOWN_BRANCHES, /* a loop: KNOWN_BRANCHES_N branches that are taken, as all before */
	KNOWN_GUESSES,  /* as many branches more, of which half are guessed wrongly */
	KNOWN_PAGES,    /* the first use of KNOWN_PAGES_N pages of memory */
	KNOWN_CALLS,    /* system calls that do next to nothing: work of the kernel */
	KNOWN_MEMORY,   /* KNOWN_MEMORY_N loads and stores all over some memory */
	KNOWN_SLEEPS,   /* the thread leaves its CPU KNOWN_SLEEPS_N times at least */
	KNOWN_WORKS     /* how many there are */
};

#define KNOWN_CHAIN_ROUNDS 100
#define KNOWN_BRANCHES_N 10000
#define KNOWN_PAGES_N 64
#define KNOWN_CALLS_N 300
#define KNOWN_MEMORY_N 20000
#define KNOWN_SLEEPS_N 10

/* Memory for the works. */
struct known {
	volatile unsigned char *memory;
	volatile unsigned char *pages; /* not yet used, if there are any */
	unsigned long page_size;
};

/* -ENOMEM: there is no memory. */
int known_open(struct known *known);
void known_close(struct known *known);

/* What is done before a work, so that the work itself has only what is known. */
int known_prepare(struct known *known, enum known_work work);

void known_run(struct known *known, enum known_work work);

/* For breakpoints: a function that known_call_target executes KNOWN_TARGET_N times. */
#define KNOWN_TARGET_N 1000
void known_target(void);
void known_call_target(void);

/* A variable that as many accesses use once each. */
extern volatile unsigned long known_variable;
void known_write_variable(void);
void known_read_variable(void);

#endif
