/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The core's cycles on AMD processors, for every user: APERF, read by RDPRU. Sources:
 * arch/x86/rdpru.h. */

#include "config.h"

#include "counter.h"
#include "arch/x86/rdpru.h"

#if !defined(__i386__) || !defined(__linux__)
#error "32-bit x86 only, on Linux"
#endif

const struct counter cpucycles_counter_x86_rdpru = {
	.name = "x86-rdpru",
	.class = COUNTER_ON_CORE,
	.width = 64,
	RDPRU_COUNTER,
};
