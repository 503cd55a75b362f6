/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* cpucycles-info --samples: what was measured, one row each, for programs that draw charts. */

#include "config.h"

#include "raw-clock.h"
#include "report.h"
#include "samples-run.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

static const struct kind {
	const char *name;
	unsigned seconds; /* usual */
	bool (*print)(struct samples_run *run);
} kinds[] = {
	{ "noise", 1, samples_noise },  { "skew", 2, samples_skew },
	{ "drift", 10, samples_drift }, { "frequency", 2, samples_frequency },
	{ "gaps", 2, samples_gaps },
};

static const struct kind *kind_of(const char *name)
{
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

bool samples_is_kind(const char *kind)
{
	return kind_of(kind) != NULL;
}

static void print_date(void)
{
	char when[sizeof "2026-11-21T00:00:00Z"];
	const time_t now = time(NULL);
	struct tm tm;

	if (gmtime_r(&now, &tm) && strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm))
		samples_comment("date", when);
	else
		samples_comment("date", "unknown");
}

static void print_machine(void)
{
	struct utsname system;
	char model[MODEL_SIZE];

	inspect_model(model);
	samples_comment("machine", model);
	samples_comment("kernel", uname(&system) < 0 ? "unknown" : system.release);
}

bool samples_print(const char *name, unsigned seconds, const struct inspection *inspection)
{
	const struct kind *kind = kind_of(name);
	struct samples_run run = { .inspection = inspection, .kind = kind->name };
	bool complete;

	if (raw_clock_is_forbidden()) {
		fprintf(stderr, "cpucycles-info: --samples: " RAW_CLOCK_FORBIDDEN "\n");
		return false;
	}
	run.seconds = seconds ? seconds : kind->seconds;
	samples_comment("cpucycles", PACKAGE_VERSION);
	samples_comment("samples", kind->name);
	print_date();
	print_machine();
	samples_comment("counter", inspection->implementation);
	samples_comment_number("seconds", run.seconds);
	complete = kind->print(&run);
	progress_clear(&run.progress);
	return complete;
}
