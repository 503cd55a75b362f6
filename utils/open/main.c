/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The options of cpucycles-open. */

#include "config.h"

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

static const struct option long_options[] = {
	{ "restore", no_argument, NULL, 'r' },
	{ "dry-run", no_argument, NULL, 'n' },
	{ "check", no_argument, NULL, 'c' },
	{ "print-sysctl", no_argument, NULL, 's' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"Usage: cpucycles-open [OPTION]\n"
	"Let users reach better cycle counters until the next boot, and calibrate anew. As root.\n"
	"\n"
	"  -r, --restore       put back what was found, and calibrate anew\n"
	"  -n, --dry-run       print what would be written and why; also with --restore\n"
	"  -c, --check         print each knob's state, and what opening it gains and risks\n"
	"  -s, --print-sysctl  print settings that open them at each boot\n"
	"  -V, --version       print the version\n"
	"  -h, --help          print this help\n"
	"\n"
	"All but opening and --restore change nothing, and need no root.\n"
	"\n"
	"Exit status: 0 done, 1 failed, 2 usage error, 3 another run held the lock for too long,\n"
	"4 done, but the calibrator failed, 5 a knob is closed (--check) or was left"
	" (--restore).\n";

struct wanted {
	bool restore, dry_run, check, print_sysctl;
	const char *text; /* print this, and do nothing else */
};

static int usage(const char *what, const char *why)
{
	log_line(LOG_ERROR, "%s: %s", what, why);
	return OPENING_USAGE;
}

static int parse(int argc, char *argv[], struct wanted *wanted)
{
	int option;

	while ((option = getopt_long(argc, argv, "rncsVh", long_options, NULL)) != -1) {
		if (option == 'r')
			wanted->restore = true;
		else if (option == 'n')
			wanted->dry_run = true;
		else if (option == 'c')
			wanted->check = true;
		else if (option == 's')
			wanted->print_sysctl = true;
		else if (option == 'V')
			wanted->text = "cpucycles-open " PACKAGE_VERSION "\n";
		else if (option == 'h')
			wanted->text = help;
		else
			return OPENING_USAGE; /* getopt has said why */
	}
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

static enum opening_status run(const struct wanted *wanted)
{
	const struct opening opening = {
		.root = "",
		.record = RUN_PATH,
		.calibrator = CALIBRATOR_PATH,
	};

	if (wanted->text) {
		fputs(wanted->text, stdout);
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
	int status;

	if (argc > 0)
		argv[0] = name;
	log_set_name(name);
	streams_keep_apart();
	status = parse(argc, argv, &wanted);
	return status == OPENING_OK ? (int)run(&wanted) : status;
}
