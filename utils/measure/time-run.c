/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "time-run.h"
#include "log.h"
#include "output.h"
#include "files/map.h"
#include "link/sources.h"
#include "report/layouts.h"
#include "result/gate.h"
#include "run/machine.h"
#include "run/raw.h"
#include "run/tries.h"
#include "signals.h"
#include "verdict.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Samples of each function in each process that there is room for, unless -n says another number.
 */
#define SAMPLES_MOST (1u << 16)

/* The outcomes to be filled in, and another n targets for each size but the first. */
static void begin_outcomes(const struct wanted *wanted, struct target targets[], size_t n,
			   struct outcome outcomes[], size_t count)
{
	for (size_t i = 0; i < (wanted->pairs ? n * count : n); i++)
		targets[i].bytes = wanted->bytes;
	for (size_t k = 0; k < count; k++) {
		options_plan(wanted, &outcomes[k]);
		outcomes[k].check = wanted->check;
		outcomes[k].alone = wanted->alone;
		outcomes[k].linked = wanted->links;
		outcomes[k].pair = wanted->pairs;
		outcomes[k].number = k + 1;
		outcomes[k].all = count;
		outcomes[k].named = !targets[wanted->pairs ? k * n : 0].listed;
		/* All pairs share alpha. */
		if (wanted->pairs)
			outcomes[k].plan.alpha = VERDICT_ALPHA / (double)count;
		if (!wanted->sizes.n)
			continue;
		outcomes[k].size = wanted->sizes.list[k];
		for (size_t i = 0; i < n; i++) {
			targets[k * n + i] = targets[i];
			targets[k * n + i].sized = true;
			targets[k * n + i].size = targets[k * n + i].bytes = outcomes[k].size;
		}
	}
}

/* Nothing that was compared is no success. */
static enum outcome_status check_left(const struct outcome outcomes[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!outcome_is_left_out(&outcomes[i]))
			return OUTCOME_OK;
	log_line(LOG_ERROR, "no function of both files works without parameters, so none was "
			    "compared; expected void f(void), or FILE:FUNCTION");
	return OUTCOME_FAILED;
}

/* Read the file of --input. False: a line says why not. */
static bool read_input(const char *path, struct symbols_file *input)
{
	const int error = map_file(path, input);

	if (error)
		log_line(LOG_ERROR, "--input %s: %s", path, map_error(error));
	return !error;
}

enum outcome_status measure_times(struct wanted *wanted, struct target targets[], size_t n,
				  struct outcome outcomes[], size_t count)
{
	struct symbols_file input = { 0 };
	struct raw raw;
	struct tries tries = {
		.timeout_ns = wanted->timeout_ns,
		.raw = &raw,
		.link = wanted->links ? &wanted->link : NULL,
		.time_of_each = wanted->time_of_each,
		.one_layout = wanted->raw || wanted->layouts,
	};
	enum outcome_status status, printed, written, layouts;

	/* Before this program adds to the load, and before it blocks signals. */
	machine_look("", &tries.machine);
	if (wanted->check)
		machine_look_at_time(&tries.machine);
	signals_prepare();
	if (output_try_layouts(wanted->layouts) != OUTCOME_OK)
		return OUTCOME_OUTPUT;
	written = raw_status("--raw", &raw, raw_open(&raw, wanted->raw));
	if (written != OUTCOME_OK)
		return written;
	if (!wanted->check) {
		wanted->options.works_max = n;
		wanted->options.samples_max = SAMPLES_MOST;
	}
	if (wanted->input && !read_input(wanted->input, &input))
		return OUTCOME_NOT_FOUND;
	tries.input = (struct buffer_input){ input.bytes, input.size };
	tries.options = wanted->options;
	wanted->link.harness = relink_harness();
	wanted->link.without_unchanged =
		!wanted->measure_unchanged && !wanted->alone && !wanted->raw && !wanted->layouts;
	begin_outcomes(wanted, targets, n, outcomes, count);
	for (size_t k = 0; k < count; k++)
		output_note_machine(&tries.machine, &outcomes[k]);
	status = tries_run_all(&tries, targets, n, outcomes, &count);
	if (status == OUTCOME_OK)
		status = check_left(outcomes, count);
	if (status == OUTCOME_OK)
		status = gate_status(outcomes, count);
	layouts = output_put_layouts(wanted->layouts, &(struct layouts){ outcomes, count });
	tries_end(&tries);
	map_end(&input);
	written = raw_end("--raw", &raw, outcomes[0].count > 0, outcomes[0].interrupted,
			  verdict_lines_put, &outcomes[0]);
	if (wanted->sources)
		sources_remove(wanted->sources);
	/* From here on, signals end this program: the reader of its output may have stopped. */
	if (signals_release() && status == OUTCOME_OK) {
		outcomes[count - 1].interrupted = true;
		status = OUTCOME_INTERRUPTED;
	}
	printed = output_print(wanted, outcomes, count);
	for (size_t i = 0; i < count; i++)
		outcome_free(&outcomes[i]);
	return status_of_both(status_of_both(status, printed), status_of_both(written, layouts));
}
