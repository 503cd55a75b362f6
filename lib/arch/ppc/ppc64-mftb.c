/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The time base of a 64-bit POWER process. */

#include "config.h"

#include "counter.h"
#include "arch/ppc/mftb.h"

#if !defined(__powerpc64__)
#error "64-bit POWER only"
#endif

const struct counter cpucycles_counter_ppc64_mftb = {
	.name = "ppc64-mftb",
	.class = COUNTER_OFF_CORE,
	.width = 64,
	MFTB_COUNTER,
};
