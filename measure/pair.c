/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "pair.h"
#include "fence.h"
#include "current-cpu.h"
#include "tsc.h"

#include <stddef.h>

/* read: NULL for the instruction RDTSC. */
static inline int64_t fenced(long long (*read)(void))
{
	int64_t count;

	fence();
	count = read ? read() : tsc_read();
	fence();
	return count;
}

/* Where read is a constant NULL, the compiler leaves out the question. */
static inline struct pair time_batch(long long (*read)(void), void (*call)(void *), void *context,
				     unsigned batch)
{
	struct pair pair = { .begin = fenced(read) };

	while (batch-- > 0)
		call(context);
	pair.end = fenced(read);
	return pair;
}

static inline bool is_tsc(const struct source *source)
{
	return TSC_IS_HERE && source->is_tsc;
}

struct pair pair_among(const struct pair_place *before, const struct pair *registers,
		       const struct pair_place *after)
{
	const uint64_t work = (uint64_t)registers->end - (uint64_t)registers->begin;
	const uint64_t all = (uint64_t)after->count - (uint64_t)before->count;

	/* A register that cannot be read gives 0: two of these would be work that takes no time. */
	if (before->cpu != after->cpu || work > all || !registers->begin || !registers->end)
		return (struct pair){ before->count, after->count, true };
	return (struct pair){ before->count, before->count + (int64_t)work, false };
}

/* The places are outside of the reads of the register, so that a move between any two of the four
 * is seen. */
static inline struct pair_place place_before(const struct source *source)
{
	const int cpu = current_cpu();

	return (struct pair_place){ cpu, source->read() };
}

static inline struct pair among(const struct source *source, const struct pair_place *before,
				const struct pair *registers)
{
	const int64_t count = source->read();
	const struct pair_place after = { current_cpu(), count };

	return pair_among(before, registers, &after);
}

int64_t pair_count(const struct source *source)
{
	return is_tsc(source) ? fenced(NULL) : fenced(source->read);
}

struct pair pair_take(const struct source *source, void (*call)(void *), void *context,
		      unsigned batch)
{
	if (is_tsc(source))
		return time_batch(NULL, call, context, batch);
	if (source->read_register) {
		const struct pair_place before = place_before(source);
		const struct pair registers =
			time_batch(source->read_register, call, context, batch);

		return among(source, &before, &registers);
	}
	return time_batch(source->read, call, context, batch);
}

static inline struct pair take_input(long long (*read)(void),
				     void (*call)(const unsigned char *, void *),
				     const unsigned char *input, void *context)
{
	struct pair pair = { .begin = fenced(read) };

	call(input, context);
	pair.end = fenced(read);
	return pair;
}

struct pair pair_take_input(const struct source *source,
			    void (*call)(const unsigned char *input, void *context),
			    const unsigned char *input, void *context)
{
	if (is_tsc(source))
		return take_input(NULL, call, input, context);
	if (source->read_register) {
		const struct pair_place before = place_before(source);
		const struct pair registers =
			take_input(source->read_register, call, input, context);

		return among(source, &before, &registers);
	}
	return take_input(source->read, call, input, context);
}
