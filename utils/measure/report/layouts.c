/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "layouts.h"
#include "result/settle.h"
#include "result/steps.h"
#include "table.h"

#include <math.h>

/* By how many percent a function takes longer than the first one, from the ratio of their times. */
static void put_percent(double ratio, FILE *to)
{
	if (isfinite(ratio))
		fprintf(to, "%.10g", (ratio - 1) * 100);
	else
		fputs("unknown", to);
}

/* The end of a line on a function. The name comes last, because it may have blanks. A tab or a new
 * line in it would make columns and lines of its own, so in all files it is as table_put() has it
 * in a text. */
static void put_function(const struct outcome *outcome, const struct target *target, FILE *to)
{
	if (target->sized)
		fprintf(to, "%zu ", outcome->size);
	table_put(target->label, TABLE_TEXT, to);
	putc('\n', to);
}

static void put_verdict(const struct outcome *outcome, const struct outcome_function *function,
			FILE *to)
{
	const struct measured *const m = &function->measured;
	const struct verdict *const v = &m->verdict;
	const double none = isfinite(v->high) ? 1 : NAN;

	/* A word without a blank. */
	fprintf(to, "# verdict\t%s ",
		v->kind == VERDICT_CANNOT_TELL ? "cannot-tell" : verdict_word(v->kind));
	put_percent(v->ratio, to);
	putc(' ', to);
	put_percent(v->low * none, to);
	putc(' ', to);
	put_percent(v->high * none, to);
	fprintf(to, " %zu ", m->replicates);
	put_function(outcome, function->target, to);
}

void verdict_lines_put(const void *argument, FILE *to)
{
	const struct outcome *outcome = argument;

	for (size_t i = 0; i < outcome->count; i++)
		if (outcome->functions[i].measured.compared)
			put_verdict(outcome, &outcome->functions[i], to);
}

/* Where each function is shown to take longer if its code begins there. */
static void put_steps(const struct outcome *outcome, FILE *to)
{
	struct steps steps;

	for (size_t i = 0; i < outcome->count; i++) {
		steps_find(outcome, i, &steps);
		for (size_t step = 0; step < PLACEMENT_PROCESSES; step++)
			if (steps.costly[step]) {
				fprintf(to, "# costly\t%zu ", step * PLACEMENT_STEP);
				put_function(outcome, outcome->functions[i].target, to);
			}
	}
}

/* The lines that come before the names of the columns. */
static void put_head(const struct layouts *layouts, FILE *to)
{
	const struct outcome *const opened = outcome_opened(layouts->outcomes, layouts->n);

	fprintf(to, "# cpucycles\t" PACKAGE_VERSION "\n# samples\tlayouts\n");
	if (opened->opened)
		fprintf(to, "# counter\t%s\n", opened->counter);
	fprintf(to, "# unit_processes\t%zu\n", outcome_replicate_size(opened));
	for (size_t k = 0; k < layouts->n; k++) {
		verdict_lines_put(&layouts->outcomes[k], to);
		put_steps(&layouts->outcomes[k], to);
	}
}

/* What is not known is empty. */
static void put_row(const struct outcome *outcome, size_t process,
		    const struct outcome_function *function, FILE *to)
{
	fprintf(to, "%zu\t%zu\t", process / outcome_replicate_size(outcome), process);
	if (function->target->sized)
		fprintf(to, "%zu\t", outcome->size);
	table_put(function->target->label, TABLE_TEXT, to);
	putc('\t', to);
	if (outcome->linked)
		fprintf(to, "%zu", function->places[process]);
	fprintf(to, "\t%.10g\t", function->results[process].iqm);
	if (function->measured.compared && isfinite(function->log_ratios[process]))
		put_percent(exp(function->log_ratios[process]), to);
	putc('\n', to);
}

void layouts_write(const void *argument, FILE *to)
{
	const struct layouts *layouts = argument;
	const struct outcome *const first = layouts->outcomes;

	put_head(layouts, to);
	fprintf(to, "unit\tprocess\t%sfunction\tplace_bytes\t%s_per_call\tlonger_percent\n",
		first->targets_count && first->targets[0].sized ? "size\t" : "",
		outcome_unit(outcome_opened(layouts->outcomes, layouts->n)));
	for (size_t k = 0; k < layouts->n; k++) {
		const struct outcome *const outcome = &layouts->outcomes[k];

		for (size_t p = 0; p < outcome->layouts; p++)
			for (size_t i = 0; i < outcome->count; i++)
				put_row(outcome, p, &outcome->functions[i], to);
	}
}
