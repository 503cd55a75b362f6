/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "disagree.h"

#define COUNTER "cycles of this counter are not core cycles: "
#define PERSECOND "persecond is not the core's frequency: "

static struct cache cache;

static int nothing_known(void **state)
{
	(void)state;
	memset(&cache, 0, sizeof cache);
	cache.persecond.hz = 2000000000;
	cache.core.hz = 2000000000;
	return 0;
}

static void expect(uint64_t counter_hz, const char *start, const char *word)
{
	const char *got = disagree_sentence(&cache, (struct rate){ counter_hz, 1 });

	if (!got)
		fail_msg("got nothing, expected \"%s...%s...\"", start, word);
	else if (strncmp(got, start, strlen(start)) || !strstr(got, word))
		fail_msg("got \"%s\", expected \"%s...%s...\"", got, start, word);
}

static void agreement(void **state)
{
	(void)state;
	assert_null(disagree_sentence(&cache, (struct rate){ 0 }));
	assert_null(disagree_sentence(&cache, (struct rate){ 2000000000, 1 }));
	cache.core.hz = 2090000000;
	assert_null(disagree_sentence(&cache, (struct rate){ 2000000000, 1 }));
	cache.core.hz = 1910000000;
	assert_null(disagree_sentence(&cache, (struct rate){ 2000000000, 1 }));
}

/* An unknown frequency does not differ from anything. */
static void unknown(void **state)
{
	(void)state;
	cache.core.hz = 0;
	assert_null(disagree_sentence(&cache, (struct rate){ 1000000000, 1 }));
	assert_false(disagree_differ(0, 1));
	assert_false(disagree_differ(1, 0));
}

static void limits(void **state)
{
	(void)state;
	assert_false(disagree_differ(2100000000, 2000000000));
	assert_true(disagree_differ(2100100000, 2000000000));
	assert_false(disagree_differ(1900000000, 2000000000));
	assert_true(disagree_differ(1899900000, 2000000000));
	assert_true(disagree_differ(UINT64_MAX, 1000));
}

/* The TSC at 2.0 GHz, and the core at 2.8 GHz. */
static void causes(void **state)
{
	(void)state;
	cache.core.hz = 2800000000;
	expect(2000000000, COUNTER, "faster");
	strcpy(cache.facts[FACT_TURBO], "on");
	expect(2000000000, COUNTER, "turbo");
	strcpy(cache.facts[FACT_TURBO], "off");
	expect(2000000000, COUNTER, "faster");
	strcpy(cache.facts[FACT_HYPERVISOR], "kvm");
	expect(2000000000, COUNTER, "virtual machine");
	strcpy(cache.facts[FACT_KINDS], "2");
	expect(2000000000, COUNTER, "several kinds");
}

static void slower(void **state)
{
	(void)state;
	cache.core.hz = 800000000;
	expect(2000000000, COUNTER, "slower");
	strcpy(cache.facts[FACT_GOVERNOR], "none");
	expect(2000000000, COUNTER, "slower");
	strcpy(cache.facts[FACT_GOVERNOR], "performance");
	expect(2000000000, COUNTER, "power saving or heat");
	strcpy(cache.facts[FACT_GOVERNOR], "powersave");
	strcpy(cache.facts[FACT_KINDS], "1");
	strcpy(cache.facts[FACT_HYPERVISOR], "none");
	expect(2000000000, COUNTER, "power saving keeps");
}

/* A counter that counts core cycles, and one that was not measured. */
static void persecond_alone(void **state)
{
	(void)state;
	cache.core.hz = 2800000000;
	expect(0, PERSECOND, "faster");
	expect(2800000000, PERSECOND, "faster");
	/* The counter may disagree with the core while persecond agrees. */
	cache.persecond.hz = 2800000000;
	expect(2000000000, COUNTER, "faster");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(agreement, nothing_known),
		cmocka_unit_test_setup(unknown, nothing_known),
		cmocka_unit_test_setup(limits, nothing_known),
		cmocka_unit_test_setup(causes, nothing_known),
		cmocka_unit_test_setup(slower, nothing_known),
		cmocka_unit_test_setup(persecond_alone, nothing_known),
	};

	return cmocka_run_group_tests_name("disagree", tests, NULL, NULL);
}
