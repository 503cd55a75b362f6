/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Sources: the kernel's Documentation/ABI/testing/sysfs-devices-system-cpu,
 * sysfs-devices-system-clocksource, sysfs-hypervisor-xen;
 * admin-guide/pm/{cpufreq,intel_pstate}.rst; Intel SDM volume 2A and AMD64 APM volume 3, CPUID leaf
 * 0x80000007. */

#include "config.h"

#include "facts.h"
#include "file.h"
#include "guard.h"

#include <stdio.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#define CPU "/sys/devices/system/cpu/"

void facts_set(char fact[CACHE_FACT_SIZE], const char *text)
{
	size_t n = 0;

	while (n < CACHE_FACT_SIZE - 1 && text[n] > ' ' && text[n] < 127) {
		fact[n] = text[n];
		n++;
	}
	fact[n] = 0;
	if (n == 0)
		strcpy(fact, "unknown");
}

static bool read_below(const char *root, const char *path, char *text, size_t size)
{
	char whole[512];

	snprintf(whole, sizeof whole, "%s%s", root, path);
	return file_read(whole, text, size) > 0;
}

/* The first word of the file, or the other word if there is no such file. */
static void set_word(const char *root, const char *path, const char *otherwise,
		     char fact[CACHE_FACT_SIZE])
{
	char text[64];

	facts_set(fact, read_below(root, path, text, sizeof text) ? text : otherwise);
}

/* "on" if the file says what on is, '0' or '1', else "off". False: there is no such file, or it
 * says something else. */
static bool set_switch(const char *root, const char *path, char on, char fact[CACHE_FACT_SIZE])
{
	char text[64];

	if (!read_below(root, path, text, sizeof text) || (text[0] != '0' && text[0] != '1'))
		return false;
	strcpy(fact, text[0] == on ? "on" : "off");
	return true;
}

void facts_of_tree(const char *root, char facts[CACHE_FACTS][CACHE_FACT_SIZE])
{
	set_word(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		 "unknown", facts[FACT_CLOCKSOURCE]);
	set_word(root, "/sys/hypervisor/type", "none", facts[FACT_HYPERVISOR]);
	set_word(root, CPU "cpu0/cpufreq/scaling_governor", "none", facts[FACT_GOVERNOR]);
	if (!set_switch(root, CPU "intel_pstate/no_turbo", '0', facts[FACT_TURBO]) &&
	    !set_switch(root, CPU "cpufreq/boost", '1', facts[FACT_TURBO]))
		strcpy(facts[FACT_TURBO], "unknown");
	if (!set_switch(root, CPU "smt/active", '1', facts[FACT_SMT]))
		strcpy(facts[FACT_SMT], "unknown");
}

const char *facts_hypervisor(const char *signature)
{
	/* Sources: the kernel's arch/x86/kernel/cpu, and the hypervisors' manuals. */
	static const struct {
		const char *signature, *word;
	} known[] = {
		{ "KVMKVMKVM", "kvm" },          { "Linux KVM Hv", "kvm" },
		{ "VMwareVMware", "vmware" },    { "Microsoft Hv", "hyperv" },
		{ "XenVMMXenVMM", "xen" },       { "TCGTCGTCGTCG", "qemu" },
		{ "bhyve bhyve ", "bhyve" },     { "VBoxVBoxVBox", "virtualbox" },
		{ " prl hyperv ", "parallels" }, { " lrpepyh vr", "parallels" },
		{ "ACRNACRNACRN", "acrn" },      { "Jailhouse", "jailhouse" },
		{ "QNXQVMBSQG", "qnx" },         { "OpenBSDVMM58", "vmm" },
		{ "___ NVMM ___", "nvmm" },
	};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
		if (!strcmp(signature, known[i].signature))
			return known[i].word;
	for (const char *p = signature; *p; p++)
		if (*p <= ' ' || *p >= 127)
			return "unknown";
	return *signature ? signature : "unknown";
}

#if defined(__x86_64__) || defined(__i386__)

#define FEATURES 1
#define FEATURES_EDX_TSC (1u << 4)
#define FEATURES_ECX_HYPERVISOR (1u << 31)
#define HYPERVISOR 0x40000000
#define EXTENDED 0x80000000
#define POWER 0x80000007
#define POWER_EDX_INVARIANT_TSC (1u << 8)

static void set_tsc(char fact[CACHE_FACT_SIZE])
{
	unsigned eax, ebx, ecx, edx;

	strcpy(fact, "none");
	if (!__get_cpuid(FEATURES, &eax, &ebx, &ecx, &edx) || !(edx & FEATURES_EDX_TSC))
		return;
	strcpy(fact, "variable");
	if ((unsigned)__get_cpuid_max(EXTENDED, NULL) < POWER)
		return;
	__cpuid(POWER, eax, ebx, ecx, edx);
	if (edx & POWER_EDX_INVARIANT_TSC)
		strcpy(fact, "invariant");
}

static void set_hypervisor(char fact[CACHE_FACT_SIZE])
{
	unsigned eax, words[3], ecx, edx, ebx;
	char signature[13] = "";

	if (!__get_cpuid(FEATURES, &eax, &ebx, &ecx, &edx) || !(ecx & FEATURES_ECX_HYPERVISOR))
		return;
	__cpuid(HYPERVISOR, eax, words[0], words[1], words[2]);
	memcpy(signature, words, sizeof words);
	facts_set(fact, facts_hypervisor(signature));
}

static void call_cpuid(void *facts)
{
	cache_fact_word *all = facts;

	set_tsc(all[FACT_TSC]);
	set_hypervisor(all[FACT_HYPERVISOR]);
}

void facts_of_cpu(char facts[CACHE_FACTS][CACHE_FACT_SIZE])
{
	if (guard_call(call_cpuid, facts))
		strcpy(facts[FACT_TSC], "unknown");
}

#else

void facts_of_cpu(char facts[CACHE_FACTS][CACHE_FACT_SIZE])
{
	strcpy(facts[FACT_TSC], "none");
}

#endif
