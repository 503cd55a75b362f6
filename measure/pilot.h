/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The pilots: how long the works take, and how many calls a sample needs for that. */

#ifndef CPUCYCLES_PILOT_H
#define CPUCYCLES_PILOT_H

#include "take.h"

/* Calls in a sample, from the steps that one call takes. More than RUN_BATCH_SHORT are at most
 * `most`, for which there is time. Pure. */
unsigned pilot_batch(double steps_per_call, bool cycles, double most);

/* Whether this batch stays below RUN_STEPS_SINGLE steps. Pure. */
bool pilot_is_too_fast(double steps_per_call, unsigned batch);

/* Try all works, and choose the batch. False: run->too_fast is a work that is too fast. */
bool pilot_all(struct setting *s);

#endif
