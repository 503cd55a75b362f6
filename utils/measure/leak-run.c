/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "leak-run.h"
#include "log.h"
#include "report/leak-json.h"
#include "report/leak-text.h"
#include "run/raw.h"
#include "run/tries.h"
#include "signals.h"
#include "streams.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

/* Times of each group that are kept. */
#define KEPT (1u << 16)

/* Whether the reader's terminal shows the letters of UTF-8. Numbers keep their point. */
static bool is_utf8(void)
{
	setlocale(LC_CTYPE, "");
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static enum outcome_status print(const struct leak_report *report, enum form form)
{
	bool complete = true;

	if (form == FORM_JSON)
		complete = leak_json(report, stdout);
	else if (report->outcome->leak.known)
		leak_put_text(report, form == FORM_VERBOSE, is_utf8(), stdout);
	else if (report->outcome->interrupted)
		puts("Interrupted before there was a verdict.");
	if (!complete)
		log_line(LOG_ERROR, "%s", strerror(ENOMEM));
	return streams_written() && complete ? OUTCOME_OK : OUTCOME_OUTPUT;
}

enum outcome_status measure_leak(struct wanted *wanted, struct target *target)
{
	struct raw raw;
	struct tries tries = {
		.options = wanted->options,
		.timeout_ns = wanted->timeout_ns,
		.raw = &raw,
		.link = wanted->links ? &wanted->link : NULL,
		.leak_flags = wanted->leak_flags,
		.threshold = wanted->threshold,
	};
	struct outcome outcome = { .targets = target, .targets_count = 1, .plan = wanted->plan };
	const struct leak_report report = { &outcome, wanted->threshold > 0, wanted->leak_flags };
	enum outcome_status status, written, printed;
	size_t count = 1;

	tries.options.works_max = 2;
	tries.options.samples_max = KEPT;
	wanted->link.harness = relink_harness();
	target->leak = true;
	signals_prepare();
	written = raw_status("--raw", &raw, raw_open(&raw, wanted->raw));
	if (written != OUTCOME_OK)
		return written;
	status = tries_run_all(&tries, target, 1, &outcome, &count);
	tries_end(&tries);
	if (status == OUTCOME_OK)
		status = leak_status(&report);
	written = raw_end("--raw", &raw, outcome.leak.known, outcome.interrupted, leak_put_times,
			  &report);
	/* From here on, signals end this program: the reader of its output may have stopped. */
	if (signals_release() && status == OUTCOME_OK)
		status = OUTCOME_INTERRUPTED;
	outcome.interrupted = status == OUTCOME_INTERRUPTED;
	printed = print(&report, wanted->form);
	outcome_free(&outcome);
	return status_of_both(status_of_both(status, printed), written);
}
