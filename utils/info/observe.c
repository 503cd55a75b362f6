/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "cpucycles.h"
#include "observe.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_US 1000u

/* A loop that is shorter than a tick of the clock is timed again, up to this many times. */
#define TRIES_MAX 16

/* Longer intervals are halved, so that a rest below them times NS_PER_S fits 64 bits. */
#define INTERVAL_MAX_NS (UINT64_C(1) << 33)

static int compare(const void *a, const void *b)
{
	const long long *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* How many quarters of value i of n belong to the middle half. A value is 4 quarters wide, so the
 * middle half goes from n to 3n quarters. */
static long long weight(size_t i, size_t n)
{
	size_t from = 4 * i < n ? n : 4 * i;
	size_t to = 4 * i + 4 > 3 * n ? 3 * n : 4 * i + 4;

	return from < to ? (long long)(to - from) : 0;
}

long long observe_interquartile_mean(long long values[], size_t n)
{
	long long total = 2 * (long long)n, sum = 0, rest = 0;

	qsort(values, n, sizeof values[0], compare);
	for (size_t i = 0; i < n; i++) {
		/* Divided before it is multiplied, so that large counts do not overflow. */
		long long times = weight(i, n);

		sum += values[i] / total * times;
		rest += values[i] % total * times;
	}
	sum += rest / total;
	rest %= total;
	return sum + (2 * rest >= total) - (2 * rest < -total);
}

/* cycles * 10^9 / ns, rounded up or down, at most INT64_MAX; 0 < ns. */
static uint64_t per_second(uint64_t cycles, uint64_t ns, bool up)
{
	uint64_t whole, rest;

	while (ns > INTERVAL_MAX_NS) {
		cycles = cycles / 2 + (up && cycles % 2);
		ns = ns / 2 + (!up && ns % 2);
	}
	whole = cycles / ns;
	rest = cycles % ns * NS_PER_S + (up ? ns - 1 : 0);
	if (whole >= INT64_MAX / NS_PER_S)
		return INT64_MAX;
	return whole * NS_PER_S + rest / ns;
}

struct observe_bounds observe_bounds(const struct observe_reading *reading)
{
	uint64_t ns = reading->ns, resolution = reading->resolution_ns;
	uint64_t shortest = ns > resolution ? ns - resolution : 1;
	struct observe_bounds bounds = {
		.low = per_second(reading->inner, ns + resolution, false),
		.high = per_second(reading->outer, shortest, true),
	};

	return bounds;
}

/* Cycles from a to b; 0 if the counter ran backwards. */
static uint64_t elapsed(long long a, long long b)
{
	return b > a ? (uint64_t)b - (uint64_t)a : 0;
}

long long observe_differences(long long differences[OBSERVE_DIFFERENCES])
{
	long long counts[OBSERVE_COUNTS], sorted[OBSERVE_DIFFERENCES];

	for (size_t i = 0; i < OBSERVE_COUNTS; i++)
		counts[i] = cpucycles();
	for (size_t i = 0; i < OBSERVE_DIFFERENCES; i++)
		differences[i] = (long long)((uint64_t)counts[i + 1] - (uint64_t)counts[i]);
	memcpy(sorted, differences, sizeof sorted);
	return observe_interquartile_mean(sorted, OBSERVE_DIFFERENCES);
}

static uint64_t to_ns(struct timespec t)
{
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static uint64_t clock_now(void)
{
	struct timespec t = { 0, 0 };

	clock_gettime(CLOCK_MONOTONIC, &t);
	return to_ns(t);
}

static uint64_t clock_resolution(void)
{
	struct timespec t = { 0, 0 };

	clock_getres(CLOCK_MONOTONIC, &t);
	return to_ns(t) ? to_ns(t) : 1;
}

/* The compiler has to keep the volatile load and store of each round. */
static void spin(uint32_t loops)
{
	for (volatile uint32_t i = 0; i < loops; i++)
		;
}

static struct observe_reading read_once(uint32_t loops)
{
	long long outer[2], inner[2];
	uint64_t start, end;

	outer[0] = cpucycles();
	start = clock_now();
	inner[0] = cpucycles();
	spin(loops);
	inner[1] = cpucycles();
	end = clock_now();
	outer[1] = cpucycles();
	return (struct observe_reading){
		.inner = elapsed(inner[0], inner[1]),
		.outer = elapsed(outer[0], outer[1]),
		.ns = end - start,
		.resolution_ns = clock_resolution(),
	};
}

static struct observe_loop observe_loop(uint32_t loops)
{
	struct observe_reading reading = read_once(loops);

	for (int i = 1; i < TRIES_MAX && reading.ns <= reading.resolution_ns; i++)
		reading = read_once(loops);
	return (struct observe_loop){ loops, reading.ns / NS_PER_US, observe_bounds(&reading) };
}

void observe_loops(struct observe_loop loops[OBSERVE_LOOPS])
{
	for (unsigned i = 0; i < OBSERVE_LOOPS; i++)
		loops[i] = observe_loop(UINT32_C(1) << (OBSERVE_FIRST_LOG + i));
}
