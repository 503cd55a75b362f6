/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What decides how far to trust a count, as words. The caller holds the guard, installed. */

#ifndef CPUCYCLES_FACTS_H
#define CPUCYCLES_FACTS_H

#include "cache.h"

/* Those that the kernel tells below root ("" but in tests). Others stay as they are. */
void facts_of_tree(const char *root, char facts[CACHE_FACTS][CACHE_FACT_SIZE]);

/* Those that the CPU tells; after those of the tree, which they overrule. */
void facts_of_cpu(char facts[CACHE_FACTS][CACHE_FACT_SIZE]);

/* The word for a hypervisor's signature (CPUID leaf 0x40000000), the signature itself if it
 * is none known but a word, else "unknown". Pure. */
const char *facts_hypervisor(const char *signature);

/* The text as a fact: cut at the first character that is no part of a word. Pure. */
void facts_set(char fact[CACHE_FACT_SIZE], const char *text);

#endif
