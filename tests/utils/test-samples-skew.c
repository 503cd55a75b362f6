/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* How samples of the skew spend their time. The clock, the CPUs and the measuring are made here. */

#include "config.h"

#include "unit.h"
#include "affinity.h"
#include "info/samples-run.h"
#include "skew.h"

#define SECOND 1000000000u
#define FAILED_TRY 30000000u /* ns; about how long a try waits in vain on a busy machine */
#define CPUS_MAX 4

static const struct counter made_counter = { .name = "made", .class = COUNTER_OFF_CORE };

static uint64_t now; /* ns */
static int cpus;
static unsigned failing; /* so many tries fail first */
static unsigned tries, parts;
static bool measured[CPUS_MAX][CPUS_MAX];

void affinity_save(void) {}

bool affinity_allows(int cpu)
{
	return cpu < cpus;
}

int affinity_count(void)
{
	return cpus;
}

size_t samples_counters(const struct samples_run *run,
			struct samples_counter counters[COUNTERS_MAX])
{
	(void)run;
	counters[0] = (struct samples_counter){ .counter = &made_counter,
						.scaling = { 1, 1 },
						.rate = { SECOND, 0 } };
	return 1;
}

bool samples_has_rate(const struct samples_counter *c)
{
	return c->rate.hz;
}

void samples_comment(const char *key, const char *value)
{
	(void)key, (void)value;
}

void samples_comment_number(const char *key, uint64_t value)
{
	(void)key, (void)value;
}

void samples_begin(struct samples_run *run)
{
	run->budget_ns = (uint64_t)run->seconds * SECOND;
	now = 0;
}

uint64_t samples_elapsed_ns(const struct samples_run *run)
{
	(void)run;
	return now;
}

bool samples_hand_out(struct samples_run *run)
{
	(void)run;
	return true;
}

bool skew_measure_pair(const struct skew_source *source, uint64_t budget_ns, struct skew_pair *pair)
{
	(void)source;
	if (tries++ < failing) {
		now += FAILED_TRY;
		return false;
	}
	now += budget_ns;
	parts++;
	measured[pair->here][pair->there] = true;
	pair->bounds = (struct skew_bounds){ -10, 10 };
	pair->rounds = 100;
	return true;
}

/* Samples of two seconds, with so many CPUs, of which so many tries fail first. */
static void sample(int count, unsigned fail)
{
	struct samples_run run = { .seconds = 2 };

	cpus = count;
	failing = fail;
	tries = parts = 0;
	memset(measured, 0, sizeof measured);
	assert_true(samples_skew(&run));
}

TEST(one_pair_takes_the_time)
{
	sample(2, 0);
	assert_int_equal(now, 2ull * SECOND);
	assert_true(parts > 1);
}

/* A busy machine may spoil any part. The time that was asked for is used all the same. */
TEST(spoilt_parts_do_not_end_it)
{
	for (unsigned fail = 1; fail <= 20; fail++) {
		sample(2, fail);
		assert_true(now >= 2ull * SECOND);
		assert_true(tries > fail && parts > 1);
	}
}

TEST(all_parts_spoilt_end_with_the_time)
{
	sample(2, UINT32_MAX);
	assert_true(now >= 2ull * SECOND && now < 3ull * SECOND);
	assert_int_equal(parts, 0);
}

/* The spoilt parts of a pair do not make it unknown, if a later part of it succeeds. */
TEST(all_pairs_are_measured)
{
	sample(CPUS_MAX, 10);
	for (int here = 0; here < CPUS_MAX; here++)
		for (int there = 0; there < CPUS_MAX; there++)
			assert_int_equal(measured[here][there], here < there);
}

TEST(one_cpu_takes_no_time)
{
	sample(1, 0);
	assert_int_equal(tries, 0);
}

UNIT_MAIN("samples-skew", NULL, NULL)
