/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* command-work NUMBER: a chain of so many multiplications and additions, for bench/commands. */

#include "config.h"

#include <stdint.h>
#include <stdlib.h>

int main(int argc, char *argv[])
{
	static volatile uint64_t kept = 1;
	const uint64_t steps = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t x = kept;

	for (uint64_t i = 0; i < steps; i++)
		x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	kept = x;
	return 0;
}
