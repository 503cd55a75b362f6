/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The driver: reads the options and runs one section after the other. bench/README.md says what
 * each section measures. */

#include "config.h"

#include "options.h"
#include "report.h"
#include "sections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct bench bench = {
	.rounds = 300,
	.blocks = 200,
	.calls = 2000,
	.together = 1000,
	.calibrations = 7,
	.seed = 1,
};

static const struct option long_options[] = {
	{ "against", required_argument, NULL, 'a' },
	{ "library", required_argument, NULL, 'l' },
	{ "build", required_argument, NULL, 'b' },
	{ "root", required_argument, NULL, 'r' },
	{ "runner", required_argument, NULL, 'x' },
	{ "emulated", no_argument, NULL, 'e' },
	{ "import", required_argument, NULL, 'i' },
	{ "only", required_argument, NULL, 'o' },
	{ "json", required_argument, NULL, 'j' },
	{ "rounds", required_argument, NULL, 'n' },
	{ "blocks", required_argument, NULL, 'B' },
	{ "together", required_argument, NULL, 't' },
	{ "calibrations", required_argument, NULL, 'c' },
	{ "seed", required_argument, NULL, 's' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"Usage: bench [OPTION]...\n"
	"Measure the speed of the library in this build folder.\n"
	"\n"
	"  --against LIBRARY   measure this library too, in turns; it has the same ABI\n"
	"  --library LIBRARY   measure this library instead of the one built here\n"
	"  --json FILE         write all samples to FILE\n"
	"  --only SECTIONS     run only these of first,reads,growth,calibrator,size\n"
	"  --rounds N          fresh processes for each variant of a first call (300)\n"
	"  --blocks N          blocks of calls for the cost of a read (200)\n"
	"  --together N        processes that start at once (1000)\n"
	"  --calibrations N    runs of the calibrator (7)\n"
	"  --seed N            seed of the random numbers (1)\n"
	"  --root DIR          run the measured programs with DIR as their root (needs root)\n"
	"  --runner COMMAND    run the measured programs by this emulator\n"
	"  --emulated          take the goals for emulated machines\n"
	"  --import FILE       measure nothing; read samples of first calls from FILE\n"
	"  --build DIR         the build folder, as seen inside of --root\n"
	"  --help              print this help\n"
	"\n"
	"Exit status: 0 measured, 1 measuring or writing failed, 2 usage error.\n";

static const char *json, *import;

static const struct {
	int option;
	const char **value;
} texts[] = {
	{ .option = 'a', .value = &bench.against }, { .option = 'r', .value = &bench.root },
	{ .option = 'x', .value = &bench.runner },  { .option = 'o', .value = &bench.only },
	{ .option = 'i', .value = &import },        { .option = 'j', .value = &json },
};

static const struct {
	int option;
	long *value;
} counts[] = {
	{ .option = 'n', .value = &bench.rounds },
	{ .option = 'B', .value = &bench.blocks },
	{ .option = 't', .value = &bench.together },
	{ .option = 'c', .value = &bench.calibrations },
};

static void take(int option, const char *argument)
{
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		if (texts[i].option == option)
			*texts[i].value = argument;
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
		if (counts[i].option == option)
			*counts[i].value = options_number("bench", argument, 1);
	if (option == 'l')
		snprintf(bench.library, sizeof bench.library, "%s", argument);
	if (option == 'b')
		snprintf(bench.build, sizeof bench.build, "%s", argument);
	if (option == 'e')
		bench.emulated = true;
	if (option == 's')
		bench.seed = (uint64_t)options_number("bench", argument, 0);
}

static const struct options options = { "bench", help, "no arguments expected; see --help",
					long_options, take };

/* The build folder is the one above the driver's own, unless --build names another. */
static bool find_build(void)
{
	ssize_t n;
	char *slash = NULL;

	if (!bench.build[0]) {
		n = readlink("/proc/self/exe", bench.build, sizeof bench.build - 1);
		if (n > 0) {
			bench.build[n] = 0;
			for (int i = 0; i < 2 && (slash = strrchr(bench.build, '/')); i++)
				*slash = 0;
		}
		if (!slash) {
			fputs("bench: /proc does not tell where this program is; see --build\n",
			      stderr);
			return false;
		}
	}
	if (!bench.library[0] &&
	    snprintf(bench.library, sizeof bench.library, "%s/lib/.libs/libcpucycles.so.1",
		     bench.build) >= (int)sizeof bench.library)
		return false;
	return snprintf(bench.call, sizeof bench.call, "%s/bench/call", bench.build) <
	       (int)sizeof bench.call;
}

static bool wanted(const char *section)
{
	const char *at = bench.only ? strstr(bench.only, section) : section;

	return at != NULL;
}

static void remove_folder(void)
{
	char command[PATH_MAX + 16];

	if (!bench.folder_outside[0])
		return;
	snprintf(command, sizeof command, "rm -rf '%s'", bench.folder_outside);
	if (system(command))
		fprintf(stderr, "bench: %s: not removed\n", bench.folder_outside);
}

static const struct section {
	const char *name;
	void (*run)(struct bench *bench);
} sections[] = {
	{ .name = "first", .run = bench_first },
	{ .name = "reads", .run = bench_reads },
	{ .name = "growth", .run = bench_growth },
	{ .name = "calibrator", .run = bench_calibrator },
	{ .name = "size", .run = bench_size },
};

/* Each line is the name of a series and an answer of "call", written on a machine that cannot run
 * the driver. */
static bool import_samples(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[512], name[SERIES_NAME];
	struct answer answer;
	int length;

	if (!file) {
		perror(path);
		return false;
	}
	snprintf(bench.library, sizeof bench.library, "see %s", path);
	bench.against = bench.library;
	bench.cache_from = "see there";
	while (fgets(line, sizeof line, file))
		if (sscanf(line, "first.%50s %n", name, &length) == 1 &&
		    answer_parse(line + length, &answer))
			bench_import(&bench, name, &answer);
	return !fclose(file);
}

static bool measure(void)
{
	if (!find_build() || !bench_prepare(&bench))
		return false;
	for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
		if (wanted(sections[i].name))
			sections[i].run(&bench);
	return true;
}

int main(int argc, char *argv[])
{
	bool written = true;

	options_take(&options, argc, argv);
	if (getloadavg(&bench.load, 1) != 1)
		bench.load = -1;
	atexit(remove_folder);
	if (!(import ? import_samples(import) : measure()))
		return 1;
	report_table(&bench);
	report_goals(&bench);
	if (json)
		written = report_json(&bench, json);
	return written && !fflush(stdout) ? 0 : 1;
}
