/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "leak-json.h"

#ifdef HAVE_JANSSON

#include "json-text.h"
#include "json.h"

static json_t *decile_value(int quantile, const struct groups_interval *d)
{
	const bool seen = leak_is_seen(d);

	return json_pack("{s:i, s:o, s:o, s:o, s:o}", "quantile", quantile, "group0",
			 seen ? json_of_real(d->group0) : json_null(), "difference",
			 seen ? json_of_real(d->difference) : json_null(), "low",
			 json_of_real(d->low), "high", json_of_real(d->high));
}

static json_t *deciles_value(const struct leak_quantiles *quantiles)
{
	json_t *array = json_array();

	for (size_t i = 0; i < GROUPS_DECILES; i++)
		array = json_append(array,
				    decile_value((int)(10 * (i + 1)), &quantiles->deciles[i]));
	return array;
}

static json_t *beyond_value(const struct cpucycles_leak_findings *r)
{
	return json_pack("{s:o, s:i, s:o, s:o}", "most", json_of_real(r->beyond_most), "quantile",
			 r->beyond_quantile, "high", json_of_real(r->beyond_high), "within",
			 json_of_real(r->beyond_within));
}

static json_t *result_value(const struct leak_report *report)
{
	const struct outcome_leak *const leak = &report->outcome->leak;
	const struct cpucycles_leak_findings *r = &leak->result;
	char sentence[LEAK_TEXT], advice[LEAK_TEXT];

	if (!leak->known)
		return json_null();
	leak_sentence(report, sentence);
	leak_advice(report, advice);
	return json_pack(
		"{s:s, s:s, s:s, s:o, s:b, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:[I, I], "
		"s:[I, I], s:o, s:o, s:o, s:o}",
		"verdict", leak_word(report), "unit", leak_time_unit(report), "core_cycles_from",
		figures_cycles_word(leak->cycles_from), "units_per_cycle",
		r->units_per_cycle > 0 ? json_of_real(r->units_per_cycle) : json_null(),
		"shown_below", r->shown_below, "threshold", json_of_real(r->threshold), "surest",
		r->surest, "p_value", json_of_real(r->p_value), "deciles",
		deciles_value(&leak->quantiles), "tail", decile_value(99, &leak->quantiles.tail),
		"head", decile_value(1, &leak->quantiles.head), "beyond", beyond_value(r),
		"control_p_value", json_of_real(r->control_p_value), "calls",
		(json_int_t)r->calls[0], (json_int_t)r->calls[1], "discarded",
		(json_int_t)r->discarded[0], (json_int_t)r->discarded[1], "calls_needed",
		json_of_count(r->calls_needed), "seconds",
		json_of_real((double)report->outcome->elapsed_ns * 1e-9), "sentence",
		json_of_text(sentence), "advice", json_of_sentence(advice));
}

static json_t *plan_value(const struct leak_report *report)
{
	const struct cpucycles_plan *plan = &report->outcome->plan;

	return json_pack("{s:f, s:o, s:I, s:b, s:b, s:b}", "budget_seconds",
			 (double)plan->budget_ns * 1e-9, "calls_max", json_of_count(plan->samples),
			 "seed", (json_int_t)plan->seed, "pairs",
			 report->flags & CPUCYCLES_LEAK_PAIRS, "warm",
			 report->flags & CPUCYCLES_LEAK_WARM, "threshold_given",
			 report->threshold_given);
}

static json_t *function_value(const struct leak_report *report)
{
	json_t *groups = json_null();

	if (report->outcome->leak.known)
		groups = json_pack("[s, s]", leak_group(report, 0), leak_group(report, 1));
	return json_with(json_of_target(report->outcome->targets, report->outcome->leak.known),
			 "groups", groups);
}

bool leak_json(const struct leak_report *report, FILE *to)
{
	return json_put(json_pack("{s:s, s:b, s:o, s:o, s:o, s:o}", "version", PACKAGE_VERSION,
				  "interrupted", report->outcome->interrupted, "counter",
				  json_of_counter(report->outcome), "plan", plan_value(report),
				  "function", function_value(report), "leak", result_value(report)),
			to);
}

#endif
