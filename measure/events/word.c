/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "word.h"

#include <errno.h>

/* The names are from pctr(4). The bits that are missing here are pin control, the interrupt at
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

#define N(array) (sizeof(array) / sizeof(array)[0])

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
	if (ask->source == EVENT_RAW && !ask->parts.has_mask)
		return ask->number <= (CODE | MASK);
	return (ask->source == EVENT_RAW || ask->source == EVENT_WORD) && ask->number <= CODE;
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

/*
 * Marks. The codes and names are Intel's (SDM, volume 3B, "Performance Monitoring Events"), by two
 * tables that were made from that manual: by pctr(1) for the P6 family, and by libpfm4 for Core 2.
 * For Core 2, pctr(1) marks 32H by MESI, where libpfm4 has the bits of the core only.
 * It marks 77H by MESI, too, where libpfm4 has answers to snoops in these bits, and the initiator.
 */

static const struct event_word_known p6[] = {
	{ 0x28, 0x0f, "MESI", "L2_IFETCH: instruction fetches of the L2 cache" },
	{ 0x29, 0x0f, "MESI", "L2_LD: loads of the L2 cache" },
	{ 0x2a, 0x0f, "MESI", "L2_ST: stores to the L2 cache" },
	{ 0x2e, 0x0f, "MESI", "L2_RQSTS: requests to the L2 cache" },
	{ 0x62, 0, "A", "BUS_DRDY_CLOCKS: bus clocks with data ready" },
	{ 0x63, 0, "A", "BUS_LOCK_CLOCKS: bus clocks with the bus locked" },
	{ 0x65, 0, "A", "BUS_TRAN_BRD: burst reads on the bus" },
	{ 0x66, 0, "A", "BUS_TRAN_RFO: reads for ownership on the bus" },
	{ 0x67, 0, "A", "BUS_TRANS_WB: write-backs on the bus" },
	{ 0x68, 0, "A", "BUS_TRAN_IFETCH: instruction fetches on the bus" },
	{ 0x69, 0, "A", "BUS_TRAN_INVAL: invalidations on the bus" },
	{ 0x6a, 0, "A", "BUS_TRAN_PWR: partial writes on the bus" },
	{ 0x6b, 0, "A", "BUS_TRANS_P: partial transactions on the bus" },
	{ 0x6c, 0, "A", "BUS_TRANS_IO: transactions of I/O on the bus" },
	{ 0x6d, 0, "A", "BUS_TRAN_DEF: deferred transactions on the bus" },
	{ 0x6e, 0, "A", "BUS_TRAN_BURST: burst transactions on the bus" },
	{ 0x6f, 0, "A", "BUS_TRAN_MEM: transactions of memory on the bus" },
	{ 0x70, 0, "A", "BUS_TRAN_ANY: all transactions on the bus" },
};

/* Where two cores share what is counted, the unit mask has to name the core. */
#define SELF 0x40

static const struct event_word_known core[] = {
	{ 0x28, SELF | 0x0f, "MESI", "L2_IFETCH: instruction fetches of the L2 cache" },
	{ 0x29, SELF | 0x0f, "MESI", "L2_LD: loads of the L2 cache" },
	{ 0x2a, SELF | 0x0f, "MESI", "L2_ST: stores to the L2 cache" },
	{ 0x2b, SELF | 0x0f, "MESI", "L2_LOCK: locked accesses to the L2 cache" },
	{ 0x2e, SELF | 0x0f, "MESI", "L2_RQSTS: requests to the L2 cache" },
	{ 0x30, SELF | 0x0f, "MESI", "L2_REJECT_BUSQ: rejected requests to the L2 cache" },
	{ 0x40, 0x0f, "MESI", "L1D_CACHE_LD: loads of the L1 data cache" },
	{ 0x41, 0x0f, "MESI", "L1D_CACHE_ST: stores to the L1 data cache" },
	{ 0x42, 0x0f, "MESI", "L1D_CACHE_LOCK: locked loads of the L1 data cache" },
	{ 0x60, SELF, "A", "BUS_REQUEST_OUTSTANDING: reads of lines under way, each clock" },
	{ 0x61, 0, "A", "BUS_BNR_DRV: signals that the bus is not ready" },
	{ 0x62, 0, "A", "BUS_DRDY_CLOCKS: bus clocks with data ready" },
	{ 0x63, SELF, "A", "BUS_LOCK_CLOCKS: bus clocks with the bus locked" },
	{ 0x65, SELF, "A", "BUS_TRANS_BRD: burst reads on the bus" },
	{ 0x66, SELF, "A", "BUS_TRANS_RFO: reads for ownership on the bus" },
	{ 0x67, SELF, "A", "BUS_TRANS_WB: write-backs on the bus" },
	{ 0x68, SELF, "A", "BUS_TRANS_IFETCH: instruction fetches on the bus" },
	{ 0x69, SELF, "A", "BUS_TRANS_INVAL: invalidations on the bus" },
	{ 0x6a, SELF, "A", "BUS_TRANS_PWR: partial writes on the bus" },
	{ 0x6b, SELF, "A", "BUS_TRANS_P: partial transactions on the bus" },
	{ 0x6c, SELF, "A", "BUS_TRANS_IO: transactions of I/O on the bus" },
	{ 0x6d, SELF, "A", "BUS_TRANS_DEF: deferred transactions on the bus" },
	{ 0x6e, SELF, "A", "BUS_TRANS_BURST: burst transactions on the bus" },
	{ 0x6f, SELF, "A", "BUS_TRANS_MEM: transactions of memory on the bus" },
	{ 0x70, SELF, "A", "BUS_TRANS_ANY: all transactions on the bus" },
	{ 0x77, 0x0b, "A", "EXT_SNOOP: answers to snoops from the bus" },
	{ 0x7a, 0, "A", "BUS_HIT_DRV: signals of a hit on the bus" },
	{ 0x7b, 0, "A", "BUS_HITM_DRV: signals of a hit of a modified line" },
	{ 0x7d, 0, "A", "BUSQ_EMPTY: bus clocks with an empty queue" },
	{ 0x7e, SELF, "A", "SNOOP_STALL_DRV: bus clocks that wait for a snoop" },
};

/* Intel SDM, volume 4, "CPUs and their DisplayFamily_DisplayModel": family 6 has both, and later
 * ones that have other events. */
static const struct event_word_known *table_of(uint32_t signature, size_t *n)
{
	*n = 0;
	if ((signature >> 8 & 0xf) != 6)
		return NULL;
	switch ((signature >> 4 & 0xf) | (signature >> 12 & 0xf0)) {
	case 0x01: /* Pentium Pro */
	case 0x03: /* Pentium II */
	case 0x05:
	case 0x06:
	case 0x07: /* Pentium III */
	case 0x08:
	case 0x09: /* Pentium M */
	case 0x0a:
	case 0x0b:
	case 0x0d:
		*n = N(p6);
		return p6;
	case 0x0f: /* Core 2 */
	case 0x16:
	case 0x17:
	case 0x1d:
		*n = N(core);
		return core;
	default:
		return NULL;
	}
}

const struct event_word_known *event_word_at(uint32_t signature, size_t i)
{
	size_t n;
	const struct event_word_known *table = table_of(signature, &n);

	return i < n ? &table[i] : NULL;
}

const struct event_word_known *event_word_find(uint32_t signature, uint8_t code)
{
	const struct event_word_known *known;

	for (size_t i = 0; (known = event_word_at(signature, i)); i++)
		if (known->code == code)
			return known;
	return NULL;
}
