/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What an x86 CPU, its hypervisor and its kernel tell any program of the rate of the TSC.
 * Sources: Intel SDM volume 2A, CPUID, leaves 0x15 and 0x16; the kernel's
 * Documentation/virt/kvm/x86/cpuid.rst and arch/x86/kernel/cpu/vmware.c for leaf
 * 0x40000010; the comments on struct perf_event_mmap_page in linux/perf_event.h. */

#ifndef CPUCYCLES_FREQUENCY_X86_H
#define CPUCYCLES_FREQUENCY_X86_H

#include "arch/x86/cpuid.h"

#include <stdint.h>

/* In Hz; 0: no answer. Pure but for what cpuid does. */
uint64_t x86_tsc_hz(x86_cpuid *cpuid);
uint64_t x86_base_hz(x86_cpuid *cpuid);
uint64_t x86_hypervisor_hz(x86_cpuid *cpuid);

/* Ticks * multiplier >> shift are nanoseconds. Pure. */
uint64_t x86_multiplier_hz(uint32_t multiplier, unsigned shift);

/* From the user page of a perf event; 0 where there is none. */
uint64_t x86_perf_page_hz(void);

#endif
