/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Calls of functions that get a buffer and its length. */

#ifndef CPUCYCLES_MEASURE_BUFFER_H
#define CPUCYCLES_MEASURE_BUFFER_H

#include "files/target.h"

#include <stdbool.h>
#include <stdint.h>

struct buffer_call {
	void (*function)(void);
	uintptr_t arguments[SIGNATURE_PARAMETERS];
};

/* Bytes that a buffer is filled with, again and again. NULL: with random ones. */
struct buffer_input {
	const unsigned char *bytes;
	size_t n;
};

/* Allocate and fill what a call of the target's function gets: its size in bytes, and room of four
 * times as much and a page for a result. The buffers stay. seed: of where they begin, and of random
 * bytes, which are the same for each function. False: there is no memory. */
bool buffer_prepare(const struct target *target, void (*function)(void), uint64_t seed, size_t i,
		    const struct buffer_input *input, struct buffer_call *call);

/* Call the function of a `struct buffer_call`. */
void buffer_call(void *call);

#endif
