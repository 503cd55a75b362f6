/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* An OS whose word on the CPU's frequency nobody has taught us yet. */

#include "config.h"

#include "frequency.h"

bool frequency_os(const char *root, struct persecond *answer)
{
	(void)root, (void)answer;
	return false;
}
