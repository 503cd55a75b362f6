/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "choose.h"
#include "guard.h"
#include "cache-text.h"

#include <errno.h>

/* The library's list here, linked instead of counters.c. What works is set by each test. The cache
 * ranks the first two; the third works but is not ranked. */

enum { FIRST, SECOND, THIRD, LAST, MADE };

static bool works[MADE];
static unsigned setups[MADE];

static int setup(size_t i)
{
	setups[i]++;
	return works[i] ? 0 : -EACCES;
}

#define SETUP(i) \
	static int setup_##i(const struct counter_conditions *conditions) \
	{ \
		(void)conditions; \
		return setup(i); \
	}
SETUP(FIRST)
SETUP(SECOND)
SETUP(THIRD)
SETUP(LAST)

static long long read_next(void)
{
	static long long count;

	return ++count;
}

#define COUNTER(i, its_class) \
	static const struct counter counter_##i = { .name = "made-" #i, \
						    .class = its_class, \
						    .width = 64, \
						    .setup = setup_##i, \
						    .read = read_next }
COUNTER(FIRST, COUNTER_OFF_CORE);
COUNTER(SECOND, COUNTER_OFF_CORE);
COUNTER(THIRD, COUNTER_OS_CLOCK);
COUNTER(LAST, COUNTER_LAST_RESORT);

const struct counter *const counters_list[] = {
	&counter_FIRST,
	&counter_SECOND,
	&counter_THIRD,
	&counter_LAST,
};
const size_t counters_count = MADE;
static uint64_t list_hash;

size_t counters_find(const char *name)
{
	size_t i = 0;

	while (i < MADE && strcmp(counters_list[i]->name, name))
		i++;
	return i;
}

uint64_t counters_hash(void)
{
	return list_hash;
}

const struct counter *counters_last_resort(void)
{
	return counters_list[LAST];
}

/* A cache that ranks FIRST and SECOND, and all counters work. */
static int make_valid(void **state)
{
	struct cache cache;
	char boot[MACHINE_BOOT_SIZE];

	(void)state;
	memset(setups, 0, sizeof setups);
	memset(works, true, sizeof works);
	list_hash = 1;
	if (machine_boot(boot))
		return 0;
	make_text(&cache);
	return 0;
}

static void choose_with(const char *piece, const char *by, struct choice *choice)
{
	struct choose_options options = { .cache = { .own = true } };
	char cache[PATH_MAX], boot[MACHINE_BOOT_SIZE];
	struct guard guard;

	if (machine_boot(boot))
		unit_skip("this system has no boot id");
	if (piece)
		edit(piece, by);
	unit_write("counters", text, length);
	strcpy(cache, unit_path("counters"));
	options.cache.path = cache;
	options.cache.persecond_path = "/nowhere";
	assert_int_equal(guard_acquire(&guard), LOCK_TAKEN);
	guard_install(&guard, GUARD_ALL);
	choose_counter(&options, choice);
	guard_release(&guard);
}

/* The counter is the cache's, and no other counter was tried. */
static void expect_cached(const char *piece, const char *by, size_t counter)
{
	struct choice choice;

	choose_with(piece, by, &choice);
	assert_string_equal(cache_status_name(choice.cache_status), "used");
	assert_true(choice.from_cache);
	assert_string_equal(choice.counter->name, counters_list[counter]->name);
	assert_int_equal(setups[counter], 1);
	for (size_t i = counter + 1; i < MADE; i++)
		assert_int_equal(setups[i], 0);
}

static void expect_probed(const char *piece, const char *by, const char *status, size_t counter)
{
	struct choice choice;

	choose_with(piece, by, &choice);
	assert_string_equal(cache_status_name(choice.cache_status), status);
	assert_false(choice.from_cache);
	assert_string_equal(choice.counter->name, counters_list[counter]->name);
}

static void first_works(void **state)
{
	(void)state;
	expect_cached(NULL, NULL, FIRST);
}

static void second_works(void **state)
{
	(void)state;
	works[FIRST] = false;
	expect_cached(NULL, NULL, SECOND);
}

static void none_works(void **state)
{
	(void)state;
	works[FIRST] = works[SECOND] = false;
	expect_probed(NULL, NULL, "no-counter", THIRD);
}

/* Only root can seal a text with a wrong line. A first call does not pay for a line that it does
 * not need; cpucycles-info and the calibrator, which read all lines, name it. */
static void wrong_behind(void **state)
{
	(void)state;
	expect_cached("usable made-SECOND", "usable nobody", FIRST);
}

static void wrong_behind_the_usable(void **state)
{
	(void)state;
	works[FIRST] = false;
	expect_cached("unusable made-LAST", "unusable nobody", SECOND);
}

static void wrong_first(void **state)
{
	(void)state;
	expect_probed("usable made-FIRST", "usable nobody", "malformed", FIRST);
	assert_int_equal(setups[FIRST], 2); /* by the probe, and to stay */
}

/* The wrong line is reached, so the ranking is in doubt, whatever stood before. */
static void wrong_and_reached(void **state)
{
	(void)state;
	works[FIRST] = false;
	expect_probed("usable made-SECOND", "usable nobody", "malformed", SECOND);
	assert_int_equal(setups[FIRST], 2); /* from the cache, and by the probe */
}

static void wrong_at_the_end(void **state)
{
	(void)state;
	works[FIRST] = works[SECOND] = false;
	expect_probed("unusable made-THIRD", "made-THIRD", "malformed", THIRD);
}

/* A first call takes nothing that a whole reading would not rank in this place: no counter out of
 * order, and none twice. */
static void reached_out_of_rank(void **state)
{
	(void)state;
	works[FIRST] = false;
	expect_probed(" precision 125", " precision 123", "malformed", SECOND);
}

static void reached_twice(void **state)
{
	(void)state;
	works[FIRST] = false;
	expect_probed("usable made-SECOND", "usable made-FIRST", "malformed", SECOND);
	assert_int_equal(setups[FIRST], 2);
}

static void another_list(void **state)
{
	(void)state;
	list_hash = 2;
	expect_probed(NULL, NULL, "malformed", FIRST);
}

/* Ranked first, the last resort is passed over. */
static void last_resort_ranked(void **state)
{
	char last[128], first[128];

	(void)state;
	sprintf(first, "usable made-FIRST %s", counter_class_name(COUNTER_OFF_CORE));
	sprintf(last, "usable made-LAST %s", counter_class_name(COUNTER_LAST_RESORT));
	edit(first, last);
	expect_cached("unusable made-LAST", "unusable made-FIRST", SECOND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(first_works, make_valid),
		cmocka_unit_test_setup(second_works, make_valid),
		cmocka_unit_test_setup(none_works, make_valid),
		cmocka_unit_test_setup(wrong_behind, make_valid),
		cmocka_unit_test_setup(wrong_behind_the_usable, make_valid),
		cmocka_unit_test_setup(wrong_first, make_valid),
		cmocka_unit_test_setup(wrong_and_reached, make_valid),
		cmocka_unit_test_setup(wrong_at_the_end, make_valid),
		cmocka_unit_test_setup(reached_out_of_rank, make_valid),
		cmocka_unit_test_setup(reached_twice, make_valid),
		cmocka_unit_test_setup(another_list, make_valid),
		cmocka_unit_test_setup(last_resort_ranked, make_valid),
	};

	unsetenv("CPUCYCLES_CACHE");
	unsetenv("CPUCYCLES_COUNTER");
	unsetenv("cpucyclespersecond");
	unit_seed();
	return cmocka_run_group_tests_name("choose", tests, unit_folder_make, unit_folder_remove);
}
