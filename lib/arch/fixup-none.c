/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* For architectures whose counters read no register that the kernel may close while the program
 * runs: no instruction is ever skipped. */

#include "config.h"

#include "fixup.h"

bool fixup_skip(void *context)
{
	(void)context;
	return false;
}
