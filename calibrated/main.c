/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The options of cpucycles-calibrated, what they ask for, and the exit status. */

#include "config.h"

#include "calibrate.h"
#include "command-line.h"
#include "digits.h"
#include "log.h"
#include "machine.h"
#include "metrics-file.h"
#include "publish.h"
#include "same-file.h"
#include "streams.h"

#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

_Static_assert(CALIBRATE_WAIT_S * 1000 == PUBLISH_WAIT_MS,
	       "all programs wait for a lock equally long unless they are told otherwise");

#define TEXT_OF(macro) TEXT(macro)
#define TEXT(word) #word
#define BUDGETS \
	TEXT_OF(CALIBRATE_BUDGET_MIN_MS) \
	" to " TEXT_OF(CALIBRATE_BUDGET_MAX_MS) " ms (" TEXT_OF(CALIBRATE_BUDGET_MS) ")"
#define WAITS "0 to " TEXT_OF(CALIBRATE_WAIT_MAX_S) " s (" TEXT_OF(CALIBRATE_WAIT_S) ")"

static char name[] = "cpucycles-calibrated";

/* A UUID, with dashes or, as systemd writes it, without. */
static bool parse_boot(const char *text, char boot[MACHINE_BOOT_SIZE])
{
	size_t n = 0;

	for (; *text && n < MACHINE_BOOT_SIZE - 1; text++) {
		if (*text != '-' && (n == 8 || n == 13 || n == 18 || n == 23))
			boot[n++] = '-';
		if (n < MACHINE_BOOT_SIZE - 1)
			boot[n++] = *text;
	}
	boot[n] = 0;
	return *text == 0 && machine_is_boot(boot);
}

/* What the command line asks for. */
struct wanted {
	struct calibrate_options options;
	char boot[MACHINE_BOOT_SIZE];
	const char *metrics; /* the file for them, or NULL */
	bool refresh;        /* publish the metrics, and do nothing else */
	enum command_line_shown show;
};

static int take_boot(const struct option_row *row, const char *value, void *argument)
{
	struct wanted *wanted = argument;

	(void)row;
	if (!parse_boot(value, wanted->boot)) {
		log_line(LOG_ERROR, "--boot %s: expected a UUID", value);
		return COMMAND_LINE_WRONG;
	}
	wanted->options.boot = wanted->boot;
	return 0;
}

/* The value has to be one number from least to most, without blanks. unit: of the number. */
static int take_number(const struct option_row *row, const char *value, const char *unit,
		       unsigned least, unsigned most, unsigned *number)
{
	const char *text = value;
	uint64_t parsed;

	if (strlen(text) <= 9 && digits_take(&text, 10, &parsed) && !*text && parsed >= least &&
	    parsed <= most) {
		*number = (unsigned)parsed;
		return 0;
	}
	log_line(LOG_ERROR, "--%s %s: expected a number of %s from %u to %u", row->name, value,
		 unit, least, most);
	return COMMAND_LINE_WRONG;
}

static int take_budget(const struct option_row *row, const char *value, void *wanted)
{
	return take_number(row, value, "ms", CALIBRATE_BUDGET_MIN_MS, CALIBRATE_BUDGET_MAX_MS,
			   &((struct wanted *)wanted)->options.budget_ms);
}

static int take_wait(const struct option_row *row, const char *value, void *wanted)
{
	return take_number(row, value, "seconds", 0, CALIBRATE_WAIT_MAX_S,
			   &((struct wanted *)wanted)->options.wait_s);
}

static int take_metrics(const struct option_row *row, const char *value, void *wanted)
{
	if (metrics_file_is_name(value))
		return option_take_file(row, value, wanted);
	log_line(LOG_ERROR, "--metrics %s: expected a name that ends in .prom", value);
	return COMMAND_LINE_WRONG;
}

static int be_verbose(const struct option_row *row, const char *value, void *wanted)
{
	(void)row;
	(void)value;
	(void)wanted;
	log_set_verbose();
	return 0;
}

#define AT(member) offsetof(struct wanted, member), 0
static const struct option_row rows[] = {
	{ 'c', "cache", " FILE", "publish the ranked counters in FILE\n(" CACHE_PATH ")",
	  option_take_file, AT(options.cache_path) },
	{ 'p', "persecond", " FILE", "publish the CPU's frequency in FILE\n(" PERSECOND_PATH ")",
	  option_take_file, AT(options.persecond_path) },
	{ 'b', "boot", " ID", "id of this boot, where /proc shows another one's", take_boot, 0, 0 },
	{ 'B', "budget", " MS", "time for measuring rates, from " BUDGETS, take_budget, 0, 0 },
	{ 'w', "wait", " SECONDS", "how long to wait for another calibrator, from " WAITS,
	  take_wait, 0, 0 },
	{ 'm', "metrics", " FILE", "then publish metrics in FILE, which ends in .prom (none)",
	  take_metrics, AT(metrics) },
	{ 'r', "refresh", NULL, "with -m: publish the metrics only, calibrate nothing", option_set,
	  AT(refresh) },
	{ 'f', "force", NULL, "probe even if the cache is of this machine", option_set,
	  AT(options.force) },
	{ 'n', "dry-run", NULL, "print what would be published, publish nothing", option_set,
	  AT(options.dry_run) },
	{ 'v', "verbose", NULL, "say more on standard error", be_verbose, 0, 0 },
};

static const struct command_line line = {
	.program = name,
	.usage = "Usage: cpucycles-calibrated [OPTION]...\n"
		 "Probe every cycle counter of this machine and publish what libcpucycles starts"
		 " from.\n",
	.rows = rows,
	.n = sizeof rows / sizeof rows[0],
	.column = 24,
	.end = "Exit status: 0 published, 1 the cache could not be published, 2 usage error,\n"
	       "3 another calibrator held the lock for too long, 4 the metrics could not be"
	       " published.\n",
};

/* Whether the options go together. If not, a line says which do not. */
static bool go_together(const struct wanted *wanted)
{
	const struct calibrate_options *options = &wanted->options;

	if (same_file(options->persecond_path, options->cache_path))
		log_line(LOG_ERROR, "--persecond %s: expected another file than that of --cache",
			 options->persecond_path);
	else if (wanted->metrics && (same_file(wanted->metrics, options->cache_path) ||
				     same_file(wanted->metrics, options->persecond_path)))
		log_line(LOG_ERROR,
			 "--metrics %s: expected another file than those of --cache and "
			 "--persecond",
			 wanted->metrics);
	else if (wanted->refresh && !wanted->metrics)
		log_line(LOG_ERROR, "--refresh: expected --metrics FILE, too");
	else if (wanted->refresh && options->force)
		log_line(LOG_ERROR, "--refresh: calibrates nothing, so --force makes no sense");
	else if (wanted->metrics && options->dry_run)
		log_line(LOG_ERROR, "--metrics: says what is published, so not with --dry-run");
	else
		return true;
	return false;
}

static bool parse(int argc, char *argv[], struct wanted *wanted)
{
	struct command_line_found found;

	if (command_line_obey(&line, argc, argv, wanted, &found))
		return false;
	wanted->show = found.show;
	if (found.show)
		return true;
	if (optind == argc)
		return go_together(wanted);
	log_line(LOG_ERROR, "%s: no arguments expected; see --help", argv[optind]);
	return false;
}

/* The metrics are published also if the calibration fails, because they then say so. */
static enum calibrate_status work(const struct wanted *wanted)
{
	const struct calibrate_options *options = &wanted->options;
	enum calibrate_status status = wanted->refresh ? CALIBRATE_OK : calibrate(options);

	machine_lend_boot(options->boot);
	if (wanted->metrics &&
	    !metrics_file_publish(wanted->metrics, options->cache_path, options->wait_s) &&
	    status == CALIBRATE_OK)
		return CALIBRATE_NO_METRICS;
	return status;
}

int main(int argc, char *argv[])
{
	struct wanted wanted = {
		.options = {
			.cache_path = CACHE_PATH,
			.persecond_path = PERSECOND_PATH,
			.budget_ms = CALIBRATE_BUDGET_MS,
			.wait_s = CALIBRATE_WAIT_S,
		},
	};

	if (argc > 0)
		argv[0] = name; /* for getopt's messages */
	log_set_name(name);
	streams_keep_apart();
	if (!parse(argc, argv, &wanted))
		return CALIBRATE_USAGE;
	if (!wanted.show)
		return (int)work(&wanted);
	command_line_show(&line, wanted.show);
	return streams_written() ? CALIBRATE_OK : CALIBRATE_FAILED;
}
