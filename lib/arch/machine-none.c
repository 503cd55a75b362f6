/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* An architecture without an instruction that tells the CPU's model or the hypervisor to a program,
 * and without a time-stamp counter. */

#include "config.h"

#include "machine.h"

bool machine_signature(uint32_t *signature)
{
	(void)signature;
	return false;
}

enum machine_tsc machine_cpu_tsc(void)
{
	return MACHINE_TSC_NONE;
}

bool machine_hypervisor(char signature[MACHINE_HYPERVISOR_SIZE])
{
	(void)signature;
	return false;
}
