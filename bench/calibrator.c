/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The time and memory of the calibrator: of a full run, and of the restamp at the next boot. */

#include "config.h"

#include "sections.h"

#include <stdio.h>
#include <string.h>

struct spent {
	double wall_ms, cpu_ms;
	long resident_kib, own_kib; /* the most of the calibrator; of its parent, "spend" */
	int status;
	bool restamped; /* the calibrator's log says so */
};

static bool spend(struct bench *bench, const char *const more[], struct spent *spent,
		  char why[SERIES_WHY])
{
	char spender[PATH_MAX + 64], calibrator[PATH_MAX + 64], cache[PATH_MAX + 64];
	char persecond[PATH_MAX + 64];
	struct command command = {
		.words = { spender, calibrator, "--cache", cache, "--persecond", persecond },
		.input = -1,
		.output = -1,
	};
	static struct ended ended;
	const char *line;

	for (size_t i = 0; more[i]; i++)
		command.words[6 + i] = more[i];
	snprintf(spender, sizeof spender, "%s/bench/spend", bench->build);
	snprintf(calibrator, sizeof calibrator, "%s/calibrated/cpucycles-calibrated", bench->build);
	snprintf(cache, sizeof cache, "%s/spent", bench->folder);
	snprintf(persecond, sizeof persecond, "%s/spentpersecond", bench->folder);
	if (spawn_run(bench, &command, &ended) && (line = strstr(ended.text, "spent wall ")) &&
	    sscanf(line, "spent wall %lf cpu %lf resident %ld own %ld status %d", &spent->wall_ms,
		   &spent->cpu_ms, &spent->resident_kib, &spent->own_kib, &spent->status) == 5 &&
	    spent->status == 0) {
		spent->restamped = strstr(ended.text, "boot id restamped");
		return true;
	}
	spawn_explain(&ended, why);
	return false;
}

static void add(struct bench *bench, const char *what, const struct spent *spent)
{
	char name[SERIES_NAME];

	snprintf(name, sizeof name, "calibrator.%s", what);
	bench_add(bench, name, "ms", spent->wall_ms);
	snprintf(name, sizeof name, "calibrator.%s.cpu", what);
	bench_add(bench, name, "ms", spent->cpu_ms);
	snprintf(name, sizeof name, "calibrator.%s.resident", what);
	bench_add(bench, name, "KiB", (double)spent->resident_kib);
}

void bench_calibrator(struct bench *bench)
{
	static const char *const full[] = { "--force", NULL };
	/* Made boot ids. The run for one restamps the cache that the run for the other left. */
	static const char *const boots[2][3] = {
		{ "--boot", "00000000-0000-4000-8000-000000000001", NULL },
		{ "--boot", "00000000-0000-4000-8000-000000000002", NULL },
	};
	struct spent spent;
	char why[SERIES_WHY];

	for (long i = 0; i < bench->calibrations; i++) {
		if (!spend(bench, full, &spent, why)) {
			bench_missing(bench, "calibrator.full", "ms", "%s", why);
			bench_missing(bench, "calibrator.full.resident", "KiB", "%s", why);
			bench_missing(bench, "calibrator.restamp.cpu", "ms", "%s", why);
			return;
		}
		add(bench, "full", &spent);
		if (!spend(bench, boots[i % 2], &spent, why)) {
			bench_missing(bench, "calibrator.restamp.cpu", "ms", "%s", why);
			return;
		}
		if (!spent.restamped) {
			bench_missing(bench, "calibrator.restamp.cpu", "ms", "it probed again");
			return;
		}
		add(bench, "restamp", &spent);
	}
	bench_add(bench, "calibrator.parent.resident", "KiB", (double)spent.own_kib);
}
