/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Facts, kinds of core and the skew's arithmetic, on made trees; what needs the real
 * machine, on it. */

#include "config.h"

#include "unit.h"
#include "affinity.h"
#include "core.h"
#include "counters.h"
#include "facts.h"
#include "guard.h"
#include "measure.h"
#include "skew.h"

#include <inttypes.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#if defined(__has_feature) /* clang's word for it */
#define HAS_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define HAS_SANITIZER 0
#endif

#define CPU "sys/devices/system/cpu/"

static char facts[CACHE_FACTS][CACHE_FACT_SIZE];

static int new_tree(void **state)
{
	memset(facts, 0, sizeof facts);
	return unit_folder_make(state);
}

static void expect_facts(const char *clocksource, const char *hypervisor, const char *governor,
			 const char *turbo, const char *smt)
{
	facts_of_tree(unit_folder, facts);
	assert_string_equal(facts[FACT_CLOCKSOURCE], clocksource);
	assert_string_equal(facts[FACT_HYPERVISOR], hypervisor);
	assert_string_equal(facts[FACT_GOVERNOR], governor);
	assert_string_equal(facts[FACT_TURBO], turbo);
	assert_string_equal(facts[FACT_SMT], smt);
}

static void empty_tree(void **state)
{
	(void)state;
	expect_facts("unknown", "none", "none", "unknown", "unknown");
	assert_string_equal(facts[FACT_TSC], "");
	assert_string_equal(facts[FACT_SKEW], "");
}

static void laptop(void **state)
{
	(void)state;
	unit_write_text("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
	unit_write_text(CPU "cpu0/cpufreq/scaling_governor", "powersave\n");
	unit_write_text(CPU "intel_pstate/no_turbo", "0\n");
	unit_write_text(CPU "cpufreq/boost", "0\n");
	unit_write_text(CPU "smt/active", "1\n");
	expect_facts("tsc", "none", "powersave", "on", "on");
	unit_write_text(CPU "intel_pstate/no_turbo", "1\n");
	expect_facts("tsc", "none", "powersave", "off", "on");
}

static void xen_guest(void **state)
{
	(void)state;
	unit_write_text("sys/devices/system/clocksource/clocksource0/current_clocksource", "xen\n");
	unit_write_text("sys/hypervisor/type", "xen\n");
	unit_write_text(CPU "cpufreq/boost", "1\n");
	unit_write_text(CPU "smt/active", "0\n");
	expect_facts("xen", "xen", "none", "on", "off");
	unit_write_text(CPU "cpufreq/boost", "0\n");
	expect_facts("xen", "xen", "none", "off", "off");
}

/* Whatever stands there, it is one word that fits. */
static void hostile_tree(void **state)
{
	char path[PATH_MAX];

	(void)state;
	unit_write_text("sys/devices/system/clocksource/clocksource0/current_clocksource",
			"a-word-that-is-longer-than-any-fact-may-be\n");
	unit_write_text(CPU "cpu0/cpufreq/scaling_governor", "two words\n");
	unit_write_text(CPU "intel_pstate/no_turbo", "");
	unit_write_text(CPU "cpufreq/boost", "maybe\n");
	unit_write_text("sys/hypervisor/type", "\n");
	unit_write_text(CPU "smt/other", "");
	strcpy(path, unit_path(CPU "smt/active"));
	assert_int_equal(mkfifo(path, 0644), 0);
	expect_facts("a-word-that-is-longer-than-any-", "unknown", "two", "unknown", "unknown");
}

static void hypervisors(void **state)
{
	(void)state;
	assert_string_equal(facts_hypervisor("KVMKVMKVM"), "kvm");
	assert_string_equal(facts_hypervisor("VMwareVMware"), "vmware");
	assert_string_equal(facts_hypervisor("Microsoft Hv"), "hyperv");
	assert_string_equal(facts_hypervisor("XenVMMXenVMM"), "xen");
	assert_string_equal(facts_hypervisor("TCGTCGTCGTCG"), "qemu");
	assert_string_equal(facts_hypervisor("NewOneNewOne"), "NewOneNewOne");
	assert_string_equal(facts_hypervisor("New One"), "unknown");
	assert_string_equal(facts_hypervisor("\x01"), "unknown");
	assert_string_equal(facts_hypervisor(""), "unknown");
}

static void with_guard(void (*run)(void))
{
	struct guard guard;

	assert_int_equal(guard_acquire(&guard), LOCK_TAKEN);
	guard_install(&guard);
	run();
	guard_release(&guard);
}

static void ask_cpu(void)
{
	facts_of_cpu(facts);
}

static void this_cpu(void **state)
{
	static char cpuinfo[65536];
	FILE *file = fopen("/proc/cpuinfo", "r");

	(void)state;
	strcpy(facts[FACT_HYPERVISOR], "none");
	with_guard(ask_cpu);
	printf("# tsc %s, hypervisor %s\n", facts[FACT_TSC], facts[FACT_HYPERVISOR]);
#if defined(__x86_64__) || defined(__i386__)
	if (file && fread(cpuinfo, 1, sizeof cpuinfo - 1, file) > 0) {
		assert_string_equal(facts[FACT_TSC],
				    strstr(cpuinfo, " nonstop_tsc") ? "invariant" : "variable");
		assert_int_equal(strcmp(facts[FACT_HYPERVISOR], "none") != 0,
				 strstr(cpuinfo, " hypervisor") != NULL);
	}
#else
	(void)cpuinfo;
	assert_string_equal(facts[FACT_TSC], "none");
#endif
	if (file)
		fclose(file);
}

/* Kinds of core. The CPUs of the trees exist here, or they would not be used. */

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
	/* Lists of CPUs that are not ours, or no lists. */
	unit_write_text("sys/devices/cpu_core/cpus", "7000-2147483647\n");
	unit_write_text("sys/devices/cpu_atom/cpus", "-x\n");
	assert_int_equal(core_kinds(unit_folder, kinds), 1);
	assert_string_equal(kinds[0].name, "any");
}

/* Skew. */

static void skew_arithmetic(void **state)
{
	struct skew_bounds bounds = { INT64_MIN, INT64_MAX };

	(void)state;
	skew_narrow(&bounds, 1000, 1100, 1300); /* between 200 behind and 100 ahead */
	assert_int_equal(bounds.low, -200);
	assert_int_equal(bounds.high, 100);
	assert_int_equal(skew_largest(&bounds), 200);
	skew_narrow(&bounds, 2000, 2150, 2200);
	assert_int_equal(bounds.low, -50);
	assert_int_equal(bounds.high, 100);
	assert_int_equal(skew_largest(&bounds), 100);
	skew_narrow(&bounds, 10, 0, 1000000); /* a slow round changes nothing */
	assert_int_equal(bounds.low, -50);
	assert_int_equal(bounds.high, -10);
}

/* The true offset is never outside, whatever the delays. */
static void skew_bounds_hold(void **state)
{
	(void)state;
	for (int run = 0; run < 1000; run++) {
		struct skew_bounds bounds = { INT64_MIN, INT64_MAX };
		int64_t offset = (int64_t)(unit_random() % 2000001) - 1000000;
		uint64_t now = unit_random(); /* wraps in some runs */

		for (int round = 0; round < 100; round++) {
			uint64_t there = now + unit_random() % 5000, after = there + unit_random() % 5000;

			skew_narrow(&bounds, now, there + (uint64_t)offset, after);
			now = after + unit_random() % 1000;
		}
		assert_true(bounds.low <= offset && offset <= bounds.high);
		assert_true(skew_largest(&bounds) >= (uint64_t)(offset < 0 ? -offset : offset));
	}
}

/* Where RDTSC is forbidden, libc's clocks fault: nothing is known, and nobody dies.
 * Sanitizers read the clock themselves, outside of any guard. */

#if defined(PR_SET_TSC) && (defined(__x86_64__) || defined(__i386__)) && \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !HAS_SANITIZER

static void measure_without_tsc(void)
{
	struct candidate c = { .counter = counters_list[counters_find("default-syscall")] };
	uint64_t counts;

	c.precision = 1000;
	c.measured.hz = 1;
	unit_expect(core_measure(kinds, core_kinds("", kinds), 1000000).hz == 0, "core unknown");
	measure_rates(&c, 1, 1000000000, 1000000);
	unit_expect(c.measured.hz == 0, "rate unknown");
	unit_expect(!skew_measure(c.counter, 1000000, &counts), "skew unknown");
}

static void run_without_tsc(void)
{
	struct guard guard;

	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		unit_skip_child("RDTSC can't be made fault");
	unit_expect(guard_acquire(&guard) == LOCK_TAKEN, "guard");
	guard_install(&guard);
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
		cmocka_unit_test_setup_teardown(empty_tree, new_tree, unit_folder_remove),
		cmocka_unit_test_setup_teardown(laptop, new_tree, unit_folder_remove),
		cmocka_unit_test_setup_teardown(xen_guest, new_tree, unit_folder_remove),
		cmocka_unit_test_setup_teardown(hostile_tree, new_tree, unit_folder_remove),
		cmocka_unit_test(hypervisors),
		cmocka_unit_test(this_cpu),
		cmocka_unit_test_setup_teardown(one_kind, new_tree, unit_folder_remove),
		cmocka_unit_test_setup_teardown(kinds_by_capacity, new_tree, unit_folder_remove),
		cmocka_unit_test_setup_teardown(kinds_by_list, new_tree, unit_folder_remove),
		cmocka_unit_test(skew_arithmetic),
		cmocka_unit_test(skew_bounds_hold),
		cmocka_unit_test(without_tsc),
	};

	unit_seed();
	return cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}
