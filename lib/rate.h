/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A rate with the error that it may have. Unknown is a rate of 0 Hz. */

#ifndef CPUCYCLES_RATE_H
#define CPUCYCLES_RATE_H

#include <stdint.h>

struct rate {
	uint64_t hz;
	uint32_t ppm; /* the true rate is within so many millionths of hz */
};

#endif
