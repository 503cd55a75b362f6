/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The fence around a read of a counter. Instructions above the fence have finished before
 * the instructions below it begin, so that a count holds all of the work in between and nothing
 * else. cpucycles-measure(7), "Fences", has what each architecture promises.
 */

#ifndef CPUCYCLES_FENCE_H
#define CPUCYCLES_FENCE_H

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>
#include <stdatomic.h>
#include <stdbool.h>

/* Intel SDM volume 2A, LFENCE: it executes when all prior instructions have completed, and no later
 * one begins before. AMD64 APM volume 3, LFENCE: likewise, where the kernel has set the bit
 * DE_CFG[1], as Linux does. */
static inline void fence_lfence(void)
{
	__asm__ volatile("lfence" : : : "memory");
}

/* Whether the CPU has LFENCE, which came with SSE2. A program for i386 may run on CPUs with and
 * without. The answer is kept, because a virtual machine takes microseconds for CPUID. */
static inline bool fence_has_lfence(void)
{
#if defined(__x86_64__) || defined(__SSE2__)
	return true;
#else
	enum { UNKNOWN, YES, NO };
	static _Atomic(int) kept = UNKNOWN;
	int answer = atomic_load_explicit(&kept, memory_order_relaxed);
	unsigned a, b, c, d;

	if (answer == UNKNOWN) {
		answer = __get_cpuid(1, &a, &b, &c, &d) && (d & bit_SSE2) ? YES : NO;
		atomic_store_explicit(&kept, answer, memory_order_relaxed);
	}
	return answer == YES;
#endif
}

/* Intel SDM volume 3A, "Serializing Instructions": without SSE2, CPUID is the only one that a
 * program may execute. */
static inline void fence_cpuid(void)
{
	unsigned a, b, c, d;

	__cpuid(0, a, b, c, d);
	__asm__ volatile("" : : "r"(a + b + c + d) : "memory");
}

#endif

static inline void fence(void)
{
#if defined(__x86_64__) || defined(__i386__)
	if (fence_has_lfence())
		fence_lfence();
	else
		fence_cpuid();
#elif defined(__aarch64__) || (defined(__ARM_ARCH) && __ARM_ARCH >= 7)
	/* Arm ARM, "Instruction Synchronization Barrier": later instructions are fetched after all
	 * earlier ones have completed. */
	__asm__ volatile("isb" : : : "memory");
#elif defined(__arm__)
	/* ARMv6: CP15 c7, c5, 4 is the same barrier ("Flush Prefetch Buffer"). */
	__asm__ volatile("mcr p15, 0, %0, c7, c5, 4" : : "r"(0) : "memory");
#elif defined(__powerpc__) || defined(__powerpc64__)
	/* Power ISA, book II, "Instruction Synchronize". */
	__asm__ volatile("isync" : : : "memory");
#elif defined(__s390__)
	/* z/Architecture Principles of Operation, BRANCH ON CONDITION: mask 15 and register 0 are a
	 * serialization. */
	__asm__ volatile("bcr 15,0" : : : "memory");
#elif defined(__mips__)
	/* MIPS architecture, volume II: SYNC orders loads and stores. No instruction of user mode
	 * orders all others, and the cores that have this counter execute in order. */
	__asm__ volatile("sync" : : : "memory");
#elif defined(__loongarch__)
	/* LoongArch Reference Manual, volume 1: IBAR 0 holds back later instructions, DBAR 0 later
	 * loads and stores. */
	__asm__ volatile("dbar 0\n\tibar 0" : : : "memory");
#elif defined(__riscv)
	/* RISC-V promises no order between reads of a CSR and other instructions. FENCE orders the
	 * loads and stores, and with them what depends on these. */
	__asm__ volatile("fence iorw, iorw" : : : "memory");
#elif defined(__sparc__) && defined(__arch64__)
	/* The SPARC Architecture Manual V9, MEMBAR: #Sync waits for all earlier instructions. */
	__asm__ volatile("membar #Sync" : : : "memory");
#elif defined(__GNUC__)
	/* Nothing is known of the processor: the compiler at least moves nothing over this. */
	__asm__ volatile("" : : : "memory");
#endif
}

#endif
