/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* How long the next process or pair measures, and how many samples it takes. */

#ifndef CPUCYCLES_MEASURE_PLAN_H
#define CPUCYCLES_MEASURE_PLAN_H

#include "child.h"
#include "result/outcome.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The plan of the next process. False: there are samples enough, or no process is left. */
bool plan_process(struct child_job *job, struct outcome *outcome);

/* What is left of the time after the preparation, but half of it at least. */
uint64_t plan_budget(const struct outcome *outcome);

/* The time of this pair: an equal part of what is left for it and those after it, or more if that
 * is too short for a verdict. False: none is left. */
bool plan_pair(struct outcome *outcome, uint64_t begun_ns, size_t pairs);

/* The same for a pair that goes on where it was left, in addition to the time that it had. False:
 * too little is left. */
bool plan_again(struct outcome *outcome, uint64_t begun_ns, size_t pairs);

#endif
