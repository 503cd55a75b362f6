/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The options of cpucycles-open. */

#include "config.h"

#include "affinity.h"
#include "asker.h"
#include "command.h"
#include "command-line.h"
#include "digits.h"
#include "gaps.h"
#include "log.h"
#include "opening.h"
#include "streams.h"

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* How long it looks what a CPU loses, before and after it is made quiet. */
#define LOOK_NS 100000000

/* In all messages, also in those of getopt, by whatever path the program was called. */
static char name[] = "cpucycles-open";

struct wanted {
	bool restore, dry_run, check, print_sysctl, quiet;
	int cpu;        /* -1: not given */
	char **command; /* NULL: none */
};

static int take_cpu(const struct option_row *row, const char *value, void *wanted)
{
	int *const cpu = option_member(row, wanted);
	uint64_t number;

	if (digits_take(&value, 10, &number) && !*value && number < AFFINITY_CPUS_MAX &&
	    affinity_allows((int)number)) {
		*cpu = (int)number;
		return 0;
	}
	log_line(LOG_ERROR, "--%s: expected the number of a CPU on which this process may run",
		 row->name);
	return COMMAND_LINE_WRONG;
}

#define MEMBER(name) option_set, offsetof(struct wanted, name), 0
static const struct option_row rows[] = {
	{ 'q', "quiet", NULL,
	  "instead make the machine quiet for measurements;\nwith a COMMAND, run it and put"
	  " everything back",
	  MEMBER(quiet) },
	{ 0, "cpu", "=N", "the CPU that is to be quiet, by default the last one", take_cpu,
	  offsetof(struct wanted, cpu), 0 },
	{ 'r', "restore", NULL, "put back what was found, and calibrate anew", MEMBER(restore) },
	{ 'n', "dry-run", NULL,
	  "print what would be written and why; also with --quiet\nor --restore", MEMBER(dry_run) },
	{ 'c', "check", NULL,
	  "print each setting's state, and what changing it gains\nand risks; also with --quiet",
	  MEMBER(check) },
	{ 's', "print-sysctl", NULL, "print settings that open the knobs at each boot",
	  MEMBER(print_sysctl) },
};

static const struct command_line line = {
	.program = name,
	.usage = "Usage: cpucycles-open [OPTION]...\n"
		 "       cpucycles-open --quiet [--cpu=N] -- COMMAND [ARGUMENT]...\n"
		 "Let users reach better cycle counters until the next boot, and calibrate anew. As"
		 " root.\n",
	.rows = rows,
	.n = sizeof rows / sizeof rows[0],
	.column = 22,
	.end = "Only opening, --quiet and --restore change anything, and need root.\n"
	       "\n"
	       "Exit status: 0 done, 1 failed, 2 usage error, 3 another run held the lock for too"
	       " long,\n"
	       "4 done, but the calibrator failed, 5 a setting is not as wanted (--check) or was"
	       " left\n"
	       "to somebody else, 125 the COMMAND was not run, else that of the COMMAND.\n",
};

static int usage(const char *what, const char *why)
{
	log_line(LOG_ERROR, "%s: %s", what, why);
	return OPENING_USAGE;
}

static int parse(int argc, char *argv[], struct wanted *wanted, enum command_line_shown *show)
{
	struct command_line_found found;

	if (command_line_obey(&line, argc, argv, wanted, &found))
		return OPENING_USAGE;
	*show = found.show;
	if (optind < argc)
		wanted->command = argv + optind;
	if (wanted->command && !wanted->quiet)
		return usage(*wanted->command, "no arguments expected; see --help");
	if (wanted->command && (wanted->dry_run || wanted->check))
		return usage(*wanted->command, "no command goes with --dry-run and --check");
	if (wanted->quiet && !wanted->command && !strcmp(argv[argc - 1], "--"))
		return usage("--", "expected a command after it");
	if (wanted->quiet && (wanted->restore || wanted->print_sysctl))
		return usage("--quiet", wanted->restore ? "not together with --restore" :
							  "not together with --print-sysctl");
	if (wanted->cpu >= 0 && !wanted->quiet)
		return usage("--cpu", "only together with --quiet");
	if (wanted->check && (wanted->restore || wanted->dry_run || wanted->print_sysctl))
		return usage("--check", "not together with another option");
	if (wanted->print_sysctl && (wanted->restore || wanted->dry_run))
		return usage("--print-sysctl", "not together with another option");
	return OPENING_OK;
}

/* The last CPU has the least to do: the first one has the interrupts that cannot be moved, and what
 * the kernel does once for all CPUs. */
static int last_cpu(void)
{
	int cpu = AFFINITY_CPUS_MAX - 1;

	while (cpu > 0 && !affinity_allows(cpu))
		cpu--;
	return cpu;
}

/* A command, and what the CPU lost before the machine was quiet: a part of 1, below 0 if that is
 * not known. */
struct quiet_run {
	struct command command;
	double lost;
};

/* What a program on this CPU loses now, in a short look. */
static double look_at(int cpu)
{
	double lost = -1, waited;

	if (affinity_pin(cpu))
		gaps_brief(LOOK_NS, &lost, &waited);
	affinity_restore();
	return lost;
}

/* Say what the quiet machine has brought, and run the command. */
static void run_quietly(void *argument)
{
	struct quiet_run *run = argument;
	const double lost = look_at(run->command.cpu);

	if (lost >= 0 && run->lost >= 0)
		log_line(LOG_INFO,
			 "CPU %d: %.2f %% of the time was lost before, and %.2f %% is lost now;"
			 " cpucycles-info --noise says to what",
			 run->command.cpu, 100 * run->lost, 100 * lost);
	command_run(&run->command);
}

/* The same exit status for everything that keeps the command from being run. */
static int run_command(const struct opening *quiet, char **arguments)
{
	struct quiet_run run = {
		.command = { .arguments = arguments,
			     .user = asker_find(),
			     .cpu = quiet->cpu,
			     .latency = "/dev/cpu_dma_latency" },
		.lost = look_at(quiet->cpu),
	};

	if (!run.command.user || opening_around(quiet, run_quietly, &run) != OPENING_OK)
		return OPENING_NOT_RUN;
	return command_status(&run.command);
}

/* The calibrator runs last, when the machine is as it was. */
static int restore(const struct opening *quiet, const struct opening *opened,
		   enum opening_status (*call)(const struct opening *))
{
	const enum opening_status status = call(quiet);

	return (int)opening_worse(status, call(opened));
}

static int change(const struct wanted *wanted, const struct opening *opened,
		  const struct opening *quiet)
{
	if (geteuid() != 0) {
		log_line(LOG_ERROR, "only root can do this: nothing was changed; see --dry-run");
		return wanted->command ? OPENING_NOT_RUN : OPENING_FAILED;
	}
	if (wanted->command)
		return run_command(quiet, wanted->command);
	if (!wanted->restore)
		return (int)opening_open(wanted->quiet ? quiet : opened);
	return restore(quiet, opened, opening_restore);
}

static int run(const struct wanted *wanted, enum command_line_shown show)
{
	const struct opening opened = {
		.root = "",
		.record = RUN_PATH "/opened",
		.calibrator = CALIBRATOR_PATH,
	};
	const struct opening quiet = {
		.root = "",
		.record = RUN_PATH "/quiet",
		.quiet = true,
		.cpu = wanted->cpu >= 0 ? wanted->cpu : last_cpu(),
	};
	const struct opening *const one = wanted->quiet ? &quiet : &opened;

	if (show) {
		command_line_show(&line, show);
		return OPENING_OK;
	}
	if (wanted->check)
		return (int)opening_check(one);
	if (wanted->print_sysctl)
		return (int)opening_print_sysctl(&opened);
	if (wanted->dry_run && wanted->restore)
		return restore(&quiet, &opened, opening_dry_restore);
	if (wanted->dry_run)
		return (int)opening_dry_open(one);
	return change(wanted, &opened, &quiet);
}

int main(int argc, char *argv[])
{
	struct wanted wanted = { .cpu = -1 };
	enum command_line_shown show;
	int status;

	if (argc > 0)
		argv[0] = name;
	log_set_name(name);
	streams_keep_apart();
	affinity_save();
	status = parse(argc, argv, &wanted, &show);
	if (status == OPENING_OK)
		status = run(&wanted, show);
	return streams_written() ? status : OPENING_FAILED;
}
