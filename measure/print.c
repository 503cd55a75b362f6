/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Measures functions and prints the table of them: cpucycles_measure_print(). */

#include "config.h"

#pragma GCC visibility push(default)
#include "cpucycles-measure.h"
#pragma GCC visibility pop

#include "figures.h"
#include "sized.h"
#include "judge.h"
#include "letters.h"
#include "meter.h"
#include "reason.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* Samples of each function in one run, unless the plan says more or fewer: at most. */
#define SAMPLES_DEFAULT (1u << 16)
#define SAMPLES_MOST (1u << 18)

/* Room for the name of a function. A longer one is cut. */
#define NAME 400

/* What is printed of one function. */
struct row {
	struct cpucycles_work given;
	size_t work; /* its number in the run */
	char name[NAME];
	struct reason_text reason;
	struct measured measured;
};

struct printer {
	FILE *to;
	size_t n;
	struct cpucycles_meter *meter;
	struct cpucycles_work *works; /* the works that are not too fast */
	size_t works_count;
	struct row *rows;
	struct figures_function *functions;
};

static const char *given_name(const struct cpucycles_work *work)
{
	return work->name && *work->name ? work->name : "work";
}

/* The second function of a name gets " (2)" at its end, and so on. */
static void name_rows(struct printer *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const char *const name = given_name(&p->rows[i].given);
		size_t same = 1;

		for (size_t earlier = 0; earlier < i; earlier++)
			same += !strcmp(given_name(&p->rows[earlier].given), name);
		if (same > 1)
			snprintf(p->rows[i].name, NAME, "%.*s (%zu)",
				 letters_within(name, NAME - 24), name, same);
		else
			snprintf(p->rows[i].name, NAME, "%.*s", letters_within(name, NAME - 1),
				 name);
	}
}

static int take_works(struct printer *p, const struct cpucycles_work works[],
		      struct reason_text *reason)
{
	int error = 0;

	reason_clear(reason);
	for (size_t i = 0; i < p->n && !error; i++)
		error = meter_take_work(works, i, &p->rows[i].given, reason);
	return error;
}

/* Print why nothing is printed, and return that. */
static int refuse(FILE *to, int error, const struct reason_text *reason)
{
	if (!reason->what[0])
		return error;
	table_put(reason->what, TABLE_TEXT, to);
	if (reason->remedy[0]) {
		fputs("; ", to);
		table_put(reason->remedy, TABLE_TEXT, to);
	}
	putc('\n', to);
	return error;
}

/* Measure the functions that were not too fast so far. */
static int run_once(struct printer *p, const struct cpucycles_plan *plan,
		    struct reason_text *reason)
{
	p->works_count = 0;
	for (size_t i = 0; i < p->n; i++) {
		if (p->rows[i].reason.what[0])
			continue;
		p->rows[i].work = p->works_count;
		p->works[p->works_count++] = p->rows[i].given;
	}
	if (p->works_count == 0)
		return 0;
	return meter_run(p->meter,
			 &(struct meter_order){
				 .works = p->works, .n = p->works_count, .plan = plan },
			 reason);
}

static void leave_out(struct printer *p, size_t work, const struct reason_text *reason)
{
	for (size_t i = 0; i < p->n; i++)
		if (!p->rows[i].reason.what[0] && p->rows[i].work == work)
			p->rows[i].reason = *reason;
}

#define ADVICE 100

static void advise(const struct run *run, const struct verdict *verdict, char advice[ADVICE])
{
	const uint64_t needed = judge_needed(run, verdict);

	advice[0] = 0;
	if (verdict->kind != VERDICT_CANNOT_TELL)
		return;
	if (!isfinite(verdict->high))
		snprintf(advice, ADVICE,
			 "These were too few samples: at least %" PRIu64 " of each are needed.",
			 needed);
	else if (needed)
		snprintf(advice, ADVICE, "About %" PRIu64 " samples of each might tell.", needed);
	else
		snprintf(advice, ADVICE, "No difference was seen.");
}

static void compare(const struct printer *p, size_t i)
{
	const struct run *const run = &p->meter->run;
	struct row *const row = &p->rows[i];
	char advice[ADVICE];

	row->measured.verdict = p->meter->findings[row->work].verdict;
	row->measured.mean_verdict.ratio = NAN;
	row->measured.compared = true;
	advise(run, &row->measured.verdict, advice);
	figures_sentence(&p->functions[i], &p->functions[0], " in this process, at these addresses",
			 "", advice);
}

/* The numbers of a work that was measured. */
static int take_numbers(const struct cpucycles_meter *m, size_t work, struct measured *measured)
{
	const struct judge_findings *findings;
	const struct cpucycles_result *r;
	const int error = meter_findings(m, work, &findings);

	if (error)
		return error;
	r = &findings->result;
	measured->result = *r;
	/* One run has an interval of its median only. That of the mean is as wide. */
	measured->mean_low = r->iqm + (r->low - r->median);
	measured->mean_high = r->iqm + (r->high - r->median);
	measured->units_per_cycle[0] = measured->units_per_cycle[1] = r->units_per_cycle;
	measured->renewed = m->run.tracks[work].work.before;
	judge_warn(findings, &measured->warnings);
	return 0;
}

/* What is known of function number i. Without figures of the first one, nothing is compared with
 * another in its place. */
static int fill(const struct printer *p, size_t i)
{
	const struct cpucycles_meter *m = p->meter;
	struct row *const row = &p->rows[i];
	struct figures_function *const f = &p->functions[i];
	int error;

	f->name = row->name;
	f->bytes = p->rows[i].given.bytes;
	if (row->reason.what[0]) {
		f->reason = row->reason.what;
		if (i == 0 && p->works_count > 0)
			figures_missed(f);
		return 0;
	}
	error = take_numbers(m, row->work, &row->measured);
	if (error)
		return error;
	f->measured = &row->measured;
	f->runs = 1;
	f->resolution = m->instrument.resolution;
	f->ns_per_unit = m->findings[row->work].ns_per_unit;
	f->ns_error = m->findings[row->work].ns_error;
	if (i > 0 && !p->rows[0].reason.what[0])
		compare(p, i);
	return 0;
}

/* Whether standard output has the lines on this counter already. They are for the first of several
 * tables, such as those of cpucycles_measure::compare(). */
static bool is_known(const struct printer *p, const struct figures *figures)
{
	static _Atomic(const char *) counter;
	static atomic_int no_cycles;
	const int none = figures_no_cycles(figures);
	bool known;

	if (p->to != stdout)
		return false;
	known = atomic_exchange(&counter, figures->counter) == figures->counter;
	return atomic_exchange(&no_cycles, none) == none && known;
}

static int print_all(const struct printer *p, const struct reason_text *next_best)
{
	const struct cpucycles_meter *m = p->meter;
	const struct figures_lack lack = { "next best", next_best };
	struct figures figures = {
		.counter = m->source.name,
		.resolution = m->instrument.resolution,
		.unit = judge_unit(m->source.unit),
		.functions = p->functions,
		.count = p->n,
		.lacks = &lack,
		.lacks_count = m->next_best,
	};
	int error = 0;

	for (size_t i = 0; i < p->n && !error; i++)
		error = fill(p, i);
	/* Where the figures are core cycles all the same, nothing is lacking. */
	if (figures_has_cycles(&figures))
		figures.lacks_count = 0;
	if (!error && is_known(p, &figures)) {
		putc('\n', p->to);
		figures.counter = NULL;
		figures.lacks_count = 0;
	}
	return error ? error : figures_print(&figures, TABLE_TEXT, p->to);
}

/* The meter is open. 0; -ERANGE: some are too fast, and their rows say so; another error. */
static int measure_all(struct printer *p, const struct cpucycles_plan *plan,
		       const struct reason_text *next_best)
{
	struct reason_text reason;
	int error, answer = 0;

	reason_clear(&reason);
	while ((error = run_once(p, plan, &reason)) == -ERANGE) {
		leave_out(p, p->meter->run.too_fast, &reason);
		answer = -ERANGE;
	}
	if (error)
		return refuse(p->to, error, &reason);
	meter_judge(p->meter);
	error = print_all(p, next_best);
	return error ? error : answer;
}

/* Samples of each that the plan asks for. A plan that makes no sense is refused by
 * the run. */
static size_t samples_of(const struct cpucycles_plan *plan)
{
	struct cpucycles_plan p;

	if (!plan || sized_copy_in(&p, plan, sizeof p) || !p.samples)
		return SAMPLES_DEFAULT;
	return p.samples < SAMPLES_MOST ? (size_t)p.samples : SAMPLES_MOST;
}

static int open_and_measure(struct printer *p, const struct cpucycles_plan *plan)
{
	const struct cpucycles_meter_options options = {
		.size = sizeof options,
		.need = CPUCYCLES_NEED_CYCLES,
		.flags = CPUCYCLES_METER_NEXT_BEST,
		.works_max = p->n,
		.samples_max = samples_of(plan),
	};
	struct reason_text reason;
	int error;

	error = meter_open(&p->meter, &options, &reason);
	if (error)
		return refuse(p->to, error, &reason);
	error = measure_all(p, plan, &reason);
	cpucycles_meter_close(p->meter);
	return error;
}

int cpucycles_measure_print(FILE *to, const struct cpucycles_work works[], size_t n,
			    const struct cpucycles_plan *plan)
{
	struct printer p = { .to = to, .n = n };
	struct reason_text reason;
	int error;

	/* A stream of wide characters takes none of these. */
	if (!to || fwide(to, 0) > 0)
		return -EINVAL;
	if (!works || n == 0 || n > SIZE_MAX / sizeof *p.rows)
		return refuse(to, reason_say(&reason, EINVAL, "works: %zu, expected 1 or more", n),
			      &reason);
	p.works = calloc(n, sizeof *p.works);
	p.rows = calloc(n, sizeof *p.rows);
	p.functions = calloc(n, sizeof *p.functions);
	if (p.works && p.rows && p.functions)
		error = take_works(&p, works, &reason);
	else
		error = reason_say(&reason, ENOMEM, "%s", strerror(ENOMEM));
	if (error) {
		refuse(to, error, &reason);
	} else {
		name_rows(&p);
		error = open_and_measure(&p, plan);
	}
	free(p.works);
	free(p.rows);
	free(p.functions);
	return fflush(to) || ferror(to) ? -EIO : error;
}
