/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * HOT marks variables that a first call writes even if the cache is valid. They stand together, in
 * a page that the dynamic linker has written to already. In a process that has just started, the
 * first write to any other page is a page fault. Large arrays would fill the page and are not
 * marked.
 */

#ifndef CPUCYCLES_HOT_H
#define CPUCYCLES_HOT_H

#if defined(__ELF__) && defined(__GNUC__)
#define HOT __attribute__((section(".data.cpucycles_hot")))
#else
#define HOT
#endif

/* Marks a function with so many callers that inlined copies of it would be most of the code that a
 * first call has to load. */
#if defined(__GNUC__)
#define ONE_COPY __attribute__((noinline))
#else
#define ONE_COPY
#endif

#endif
