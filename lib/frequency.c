/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "decimal.h"
#include "environment.h"
#include "file.h"
#include "frequency.h"
#include "hot.h"
#include "rate.h"
#include "text.h"

static const struct {
	char name[20];
	enum frequency_subject subject;
} sources[PERSECOND_SOURCES] = {
	[PERSECOND_FILE] = { "persecond-file", FREQUENCY_OF_WISH },
	[PERSECOND_CPUFREQ_SETSPEED] = { "cpufreq-setspeed", FREQUENCY_OF_CORE },
	[PERSECOND_CPUFREQ_MAX] = { "cpufreq-max", FREQUENCY_OF_CORE },
	[PERSECOND_CLOCK_TICK] = { "clock-tick", FREQUENCY_OF_CORE },
	[PERSECOND_TSC_FREQ_KHZ] = { "tsc-freq-khz", FREQUENCY_OF_TSC },
	/* show_cpuinfo() of the kernel's arch/x86: without cpufreq, cpu_khz, which the kernel takes
	 * from the TSC; newer kernels measure the core instead, where the CPU counts its cycles. */
	[PERSECOND_CPUINFO_MHZ] = { "cpuinfo-mhz", FREQUENCY_OF_EITHER },
	[PERSECOND_CPUINFO_STATIC] = { "cpuinfo-mhz-static", FREQUENCY_OF_CORE },
	[PERSECOND_CPUINFO_DYNAMIC] = { "cpuinfo-mhz-dynamic", FREQUENCY_OF_CORE },
	[PERSECOND_CPUINFO_CLOCK] = { "cpuinfo-clock", FREQUENCY_OF_CORE },
	[PERSECOND_CPUINFO_BOGOMIPS] = { "cpuinfo-bogomips", FREQUENCY_OF_CORE },
	[PERSECOND_DEVICE_TREE] = { "device-tree", FREQUENCY_OF_CORE },
	[PERSECOND_SYSCTL_TSC] = { "sysctl-tsc", FREQUENCY_OF_TSC },
	[PERSECOND_SYSCTL_CPUFREQUENCY] = { "sysctl-cpufrequency", FREQUENCY_OF_CORE },
	[PERSECOND_SYSCTL_CPUSPEED] = { "sysctl-cpuspeed", FREQUENCY_OF_CORE },
	[PERSECOND_SYSCTL_CPU_FREQ] = { "sysctl-cpu-freq", FREQUENCY_OF_CORE },
	[PERSECOND_SYSCTL_TBFREQUENCY] = { "sysctl-tbfrequency", FREQUENCY_OF_CORE },
	[PERSECOND_KSTAT] = { "kstat", FREQUENCY_OF_CORE },
	[PERSECOND_PERFSTAT] = { "perfstat", FREQUENCY_OF_CORE },
	[PERSECOND_HYPERVISOR_TSC] = { "hypervisor-tsc", FREQUENCY_OF_TSC },
	[PERSECOND_CPUID_TSC] = { "cpuid-tsc", FREQUENCY_OF_TSC },
	[PERSECOND_CPUID_BASE] = { "cpuid-base", FREQUENCY_OF_CORE },
	[PERSECOND_PERF_PAGE] = { "perf-page", FREQUENCY_OF_TSC },
	[PERSECOND_ENVIRONMENT] = { "environment", FREQUENCY_OF_WISH },
	[PERSECOND_MEASURED] = { "measured", FREQUENCY_OF_CORE },
	[PERSECOND_DEFAULT] = { "default", FREQUENCY_OF_NOTHING },
};

const char *frequency_source_name(enum persecond_source source)
{
	return sources[source].name;
}

bool frequency_source_find(const char *name, enum persecond_source *source)
{
	for (unsigned i = 0; i < PERSECOND_SOURCES; i++) {
		if (*name != *sources[i].name || !text_is(name, sources[i].name))
			continue;
		*source = (enum persecond_source)i;
		return true;
	}
	return false;
}

enum frequency_subject frequency_subject_of(enum persecond_source source)
{
	return sources[source].subject;
}

bool frequency_is_machines(enum persecond_source source)
{
	return frequency_subject_of(source) < FREQUENCY_OF_WISH;
}

uint64_t frequency_environment(void)
{
	const char *text = environment_get(ENVIRONMENT_PERSECOND);
	uint64_t hz;

	if (!text || !decimal_hertz(text, &hz) || !rate_is_sane(hz))
		return 0;
	return hz;
}

/* A question to one source, which may fault. */
struct question {
	const char *root; /* see frequency_os */
	struct persecond answer;
};

static void call_os(void *argument)
{
	struct question *q = argument;

	if (!frequency_os(q->root, &q->answer))
		q->answer.hz = 0;
}

static void call_cpu(void *argument)
{
	struct question *q = argument;

	q->answer.hz = frequency_cpu(q->answer.source);
}

static bool ask(void (*call)(void *), struct question *q)
{
	q->answer.hz = 0;
	return !file_guard_call(call, q) && rate_is_sane(q->answer.hz);
}

static bool ask_cpu(struct question *q)
{
	for (int source = PERSECOND_CPU_FIRST; source <= PERSECOND_CPU_LAST; source++) {
		q->answer.source = (enum persecond_source)source;
		if (ask(call_cpu, q))
			return true;
	}
	return false;
}

COLD struct persecond frequency_estimate(const struct persecond *said, const char *root,
					 bool use_environment)
{
	struct question question = { .root = root };
	uint64_t hz;

	if (said)
		return *said;
	/* Another root shows the files of another machine, whose CPU is not this one. */
	if (ask(call_os, &question) || (!*root && ask_cpu(&question)))
		return question.answer;
	hz = use_environment ? frequency_environment() : 0;
	if (hz)
		return (struct persecond){ hz, PERSECOND_ENVIRONMENT };
	return (struct persecond){ PERSECOND_BLIND, PERSECOND_DEFAULT };
}
