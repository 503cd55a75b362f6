/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The inputs of a test for leaks. For each call, the inputs of both groups are made, by the same
 * instructions in the same places, and one of the two is taken. So nothing but the input tells the
 * groups apart. Those of the next calls wait in a ring.
 *
 * After the input of a first call, and after what makes inputs, lies a page without any access. A
 * function that runs over the end crashes there. Otherwise, it would read what is the same for both
 * groups, and the verdict would be about something else. Calls that count have their input where a
 * page of zeros follows: with a closed page there, a memcmp() of 16 bytes took 370 cycles in place
 * of 30, because it reads whole vectors, and a processor takes long to leave out what it may not
 * read.
 */

#ifndef CPUCYCLES_LEAK_INPUTS_H
#define CPUCYCLES_LEAK_INPUTS_H

#include "cpucycles-measure.h"

#include <stddef.h>
#include <stdint.h>

struct leak_inputs {
	unsigned char *call; /* the input of the call: at first with a closed page after it */
	size_t slots;        /* of the ring */
	/* The rest is for leak-inputs.c. */
	struct cpucycles_leak leak;
	unsigned char *ring;
	unsigned char *free;     /* the input of a call that counts */
	unsigned char *ways[2];  /* what was made for group 0, and for group 1 */
	unsigned char *fixed[2]; /* the fixed inputs */
	uint64_t contents;       /* a state of random numbers */
	void *guarded;
	size_t guarded_bytes;
};

/* Make the ring. It has fewer slots than asked for if these would take much memory. The random
 * contents are drawn from the seed. 0 or -ENOMEM. */
int leak_inputs_begin(struct leak_inputs *inputs, const struct cpucycles_leak *leak, size_t slots,
		      uint64_t seed);

/* The memory that this takes, in bytes. */
size_t leak_inputs_bytes(const struct cpucycles_leak *leak, size_t slots);

void leak_inputs_end(struct leak_inputs *inputs);

/* From now on, calls count. */
void leak_inputs_open(struct leak_inputs *inputs);

/* Make the input of a later call, in this slot: an input of this group, which goes the way of this
 * group or of the other one. */
void leak_inputs_make(struct leak_inputs *inputs, size_t slot, int group, int way);

/* Make this slot's input the one of the call. */
void leak_inputs_take(struct leak_inputs *inputs, size_t slot);

#endif
