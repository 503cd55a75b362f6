/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The function word of OpenBSD's pctr(4): one number that says which event a counter of an x86
 * processor counts, and when. Pure. Source: <machine/pctr.h> and pctr(4) of OpenBSD; the bits are
 * those of IA32_PERFEVTSELx (Intel SDM, volume 3B, "Performance Monitoring").
 */

#ifndef CPUCYCLES_EVENT_WORD_H
#define CPUCYCLES_EVENT_WORD_H

#include "event-name.h"

/* Set source, number, parts, user and kernel of *ask by a function word. 0; -EINVAL: bits are set
 * that have no meaning for a thread, or the word would count nothing, because it does not enable
 * the counter, or has neither the user's bit nor the kernel's. */
int event_word_decode(uint64_t word, struct event_ask *ask);

/* The function word of a raw event or of a function word. If neither user nor kernel was said, it
 * counts the user's. 0: it does not fit into one. */
uint32_t event_word_encode(const struct event_ask *ask);

#endif
