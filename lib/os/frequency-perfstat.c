/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What AIX tells about the CPU's frequency. Source: perfstat_cpu_total, whose processorHZ is in
 * Hz. */

#include "config.h"

#include "frequency.h"
#include "rate.h"

#include <stddef.h>
#include <libperfstat.h>

bool frequency_os(const char *root, struct persecond *answer)
{
	perfstat_cpu_total_t total;

	(void)root;
	if (perfstat_cpu_total(NULL, &total, sizeof total, 1) != 1)
		return false;
	*answer = (struct persecond){ (uint64_t)total.processorHZ, PERSECOND_PERFSTAT };
	return rate_is_sane(answer->hz);
}
