/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "affinity.h"
#include "gaps.h"
#include "machine.h"
#include "reason.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CPUS "/sys/devices/system/cpu"
#define PATH_SIZE 512

#define LOOK_NS 300000000
#define LOST_SAID 0.01 /* less is what a tick takes */

/* With more programs than this for each CPU, it is not sure that one CPU has nothing else to do. */
#define LOAD_PER_CPU 0.5

/* The first line of a file. False: there is none. */
static bool read_line(const char *root, const char *path, char text[MACHINE_TEXT])
{
	char whole[PATH_SIZE];
	FILE *file;

	text[0] = 0;
	snprintf(whole, sizeof whole, "%s%s", root, path);
	file = fopen(whole, "r");
	if (!file)
		return false;
	if (!fgets(text, MACHINE_TEXT, file))
		text[0] = 0;
	fclose(file);
	text[strcspn(text, "\n")] = 0;
	return text[0] != 0;
}

static bool reads(const char *root, const char *path, const char *expected)
{
	char text[MACHINE_TEXT];

	return read_line(root, path, text) && !strcmp(text, expected);
}

static double load_of_minute(void)
{
	double load = -1;

#if defined(HAVE_GETLOADAVG)
	if (getloadavg(&load, 1) != 1)
		load = -1;
#endif
	return load;
}

void machine_look(const char *root, struct machine *machine)
{
	char path[sizeof CPUS + 64];

	machine->load = load_of_minute();
	machine->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	machine->cpu = affinity_here();
	snprintf(path, sizeof path, CPUS "/cpu%d/cpufreq/scaling_governor", machine->cpu);
	read_line(root, path, machine->governor);
	machine->intel = reads(root, CPUS "/intel_pstate/no_turbo", "0");
	machine->boosts = machine->intel || reads(root, CPUS "/cpufreq/boost", "1");
	machine->smt = reads(root, CPUS "/smt/active", "1");
}

void machine_look_at_time(struct machine *machine)
{
	gaps_brief(LOOK_NS, &machine->lost, &machine->waited);
}

static struct reason_text *add_warning(struct judge_warnings *list, const char *name, size_t runs)
{
	list->list[list->n].name = name;
	list->list[list->n].bit = 0;
	list->list[list->n].runs = runs;
	return &list->list[list->n++].reason;
}

static double most_load(const struct machine *machine)
{
	return (double)machine->cpus * LOAD_PER_CPU;
}

bool machine_is_busy(const struct machine *machine)
{
	return machine->cpus > 0 && machine->load > most_load(machine);
}

static void judge_load(const struct machine *machine, struct judge_warnings *warnings)
{
	struct reason_text *reason;

	if (!machine_is_busy(machine))
		return;
	reason = add_warning(warnings, "load", 1);
	reason_say(reason, 0, "%.1f programs want to run, the mean of a minute, on %ld CPU%s",
		   machine->load, machine->cpus, machine->cpus == 1 ? "" : "s");
	reason_remedy(reason, "end them, or wait until uptime(1) shows %.1f at most",
		      most_load(machine));
}

static void judge_settings(const struct machine *machine, struct judge_warnings *notes)
{
	struct reason_text *reason;

	if (machine->governor[0] && strcmp(machine->governor, "performance")) {
		reason = add_warning(notes, "governor", 0);
		reason_say(reason, 0,
			   "%s sets the frequency of CPU %d, which may change with the load",
			   machine->governor, machine->cpu);
		reason_remedy(reason, "run as root: cpupower frequency-set -g performance");
	}
	if (machine->boosts) {
		reason = add_warning(notes, "boost", 0);
		reason_say(reason, 0,
			   "the CPU may run faster for a while, as far as its heat allows");
		reason_remedy(reason, "run as root: echo %d >" CPUS "/%s", machine->intel ? 1 : 0,
			      machine->intel ? "intel_pstate/no_turbo" : "cpufreq/boost");
	}
	if (machine->smt) {
		reason = add_warning(notes, "smt", 0);
		reason_say(reason, 0,
			   "two threads share each core, so another program may slow one down");
		reason_remedy(reason, "run as root: echo off >" CPUS "/smt/control");
	}
}

static void judge_time(const struct machine *machine, struct judge_warnings *notes)
{
	struct reason_text *reason;

	if (machine->lost < LOST_SAID)
		return;
	reason = add_warning(notes, "time", 0);
	reason_say(reason, 0,
		   "%.1f %% of the time was lost in a short look: other programs had CPU %d, or a "
		   "quota was used up, for %.1f %%",
		   100 * machine->lost, machine->cpu, 100 * machine->waited);
	reason_remedy(reason, "cpucycles-info --noise says who takes the time, and what helps");
}

void machine_judge(const struct machine *machine, struct judge_warnings *warnings,
		   struct judge_warnings *notes)
{
	judge_load(machine, warnings);
	judge_time(machine, notes);
	judge_settings(machine, notes);
}
