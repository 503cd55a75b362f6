/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* An architecture whose CPUs tell a program nothing about their frequency. */

#include "config.h"

#include "frequency.h"

uint64_t frequency_cpu(enum persecond_source source)
{
	(void)source;
	return 0;
}
