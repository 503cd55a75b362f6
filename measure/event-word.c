/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "event-word.h"

#include <errno.h>

/* The names are those of pctr(4). The bits that are missing here are pin control, the interrupt at
 * an overflow, and counting of all threads of a core: a thread cannot ask for these. */
#define CODE UINT64_C(0xff)
#define MASK_SHIFT 8
#define MASK UINT64_C(0xff00)
#define USER UINT64_C(0x010000)
#define KERNEL UINT64_C(0x020000)
#define EDGE UINT64_C(0x040000)
#define ENABLE UINT64_C(0x400000)
#define INVERT UINT64_C(0x800000)
#define COUNT_SHIFT 24
#define COUNT UINT64_C(0xff000000)
#define KNOWN (CODE | MASK | USER | KERNEL | EDGE | ENABLE | INVERT | COUNT)

int event_word_decode(uint64_t word, struct event_ask *ask)
{
	if ((word & ~KNOWN) || !(word & ENABLE) || !(word & (USER | KERNEL)))
		return -EINVAL;
	ask->source = EVENT_WORD;
	ask->number = word & CODE;
	ask->user = word & USER;
	ask->kernel = word & KERNEL;
	ask->parts = (struct event_parts){
		.has_mask = word & MASK,
		.mask = (uint8_t)((word & MASK) >> MASK_SHIFT),
		.edge = word & EDGE,
		.invert = word & INVERT,
		.count = (uint8_t)((word & COUNT) >> COUNT_SHIFT),
	};
	return 0;
}

/* A raw code may have the unit mask in it, unless the mask is said in a part of its own. */
static bool fits(const struct event_ask *ask)
{
	switch (ask->source) {
	case EVENT_RAW:
		return ask->number <= (ask->parts.has_mask ? CODE : CODE | MASK);
	case EVENT_WORD:
		return ask->number <= CODE;
	default:
		return false;
	}
}

uint32_t event_word_encode(const struct event_ask *ask)
{
	const struct event_parts *parts = &ask->parts;
	uint64_t word = ENABLE | ask->number;

	if (!fits(ask))
		return 0;
	if (parts->has_mask)
		word |= (uint64_t)parts->mask << MASK_SHIFT;
	if (ask->user || !ask->kernel)
		word |= USER;
	if (ask->kernel)
		word |= KERNEL;
	if (parts->edge)
		word |= EDGE;
	if (parts->invert)
		word |= INVERT;
	return (uint32_t)(word | (uint64_t)parts->count << COUNT_SHIFT);
}
