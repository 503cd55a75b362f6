/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "rate.h"

#include <limits.h>

/* NS_PER_S is the product of these two. A remainder times either of them fits into 64 bits. */
#define NS_PER_S UINT64_C(1000000000)
#define FIRST UINT64_C(100000)
#define SECOND UINT64_C(10000)

bool rate_is_sane(uint64_t hz)
{
	return hz >= RATE_SANE_MIN_HZ && hz <= RATE_SANE_MAX_HZ;
}

uint64_t rate_scaled(uint64_t hz, uint64_t num, uint64_t den)
{
	return (hz * num + den / 2) / den;
}

/* floor(count * 10^9 / hz). UINT64_MAX, or another number above LLONG_MAX, if that is above it. */
static uint64_t nanoseconds(uint64_t count, uint64_t hz)
{
	uint64_t seconds = count / hz, rest = count % hz * FIRST;

	if (seconds > LLONG_MAX / NS_PER_S)
		return UINT64_MAX;
	return seconds * NS_PER_S + rest / hz * SECOND + rest % hz * SECOND / hz;
}

long long rate_nanoseconds(long long difference, uint64_t hz)
{
	uint64_t ns;

	if (difference >= 0) {
		ns = nanoseconds((uint64_t)difference, hz);
		return ns > LLONG_MAX ? LLONG_MAX : (long long)ns;
	}
	ns = nanoseconds(-(uint64_t)difference, hz);
	return ns > LLONG_MAX ? LLONG_MIN : -(long long)ns;
}
