/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What Linux tells of the frequency of CPUs, for tests that ask for other architectures. */

#ifndef CPUCYCLES_FREQUENCY_LINUX_H
#define CPUCYCLES_FREQUENCY_LINUX_H

#include "frequency.h"

/* frequency_os for a machine of this architecture, in configure's words. Tests ask for all of
 * them. */
bool frequency_linux(const char *root, const char *architecture, struct persecond *answer);

#endif
