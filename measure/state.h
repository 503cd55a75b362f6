/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The state of a thread's processor that code inherits from whatever ran before: how floating-point
 * instructions compute, and x86's direction flag. The ABI has a function put back what it changes.
 * Constructors that gcc -ffast-math links into a shared object do not: they flush denormals to zero
 * for the whole thread. On other architectures, nothing is looked at.
 */

#ifndef CPUCYCLES_STATE_H
#define CPUCYCLES_STATE_H

#include "fence.h"

#include <stdbool.h>
#include <stdint.h>

/* Control bits only. A function may leave the flags that instructions raise in the same registers.
 */
struct state {
	uint64_t simd; /* of x86's MXCSR, or ARM64's FPCR */
	uint16_t x87;  /* x86's control word for the instructions before SSE */
};

#if defined(__x86_64__) || defined(__i386__)

#define STATE_SIMD "MXCSR"

/* Intel SDM volume 1, "MXCSR Control and Status Register": bits 0 to 5 are flags. */
#define STATE_MXCSR_FLAGS 0x3fu

/* SSE brought the register. Here a CPU without SSE2 counts as one without SSE, too: fence.h has
 * asked about SSE2 already. */
static inline uint32_t state_mxcsr(void)
{
	uint32_t mxcsr = 0;

	if (fence_has_lfence())
		__asm__ volatile("stmxcsr %0" : "=m"(mxcsr) : : "memory");
	return mxcsr;
}

static inline struct state state_get(void)
{
	struct state state = { .simd = state_mxcsr() & ~STATE_MXCSR_FLAGS };

	__asm__ volatile("fnstcw %0" : "=m"(state.x87) : : "memory");
	return state;
}

static inline void state_set(const struct state *state)
{
	const uint32_t mxcsr = (uint32_t)state->simd | (state_mxcsr() & STATE_MXCSR_FLAGS);

	if (fence_has_lfence())
		__asm__ volatile("ldmxcsr %0" : : "m"(mxcsr) : "memory");
	__asm__ volatile("fldcw %0" : : "m"(state->x87) : "memory");
}

/* Intel SDM volume 1, "DF Flag": bit 10 of EFLAGS. While it is set, string instructions go
 * backwards, also in memcpy(3). */
#define STATE_DIRECTION 0x400u

/* Clear the direction flag. Returns whether it was set. */
static inline bool state_clear_direction(void)
{
#if defined(__x86_64__)
	const bool set = __builtin_ia32_readeflags_u64() & STATE_DIRECTION;
#else
	const bool set = __builtin_ia32_readeflags_u32() & STATE_DIRECTION;
#endif

	if (set)
		__asm__ volatile("cld" : : : "cc", "memory");
	return set;
}

#else

#if defined(__aarch64__)

#define STATE_SIMD "FPCR"

/* Arm ARM, "FPCR, Floating-point Control Register". Its flags are in another register. */
static inline struct state state_get(void)
{
	struct state state = { 0 };

	__asm__ volatile("mrs %0, fpcr" : "=r"(state.simd) : : "memory");
	return state;
}

static inline void state_set(const struct state *state)
{
	__asm__ volatile("msr fpcr, %0" : : "r"(state->simd) : "memory");
}

#else

#define STATE_SIMD ""

static inline struct state state_get(void)
{
	return (struct state){ 0 };
}

static inline void state_set(const struct state *state)
{
	(void)state;
}

#endif

static inline bool state_clear_direction(void)
{
	return false;
}

#endif

static inline bool state_is(const struct state *a, const struct state *b)
{
	return a->simd == b->simd && a->x87 == b->x87;
}

#endif
