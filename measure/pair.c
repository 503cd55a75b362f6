/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "pair.h"
#include "fence.h"
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
static inline struct pair take(long long (*read)(void), void (*call)(void *), void *context,
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

int64_t pair_count(const struct source *source)
{
	return is_tsc(source) ? fenced(NULL) : fenced(source->read);
}

struct pair pair_take(const struct source *source, void (*call)(void *), void *context,
		      unsigned batch)
{
	if (is_tsc(source))
		return take(NULL, call, context, batch);
	return take(source->read, call, context, batch);
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
	return take_input(source->read, call, input, context);
}
