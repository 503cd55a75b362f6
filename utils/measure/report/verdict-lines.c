/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "verdict-lines.h"
#include "table.h"

#include <math.h>

void verdict_lines_percent(double ratio, FILE *to)
{
	if (isfinite(ratio))
		fprintf(to, "%.10g", (ratio - 1) * 100);
	else
		fputs("unknown", to);
}

/* The name comes last, because it may have blanks. A tab or a new line in it would make columns and
 * lines of its own, so in all files it is as table_put() has it in a text. */
static void put_verdict(const struct outcome *outcome, const struct outcome_function *function,
			FILE *to)
{
	const struct measured *const m = &function->measured;
	const struct verdict *const v = &m->verdict;
	const double none = isfinite(v->high) ? 1 : NAN;

	/* A word without a blank. */
	fprintf(to, "# verdict\t%s ",
		v->kind == VERDICT_CANNOT_TELL ? "cannot-tell" : verdict_word(v->kind));
	verdict_lines_percent(v->ratio, to);
	putc(' ', to);
	verdict_lines_percent(v->low * none, to);
	putc(' ', to);
	verdict_lines_percent(v->high * none, to);
	fprintf(to, " %zu ", m->units);
	if (function->target->sized)
		fprintf(to, "%zu ", outcome->size);
	table_put(function->target->label, TABLE_TEXT, to);
	putc('\n', to);
}

void verdict_lines_put(const void *argument, FILE *to)
{
	const struct outcome *outcome = argument;

	for (size_t i = 0; i < outcome->count; i++)
		if (outcome->functions[i].measured.compared)
			put_verdict(outcome, &outcome->functions[i], to);
}
