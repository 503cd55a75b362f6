/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "tries.h"
#include "answer.h"
#include "failure.h"
#include "log.h"
#include "memory.h"
#include "plan.h"
#include "raw.h"
#include "raw-clock.h"
#include "signals.h"
#include "watch.h"
#include "files/mistake.h"
#include "link/describe.h"
#include "result/settle.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* From this budget on, processes have OUTCOME_PER_PROCESS layouts. The first verdict, after 40
 * processes, takes about 2 s then, and 1.5 s with half as many layouts. */
#define LONG_NS UINT64_C(10000000000)

/* What is to be done when a child has ended. */
enum next {
	NEXT_PROCESS, /* measure on in another one */
	NEXT_TRY,     /* begin again without the function that has failed */
	NEXT_NOTHING
};

/* A child that has ended, and what it has left. */
struct process {
	struct child_memory memory;
	struct watched watched;
	struct record *records[OUTCOME_PER_PROCESS];
	size_t layouts; /* that were measured, and have their records */
	int error;      /* there is none that makes sense, because of this */
};

/* The records of all layouts that a child has measured in. The first one is there also if the child
 * has only opened its meter. */
static void take_records(const struct child_job *job, struct process *process)
{
	bool measured = true;

	process->layouts = 0;
	for (size_t i = 0; i < job->layouts && measured; i++) {
		struct record **const record = &process->records[i];
		const int error = answer_take(job, &process->memory, i, record);

		measured = *record && (*record)->measured;
		process->layouts += measured;
		if (error && (i == 0 || error != -ENODATA))
			process->error = error;
	}
}

/* Whether the child has measured in so many layouts as it was to. After the first process, a run
 * knows how many these are. */
static bool is_whole(const struct child_job *job, const struct process *process)
{
	return process->layouts == job->layouts || signals_asked() || job->may_be_slow;
}

/* Write the samples of the next process, which has one layout then. */
static void put_samples(struct raw *raw, const struct process *process,
			const struct outcome *outcome)
{
	const struct record *const record = process->records[0];
	const double **const samples = calloc(outcome->count + 1, sizeof *samples);

	if (!samples) {
		raw_keep(raw, -ENOMEM);
		return;
	}
	for (size_t i = 0; i < outcome->count; i++)
		samples[i] = answer_samples(record, &process->memory, i);
	raw_append(raw, raw_put_samples,
		   &(struct raw_samples){ outcome, samples, record->samples / record->places,
					  record->places });
	free(samples);
}

static enum outcome_status add_layouts(struct tries *tries, const struct child_job *job,
				       const struct process *process, struct outcome *outcome)
{
	if (!child_tests_leak(job))
		put_samples(tries->raw, process, outcome);
	if (outcome->layouts == 0)
		outcome->per_process = process->layouts;
	for (size_t i = 0; i < process->layouts; i++) {
		const int error = answer_add(process->records[i], job, &process->memory, outcome);

		if (error)
			return failure_not_added(outcome, error);
	}
	outcome->checked = !job->n && !signals_asked();
	return OUTCOME_OK;
}

static bool leaves_out(const struct process *process, struct outcome *outcome)
{
	for (size_t i = 0; i < process->layouts; i++)
		if (outcome_leaves_out(outcome, &process->records[i]->part))
			return true;
	return false;
}

/* A function that the first process could measure is not too fast, only because one pilot was
 * disturbed. */
static enum outcome_status too_fast(struct child_job *job, const struct child_memory *memory,
				    enum next *next)
{
	if (job->process > 0)
		return OUTCOME_OK;
	*next = NEXT_TRY;
	return failure_too_fast(job, memory);
}

/* Whether a later process got another counter than the first one, or none: its figures would be in
 * another unit. A counter of which this depends on chance is one for some processes only. */
static bool has_another_counter(const struct outcome *outcome, const struct process *process)
{
	if (outcome->layouts == 0)
		return false;
	if (!process->records[0])
		return process->memory.shared->last == CHILD_OPENS;
	return strcmp(process->records[0]->counter, outcome->counter) != 0;
}

/* What came of one child. */
static enum outcome_status judge(struct tries *tries, struct child_job *job,
				 const struct process *process, struct outcome *outcome,
				 enum next *next)
{
	const struct child_memory *const memory = &process->memory;
	const size_t before = job->n;
	enum outcome_status status;

	switch (process->watched.end) {
	case WATCH_DONE:
		*next = NEXT_PROCESS;
		if (has_another_counter(outcome, process))
			return OUTCOME_OK;
		if (memory->shared->error == -ERANGE && job->n > 0)
			return too_fast(job, memory, next);
		if (!memory->shared->error && !process->error && process->layouts > 0 &&
		    is_whole(job, process))
			return leaves_out(process, outcome) ?
				       OUTCOME_OK :
				       add_layouts(tries, job, process, outcome);
		*next = NEXT_NOTHING;
		if (memory->shared->error)
			return failure_refused(job, memory);
		return failure_not_added(outcome, process->error ? process->error : -ENODATA);
	case WATCH_INTERRUPTED:
		return OUTCOME_INTERRUPTED;
	default:
		status = failure_end(job, memory, &process->watched, outcome);
		*next = job->n < before ? NEXT_TRY : NEXT_NOTHING;
		return status;
	}
}

/* Run one child. */
static enum outcome_status run_process(struct tries *tries, struct child_job *job,
				       struct progress *progress, struct outcome *outcome,
				       enum next *next)
{
	struct reason_text reason;
	enum outcome_status status;
	struct process p = { .layouts = 0 };

	*next = NEXT_NOTHING;
	if (memory_map(job, &p.memory, &reason)) {
		failure_complain("memory", &reason);
		return OUTCOME_FAILED;
	}
	watch_run(job, &p.memory, tries->raw, tries->timeout_ns, progress, &p.watched);
	take_records(job, &p);
	/* What the first process of a run has found out about the counter serves the later ones,
	 * too. */
	if (p.records[0] && !outcome->opened) {
		answer_counter(p.records[0], outcome);
		tries->known = p.records[0]->known;
	}
	status = judge(tries, job, &p, outcome, next);
	if (signals_asked() && !outcome->leak.known) {
		outcome->interrupted = true;
		status = status_of_both(status, OUTCOME_INTERRUPTED);
	}
	for (size_t i = 0; i < OUTCOME_PER_PROCESS; i++)
		free(p.records[i]);
	memory_unmap(&p.memory);
	return status;
}

static void mark_not_linked(struct target *target, const struct reason_text *reason)
{
	target->state = TARGET_NOT_LINKED;
	target->reason = *reason;
}

/* Link the program of the next process, if there is one. */
static enum outcome_status link_next(struct tries *tries, struct child_job *job,
				     struct outcome *outcome)
{
	struct reason_text reason;

	if (!tries->relink.link || job->n == 0 || !relink_make(&tries->relink, job, &reason))
		return OUTCOME_OK;
	if (signals_asked()) {
		outcome->interrupted = true;
		return OUTCOME_INTERRUPTED;
	}
	failure_complain("linking", &reason);
	if (child_tests_leak(job))
		mark_not_linked(job->targets[0], &reason);
	return OUTCOME_FAILED;
}

/* Whether the next process names the functions from the last to the first: which of two is loaded
 * and named first is no difference between them. */
static bool draw_order(struct tries *tries, struct child_job *job, uint64_t seed)
{
	if (!tries->relink.link)
		return job->process % 2;
	job->first_side = relink_draw(&tries->relink, seed, job->process, job->layouts);
	return tries->relink.placement.reversed;
}

/* Where the next process's functions lie in this one of its layouts. */
static void note_places(const struct relink *relink, const struct child_job *job, size_t layout,
			struct outcome *outcome)
{
	const size_t first = job->first_side + layout * relink->n;

	for (size_t i = 0; i < outcome->count; i++)
		outcome->functions[i].places[outcome->layouts + layout] =
			relink->placement.starts[first + outcome->functions[i].target->side];
}

/* The functions that have not failed, in this order or in the opposite one. */
static void choose_targets(struct child_job *job, struct target targets[], size_t n, bool reversed)
{
	job->n = 0;
	job->reversed = reversed;
	for (size_t i = 0; i < n; i++) {
		struct target *target = &targets[reversed ? n - 1 - i : i];

		if (target->state == TARGET_MEASURED)
			job->targets[job->n++] = target;
	}
}

/* Whether one function of a pair is left. Its first process has shown that it does not fail, and
 * there is nothing to compare it with. */
static bool is_alone(const struct outcome *outcome, const struct child_job *job, size_t n)
{
	return outcome->pair && job->n < n;
}

/* The process after those that have measured so far. */
static void advance_job(const struct tries *tries, const struct outcome *outcome,
			struct child_job *job)
{
	if (outcome->layouts > 0) {
		job->iterations = outcome->functions[0].results[0].iterations;
		job->known = tries->known;
		job->layouts = outcome->per_process;
		job->may_be_slow = false;
	}
	/* A process of a replicate that has left nothing is repeated, at the same places. */
	job->process = tries->relink.link ? outcome_processes(outcome) : job->process + 1;
	job->so_far = outcome_so_far(outcome);
}

/* The first process, or the next one of a pair that goes on. */
static void begin_job(const struct tries *tries, const struct outcome *outcome,
		      struct child_job *job)
{
	job->process = 0;
	job->layouts = tries->relink.link ? tries->relink.per_process : 1;
	job->may_be_slow = true;
	job->iterations = 0;
	job->so_far = NAN;
	job->known.known = false;
	if (outcome->layouts > 0)
		advance_job(tries, outcome, job);
}

/* Measure what has not failed yet, in one process after the other, until the time is over; or go on
 * with that. */
static enum outcome_status try_once(struct tries *tries, struct child_job *job,
				    struct target targets[], size_t n, struct outcome *outcome,
				    bool *again)
{
	uint64_t begun_ns = raw_clock_ns();
	struct progress progress = { .begun_ns = outcome->begun_ns ? outcome->begun_ns : begun_ns };
	enum outcome_status status = OUTCOME_OK;
	enum next next = NEXT_NOTHING;

	choose_targets(job, targets, n, false);
	if (outcome->layouts == 0) {
		raw_begin(tries->raw);
		if (outcome_begin(outcome, job->targets, job->n)) {
			log_line(LOG_ERROR, "%s", strerror(ENOMEM));
			return OUTCOME_FAILED;
		}
	}
	begun_ns -= outcome->elapsed_ns;
	begin_job(tries, outcome, job);
	do {
		choose_targets(job, targets, n, draw_order(tries, job, outcome->plan.seed));
		if (n > 0 && !plan_process(job, outcome))
			break;
		for (size_t i = 0; tries->relink.link && i < job->layouts; i++)
			note_places(&tries->relink, job, i, outcome);
		status = link_next(tries, job, outcome);
		if (status == OUTCOME_OK)
			status = run_process(tries, job, &progress, outcome, &next);
		outcome->elapsed_ns = raw_clock_ns() - begun_ns;
		advance_job(tries, outcome, job);
	} while (next == NEXT_PROCESS && status == OUTCOME_OK && n > 0 &&
		 !outcome_knows_enough(outcome) && !is_alone(outcome, job, n) &&
		 outcome->elapsed_ns < job->budget_ns);
	progress_clear(&progress);
	*again = next == NEXT_TRY && job->n > 0 && !signals_asked();
	if (next != NEXT_TRY && outcome->layouts > 0)
		outcome_settle(outcome);
	else
		outcome_begin(outcome, NULL, 0);
	return status;
}

static enum outcome_status run(struct tries *tries, struct target targets[], size_t n,
			       struct outcome *outcome)
{
	struct child_job job = { .options = tries->options,
				 .leak_flags = tries->leak_flags,
				 .threshold = tries->threshold,
				 .budget_ns = plan_budget(outcome),
				 .input = tries->input,
				 .pair = outcome->pair ? targets[0].function : NULL,
				 .number = outcome->number,
				 .all = outcome->all,
				 .copies = relink_has_copies(&tries->relink) };
	enum outcome_status status = OUTCOME_OK;
	bool again;

	outcome->targets = targets;
	outcome->targets_count = n;
	job.targets = calloc(n + 1, sizeof *job.targets);
	if (!job.targets) {
		log_line(LOG_ERROR, "%s", strerror(ENOMEM));
		return OUTCOME_FAILED;
	}
	do {
		again = false;
		status = status_of_both(status, try_once(tries, &job, targets, n, outcome, &again));
	} while (again);
	free(job.targets);
	if (outcome_lacks_events(outcome))
		status = status_of_both(status, OUTCOME_NOT_COUNTED);
	if (outcome->checked)
		machine_judge(&tries->machine, &outcome->warnings, &outcome->notes);
	if (outcome->check && status == OUTCOME_OK && outcome->warnings.n)
		status = OUTCOME_WARNING;
	return status;
}

/* Whether the next size or pair may do better. */
static bool may_go_on(enum outcome_status status)
{
	return status == OUTCOME_OK || status == OUTCOME_CRASHED || status == OUTCOME_HUNG ||
	       status == OUTCOME_TOO_FAST || status == OUTCOME_NOT_COUNTED;
}

void tries_end(struct tries *tries)
{
	relink_end(&tries->relink);
	tries->relink = (struct relink){ 0 };
}

/* See which parameters the functions of shared objects have. Without a slash, a file lies in one of
 * the system's folders, and has no debug information. 0 or -EPROTOTYPE, with the number of the
 * target that has its reason. */
static int describe_loaded(struct target targets[], size_t n, size_t *which)
{
	const char *const harness = relink_harness();
	int error = 0;

	for (size_t i = 0; harness && i < n && !error; i++) {
		const char *const path = targets[i].library;

		error = describe_target(strchr(path, '/') ? path : NULL, harness, &targets[i]);
		*which = i;
	}
	return error;
}

/* How many layouts one process is to measure. Functions are set up for each of them, which takes
 * long where they have buffers. Few samples (-n) are of many processes rather than of many layouts.
 * In a short time there would be too few processes of many layouts for a verdict.
 */
static size_t layouts_wanted(const struct tries *tries, const struct target targets[],
			     const struct outcome *outcome)
{
	const bool is_short = outcome->layouts == 0 && outcome->plan.budget_ns < LONG_NS;

	if (tries->one_layout || outcome->plan.samples || targets[0].sized)
		return 1;
	return is_short ? OUTCOME_PER_PROCESS / 2 : OUTCOME_PER_PROCESS;
}

/* Whether the functions can be called, and what is linked for each process, if it is; or whether
 * they are unchanged. *general: it could not be done for any function. */
static enum outcome_status begin_linking(struct tries *tries, struct target targets[], size_t n,
					 struct outcome *outcome, bool *general)
{
	struct reason_text reason;
	size_t which;
	const uint64_t begun_ns = raw_clock_ns();
	int error;

	*general = true;
	if (tries->link) {
		struct link_options options = *tries->link;

		/* All pairs have been compared before. */
		options.without_unchanged = options.without_unchanged && !outcome->pair;
		error = relink_begin(&tries->relink, targets, n,
				     layouts_wanted(tries, targets, outcome), &options, &which,
				     &reason);
	} else {
		error = describe_loaded(targets, n, &which);
	}
	outcome->prepared_ns = raw_clock_ns() - begun_ns;
	outcome->unchanged = error == -EALREADY;
	if (!error || outcome->unchanged)
		return OUTCOME_OK;
	if (signals_asked()) {
		outcome->interrupted = true;
		return OUTCOME_INTERRUPTED;
	}
	if (error == -EPROTOTYPE) {
		targets[which].state = TARGET_PARAMETERS;
		reason = targets[which].reason;
	}
	if (!outcome_is_left_out(outcome))
		failure_complain(which < n ? targets[which].label : "linking", &reason);
	*general = which == n || (error != -EINVAL && error != -ENOENT && error != -EPROTOTYPE);
	if (error != -EPROTOTYPE && (!*general || targets[0].leak))
		mark_not_linked(&targets[which < n ? which : 0], &reason);
	return failure_not_linked(error, which < n);
}

static enum outcome_status run_pair(struct tries *tries, struct target targets[], size_t n,
				    struct outcome *outcome, bool *go_on)
{
	bool general;
	enum outcome_status status = begin_linking(tries, targets, n, outcome, &general);

	if (status == OUTCOME_OK) {
		status = run(tries, targets, n, outcome);
		*go_on = (may_go_on(status) || status == OUTCOME_FAILED) && !outcome->interrupted;
	} else {
		*go_on = status != OUTCOME_INTERRUPTED && !general;
	}
	tries_end(tries);
	return outcome_is_left_out(outcome) && *go_on ? OUTCOME_OK : status;
}

/* See which pairs are unchanged, and of which the names say that they have parameters, so that the
 * others have all of the time and the error. Returns how many others there are. */
static size_t look_for_unchanged(const struct tries *tries, struct target targets[], size_t n,
				 struct outcome outcomes[], size_t count)
{
	bool *const unchanged =
		tries->link->without_unchanged ? calloc(count, sizeof *unchanged) : NULL;
	size_t left = 0;

	if (unchanged)
		link_find_unchanged(targets, count, tries->link, unchanged);
	for (size_t i = 0; i < count; i++) {
		struct target *const target = &targets[i * n];

		outcomes[i].unchanged = unchanged && unchanged[i];
		if (outcomes[i].unchanged)
			continue;
		if (target->listed && describe_by_name(target))
			target->state = TARGET_PARAMETERS;
		else
			left++;
	}
	free(unchanged);
	return left;
}

/* About how many replicates would tell is known within a factor of 2. */
#define NEEDED_WITHIN 2

/* Whether more processes might tell that the functions are the same, as the user has asked. */
static bool may_tell(const struct outcome *outcome, const struct target *target)
{
	const struct verdict *v;

	if (outcome->count < 2 || outcome->decided)
		return false;
	v = &outcome->functions[outcome->count - 1].measured.verdict;
	return outcome->within > 0 && target->state == TARGET_MEASURED &&
	       v->kind == VERDICT_CANNOT_TELL && outcome->layouts < outcome_most(outcome) &&
	       v->needed <= NEEDED_WITHIN * OUTCOME_REPLICATES;
}

/* Pairs go on that had too little time, while others have left some. */
static enum outcome_status resume_pairs(struct tries *tries, struct target targets[], size_t n,
					struct outcome outcomes[], size_t count, uint64_t begun_ns)
{
	enum outcome_status all = OUTCOME_OK;
	bool go_on = true, any;

	do {
		size_t left = 0;

		any = false;
		for (size_t i = 0; i < count; i++)
			left += may_tell(&outcomes[i], &targets[i * n]);
		for (size_t i = 0; i < count && go_on; i++) {
			const uint64_t all_ns = outcomes[i].plan.budget_ns;

			if (!may_tell(&outcomes[i], &targets[i * n]))
				continue;
			if (plan_again(&outcomes[i], begun_ns, left--)) {
				any = true;
				all = status_of_both(all, run_pair(tries, targets + i * n, n,
								   &outcomes[i], &go_on));
			}
			outcomes[i].plan.budget_ns = all_ns;
		}
	} while (any && go_on);
	return all;
}

static enum outcome_status run_pairs(struct tries *tries, struct target targets[], size_t n,
				     struct outcome outcomes[], size_t *count, uint64_t begun_ns)
{
	const size_t changed = look_for_unchanged(tries, targets, n, outcomes, *count);
	size_t left = changed;
	enum outcome_status all = OUTCOME_OK;
	bool go_on = true;

	for (size_t i = 0; i < *count; i++) {
		const uint64_t all_ns =
			outcomes[i].plan.budget_ns * (tries->time_of_each ? changed : 1);

		outcomes[i].plan.budget_ns = all_ns;
		outcomes[i].begun_ns = begun_ns;
		outcomes[i].targets = targets + i * n;
		outcomes[i].targets_count = n;
		if (outcomes[i].unchanged || targets[i * n].state != TARGET_MEASURED)
			continue;
		/* Only what is measured may be wrong. */
		outcomes[i].plan.alpha *= (double)*count / (double)changed;
		if (go_on && plan_pair(&outcomes[i], begun_ns, left--))
			all = status_of_both(all, run_pair(tries, targets + i * n, n, &outcomes[i],
							   &go_on));
		outcomes[i].plan.budget_ns = all_ns;
	}
	if (go_on)
		all = status_of_both(all,
				     resume_pairs(tries, targets, n, outcomes, *count, begun_ns));
	return all;
}

/* What was found out of n targets holds for all sizes of them. False: a function does not take one
 * of the sizes, and a line says so. */
static bool share_link(struct target targets[], size_t n, size_t sizes)
{
	for (size_t t = 0; t < n * sizes; t++) {
		targets[t].side = targets[t % n].side;
		targets[t].signature = targets[t % n].signature;
		if (mistake_in_parameters(&targets[t], &targets[t].reason)) {
			failure_complain(targets[t].label, &targets[t].reason);
			return false;
		}
	}
	return true;
}

static enum outcome_status run_sizes(struct tries *tries, struct target targets[], size_t n,
				     struct outcome outcomes[], size_t *count, uint64_t begun_ns)
{
	enum outcome_status all;
	bool general;

	all = begin_linking(tries, targets, n, &outcomes[0], &general);
	if (all == OUTCOME_OK && !share_link(targets, n, *count))
		all = OUTCOME_NOT_FOUND;
	if (all != OUTCOME_OK)
		*count = 1;
	for (size_t i = 0; i < *count && outcomes[0].unchanged; i++) {
		outcomes[i].targets = targets + i * n;
		outcomes[i].targets_count = n;
		outcomes[i].unchanged = true;
	}
	if (outcomes[0].unchanged)
		return all;
	for (size_t i = 0; i < *count && may_go_on(all); i++) {
		enum outcome_status status;

		outcomes[i].begun_ns = begun_ns;
		status = run(tries, targets + i * n, n, &outcomes[i]);
		all = status_of_both(all, status);
		if (outcomes[i].interrupted || !may_go_on(status))
			*count = i + 1;
	}
	return all;
}

enum outcome_status tries_run_all(struct tries *tries, struct target targets[], size_t n,
				  struct outcome outcomes[], size_t *count)
{
	return (outcomes[0].pair ? run_pairs : run_sizes)(tries, targets, n, outcomes, count,
							  raw_clock_ns());
}
