/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Facts of made trees, and of the real CPU. */

#include "config.h"

#include "unit.h"
#include "facts.h"
#include "guard.h"

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

TEST_WITH(empty_tree, new_tree, unit_folder_remove)
{
	expect_facts("unknown", "none", "none", "unknown", "unknown");
	assert_string_equal(facts[FACT_TSC], "");
	assert_string_equal(facts[FACT_SKEW], "");
}

TEST_WITH(laptop, new_tree, unit_folder_remove)
{
	unit_write_text("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
	unit_write_text(CPU "cpu0/cpufreq/scaling_governor", "powersave\n");
	unit_write_text(CPU "intel_pstate/no_turbo", "0\n");
	unit_write_text(CPU "cpufreq/boost", "0\n");
	unit_write_text(CPU "smt/active", "1\n");
	expect_facts("tsc", "none", "powersave", "on", "on");
	unit_write_text(CPU "intel_pstate/no_turbo", "1\n");
	expect_facts("tsc", "none", "powersave", "off", "on");
}

TEST_WITH(first_cpu_offline, new_tree, unit_folder_remove)
{
	unit_write_text(CPU "online", "2-3\n");
	unit_write_text(CPU "cpu2/cpufreq/scaling_governor", "schedutil\n");
	expect_facts("unknown", "none", "schedutil", "unknown", "unknown");
}

TEST_WITH(xen_guest, new_tree, unit_folder_remove)
{
	unit_write_text("sys/devices/system/clocksource/clocksource0/current_clocksource", "xen\n");
	unit_write_text("sys/hypervisor/type", "xen\n");
	unit_write_text(CPU "cpufreq/boost", "1\n");
	unit_write_text(CPU "smt/active", "0\n");
	expect_facts("xen", "xen", "none", "on", "off");
	unit_write_text(CPU "cpufreq/boost", "0\n");
	expect_facts("xen", "xen", "none", "off", "off");
}

/* Whatever the files say, each fact is one word that fits. */
TEST_WITH(hostile_tree, new_tree, unit_folder_remove)
{
	char path[PATH_MAX];

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

/* The word for a time-stamp counter with this word, where the kernel's list says this. */
static void expect_tsc(const char *cpu, const char *clocks, const char *expected)
{
	strcpy(facts[FACT_TSC], cpu);
	if (clocks)
		unit_write_text(&MACHINE_CLOCKS[1], clocks);
	facts_of_clocks(unit_folder, facts);
	assert_string_equal(facts[FACT_TSC], expected);
}

TEST_WITH(clocks, new_tree, unit_folder_remove)
{
	expect_tsc("invariant", NULL, "invariant");
	expect_tsc("invariant", "", "invariant");
	expect_tsc("invariant", "\n", "invariant");
	expect_tsc("invariant", " \n", "invariant");
	expect_tsc("invariant", "tsc kvm-clock \n", "invariant");
	expect_tsc("invariant", "kvm-clock hpet tsc \n", "invariant");
	expect_tsc("invariant", "tsc-early hpet acpi_pm \n", "invariant");
	expect_tsc("invariant", "hpet acpi_pm \n", "unstable");
	expect_tsc("invariant", "kvm-clock\n", "unstable");
	expect_tsc("invariant", "tscx xtsc ts tsc-\n", "unstable");
	expect_tsc("variable", "hpet acpi_pm \n", "variable");
	expect_tsc("none", "arch_sys_counter \n", "none");
	expect_tsc("unknown", "hpet \n", "unknown");
}

static long long read_zero(void)
{
	return 0;
}

static int own_rate(uint64_t *hz)
{
	*hz = 1;
	return 0;
}

static const struct counter tsc = { .name = "tsc", .class = COUNTER_OFF_CORE, .read = read_zero };
static const struct counter ticks = {
	.name = "ticks", .class = COUNTER_OFF_CORE, .rate = own_rate, .read = read_zero
};
static const struct counter clock_of_os = {
	.name = "clock", .class = COUNTER_OS_CLOCK, .rate = own_rate, .read = read_zero
};

/* What is published of measured rates on a machine with these words. */
static void limit(const char *word, const char *clocksource, struct cache *cache)
{
	memset(cache, 0, sizeof *cache);
	strcpy(cache->facts[FACT_TSC], word);
	strcpy(cache->facts[FACT_CLOCKSOURCE], clocksource);
	cache->core = (struct rate){ 3000000000, 400 };
	cache->usable = 3;
	cache->candidates[0] = (struct candidate){ .counter = &tsc, .measured = { 2000000000, 4 } };
	cache->candidates[1] = (struct candidate){ .counter = &ticks, .measured = { 1000000, 5 } };
	cache->candidates[2] =
		(struct candidate){ .counter = &clock_of_os, .measured = { 1000000000, 20000 } };
	facts_limit(cache);
}

static void expect_rates(const struct cache *cache, uint64_t tsc_hz, uint32_t tsc_ppm,
			 uint32_t ticks_ppm, uint32_t core_ppm)
{
	assert_int_equal(cache->candidates[0].measured.hz, tsc_hz);
	assert_int_equal(cache->candidates[0].measured.ppm, tsc_ppm);
	assert_int_equal(cache->candidates[1].measured.hz, 1000000);
	assert_int_equal(cache->candidates[1].measured.ppm, ticks_ppm);
	assert_int_equal(cache->candidates[2].measured.hz, 1000000000);
	assert_int_equal(cache->candidates[2].measured.ppm, 20000);
	assert_int_equal(cache->core.hz, 3000000000);
	assert_int_equal(cache->core.ppm, core_ppm);
}

TEST(limits)
{
	static struct cache cache;

	limit("invariant", "tsc", &cache);
	expect_rates(&cache, 2000000000, 4, 5, 400);
	limit("unknown", "tsc", &cache);
	expect_rates(&cache, 2000000000, 4, 5, 400);
	limit("variable", "hpet", &cache);
	expect_rates(&cache, 2000000000, 1000000, 5, 400);
	limit("unstable", "hpet", &cache);
	expect_rates(&cache, 2000000000, 1000000, 5, 400);
	limit("invariant", "tsc-early", &cache);
	expect_rates(&cache, 2000000000, 10000, 10000, 10000);
	facts_limit(&cache);
	expect_rates(&cache, 2000000000, 10000, 10000, 10000);
	limit("variable", "tsc-early", &cache);
	expect_rates(&cache, 2000000000, 1000000, 10000, 10000);
}

TEST(hypervisors)
{
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
	guard_install(&guard, GUARD_ALL);
	run();
	guard_release(&guard);
}

static void ask_cpu(void)
{
	facts_of_cpu(facts);
}

TEST(this_cpu)
{
	static char cpuinfo[65536];
	FILE *file = fopen("/proc/cpuinfo", "r");

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

UNIT_MAIN("facts", NULL, NULL)
