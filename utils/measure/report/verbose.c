/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "verbose.h"
#include "row.h"
#include "sentences.h"
#include "subject.h"
#include "result/settle.h"
#include "letters.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Room for a number, also a large one. */
#define NUMBER 64

/* With the decimals that a reader can use. */
static const char *number(double value, char text[NUMBER])
{
	double size = fabs(value);

	snprintf(text, NUMBER, "%.*f",
		 size < 10     ? 3 :
		 size < 100    ? 2 :
		 size < 100000 ? 1 :
				 0,
		 value);
	return text;
}

/* A line that has a text from outside in it. */
static void put_line(const char *name, const char *text, FILE *to)
{
	fprintf(to, "%-11s ", name);
	table_put(text, TABLE_TEXT, to);
	putc('\n', to);
}

static void put_reason(const char *name, const struct reason_text *reason, FILE *to)
{
	put_line(name, reason->what, to);
	if (reason->remedy[0])
		put_line("", reason->remedy, to);
}

static void put_warnings(const char *name, const struct judge_warnings *warnings, size_t all,
			 const char *of, FILE *to)
{
	char line[SENTENCE_TEXT];

	for (size_t i = 0; i < warnings->n; i++) {
		const size_t runs = warnings->list[i].runs;

		snprintf(line, sizeof line, "%s: %s", warnings->list[i].name,
			 warnings->list[i].reason.what);
		if (runs < all)
			letters_add(line, sizeof line, " (in %zu of %zu %s)", runs, all, of);
		put_line(name, line, to);
		if (warnings->list[i].reason.remedy[0])
			put_line("", warnings->list[i].reason.remedy, to);
	}
}

/* What a pair of reads adds to a figure. */
static void put_overhead(const struct cpucycles_counter_info *info, const char *unit, FILE *to)
{
	char value[NUMBER];

	fprintf(to, "%-11s %s %s for an empty pair of reads, which is taken off\n", "overhead",
		number(info->overhead, value), unit);
	fprintf(to, "%-11s %s %s, the interquartile range of the overhead\n", "iqr",
		number(info->overhead_iqr, value), unit);
}

static void put_counter(const struct outcome *outcome, FILE *to)
{
	const struct cpucycles_counter_info *info = &outcome->info;
	const char *unit = outcome_unit(outcome);
	char value[NUMBER];

	fprintf(to, "%-11s %s\n", "counter", info->counter);
	if (info->next_best)
		put_reason("next best", &outcome->next_best, to);
	fprintf(to, "%-11s %s", "unit", unit);
	if (info->unit == CPUCYCLES_UNIT_CYCLES && !outcome_has_runs(outcome))
		fputs(info->own_thread ? " of this thread alone" :
					 " of the CPU, whichever thread runs there",
		      to);
	if (info->hz && !outcome_has_runs(outcome))
		fprintf(to, ", %" PRIu64 " per second within %" PRIu64 " ppm", info->hz,
			info->hz_ppm);
	fprintf(to, "\n%-11s %s %s\n", "resolution", number(info->resolution, value), unit);
	if (!outcome_has_runs(outcome))
		put_overhead(info, unit, to);
	if (!outcome->check)
		fprintf(to, "%-11s %" PRIu64 "\n", "seed", outcome->plan.seed);
	if (outcome->count > 1 && !outcome->alone)
		fprintf(to, "%-11s %.3g %% of the comparisons may get a wrong verdict\n", "alpha",
			outcome->alpha * 100);
	for (size_t i = 0; i < outcome->events_count; i++)
		if (outcome->events[i].error)
			put_reason("not counted", &outcome->events[i].reason, to);
}

static void put_count(const char *what, double per_call, const char *how, FILE *to)
{
	char value[NUMBER];

	if (!isfinite(per_call))
		return;
	fprintf(to, "%-11s %s ", "event", number(per_call, value));
	table_put(what, TABLE_TEXT, to);
	fprintf(to, "%s\n", how);
}

static void put_events(const struct outcome *outcome, const struct outcome_function *function,
		       FILE *to)
{
	const struct outcome_event *const cycles = &outcome->events[OUTCOME_CYCLES];
	const char *const per = outcome_has_runs(outcome) ? " per run" : " per call";
	char what[SENTENCE_TEXT], how[64];

	for (size_t i = 0; i < outcome->events_count; i++) {
		const struct outcome_event *event = &outcome->events[i];

		snprintf(how, sizeof how, "%s, in %s", per, sentence_modes(&event->info));
		put_count(event->info.name, function->events[i], how, to);
		snprintf(what, sizeof what, "%s per thousand instructions", event->info.name);
		put_count(what, outcome_per_thousand_instructions(outcome, function, i), "", to);
	}
	if (outcome->events_count == 0)
		return;
	if (cycles->error)
		snprintf(how, sizeof how, "%s, by the counter", per);
	else
		snprintf(how, sizeof how, "%s, in %s", per, sentence_modes(&cycles->info));
	put_count("cpu-cycles", function->events[OUTCOME_CYCLES], how, to);
	put_count("instructions per cycle", outcome_instructions_per_cycle(outcome, function), "",
		  to);
	put_count("ticks of the time-stamp counter", function->events[OUTCOME_TICKS], per, to);
}

static void put_median(const struct outcome *outcome, const struct outcome_function *function,
		       FILE *to)
{
	const struct cpucycles_result *const r = &function->measured.result;
	const double ns = outcome_ns(outcome, function, r->median);
	char median[NUMBER], low[NUMBER], high[NUMBER];

	fprintf(to, "%-11s %s %s", "median", number(r->median, median), outcome_unit(outcome));
	if (isfinite(ns) && outcome->info.unit != CPUCYCLES_UNIT_NS)
		fprintf(to, " (%s ns)", number(ns, low));
	if (isfinite(r->low) && isfinite(r->high))
		fprintf(to, ", within %s and %s with 95 %% confidence", number(r->low, low),
			number(r->high, high));
	fprintf(to, "\n");
}

static void put_function_name(const struct outcome *outcome, const struct target *target, FILE *to)
{
	putc('\n', to);
	put_line(subject_words(outcome)->one, target->shown, to);
	if (target->sized)
		fprintf(to, "%-11s %zu\n", "size", outcome->size);
}

static void put_bytes(const struct outcome *outcome, const struct outcome_function *function,
		      FILE *to)
{
	const struct cpucycles_result *const r = &function->measured.result;
	const bool cycles = measured_has_cycles(r);
	const double bytes = (double)function->target->bytes, mean = r->iqm;
	char a[NUMBER], b[NUMBER];

	if (!(bytes > 0) || !(mean > 0))
		return;
	fprintf(to, "%-11s %s %s", "per byte", number((cycles ? r->cycles : mean) / bytes, a),
		cycles ? "core cycles" : outcome_unit(outcome));
	if (isfinite(outcome_ns(outcome, function, mean)))
		fprintf(to, ", %s GB/s", number(bytes / outcome_ns(outcome, function, mean), b));
	fprintf(to, "\n");
}

/* Cycles of the core, where they come from, and how fast the core ran; or why there are none. */
static void put_cycles(const struct outcome *outcome, const struct outcome_function *function,
		       FILE *to)
{
	const struct measured *const m = &function->measured;
	const struct cpucycles_result *const r = &m->result;
	const char *const reason = figures_cycles_reason(r->cycles_from);
	char a[NUMBER], b[NUMBER], range[FIGURES_GHZ];
	double ghz[2], error;

	if (*reason)
		fprintf(to, "%-11s not known: %s\n", "core cycles", reason);
	if (!measured_has_cycles(r))
		return;
	fprintf(to, "%-11s %s", "core cycles", number(r->cycles, a));
	if (isfinite(r->cycles_low) && isfinite(r->cycles_high))
		fprintf(to, ", within %s and %s", number(r->cycles_low, a),
			number(r->cycles_high, b));
	fprintf(to, ", by %s\n",
		r->cycles_from == CPUCYCLES_CYCLES_CHAIN ? "a chain of known length" :
							   "the counter");
	if (figures_frequency(m, outcome_ns_per_unit(outcome, function, &error), ghz))
		fprintf(to, "%-11s %s of the core\n", "frequency", figures_ghz(ghz, range));
}

static void put_interrupted(const struct cpucycles_result *r, FILE *to)
{
	char percent[FIGURES_NUMBER];

	if (r->cycles_interrupted)
		fprintf(to, "%-11s %s of the samples, by other programs%s\n", "interrupted",
			figures_percent((double)r->cycles_interrupted / (double)r->samples,
					percent),
			measured_has_cycles(r) ? "; they are not in the core cycles" : "");
}

/* How fast the core ran in the processes that are left out. */
static void put_slow(const struct outcome *outcome, FILE *to)
{
	const double ghz = 1 / outcome_ns(outcome, NULL, outcome->slow_units_per_cycle);
	char text[FIGURES_GHZ];

	if (outcome->slow && isfinite(ghz))
		fprintf(to, "%-11s %s in %zu more process%s, left out\n", "slow core",
			figures_ghz((double[]){ ghz, ghz }, text), outcome->slow,
			outcome->slow == 1 ? "" : "es");
}

/* What else is known of the runs of a program. */
static void put_run(const struct outcome *outcome, const struct measured *m, FILE *to)
{
	char value[NUMBER];

	if (!outcome_has_runs(outcome))
		return;
	if (isfinite(m->other_ns))
		fprintf(to, "%-11s %s ns\n", subject_words(outcome)->longer,
			number(m->other_ns, value));
	if (m->memory > 0)
		fprintf(to, "%-11s %s MB at most\n", "memory", number(m->memory * 1e-6, value));
}

static void put_function(const struct outcome *outcome, size_t i, FILE *to)
{
	const struct outcome_function *function = &outcome->functions[i];
	const struct measured *const m = &function->measured;
	const struct cpucycles_result *const r = &m->result;
	const char *unit = outcome_unit(outcome);
	char a[NUMBER], b[NUMBER];

	put_function_name(outcome, function->target, to);
	if (function->target->signature.known)
		put_line("prototype", function->target->signature.prototype, to);
	else if (function->target->signature.asked)
		fprintf(to, "%-11s unknown: taken as void f(%s)\n", "prototype",
			target_argument(function->target));
	if (outcome_has_runs(outcome))
		fprintf(to, "%-11s %" PRIu64 "\n", "runs", r->samples);
	else
		fprintf(to, "%-11s %" PRIu64 ", each of %u call%s\n%-11s %zu\n", "samples",
			r->samples, r->iterations, r->iterations == 1 ? "" : "s", "processes",
			outcome_processes(outcome));
	if (outcome->linked)
		fprintf(to, "%-11s %zu\n", "layouts", outcome->layouts);
	put_slow(outcome, to);
	fprintf(to, "%-11s %s %s\n", "minimum", number(r->min, a), unit);
	fprintf(to, "%-11s %s and %s %s\n", "quartiles", number(r->q1, a), number(r->q3, b), unit);
	put_median(outcome, function, to);
	fprintf(to, "%-11s %s %s, the interquartile mean", "mean", number(r->iqm, a), unit);
	if (isfinite(m->mean_low) && isfinite(m->mean_high))
		fprintf(to, ", within %s and %s", number(m->mean_low, a), number(m->mean_high, b));
	fprintf(to, "\n");
	put_run(outcome, m, to);
	put_cycles(outcome, function, to);
	put_interrupted(&m->result, to);
	if (outcome->linked && isfinite(m->by_layout))
		fprintf(to, "%-11s %s %% from one layout to the next\n", "by layout",
			number(m->by_layout * 100, a));
	put_bytes(outcome, function, to);
	put_events(outcome, function, to);
	put_warnings("warning", &m->warnings, outcome->layouts,
		     outcome->linked ? "layouts" : "processes", to);
}

/* The functions without figures. */
static void put_failed(const struct outcome *outcome, FILE *to)
{
	for (size_t i = 0; i < outcome->targets_count; i++) {
		const struct target *target = &outcome->targets[i];

		if (target->state == TARGET_MEASURED)
			continue;
		put_function_name(outcome, target, to);
		put_reason(target_state_name(target->state), &target->reason, to);
	}
}

static void put_check(const struct outcome *outcome, FILE *to)
{
	put_warnings("warning", &outcome->warnings, 1, "", to);
	put_warnings("note", &outcome->notes, 0, "", to);
	if (outcome->checked && !outcome->warnings.n)
		fprintf(to, "%-11s no warning: counter, CPU and machine are fit\n", "check");
}

static void put_sentence(const char *sentence, FILE *to)
{
	table_put(sentence, TABLE_TEXT, to);
	putc('\n', to);
}

static void put_sentences(const struct outcome *outcome, FILE *to)
{
	struct figures_function row;
	char sentence[SENTENCE_TEXT];
	bool any = false;

	for (size_t i = 0; i < outcome->targets_count; i++) {
		row_fill(&row, outcome, &outcome->targets[i]);
		if (!row.sentence[0])
			continue;
		fputs(any ? "" : "\n", to);
		any = true;
		put_sentence(row.sentence, to);
	}
	if (sentence_precision(outcome, sentence))
		put_sentence(sentence, to);
	if (sentence_unchanged(outcome, sentence))
		put_sentence(sentence, to);
	if (!outcome->pair && sentence_gate(outcome, 1, sentence))
		put_sentence(sentence, to);
}

static void put_outcome(const struct outcome *outcome, FILE *to)
{
	const char *ending = sentence_ending(outcome, 1);

	if (outcome->opened)
		put_counter(outcome, to);
	if (outcome->check) {
		put_check(outcome, to);
		return;
	}
	for (size_t i = 0; i < outcome->count; i++)
		put_function(outcome, i, to);
	put_failed(outcome, to);
	if (ending)
		fprintf(to, "\n%s\n", ending);
	put_sentences(outcome, to);
}

void verbose_print(const struct outcome outcomes[], size_t n, FILE *to)
{
	char sentence[SENTENCE_TEXT];

	for (size_t i = 0; i < n; i++) {
		if (outcomes[i].pair && outcomes[i].unchanged)
			continue;
		fputs(i ? "\n" : "", to);
		put_outcome(&outcomes[i], to);
	}
	if (sentence_pairs(outcomes, n, sentence)) {
		putc('\n', to);
		put_sentence(sentence, to);
	}
}
