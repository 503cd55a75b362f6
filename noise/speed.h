/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What makes instructions slow without a gap. */

#ifndef CPUCYCLES_SPEED_H
#define CPUCYCLES_SPEED_H

#include "cause.h"

#include <stddef.h>
#include <stdint.h>

struct noise_speed {
	int none;
};

/* Look for that long. The thread is pinned. */
void noise_speed_look(int cpu, uint64_t budget_ns, struct noise_speed *speed);

size_t noise_speed_blame(const struct noise_speed *speed, struct noise_line lines[NOISE_CAUSES]);

#endif
