/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* From the name of an event to what perf_event_open(2) takes. Source of the numbers:
 * perf_event_open(2) and linux/perf_event.h. */

#include "config.h"

#include "group.h"
#include "pfm.h"
#include "refusal.h"
#include "sysfs.h"
#include "reason.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

/* A generic event of one PMU has the PMU's type in its upper bits (PERF_PMU_TYPE_SHIFT). */
#define TYPE_SHIFT 32

/* Software events that happen in user mode: faults of memory. All others are the kernel's own work,
 * which user mode does not see. */
#define USER_SOFTWARE \
	(1u << PERF_COUNT_SW_PAGE_FAULTS | 1u << PERF_COUNT_SW_PAGE_FAULTS_MIN | \
	 1u << PERF_COUNT_SW_PAGE_FAULTS_MAJ | 1u << PERF_COUNT_SW_ALIGNMENT_FAULTS | \
	 1u << PERF_COUNT_SW_EMULATION_FAULTS)

/* The codes of the generic events on PMUs since Armv8 (Arm ARM, "Common event numbers"; in the
 * kernel, armv8_pmuv3_perf_map in drivers/perf/arm_pmuv3.c). They are used on machines with several
 * kinds of core, because Linux before 6.6 has no generic events of one PMU on ARM. */
static const uint16_t arm_codes[] = {
	[PERF_COUNT_HW_CPU_CYCLES] = 0x11,
	[PERF_COUNT_HW_INSTRUCTIONS] = 0x08,
	[PERF_COUNT_HW_CACHE_REFERENCES] = 0x04,
	[PERF_COUNT_HW_CACHE_MISSES] = 0x03,
	[PERF_COUNT_HW_BRANCH_INSTRUCTIONS] = 0x0c,
	[PERF_COUNT_HW_BRANCH_MISSES] = 0x10,
	[PERF_COUNT_HW_BUS_CYCLES] = 0x1d,
	[PERF_COUNT_HW_STALLED_CYCLES_FRONTEND] = 0x23,
	[PERF_COUNT_HW_STALLED_CYCLES_BACKEND] = 0x24,
};

struct cores {
	struct event_pmu pmus[EVENT_KINDS_MAX];
	unsigned n;
};

static int find_cores(const struct event *event, struct cores *cores, struct reason_text *reason)
{
	const int error = event_sysfs_cores(EVENT_SYSFS, cores->pmus, &cores->n, reason);

	if (error == -E2BIG)
		reason_say(reason, -error, "%s: more than %d kinds of core", EVENT_SYSFS,
			   EVENT_KINDS_MAX);
	else if (error && error != -EINVAL) /* which names a file of the tree */
		event_refusal_limit(event->ask.text, -error, reason);
	return error;
}

/* A generic event on one PMU of several. Without a code in the table: not supported there. */
static bool on_kind(const struct event_pmu *pmu, uint32_t type, uint64_t number,
		    struct event_code *code)
{
	code->type = type;
	code->config[0] = (uint64_t)pmu->type << TYPE_SHIFT | number;
	if (strncmp(pmu->name, "armv", 4) || type != PERF_TYPE_HARDWARE)
		return true;
	if (number >= sizeof arm_codes / sizeof arm_codes[0] || !arm_codes[number])
		return false;
	code->type = pmu->type;
	code->config[0] = arm_codes[number];
	return true;
}

/* Nothing but one code. */
static int single(struct event *event, uint32_t type, int kind, const struct event_config *config)
{
	event->n = 1;
	event->hardware = kind >= 0;
	event->codes[0] = (struct event_code){ .type = type, .kind = kind };
	memcpy(event->codes[0].config, config->value, sizeof config->value);
	return 0;
}

static int single_number(struct event *event, uint32_t type, int kind)
{
	return single(event, type, kind, &(struct event_config){ .value = { event->ask.number } });
}

/* One code for each kind of core. */
static int generic(struct event *event, const struct cores *cores, uint32_t type,
		   struct reason_text *reason)
{
	if (cores->n <= 1)
		return single_number(event, type, 0);
	event->hardware = true;
	event->n = cores->n;
	for (unsigned k = 0; k < event->n; k++) {
		event->codes[k] = (struct event_code){ .kind = (int)k };
		if (on_kind(&cores->pmus[k], type, event->ask.number, &event->codes[k]))
			continue;
		return reason_say(reason, ENOENT, "%s: the PMU %s has no such event",
				  event->ask.text, cores->pmus[k].name);
	}
	return 0;
}

static int breakpoint(struct event *event)
{
	const struct event_config config = { { 0, event->ask.number, event->ask.length }, { 0 } };

	single(event, PERF_TYPE_BREAKPOINT, -1, &config);
	/* The bits of HW_BREAKPOINT_R, _W and _X in linux/hw_breakpoint.h are these. */
	event->codes[0].access = event->ask.access;
	return 0;
}

/* The number of this PMU among the kinds of core. -1: it is none of them. */
static int kind_of(const struct cores *cores, uint32_t type)
{
	for (unsigned k = 0; k < cores->n; k++)
		if (cores->pmus[k].type == type)
			return (int)k;
	return -1;
}

static int of_pmu(struct event *event, const struct cores *cores, struct reason_text *reason)
{
	struct event_config config = { { 0 }, { 0 } };
	struct event_pmu pmu;
	int error = event_sysfs_pmu(EVENT_SYSFS, event->ask.pmu, &pmu, reason);

	if (!error)
		error = event_sysfs_code(EVENT_SYSFS, event->ask.pmu, event->ask.terms, &config,
					 reason);
	if (error)
		return error;
	if (cores->n > 1 && pmu.core)
		memcpy(event->cpus, pmu.cpus, sizeof event->cpus);
	return single(event, pmu.type, kind_of(cores, pmu.type), &config);
}

static bool has_parts(const struct event_parts *parts)
{
	return parts->has_mask || parts->edge || parts->invert || parts->count;
}

/* The PMU's folder "format" says where the parts stand. */
static int raw(struct event *event, const struct cores *cores, struct reason_text *reason)
{
	struct event_config config = { { event->ask.number }, { 0 } };
	int error = 0;

	/* Only PMUs of x86 have the fields of a function word. */
	event->ask.parts.has_mask |= event->ask.source == EVENT_WORD;
	if (cores->n > 1) {
		reason_say(reason, ENOENT,
			   "%s: this machine has several kinds of core, and the code means "
			   "another event on each",
			   event->ask.text);
		reason_remedy(reason, "name one: %s/event=0x%llx/", cores->pmus[0].name,
			      (unsigned long long)event->ask.number);
		return -ENOENT;
	}
	if (has_parts(&event->ask.parts) && cores->n == 0)
		return reason_say(reason, ENOENT, "%s: this machine shows no PMU of cores in %s",
				  event->ask.text, EVENT_SYSFS);
	if (has_parts(&event->ask.parts))
		error = event_sysfs_parts(EVENT_SYSFS, cores->pmus[0].name, &event->ask.parts,
					  &config, reason);
	return error ? error : single(event, PERF_TYPE_RAW, 0, &config);
}

static int other(struct event *event, const struct cores *cores, struct reason_text *reason)
{
	struct event_config config = { { 0 }, { 0 } };
	uint32_t type = 0;
	const int error = event_pfm_code(event->ask.rest, &type, &config, reason);
	int kind;

	if (error == -ENOSYS) {
		reason_say(reason, ENOENT,
			   "%s: the kernel has no event of this name, and this library is built "
			   "without libpfm4",
			   event->ask.text);
		reason_remedy(reason, "see the names: cpucycles-measure -l");
		return -ENOENT;
	}
	if (error)
		return error;
	kind = kind_of(cores, type);
	if (kind < 0 && type != PERF_TYPE_SOFTWARE)
		kind = 0;
	return single(event, type, kind, &config);
}

static bool is_of_user_mode(const struct event *event)
{
	if (event->ask.source == EVENT_SOFTWARE)
		return USER_SOFTWARE >> event->ask.number & 1;
	return event->hardware || event->ask.source == EVENT_BREAKPOINT;
}

static int find_codes(struct event *event, const struct cores *cores, struct reason_text *reason)
{
	switch (event->ask.source) {
	case EVENT_HARDWARE:
		return generic(event, cores, PERF_TYPE_HARDWARE, reason);
	case EVENT_CACHE:
		return generic(event, cores, PERF_TYPE_HW_CACHE, reason);
	case EVENT_SOFTWARE:
		return single_number(event, PERF_TYPE_SOFTWARE, -1);
	case EVENT_BREAKPOINT:
		return breakpoint(event);
	case EVENT_PMU:
		return of_pmu(event, cores, reason);
	case EVENT_RAW:
	case EVENT_WORD:
		return raw(event, cores, reason);
	default:
		return other(event, cores, reason);
	}
}

int event_resolve(struct event *event, struct reason_text *reason)
{
	struct cores cores;
	int error = find_cores(event, &cores, reason);

	if (!error)
		error = find_codes(event, &cores, reason);
	if (error)
		return error;
	event->kinds = cores.n > 1 ? cores.n : 1;
	event->has_pmu = cores.n > 0;
	event_set_modes(event);
	if (event->by_default)
		event->kernel = !is_of_user_mode(event);
	return 0;
}
