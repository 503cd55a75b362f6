/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which boot of which machine this is. */

#ifndef CPUCYCLES_MACHINE_H
#define CPUCYCLES_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#define MACHINE_BOOT_SIZE 37     /* a UUID as text, and a 0 */
#define MACHINE_IDENTITY_SIZE 64 /* one word, and a 0 */

/* Whether the text is a UUID as the kernel writes it. */
bool machine_is_boot(const char *text);

/* The first is a boot id. The second is as long, or "". */
bool machine_is_same_boot(const char boot[MACHINE_BOOT_SIZE], const char *other);

/* The id of this boot. 0, or a negative errno if there is none. */
int machine_boot(char boot[MACHINE_BOOT_SIZE]);

/* Whether this boot has this id. The id is a UUID, so the kernel's text is one if it is the same,
 * and a first call need not check that text. */
bool machine_boot_is(const char boot[MACHINE_BOOT_SIZE]);

/*
 * What a process can cheaply find out about its CPU: the architecture, the CPU's signature, and
 * the capabilities that the kernel reports (getauxval(3)). Call it under the guard: the kernel can
 * make CPUID fault (arch_prctl(2)).
 */
void machine_identity(char identity[MACHINE_IDENTITY_SIZE]);

/* lib/arch: the CPU's model in one number. False: this architecture tells programs none. */
bool machine_signature(uint32_t *signature);

#endif
