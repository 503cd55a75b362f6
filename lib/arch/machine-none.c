/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* An architecture without an instruction that tells the CPU's model to a program. */

#include "config.h"

#include "machine.h"

bool machine_signature(uint32_t *signature)
{
	(void)signature;
	return false;
}
