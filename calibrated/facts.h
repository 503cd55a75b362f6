/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What decides how far a count can be trusted, as words. The caller holds the guard, installed. */

#ifndef CPUCYCLES_FACTS_H
#define CPUCYCLES_FACTS_H

#include "cache.h"

/* Set the facts that the kernel tells. root: "", in tests a folder with files in its place. The
 * other facts stay as they are. */
void facts_of_tree(const char *root, char facts[CACHE_FACTS][CACHE_FACT_SIZE]);

/* Set the facts that the CPU tells. To be called after facts_of_tree, because the CPU knows its
 * hypervisor better. */
void facts_of_cpu(char facts[CACHE_FACTS][CACHE_FACT_SIZE]);

/* To be called after facts_of_cpu: the time-stamp counter is unstable if the kernel's list of
 * clocks leaves it out. root: see facts_of_tree. */
void facts_of_clocks(const char *root, char facts[CACHE_FACTS][CACHE_FACT_SIZE]);

/* While the kernel's clock is tsc-early, its rate may be off by this much. The kernel corrects it
 * about a second after the boot, and takes no other result that differs by more. */
#define FACTS_EARLY_PPM 10000

/* Withdraw from the measured rates what the facts do not allow to say, and log why: any rate of a
 * time-stamp counter whose rate is not fixed, and narrow bounds while the kernel's clock is not
 * measured finally. */
void facts_limit(struct cache *cache);

/* A word for a hypervisor's signature (CPUID leaf 0x40000000). An unknown signature is its own
 * word, or "unknown" if it is not one word. Pure. */
const char *facts_hypervisor(const char *signature);

/* Set the fact to the first word of the text, cut to fit; "unknown" if there is none. Pure. */
void facts_set(char fact[CACHE_FACT_SIZE], const char *text);

/* Set the fact to a number of Hz; "unknown" for 0. Pure. */
void facts_set_hz(char fact[CACHE_FACT_SIZE], uint64_t hz);

#endif
