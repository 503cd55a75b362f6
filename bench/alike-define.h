/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* How functions in several copies are defined. */

#ifndef CPUCYCLES_BENCH_ALIKE_DEFINE_H
#define CPUCYCLES_BENCH_ALIKE_DEFINE_H

/* Without no_icf, gcc makes one function of two that have the same code. */
#if defined(__GNUC__) && !defined(__clang__)
#define ALIKE_APART __attribute__((noinline, no_icf))
#elif defined(__GNUC__)
#define ALIKE_APART __attribute__((noinline))
#else
#define ALIKE_APART
#endif

/* The head of a function. No function uses its parameter: it is for the type that a meter calls. */
#if defined(ALIKE_SHARED)
#define ALIKE_EXPORTED(name) \
	void name(void); \
	__attribute__((visibility("default"))) void name(void)
#define ALIKE_HEAD(name) ALIKE_EXPORTED(name)
#elif defined(__GNUC__)
#define ALIKE_HEAD(name) static void name(void *unused __attribute__((unused)))
#else
#define ALIKE_HEAD(name) static void name(void *unused)
#endif

#endif
