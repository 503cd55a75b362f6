/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "leak-text.h"
#include "number.h"
#include "statistics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The table */

enum { QUANTILE, GROUP0, GROUP1, DIFFERENCE, INTERVAL, COLUMNS };
#define ROWS (GROUPS_DECILES + 2)
#define CELL (2 * FIGURES_NUMBER + 8)

static void put_interval(const struct groups_interval *d, char cell[CELL])
{
	const double half = (d->high - d->low) / 2;
	char low[FIGURES_NUMBER], high[FIGURES_NUMBER];

	if (isfinite(half))
		snprintf(cell, CELL, "%s to %s", figures_number(d->low, half, low),
			 figures_number(d->high, half, high));
}

/* scale and sign: 100 for shares, which have a percent sign then. */
static void put_row(const struct groups_interval *decile, double scale, const char *sign,
		    char cells[COLUMNS][CELL])
{
	const struct groups_interval d = { scale * decile->group0, scale * decile->difference,
					   scale * decile->low, scale * decile->high };
	const double half = (d.high - d.low) / 2;
	/* The estimate of a difference may be a little more than a share. */
	const double group1 = *sign ? fmax(0, d.group0 + d.difference) : d.group0 + d.difference;
	char value[FIGURES_NUMBER];

	for (size_t i = GROUP0; i < COLUMNS; i++)
		strcpy(cells[i], "-");
	if (!leak_is_seen(decile))
		return;
	snprintf(cells[GROUP0], CELL, "%s%s", figures_number(d.group0, half, value), sign);
	snprintf(cells[GROUP1], CELL, "%s%s", figures_number(group1, half, value), sign);
	snprintf(cells[DIFFERENCE], CELL, "%s%s", figures_number(d.difference, half, value), sign);
	put_interval(&d, cells[INTERVAL]);
	strcat(cells[INTERVAL], isfinite(half) ? sign : "");
}

static const char *cell_of(const void *of, size_t row, size_t column, char room[TABLE_CELL])
{
	const char(*const cells)[COLUMNS][CELL] = of;

	(void)room;
	return cells[row][column];
}

static void put_table(const struct leak_quantiles *quantiles, FILE *to)
{
	static const struct table_column columns[COLUMNS] = {
		{ "quantile", true },   { "group 0", true },  { "group 1", true },
		{ "difference", true }, { "interval", true },
	};
	char cells[ROWS][COLUMNS][CELL];

	snprintf(cells[0][QUANTILE], CELL, "up to 1 %%");
	put_row(&quantiles->head, 100, " %", cells[0]);
	for (size_t i = 0; i < GROUPS_DECILES; i++) {
		snprintf(cells[i + 1][QUANTILE], CELL, "%zu %%", 10 * (i + 1));
		put_row(&quantiles->deciles[i], 1, "", cells[i + 1]);
	}
	snprintf(cells[ROWS - 1][QUANTILE], CELL, "above 99 %%");
	put_row(&quantiles->tail, 100, " %", cells[ROWS - 1]);
	table_print(&(struct table){ columns, COLUMNS, ROWS, cell_of, cells }, TABLE_TEXT, to);
}

/* Both distributions */

#define BARS 40

struct bars {
	double low, width; /* of the first bar */
	size_t n;
	size_t counts[2][BARS + 1];
	size_t all[2];
	double most; /* the largest share of a bar */
};

/* All finite times of both groups, sorted. NULL: there are none, or memory ran out. */
static double *sort_all(const struct leak_report *report, size_t *n)
{
	const struct outcome_leak *const leak = &report->outcome->leak;
	double *const all = calloc(leak->kept[0] + leak->kept[1] + 1, sizeof *all);

	*n = 0;
	for (size_t group = 0; all && group < 2; group++)
		for (size_t i = 0; i < leak->kept[group]; i++)
			if (isfinite(report->outcome->leak_times[group][i]))
				all[(*n)++] = report->outcome->leak_times[group][i];
	if (*n == 0) {
		free(all);
		return NULL;
	}
	statistics_sort(all, *n);
	return all;
}

/* Each bar is as wide as some whole steps of the counter: otherwise, some would have more counts
 * than others. */
static bool choose_bars(const struct leak_report *report, struct bars *bars)
{
	const double step = leak_step(report);
	size_t n;
	double *const all = sort_all(report, &n);
	double range;

	*bars = (struct bars){ 0 };
	if (!all)
		return false;
	range = statistics_quantile(all, n, 0.99) - statistics_quantile(all, n, 0.01);
	bars->width = step * fmax(1, ceil(range / step / BARS));
	bars->low = statistics_quantile(all, n, 0.01) - step / 2;
	bars->n = (size_t)fmin(BARS, floor(range / bars->width)) + 1;
	free(all);
	return isfinite(bars->low) && isfinite(bars->width) && bars->low + bars->width > bars->low;
}

/* What lies beyond the first and the last bar is in none. */
static void fill_bars(const struct leak_report *report, struct bars *bars)
{
	const struct outcome_leak *const leak = &report->outcome->leak;
	for (size_t group = 0; group < 2; group++) {
		for (size_t i = 0; i < leak->kept[group]; i++) {
			const double place = floor(
				(report->outcome->leak_times[group][i] - bars->low) / bars->width);

			if (place >= 0 && place < (double)bars->n)
				bars->counts[group][(size_t)place]++;
		}
		bars->all[group] = leak->kept[group];
		for (size_t i = 0; i < bars->n; i++)
			bars->most = fmax(bars->most, (double)bars->counts[group][i] /
							      (double)bars->all[group]);
	}
}

static void put_bars(const struct bars *bars, size_t group, bool utf8, FILE *to)
{
	static const char letters[] = " .:-=+*#%@";
	/* In UTF-8, blocks of one eighth to eight, from U+2581 on. */
	const size_t highest = utf8 ? 8 : sizeof letters - 2;

	fprintf(to, "group %zu |", group);
	for (size_t i = 0; i < bars->n; i++) {
		const double share = (double)bars->counts[group][i] / (double)bars->all[group];
		const size_t level = (size_t)ceil(share / bars->most * (double)highest);

		if (utf8 && level)
			fprintf(to, "\342\226%c", (int)(0200 + level));
		else
			putc(letters[level], to);
	}
	fputs("|\n", to);
}

static void put_distributions(const struct leak_report *report, bool utf8, FILE *to)
{
	const struct outcome_leak *const leak = &report->outcome->leak;
	char low[FIGURES_NUMBER], high[FIGURES_NUMBER];
	struct bars bars;

	if (leak->kept[0] == 0 || leak->kept[1] == 0 || !choose_bars(report, &bars))
		return;
	fill_bars(report, &bars);
	if (!(bars.most > 0))
		return;
	putc('\n', to);
	for (size_t group = 0; group < 2; group++)
		put_bars(&bars, group, utf8, to);
	fprintf(to, "        %s to %s %s\n", figures_number(bars.low, 0, low),
		figures_number(bars.low + bars.width * (double)bars.n, 0, high),
		leak_time_unit(report));
}

/* The rest */

/* What the group is, if it is more than a number. */
static void put_group(const struct leak_report *report, int group, FILE *to)
{
	fprintf(to, "%" PRIu64 " of group %d", report->outcome->leak.result.calls[group], group);
	if (!report->outcome->leak.prepared)
		fprintf(to, " (%s)", leak_group(report, group));
}

static void put_counts(const struct leak_report *report, FILE *to)
{
	const struct outcome_leak *const leak = &report->outcome->leak;
	const struct cpucycles_counter_info *const info = &report->outcome->info;
	const char *const unit = outcome_unit(report->outcome);
	const char *const reason = figures_cycles_reason(leak->cycles_from);
	char step[FIGURES_NUMBER];

	fputs("calls: ", to);
	put_group(report, 0, to);
	fputs(", ", to);
	put_group(report, 1, to);
	fprintf(to,
		"; discarded: %" PRIu64 " and %" PRIu64
		"; %s s; %s, in %s, with a resolution of %s %s",
		leak->result.discarded[0], leak->result.discarded[1],
		number_digits(3, (double)report->outcome->elapsed_ns * 1e-9).text, info->counter,
		unit, figures_number(info->resolution, 0, step), unit);
	if (leak->cycles_from == CPUCYCLES_CYCLES_CHAIN)
		fputs("; core cycles by a chain of known length", to);
	else if (*reason)
		fprintf(to, "; no core cycles: %s", reason);
	putc('\n', to);
}

static void put_verbose(const struct leak_report *report, FILE *to)
{
	const struct outcome_leak *const leak = &report->outcome->leak;
	const struct cpucycles_counter_info *const info = &report->outcome->info;
	const char *const unit = outcome_unit(report->outcome);
	char value[FIGURES_NUMBER];

	fprintf(to, "%-11s %s %s for an empty pair of reads, which is taken off\n", "overhead",
		figures_number(info->overhead, 0, value), unit);
	fprintf(to, "%-11s %s %s, the interquartile range of the overhead\n", "iqr",
		figures_number(info->overhead_iqr, 0, value), unit);
	fprintf(to, "%-11s %" PRIu64 "\n", "seed", report->outcome->plan.seed);
	fprintf(to, "%-11s %s %s\n", "threshold", figures_number(leak->result.threshold, 0, value),
		leak_time_unit(report));
	fprintf(to, "%-11s at most %s\n", "p-value", number_digits(3, leak->result.p_value).text);
	fprintf(to, "%-11s at most %s, the p-value of equal inputs\n", "control",
		number_digits(3, leak->result.control_p_value).text);
	fprintf(to, "%-11s %zu and %zu\n", "times kept", leak->kept[0], leak->kept[1]);
}

static void put_lack(const struct reason_text *reason, FILE *to)
{
	fputs("warning: -r: ", to);
	table_put(reason->what, TABLE_TEXT, to);
	if (reason->remedy[0]) {
		fputs("; ", to);
		table_put(reason->remedy, TABLE_TEXT, to);
	}
	putc('\n', to);
}

void leak_put_text(const struct leak_report *report, bool verbose, bool utf8, FILE *to)
{
	char text[LEAK_TEXT];

	leak_sentence(report, text);
	table_put(text, TABLE_TEXT, to);
	leak_advice(report, text);
	fprintf(to, "\n%s\n", text);
	if (report->outcome->info.next_best)
		put_lack(&report->outcome->next_best, to);
	if (!verbose)
		return;
	putc('\n', to);
	put_table(&report->outcome->leak.quantiles, to);
	putc('\n', to);
	put_counts(report, to);
	put_verbose(report, to);
	put_distributions(report, utf8, to);
}

/* The file of times */

static void put_number(double value, FILE *to)
{
	if (isfinite(value))
		fprintf(to, " %s", number_digits(10, value).text);
	else
		fputs(" unknown", to);
}

static void put_place(const char *name, int quantile, const struct groups_interval *d, FILE *to)
{
	const bool seen = leak_is_seen(d);

	fprintf(to, "# %s\t%d", name, quantile);
	put_number(seen ? d->group0 : NAN, to);
	put_number(seen ? d->difference : NAN, to);
	put_number(d->low, to);
	put_number(d->high, to);
	putc('\n', to);
}

void leak_put_times(const void *argument, FILE *to)
{
	const struct leak_report *const report = argument;
	const struct outcome_leak *const leak = &report->outcome->leak;
	const struct cpucycles_leak_findings *const r = &leak->result;

	fputs("# cpucycles-measure-leak 1\n# function\t", to);
	table_put(report->outcome->targets->label, TABLE_TEXT, to);
	fprintf(to, "\n# unit\t%s\n# step\t%s\n# verdict\t%s", leak_time_unit(report),
		number_digits(10, leak_step(report)).text, leak_word(report));
	if (r->verdict == CPUCYCLES_LEAK_NONE_ABOVE)
		put_number(r->threshold, to);
	putc('\n', to);
	for (size_t i = 0; i < GROUPS_DECILES; i++)
		put_place("decile", (int)(10 * (i + 1)), &leak->quantiles.deciles[i], to);
	put_place("tail", 99, &leak->quantiles.tail, to);
	put_place("head", 1, &leak->quantiles.head, to);
	fprintf(to, "# times\t%zu %zu\ngroup\t%s\n", leak->kept[0], leak->kept[1],
		leak_time_unit(report));
	for (size_t group = 0; group < 2; group++)
		for (size_t i = 0; i < leak->kept[group]; i++)
			fprintf(to, "%zu\t%s\n", group,
				number_digits(10, report->outcome->leak_times[group][i]).text);
}
