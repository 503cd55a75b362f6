/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What an x86 CPU and its hypervisor tell any program about the rate of the time-stamp counter
 * (TSC), by CPUID. Sources: Intel SDM volume 2A, CPUID, leaves 0x15 and 0x16; the kernel's
 * Documentation/virt/kvm/x86/cpuid.rst and arch/x86/kernel/cpu/vmware.c for leaf 0x40000010. */

#ifndef CPUCYCLES_FREQUENCY_X86_H
#define CPUCYCLES_FREQUENCY_X86_H

#include "arch/x86/cpuid.h"

#include <stdint.h>

/* Each returns Hz, or 0 if the CPU that cpuid asks does not tell. Pure except for cpuid. */
uint64_t x86_tsc_hz(x86_cpuid *cpuid);
uint64_t x86_base_hz(x86_cpuid *cpuid);
uint64_t x86_hypervisor_hz(x86_cpuid *cpuid);

#endif
