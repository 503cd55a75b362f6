/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "digits.h"
#include "file.h"
#include "hot.h"
#include "machine.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef HAVE_GETAUXVAL
#include <sys/auxv.h>
#endif

static bool is_hex_digit(char c)
{
	return digit_is_decimal(c) || (c >= 'a' && c <= 'f');
}

bool machine_is_boot(const char *text)
{
	static const unsigned char groups[] = { 8, 4, 4, 4, 12 }; /* digits between the dashes */

	for (size_t i = 0; i < sizeof groups; i++) {
		if (i > 0 && *text++ != '-')
			return false;
		for (unsigned left = groups[i]; left > 0; left--)
			if (!is_hex_digit(*text++))
				return false;
	}
	return *text == 0;
}

static HOT const char *lent_boot;

COLD void machine_lend_boot(const char *boot)
{
	lent_boot = boot;
}

/* The kernel's file without the end of its line. 0, or a negative errno. */
static int read_boot(char text[MACHINE_BOOT_SIZE + 2])
{
	/* Not checked to be a regular file: whatever lies there, the open has no effect, the read
	 * does not wait, and the callers refuse a text that is no UUID. Nor are the mounts looked
	 * at, which would double the time of a first call with a cache: lxcfs does not serve this
	 * file. */
	int fd;
	long length;

	if (lent_boot) {
		memcpy(text, lent_boot, MACHINE_BOOT_SIZE);
		return 0;
	}
	fd = file_open_unasked("/proc/sys/kernel/random/boot_id", 0);
	length = file_fill_once(fd, text, MACHINE_BOOT_SIZE + 2);
	if (length < 0)
		return (int)length;
	if (text[MACHINE_BOOT_SIZE - 1] == '\n')
		text[MACHINE_BOOT_SIZE - 1] = 0;
	return 0;
}

bool machine_is_same_boot(const char boot[MACHINE_BOOT_SIZE], const char *other)
{
	return *other && !memcmp(boot, other, MACHINE_BOOT_SIZE);
}

int machine_boot(char boot[MACHINE_BOOT_SIZE])
{
	char text[MACHINE_BOOT_SIZE + 2];
	int error = read_boot(text);

	boot[0] = 0;
	if (error)
		return error;
	if (!machine_is_boot(text))
		return -EINVAL;
	memcpy(boot, text, MACHINE_BOOT_SIZE);
	return 0;
}

bool machine_boot_is(const char boot[MACHINE_BOOT_SIZE])
{
	char text[MACHINE_BOOT_SIZE + 2];

	return !read_boot(text) && machine_is_same_boot(boot, text);
}

/* Append "-" and the number in hexadecimal. */
static char *append(char *p, uint64_t number)
{
	unsigned digits = 1;

	while (digits < 16 && number >> digits * 4)
		digits++;
	*p++ = '-';
	while (digits-- > 0)
		*p++ = "0123456789abcdef"[number >> digits * 4 & 15];
	return p;
}

void machine_identity(char identity[MACHINE_IDENTITY_SIZE])
{
	static const char architecture[] = MACHINE_ARCHITECTURE;
	char *p = identity + sizeof architecture - 1;
	uint64_t numbers[3];
	uint32_t signature;
	size_t n = 0;

	_Static_assert(sizeof architecture + 9 + 17 + 17 <= MACHINE_IDENTITY_SIZE, "too long");
	memcpy(identity, architecture, sizeof architecture);
	if (machine_signature(&signature))
		numbers[n++] = signature;
#ifdef HAVE_GETAUXVAL
	numbers[n++] = getauxval(AT_HWCAP);
	numbers[n++] = getauxval(AT_HWCAP2);
#endif
	for (size_t i = 0; i < n; i++)
		p = append(p, numbers[i]);
	*p = 0;
}

const char *machine_tsc_name(enum machine_tsc tsc)
{
	static const char *const names[] = {
		[MACHINE_TSC_NONE] = "none",
		[MACHINE_TSC_VARIABLE] = "variable",
		[MACHINE_TSC_UNSTABLE] = "unstable",
		[MACHINE_TSC_INVARIANT] = "invariant",
	};

	return names[tsc];
}

static bool is_word(const char *word, size_t length, const char *expected)
{
	return length == strlen(expected) && !memcmp(word, expected, length);
}

/*
 * The kernel leaves a counter that it has marked unstable out of its list of clocks. Sources:
 * kernel/time/clocksource.c, __clocksource_unstable() and available_clocksource_show();
 * arch/x86/kernel/tsc.c, which does not register such a counter at boot. Until the kernel has
 * measured the counter for the second time, the counter is in the list as tsc-early.
 */
COLD enum machine_tsc machine_judge_tsc(enum machine_tsc cpu, const char *clocks)
{
	static const char between[] = " \t\n";
	bool others = false;
	size_t length;

	if (cpu != MACHINE_TSC_INVARIANT)
		return cpu;
	for (clocks += strspn(clocks, between); *clocks; clocks += strspn(clocks, between)) {
		length = strcspn(clocks, between);
		if (is_word(clocks, length, "tsc") || is_word(clocks, length, "tsc-early"))
			return MACHINE_TSC_INVARIANT;
		others = true;
		clocks += length;
	}
	return others ? MACHINE_TSC_UNSTABLE : MACHINE_TSC_INVARIANT;
}

COLD enum machine_tsc machine_ask_tsc(void)
{
	const enum machine_tsc cpu = machine_cpu_tsc();
	char clocks[MACHINE_CLOCKS_SIZE];

	if (cpu != MACHINE_TSC_INVARIANT || file_read(MACHINE_CLOCKS, clocks, sizeof clocks) <= 0)
		return cpu;
	return machine_judge_tsc(cpu, clocks);
}
