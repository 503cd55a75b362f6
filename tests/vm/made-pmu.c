/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * A module of the Linux 6.1 kernel: PMUs of CPU cores for an emulated x86 machine, which has none.
 * With it, the kernel's own handling of events can be tested: two kinds of core, few counters, and
 * groups of events that do not fit.
 *
 * Everything that is counted comes from the TSC: each of its ticks is a cycle, three instructions
 * and four slots. So the counts of a group are exact multiples of one another. A code that is not
 * known counts nothing, as on many real PMUs. User mode and the kernel are not told apart, and user
 * mode cannot read a counter by itself.
 *
 * Parameters:
 *   kinds=2     cpu_core on the lower half of the CPUs and cpu_atom on the others (4 CPUs: 0-1 and
 *               2-3); 1: one PMU called cpu, on all CPUs
 *   counters=4  counters of each CPU; may be written later
 *   exclude=1   an event may leave out user mode or the kernel, which has no effect; 0: that is
 *               refused; may be written later
 */

#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>

#include <asm/msr.h>

static uint kinds = 2;
module_param(kinds, uint, 0444);
static uint counters = 4;
module_param(counters, uint, 0644);
static bool exclude = true;
module_param(exclude, bool, 0644);

struct made_pmu {
	struct pmu pmu;
	const char *name;
	int type; /* -1: the kernel chooses one */
	cpumask_t cpus;
};

/* The kernel takes generic events without a kind to PERF_TYPE_RAW. */
static struct made_pmu hybrid[2] = {
	{ .name = "cpu_core", .type = PERF_TYPE_RAW },
	{ .name = "cpu_atom", .type = -1 },
};
static struct made_pmu uniform = { .name = "cpu", .type = PERF_TYPE_RAW };

static struct made_pmu *made_of(struct pmu *pmu)
{
	return container_of(pmu, struct made_pmu, pmu);
}

/* What counts. */

#define NO_GENERIC U64_MAX

static const struct made_event {
	u64 code;    /* as in the folder "events": the event, and the unit mask from bit 8 */
	u64 generic; /* of PERF_TYPE_HARDWARE */
	unsigned int per_tick;
} made_events[] = {
	{ 0x003c, PERF_COUNT_HW_CPU_CYCLES, 1 },
	{ 0x00c0, PERF_COUNT_HW_INSTRUCTIONS, 3 },
	{ 0x01a4, NO_GENERIC, 4 },
};

static const struct made_event *find_event(const struct perf_event_attr *attr)
{
	bool generic = attr->type == PERF_TYPE_HARDWARE;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(made_events); i++)
		if (attr->config == (generic ? made_events[i].generic : made_events[i].code))
			return &made_events[i];
	return NULL;
}

/*
 * The time of one CPU's counters, in ticks: the TSC without the time for which the counters stood.
 * All of them read this one clock, and so they stop and go together. Otherwise the emulator could
 * let the CPU wait between one event's start and another's.
 */
struct counting {
	u64 stopped_at;     /* of the TSC, while stops > 0 */
	u64 missed;         /* ticks for which the counters stood, until they last went on */
	unsigned int stops; /* stop_counting() less resume_counting() */
	unsigned int taken; /* counters that have an event */
};
static DEFINE_PER_CPU(struct counting, counting);

static u64 counting_time(void)
{
	const struct counting *here = this_cpu_ptr(&counting);

	return (here->stops ? here->stopped_at : rdtsc_ordered()) - here->missed;
}

/* The kernel stops one PMU within a stop of the other, also on a CPU that the PMU does not have. So
 * it does not matter which PMU it is: stops are counted, and the last one to end is the end. */
static void stop_counting(struct pmu *pmu)
{
	struct counting *here = this_cpu_ptr(&counting);

	if (!here->stops++)
		here->stopped_at = rdtsc_ordered();
}

static void resume_counting(struct pmu *pmu)
{
	struct counting *here = this_cpu_ptr(&counting);

	if (!--here->stops)
		here->missed += rdtsc_ordered() - here->stopped_at;
}

/* The kernel adds a group in one transaction, and reads it in one. */
static void begin_transaction(struct pmu *pmu, unsigned int flags)
{
	stop_counting(pmu);
}

static int commit_transaction(struct pmu *pmu)
{
	resume_counting(pmu);
	return 0;
}

/* Events. hw.prev_count: the time up to which event->count is right. */

/* How many counters the event and those that are in its group already need. 0: they can never count
 * together, because another PMU has one of them. */
static unsigned int counters_needed(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader, *member;
	unsigned int needed = 1;

	if (leader == event)
		return 1;
	if (!is_software_event(leader)) {
		if (leader->pmu != event->pmu)
			return 0;
		needed++;
	}
	for_each_sibling_event(member, leader)
	{
		if (is_software_event(member))
			continue;
		if (member->pmu != event->pmu)
			return 0;
		needed++;
	}
	return needed;
}

static int made_event_init(struct perf_event *event)
{
	struct made_pmu *made = made_of(event->pmu);
	const struct made_event *what = find_event(&event->attr);
	unsigned int needed;

	if (event->attr.type != made->pmu.type && event->attr.type != PERF_TYPE_HARDWARE)
		return -ENOENT;
	if (event->attr.type == PERF_TYPE_HARDWARE && !what)
		return -ENOENT;
	if (event->cpu >= 0 && !cpumask_test_cpu(event->cpu, &made->cpus))
		return -ENOENT;
	if (!exclude && event_has_any_exclude_flag(event))
		return -EINVAL;
	needed = counters_needed(event);
	if (needed == 0 || needed > counters)
		return -EINVAL;
	event->hw.config = what ? what->per_tick : 0;
	return 0;
}

static void made_read(struct perf_event *event)
{
	u64 now;

	if (event->hw.state & PERF_HES_STOPPED)
		return;
	now = counting_time();
	local64_add((now - local64_read(&event->hw.prev_count)) * event->hw.config, &event->count);
	local64_set(&event->hw.prev_count, now);
}

static void made_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, counting_time());
	event->hw.state = 0;
}

static void made_stop(struct perf_event *event, int flags)
{
	made_read(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int made_add(struct perf_event *event, int flags)
{
	struct counting *here = this_cpu_ptr(&counting);

	if (here->taken >= counters)
		return -EAGAIN;
	here->taken++;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		made_start(event, 0);
	perf_event_update_userpage(event);
	return 0;
}

static void made_del(struct perf_event *event, int flags)
{
	made_stop(event, 0);
	this_cpu_ptr(&counting)->taken--;
	perf_event_update_userpage(event);
}

/* A thread's event of one kind waits while the thread is on a core of the other. */
static int made_filter_match(struct perf_event *event)
{
	return cpumask_test_cpu(smp_processor_id(), &made_of(event->pmu)->cpus);
}

/* What sysfs says of a PMU. */

static ssize_t cpus_show(struct device *device, struct device_attribute *attribute, char *page)
{
	const struct made_pmu *made = made_of(dev_get_drvdata(device));

	return cpumap_print_to_pagebuf(true, page, &made->cpus);
}
static DEVICE_ATTR_RO(cpus);
static struct attribute *cpus_files[] = { &dev_attr_cpus.attr, NULL };

/* A PMU of all CPUs has no such file. */
static umode_t cpus_mode(struct kobject *object, struct attribute *attribute, int i)
{
	return kinds > 1 ? attribute->mode : 0;
}
static const struct attribute_group cpus_group = { .attrs = cpus_files, .is_visible = cpus_mode };

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(umask, "config:8-15");
static struct attribute *format_files[] = { &format_attr_event.attr, &format_attr_umask.attr,
					    NULL };
static const struct attribute_group format_group = { .name = "format", .attrs = format_files };

#define EVENT_FILE(file, text) \
	{ \
		.attr.attr = { .name = file, .mode = 0444 }, .attr.show = perf_event_sysfs_show, \
		.event_str = text \
	}
static struct perf_pmu_events_attr event_texts[] = {
	EVENT_FILE("cpu-cycles", "event=0x3c"),
	EVENT_FILE("instructions", "event=0xc0"),
	EVENT_FILE("slots", "event=0xa4,umask=0x01"),
};
static struct attribute *event_files[] = { &event_texts[0].attr.attr, &event_texts[1].attr.attr,
					   &event_texts[2].attr.attr, NULL };
static const struct attribute_group events_group = { .name = "events", .attrs = event_files };

static const struct attribute_group *made_groups[] = { &cpus_group, &format_group, &events_group,
						       NULL };

/* Loading. */

static int make(struct made_pmu *made)
{
	made->pmu = (struct pmu){
		.module = THIS_MODULE,
		.attr_groups = made_groups,
		.capabilities = PERF_PMU_CAP_NO_INTERRUPT | PERF_PMU_CAP_HETEROGENEOUS_CPUS |
				PERF_PMU_CAP_EXTENDED_HW_TYPE,
		.task_ctx_nr = perf_hw_context,
		.pmu_disable = stop_counting,
		.pmu_enable = resume_counting,
		.start_txn = begin_transaction,
		.commit_txn = commit_transaction,
		.cancel_txn = resume_counting,
		.event_init = made_event_init,
		.add = made_add,
		.del = made_del,
		.start = made_start,
		.stop = made_stop,
		.read = made_read,
		.filter_match = made_filter_match,
	};
	return perf_pmu_register(&made->pmu, made->name, made->type);
}

static int make_hybrid(void)
{
	int cpu, error;

	for_each_possible_cpu(cpu) cpumask_set_cpu(cpu, &hybrid[cpu >= nr_cpu_ids / 2].cpus);
	error = make(&hybrid[0]);
	if (error)
		return error;
	error = make(&hybrid[1]);
	if (error)
		perf_pmu_unregister(&hybrid[0].pmu);
	return error;
}

static int __init made_begin(void)
{
	if (kinds > 1)
		return make_hybrid();
	cpumask_copy(&uniform.cpus, cpu_possible_mask);
	return make(&uniform);
}

static void __exit made_end(void)
{
	if (kinds <= 1) {
		perf_pmu_unregister(&uniform.pmu);
		return;
	}
	perf_pmu_unregister(&hybrid[1].pmu);
	perf_pmu_unregister(&hybrid[0].pmu);
}

module_init(made_begin);
module_exit(made_end);
MODULE_DESCRIPTION("Made PMUs of CPU cores, for tests");
MODULE_LICENSE("Dual BSD/GPL");
