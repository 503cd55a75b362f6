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
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

bool machine_is_boot(const char *text)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	for (size_t i = 0; i < sizeof form - 1; i++) {
		if (form[i] == '-' ? text[i] != '-' : !strchr("0123456789abcdef", text[i]))
			return false;
		if (text[i] == 0)
			return false;
	}
	return text[sizeof form - 1] == 0;
}

int machine_boot(char boot[MACHINE_BOOT_SIZE])
{
	char text[MACHINE_BOOT_SIZE + 2];
	long length = file_read("/proc/sys/kernel/random/boot_id", text, sizeof text);

	boot[0] = 0;
	if (length < 0)
		return (int)length;
	text[strcspn(text, "\n")] = 0;
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

void machine_identity(char identity[MACHINE_IDENTITY_SIZE])
{
	static const char architecture[] = MACHINE_ARCHITECTURE;
	char *p = identity + sizeof architecture - 1;

	_Static_assert(sizeof architecture + 9 + 17 + 17 <= MACHINE_IDENTITY_SIZE, "too long");
	memcpy(identity, architecture, sizeof architecture);
#if defined(__x86_64__)
	unsigned eax, ebx, ecx, edx;

	/* One leaf: each CPUID costs microseconds in a virtual machine. */
	__cpuid(1, eax, ebx, ecx, edx);
	p = append(p, eax);
#elif defined(__i386__)
	unsigned eax = 0, ebx, ecx, edx;

	__get_cpuid(1, &eax, &ebx, &ecx, &edx);
	p = append(p, eax);
#endif
#if defined(HAVE_GETAUXVAL)
	p = append(p, getauxval(AT_HWCAP));
	p = append(p, getauxval(AT_HWCAP2));
#endif
	*p = 0;
}
