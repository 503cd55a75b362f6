/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "leak-run.h"
#include "leak.h"
#include "log.h"
#include "report/leak-json.h"
#include "report/leak-text.h"
#include "run/answer.h"
#include "run/failure.h"
#include "run/memory.h"
#include "run/put.h"
#include "run/relink.h"
#include "raw-clock.h"
#include "signals.h"
#include "streams.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Times of each group that are kept. */
#define KEPT (1u << 16)

struct run_of_leak {
	const struct wanted *wanted;
	struct child_job job;
	struct relink relink;
	struct raw raw;
	struct outcome outcome;        /* the counter */
	struct cpucycles_meter *meter; /* that the child has left; NULL: none */
	struct leak_report report;
};

/* Code and place are the same for both groups, so one link is enough. */
static enum outcome_status link_once(struct run_of_leak *r)
{
	struct link_options options = r->wanted->link;
	struct target *const target = r->job.targets[0];
	struct reason_text reason;
	size_t which;
	int error;

	if (!r->wanted->links)
		return OUTCOME_OK;
	options.harness = relink_harness();
	error = relink_begin(&r->relink, target, 1, &options, &which, &reason);
	if (!error) {
		relink_draw(&r->relink, r->wanted->plan.seed, 0);
		error = relink_make(&r->relink, &r->job, &reason);
	}
	if (!error)
		return OUTCOME_OK;
	if (signals_asked())
		return OUTCOME_INTERRUPTED;
	failure_complain(which == 0 ? target->label : "linking", &reason);
	target->state = TARGET_NOT_LINKED;
	target->reason = reason;
	if (error == -EDOM)
		return OUTCOME_NO_INPUT;
	return failure_not_linked(error, which == 0);
}

static enum outcome_status take_report(struct run_of_leak *r, const struct child_memory *memory)
{
	const struct cpucycles_meter *const meter = r->meter;
	struct leak_report *const report = &r->report;

	if (!meter || !meter->leak.known)
		return failure_not_added(&r->outcome, meter ? -ENODATA : -EBADMSG);
	report->known = true;
	report->prepared = memory->shared->prepares;
	report->moved = meter->leak.moved;
	report->took_ns = meter->leak.took_ns;
	report->result = meter->leak.result;
	for (size_t group = 0; group < 2; group++)
		leak_samples(meter, group, &report->times[group], &report->kept[group]);
	return leak_status(report);
}

static enum outcome_status judge(struct run_of_leak *r, const struct child_memory *memory,
				 const struct watched *watched)
{
	switch (watched->end) {
	case WATCH_DONE:
		if (memory->shared->error)
			return failure_refused(&r->job, memory);
		return take_report(r, memory);
	case WATCH_INTERRUPTED:
		return OUTCOME_INTERRUPTED;
	default:
		return failure_end(&r->job, memory, watched);
	}
}

static enum outcome_status run_child(struct run_of_leak *r)
{
	struct progress progress = { .begun_ns = raw_clock_ns() };
	struct child_memory memory;
	struct reason_text reason;
	struct watched watched;
	enum outcome_status status;

	if (memory_map(&r->job, &memory, &reason)) {
		failure_complain("memory", &reason);
		return OUTCOME_FAILED;
	}
	watch_run(&r->job, &memory, &r->raw, r->wanted->timeout_ns, &progress, &watched);
	progress_clear(&progress);
	r->outcome.elapsed_ns = raw_clock_ns() - progress.begun_ns;
	if (!answer_adopt(&r->job, &memory, 0, &r->meter))
		answer_counter(memory.shared, r->meter, &r->outcome);
	status = judge(r, &memory, &watched);
	memory_unmap(&memory);
	return status;
}

/* Whether the reader's terminal shows the letters of UTF-8. Numbers keep their point. */
static bool is_utf8(void)
{
	setlocale(LC_CTYPE, "");
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static enum outcome_status print(const struct run_of_leak *r)
{
	bool complete = true;

	if (r->wanted->form == FORM_JSON)
		complete = leak_json(&r->report, stdout);
	else if (r->report.known)
		leak_put_text(&r->report, r->wanted->form == FORM_VERBOSE, is_utf8(), stdout);
	else if (r->outcome.interrupted)
		puts("Interrupted before there was a verdict.");
	if (!complete)
		log_line(LOG_ERROR, "%s", strerror(ENOMEM));
	return streams_written() && complete ? OUTCOME_OK : OUTCOME_OUTPUT;
}

enum outcome_status measure_leak(const struct wanted *wanted, struct target *target)
{
	struct run_of_leak r = {
		.wanted = wanted,
		.job = { .targets = &target,
			 .n = 1,
			 .options = wanted->options,
			 .plan = wanted->plan,
			 .leak_flags = wanted->leak_flags,
			 .above = wanted->above },
		.outcome = { .targets = target, .targets_count = 1, .plan = wanted->plan },
		.report = { .target = target,
			    .flags = wanted->leak_flags,
			    .above_given = wanted->above > 0 },
	};
	enum outcome_status status, written, printed;

	r.report.outcome = &r.outcome;
	r.job.options.works_max = 2;
	r.job.options.samples_max = KEPT;
	target->leak = true;
	signals_prepare();
	written = put_status("--raw", &r.raw, raw_open(&r.raw, wanted->raw));
	if (written != OUTCOME_OK)
		return written;
	raw_begin(&r.raw);
	status = link_once(&r);
	if (status == OUTCOME_OK)
		status = run_child(&r);
	r.outcome.interrupted = status == OUTCOME_INTERRUPTED;
	relink_end(&r.relink);
	written = put_end("--raw", &r.raw, r.report.known, r.outcome.interrupted, leak_put_times,
			  &r.report);
	/* From here on, signals end this program: the reader of its output may have stopped. */
	if (signals_release() && status == OUTCOME_OK)
		status = OUTCOME_INTERRUPTED;
	r.outcome.interrupted = status == OUTCOME_INTERRUPTED;
	printed = print(&r);
	free(r.meter);
	return status_of_both(status_of_both(status, printed), written);
}
