/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* An architecture whose CPUs tell a program nothing about their frequency. */

#include "config.h"

#include "frequency.h"

#include <stddef.h>

frequency_ask *const frequency_cpu[] = { NULL };
