/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "output.h"
#include "log.h"
#include "report/annotations.h"
#include "report/benchmark.h"
#include "report/json.h"
#include "report/tabular.h"
#include "report/verbose.h"
#include "run/raw.h"
#include "signals.h"
#include "streams.h"

#include <errno.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Colours are for people at a terminal, unless they want none: https://no-color.org */
static bool is_colourful(void)
{
	const char *const none = getenv("NO_COLOR"), *const terminal = getenv("TERM");

	return isatty(STDOUT_FILENO) && (!none || !*none) && terminal && strcmp(terminal, "dumb");
}

enum outcome_status output_print(const struct wanted *wanted, const struct outcome outcomes[],
				 size_t n)
{
	static const enum table_form tables[] = {
		[FORM_TABLE] = TABLE_TEXT,
		[FORM_CSV] = TABLE_CSV,
		[FORM_MARKDOWN] = TABLE_MARKDOWN,
	};
	const enum form form = wanted->form;
	bool complete = true;

	/* For the sign of an interval. Numbers keep their point. */
	setlocale(LC_CTYPE, "");
	if (form == FORM_JSON)
		complete = json_results(outcomes, n, stdout);
	else if (form == FORM_BENCHMARK)
		complete = benchmark_print(outcomes, n, stdout);
	else if (form == FORM_VERBOSE || wanted->check)
		verbose_print(outcomes, n, stdout);
	else if (form == FORM_GITLAB)
		complete = annotations_gitlab(outcomes, n, stdout) &&
			   !tabular_print(outcomes, n, TABLE_TEXT, false, stderr);
	else
		complete = !tabular_print(outcomes, n, tables[form],
					  form == FORM_TABLE && is_colourful(), stdout);
	fflush(stdout);
	if (wanted->github && complete)
		complete = annotations_github(outcomes, n, stderr);
	if (!complete)
		log_line(LOG_ERROR, "%s", strerror(ENOMEM));
	return streams_written() && complete ? OUTCOME_OK : OUTCOME_OUTPUT;
}

enum outcome_status output_try_layouts(const char *path)
{
	struct raw raw;
	const int error = raw_open(&raw, path);

	raw_close(&raw);
	return raw_status("--layouts", &raw, error);
}

enum outcome_status output_put_layouts(const char *path, const struct layouts *layouts)
{
	bool measured = false;
	struct raw raw;

	for (size_t k = 0; k < layouts->n; k++)
		measured |= layouts->outcomes[k].count > 0;
	if (!path || !measured || signals_must_end())
		return OUTCOME_OK;
	if (!raw_open(&raw, path))
		raw_begin(&raw);
	return raw_end("--layouts", &raw, true, layouts->outcomes[layouts->n - 1].interrupted,
		       layouts_write, layouts);
}

void output_note_machine(const struct machine *machine, struct outcome *outcome)
{
	outcome->load = machine_is_busy(machine) ? machine->load : 0;
	outcome->cpus = machine->cpus;
	outcome->governed = machine->governor[0];
}

void output_tell_alone(const char *file, const struct words *alone)
{
	if (alone->n == 1)
		log_line(LOG_WARNING, "%s alone has %s, which is not compared", file,
			 alone->list[0]);
	else if (alone->n > 1)
		log_line(LOG_WARNING, "%s alone has %s and %zu more, which are not compared", file,
			 alone->list[0], alone->n - 1);
}
