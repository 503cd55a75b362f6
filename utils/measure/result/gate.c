/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "gate.h"

static bool is_alarm(const struct outcome *outcome, size_t i)
{
	const struct verdict *const v = &outcome->functions[i].measured.verdict;

	return v->kind == VERDICT_SLOWER && v->ratio >= 1 + outcome->gate;
}

bool gate_sees_longer(const struct outcome *outcome, size_t i)
{
	const struct verdict *const mean = &outcome->functions[i].measured.mean_verdict;

	return outcome->gate > 0 && !is_alarm(outcome, i) &&
	       (outcome_has_runs(outcome) ? mean->low : mean->ratio) >= 1 + outcome->gate;
}

/* The answer on function number i, which was measured. */
static enum gate_answer gate_of(const struct outcome *outcome, size_t i)
{
	const struct measured *const m = &outcome->functions[i].measured;

	if (!m->compared || m->verdict.kind == VERDICT_CANNOT_TELL)
		return GATE_CANNOT_TELL;
	if (is_alarm(outcome, i))
		return GATE_ALARM;
	return gate_sees_longer(outcome, i) ? GATE_LONGER : GATE_PASSED;
}

/* Whether the target has failed, or its namesake of the other file. */
static bool has_failed(const struct outcome *outcome, size_t t)
{
	const size_t first = outcome->pair ? 0 : t;

	for (size_t i = first; i <= t; i++)
		if (outcome->targets[i].state != TARGET_MEASURED)
			return true;
	return false;
}

static bool may_be_member(const struct outcome *outcome)
{
	for (size_t i = 0; i < outcome->targets_count; i++)
		if (outcome->targets[i].signature.scoped && outcome->targets[i].signature.nothing)
			return true;
	return false;
}

enum gate_answer gate_of_target(const struct outcome *outcome, size_t t)
{
	const struct outcome_function *const function =
		outcome_function_of(outcome, &outcome->targets[t]);

	if (outcome->unchanged)
		return GATE_UNCHANGED;
	if (outcome_is_left_out(outcome) && !outcome_has_parameters(outcome))
		return GATE_LEFT_OUT;
	if (outcome_is_left_out(outcome))
		return may_be_member(outcome) ? GATE_UNSURE : GATE_PARAMETERS;
	if (has_failed(outcome, t))
		return GATE_FAILED;
	if (!function)
		return GATE_CANNOT_TELL;
	return gate_of(outcome, (size_t)(function - outcome->functions));
}

static enum outcome_status status_of(const struct outcome *outcome)
{
	static const enum outcome_status statuses[] = {
		[GATE_PASSED] = OUTCOME_OK,
		[GATE_ALARM] = OUTCOME_ALARM,
		[GATE_LONGER] = OUTCOME_UNDECIDED,
		[GATE_CANNOT_TELL] = OUTCOME_UNDECIDED,
	};
	enum outcome_status all = outcome->count > 1 ? OUTCOME_OK : OUTCOME_UNDECIDED;

	for (size_t i = 1; i < outcome->count; i++)
		all = status_of_both(all, statuses[gate_of(outcome, i)]);
	return all;
}

enum outcome_status gate_status(const struct outcome outcomes[], size_t n)
{
	enum outcome_status all = OUTCOME_OK;
	bool judged = false;

	if (!(outcomes[0].gate > 0))
		return OUTCOME_OK;
	for (size_t i = 0; i < n; i++) {
		if (outcome_is_left_out(&outcomes[i])) {
			/* Its code has changed, and it may be one that can be measured. */
			if (gate_of_target(&outcomes[i], 1) == GATE_UNSURE)
				all = status_of_both(all, OUTCOME_UNDECIDED);
			continue;
		}
		judged = true;
		if (!outcomes[i].unchanged)
			all = status_of_both(all, status_of(&outcomes[i]));
	}
	return judged ? all : OUTCOME_UNDECIDED;
}
