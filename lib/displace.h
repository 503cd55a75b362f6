/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Puts a handler of the library in the place of the program's disposition for a while, and gives
 * back what other threads have made of it meanwhile. The kernel only swaps: it cannot set a
 * disposition on condition that the old one is a certain one. So each swap here compares what it
 * has displaced with what had been seen there, and is repeated if they differ.
 *
 * The handler has several forms, and each form stands for one disposition of the program.
 * sigaction() may show a form to the program as its old handler. If the program puts that form back
 * later, or calls it from a handler of its own, the form still stands for the same disposition.
 *
 * Only by the holder of the guard, unless said otherwise.
 */

#ifndef CPUCYCLES_DISPLACE_H
#define CPUCYCLES_DISPLACE_H

#include "os/disposition.h"

#include <stdatomic.h>

/* How many dispositions of the program one signal remembers. */
#define DISPLACE_FORMS 4

/* The handler of a form, from 0 to DISPLACE_FORMS - 1. */
typedef disposition_function *displace_handler_of(unsigned form);

/* One for each signal. Zeros at first. */
struct displaced {
	atomic_bool known; /* the form in use stands for what it has displaced */
	atomic_uint form;  /* the form in use */
	struct disposition programs[DISPLACE_FORMS]; /* for each form the program's disposition */
};

/* Put a form of the handler in the place of what the program has. False: a sandbox refuses. */
bool displace_take(struct displaced *d, int sig, displace_handler_of *handler_of);

/*
 * Give back what the program had, or *instead if that is not NULL. What another thread has set
 * meanwhile stays. Whether *instead is there now. If a sandbox has come, or a thread changes the
 * disposition all the time, the handler has to stay; it still stands for what the program has set.
 */
bool displace_back(struct displaced *d, int sig, displace_handler_of *handler_of,
		   const struct disposition *instead);

/* What the form in use stands for. */
const struct disposition *displace_program(const struct displaced *d);

#endif
