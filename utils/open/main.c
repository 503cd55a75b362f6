/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The options of cpucycles-open. */

#include "config.h"

#include "command-line.h"
#include "log.h"
#include "opening.h"
#include "streams.h"

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

/* In all messages, also in those of getopt, by whatever path the program was called. */
static char name[] = "cpucycles-open";

struct wanted {
	bool restore, dry_run, check, print_sysctl;
};

#define MEMBER(name) option_set, offsetof(struct wanted, name), 0
static const struct option_row rows[] = {
	{ 'r', "restore", NULL, "put back what was found, and calibrate anew", MEMBER(restore) },
	{ 'n', "dry-run", NULL, "print what would be written and why; also with --restore",
	  MEMBER(dry_run) },
	{ 'c', "check", NULL, "print each knob's state, and what opening it gains and risks",
	  MEMBER(check) },
	{ 's', "print-sysctl", NULL, "print settings that open them at each boot",
	  MEMBER(print_sysctl) },
};

static const struct command_line line = {
	.program = name,
	.usage = "Usage: cpucycles-open [OPTION]\n"
		 "Let users reach better cycle counters until the next boot, and calibrate anew. As"
		 " root.\n",
	.rows = rows,
	.n = sizeof rows / sizeof rows[0],
	.column = 22,
	.end = "All but opening and --restore change nothing, and need no root.\n"
	       "\n"
	       "Exit status: 0 done, 1 failed, 2 usage error, 3 another run held the lock for too"
	       " long,\n"
	       "4 done, but the calibrator failed, 5 a knob is closed (--check) or was left"
	       " (--restore).\n",
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
		return usage(argv[optind], "no arguments expected; see --help");
	if (wanted->check && (wanted->restore || wanted->dry_run || wanted->print_sysctl))
		return usage("--check", "not together with another option");
	if (wanted->print_sysctl && (wanted->restore || wanted->dry_run))
		return usage("--print-sysctl", "not together with another option");
	return OPENING_OK;
}

static enum opening_status change(const struct wanted *wanted, const struct opening *opening)
{
	if (geteuid() != 0) {
		log_line(LOG_ERROR, "only root can do this: nothing was changed; see --dry-run");
		return OPENING_FAILED;
	}
	return wanted->restore ? opening_restore(opening) : opening_open(opening);
}

static enum opening_status run(const struct wanted *wanted, enum command_line_shown show)
{
	const struct opening opening = {
		.root = "",
		.record = RUN_PATH,
		.calibrator = CALIBRATOR_PATH,
	};

	if (show) {
		command_line_show(&line, show);
		return streams_written() ? OPENING_OK : OPENING_FAILED;
	}
	if (wanted->check)
		return opening_check(&opening);
	if (wanted->print_sysctl)
		return opening_print_sysctl(&opening);
	if (wanted->dry_run)
		return wanted->restore ? opening_dry_restore(&opening) : opening_dry_open(&opening);
	return change(wanted, &opening);
}

int main(int argc, char *argv[])
{
	struct wanted wanted = { 0 };
	enum command_line_shown show;
	int status;

	if (argc > 0)
		argv[0] = name;
	log_set_name(name);
	streams_keep_apart();
	status = parse(argc, argv, &wanted, &show);
	return status == OPENING_OK ? (int)run(&wanted, show) : status;
}
