/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "disagree.h"

#define COUNTER "cycles of this counter are not core cycles: "
#define RATE "persecond is not the counter's rate: "
#define PERSECOND "persecond is not the core's frequency: "
#define HIDES "a virtual machine hides its core's clock"

static struct cache cache;

static const struct counter of_core = { .name = "core", .class = COUNTER_ON_CORE };
static const struct counter of_register = { .name = "register", .class = COUNTER_OFF_CORE };
static const struct counter of_clock = { .name = "clock", .class = COUNTER_OS_CLOCK };

/* A machine whose kernel tells the frequency of the TSC as "cpu MHz". */
static int nothing_known(UNIT_UNUSED void **state)
{
	memset(&cache, 0, sizeof cache);
	cache.persecond = (struct persecond){ 2000000000, PERSECOND_CPUINFO_MHZ };
	cache.core.hz = 2000000000;
	return 0;
}

static void set(uint64_t persecond_hz, enum persecond_source source, uint64_t core_hz,
		const char *hypervisor)
{
	cache.persecond = (struct persecond){ persecond_hz, source };
	cache.core.hz = core_hz;
	strcpy(cache.facts[FACT_HYPERVISOR], hypervisor);
}

static void compare(const char *got, const char *expected)
{
	if (!got || !expected)
		assert_ptr_equal(got, expected);
	else
		assert_string_equal(got, expected);
}

/* The time-stamp counter at this rate, or a counter of core cycles if that is 0. */
static void expect(uint64_t counter_hz, const char *expected)
{
	const struct candidate candidate = {
		.counter = counter_hz ? &of_register : &of_core,
		.scaling = { 1, 1 },
		.measured = { counter_hz, 1 },
	};

	compare(disagree_sentence(&cache, &candidate), expected);
}

/* A counter with ticks of this rate, whose scaled counts were measured. */
static void expect_scaled(const struct counter *counter, uint64_t ticks_hz, struct ratio scaling,
			  uint64_t measured_hz, const char *expected)
{
	const struct candidate candidate = {
		.counter = counter,
		.hz = ticks_hz,
		.scaling = scaling,
		.measured = { measured_hz, 1 },
	};

	compare(disagree_sentence(&cache, &candidate), expected);
}

TEST_WITH(agreement, nothing_known, NULL)
{
	expect(0, NULL);
	expect(2000000000, NULL);
	compare(disagree_sentence(&cache, NULL), NULL);
	cache.core.hz = 2090000000;
	expect(2000000000, NULL);
	cache.core.hz = 1910000000;
	expect(2000000000, NULL);
}

/* An unknown frequency does not differ from anything. */
TEST_WITH(unknown, nothing_known, NULL)
{
	set(2000000000, PERSECOND_CPUINFO_MHZ, 0, "kvm");
	expect(2000000000, NULL);
	expect(0, NULL);
	assert_false(disagree_differ(0, 1));
	assert_false(disagree_differ(1, 0));
	/* Two are enough to differ. */
	expect(1000000000, RATE "the kernel or the firmware tells a wrong frequency");
}

TEST_WITH(limits, nothing_known, NULL)
{
	assert_false(disagree_differ(2100000000, 2000000000));
	assert_true(disagree_differ(2100100000, 2000000000));
	assert_false(disagree_differ(1900000000, 2000000000));
	assert_true(disagree_differ(1899900000, 2000000000));
	assert_true(disagree_differ(UINT64_MAX, 1000));
}

/* persecond and the TSC at 2.0 GHz, and the core at 2.8 GHz. */
TEST_WITH(faster, nothing_known, NULL)
{
	cache.core.hz = 2800000000;
	expect(2000000000, COUNTER "the core runs faster");
	strcpy(cache.facts[FACT_TURBO], "on");
	expect(2000000000, COUNTER "turbo raises the core above its nominal frequency");
	strcpy(cache.facts[FACT_TURBO], "off");
	expect(2000000000, COUNTER "the core runs faster");
	strcpy(cache.facts[FACT_HYPERVISOR], "kvm");
	expect(2000000000, COUNTER HIDES);
	strcpy(cache.facts[FACT_KINDS], "2");
	expect(2000000000, COUNTER "the cores are of several kinds, and the fastest was measured");
}

TEST_WITH(slower, nothing_known, NULL)
{
	cache.core.hz = 800000000;
	expect(2000000000, COUNTER "the core runs slower");
	strcpy(cache.facts[FACT_GOVERNOR], "none");
	expect(2000000000, COUNTER "the core runs slower");
	strcpy(cache.facts[FACT_GOVERNOR], "performance");
	expect(2000000000, COUNTER
	       "the core runs below its nominal frequency, as power saving or heat make it");
	strcpy(cache.facts[FACT_GOVERNOR], "powersave");
	strcpy(cache.facts[FACT_KINDS], "1");
	strcpy(cache.facts[FACT_HYPERVISOR], "none");
	expect(2000000000, COUNTER "power saving keeps the core below its nominal frequency");
}

/* A virtual machine whose kernel measures the TSC rightly, as most do. */
TEST_WITH(hidden, nothing_known, NULL)
{
	set(2600000000, PERSECOND_CPUINFO_MHZ, 3690000000, "kvm");
	expect(2599999862, COUNTER HIDES);
	/* A counter of core cycles shows the clock, but the kernel does not know it. */
	expect(0, PERSECOND HIDES);
	/* Nobody told persecond, and the core's measured frequency took its place. */
	set(3690000000, PERSECOND_MEASURED, 3690000000, "kvm");
	expect(2599999862, COUNTER HIDES);
	expect(0, NULL);
}

/* In a virtual machine, too, a wrong number is no work of the hypervisor. */
TEST_WITH(detected_wrongly, nothing_known, NULL)
{
	static const enum persecond_source sources[] = {
		PERSECOND_CPUINFO_MHZ, PERSECOND_TSC_FREQ_KHZ,   PERSECOND_SYSCTL_TSC,
		PERSECOND_CPUID_TSC,   PERSECOND_HYPERVISOR_TSC, PERSECOND_PERF_PAGE,
	};

	for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
		set(364000000, sources[i], 3700000000, "kvm");
		expect(2600000000, RATE "the kernel or the firmware tells a wrong frequency");
		set(364000000, sources[i], 2600000000, "none");
		expect(2600000000, RATE "the kernel or the firmware tells a wrong frequency;"
					" counter and core agree");
		set(364000000, sources[i], 0, "none");
		expect(2600000000, RATE "the kernel or the firmware tells a wrong frequency");
	}
	/* The sources that speak of nothing but the TSC are wrong even if they are the core's. */
	set(3700000000, PERSECOND_CPUID_TSC, 3700000000, "kvm");
	expect(2600000000, RATE "the kernel or the firmware tells a wrong frequency");
}

TEST_WITH(written_wrongly, nothing_known, NULL)
{
#define FILE_SAYS \
	"the persecond file, which is asked before all other sources, says another frequency"
	set(1000, PERSECOND_FILE, 3690000000, "kvm");
	expect(2600000000, RATE FILE_SAYS);
	expect(0, PERSECOND FILE_SAYS);
	set(2000000000, PERSECOND_FILE, 3690000000, "kvm");
	expect(2600000000, RATE FILE_SAYS);
	set(2000000000, PERSECOND_FILE, 2600000000, "kvm");
	expect(2600000000, RATE FILE_SAYS "; counter and core agree");
	set(2000000000, PERSECOND_ENVIRONMENT, 3690000000, "kvm");
	expect(2600000000,
	       RATE "the environment variable cpucyclespersecond says another frequency");
	set(2399987654, PERSECOND_DEFAULT, 0, "kvm");
	expect(2930000000, RATE "nobody tells a frequency, and this is the default");
	/* A clock is scaled to what the file says. */
	set(1000, PERSECOND_FILE, 3690000000, "kvm");
	expect_scaled(&of_clock, 1000000000, (struct ratio){ 1000, 1000000000 }, 1000,
		      PERSECOND FILE_SAYS);
}

/* The sysadmin wrote the core's frequency, so the counter is the odd one out; or the counter's, and
 * then it is the core. */
TEST_WITH(written_rightly, nothing_known, NULL)
{
	set(3690000000, PERSECOND_FILE, 3690000000, "kvm");
	expect(2600000000, COUNTER "the core runs faster");
	expect(0, NULL);
	set(2600000000, PERSECOND_FILE, 3690000000, "kvm");
	expect(2600000000, COUNTER HIDES);
}

/* These sources speak of the core, which need not run at the rate of the TSC. */
TEST_WITH(of_the_core, nothing_known, NULL)
{
	static const enum persecond_source sources[] = {
		PERSECOND_CPUFREQ_SETSPEED, PERSECOND_CPUFREQ_MAX,     PERSECOND_DEVICE_TREE,
		PERSECOND_CPUID_BASE,       PERSECOND_SYSCTL_CPUSPEED, PERSECOND_CLOCK_TICK,
	};

	strcpy(cache.facts[FACT_TURBO], "on");
	for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
		set(5000000000, sources[i], 4900000000, "none");
		expect(3000000000, COUNTER "turbo raises the core above its nominal frequency");
		expect(0, NULL);
		set(5000000000, sources[i], 3000000000, "kvm");
		expect(3000000000, PERSECOND "the core runs slower");
		set(2000000000, sources[i], 2800000000, "none");
		expect(0, PERSECOND "turbo raises the core above its nominal frequency");
	}
	/* With cpufreq, "cpu MHz" is what the core runs at. */
	set(800000000, PERSECOND_CPUINFO_MHZ, 4900000000, "none");
	strcpy(cache.facts[FACT_GOVERNOR], "powersave");
	expect(3000000000, COUNTER "turbo raises the core above its nominal frequency");
	/* So it is without cpufreq, if it is the core's. */
	set(4900000000, PERSECOND_CPUINFO_MHZ, 4900000000, "none");
	strcpy(cache.facts[FACT_GOVERNOR], "none");
	expect(3000000000, COUNTER "turbo raises the core above its nominal frequency");
}

/* A counter of 62.5 MHz that is scaled by 32, as a board of 2.0 GHz has it. */
TEST_WITH(scaled, nothing_known, NULL)
{
	static const char wrong[] = "cycles of this counter are wrong: the kernel or the firmware"
				    " tells a wrong rate of its ticks";
	const struct ratio by_32 = { 32, 1 };

	cache.persecond.source = PERSECOND_CPUFREQ_MAX;
	expect_scaled(&of_register, 62500000, by_32, 2000000000, NULL);
	/* The register says that it ticks at 62.5 MHz, and ticks at 50 MHz. */
	expect_scaled(&of_register, 62500000, by_32, 1600000000, wrong);
	cache.core.hz = 0;
	expect_scaled(&of_register, 62500000, by_32, 1600000000, wrong);
	/* 31 is as near as the rule comes to 2.2 GHz / 62.5 MHz. */
	set(2200000000, PERSECOND_CPUFREQ_MAX, 2200000000, "none");
	expect_scaled(&of_register, 62500000, (struct ratio){ 31, 1 }, 1937500000,
		      COUNTER "its ticks can only be scaled near to persecond");
	set(2000000000, PERSECOND_CPUFREQ_MAX, 2800000000, "none");
	expect_scaled(&of_register, 62500000, by_32, 2000000000, COUNTER "the core runs faster");
	set(2000000000, PERSECOND_DEVICE_TREE, 2800000000, "kvm");
	expect_scaled(&of_register, 62500000, by_32, 2000000000, COUNTER HIDES);
	expect_scaled(&of_clock, 1000000000, (struct ratio){ 2000000000, 1000000000 }, 2000000000,
		      COUNTER HIDES);
}

TEST(unsteady)
{
	compare(disagree_unsteady("invariant"), NULL);
	compare(disagree_unsteady("none"), NULL);
	compare(disagree_unsteady("unknown"), NULL);
	compare(disagree_unsteady(""), NULL);
	compare(disagree_unsteady("variable"),
		"the time-stamp counter is not invariant: its rate may change with the core's");
	compare(disagree_unsteady("unstable"), "the kernel marked the time-stamp counter unstable");
}

UNIT_MAIN("disagree", NULL, NULL)
