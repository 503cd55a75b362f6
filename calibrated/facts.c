/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Sources: the kernel's Documentation/ABI/testing/sysfs-devices-system-cpu,
 * sysfs-devices-system-clocksource, sysfs-hypervisor-xen;
 * admin-guide/pm/{cpufreq,intel_pstate}.rst; arch/x86/kernel/tsc.c for tsc-early. */

#include "config.h"

#include "disagree.h"
#include "facts.h"
#include "guard.h"
#include "log.h"
#include "machine.h"
#include "os/linux-files.h"
#include "tree.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

void facts_set_hz(char fact[CACHE_FACT_SIZE], uint64_t hz)
{
	snprintf(fact, CACHE_FACT_SIZE, "%" PRIu64, hz);
	if (hz == 0)
		strcpy(fact, "unknown");
}

/* The first word of the file, or the other word if there is no such file. */
static void set_word(const char *root, const char *path, const char *otherwise,
		     char fact[CACHE_FACT_SIZE])
{
	char text[64];

	facts_set(fact, tree_read(root, path, text, sizeof text) > 0 ? text : otherwise);
}

/* "on" if the file says what on is, '0' or '1', else "off". False, and "unknown": there is no such
 * file, or it says something else. */
static bool set_switch(const char *root, const char *path, char on, char fact[CACHE_FACT_SIZE])
{
	char text[64];

	strcpy(fact, "unknown");
	if (tree_read(root, path, text, sizeof text) <= 0 || (text[0] != '0' && text[0] != '1'))
		return false;
	strcpy(fact, text[0] == on ? "on" : "off");
	return true;
}

void facts_of_tree(const char *root, char facts[CACHE_FACTS][CACHE_FACT_SIZE])
{
	char path[LINUX_PATH_SIZE];

	set_word(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
		 "unknown", facts[FACT_CLOCKSOURCE]);
	set_word(root, "/sys/hypervisor/type", "none", facts[FACT_HYPERVISOR]);
	linux_cpu_path(path, linux_first_cpu(root), "/cpufreq/scaling_governor");
	set_word(root, path, "none", facts[FACT_GOVERNOR]);
	if (!set_switch(root, LINUX_CPUS "intel_pstate/no_turbo", '0', facts[FACT_TURBO]))
		set_switch(root, LINUX_CPUS "cpufreq/boost", '1', facts[FACT_TURBO]);
	set_switch(root, LINUX_CPUS "smt/active", '1', facts[FACT_SMT]);
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

static void call_cpu(void *facts)
{
	cache_fact_word *all = facts;
	char signature[MACHINE_HYPERVISOR_SIZE];

	strcpy(all[FACT_TSC], machine_tsc_name(machine_cpu_tsc()));
	if (machine_hypervisor(signature))
		facts_set(all[FACT_HYPERVISOR], facts_hypervisor(signature));
}

void facts_of_cpu(char facts[CACHE_FACTS][CACHE_FACT_SIZE])
{
	if (guard_call(call_cpu, facts))
		strcpy(facts[FACT_TSC], "unknown");
}

void facts_of_clocks(const char *root, char facts[CACHE_FACTS][CACHE_FACT_SIZE])
{
	const char *invariant = machine_tsc_name(MACHINE_TSC_INVARIANT);
	char clocks[MACHINE_CLOCKS_SIZE];

	if (!strcmp(facts[FACT_TSC], invariant) &&
	    tree_read(root, MACHINE_CLOCKS, clocks, sizeof clocks) > 0)
		strcpy(facts[FACT_TSC],
		       machine_tsc_name(machine_judge_tsc(MACHINE_TSC_INVARIANT, clocks)));
}

/* A rate of now is not the rate of later, so its bound must say nothing. */
static void loosen_unsteady(struct cache *cache)
{
	const char *why = disagree_unsteady(cache->facts[FACT_TSC]);

	for (size_t i = 0; why && i < cache->usable; i++) {
		struct candidate *c = &cache->candidates[i];

		if (!counter_reads_tsc(c->counter) || !c->measured.hz ||
		    c->measured.ppm == RATE_PPM_MAX)
			continue;
		log_line(LOG_WARNING, "rate: %s: not fixed: %s", c->counter->name, why);
		c->measured.ppm = RATE_PPM_MAX;
	}
}

/* Whether the bound was narrower. */
static bool widen(struct rate *rate)
{
	if (!rate->hz || rate->ppm >= FACTS_EARLY_PPM)
		return false;
	rate->ppm = FACTS_EARLY_PPM;
	return true;
}

/* The clock of all measurements runs by a rate that the kernel is about to correct. */
static void widen_early(struct cache *cache)
{
	bool widened;

	if (strcmp(cache->facts[FACT_CLOCKSOURCE], "tsc-early"))
		return;
	widened = widen(&cache->core);
	for (size_t i = 0; i < cache->usable; i++)
		widened |= widen(&cache->candidates[i].measured);
	if (widened)
		log_line(LOG_WARNING,
			 "clock: tsc-early, which the kernel has not measured finally: every bound"
			 " is %d ppm at least",
			 FACTS_EARLY_PPM);
}

void facts_limit(struct cache *cache)
{
	loosen_unsteady(cache);
	widen_early(cache);
}
