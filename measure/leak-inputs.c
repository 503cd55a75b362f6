/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "leak-inputs.h"
#include "draw.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The ring takes at most RING_BYTES bytes, but has at least RING_LEAST inputs. */
#define RING_BYTES ((size_t)1 << 22)
#define RING_LEAST 16

/* What malloc() gives is aligned for every type, and inputs are, too. So up to 15 bytes after one
 * may be touched unseen. */
#define ALIGNMENT _Alignof(max_align_t)

/* The input of a first call, and both ways. */
#define GUARDED 3

static void fill(unsigned char *bytes, size_t n, uint64_t *state)
{
	for (size_t i = 0; i < n; i += sizeof(uint32_t)) {
		const uint32_t drawn = (uint32_t)draw_bits(state);

		memcpy(bytes + i, &drawn, n - i < sizeof drawn ? n - i : sizeof drawn);
	}
}

static size_t round_up(size_t bytes, size_t to)
{
	return (bytes + to - 1) / to * to;
}

/* In bytes, of an input with its pages. */
static size_t open_bytes(const struct cpucycles_leak *leak, size_t page)
{
	return round_up(round_up(leak->bytes, ALIGNMENT), page);
}

static size_t slots_of(const struct cpucycles_leak *leak, size_t slots)
{
	const size_t fit = RING_BYTES / leak->bytes;
	const size_t most = fit < RING_LEAST ? RING_LEAST : fit;

	return slots < most ? slots : most;
}

static size_t mapped_bytes(const struct cpucycles_leak *leak, size_t page)
{
	return GUARDED * (open_bytes(leak, page) + page) + open_bytes(leak, page) + 2 * page;
}

size_t leak_inputs_bytes(const struct cpucycles_leak *leak, size_t slots)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (slots_of(leak, slots) + 2) * leak->bytes + mapped_bytes(leak, page);
}

/* Three inputs, each at the end of some pages, and after each of them a page that is closed. Then
 * one at the begin of a page, and after it two more pages, of which the last one is closed. */
static int guard(struct leak_inputs *inputs)
{
	unsigned char **const places[GUARDED] = { &inputs->call, &inputs->ways[0],
						  &inputs->ways[1] };
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t bytes = round_up(inputs->leak.bytes, ALIGNMENT);
	const size_t open = open_bytes(&inputs->leak, page);
	unsigned char *at;

	inputs->guarded_bytes = mapped_bytes(&inputs->leak, page);
	inputs->guarded = mmap(NULL, inputs->guarded_bytes, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (inputs->guarded == MAP_FAILED) {
		inputs->guarded = NULL;
		return -ENOMEM;
	}
	at = inputs->guarded;
	for (size_t i = 0; i < GUARDED; i++, at += page) {
		at += open;
		*places[i] = at - bytes;
		if (mprotect(at, page, PROT_NONE))
			return -ENOMEM;
	}
	inputs->free = at;
	return mprotect(at + open + page, page, PROT_NONE) ? -ENOMEM : 0;
}

void leak_inputs_open(struct leak_inputs *inputs)
{
	inputs->call = inputs->free;
}

int leak_inputs_begin(struct leak_inputs *inputs, const struct cpucycles_leak *leak, size_t slots,
		      uint64_t seed)
{
	*inputs = (struct leak_inputs){
		.leak = *leak,
		.slots = slots_of(leak, slots),
		.contents = draw_begin(seed, 1),
	};
	inputs->ring = calloc(inputs->slots + 2, leak->bytes);
	if (!inputs->ring || guard(inputs)) {
		leak_inputs_end(inputs);
		return -ENOMEM;
	}
	for (size_t i = 0; i < 2; i++) {
		inputs->fixed[i] = inputs->ring + (inputs->slots + i) * leak->bytes;
		fill(inputs->fixed[i], leak->bytes, &inputs->contents);
	}
	return 0;
}

void leak_inputs_end(struct leak_inputs *inputs)
{
	free(inputs->ring);
	if (inputs->guarded)
		munmap(inputs->guarded, inputs->guarded_bytes);
}

static void make_way(struct leak_inputs *inputs, int group)
{
	const struct cpucycles_leak *const leak = &inputs->leak;

	if (leak->prepare)
		leak->prepare(group, inputs->ways[group], leak->context);
	else if (group == 1 && !(leak->flags & CPUCYCLES_LEAK_PAIRS))
		fill(inputs->ways[group], leak->bytes, &inputs->contents);
	else
		memcpy(inputs->ways[group], inputs->fixed[group], leak->bytes);
}

void leak_inputs_make(struct leak_inputs *inputs, size_t slot, int group, int way)
{
	const size_t bytes = inputs->leak.bytes;

	make_way(inputs, 0);
	make_way(inputs, 1);
	if (way != group)
		memcpy(inputs->ways[way], inputs->ways[group], bytes);
	memcpy(inputs->ring + slot * bytes, inputs->ways[way], bytes);
}

void leak_inputs_take(struct leak_inputs *inputs, size_t slot)
{
	const size_t bytes = inputs->leak.bytes;

	memcpy(inputs->call, inputs->ring + slot * bytes, bytes);
}
