/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What an x86 CPU and its hypervisor tell any program about the rate of the time-stamp counter
 * (TSC), by CPUID. Sources: Intel SDM volume 2A, CPUID, leaves 0x15 and 0x16; the kernel's
 * Documentation/virt/kvm/x86/cpuid.rst and arch/x86/kernel/cpu/vmware.c for leaf 0x40000010. */

#ifndef CPUCYCLES_FREQUENCY_X86_H
#define CPUCYCLES_FREQUENCY_X86_H

#include "arch/x86/cpuid.h"
#include "frequency.h"

#include <stdint.h>

/* Each returns Hz, or 0 if the CPU that cpuid asks does not tell. Pure except for cpuid. */
uint64_t x86_tsc_hz(x86_cpuid *cpuid);
uint64_t x86_base_hz(x86_cpuid *cpuid);
uint64_t x86_hypervisor_hz(x86_cpuid *cpuid);

/* The one of these that is the source. */
uint64_t x86_cpuid_hz(x86_cpuid *cpuid, enum persecond_source source);

/* The rate in Hz by the user page of a perf event; 0 if there is no such page, or it has no
 * multiplier. */
uint64_t x86_perf_page_hz(void);

/* The rate at which ticks * multiplier >> shift are nanoseconds; 0 if it cannot be computed.
 * Pure. */
uint64_t x86_multiplier_hz(uint32_t multiplier, unsigned shift);

#endif
