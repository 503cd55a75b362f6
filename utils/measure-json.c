/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "measure-report.h"

#ifdef HAVE_JANSSON

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* So many digits of a number are printed: more than a measured one has. */
#define DIGITS 10

/* json_pack fails when a value that it is given is NULL, so only the last result is checked. */

/* A path may have bytes that are not UTF-8. Then each byte that is not ASCII becomes '?'. */
static json_t *text_value(const char *text)
{
	json_t *value = json_string(text);
	char *plain;

	if (value)
		return value;
	plain = malloc(strlen(text) + 1);
	if (!plain)
		return NULL;
	strcpy(plain, text);
	for (char *c = plain; *c; c++)
		*c = (unsigned char)*c < 128 ? *c : '?';
	value = json_string(plain);
	free(plain);
	return value;
}

static json_t *sentence_value(const char *text)
{
	return text[0] ? text_value(text) : json_null();
}

/* null if it is unknown: JSON has no infinity. */
static json_t *real_value(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *warnings_value(const struct outcome_warnings *warnings)
{
	json_t *array = json_array();

	for (size_t i = 0; i < warnings->n; i++) {
		const struct cpucycles_reason *reason = &warnings->list[i].reason;

		if (json_array_append_new(array,
					  json_pack("{s:s, s:o, s:o, s:I}", "name",
						    warnings->list[i].name, "text",
						    text_value(reason->what), "remedy",
						    sentence_value(reason->remedy), "processes",
						    (json_int_t)warnings->list[i].processes)))
			return json_decref(array), NULL;
	}
	return array;
}

/* The events that were asked for, and whether each was counted. */
static json_t *events_value(const struct outcome *outcome)
{
	json_t *array = json_array();

	for (size_t i = 0; i < outcome->events_count; i++) {
		const struct outcome_event *event = &outcome->events[i];
		json_t *value =
			json_pack("{s:o, s:b, s:b, s:b, s:b, s:o, s:o}", "name",
				  text_value(event->info.name), "counted", !event->error, "user",
				  event->info.user, "kernel", event->info.kernel, "checked",
				  event->info.checked, "text", sentence_value(event->reason.what),
				  "remedy", sentence_value(event->reason.remedy));

		if (json_array_append_new(array, value))
			return json_decref(array), NULL;
	}
	return array;
}

/* Their counts in one function. null: there is none. */
static json_t *counts_value(const struct outcome *outcome, const struct outcome_function *function)
{
	json_t *array = json_array();

	for (size_t i = 0; i < outcome->events_count; i++) {
		const double part = outcome_per_thousand_instructions(outcome, function, i);

		if (json_array_append_new(array,
					  json_pack("{s:o, s:o, s:o}", "name",
						    text_value(outcome->events[i].info.name),
						    "per_call", real_value(function->events[i]),
						    "per_thousand_instructions", real_value(part))))
			return json_decref(array), NULL;
	}
	return array;
}

/* null for the first function, and for those without figures. */
static json_t *verdict_value(const struct outcome *outcome, const struct outcome_function *function)
{
	static const char *const words[] = {
		[VERDICT_CANNOT_TELL] = "cannot tell",
		[VERDICT_FASTER] = "faster",
		[VERDICT_SLOWER] = "slower",
	};
	const struct units_verdict *v = &function->verdict;
	char sentence[OUTCOME_TEXT];

	if (!function->compared)
		return json_null();
	outcome_sentence(outcome, (size_t)(function - outcome->functions), sentence);
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "word", words[v->kind], "beside",
			 text_value(outcome->functions[0].target->label), "ratio",
			 real_value(v->ratio), "ratio_low",
			 isfinite(v->high) ? real_value(v->low) : json_null(), "ratio_high",
			 real_value(v->high), "processes_needed",
			 v->units_needed ? json_integer((json_int_t)v->units_needed) : json_null(),
			 "sentence", text_value(sentence));
}

/* The figures of a function that was measured. */
static json_t *figures_value(const struct outcome *outcome, const struct outcome_function *function)
{
	const struct cpucycles_result *r = &function->result;
	const struct cpucycles_counter_info *info = &outcome->info;

	return json_pack(
		"{s:I, s:I, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
		"s:o, s:o}",
		"processes", (json_int_t)outcome->processes, "samples", (json_int_t)r->samples,
		"calls_per_sample", (int)r->batch, "minimum_units", real_value(r->min),
		"quartile1_units", real_value(r->q1), "median_units", real_value(r->median),
		"median_low_units", real_value(r->low), "median_high_units", real_value(r->high),
		"quartile3_units", real_value(r->q3), "interquartile_mean_units",
		real_value(r->iqm), "median_ns",
		info->hz ? real_value(r->median * 1e9 / (double)info->hz) : json_null(), "warnings",
		warnings_value(&function->warnings), "verdict", verdict_value(outcome, function),
		"events", counts_value(outcome, function), "cycles_per_call",
		real_value(function->cycles), "instructions_per_cycle",
		real_value(outcome_instructions_per_cycle(outcome, function)),
		"time_stamp_ticks_per_call", real_value(function->tsc));
}

static const struct outcome_function *function_of(const struct outcome *outcome,
						  const struct target *target)
{
	for (size_t i = 0; i < outcome->count; i++)
		if (outcome->functions[i].target == target)
			return &outcome->functions[i];
	return NULL;
}

static json_t *target_value(const struct outcome *outcome, const struct target *target)
{
	const struct outcome_function *function = function_of(outcome, target);

	return json_pack("{s:o, s:o, s:o, s:s, s:o, s:o, s:o}", "name", text_value(target->label),
			 "library", text_value(target->library), "function",
			 text_value(target->function), "fate",
			 target->fate == TARGET_MEASURED && !function ?
				 "not measured" :
				 target_fate_name(target->fate),
			 "text", sentence_value(target->reason.what), "remedy",
			 sentence_value(target->reason.remedy), "figures",
			 function ? figures_value(outcome, function) : json_null());
}

static json_t *targets_value(const struct outcome *outcome)
{
	json_t *array = json_array();

	for (size_t i = 0; i < outcome->targets_count; i++)
		if (json_array_append_new(array, target_value(outcome, &outcome->targets[i])))
			return json_decref(array), NULL;
	return array;
}

static json_t *counter_value(const struct outcome *outcome)
{
	const struct cpucycles_counter_info *info = &outcome->info;

	if (!outcome->opened)
		return json_null();
	return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o}", "name",
			 info->counter, "unit", outcome_unit(outcome), "hz",
			 info->hz ? json_integer((json_int_t)info->hz) : json_null(), "hz_ppm",
			 info->hz ? json_integer((json_int_t)info->hz_ppm) : json_null(),
			 "step_units", real_value(info->step), "cost_units", real_value(info->cost),
			 "noise_units", real_value(info->noise), "next_best", info->next_best,
			 "text", sentence_value(info->next_best ? outcome->next_best.what : ""),
			 "remedy",
			 sentence_value(info->next_best ? outcome->next_best.remedy : ""));
}

static json_t *plan_value(const struct outcome *outcome)
{
	const struct cpucycles_plan *plan = &outcome->plan;

	return json_pack("{s:f, s:o, s:I, s:o}", "budget_seconds", (double)plan->budget_ns * 1e-9,
			 "samples_max",
			 plan->samples ? json_integer((json_int_t)plan->samples) : json_null(),
			 "seed", (json_int_t)plan->seed, "error_part",
			 outcome->count > 1 ? real_value(outcome->error) : json_null());
}

bool measure_json(const struct outcome *outcome, FILE *to)
{
	json_t *root =
		json_pack("{s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "version", PACKAGE_VERSION,
			  "interrupted", outcome->interrupted, "counter", counter_value(outcome),
			  "events", events_value(outcome), "plan",
			  outcome->check ? json_null() : plan_value(outcome), "functions",
			  outcome->check ? json_null() : targets_value(outcome), "warnings",
			  outcome->checked ? warnings_value(&outcome->warnings) : json_null());
	char *text = root ? json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS)) : NULL;

	json_decref(root);
	if (!text)
		return false;
	fprintf(to, "%s\n", text);
	free(text);
	return true;
}

#else

bool measure_json(const struct outcome *outcome, FILE *to)
{
	(void)outcome;
	(void)to;
	return false;
}

#endif
