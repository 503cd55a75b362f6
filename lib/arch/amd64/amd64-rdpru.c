/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The core's cycles on AMD processors, for every user: APERF, read by RDPRU. Sources:
 * arch/x86/rdpru.h. */

#include "config.h"

#include "counter.h"
#include "arch/x86/rdpru.h"

#if !defined(__x86_64__) || !defined(__linux__)
#error "amd64 only, on Linux"
#endif

const struct counter cpucycles_counter_amd64_rdpru = {
	.name = "amd64-rdpru",
	.class = COUNTER_ON_CORE,
	.width = 64,
	RDPRU_COUNTER,
};
