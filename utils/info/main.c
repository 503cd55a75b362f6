/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The options of cpucycles-info, and which report each of them asks for. */

#include "config.h"

#include "command-line.h"
#include "complain.h"
#include "digits.h"
#include "environment.h"
#include "guard.h"
#include "inspect.h"
#include "log.h"
#include "metrics.h"
#include "raw-clock.h"
#include "report.h"
#include "streams.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Exit statuses, documented in cpucycles-info(1). */
enum status {
	STATUS_OK = 0,
	STATUS_NOT_IN_USE = 1, /* --cache only */
	STATUS_USAGE = 2,
	STATUS_FAILED = 3 /* the output is not complete */
};

/* How long --noise looks by default. */
#define NOISE_SECONDS 3

/* In all messages, also in those of getopt, by whatever path the program was called. */
static char name[] = "cpucycles-info";

struct wanted {
	bool cache, probe, json, metrics, noise;
	const char *samples; /* their kind, or NULL */
	unsigned seconds;    /* 0: the default */
	enum command_line_shown show;
};

static int fail(enum status status, const char *what, const char *why)
{
	fprintf(stderr, "%s: %s: %s\n", name, what, why);
	return (int)status;
}

static int finish(int status)
{
	if (!streams_written())
		return STATUS_FAILED;
	return fclose(stdout) ? fail(STATUS_FAILED, "standard output", strerror(errno)) : status;
}

static int take_kind(const struct option_row *row, const char *value, void *wanted)
{
	((struct wanted *)wanted)->samples = value;
	(void)row;
	return samples_is_kind(value) ? STATUS_OK :
					fail(STATUS_USAGE, value, "expected " SAMPLES_KINDS);
}

/* A number of seconds, without sign or fraction. */
static int take_seconds(const struct option_row *row, const char *value, void *wanted)
{
	const char *end = value;
	uint64_t seconds;

	(void)row;
	if (digits_take(&end, 10, &seconds) && !*end && seconds > 0 &&
	    seconds <= SAMPLES_SECONDS_MAX) {
		((struct wanted *)wanted)->seconds = (unsigned)seconds;
		return STATUS_OK;
	}
	return fail(STATUS_USAGE, value, "expected seconds, from 1 to 3600");
}

#define MEMBER(name) option_set, offsetof(struct wanted, name), 0
static const struct option_row rows[] = {
	{ 'c', "cache", NULL, "is the calibration cache in use, and if not, why", MEMBER(cache) },
	{ 'p', "probe", NULL, "probe every counter now, next to the cached ranking",
	  MEMBER(probe) },
	{ 'j', "json", NULL, "all of it, for programs", MEMBER(json) },
	{ 'm', "metrics", NULL, "metrics for Prometheus", MEMBER(metrics) },
	{ 0, "noise", NULL, "who takes the time of programs here, and what helps", MEMBER(noise) },
	{ 0, "samples", " KIND",
	  "measure, and print a table for charts, of this kind:\n" SAMPLES_KINDS, take_kind, 0, 0 },
	{ 's', "seconds", " SECONDS", "how long --noise or --samples measures, 1 to 3600",
	  take_seconds, 0, 0 },
};

static const struct command_line line = {
	.program = name,
	.usage = "Usage: cpucycles-info [OPTION]...\n"
		 "Show what a program gets from libcpucycles here: counter, frequency, cost of a"
		 " call.\n",
	.rows = rows,
	.n = sizeof rows / sizeof rows[0],
	.column = 25,
	.end = "Exit status: 0 success, 1 with --cache if the cache is not in use, 2 usage error,\n"
	       "3 the output is not complete.\n",
};

/* Whether the options go together. */
static int go_together(const struct wanted *wanted)
{
	const bool others = wanted->cache || wanted->probe || wanted->json;

	if (wanted->metrics && (others || wanted->samples))
		return fail(STATUS_USAGE, "--metrics", "no other option goes with it");
	if (wanted->samples && others)
		return fail(STATUS_USAGE, "--samples", "not with --cache, --probe or --json");
	if (wanted->noise && (wanted->cache || wanted->probe || wanted->metrics || wanted->samples))
		return fail(STATUS_USAGE, "--noise", "only with --json and --seconds");
	if (wanted->seconds && !wanted->samples && !wanted->noise)
		return fail(STATUS_USAGE, "--seconds", "only with --noise or --samples");
#ifndef HAVE_JANSSON
	if (wanted->json)
		return fail(STATUS_USAGE, "--json", "built without jansson, which it needs");
#endif
	return STATUS_OK;
}

static int parse(int argc, char *argv[], struct wanted *wanted)
{
	struct command_line_found found;

	if (command_line_obey(&line, argc, argv, wanted, &found))
		return STATUS_USAGE;
	wanted->show = found.show;
	if (optind < argc)
		return fail(STATUS_USAGE, argv[optind], "no arguments expected; see --help");
	return wanted->show ? STATUS_OK : go_together(wanted);
}

static void say_ignored(const char *sentence)
{
	fail(STATUS_OK, "ignored", sentence);
}

static int samples(const struct wanted *wanted)
{
	static struct inspection inspection;

	if (!inspect_cache(&inspection))
		return fail(STATUS_FAILED, "cache", "cannot be looked at: " GUARD_REFUSED);
	/* Without a cache, only a probe knows the counters' precisions. */
	if (!inspect_in_use(&inspection) && !inspect_probe(&inspection))
		return fail(STATUS_FAILED, "probe", "cannot be made: " GUARD_REFUSED);
	if (samples_print(wanted->samples, wanted->seconds, &inspection))
		return finish(STATUS_OK);
	/* An error line has said why, unless it is the output. */
	return ferror(stdout) ? finish(STATUS_FAILED) : STATUS_FAILED;
}

static int report(const struct wanted *wanted)
{
	static struct inspection inspection;
	bool summary, probe;

	if (!inspect_cache(&inspection))
		return fail(STATUS_FAILED, "cache", "cannot be looked at: " GUARD_REFUSED);
	/* Without a cache, only a probe tells the summary what the counters are good for. */
	summary = wanted->cache && !wanted->json && isatty(STDOUT_FILENO);
	probe = wanted->probe || wanted->json || (summary && !inspect_in_use(&inspection));
	if (probe && !inspect_probe(&inspection))
		return fail(STATUS_FAILED, "probe", "cannot be made: " GUARD_REFUSED);
	if (wanted->json) {
		if (!report_json(&inspection))
			return fail(STATUS_FAILED, "--json", strerror(ENOMEM));
	} else {
		if (summary)
			report_summary(&inspection);
		if (wanted->cache)
			report_cache(&inspection);
		report_core_cycles(&inspection);
		if (wanted->probe)
			report_probe(&inspection);
	}
	return finish(wanted->cache && !inspect_in_use(&inspection) ? STATUS_NOT_IN_USE :
								      STATUS_OK);
}

static int print_noise(const struct wanted *wanted)
{
	if (raw_clock_is_forbidden())
		return fail(STATUS_FAILED, "--noise", RAW_CLOCK_FORBIDDEN);
	report_noise_look(wanted->seconds ? wanted->seconds : NOISE_SECONDS);
	if (!wanted->json)
		report_noise_text();
	else if (!report_noise_json())
		return fail(STATUS_FAILED, "--json", strerror(ENOMEM));
	return finish(STATUS_OK);
}

static int print_metrics(void)
{
	static struct inspection inspection;
	static char text[METRICS_SIZE];
	struct metrics_setting setting;
	size_t length;

	if (!metrics_look(&inspection, &setting))
		return fail(STATUS_FAILED, "--metrics",
			    "the counters cannot be looked at: " GUARD_REFUSED);
	length = metrics_format(&inspection, &setting, text, sizeof text);
	if (length == 0)
		return fail(STATUS_FAILED, "--metrics", "there are too many counters");
	fwrite(text, 1, length, stdout);
	return finish(STATUS_OK);
}

int main(int argc, char *argv[])
{
	struct wanted wanted = { 0 };
	int status;

	log_set_name(name);
	streams_outlive_limit();
	if (argc > 0)
		argv[0] = name;
	status = parse(argc, argv, &wanted);

	if (status != STATUS_OK)
		return status;
	/* On standard error, unless the output has it: scripts read the lines of the output. */
	if (!wanted.show && !wanted.cache && !wanted.json && !environment_is_hostile())
		complain_of_environment(say_ignored);
	if (wanted.show)
		command_line_show(&line, wanted.show);
	else if (wanted.samples)
		return samples(&wanted);
	else if (wanted.noise)
		return print_noise(&wanted);
	else if (wanted.cache || wanted.probe || wanted.json)
		return report(&wanted);
	else if (wanted.metrics)
		return print_metrics();
	else
		report_plain();
	return finish(STATUS_OK);
}
