/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "choose.h"
#include "guard.h"
#include "persecond.h"
#include "cache-text.h"

#include <errno.h>

/* The library's list here, linked instead of counters.c. What works is set by each test. The cache
 * ranks the first two; the third works but is not ranked; the fourth does not work. */

enum { FIRST, SECOND, THIRD, FOURTH, LAST, MADE };

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
SETUP(FOURTH)
SETUP(LAST)

static long long read_next(void)
{
	static long long count;

	return ++count;
}

static long long third_step;

static long long read_third(void)
{
	static long long count;

	return count += third_step;
}

/* What the second one shows of the core's frequency: each time another one. */
#define SHOWN_HZ 2000000000
static uint64_t shown;

static uint64_t show_core(void)
{
	return SHOWN_HZ + shown++;
}

#define COUNTER(i, its_class, its_read, its_core_hz) \
	static const struct counter counter_##i = { .name = "made-" #i, \
						    .class = its_class, \
						    .width = 64, \
						    .setup = setup_##i, \
						    .read = its_read, \
						    .core_hz = its_core_hz }
COUNTER(FIRST, COUNTER_OFF_CORE, read_next, NULL);
COUNTER(SECOND, COUNTER_KERNEL_COUNT, read_next, show_core);
COUNTER(THIRD, COUNTER_OS_CLOCK, read_third, NULL);
COUNTER(FOURTH, COUNTER_OS_CLOCK, read_next, NULL);
COUNTER(LAST, COUNTER_LAST_RESORT, read_next, NULL);

const struct counter *const counters_list[] = {
	&counter_FIRST, &counter_SECOND, &counter_THIRD, &counter_FOURTH, &counter_LAST,
};
const size_t counters_count = MADE;
static uint64_t list_hash;

/* What CPU and kernel say of the time-stamp counter, and how often they were asked. */
static enum machine_tsc made_tsc;
static unsigned tsc_asked;

enum machine_tsc __wrap_cpucycles_i_machine_ask_tsc(void);

enum machine_tsc __wrap_cpucycles_i_machine_ask_tsc(void)
{
	tsc_asked++;
	return made_tsc;
}

/* Whether the machine is a virtual one. */
static bool made_hypervisor;

bool __wrap_cpucycles_i_machine_hypervisor(char signature[MACHINE_HYPERVISOR_SIZE]);

bool __wrap_cpucycles_i_machine_hypervisor(char signature[MACHINE_HYPERVISOR_SIZE])
{
	(void)signature;
	return made_hypervisor;
}

static const char *persecond_path;

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

static struct candidate *full_probe;
static const struct choice *before; /* of a reselection */

/* A cache that ranks FIRST and SECOND, and all counters but FOURTH work. */
static int make_valid(UNIT_UNUSED void **state)
{
	struct cache cache;

	memset(setups, 0, sizeof setups);
	memset(works, true, sizeof works);
	made_tsc = MACHINE_TSC_INVARIANT;
	tsc_asked = 0;
	persecond_path = "/nowhere";
	works[FOURTH] = false;
	third_step = 1;
	full_probe = NULL;
	before = NULL;
	shown = 0;
	unsetenv("CPUCYCLES_COUNTER");
	list_hash = 1;
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
	options.cache.persecond_path = persecond_path;
	options.full_probe = full_probe;
	options.before = before;
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

TEST_WITH(first_works, make_valid, NULL)
{
	expect_cached(NULL, NULL, FIRST);
}

TEST_WITH(second_works, make_valid, NULL)
{
	works[FIRST] = false;
	expect_cached(NULL, NULL, SECOND);
}

TEST_WITH(none_works, make_valid, NULL)
{
	works[FIRST] = works[SECOND] = false;
	expect_probed(NULL, NULL, "no-counter", THIRD);
}

/* Only root can seal a text with a wrong line. A first call does not pay for a line that it does
 * not need; cpucycles-info and the calibrator, which read all lines, name it. */
TEST_WITH(wrong_behind, make_valid, NULL)
{
	expect_cached("usable made-SECOND", "usable nobody", FIRST);
}

TEST_WITH(wrong_behind_the_usable, make_valid, NULL)
{
	works[FIRST] = false;
	expect_cached("unusable made-LAST", "unusable nobody", SECOND);
}

TEST_WITH(wrong_first, make_valid, NULL)
{
	expect_probed("usable made-FIRST", "usable nobody", "malformed", FIRST);
	assert_int_equal(setups[FIRST], 2); /* by the probe, and to stay */
}

/* The wrong line is reached, so the ranking is in doubt, whatever stood before. */
TEST_WITH(wrong_and_reached, make_valid, NULL)
{
	works[FIRST] = false;
	expect_probed("usable made-SECOND", "usable nobody", "malformed", SECOND);
	assert_int_equal(setups[FIRST], 2); /* from the cache, and by the probe */
}

TEST_WITH(wrong_at_the_end, make_valid, NULL)
{
	works[FIRST] = works[SECOND] = false;
	expect_probed("unusable made-THIRD", "made-THIRD", "malformed", THIRD);
}

/* A first call takes nothing that a whole reading would not rank in this place: no counter out of
 * order, and none twice. */
TEST_WITH(reached_out_of_rank, make_valid, NULL)
{
	works[FIRST] = false;
	expect_probed(" precision 125", " precision 123", "malformed", SECOND);
}

TEST_WITH(reached_twice, make_valid, NULL)
{
	works[FIRST] = false;
	expect_probed("usable made-SECOND", "usable made-FIRST", "malformed", SECOND);
	assert_int_equal(setups[FIRST], 2);
}

TEST_WITH(another_list, make_valid, NULL)
{
	list_hash = 2;
	expect_probed(NULL, NULL, "malformed", FIRST);
}

/* Ranked first, the last resort is passed over. */
TEST_WITH(last_resort_ranked, make_valid, NULL)
{
	char last[128], first[128];

	sprintf(first, "usable made-FIRST %s", counter_class_name(COUNTER_OFF_CORE));
	sprintf(last, "usable made-LAST %s", counter_class_name(COUNTER_LAST_RESORT));
	edit(first, last);
	expect_cached("unusable made-LAST", "unusable made-FIRST", SECOND);
}

#define TOLD_HZ 2345678000

/* FIRST reads the time-stamp counter. The persecond that a cache was made for is the rate of that
 * counter, but the cache has measured another one, or none. */
static void expect_rate_of_cache(const char *measured, uint64_t hz, uint32_t ppm)
{
	struct choice choice;

	make_valid(NULL);
	edit("cpuinfo-mhz", "cpuid-tsc");
	choose_with("measured 0 ppm 0", measured, &choice);
	assert_true(choice.from_cache);
	assert_ptr_equal(choice.counter, counters_list[FIRST]);
	assert_int_equal(choice.rate.hz, hz);
	assert_int_equal(choice.rate.ppm, ppm);
	assert_int_equal(tsc_asked, 0);
}

TEST(rate_of_cache)
{
	expect_rate_of_cache("measured 0 ppm 0", 0, 0);
	expect_rate_of_cache("measured 1234567 ppm 8", 1234567, 8);
	/* A bound that says nothing: the rate is not fixed. */
	expect_rate_of_cache("measured 1234567 ppm 1000000", 0, 0);
}

/* The core's frequency comes from the cache, or the counter shows it once. */
TEST_WITH(core_of_cycles, make_valid, NULL)
{
	struct choice choice, again;

	works[FIRST] = false;
	choose_with(NULL, NULL, &choice);
	assert_ptr_equal(choice.counter, counters_list[SECOND]);
	assert_int_equal(choice.core_hz, SHOWN_HZ);
	before = &choice;
	choose_with(NULL, NULL, &again);
	assert_int_equal(again.core_hz, SHOWN_HZ);
	assert_int_equal(shown, 1);
	choose_with("core 0 ppm 0", "core 3000000000 ppm 50", &again);
	assert_int_equal(again.core_hz, 3000000000);
	assert_int_equal(shown, 1);
}

/* Without a cache, somebody tells the rate of the time-stamp counter. */
static void expect_told(const char *source, enum machine_tsc tsc, uint64_t hz, unsigned asked)
{
	char boot[MACHINE_BOOT_SIZE], file[256], path[PATH_MAX];
	struct choice choice;

	make_valid(NULL);
	if (machine_boot(boot))
		unit_skip("this system has no boot id");
	sprintf(file, "%" PRIu64 "\n" PERSECOND_MARK "%s" PERSECOND_MARK_SOURCE "%s\n",
		(uint64_t)TOLD_HZ, boot, source);
	strcpy(path, unit_write_text("persecond", file));
	persecond_path = path;
	made_tsc = tsc;
	choose_with("usable made-FIRST", "usable nobody", &choice);
	assert_false(choice.from_cache);
	assert_ptr_equal(choice.counter, counters_list[FIRST]);
	assert_int_equal(choice.persecond.hz, TOLD_HZ);
	assert_int_equal(choice.rate.hz, hz);
	assert_int_equal(choice.rate.ppm, hz ? RATE_TOLD_PPM : 0);
	assert_int_equal(tsc_asked, asked);
}

TEST(rate_without_cache)
{
#ifdef LINK_TIME_OPTIMIZATION
	unit_skip("--wrap cannot replace what link-time optimization has inlined");
#endif
	expect_told("cpuid-tsc", MACHINE_TSC_INVARIANT, TOLD_HZ, 1);
	expect_told("cpuid-tsc", MACHINE_TSC_UNSTABLE, 0, 1);
	expect_told("cpuid-tsc", MACHINE_TSC_VARIABLE, 0, 1);
	expect_told("cpuid-tsc", MACHINE_TSC_NONE, 0, 1);
	/* In a virtual machine, leaf 0x15 of CPUID need not be of its time-stamp counter. */
	made_hypervisor = true;
	expect_told("cpuid-tsc", MACHINE_TSC_INVARIANT, 0, 0);
	expect_told("hypervisor-tsc", MACHINE_TSC_INVARIANT, TOLD_HZ, 1);
	expect_told("perf-page", MACHINE_TSC_INVARIANT, TOLD_HZ, 1);
	expect_rate_of_cache("measured 1234567 ppm 8", 1234567, 8);
	made_hypervisor = false;
	/* The CPU is not asked where nobody tells a rate. */
	expect_told("cpufreq-max", MACHINE_TSC_INVARIANT, 0, 0);
}

/* Classes that the environment asks for */

static void ask_for(const char *class)
{
	setenv("CPUCYCLES_COUNTER", class, 1);
}

TEST_WITH(class_from_the_cache, make_valid, NULL)
{
	ask_for("kernel-count");
	expect_cached(NULL, NULL, SECOND);
	assert_int_equal(setups[FIRST], 0);
}

TEST_WITH(class_of_the_first, make_valid, NULL)
{
	ask_for("off-core");
	expect_cached(NULL, NULL, FIRST);
}

/* Then the selection is the usual one, as if nobody had asked. */
TEST_WITH(class_does_not_work, make_valid, NULL)
{
	struct choice choice;

	works[SECOND] = false;
	ask_for("kernel-count");
	choose_with(NULL, NULL, &choice);
	assert_string_equal(cache_status_name(choice.cache_status), "used");
	assert_true(choice.from_cache);
	assert_ptr_equal(choice.counter, &counter_FIRST);
	assert_int_equal(setups[THIRD], 0);
}

static void expect_usual(const char *name)
{
	struct choice choice;

	ask_for(name);
	choose_with(NULL, NULL, &choice);
	assert_string_equal(cache_status_name(choice.cache_status), "used");
	assert_true(choice.from_cache);
	assert_ptr_equal(choice.counter, &counter_FIRST);
	for (size_t i = FIRST + 1; i < MADE; i++)
		assert_int_equal(setups[i], 0);
}

/* THIRD works, but this boot's cache says which counters a process may try. */
TEST_WITH(class_not_in_the_cache, make_valid, NULL)
{
	expect_usual("os-clock");
}

TEST_WITH(class_of_no_counter, make_valid, NULL)
{
	expect_usual("on-core");
}

TEST_WITH(names_of_no_class, make_valid, NULL)
{
	expect_usual("last-resort");
}

TEST_WITH(part_of_a_name, make_valid, NULL)
{
	expect_usual("kernel");
}

/* Only this class is probed, and what another counter's precision is does not matter. */
TEST_WITH(class_by_a_probe, make_valid, NULL)
{
	third_step = 5000;
	ask_for("os-clock");
	expect_probed("\ncounters ", "\ncounter ", "malformed", THIRD);
	assert_int_equal(setups[FIRST] + setups[SECOND], 0);
}

TEST_WITH(class_by_a_wrong_line, make_valid, NULL)
{
	ask_for("kernel-count");
	expect_probed("usable made-SECOND", "usable nobody", "malformed", SECOND);
	assert_int_equal(setups[FIRST], 0);
}

TEST_WITH(class_by_precision, make_valid, NULL)
{
	works[FOURTH] = true;
	third_step = 2;
	ask_for("os-clock");
	expect_probed("\ncounters ", "\ncounter ", "malformed", FOURTH);
}

TEST_WITH(class_by_a_tie, make_valid, NULL)
{
	works[FOURTH] = true;
	ask_for("os-clock");
	expect_probed("\ncounters ", "\ncounter ", "malformed", THIRD);
}

TEST_WITH(class_by_a_vain_probe, make_valid, NULL)
{
	works[SECOND] = false;
	ask_for("kernel-count");
	expect_probed("\ncounters ", "\ncounter ", "malformed", FIRST);
}

static void expect_in_full_probe(const char *name, size_t counter)
{
	static struct candidate results[MADE];

	full_probe = results;
	ask_for(name);
	expect_probed(NULL, NULL, "disabled", counter);
	assert_int_equal(results[FIRST].reason, REASON_NONE);
	assert_int_equal(results[SECOND].reason, works[SECOND] ? REASON_NONE : REASON_ERRNO);
}

/* As after cpucycles_tracesetup. The results are those of all counters. */
TEST_WITH(class_in_a_full_probe, make_valid, NULL)
{
	expect_in_full_probe("kernel-count", SECOND);
	expect_in_full_probe("os-clock", THIRD);
	works[SECOND] = false;
	expect_in_full_probe("kernel-count", FIRST);
}

int main(void)
{
	unsetenv("CPUCYCLES_CACHE");
	unsetenv("CPUCYCLES_COUNTER");
	unsetenv("cpucyclespersecond");
	unit_seed();
	return unit_run("choose", unit_folder_make, unit_folder_remove);
}
