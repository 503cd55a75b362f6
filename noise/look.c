/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "blame.h"
#include "file.h"
#include "files.h"
#include "look.h"
#include "raw-clock.h"
#include "smi.h"
#include "speed.h"

#include <string.h>
#include <unistd.h>

/* Parts of the whole time. The rest is for the CPUs. */
#define PROGRAMS_PART 20 /* each of two looks at all processes, at most */
#define FREE_PART 10     /* not pinned */
#define SPEED_PART 4     /* what has no gap */

/* In less time than this, the readings of the accounts take a large part of it. */
#define CPU_NS_MIN 30000000

/* A look that was shorter, because others had the CPU until its time was over, is repeated. */
#define LOOKED_NS_MIN 10000000

/* A CPU is worth a word if it lost less than half of what all lost, and this much less. */
#define QUIET_LESS 0.02

static struct seen seen;

static double lost_of(uint64_t lost, uint64_t ns)
{
	return ns ? (double)lost / (double)ns : 0;
}

static void look_for_gaps(struct own *own, uint64_t end, struct gaps *gaps)
{
	const uint64_t least = gaps->ns + LOOKED_NS_MIN;

	for (uint64_t until = end; gaps->ns < least; until = raw_clock_ns() + CPU_NS_MIN)
		gaps_look(own, until, gaps);
}

/* The gaps and accounts of the CPU to which the thread is pinned now; below 0: wherever it is. */
static void look_here(const char *root, struct own *own, int cpu, uint64_t end, struct look *look)
{
	static struct account before, after;
	const uint64_t ns = seen.gaps.ns, lost = seen.gaps.lost;
	const int smi = smi_open(root, cpu);
	const uint64_t smi_before = smi_count(smi);

	account_read(root, cpu, &before);
	look_for_gaps(own, end, &seen.gaps);
	seen_add_smi(&seen, parse_rise(smi_before, smi_count(smi)));
	smi_close(smi);
	if (cpu >= 0 && affinity_here() != cpu) {
		look->refused++; /* it went offline, and the accounts are another CPU's */
		return;
	}
	account_read(root, cpu, &after);
	seen_add(&seen, &before, &after);
	look->cpu[look->cpus++] =
		(struct look_cpu){ cpu, seen.gaps.ns - ns, seen.gaps.lost - lost };
}

/* Look at as many CPUs as there is time for, from the first to the last one. */
static void look_at_cpus(const char *root, struct own *own, uint64_t end, struct look *look)
{
	const uint64_t begin = raw_clock_ns();
	const size_t room = end > begin ? (size_t)((end - begin) / CPU_NS_MIN) : 0;
	const size_t step = room ? (look->allowed + room - 1) / room : look->allowed;
	const size_t wanted = (look->allowed + step - 1) / step;
	size_t number = 0, looks = 0;

	for (int cpu = 0; cpu < AFFINITY_CPUS_MAX; cpu++) {
		if (!affinity_allows(cpu) || number++ % step)
			continue;
		looks++;
		if (affinity_pin(cpu))
			look_here(root, own, cpu, begin + (end - begin) * looks / wanted, look);
		else
			look->refused++;
	}
}

/* Where the thread goes if it may go where it likes. */
static void look_free(struct own *own, uint64_t end)
{
	static struct gaps gaps;

	affinity_restore();
	memset(&gaps, 0, sizeof gaps);
	look_for_gaps(own, end, &gaps);
	seen.moved = gaps.moved;
	seen.moved_of = gaps.ns;
}

/* The CPU that lost the least; NULL: none was looked at. */
static const struct look_cpu *find_quiet(const struct look *look)
{
	const struct look_cpu *quiet = NULL;

	for (const struct look_cpu *cpu = look->cpu; cpu < look->cpu + look->cpus; cpu++)
		if (!quiet || lost_of(cpu->lost, cpu->ns) < lost_of(quiet->lost, quiet->ns))
			quiet = cpu;
	return quiet;
}

static void choose_quiet(const struct look_cpu *quiet, double lost)
{
	seen.usable = quiet && quiet->cpu >= 0 ? quiet->cpu : 0;
	seen.quiet_lost = quiet ? lost_of(quiet->lost, quiet->ns) : 1;
	seen.quiet = quiet && seen.quiet_lost * 2 < lost && seen.quiet_lost + QUIET_LESS < lost ?
			     quiet->cpu :
			     -1;
}

static void look_at_speed(const struct look_cpu *quiet, uint64_t ns, struct look *look)
{
	static struct noise_speed speed;

	if (!quiet || !affinity_pin(quiet->cpu))
		return;
	noise_speed_look(quiet->cpu, ns, &speed);
	look->n += noise_speed_blame(&speed, look->lines + look->n);
}

static void begin_seen(const char *root)
{
	char text[2];
	const long ticks = sysconf(_SC_CLK_TCK);

	memset(&seen, 0, sizeof seen);
	seen.counted = true;
	seen.ticks_per_second = ticks > 0 ? (double)ticks : 1;
	seen.tickless = files_read(root, "/sys/devices/system/cpu/nohz_full", text, sizeof text);
}

void look_at_machine(const char *root, uint64_t budget_ns, struct look *look)
{
	static struct programs before, after;
	const uint64_t begin = raw_clock_ns(), end = begin + budget_ns;
	const uint64_t programs = budget_ns / PROGRAMS_PART;
	uint64_t speed = budget_ns / SPEED_PART, unpinned = budget_ns / FREE_PART;
	const struct look_cpu *quiet;
	struct quota quota;
	struct own own;

	memset(look, 0, sizeof *look);
	file_look_at_mounts();
	affinity_save();
	begin_seen(root);
	own_open(&own, root);
	seen.cpus = look->allowed = (size_t)affinity_count();
	if (look->allowed < 2)
		unpinned = 0;

	quota_read(root, &quota);
	programs_look(root, begin + programs, &before, NULL, NULL);
	if (look->allowed)
		look_at_cpus(root, &own, end - programs - speed - unpinned, look);
	else
		look_here(root, &own, -1, end - programs - speed, look);
	quiet = find_quiet(look);
	look->lost = lost_of(seen.gaps.lost, seen.gaps.ns);
	look->longest = seen.gaps.longest;
	if (unpinned)
		look_free(&own, end - programs - speed);
	programs_look(root, raw_clock_ns() + programs, &after, &before, &seen.most);
	quota_read(root, &seen.quota);
	seen.quota.known &= quota.known && quota.throttled <= seen.quota.throttled;
	seen.quota.throttled -= seen.quota.known ? quota.throttled : seen.quota.throttled;
	own_close(&own);

	choose_quiet(quiet, look->lost);
	look->n = blame_gaps(&seen, look->lines);
	look_at_speed(quiet, raw_clock_ns() < end ? end - raw_clock_ns() : 0, look);
	affinity_restore();
	blame_sort(look->lines, look->n);
	look->seconds = (double)(raw_clock_ns() - begin) / 1e9;
}
