/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "harness-run.h"
#include "harness-programs.h"
#include "log.h"
#include "output.h"
#include "raw-clock.h"
#include "signals.h"
#include "verdict.h"
#include "files/pairs.h"
#include "harness/driver.h"
#include "link/scratch.h"
#include "result/gate.h"
#include "run/alternate.h"
#include "run/failure.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The time of one benchmark, if -t does not say another one. */
#define EACH_S 20

/* A verdict has PAIRS_LEAST pairs of runs at least, and a useful one has AIM times as many. */
#define PAIRS_LEAST 15
#define AIM 6

/* How long a benchmark is repeated in one run. More runs tell more than longer ones, because most
 * of the noise is from run to run: of a benchmark of Go, 198 pairs of 0.02 s told as much in 15 s
 * as 47 pairs of 0.1 s in 37 s. But a run is not shorter than what it takes beside the benchmark.
 */
#define SECONDS_USUAL 0.02
#define SECONDS_MOST 0.1
#define SECONDS_LEAST 0.001

/* The benchmarks of both sides */

/* The part of a path before its last slash, and what is after it. */
static void split_path(struct side *side)
{
	const char *const slash = strrchr(side->given, '/');

	side->folder =
		slash ? strndup(side->given, (size_t)(slash - side->given) + 1) : strdup(".");
	side->path = strdup(slash ? slash + 1 : side->given);
}

/* Where a side is, and from where it runs. */
static enum outcome_status find_side(const struct driver *driver, const char *given,
				     struct side *side)
{
	struct stat status;

	side->given = given;
	if (stat(given, &status)) {
		log_line(LOG_ERROR, "%s: %s", given, strerror(errno));
		return OUTCOME_NOT_FOUND;
	}
	if (S_ISDIR(status.st_mode) && !driver->in_folder) {
		log_line(LOG_ERROR, "%s: expected a program with benchmarks of %s, not a folder",
			 given, driver->name);
		return OUTCOME_NOT_FOUND;
	}
	if (S_ISDIR(status.st_mode)) {
		side->folder = strdup(given);
		side->path = strdup(".");
	} else if (driver->in_folder) {
		split_path(side);
	} else {
		side->path = words_join(strchr(given, '/') ? "" : "./", given, "");
	}
	if (side->path && (side->folder || !driver->in_folder))
		return OUTCOME_OK;
	log_line(LOG_ERROR, "%s", strerror(ENOMEM));
	return OUTCOME_FAILED;
}

/* Shown as both have it, and told apart in messages. */
static enum outcome_status name_targets(const struct harness *harness, const char *name,
					struct target targets[2])
{
	for (size_t i = 0; i < 2; i++) {
		const char *const given = harness->sides[i].given;
		char *const argument = words_join(given, ":", name);
		const int error =
			argument ? target_name(targets, i, argument, given, name) : -ENOMEM;

		if (argument)
			targets[i].argument = targets[i].label;
		free(argument);
		if (error) {
			log_line(LOG_ERROR, "%s", strerror(ENOMEM));
			return OUTCOME_FAILED;
		}
	}
	return OUTCOME_OK;
}

/* Time */

/* For how long a benchmark is repeated in a run, if one of two sides takes so long and the pairs
 * are to fit into the time. */
static double shorter(double seconds, double run_s, double each_s, size_t pairs)
{
	const double fit = each_s / (2 * (double)pairs);

	return run_s <= fit ? seconds : fmax(seconds * fit / run_s, SECONDS_LEAST);
}

/* One benchmark before it is measured. */
struct share {
	enum outcome_status status; /* of its first run, which went wrong */
	double seconds;             /* that it is repeated in a run */
	bool wall;                  /* the wall time is judged */
	double needed_s;            /* for the least number of pairs */
};

/* Run a benchmark once, to see how long that takes: more than the time that it is given if it has a
 * time of its own, or is long. */
static void probe(struct bench *bench, double each_s, size_t pairs, struct share *share)
{
	const double most =
		fmax(fmin(each_s / (2.0 * AIM * (double)pairs), SECONDS_MOST), SECONDS_LEAST);
	struct driver_time time;
	double run_s, fit_s;

	bench->seconds = fmin(most, SECONDS_USUAL);
	share->status = harness_run_once(bench, 0, 0, &time);
	bench->wall = bench->harness->wanted->wall || !isfinite(time.cpu_ns);
	run_s = bench->run_ns * 1e-9;
	fit_s = shorter(bench->seconds, run_s, each_s, pairs);
	if (fit_s >= bench->seconds)
		fit_s = fmax(bench->seconds, fmin(run_s - bench->seconds, most));
	if (share->status == OUTCOME_OK && fit_s != bench->seconds) {
		bench->seconds = fit_s;
		share->status = harness_run_once(bench, 0, 0, &time);
	}
	share->seconds = bench->seconds;
	share->wall = bench->wall;
	share->needed_s = 2 * (double)pairs * bench->run_ns * 1e-9;
}

/* All benchmarks that both sides have. */
struct all {
	struct target *targets; /* two of each */
	struct outcome *outcomes;
	struct share *shares;
	size_t count;
	size_t pairs; /* of runs, for a verdict */
};

/* Without -t, each benchmark has a time of its own, or what it needs if that is more. */
static double share_of(const struct harness *harness, const struct share *share)
{
	const double room = 1.25; /* the runs of an hour differ */

	return harness->wanted->plan.budget_ns ? share->needed_s :
						 fmax(EACH_S, room * share->needed_s);
}

/* The time of the benchmarks from number `first` on, in seconds. */
static double sum_of_shares(const struct harness *harness, const struct all *all, size_t first)
{
	double sum = 0;

	for (size_t k = first; k < all->count; k++)
		if (all->shares[k].status == OUTCOME_OK)
			sum += share_of(harness, &all->shares[k]);
	return sum;
}

/* How long it takes, if that is not what a user expects. Returns the time, in seconds. */
static double tell_time(const struct harness *harness, const struct all *all)
{
	const double given_s = (double)harness->wanted->plan.budget_ns * 1e-9;
	const double sum_s = sum_of_shares(harness, all, 0);

	if (given_s > 0 && sum_s > given_s)
		log_line(LOG_WARNING,
			 "-t %g is too short for verdicts: %zu pairs of runs of each of %zu "
			 "benchmarks take about %.0f s",
			 given_s, all->pairs, all->count, ceil(sum_s));
	else if (!(given_s > 0) && sum_s > (double)all->count * EACH_S)
		log_line(LOG_INFO,
			 "this takes up to %.0f s: %zu pairs of runs, or more, of each of %zu "
			 "benchmarks",
			 ceil(sum_s), all->pairs, all->count);
	return given_s > 0 ? given_s : sum_s;
}

static void begin_outcome(const struct wanted *wanted, const struct all *all, size_t k,
			  struct outcome *outcome)
{
	*outcome = (struct outcome){
		.targets = all->targets + 2 * k,
		.targets_count = 2,
		.subject = OUTCOME_BENCHMARKS,
		.pair = true,
		.named = true,
		.number = k + 1,
		.all = all->count,
	};
	options_plan(wanted, outcome);
	/* All benchmarks share alpha. */
	outcome->plan.alpha = VERDICT_ALPHA / (double)all->count;
}

/* Name the benchmarks, and run each once. A name that is listed and does not run is none: a
 * program may print something else where it lists its benchmarks. */
static enum outcome_status try_all(struct harness *harness, struct all *all)
{
	const struct words *const both = &harness->pairs.both;
	const double given_s = (double)harness->wanted->plan.budget_ns * 1e-9;
	const double each_s = given_s > 0 ? given_s / (double)both->n : EACH_S;

	for (size_t k = 0; k < both->n; k++) {
		struct bench bench = { .harness = harness,
				       .targets = all->targets + 2 * all->count };
		struct share *const share = &all->shares[all->count];
		const enum outcome_status status =
			name_targets(harness, both->list[k], bench.targets);

		all->count += status == OUTCOME_OK;
		if (status != OUTCOME_OK)
			return status;
		probe(&bench, each_s, all->pairs, share);
		if (share->status == OUTCOME_INTERRUPTED)
			return share->status;
		if (bench.absent) {
			log_line(LOG_WARNING, "%s: %s, and is left out", bench.targets[0].label,
				 bench.targets[0].reason.what);
			target_free(bench.targets, 2);
			all->count--;
		}
	}
	return OUTCOME_OK;
}

/* Measure benchmark number k. The time ends at end_ns for all that are left. */
static enum outcome_status measure_one(struct harness *harness, struct all *all, size_t k,
				       uint64_t end_ns)
{
	struct share *const share = &all->shares[k];
	struct outcome *const outcome = &all->outcomes[k];
	struct bench bench = { .harness = harness,
			       .targets = all->targets + 2 * k,
			       .seconds = share->seconds,
			       .wall = outcome->wall };
	const struct alternate alternate = { harness_run_side, &bench };
	const uint64_t now_ns = raw_clock_ns();
	const double part = share_of(harness, share) / sum_of_shares(harness, all, k);

	if (share->status != OUTCOME_OK) {
		failure_complain(bench.targets[0].label, &bench.targets[0].reason);
		return share->status;
	}
	if (now_ns >= end_ns)
		return OUTCOME_OK;
	outcome->plan.budget_ns = (uint64_t)((double)(end_ns - now_ns) * part);
	return alternate_run(&alternate, bench.targets, 2, outcome);
}

static enum outcome_status measure_each(struct harness *harness, struct all *all, uint64_t begun_ns)
{
	const double time_s = tell_time(harness, all);
	const uint64_t end_ns = (harness->wanted->plan.budget_ns ? begun_ns : raw_clock_ns()) +
				(uint64_t)(time_s * 1e9);
	enum outcome_status status = OUTCOME_OK;

	for (size_t k = 0; k < all->count && status != OUTCOME_INTERRUPTED; k++) {
		const enum outcome_status one = measure_one(harness, all, k, end_ns);

		status = one == OUTCOME_INTERRUPTED ? one : status_of_both(status, one);
	}
	return status;
}

/* From names to what is printed. */
static enum outcome_status measure_all(struct harness *harness, struct all *all, uint64_t begun_ns,
				       const struct machine *machine)
{
	enum outcome_status status = try_all(harness, all);

	if (status == OUTCOME_OK && all->count == 0) {
		log_line(LOG_ERROR, "no benchmark of both files runs");
		status = OUTCOME_NOT_FOUND;
	}
	if (status != OUTCOME_OK)
		return status;
	for (size_t k = 0; k < all->count; k++) {
		begin_outcome(harness->wanted, all, k, &all->outcomes[k]);
		all->outcomes[k].wall = all->shares[k].wall;
		output_note_machine(machine, &all->outcomes[k]);
	}
	status = measure_each(harness, all, begun_ns);
	if (status == OUTCOME_OK)
		status = gate_status(all->outcomes, all->count);
	scratch_end(&harness->scratch);
	/* From here on, signals end this program: the reader of its output may have stopped. */
	if (signals_release() && status == OUTCOME_OK) {
		all->outcomes[all->count - 1].interrupted = true;
		status = OUTCOME_INTERRUPTED;
	}
	status = status_of_both(status, output_print(harness->wanted, all->outcomes, all->count));
	for (size_t k = 0; k < all->count; k++)
		outcome_free(&all->outcomes[k]);
	return status;
}

static enum outcome_status run(struct harness *harness, uint64_t begun_ns,
			       const struct machine *machine)
{
	const size_t n = harness->pairs.both.n;
	/* The benchmarks share alpha. */
	const size_t due = verdict_due(VERDICT_ALPHA / (double)n, 1);
	struct all all = {
		.targets = calloc(2 * n, sizeof *all.targets),
		.outcomes = calloc(n, sizeof *all.outcomes),
		.shares = calloc(n, sizeof *all.shares),
		.pairs = due > PAIRS_LEAST ? due : PAIRS_LEAST,
	};
	enum outcome_status status = OUTCOME_FAILED;

	if (!all.targets || !all.outcomes || !all.shares)
		log_line(LOG_ERROR, "%s", strerror(ENOMEM));
	else
		status = measure_all(harness, &all, begun_ns, machine);
	if (all.targets)
		target_free(all.targets, 2 * all.count);
	free(all.targets);
	free(all.outcomes);
	free(all.shares);
	return status;
}

/* The benchmarks that both have, and what only one of them has. */
static enum outcome_status choose(struct harness *harness)
{
	const struct wanted *const wanted = harness->wanted;
	struct pairs *const pairs = &harness->pairs;

	if (pairs_choose_names(pairs, wanted->only, wanted->only_count)) {
		log_line(LOG_ERROR, "%s", strerror(ENOMEM));
		return OUTCOME_FAILED;
	}
	for (size_t i = 0; i < 2; i++)
		output_tell_alone(harness->sides[i].given, &pairs->alone[i]);
	if (pairs->both.n)
		return OUTCOME_OK;
	log_line(LOG_ERROR, "%s and %s have no benchmark in common%s%s", harness->sides[0].given,
		 harness->sides[1].given,
		 wanted->only_count ? "; expected one that fits --only " : "",
		 wanted->only_count ? wanted->only[wanted->only_count - 1] : "");
	return OUTCOME_NOT_FOUND;
}

static enum outcome_status begin(struct harness *harness)
{
	struct reason_text reason;

	if (scratch_begin(&harness->scratch, &reason)) {
		failure_complain(harness->driver->name, &reason);
		return OUTCOME_FAILED;
	}
	harness->result = scratch_file(&harness->scratch, "result");
	harness->output = scratch_file(&harness->scratch, "output");
	if (harness->result && harness->output)
		return OUTCOME_OK;
	log_line(LOG_ERROR, "%s", strerror(ENOMEM));
	return OUTCOME_FAILED;
}

enum outcome_status measure_harness(const struct wanted *wanted, char *const arguments[2])
{
	struct harness harness = { .wanted = wanted, .driver = wanted->harness };
	const uint64_t begun_ns = raw_clock_ns();
	enum outcome_status status = OUTCOME_OK;
	struct machine machine;

	/* Before this program adds to the load, and before it blocks signals. */
	machine_look("", &machine);
	signals_prepare();
	for (size_t i = 0; status == OUTCOME_OK && i < 2; i++)
		status = find_side(harness.driver, arguments[i], &harness.sides[i]);
	if (status == OUTCOME_OK)
		status = begin(&harness);
	for (size_t i = 0; status == OUTCOME_OK && i < 2; i++)
		status = harness_list(&harness, i);
	if (status == OUTCOME_OK)
		status = choose(&harness);
	if (status == OUTCOME_OK)
		status = run(&harness, begun_ns, &machine);
	scratch_end(&harness.scratch);
	signals_release();
	pairs_free(&harness.pairs);
	for (size_t i = 0; i < 2; i++) {
		free(harness.sides[i].path);
		free(harness.sides[i].folder);
	}
	free(harness.result);
	free(harness.output);
	return status;
}
