/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The header of gcc and clang for the CPUID instruction, which the made CPU answers. */

#ifndef CPUCYCLES_ELSEWHERE_CPUID_H
#define CPUCYCLES_ELSEWHERE_CPUID_H

int __get_cpuid(unsigned leaf, unsigned *a, unsigned *b, unsigned *c, unsigned *d);

#endif
