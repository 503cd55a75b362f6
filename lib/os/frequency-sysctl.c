/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What FreeBSD, NetBSD, DragonFly, OpenBSD and macOS tell about the CPU's frequency. Sources:
 * sysctl(3) and sysctl(7) of each; FreeBSD's sys/x86/x86/tsc.c for machdep.tsc_freq (Hz) and
 * cpufreq(4) for dev.cpu.0.freq (MHz); OpenBSD's sysctl(2) for hw.cpuspeed (MHz), which has a
 * number and no name. */

#include "config.h"

#include "frequency.h"
#include "rate.h"

#include <sys/types.h>
#include <sys/param.h>
#include <sys/sysctl.h>

/* The kernel's integers have 32 or 64 bits. */
union number {
	uint32_t narrow;
	uint64_t wide;
};

/* The kernel returns the length with the number. 0: no answer. */
static uint64_t number_of(const union number *number, size_t length)
{
	if (length == sizeof number->narrow)
		return number->narrow;
	return length == sizeof number->wide ? number->wide : 0;
}

static bool answer_with(uint64_t number, uint32_t unit, enum persecond_source source,
			struct persecond *answer)
{
	if (number > RATE_SANE_MAX_HZ / unit)
		return false;
	*answer = (struct persecond){ number * unit, source };
	return rate_is_sane(answer->hz);
}

#ifdef __OpenBSD__

bool frequency_os(const char *root, struct persecond *answer)
{
	const int name[] = { CTL_HW, HW_CPUSPEED };
	union number number;
	size_t length = sizeof number;

	(void)root;
	if (sysctl(name, 2, &number, &length, NULL, 0))
		return false;
	return answer_with(number_of(&number, length), 1000000, PERSECOND_SYSCTL_CPUSPEED, answer);
}

#else

static const struct {
	const char *name;
	uint32_t unit; /* in Hz */
	enum persecond_source source;
} names[] = {
	{ "tsc_freq", 1, PERSECOND_SYSCTL_TSC },
	{ "hw.tsc_frequency", 1, PERSECOND_SYSCTL_TSC }, /* DragonFly */
	{ "hw.cpufrequency", 1, PERSECOND_SYSCTL_CPUFREQUENCY },
	{ "hw.cpuspeed", 1000000, PERSECOND_SYSCTL_CPUSPEED },
	{ "machdep.tsc_freq", 1, PERSECOND_SYSCTL_TSC },      /* FreeBSD, NetBSD */
	{ "machdep.tsc.frequency", 1, PERSECOND_SYSCTL_TSC }, /* macOS */
	{ "dev.cpu.0.freq", 1000000, PERSECOND_SYSCTL_CPU_FREQ },
	{ "hw.tbfrequency", 1, PERSECOND_SYSCTL_TBFREQUENCY },
};

static bool ask_name(size_t i, struct persecond *answer)
{
	union number number;
	size_t length = sizeof number;

	if (sysctlbyname(names[i].name, &number, &length, NULL, 0))
		return false;
	return answer_with(number_of(&number, length), names[i].unit, names[i].source, answer);
}

bool frequency_os(const char *root, struct persecond *answer)
{
	(void)root;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (ask_name(i, answer))
			return true;
	return false;
}

#endif
