/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* An OS that is not known to tell the CPU's frequency. */

#include "config.h"

#include "frequency.h"

bool frequency_os(const char *root, struct persecond *answer)
{
	(void)root, (void)answer;
	return false;
}
