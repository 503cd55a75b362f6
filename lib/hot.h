/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What a first call writes even with a valid cache stands together, in the page that the
 * dynamic linker has written already: in a process that has just begun each other page
 * costs a fault. Large arrays are not for it. */

#ifndef CPUCYCLES_HOT_H
#define CPUCYCLES_HOT_H

#if defined(__ELF__) && defined(__GNUC__)
#define HOT __attribute__((section(".data.cpucycles_hot")))
#else
#define HOT
#endif

/* Called from so many places that its copies would be most of the code that is read in. */
#if defined(__GNUC__)
#define ONE_COPY __attribute__((noinline))
#else
#define ONE_COPY
#endif

#endif
