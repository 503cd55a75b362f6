/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Where functions lie in one process of a run, or in a program that four processes run. Pure.
 *
 * Where code lies within 64 bytes, at which page and after which data, moves its time, by half a
 * percent or by half. The functions' places are therefore drawn for each process.
 *
 * Four successive processes are a unit. In a unit, each function begins once at each of the four
 * steps of 16 bytes in a line of 64, in an order that is drawn for this function and this unit. So
 * what depends on the step is the same in the mean of each unit. Units that were drawn in this way
 * were 2 to 9 times closer to one another than means of four places at random.
 *
 * All that is drawn for one function is drawn for each other one in the same way, and independently
 * of it. So functions that are equal can change places without a change of any chance. This is what
 * makes the values of replicates symmetric about 0: see replicates.h. It has to be true of equal
 * functions of one file, too, which lie at different places in that file. So it is the function
 * itself that begins at a step, and not the code of its file; and the code that it calls has a
 * place of its own.
 */

#ifndef CPUCYCLES_PLACEMENT_H
#define CPUCYCLES_PLACEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLACEMENT_PROCESSES 4 /* of a unit */
#define PLACEMENT_LINE 64     /* bytes of a line */
#define PLACEMENT_STEP (PLACEMENT_LINE / PLACEMENT_PROCESSES)
#define PLACEMENT_PAGE 4096 /* bytes of a page */

struct placement {
	/* Of each function, in an array of the caller: the bytes from the begin of a page to the
	 * begin of its code. */
	size_t *starts;
	/* Of each function, in an array of the caller: the bytes between its section and the rest
	 * of its file's code, less than a page. */
	size_t *gaps;
	/* Which function lies first in memory, which second, and so on: in an array of the caller.
	 */
	size_t *order;
	/* The functions are named from the last to the first. Two processes of a unit do so. */
	bool reversed;
	size_t padding; /* bytes before the data, less than a page */
};

/*
 * Draw the places of n functions in process number `process` of a run, from 0. The same arguments
 * give the same places.
 *
 * alignments[i] is how function i's code is aligned, a power of 2; 0 and 1: it is not. Code that is
 * aligned to 32 bytes has two places in a line, each for two processes of a unit. Code that is
 * aligned to 64 bytes or more has one.
 */
void placement_draw(uint64_t seed, size_t process, const size_t alignments[], size_t n,
		    struct placement *placement);

/*
 * Draw the places in the program that the four processes of a unit run, which has `copies` copies
 * of each function, a multiple of four. `unit` is the unit's number, from 0. Copy c of function i
 * is number c * n + i of the placement, and lies where placement_draw() puts the function for
 * process number unit * copies + c. The program has the padding of the first of these. reversed:
 * not set.
 */
void placement_draw_unit(uint64_t seed, size_t unit, size_t copies, const size_t alignments[],
			 size_t n, struct placement *placement);

/* Whether process number `process` names the functions from the last to the first: what
 * placement_draw() says of that process. */
bool placement_is_reversed(uint64_t seed, size_t process);

#endif
