/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What it costs a function that its code begins at one of the steps of a line: see placement.h.
 * Pure, but for the memory that the search takes. */

#ifndef CPUCYCLES_MEASURE_STEPS_H
#define CPUCYCLES_MEASURE_STEPS_H

#include "outcome.h"
#include "placement.h"

#include <stdbool.h>
#include <stddef.h>

struct steps {
	bool costly[PLACEMENT_PROCESSES];
	bool in_cycles;     /* the figures are core cycles, or else units of the counter */
	double best, worst; /* the figures at the best step, and at the costliest one */
};

/*
 * Whether a step is shown to cost function number i more than 5 % of the mean at the other steps,
 * and which. The chance that one step is named that does not cost so much is at most alpha of a
 * comparison. It supposes that the units' values are symmetric about the true one.
 */
bool steps_find(const struct outcome *outcome, size_t i, struct steps *steps);

#endif
