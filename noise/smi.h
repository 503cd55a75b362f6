/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* System management interrupts: work of the firmware, which the kernel does not see. x86 counts
 * them, and tells root. */

#ifndef CPUCYCLES_SMI_H
#define CPUCYCLES_SMI_H

#include <stdint.h>

/* Begin to count them on this CPU. Below 0: they cannot be counted. root: "", in tests a folder
 * with a made /sys. */
int smi_open(const char *root, int cpu);

/* How many there were so far, or PARSE_UNKNOWN. */
uint64_t smi_count(int fd);

void smi_close(int fd);

#endif
