/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "file.h"
#include "machine.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef HAVE_GETAUXVAL
#include <sys/auxv.h>
#endif
#ifdef HAVE_X86_GET_CPUID_FEATURE_LEAF
#include <sys/platform/x86.h>
#endif
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

static bool is_digit(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
}

bool machine_is_boot(const char *text)
{
	static const unsigned char groups[] = { 8, 4, 4, 4, 12 };

	for (size_t i = 0; i < sizeof groups; i++) {
		if (i > 0 && *text++ != '-')
			return false;
		for (unsigned left = groups[i]; left > 0; left--)
			if (!is_digit(*text++))
				return false;
	}
	return *text == 0;
}

int machine_boot(char boot[MACHINE_BOOT_SIZE])
{
	char text[MACHINE_BOOT_SIZE + 2];
	int fd = file_open("/proc/sys/kernel/random/boot_id", 0);
	long length;

	boot[0] = 0;
	if (fd < 0)
		return fd;
	/* Whatever stands in its place: file_open has no effect, this does not wait, and its form tells. */
	length = file_fill(fd, text, sizeof text);
	file_close(fd);
	if (length < 0)
		return (int)length;
	if (text[MACHINE_BOOT_SIZE - 1] == '\n')
		text[MACHINE_BOOT_SIZE - 1] = 0;
	if (!machine_is_boot(text))
		return -EINVAL;
	memcpy(boot, text, MACHINE_BOOT_SIZE);
	return 0;
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

#if defined(__x86_64__) || defined(__i386__)
/* EAX of leaf 1. A virtual machine's host answers CPUID, in microseconds; glibc has asked at the
 * program's start and keeps the registers as they came (sys/platform/x86.h). */
static unsigned cpu_signature(void)
{
	unsigned eax = 0, ebx, ecx, edx;

#ifdef HAVE_X86_GET_CPUID_FEATURE_LEAF
	eax = __x86_get_cpuid_feature_leaf(CPUID_INDEX_1)->cpuid_array[cpuid_register_index_eax];
	if (eax)
		return eax;
#endif
#ifdef __x86_64__
	/* One leaf, without looking for the highest. */
	__cpuid(1, eax, ebx, ecx, edx);
#else
	__get_cpuid(1, &eax, &ebx, &ecx, &edx);
#endif
	return eax;
}
#endif

void machine_identity(char identity[MACHINE_IDENTITY_SIZE])
{
	static const char architecture[] = MACHINE_ARCHITECTURE;
	char *p = identity + sizeof architecture - 1;

	_Static_assert(sizeof architecture + 9 + 17 + 17 <= MACHINE_IDENTITY_SIZE, "too long");
	memcpy(identity, architecture, sizeof architecture);
#if defined(__x86_64__) || defined(__i386__)
	p = append(p, cpu_signature());
#endif
#if defined(HAVE_GETAUXVAL)
	p = append(p, getauxval(AT_HWCAP));
	p = append(p, getauxval(AT_HWCAP2));
#endif
	*p = 0;
}
