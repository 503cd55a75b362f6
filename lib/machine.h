/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which boot of which machine this is. */

#ifndef CPUCYCLES_MACHINE_H
#define CPUCYCLES_MACHINE_H

#include <stdbool.h>

#define MACHINE_BOOT_SIZE 37     /* a UUID in text, and a 0 */
#define MACHINE_IDENTITY_SIZE 64 /* one word, and a 0 */

/* Whether the text is a UUID as the kernel writes it. */
bool machine_is_boot(const char *text);

/* This boot's id. 0, or a negative errno where there is none. */
int machine_boot(char boot[MACHINE_BOOT_SIZE]);

/*
 * What a process can cheaply know of its CPU: architecture, on x86 the CPUID
 * signature, and the capabilities the kernel reports (getauxval(3)). To be called
 * under the guard: CPUID can be made to fault (arch_prctl(2)).
 */
void machine_identity(char identity[MACHINE_IDENTITY_SIZE]);

#endif
