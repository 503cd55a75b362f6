/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "goals.h"
#include "report.h"

#include <stdio.h>
#include <string.h>

static void print_series(const struct series *s)
{
	struct spread spread;

	if (s->n == 0) {
		printf("%-34s not measured: %s\n", s->name, s->why);
		return;
	}
	spread = spread_of(s->samples, s->n);
	printf("%-34s %6zu %11.2f %11.2f %11.2f %11.2f %s\n", s->name, s->n, spread.min, spread.low,
	       spread.median, spread.high, s->unit);
	if (s->why[0])
		printf("%-34s stopped: %s\n", s->name, s->why);
}

void report_table(const struct bench *bench)
{
	printf("library  %s\nagainst  %s\ncache    %s\nseed %llu, load %.2f\n\n", bench->library,
	       bench->against ? bench->against : "none (--against LIBRARY)", bench->cache_from,
	       (unsigned long long)bench->seed, bench->load);
	printf("%-34s %6s %11s %11s %11s %11s\n", "series", "n", "least", "25 %", "median", "75 %");
	for (size_t i = 0; i < bench->n; i++)
		print_series(&bench->series[i]);
	if (bench->page_kind[0])
		printf("page.* are of: %s\n", bench->page_kind);
}

/* A ratio below a half is easier to read as 1/N. */
static void format_figure(char text[48], const struct goal *goal, const struct interval *f)
{
	if (goal->kind == GOAL_MOST)
		snprintf(text, 48, "%.5g", f->middle);
	else if (f->middle < 0.5 && f->middle > 0)
		snprintf(text, 48, "1/%.3g (1/%.3g to 1/%.3g)", 1 / f->middle, 1 / f->high,
			 1 / f->low);
	else
		snprintf(text, 48, "%.3f (%.3f to %.3f)", f->middle, f->low, f->high);
}

static void format_limit(char text[24], const struct goal *goal, double limit)
{
	if (goal->kind == GOAL_RATIO && limit < 0.5)
		snprintf(text, 24, "1/%.3g", 1 / limit);
	else
		snprintf(text, 24, "%.5g", limit);
}

void report_goals(const struct bench *bench)
{
	size_t left_out = 0;

	printf("\n%-48s %-5s %-25s\n", "goal", "limit", "figure (95 %)");
	for (size_t i = 0; i < goals_count; i++) {
		struct goal_state state = goal_look(bench, &goals[i]);
		char figure[48] = "-", limit[24];

		if (!bench_find(bench, goals[i].series)) {
			left_out++;
			continue;
		}
		format_limit(limit, &goals[i], state.limit);
		if (strcmp(state.verdict, "not measured"))
			format_figure(figure, &goals[i], &state.figure);
		printf("%-48s %-5s %-25s %s%s%s\n", goals[i].what, limit, figure, state.verdict,
		       state.note[0] ? ": " : "", state.note);
	}
	if (left_out)
		printf("%zu more goals are of sections that were not run\n", left_out);
}
