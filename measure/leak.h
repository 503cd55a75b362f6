/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What a meter keeps of a test for leaks. */

#ifndef CPUCYCLES_LEAK_H
#define CPUCYCLES_LEAK_H

#include "meter.h"

#include <stddef.h>

/* The times of some calls of a group, drawn at random from all. 0; -EINVAL: there is no such group;
 * -ENODATA: none was kept. */
int leak_samples(const struct cpucycles_meter *meter, size_t group, const double **samples,
		 size_t *n);

/* Believe nothing in a copy of what another process has left: what contradicts itself becomes no
 * result. */
void leak_tidy(struct cpucycles_meter *meter);

#endif
