/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Only macOS on Apple silicon has kperf: see events/kperf-macos.c. */

#include "config.h"

#include "kperf.h"
#include "reason.h"

#include <errno.h>
#include <stddef.h>

int kperf_cycles_ready(long long (**read)(void), struct reason_text *reason)
{
	*read = NULL;
	return reason_say(reason, ENOTSUP, "only macOS on Apple silicon has kperf");
}

void kperf_cycles_close(void) {}
