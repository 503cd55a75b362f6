/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Kinds of core on made trees, and measuring where no clock can be read. */

#include "config.h"

#include "unit.h"
#include "affinity.h"
#include "core.h"
#include "counters.h"
#include "guard.h"
#include "measure.h"
#include "skew.h"

#ifdef __linux__
#include <sys/prctl.h>
#endif

#if defined(__has_feature) /* clang's word for it */
#define HAS_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define HAS_SANITIZER 0
#endif

#define CPU "sys/devices/system/cpu/"

/* The trees have CPUs that exist here, because others would not be used. */
static struct core_kind kinds[CORE_KINDS_MAX];

static void one_kind(void **state)
{
	(void)state;
	assert_int_equal(core_kinds(unit_folder, kinds), 1);
	assert_string_equal(kinds[0].name, "any");
	assert_int_equal(kinds[0].cpu, -1);
}

static void need_two_cpus(void)
{
	affinity_save();
	if (affinity_allows(0) && affinity_allows(1))
		return;
	unit_skip("CPUs 0 and 1 cannot be used");
}

static void kinds_by_capacity(void **state)
{
	(void)state;
	need_two_cpus();
	unit_write_text(CPU "cpu0/cpu_capacity", "446\n");
	unit_write_text(CPU "cpu1/cpu_capacity", "1024\n");
	unit_write_text(CPU "cpu8000/cpu_capacity", "2048\n");
	assert_int_equal(core_kinds(unit_folder, kinds), 2);
	assert_string_equal(kinds[0].name, "capacity 446");
	assert_int_equal(kinds[0].cpu, 0);
	assert_string_equal(kinds[1].name, "capacity 1024");
	assert_int_equal(kinds[1].cpu, 1);
	unit_write_text(CPU "cpu1/cpu_capacity", "446\n");
	assert_int_equal(core_kinds(unit_folder, kinds), 1);
	unit_write_text(CPU "cpu0/cpu_capacity", "big\n");
	assert_int_equal(core_kinds(unit_folder, kinds), 1);
	assert_string_equal(kinds[0].name, "any");
}

static void kinds_by_list(void **state)
{
	(void)state;
	need_two_cpus();
	unit_write_text("sys/devices/cpu_core/cpus", "1,7000-8000\n");
	unit_write_text("sys/devices/cpu_atom/cpus", "8000-9000,0\n");
	assert_int_equal(core_kinds(unit_folder, kinds), 2);
	assert_string_equal(kinds[0].name, "cpu_core");
	assert_int_equal(kinds[0].cpu, 1);
	assert_string_equal(kinds[1].name, "cpu_atom");
	assert_int_equal(kinds[1].cpu, 0);
	/* A list of CPUs that the process may not use, and a text that is no list. */
	unit_write_text("sys/devices/cpu_core/cpus", "7000-2147483647\n");
	unit_write_text("sys/devices/cpu_atom/cpus", "-x\n");
	assert_int_equal(core_kinds(unit_folder, kinds), 1);
	assert_string_equal(kinds[0].name, "any");
}

/* Where RDTSC is forbidden, libc's clocks fault: nothing can be measured, and the process survives.
 * Sanitizers read the clock themselves, outside of any guard. */

#if defined(PR_SET_TSC) && (defined(__x86_64__) || defined(__i386__)) && \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !HAS_SANITIZER

static void measure_without_tsc(void)
{
	struct candidate c = { .counter = counters_list[counters_find("default-syscall")] };
	const struct skew_source source = { .read = c.counter->read, .guarded = guard_call };
	uint64_t counts;

	c.precision = 1000;
	c.measured.hz = 1;
	unit_expect(core_measure(kinds, core_kinds("", kinds), 1000000).hz == 0, "core unknown");
	measure_rates(&c, 1, 1000000000, 1000000);
	unit_expect(c.measured.hz == 0, "rate unknown");
	unit_expect(!skew_measure(&source, 1000000, &counts), "skew unknown");
}

static void run_without_tsc(void)
{
	struct guard guard;

	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		unit_skip_child("RDTSC can't be made fault");
	unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "guard");
	guard_install(&guard, GUARD_ALL);
	measure_without_tsc();
	guard_release(&guard);
}

static void without_tsc(void **state)
{
	(void)state;
	unit_child_passes(run_without_tsc);
}

#else

static void without_tsc(void **state)
{
	(void)state;
	unit_skip("RDTSC cannot be forbidden here, or under a sanitizer");
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_kind, unit_folder_make, unit_folder_remove),
		cmocka_unit_test_setup_teardown(kinds_by_capacity, unit_folder_make,
						unit_folder_remove),
		cmocka_unit_test_setup_teardown(kinds_by_list, unit_folder_make,
						unit_folder_remove),
		cmocka_unit_test(without_tsc),
	};

	return cmocka_run_group_tests_name("core", tests, NULL, NULL);
}
