/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The function word of OpenBSD's pctr(4): one number that says which event a counter of an x86
 * processor counts, and when. Pure. Source: <machine/pctr.h> and pctr(4) of OpenBSD; the bits are
 * as in IA32_PERFEVTSELx (Intel SDM, volume 3B, "Performance Monitoring").
 */

#ifndef CPUCYCLES_EVENT_WORD_H
#define CPUCYCLES_EVENT_WORD_H

#include "name.h"

#include <stddef.h>
#include <stdint.h>

/* Set source, number, parts, user and kernel of *ask by a function word. 0; -EINVAL: bits are set
 * that have no meaning for a thread, or the word would count nothing, because it does not enable
 * the counter, or has neither the user's bit nor the kernel's. */
int event_word_decode(uint64_t word, struct event_ask *ask);

/* The function word of a raw event or of a function word. If neither user nor kernel was said, it
 * counts the user's. 0: it does not fit into one. */
uint32_t event_word_encode(const struct event_ask *ask);

/* A code whose unit mask pctr(1) marks. */
struct event_word_known {
	uint8_t code, mask; /* mask: of all lines in the cache, or of this core's own */
	const char *mark;   /* as pctr(1) has it: "MESI", or "A" */
	const char *what;   /* its name in Intel's manual, and what it counts */
};

/*
 * Code number i, from 0, of the Intel CPU with this signature of CPUID. NULL: there are no more.
 * Only the P6 family and Core 2 have any: in later CPUs, these codes count something else, or their
 * unit masks have another meaning.
 */
const struct event_word_known *event_word_at(uint32_t signature, size_t i);

/* What is known of this code; NULL: nothing. */
const struct event_word_known *event_word_find(uint32_t signature, uint8_t code);

#endif
