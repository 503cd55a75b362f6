/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A system without futexes: whoever waits has to sleep and look again. */

#include "config.h"

#include "os/futex.h"

bool futex_wait(atomic_int *word, int value, long ns)
{
	(void)word, (void)value, (void)ns;
	return false;
}

void futex_wake_all(atomic_int *word)
{
	(void)word;
}
