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

static void boot_ids(void **state)
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

	(void)state;
	assert_true(machine_is_boot("01234567-89ab-cdef-0123-456789abcdef"));
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (machine_is_boot(bad[i]))
			fail_msg("\"%s\" is taken for a boot id", bad[i]);
}

static void this_boot(void **state)
{
	char boot[MACHINE_BOOT_SIZE], expected[64] = "";
	FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");

	(void)state;
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

static void identity(void **state)
{
	char first[MACHINE_IDENTITY_SIZE], second[MACHINE_IDENTITY_SIZE];

	(void)state;
	memset(first, 'x', sizeof first);
	machine_identity(first);
	machine_identity(second);
	assert_string_equal(first, second);
	assert_int_equal(strncmp(first, MACHINE_ARCHITECTURE, strlen(MACHINE_ARCHITECTURE)), 0);
	/* One word, which is what the cache can hold. */
	for (const char *p = first; *p; p++)
		assert_true(*p > ' ' && *p < 127);
}

/* What libc is asked instead of the CPU is what the CPU says. */
static void cpu(void **state)
{
#if defined(__x86_64__) || defined(__i386__)
	char identity[MACHINE_IDENTITY_SIZE], expected[16];
	unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;

	(void)state;
	machine_identity(identity);
	__get_cpuid(1, &eax, &ebx, &ecx, &edx);
	snprintf(expected, sizeof expected, "-%x", eax);
	assert_int_equal(strncmp(identity + strlen(MACHINE_ARCHITECTURE), expected, strlen(expected)), 0);
#else
	(void)state;
	skip();
#endif
}

/* A CPU with SSE4A, which is AMD's, has none of Intel's counters (amd64-pmcff.c). */
static void cpu_with_sse4a(void **state)
{
#ifdef __x86_64__
	unsigned eax, ebx, ecx = 0, edx;

	(void)state;
	if (!__get_cpuid(0x80000001, &eax, &ebx, &ecx, &edx) || !(ecx >> 6 & 1))
		skip();
	if (__get_cpuid_count(0xa, 0, &eax, &ebx, &ecx, &edx))
		assert_int_equal(rdpmc_fixed_width(eax, ecx, edx), 0);
#else
	(void)state;
	skip();
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boot_ids),
		cmocka_unit_test(this_boot),
		cmocka_unit_test(identity),
		cmocka_unit_test(cpu),
		cmocka_unit_test(cpu_with_sse4a),
	};

	return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
