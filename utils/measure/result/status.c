/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "status.h"

enum outcome_status status_of_both(enum outcome_status a, enum outcome_status b)
{
	if (a == OUTCOME_OUTPUT || b == OUTCOME_OUTPUT)
		return OUTCOME_OUTPUT;
	if (a == OUTCOME_OK || b == OUTCOME_OK)
		return a == OUTCOME_OK ? b : a;
	return a < b ? a : b;
}
