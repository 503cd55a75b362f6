/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The registers of a PMU that a program may read: a user page of perf has their numbers. */

#ifndef CPUCYCLES_PMU_REGISTER_H
#define CPUCYCLES_PMU_REGISTER_H

#include <stdbool.h>
#include <stdint.h>

/* True for the value of register number index - 1, where index is the member of a page. False: this
 * architecture has no such register, and only read(2) knows the count. */
static inline bool pmu_register_read(uint32_t number, uint64_t *value);

/* With this bit in config1, an ARM64 PMU lets the thread read the event's register (in the kernel,
 * Documentation/arch/arm64/perf.rst). Other PMUs would refuse the bit. */
#if defined(__aarch64__)
#define PMU_REGISTER_ACCESS UINT64_C(2)
#else
#define PMU_REGISTER_ACCESS UINT64_C(0)
#endif

/* The first library reads the same registers. This one has no handler that skips a read which
 * faults, so its instructions are in no table. */
#define FIXUP(instruction) instruction

#if defined(__x86_64__) || defined(__i386__)

#include "arch/amd64/rdpmc.h"

static inline bool pmu_register_read(uint32_t number, uint64_t *value)
{
	*value = rdpmc(number);
	return true;
}

#elif defined(__aarch64__)

/* PMEVCNTR<n>_EL0, and PMCCNTR_EL0 as number 31 (Arm ARM, "Performance Monitors registers"; in the
 * kernel, armv8pmu_user_event_idx). PMXEVCNTR_EL0 would have one instruction for all of them, but
 * needs PMSELR_EL0, which no context switch saves. */
#define PMU_REGISTER_CASE(number, instruction) \
	case number: \
		__asm__ volatile(instruction : "=r"(*value)); \
		return true;
#define PMU_REGISTER(number, row, column) \
	PMU_REGISTER_CASE(number, "mrs %0, s3_3_c14_c" #row "_" #column)
static inline bool pmu_register_read(uint32_t number, uint64_t *value)
{
	switch (number) {
		PMU_REGISTER(0, 8, 0)
		PMU_REGISTER(1, 8, 1)
		PMU_REGISTER(2, 8, 2)
		PMU_REGISTER(3, 8, 3)
		PMU_REGISTER(4, 8, 4)
		PMU_REGISTER(5, 8, 5)
		PMU_REGISTER(6, 8, 6)
		PMU_REGISTER(7, 8, 7)
		PMU_REGISTER(8, 9, 0)
		PMU_REGISTER(9, 9, 1)
		PMU_REGISTER(10, 9, 2)
		PMU_REGISTER(11, 9, 3)
		PMU_REGISTER(12, 9, 4)
		PMU_REGISTER(13, 9, 5)
		PMU_REGISTER(14, 9, 6)
		PMU_REGISTER(15, 9, 7)
		PMU_REGISTER_CASE(31, "mrs %0, pmccntr_el0")
	default:
		return false;
	}
}

#elif defined(__riscv) && __riscv_xlen == 64

#include "arch/riscv/csr.h"

static inline bool pmu_register_read(uint32_t number, uint64_t *value)
{
	return csr_read(number, value);
}

#else

static inline bool pmu_register_read(uint32_t number, uint64_t *value)
{
	(void)number;
	(void)value;
	return false;
}

#endif

#endif
