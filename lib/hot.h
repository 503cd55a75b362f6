/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * HOT marks the small objects that a first call writes even with a valid cache. A process that has
 * just begun has none of the library's pages of data, and the first write to each costs a page
 * fault, which takes about as long as reading the cache. The linker puts everything in one section
 * together, so HOT objects share a page, and that page holds the pointer cpucycles too, which the
 * dynamic linker has written already. This saves a first call several page faults, about an
 * eighth of its time. Large arrays are not for HOT: they would push the rest out of the page.
 */

/*
 * COLD marks functions that neither a read nor a first call with a valid cache executes, and those
 * that open events, which spend their time in system calls. The compiler makes them small instead
 * of fast, and puts them together, so that a first call need not load them. What only they call
 * needs no mark: the compiler sees that.
 */

#ifndef CPUCYCLES_HOT_H
#define CPUCYCLES_HOT_H

#if defined(__ELF__) && defined(__GNUC__)
#define HOT __attribute__((section(".data.cpucycles_hot")))
#define COLD __attribute__((cold))
#else
#define HOT
#define COLD
#endif

#endif
