/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the readers of RISC-V's counter CSRs share. Source: The RISC-V Instruction Set
 * Manual, volume I, "Zicntr" and "Zihpm". */

#ifndef CPUCYCLES_CSR_H
#define CPUCYCLES_CSR_H

#include "fixup.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* While a CSR is closed (in scounteren), the instruction that reads it is illegal. */
#define CSR_CLOSED SIGILL

/*
 * Read the counter of that number; cycle is number 0. The counters are the CSRs from 0xc00 on.
 * Where registers have 32 bits, these are the low halves, and the CSRs from 0xc80 on are the high
 * halves. The low half may wrap between two reads: both are read again until the high half stays.
 */
#if __riscv_xlen == 64
#define CSR_READ(number, value) \
	__asm__ volatile(FIXUP("csrr %0, 0xc00 + " #number) : "=r"(*(value)))
#else
#define CSR_READ(number, value) \
	do { \
		/* 0, because a read that faults writes nothing, and the loop has to end. */ \
		uint32_t high = 0, low = 0, again; \
		do { \
			__asm__ volatile(FIXUP("csrr %0, 0xc80 + " #number) : "+r"(high)); \
			__asm__ volatile(FIXUP("csrr %0, 0xc00 + " #number) : "+r"(low)); \
			again = high; \
			__asm__ volatile(FIXUP("csrr %0, 0xc80 + " #number) : "+r"(again)); \
		} while (high != again); \
		*(value) = (uint64_t)high << 32 | low; \
	} while (0)
#endif

static inline uint64_t csr_cycle(void)
{
	uint64_t cycles;

	CSR_READ(0, &cycles);
	return cycles;
}

#define CSR_CASE(number) \
	case number: \
		CSR_READ(number, value); \
		return true

/* A perfevent_register (os/perfevent-page.h). False: no counter has that number, as 1 (time). */
static inline bool csr_read(uint32_t number, uint64_t *value)
{
	switch (number) {
		CSR_CASE(0);
		CSR_CASE(2);
		CSR_CASE(3);
		CSR_CASE(4);
		CSR_CASE(5);
		CSR_CASE(6);
		CSR_CASE(7);
		CSR_CASE(8);
		CSR_CASE(9);
		CSR_CASE(10);
		CSR_CASE(11);
		CSR_CASE(12);
		CSR_CASE(13);
		CSR_CASE(14);
		CSR_CASE(15);
		CSR_CASE(16);
		CSR_CASE(17);
		CSR_CASE(18);
		CSR_CASE(19);
		CSR_CASE(20);
		CSR_CASE(21);
		CSR_CASE(22);
		CSR_CASE(23);
		CSR_CASE(24);
		CSR_CASE(25);
		CSR_CASE(26);
		CSR_CASE(27);
		CSR_CASE(28);
		CSR_CASE(29);
		CSR_CASE(30);
		CSR_CASE(31);
	default:
		return false;
	}
}

#endif
