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

static const char source_names[PERSECOND_SOURCES][24] = {
	[PERSECOND_FILE] = "persecond-file",
	[PERSECOND_CPUFREQ_SETSPEED] = "cpufreq-setspeed",
	[PERSECOND_CPUFREQ_MAX] = "cpufreq-max",
	[PERSECOND_CLOCK_TICK] = "clock-tick",
	[PERSECOND_TSC_FREQ_KHZ] = "tsc-freq-khz",
	[PERSECOND_CPUINFO_MHZ] = "cpuinfo-mhz",
	[PERSECOND_CPUINFO_STATIC] = "cpuinfo-mhz-static",
	[PERSECOND_CPUINFO_DYNAMIC] = "cpuinfo-mhz-dynamic",
	[PERSECOND_CPUINFO_CLOCK] = "cpuinfo-clock",
	[PERSECOND_CPUINFO_BOGOMIPS] = "cpuinfo-bogomips",
	[PERSECOND_DEVICE_TREE] = "device-tree",
	[PERSECOND_SYSCTL_TSC] = "sysctl-tsc",
	[PERSECOND_SYSCTL_CPUFREQUENCY] = "sysctl-cpufrequency",
	[PERSECOND_SYSCTL_CPUSPEED] = "sysctl-cpuspeed",
	[PERSECOND_SYSCTL_CPU_FREQ] = "sysctl-cpu-freq",
	[PERSECOND_SYSCTL_TBFREQUENCY] = "sysctl-tbfrequency",
	[PERSECOND_KSTAT] = "kstat",
	[PERSECOND_PERFSTAT] = "perfstat",
	[PERSECOND_CPUID_TSC] = "cpuid-tsc",
	[PERSECOND_CPUID_BASE] = "cpuid-base",
	[PERSECOND_HYPERVISOR_TSC] = "hypervisor-tsc",
	[PERSECOND_PERF_PAGE] = "perf-page",
	[PERSECOND_ENVIRONMENT] = "environment",
	[PERSECOND_MEASURED] = "measured",
	[PERSECOND_DEFAULT] = "default",
};

const char *frequency_source_name(enum persecond_source source)
{
	return source_names[source];
}

bool frequency_source_find(const char *name, enum persecond_source *source)
{
	for (unsigned i = 0; i < PERSECOND_SOURCES; i++) {
		if (*name != *source_names[i] || !text_is(name, source_names[i]))
			continue;
		*source = (enum persecond_source)i;
		return true;
	}
	return false;
}

enum frequency_subject frequency_subject_of(enum persecond_source source)
{
	switch (source) {
	case PERSECOND_TSC_FREQ_KHZ:
	case PERSECOND_SYSCTL_TSC:
	case PERSECOND_CPUID_TSC:
	case PERSECOND_HYPERVISOR_TSC:
	case PERSECOND_PERF_PAGE:
		return FREQUENCY_OF_TSC;
	/* show_cpuinfo() of the kernel's arch/x86: without cpufreq, cpu_khz, which the kernel takes
	 * from the TSC; newer kernels measure the core instead, where the CPU counts its cycles. */
	case PERSECOND_CPUINFO_MHZ:
		return FREQUENCY_OF_EITHER;
	case PERSECOND_FILE:
	case PERSECOND_ENVIRONMENT:
		return FREQUENCY_OF_WISH;
	case PERSECOND_DEFAULT:
		return FREQUENCY_OF_NOTHING;
	default:
		return FREQUENCY_OF_CORE;
	}
}

bool frequency_is_machines(enum persecond_source source)
{
	return source != PERSECOND_FILE && source != PERSECOND_ENVIRONMENT &&
	       source != PERSECOND_DEFAULT;
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
	const char *root;   /* see frequency_os */
	frequency_ask *cpu; /* NULL: ask the OS */
	struct persecond answer;
	bool answered;
};

static void call_ask(void *argument)
{
	struct question *q = argument;

	q->answered = q->cpu ? q->cpu(&q->answer) : frequency_os(q->root, &q->answer);
}

static bool ask(struct question *q)
{
	q->answered = false;
	file_guard_call(call_ask, q);
	return q->answered && rate_is_sane(q->answer.hz);
}

static bool ask_cpu(struct question *q)
{
	for (size_t i = 0; frequency_cpu[i]; i++) {
		q->cpu = frequency_cpu[i];
		if (ask(q))
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
	if (ask(&question) || (!*root && ask_cpu(&question)))
		return question.answer;
	hz = use_environment ? frequency_environment() : 0;
	if (hz)
		return (struct persecond){ hz, PERSECOND_ENVIRONMENT };
	return (struct persecond){ PERSECOND_BLIND, PERSECOND_DEFAULT };
}
