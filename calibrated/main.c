/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The options of cpucycles-calibrated, what they ask for, and the exit status. */

#include "config.h"

#include "calibrate.h"
#include "digits.h"
#include "log.h"
#include "machine.h"
#include "metrics-file.h"
#include "publish.h"
#include "same-file.h"
#include "streams.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static const struct option long_options[] = {
	{ "force", no_argument, NULL, 'f' },
	{ "dry-run", no_argument, NULL, 'n' },
	{ "cache", required_argument, NULL, 'c' },
	{ "persecond", required_argument, NULL, 'p' },
	{ "boot", required_argument, NULL, 'b' },
	{ "budget", required_argument, NULL, 'B' },
	{ "wait", required_argument, NULL, 'w' },
	{ "metrics", required_argument, NULL, 'm' },
	{ "refresh", no_argument, NULL, 'r' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

_Static_assert(CALIBRATE_WAIT_S * 1000 == PUBLISH_WAIT_MS,
	       "all programs wait for a lock equally long unless they are told otherwise");

#define TEXT_OF(macro) TEXT(macro)
#define TEXT(word) #word
#define BUDGETS \
	TEXT_OF(CALIBRATE_BUDGET_MIN_MS) \
	" to " TEXT_OF(CALIBRATE_BUDGET_MAX_MS) " ms (" TEXT_OF(CALIBRATE_BUDGET_MS) ")"
#define WAITS "0 to " TEXT_OF(CALIBRATE_WAIT_MAX_S) " s (" TEXT_OF(CALIBRATE_WAIT_S) ")"

static char name[] = "cpucycles-calibrated";

static const char help[] =
	"Usage: cpucycles-calibrated [OPTION]...\n"
	"Probe every cycle counter of this machine and publish what libcpucycles starts from.\n"
	"\n"
	"  -c, --cache FILE      publish the ranked counters in FILE\n"
	"                        (" CACHE_PATH ")\n"
	"  -p, --persecond FILE  publish the CPU's frequency in FILE\n"
	"                        (" PERSECOND_PATH ")\n"
	"  -b, --boot ID         id of this boot, where /proc shows another one's\n"
	"  -B, --budget MS       time for measuring rates, from " BUDGETS "\n"
	"  -w, --wait SECONDS    wait so long for another calibrator to end, from " WAITS "\n"
	"  -m, --metrics FILE    then publish metrics in FILE, which ends in .prom (none)\n"
	"  -r, --refresh         with -m: publish the metrics only, calibrate nothing\n"
	"  -f, --force           probe even if the cache is of this machine\n"
	"  -n, --dry-run         print what would be published, publish nothing\n"
	"  -v, --verbose         say more on standard error\n"
	"  -V, --version         print the version\n"
	"  -h, --help            print this help\n"
	"\n"
	"Exit status: 0 published, 1 the cache could not be published, 2 usage error,\n"
	"3 another calibrator held the lock for too long, 4 the metrics could not be published.\n";

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
	const char *text;    /* print this, and do nothing else */
};

static bool take_boot(struct wanted *wanted)
{
	if (!parse_boot(optarg, wanted->boot)) {
		log_line(LOG_ERROR, "--boot %s: expected a UUID", optarg);
		return false;
	}
	wanted->options.boot = wanted->boot;
	return true;
}

/* The argument has to be one number from least to most, without blanks. option: its name; unit: of
 * its number. */
static bool take_number(const char *option, const char *unit, unsigned least, unsigned most,
			unsigned *number)
{
	const char *text = optarg;
	uint64_t value;

	if (strlen(text) <= 9 && digits_take(&text, 10, &value) && !*text && value >= least &&
	    value <= most) {
		*number = (unsigned)value;
		return true;
	}
	log_line(LOG_ERROR, "--%s %s: expected a number of %s from %u to %u", option, optarg, unit,
		 least, most);
	return false;
}

static bool take_metrics(struct wanted *wanted)
{
	if (!metrics_file_is_name(optarg)) {
		log_line(LOG_ERROR, "--metrics %s: expected a name that ends in .prom", optarg);
		return false;
	}
	wanted->metrics = optarg;
	return true;
}

static bool take_file(const char *option, const char **path)
{
	*path = optarg;
	if (!*optarg)
		log_line(LOG_ERROR, "--%s: expected a file", option);
	return *optarg;
}

/* False: the option is wrong, and a line has said so. */
static bool take_option(int option, struct wanted *wanted)
{
	switch (option) {
	case 'f':
		wanted->options.force = true;
		return true;
	case 'n':
		wanted->options.dry_run = true;
		return true;
	case 'b':
		return take_boot(wanted);
	case 'B':
		return take_number("budget", "ms", CALIBRATE_BUDGET_MIN_MS, CALIBRATE_BUDGET_MAX_MS,
				   &wanted->options.budget_ms);
	case 'w':
		return take_number("wait", "seconds", 0, CALIBRATE_WAIT_MAX_S,
				   &wanted->options.wait_s);
	case 'm':
		return take_metrics(wanted);
	case 'r':
		wanted->refresh = true;
		return true;
	case 'c':
		return take_file("cache", &wanted->options.cache_path);
	case 'p':
		return take_file("persecond", &wanted->options.persecond_path);
	case 'v':
		log_set_verbose();
		return true;
	case 'V':
		wanted->text = "cpucycles-calibrated " PACKAGE_VERSION "\n";
		return true;
	case 'h':
		wanted->text = help;
		return true;
	default:
		return false; /* getopt has said why */
	}
}

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
	int option;

	while ((option = getopt_long(argc, argv, "fnrb:B:c:m:p:w:vVh", long_options, NULL)) != -1) {
		if (!take_option(option, wanted))
			return false;
		if (wanted->text)
			return true;
	}
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
	if (!wanted.text)
		return (int)work(&wanted);
	fputs(wanted.text, stdout);
	return streams_written() ? CALIBRATE_OK : CALIBRATE_FAILED;
}
