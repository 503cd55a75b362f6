/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Gets a valid cache: the installed one if the library starts from it, else one for this run. */

#include "config.h"

#include "sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool starts_from_cache(const struct bench *bench)
{
	const struct command command = {
		.words = { bench->call, "first", bench->library },
		.environment = { bench->cache[0] ? bench->cache : NULL },
		.input = -1,
		.output = -1,
	};
	struct answer answer;
	char why[SERIES_WHY];

	if (!answer_ask(bench, &command, &answer, why)) {
		fprintf(stderr, "bench: %s: %s\n", bench->library, why);
		return false;
	}
	return !strcmp(answer.source, "cache");
}

static bool make_folder(struct bench *bench)
{
	const char *root = bench->root ? bench->root : "";
	const char *tmp = bench->root ? NULL : getenv("TMPDIR");

	snprintf(bench->folder_outside, sizeof bench->folder_outside, "%s%s/cpucycles-bench.XXXXXX",
		 root, tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(bench->folder_outside)) {
		perror(bench->folder_outside);
		return false;
	}
	chmod(bench->folder_outside, 0755);
	snprintf(bench->folder, sizeof bench->folder, "%s", bench->folder_outside + strlen(root));
	return true;
}

bool bench_prepare(struct bench *bench)
{
	char calibrator[PATH_MAX + 64], cache[PATH_MAX + 64], persecond[PATH_MAX + 64];
	const struct command command = {
		.words = { calibrator, "--force", "--cache", cache, "--persecond", persecond },
		.input = -1,
		.output = -1,
	};
	static struct ended ended;

	if (!make_folder(bench))
		return false;
	bench->cache_from = "as installed";
	if (starts_from_cache(bench))
		return true;
	bench->cache_from = "calibrated for this run, named by CPUCYCLES_CACHE";
	snprintf(calibrator, sizeof calibrator, "%s/calibrated/cpucycles-calibrated", bench->build);
	snprintf(cache, sizeof cache, "%s/counters", bench->folder);
	snprintf(persecond, sizeof persecond, "%s/cpucyclespersecond", bench->folder);
	if (!spawn_run(bench, &command, &ended)) {
		fprintf(stderr, "bench: %s: status %d: %s\n", calibrator, ended.status, ended.text);
		return false;
	}
	snprintf(bench->cache, sizeof bench->cache, "CPUCYCLES_CACHE=%s", cache);
	if (starts_from_cache(bench))
		return true;
	fprintf(stderr, "bench: the library does not start from the cache in %s\n", cache);
	return false;
}
