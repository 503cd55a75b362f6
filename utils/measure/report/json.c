/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "json.h"
#include "row.h"
#include "sentences.h"
#include "result/settle.h"

#ifdef HAVE_JANSSON

#include "json-text.h"

#include <jansson.h>
#include <math.h>

/* Digits of a number that are printed: more than a measured number has. */
#define DIGITS 10

/* json_pack fails when a value that it is given is NULL, so only the last result is checked. */

json_t *json_of_real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_of_count(uint64_t count)
{
	return count ? json_integer((json_int_t)count) : json_null();
}

/* Notes are of no process. */
static json_t *warnings_value(const struct outcome *outcome, const struct judge_warnings *warnings)
{
	json_t *array = json_array();

	for (size_t i = 0; i < warnings->n; i++) {
		const struct reason_text *reason = &warnings->list[i].reason;
		const size_t runs = warnings->list[i].runs;
		json_t *value = json_pack("{s:s, s:o, s:o}", "name", warnings->list[i].name, "text",
					  json_of_text(reason->what), "remedy",
					  json_of_sentence(reason->remedy));

		if (runs > 0)
			value = json_with(value, outcome->linked ? "layouts" : "processes",
					  json_integer((json_int_t)runs));
		array = json_append(array, value);
	}
	return array;
}

/* The events that were asked for, and whether each was counted. Where one of several outcomes lacks
 * it, this says why. */
static json_t *events_value(const struct outcome outcomes[], size_t n)
{
	const struct outcome *const o = outcome_opened(outcomes, n);
	json_t *array = json_array();

	for (size_t i = 0; i < o->events_count; i++) {
		const struct outcome_event *lack = outcome_event(outcomes, n, i, false);
		const struct outcome_event *event = lack ? lack : &o->events[i];
		json_t *value =
			json_pack("{s:o, s:b, s:b, s:b, s:b, s:o, s:o}", "name",
				  json_of_text(event->info.name), "counted",
				  outcome_event(outcomes, n, i, true) != NULL, "user",
				  event->info.user, "kernel", event->info.kernel, "checked",
				  event->info.checked, "text", json_of_sentence(event->reason.what),
				  "remedy", json_of_sentence(event->reason.remedy));

		array = json_append(array, value);
	}
	return array;
}

/* Their counts in one function. null: there is none. */
static json_t *counts_value(const struct outcome *outcome, const struct outcome_function *function)
{
	json_t *array = json_array();

	for (size_t i = 0; i < outcome->events_count; i++) {
		const double part = outcome_per_thousand_instructions(outcome, function, i);

		array = json_append(array,
				    json_pack("{s:o, s:o, s:o}", "name",
					      json_of_text(outcome->events[i].info.name),
					      "per_call", json_of_real(function->events[i]),
					      "per_thousand_instructions", json_of_real(part)));
	}
	return array;
}

/* Add the numbers of a function, or the numbers of its verdict. */
static json_t *with_fields(json_t *object, const struct figures_function *row, bool of_verdict)
{
	struct figures_field fields[FIGURES_FIELDS];

	figures_fields(row, fields);
	for (size_t i = 0; i < FIGURES_FIELDS; i++) {
		const struct figures_field *const f = &fields[i];
		const bool count = f->kind == FIGURES_COUNT && isfinite(f->value);

		if (f->json && of_verdict == (f->kind != FIGURES_FUNCTION))
			object = json_with(object, f->json,
					   count ? json_integer((json_int_t)f->value) :
						   json_of_real(f->value));
	}
	return object;
}

/* null for the first function, and for a function without figures. */
static json_t *verdict_value(const struct outcome *outcome, size_t i,
			     const struct figures_function *row)
{
	const struct verdict *const v = &row->measured->verdict;
	json_t *value;

	if (!row->measured->compared)
		return json_null();
	value = json_pack("{s:s, s:o}", "word", verdict_word(v->kind), "baseline",
			  json_of_text(outcome->functions[0].target->label));
	value = with_fields(value, row, true);
	value = json_with(value, "processes_needed",
			  json_of_count(outcome_needed(outcome, i) / outcome_each(outcome)));
	value = json_with(value, "processes_needed_for",
			  v->difference > 0 ? json_of_real(v->difference) : json_null());
	return json_with(value, "sentence", json_of_text(row->sentence));
}

/* The figures of a function that was measured. */
static json_t *figures_value(const struct outcome *outcome, const struct outcome_function *function)
{
	const struct measured *const m = &function->measured;
	struct figures_function row;
	json_t *value = json_pack("{s:I, s:I, s:i, s:b}", "processes",
				  (json_int_t)outcome_processes(outcome), "samples",
				  (json_int_t)m->result.samples, "iterations",
				  (int)m->result.iterations, "input_made_anew", m->renewed);

	value = json_with(value, "processes_left_out", json_integer((json_int_t)outcome->slow));
	value = json_with(value, "left_out_core_hz",
			  json_of_real(1e9 /
				       outcome_ns(outcome, NULL, outcome->slow_units_per_cycle)));
	row_fill(&row, outcome, function->target);
	value = with_fields(value, &row, false);
	value = json_with(value, "core_cycles_from",
			  json_string(figures_cycles_word(m->result.cycles_from)));
	value = json_with(value, "core_cycles_text",
			  json_of_sentence(figures_cycles_reason(m->result.cycles_from)));
	value = json_with(value, "samples_interrupted",
			  json_integer((json_int_t)m->result.cycles_interrupted));
	value = json_with(value, "warnings", warnings_value(outcome, &m->warnings));
	value = json_with(value, "verdict",
			  verdict_value(outcome, (size_t)(function - outcome->functions), &row));
	value = json_with(value, "events", counts_value(outcome, function));
	value = json_with(value, "cycles_per_call", json_of_real(function->events[OUTCOME_CYCLES]));
	value = json_with(value, "instructions_per_cycle",
			  json_of_real(outcome_instructions_per_cycle(outcome, function)));
	return json_with(value, "time_stamp_ticks_per_call",
			 json_of_real(function->events[OUTCOME_TICKS]));
}

json_t *json_of_target(const struct target *target, bool measured)
{
	const char *const state = target->state == TARGET_MEASURED && !measured ?
					  "not measured" :
					  target_state_name(target->state);

	return json_pack("{s:o, s:o, s:o, s:o, s:s, s:o, s:o}", "name", json_of_text(target->label),
			 "library", json_of_text(target->library), "function",
			 json_of_text(target->function), "prototype",
			 json_of_sentence(target->signature.prototype), "state", state, "text",
			 json_of_sentence(target->reason.what), "remedy",
			 json_of_sentence(target->reason.remedy));
}

static json_t *add_target(json_t *array, const struct outcome *outcome, const struct target *target)
{
	const struct outcome_function *function = outcome_function_of(outcome, target);
	json_t *value = json_of_target(target, function);

	if (outcome->unchanged)
		value = json_with(value, "state", json_string("unchanged"));
	value = json_with(value, "bytes", json_of_count(target->bytes));
	value = json_with(value, "figures",
			  function ? figures_value(outcome, function) : json_null());
	if (target->sized)
		value = json_with(value, "size", json_integer((json_int_t)target->size));
	return json_append(array, value);
}

json_t *json_of_targets(json_t *(*add)(json_t *array, const struct outcome *outcome,
				       const struct target *target),
			const struct outcome outcomes[], size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		for (size_t t = 0; t < outcomes[i].targets_count; t++)
			array = add(array, &outcomes[i], &outcomes[i].targets[t]);
	return array;
}

json_t *json_of_counter(const struct outcome *outcome)
{
	const struct cpucycles_counter_info *info = &outcome->info;

	if (!outcome->opened)
		return json_null();
	return json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o}", "name",
			 info->counter, "unit", outcome_unit(outcome), "own_thread",
			 info->own_thread, "hz", json_of_count(info->hz), "hz_ppm",
			 info->hz ? json_integer((json_int_t)info->hz_ppm) : json_null(),
			 "resolution_units", json_of_real(info->resolution), "overhead_units",
			 json_of_real(info->overhead), "overhead_iqr_units",
			 json_of_real(info->overhead_iqr), "next_best", info->next_best, "text",
			 json_of_sentence(info->next_best ? outcome->next_best.what : ""), "remedy",
			 json_of_sentence(info->next_best ? outcome->next_best.remedy : ""));
}

static json_t *plan_value(const struct outcome *outcome, const char *gate)
{
	const struct cpucycles_plan *plan = &outcome->plan;
	const bool precise = outcome->precision > 0;

	return json_pack("{s:f, s:o, s:I, s:o, s:o, s:o, s:o, s:o}", "budget_seconds",
			 (double)plan->budget_ns * 1e-9, "samples_max",
			 json_of_count(plan->samples), "seed", (json_int_t)plan->seed, "alpha",
			 outcome->count > 1 && !outcome->alone ? json_of_real(outcome->alpha) :
								 json_null(),
			 "precision_part", precise ? json_of_real(outcome->precision) : json_null(),
			 "precision_reached",
			 precise ? json_boolean(outcome_is_precise(outcome)) : json_null(),
			 "gate_part", gate ? json_of_real(outcome->gate) : json_null(), "gate",
			 gate ? json_string(gate) : json_null());
}

bool json_put(json_t *root, FILE *to)
{
	return json_print(root, DIGITS, to);
}

/* Counter, events and plan come from the first outcome that knows them; the gate comes from all. */
bool json_results(const struct outcome outcomes[], size_t n, FILE *to)
{
	const struct outcome *const o = outcome_opened(outcomes, n);
	json_t *root =
		json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "version", PACKAGE_VERSION,
			  "interrupted", sentence_ending(outcomes, n) != NULL, "counter",
			  json_of_counter(o), "events", events_value(outcomes, n), "plan",
			  o->check ? json_null() : plan_value(o, sentence_gate_word(outcomes, n)),
			  "functions",
			  o->check ? json_null() : json_of_targets(add_target, outcomes, n),
			  "warnings", o->checked ? warnings_value(o, &o->warnings) : json_null(),
			  "notes", o->checked ? warnings_value(o, &o->notes) : json_null());

	return json_put(root, to);
}

#endif
