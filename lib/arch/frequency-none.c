/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* An architecture whose CPU tells a program nothing of its frequency. */

#include "config.h"

#include "frequency.h"

#include <stddef.h>

frequency_ask *const frequency_cpu[] = { NULL };
