/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "buffer.h"
#include "draw.h"

#include <stdlib.h>

/* A buffer begins at a multiple of ALIGNMENT, as one of malloc(3) does, of which PLACES are drawn:
 * otherwise two large ones would lie at the same place of their pages in each process. */
#define ALIGNMENT 16
#define PLACES 256

/* Series of random numbers of a seed: of bytes, and after it of the places of each function. */
enum { SERIES_BYTES = 3, SERIES_PLACES };

static unsigned char *make_room(size_t bytes, uint64_t *places)
{
	unsigned char *const room = malloc(bytes + PLACES * ALIGNMENT);

	return room ? room + ALIGNMENT * draw_below(PLACES, places) : NULL;
}

static void fill(unsigned char *to, size_t bytes, uint64_t seed, const struct buffer_input *input)
{
	uint64_t draws = draw_begin(seed, SERIES_BYTES);

	for (size_t i = 0; i < bytes; i++)
		to[i] = input->bytes ? input->bytes[i % input->n] :
				       (unsigned char)draw_bits(&draws);
}

bool buffer_prepare(const struct target *target, void (*function)(void), uint64_t seed, size_t i,
		    const struct buffer_input *input, struct buffer_call *call)
{
	uint64_t places = draw_begin(seed, SERIES_PLACES + i);
	const size_t bytes = target->size;

	*call = (struct buffer_call){ .function = function };
	for (size_t a = 0; a < SIGNATURE_PARAMETERS; a++) {
		const enum signature_argument argument = target->signature.arguments[a];
		unsigned char *room;

		call->arguments[a] = argument == SIGNATURE_LENGTH ? bytes : 0;
		if (argument != SIGNATURE_BUFFER && argument != SIGNATURE_ROOM)
			continue;
		room = make_room(argument == SIGNATURE_BUFFER ? bytes : 4 * bytes + 4096, &places);
		if (!room)
			return false;
		fill(room, bytes, seed, input);
		call->arguments[a] = (uintptr_t)room;
	}
	return true;
}

/*
 * Integers and pointers are passed alike in the C calling conventions of all systems that have
 * dlopen, and a caller removes arguments that the function does not take: see as_call() in child.c.
 * A zero and a length below 2 to the power of 31 are the same whether the function reads 32 bits or
 * all.
 */
void buffer_call(void *argument)
{
	const struct buffer_call *const call = argument;
	void (*const function)(uintptr_t, uintptr_t, uintptr_t) =
		(void (*)(uintptr_t, uintptr_t, uintptr_t))call->function;

	function(call->arguments[0], call->arguments[1], call->arguments[2]);
}
