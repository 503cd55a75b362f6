/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The signals that a load through a bad pointer may raise, which the guard has to catch. */

#ifndef CPUCYCLES_LOADS_H
#define CPUCYCLES_LOADS_H

#include "counter.h"

/*
 * The signals of a load through a bad pointer. An address that is not aligned, or that no process
 * can have, raises SIGBUS on many architectures. On x86 it raises SIGSEGV. The exception there is
 * an address in the register of the stack or of its frame (the stack-segment fault): compilers keep
 * no other pointers there when they optimise.
 */
#if defined(__x86_64__) || defined(__i386__)
#define FAULTS_OF_LOADS COUNTER_SIGNAL(SIGSEGV)
#else
#define FAULTS_OF_LOADS (COUNTER_SIGNAL(SIGSEGV) | COUNTER_SIGNAL(SIGBUS))
#endif

#endif
