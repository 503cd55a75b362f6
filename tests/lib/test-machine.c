/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "machine.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif
#ifdef __x86_64__
#include "arch/amd64/rdpmc.h"
#endif
#ifdef HAVE_X86_GET_CPUID_FEATURE_LEAF
#include <sys/platform/x86.h>
#endif

TEST(boot_ids)
{
	static const char *const bad[] = {
		"",
		"01234567-89ab-cdef-0123-456789abcde",
		"01234567-89ab-cdef-0123-456789abcdef0",
		"01234567-89ab-cdef-0123-456789abcdef\n",
		"01234567-89AB-cdef-0123-456789abcdef",
		"01234567-89ab-cdef-0123-456789abcdeg",
		"0123456789ab-cdef-0123-456789abcdef--",
		"01234567 89ab cdef 0123 456789abcdef",
		"------------------------------------",
	};

	assert_true(machine_is_boot("01234567-89ab-cdef-0123-456789abcdef"));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (machine_is_boot(bad[i]))
			fail_msg("\"%s\" is taken for a boot id", bad[i]);
}

TEST(this_boot)
{
	char boot[MACHINE_BOOT_SIZE], expected[64] = "";
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");

	memset(boot, 'x', sizeof boot);
	if (!file) {
		assert_true(machine_boot(boot) < 0);
		assert_string_equal(boot, "");
		return;
	}
	assert_non_null(fgets(expected, sizeof expected, file));
	fclose(file);
	expected[strcspn(expected, "\n")] = 0;
	assert_int_equal(machine_boot(boot), 0);
	assert_string_equal(boot, expected);
}

TEST(identity)
{
	char first[MACHINE_IDENTITY_SIZE], second[MACHINE_IDENTITY_SIZE];

	memset(first, 'x', sizeof first);
	machine_identity(first);
	machine_identity(second);
	assert_string_equal(first, second);
	assert_int_equal(strncmp(first, MACHINE_ARCHITECTURE, strlen(MACHINE_ARCHITECTURE)), 0);
	/* One word, which is what the cache can hold. */
	for (const char *p = first; *p; p++)
		assert_true(*p > ' ' && *p < 127);
}

/* libc's copy of the signature is what the CPU itself says. */
TEST(cpu)
{
#if defined(__x86_64__) || defined(__i386__)
	char identity[MACHINE_IDENTITY_SIZE], expected[16];
	unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;

	machine_identity(identity);
	__get_cpuid(1, &eax, &ebx, &ecx, &edx);
	snprintf(expected, sizeof expected, "-%x", eax);
	assert_int_equal(strncmp(identity + strlen(MACHINE_ARCHITECTURE), expected,
				 strlen(expected)),
			 0);
#else
	unit_skip("no CPUID: the identity has nothing of the CPU but what the kernel says");
#endif
}

#ifdef __x86_64__
/* What CPUs answer to CPUID. To a leaf above the highest one, Intel's answer as to the highest one,
 * and AMD's answer with zeros. */
struct made_cpu {
	const char *name;
	uint32_t highest, monitoring[4], beyond[4];
	bool sse4a; /* bit 6 of ECX of leaf 0x80000001 */
	unsigned width;
};

static const struct made_cpu made_cpus[] = {
	{ "AMD family 1Ah model 2", 0x1c, { 0 }, { 0 }, true, 0 },
	{ "AMD family 10h model 2", 5, { 0 }, { 0 }, true, 0 },
	{ "Intel Skylake", 0x16, { 0x07300404, 0, 0, 0x603 }, { 2400, 3000, 100 }, false, 48 },
	{ "an Intel CPU without the leaf", 5, { 0 }, { 0x07300404, 0, 0, 0x603 }, false, 0 },
};

static const struct made_cpu *made;
static unsigned leaves_asked;

static void made_cpuid(uint32_t leaf, uint32_t registers[4])
{
	const uint32_t first[4] = { made->highest };

	leaves_asked++;
	memcpy(registers,
	       leaf == 0            ? first :
	       leaf > made->highest ? made->beyond :
				      made->monitoring,
	       sizeof first);
}
#endif

/* What amd64-pmcff.c trusts in: a CPU with SSE4A, which is AMD's, has none of Intel's counters.
 * Whether libc tells of SSE4A changes how often CPUID is asked, and not the answer. */
TEST(cpus_with_sse4a)
{
#ifdef __x86_64__
	for (size_t i = 0; i < sizeof made_cpus / sizeof made_cpus[0]; i++) {
		made = &made_cpus[i];
		if (rdpmc_find_fixed(false, made_cpuid) != made->width)
			fail_msg("%s: a counter of %u bits", made->name,
				 rdpmc_find_fixed(false, made_cpuid));
		leaves_asked = 0;
		if (rdpmc_find_fixed(made->sse4a, made_cpuid) != made->width)
			fail_msg("%s, with libc's word: a counter of %u bits", made->name,
				 rdpmc_find_fixed(made->sse4a, made_cpuid));
		if (made->sse4a && leaves_asked)
			fail_msg("%s: CPUID is asked %u times", made->name, leaves_asked);
	}
#else
	unit_skip("amd64 only");
#endif
}

/* The same of the CPU that this test runs on, and of libc's word. */
TEST(this_cpu_and_sse4a)
{
#ifdef __x86_64__
	unsigned eax, ebx, ecx = 0, edx;
	bool sse4a;

	__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx);
	sse4a = ecx >> 6 & 1;
	printf("# SSE4A: %d, fixed counter: %u bits\n", sse4a,
	       rdpmc_find_fixed(false, x86_this_cpuid));
	assert_int_equal(rdpmc_find_fixed(sse4a, x86_this_cpuid),
			 rdpmc_find_fixed(false, x86_this_cpuid));
#ifdef HAVE_X86_GET_CPUID_FEATURE_LEAF
	assert_int_equal(!!CPU_FEATURE_PRESENT(SSE4A), sse4a);
#endif
#else
	unit_skip("amd64 only");
#endif
}

static void expect_judged(enum machine_tsc cpu, const char *clocks, const char *expected)
{
	assert_string_equal(machine_tsc_name(machine_judge_tsc(cpu, clocks)), expected);
}

/* Which clocks the kernel lists. */
TEST(clocks)
{
	expect_judged(MACHINE_TSC_INVARIANT, "", "invariant");
	expect_judged(MACHINE_TSC_INVARIANT, " \n", "invariant");
	expect_judged(MACHINE_TSC_INVARIANT, "tsc", "invariant");
	expect_judged(MACHINE_TSC_INVARIANT, "kvm-clock tsc hpet acpi_pm \n", "invariant");
	expect_judged(MACHINE_TSC_INVARIANT, "tsc-early\n", "invariant");
	expect_judged(MACHINE_TSC_INVARIANT, "hpet acpi_pm \n", "unstable");
	expect_judged(MACHINE_TSC_INVARIANT, "tsc- tsc2 ts xtsc\n", "unstable");
	expect_judged(MACHINE_TSC_VARIABLE, "hpet\n", "variable");
	expect_judged(MACHINE_TSC_NONE, "arch_sys_counter\n", "none");
}

/* What CPU and kernel say of this machine is what the kernel's other files say. */
TEST(this_tsc)
{
	static char cpuinfo[65536], list[256];
	FILE *file = fopen("/proc/cpuinfo", "r"), *listed = fopen(MACHINE_CLOCKS, "r");
	enum machine_tsc tsc = machine_ask_tsc();

	printf("# the time-stamp counter is %s\n", machine_tsc_name(tsc));
	if (listed && !fgets(list, sizeof list, listed))
		list[0] = 0;
	if (listed)
		fclose(listed);
	if (file && fread(cpuinfo, 1, sizeof cpuinfo - 1, file) > 0 && strstr(cpuinfo, " tsc")) {
		assert_int_equal(tsc == MACHINE_TSC_VARIABLE, !strstr(cpuinfo, " nonstop_tsc"));
		if (strstr(list, "tsc"))
			assert_int_not_equal(tsc, MACHINE_TSC_UNSTABLE);
	}
	if (file)
		fclose(file);
#if !defined(__x86_64__) && !defined(__i386__)
	assert_int_equal(tsc, MACHINE_TSC_NONE);
#endif
}

UNIT_MAIN("machine", NULL, NULL)
