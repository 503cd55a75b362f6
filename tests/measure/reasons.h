/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Reasons with room for their texts. */

#ifndef CPUCYCLES_REASONS_H
#define CPUCYCLES_REASONS_H

#include "cpucycles-measure.h"

#define REASON_ROOM 256

/* Declares a reason of this name, without texts, and the room for its texts. */
#define REASON(name) \
	char name##_what[REASON_ROOM] = "", name##_remedy[REASON_ROOM] = ""; \
	struct cpucycles_reason name = CPUCYCLES_REASON(name##_what, name##_remedy)

#endif
