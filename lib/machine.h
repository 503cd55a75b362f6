/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which boot of which machine this is, and what the machine says of itself. */

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

/* Take this UUID as the id of this boot from now on, in a program whose /proc shows another boot's.
 * The text has to stay. */
void machine_lend_boot(const char *boot);

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

/* How steadily the time-stamp counter of x86 runs. */
enum machine_tsc {
	MACHINE_TSC_NONE,     /* there is no such counter */
	MACHINE_TSC_VARIABLE, /* its rate may change with the state of the CPU */
	MACHINE_TSC_UNSTABLE, /* the kernel has found it wrong */
	MACHINE_TSC_INVARIANT /* it runs at one rate */
};

/* "none" and so on, as the cache writes it. */
const char *machine_tsc_name(enum machine_tsc tsc);

/* lib/arch: what the CPU says. It does not know what the kernel has found. Call it under the
 * guard. */
enum machine_tsc machine_cpu_tsc(void);

/* The kernel's list of the clocks that it can take its time from. */
#define MACHINE_CLOCKS "/sys/devices/system/clocksource/clocksource0/available_clocksource"
#define MACHINE_CLOCKS_SIZE 256

/* What CPU and kernel say together. clocks: the text of that list, or "". Pure. */
enum machine_tsc machine_judge_tsc(enum machine_tsc cpu, const char *clocks);

/* The same of this machine. Call it in a file_guard_call. */
enum machine_tsc machine_ask_tsc(void);

#define MACHINE_HYPERVISOR_SIZE 13 /* 12 characters, and a 0 */

/* lib/arch: the signature that the hypervisor gives of itself. False: the CPU tells of none. Call
 * it under the guard. */
bool machine_hypervisor(char signature[MACHINE_HYPERVISOR_SIZE]);

#endif
