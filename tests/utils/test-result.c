/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What cpucycles-measure concludes from made outcomes. */

#include "config.h"

#include "cycles.h"
#include "letters.h"
#include "measure/report/layouts.h"
#include "measure/report/sentences.h"
#include "measure/result/gate.h"
#include "measure/result/settle.h"
#include "measure/result/steps.h"
#include "made-outcome.h"
#include "../measure/simulate.h"

TEST_WITH(test_settle, begin, end)
{
	static const double medians[] = { 14, 10, 18, 11, 12, 17, 16, 13, 15, 19 };
	static const double ratios[] = {
		0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.10
	};
	const struct cpucycles_result *r = &functions[0].measured.result;
	const struct verdict *v = &functions[1].measured.verdict;

	settle(10, medians, ratios);
	assert_int_equal(outcome_due(&outcome), 10);
	assert_false(outcome_settle(&outcome));
	assert_true(r->min == 7 && r->q1 == 13.5 && r->median == 14.5 && r->q3 == 16.5);
	assert_true(r->iterations == 3 && r->warnings == CPUCYCLES_WARNING_MOVED);
	/* Of 10, the 2nd from both ends hold the median with 95 %. */
	assert_true(r->low == 11 && r->high == 18);
	/* The centre of the logarithms, by the means of two, of which the 9th from both ends hold
	 * it: sqrt(12.5 * 12.5) and sqrt(15.5 * 19.5). */
	assert_true(fabs(r->iqm - 14.7902) < 1e-4);
	assert_true(fabs(functions[0].measured.mean_low - 12.5) < 1e-9 &&
		    fabs(functions[0].measured.mean_high - sqrt(15.5 * 19.5)) < 1e-9);
	assert_int_equal(v->kind, VERDICT_SLOWER);
	assert_true(fabs(log(v->ratio) - 0.055) < 1e-12 && v->low > 1);
	/* There is a verdict, with an interval of 9 %: there are no more looks. */
	assert_int_equal(outcome.looks, 1);
	assert_int_equal(outcome_due(&outcome), 12);
	/* One process tells another story, or has no value. */
	for (int i = 0; i < 2; i++) {
		settle(10, medians, ratios);
		functions[1].log_ratios[9] = i ? (double)NAN : -0.2;
		assert_false(outcome_settle(&outcome));
		assert_int_equal(v->kind, VERDICT_CANNOT_TELL);
	}
	/* One process behind the first look: too few for the second look's share. */
	settle(10, medians, ratios);
	functions[1].log_ratios[9] = -0.2;
	assert_false(outcome_settle(&outcome));
	outcome.layouts = 11;
	functions[0].results[10] = functions[0].results[9];
	functions[1].results[10] = functions[1].results[9];
	functions[1].log_ratios[10] = 0.1;
	assert_false(outcome_settle(&outcome));
	assert_int_equal(v->kind, VERDICT_CANNOT_TELL);
	assert_true(isfinite(v->high) && v->needed > 10);
	settle(5, medians, ratios);
	assert_false(outcome_settle(&outcome));
	assert_true(isinf(r->low) && isinf(r->high) && isinf(v->high));
	assert_int_equal(v->needed, 10);
}

/* Add processes with these log ratios, up to this number. */
static void add_ratios(size_t processes, double log_ratio)
{
	for (; outcome.layouts < processes; outcome.layouts++) {
		const size_t p = outcome.layouts;

		functions[0].results[p] = functions[0].results[0];
		functions[1].results[p] = functions[1].results[0];
		functions[1].log_ratios[p] = log_ratio;
	}
}

/* A verdict stays. Its interval follows the later processes. */
TEST_WITH(test_reached, begin, end)
{
	static const double medians[10] = { 14, 14, 14, 14, 14, 14, 14, 14, 14, 14 };
	static const double ratios[] = {
		0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.10
	};
	const struct verdict *const v = &functions[1].measured.verdict;
	double low;

	settle(10, medians, ratios);
	assert_false(outcome_settle(&outcome));
	low = v->low;
	add_ratios(12, 0.055);
	assert_false(outcome_settle(&outcome));
	assert_true(v->kind == VERDICT_SLOWER && v->low > low);
	add_ratios(60, 0.055);
	assert_true(outcome_settle(&outcome));
	assert_int_equal(outcome.looks, 1);
	settle(10, medians, ratios);
	outcome_settle(&outcome);
	add_ratios(60, -0.01);
	outcome_settle(&outcome);
	assert_true(v->kind == VERDICT_SLOWER && v->low < 1);
	/* A tenth of a large difference is enough, and of a small one 1 %. */
	settle(10, medians,
	       (double[10]){ 0.960, 0.965, 0.970, 0.975, 0.980, 0.985, 0.990, 0.995, 1.000,
			     1.005 });
	assert_true(outcome_settle(&outcome));
	settle(10, medians,
	       (double[10]){ 0.010, 0.011, 0.012, 0.013, 0.014, 0.015, 0.016, 0.017, 0.018,
			     0.019 });
	assert_true(outcome_settle(&outcome));
	settle(10, medians,
	       (double[10]){ 0.010, 0.012, 0.014, 0.016, 0.018, 0.020, 0.022, 0.024, 0.026,
			     0.028 });
	assert_false(outcome_settle(&outcome));
}

#define DIFFERENCE 0.05

static double normal(void)
{
	return 0.012 * simulate_normal();
}

static double two_modes(void)
{
	return (unit_random() >> 63 ? 0.01 : -0.01) + 0.002 * simulate_normal();
}

/* Go on as the tool does, until an interval is of use. Whether it leaves out the difference. */
static bool misses(double (*draw)(void), double error)
{
	static const double nothing[1] = { 0 }, medians[1] = { 14 };
	const struct verdict *const v = &functions[1].measured.verdict;
	bool enough = false;

	settle(1, medians, nothing);
	outcome.layouts = 0;
	outcome.alpha = error;
	while (!enough && outcome_due(&outcome) <= OUTCOME_REPLICATES) {
		for (size_t due = outcome_due(&outcome); outcome.layouts < due;)
			add_ratios(outcome.layouts + 1, DIFFERENCE + draw());
		enough = outcome_settle(&outcome);
	}
	return v->low > exp(DIFFERENCE) || v->high < exp(DIFFERENCE);
}

/* The larger error shows more of the tail, so that this test sees intervals that miss. */
TEST_WITH(test_intervals_of_use, begin, end)
{
	static const struct {
		const char *name;
		double (*draw)(void);
	} series[] = { { "normal", normal }, { "two modes", two_modes } };
	const size_t n = unit_is_slow() ? 40 : 1000;

	for (size_t s = 0; s < N(series); s++) {
		size_t wrong = 0, often = 0;

		for (size_t i = 0; i < n; i++) {
			wrong += misses(series[s].draw, 0.005);
			often += misses(series[s].draw, 0.2);
		}
		simulate_at_most(wrong, n, 0.005, series[s].name);
		simulate_at_most(often, n, 0.2, series[s].name);
		simulate_at_least(often, n, 0.02, series[s].name);
	}
}

/* Process number p has these cycles, or a reason why it has none. */
static void give_cycles(size_t p, int from, double cycles)
{
	struct cpucycles_result *const r = &functions[0].results[p];

	r->cycles_from = from;
	r->cycles = cycles;
	r->units_per_cycle = isfinite(cycles) ? 0.01 * cycles : 0.5;
	r->cycles_interrupted = p;
}

static void settle_cycles(size_t processes)
{
	static const double medians[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };

	settle(processes, medians, medians);
	for (size_t p = 0; p < processes; p++)
		give_cycles(p, CPUCYCLES_CYCLES_CHAIN, 100 + (double)p);
}

TEST_WITH(test_cycles, begin, end)
{
	const struct measured *const m = &functions[0].measured;
	const struct cpucycles_result *const r = &m->result;
	double bound;

	settle_cycles(10);
	outcome_settle_results(&outcome);
	bound = cycles_bound(r->cycles, 3);
	assert_int_equal(r->cycles_from, CPUCYCLES_CYCLES_CHAIN);
	assert_true(fabs(r->cycles - 104.4701) < 1e-4);
	/* The 9th of the means of two from both ends, and the bound of the chain. */
	assert_true(bound > 0 && fabs(r->cycles_low + bound - 102) < 1e-9 &&
		    fabs(r->cycles_high - bound - sqrt(105 * 109)) < 1e-9);
	assert_true(r->units_per_cycle == 1.045);
	assert_true(m->units_per_cycle[0] == 1 && m->units_per_cycle[1] == 1.09);
	/* The quantiles of 5 and 95 % are 0.0405 from the median. */
	assert_true(fabs(m->speed_off - 0.0405 / 1.045) < 1e-9);
	/* Also where results are made twice. */
	outcome_settle_results(&outcome);
	assert_int_equal(r->cycles_interrupted, 45);
	/* A counter is exact. */
	for (size_t p = 0; p < 10; p++)
		give_cycles(p, CPUCYCLES_CYCLES_COUNTER, 100 + (double)p);
	outcome_settle_results(&outcome);
	assert_int_equal(r->cycles_from, CPUCYCLES_CYCLES_COUNTER);
	assert_true(fabs(r->cycles_low - 102) < 1e-9 &&
		    fabs(r->cycles_high - sqrt(105 * 109)) < 1e-9);
	/* A process of 0 cycles has no logarithm: the median, and the 2nd from both ends. */
	give_cycles(0, CPUCYCLES_CYCLES_COUNTER, 0);
	outcome_settle_results(&outcome);
	assert_true(r->cycles == 104.5 && r->cycles_low == 101 && r->cycles_high == 108);
	settle_cycles(5);
	outcome_settle_results(&outcome);
	assert_true(r->cycles == 102 && isinf(r->cycles_low) && isinf(r->cycles_high));
}

TEST_WITH(test_cycles_of_some_processes, begin, end)
{
	const struct measured *const m = &functions[0].measured;
	const struct cpucycles_result *const r = &m->result;

	settle_cycles(10);
	for (size_t p = 0; p < 5; p++)
		give_cycles(p, CPUCYCLES_CYCLES_TOO_FEW, NAN);
	outcome_settle_results(&outcome);
	assert_int_equal(r->cycles_from, CPUCYCLES_CYCLES_CHAIN);
	assert_true(r->cycles == 107 && m->units_per_cycle[0] == 1.05);
	/* Fewer than half: one more has none, and most of those have another reason. */
	for (size_t p = 2; p < 6; p++)
		give_cycles(p, CPUCYCLES_CYCLES_COARSE, NAN);
	outcome_settle_results(&outcome);
	assert_int_equal(r->cycles_from, CPUCYCLES_CYCLES_COARSE);
	assert_true(isnan(r->cycles) && isnan(r->cycles_low) && isnan(r->cycles_high));
	settle_cycles(10);
	for (size_t p = 0; p < 10; p++)
		give_cycles(p, CPUCYCLES_CYCLES_NONE, NAN);
	outcome_settle_results(&outcome);
	assert_int_equal(r->cycles_from, CPUCYCLES_CYCLES_NONE);
	assert_true(isnan(r->cycles) && m->units_per_cycle[0] == 0 && r->units_per_cycle == 0);
}

/* Whether a process is left out in which the core took so many units for a cycle. */
static bool leaves_out(double units)
{
	const struct outcome_part part = { .slow_units_per_cycle = units };

	return outcome_leaves_out(&outcome, &part);
}

TEST_WITH(test_slow_processes, begin, end)
{
	settle_cycles(0);
	assert_false(leaves_out(100));
	/* Most have about 1 unit per cycle. */
	settle_cycles(10);
	assert_false(leaves_out(4.1));
	assert_false(leaves_out(0));
	assert_true(outcome.slow == 0 && outcome.slow_units_per_cycle == 0);
	assert_true(leaves_out(15));
	assert_true(leaves_out(4.3));
	assert_true(outcome.slow == 2 && outcome.slow_units_per_cycle == 15);
	/* Not more than were added: those may be the ones that are like most. */
	while (outcome.slow < 10)
		assert_true(leaves_out(5));
	assert_false(leaves_out(5));
	/* If one of a few was slow, or where no cycles are known, none is left out. */
	outcome.slow = 0;
	functions[0].results[0].units_per_cycle = 14;
	outcome.layouts = 2;
	assert_false(leaves_out(14));
	settle_cycles(10);
	for (size_t p = 0; p < 10; p++)
		give_cycles(p, CPUCYCLES_CYCLES_EMULATED, NAN);
	assert_false(leaves_out(14));
	outcome.functions = NULL;
	assert_int_equal(outcome_begin(&outcome, NULL, 0), 0);
	assert_true(outcome.slow == 0 && outcome.slow_units_per_cycle == 0);
	free(outcome.functions);
	outcome.functions = functions;
}

/* Of four layouts in each process, processes are counted, and not layouts. */
TEST_WITH(test_layouts_of_processes, begin, end)
{
	double medians[40], ratios[40] = { 0 };

	for (size_t p = 0; p < 40; p++)
		medians[p] = 100;
	outcome.per_process = 4;
	outcome.precision = 0.01;
	settle(40, medians, ratios);
	for (size_t p = 0; p < 40; p++)
		give_cycles(p, CPUCYCLES_CYCLES_CHAIN, 100 + (double)p);
	outcome_settle_results(&outcome);
	assert_true(outcome_is_precise(&outcome));
	outcome.layouts = 36;
	outcome_settle_results(&outcome);
	assert_false(outcome_is_precise(&outcome));
	for (size_t slow = 0; slow < 9; slow++)
		assert_true(leaves_out(15));
	assert_false(leaves_out(15));
}

/* Functions that are linked anew, in processes of which four are a unit. */
static void settle_linked(size_t processes, const double values[])
{
	double medians[OUTCOME_LAYOUTS], ratios[OUTCOME_LAYOUTS];

	for (size_t p = 0; p < processes; p++) {
		medians[p] = 100;
		/* Far apart in a unit, with the unit's value as their mean. */
		ratios[p] = values[p / 4] + 0.1 * ((double)(p % 4) - 1.5);
	}
	outcome.linked = true;
	settle(processes, medians, ratios);
}

static const double unit_values[] = { 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08,
				      0.09, 0.10, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16 };

TEST_WITH(test_replicates, begin, end)
{
	const struct verdict *v = &functions[1].measured.verdict;

	settle_linked(40, unit_values);
	assert_int_equal(outcome_due(&outcome), 40);
	outcome_settle(&outcome);
	assert_int_equal(v->kind, VERDICT_SLOWER);
	assert_true(fabs(log(v->ratio) - 0.055) < 1e-12);
	assert_true(fabs(log(v->low) - 0.01) < 1e-12);
	assert_int_equal(functions[1].measured.replicates, 10);
	assert_int_equal(outcome_layouts(&outcome, 1), 40);
	assert_int_equal(outcome_due(&outcome), 48);
	/* Half of the values are 0.05 from the middle of their replicates, and the others 0.15. */
	assert_true(functions[1].measured.placement > 0.05 &&
		    functions[1].measured.placement < 0.2);
	assert_true(functions[1].measured.by_layout == 0);
	/* Two processes more are no unit, and no look. */
	outcome.layouts = 42;
	outcome_settle(&outcome);
	assert_int_equal(outcome.looks, 1);
	assert_int_equal(functions[1].measured.replicates, 10);
	/* Without one value, or one process, there are 9 replicates. */
	for (int i = 0; i < 2; i++) {
		settle_linked(i ? 39 : 40, unit_values);
		functions[1].log_ratios[17] = i ? 0.05 : (double)NAN;
		assert_false(outcome_settle(&outcome));
		assert_int_equal(functions[1].measured.replicates, 9);
		assert_int_equal(v->needed, 10);
		assert_int_equal(outcome_needed(&outcome, 1), 40);
	}
	settle_linked(3, unit_values);
	assert_false(outcome_settle(&outcome));
	assert_int_equal(functions[1].measured.replicates, 0);
	assert_true(functions[1].measured.compared && isnan(v->ratio));
	assert_int_equal(v->needed, 10);
	outcome.alpha = 0;
	assert_true(outcome_due(&outcome) == SIZE_MAX);
}

/* Each process at its step of the unit. costs: of the steps, as parts of the time at step 0. */
static void place(size_t units, const double costs[4], size_t alignment, double noise)
{
	double zeros[OUTCOME_LAYOUTS / 4] = { 0 };

	settle_linked(4 * units, zeros);
	for (size_t p = 0; p < 4 * units; p++) {
		const size_t step = (p + p / 4) % 4 * 16 / alignment * alignment / 16;

		functions[1].places[p] = 64 * (p % 7) + 16 * step;
		/* The frequency moves with the unit. */
		functions[1].results[p].iqm = (1 + 0.1 * (double)(p / 4 % 3)) * 1000 *
					      (1 + costs[step]) * exp(noise * simulate_normal());
	}
	outcome_settle(&outcome);
}

/* The file of layouts has the lines, and no others on steps. */
static void assert_costly_lines(const char *lines)
{
	FILE *const file = tmpfile();
	char line[400], text[400] = "";

	assert_non_null(file);
	for (size_t i = 0; i < 2; i++)
		functions[i].target = &targets[i];
	layouts_write(&(struct layouts){ &outcome, 1 }, file);
	rewind(file);
	while (fgets(line, sizeof line, file))
		if (strstr(line, "costly"))
			letters_add(text, sizeof text, "%s", line);
	fclose(file);
	assert_string_equal(text, lines);
}

TEST_WITH(test_steps, begin, end)
{
	struct steps steps;

	place(10, (double[4]){ 0, 0.01, 0.5, 0.005 }, 16, 0);
	assert_true(steps_find(&outcome, 1, &steps));
	assert_true(steps.costly[2] && !steps.costly[0] && !steps.costly[1] && !steps.costly[3]);
	assert_true(fabs(steps.best - 1100) < 1e-6 && fabs(steps.worst - 1650) < 1e-6 &&
		    !steps.in_cycles);
	/* Two steps, and the costlier one of them. */
	place(10, (double[4]){ 0.3, 0, 0, 0.4 }, 16, 0);
	assert_true(steps_find(&outcome, 1, &steps));
	assert_true(steps.costly[0] && steps.costly[3] && !steps.costly[1] && !steps.costly[2]);
	assert_true(fabs(steps.worst - 1540) < 1e-6);
	assert_costly_lines("# costly\t0 ./f.so:b\n# costly\t48 ./f.so:b\n");
	/* Too little, in too few units, or only in some of them. */
	place(10, (double[4]){ 0, 0, 0.045, 0 }, 16, 0);
	assert_false(steps_find(&outcome, 1, &steps));
	assert_costly_lines("");
	place(9, (double[4]){ 0, 0, 0.5, 0 }, 16, 0);
	assert_false(steps_find(&outcome, 1, &steps));
	place(10, (double[4]){ 0, 0, 0.5, 0 }, 16, 0);
	for (size_t p = 0; p < 8; p++)
		functions[1].results[p].iqm = 1000;
	assert_false(steps_find(&outcome, 1, &steps));
	/* Code that is aligned to 32 bytes has two places, and to 64 bytes one. */
	place(10, (double[4]){ 0, 0, 0.5, 0 }, 32, 0);
	assert_true(steps_find(&outcome, 1, &steps) && steps.costly[2]);
	place(10, (double[4]){ 0, 0, 0.5, 0 }, 64, 0);
	assert_false(steps_find(&outcome, 1, &steps));
	/* A unit counts whose processes all have core cycles. */
	place(11, (double[4]){ 0, 0.5, 0, 0 }, 16, 0);
	for (size_t p = 0; p < 44; p++) {
		struct cpucycles_result *const r = &functions[1].results[p];

		r->cycles_from = p == 1 ? CPUCYCLES_CYCLES_TOO_FEW : CPUCYCLES_CYCLES_CHAIN;
		r->cycles = p == 1 ? (double)NAN : 2 * r->iqm;
	}
	outcome_settle(&outcome);
	assert_true(steps_find(&outcome, 1, &steps) && steps.in_cycles && steps.costly[1]);
	/* Without places there is none. */
	outcome.linked = false;
	assert_false(steps_find(&outcome, 1, &steps));
}

/* No step costs anything. The larger error shows more of the tail. */
TEST_WITH(test_steps_by_chance, begin, end)
{
	const size_t n = unit_is_slow() ? 40 : 1000;
	size_t named = 0, often = 0;
	struct steps steps;

	for (size_t i = 0; i < n; i++) {
		place(14, (double[4]){ 0.05, 0, 0, 0 }, 16, 0.1);
		outcome.alpha = 0.005;
		named += steps_find(&outcome, 1, &steps);
		outcome.alpha = 0.4;
		often += steps_find(&outcome, 1, &steps);
	}
	simulate_at_most(named, n, 0.005, "named steps");
	simulate_at_most(often, n, 0.4, "named steps, at an error of 0.4");
	simulate_at_least(often, n, 0.05, "named steps, at an error of 0.4");
}

/* A look costs a share of the error only if there are more replicates than at the last one. */
TEST_WITH(test_looks_of_replicates, begin, end)
{
	const struct verdict *v = &functions[1].measured.verdict;
	double low;

	/* One unit tells another story than the others. */
	settle_linked(64, unit_values);
	for (size_t p = 0; p < 4; p++)
		functions[1].log_ratios[p] -= 2;
	outcome.layouts = 40;
	outcome_settle(&outcome);
	outcome.layouts = 60;
	outcome_settle(&outcome);
	assert_int_equal(outcome.looks, 2);
	assert_int_equal(functions[1].measured.replicates, 15);
	low = v->low;
	outcome.layouts = 62;
	outcome_settle(&outcome);
	assert_int_equal(outcome.looks, 2);
	assert_true(v->low == low);
	outcome.layouts = 64;
	outcome_settle(&outcome);
	assert_int_equal(outcome.looks, 3);
	assert_int_equal(functions[1].measured.replicates, 16);
}

TEST_WITH(test_within, begin, end)
{
	static const double ratios[] = { -0.004, -0.003, -0.002, -0.001, 0,
					 0.001,  0.002,  0.003,  0.004,  0.005 };
	static const double medians[10] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	const struct verdict *v = &functions[1].measured.verdict;

	settle(10, medians, ratios);
	assert_false(outcome_settle(&outcome));
	assert_int_equal(v->kind, VERDICT_CANNOT_TELL);
	settle(10, medians, ratios);
	outcome.within = 0.01;
	assert_true(outcome_settle(&outcome));
	assert_int_equal(v->kind, VERDICT_SAME);
	assert_true(v->within == 0.01);
	assert_int_equal(functions[1].measured.replicates, 10);
	assert_int_equal(outcome_layouts(&outcome, 1), 0);
	assert_true(isnan(functions[1].measured.placement) &&
		    isnan(functions[1].measured.by_layout));
	settle_linked(40, ratios);
	assert_true(outcome_settle(&outcome));
	assert_int_equal(v->kind, VERDICT_SAME);
}

/* The run goes on until the first look, which 40 layouts have. */
TEST_WITH(test_precision_of_a_comparison, begin, end)
{
	outcome.precision = 0.01;
	settle_linked(36, unit_values);
	assert_false(outcome_knows_enough(&outcome));
	outcome_settle_results(&outcome);
	assert_true(outcome_is_precise(&outcome));
	settle_linked(40, unit_values);
	assert_true(outcome_knows_enough(&outcome));
	settle_linked(36, unit_values);
	outcome.alone = true;
	assert_true(outcome_knows_enough(&outcome));
}

/* Half of an interval as a part of the mean, of the function where that is most. */
TEST_WITH(test_precision, begin, end)
{
	/* The means are larger by 0.5. */
	static const double medians[] = { 98.5, 99.5, 99.5, 99.5,  99.5,
					  99.5, 99.5, 99.5, 100.5, 101.5 };
	static const double ratios[10];
	char text[SENTENCE_TEXT];
	size_t widest;

	settle(10, medians, ratios);
	outcome.precision = 0.01;
	outcome.info.resolution = 1;
	outcome_settle_results(&outcome);
	assert_int_equal(outcome.looks, 0);
	/* The 9th of the means of two from both ends; the farther one is sqrt(100 * 102). */
	assert_true(fabs(outcome_precision(&outcome, &widest) - (sqrt(1.02) - 1)) < 1e-12);
	assert_true(outcome_is_precise(&outcome));
	sentence_precision(&outcome, text);
	assert_string_equal(text,
			    "Precision of 1 %: reached: each interval is within 0.995 % of its "
			    "mean, in 10 processes.");
	functions[1].measured.result.cycles_from = CPUCYCLES_CYCLES_CHAIN;
	sentence_precision(&outcome, text);
	assert_non_null(strstr(text, "within 0.995 % of its mean time, in 10 processes."));
	/* The second function is less precise. */
	functions[1].measured.mean_high = 103;
	assert_true(fabs(outcome_precision(&outcome, &widest) - 0.03) < 1e-12);
	assert_int_equal(widest, 1);
	assert_false(outcome_is_precise(&outcome));
	sentence_precision(&outcome, text);
	assert_non_null(strstr(text, "not reached in the time (-t): the interval of ./f.so:b is"));
	/* Samples of three calls: a step is 1 / 3 of the mean. Where the samples lie on more steps
	 * than one, that says nothing. */
	outcome.info.resolution = 100;
	sentence_precision(&outcome, text);
	assert_null(strstr(text, "step"));
	functions[0].measured.result.q3 = functions[0].measured.result.q1;
	sentence_precision(&outcome, text);
	assert_non_null(strstr(text, " A step of the counter is 33.3 % of the mean of ./f.so:a"));
	/* Few processes, without intervals or with narrow ones. */
	settle(5, medians, ratios);
	outcome_settle_results(&outcome);
	assert_true(isinf(outcome_precision(&outcome, &widest)));
	sentence_precision(&outcome, text);
	assert_non_null(strstr(text, "./f.so:a has no interval yet, in 5 processes"));
	settle(9, medians, ratios);
	outcome_settle_results(&outcome);
	assert_true(outcome_precision(&outcome, &widest) <= 0.01);
	assert_false(outcome_is_precise(&outcome));
	/* A mean of 0 has no parts. */
	settle(10, (const double[10]){ 0 }, ratios);
	for (size_t p = 0; p < 10; p++)
		functions[0].results[p].iqm = 0;
	outcome_settle_results(&outcome);
	assert_true(isinf(outcome_precision(&outcome, &widest)));
	functions[0].measured.result.q3 = functions[0].measured.result.q1;
	sentence_precision(&outcome, text);
	assert_non_null(strstr(text, "not reached: the mean of ./f.so:a is not above 0"));
	assert_null(strstr(text, "inf"));
	/* A size may be 0. */
	targets[0].sized = true;
	outcome.targets = targets;
	outcome.targets_count = 1;
	sentence_precision(&outcome, text);
	assert_int_equal(strncmp(text, "size 0: Precision of 1 %: ", 26), 0);
	targets[0].sized = false;
}

/* Without figures of the first function, no other one takes its place. */
TEST_WITH(test_missing_first, begin, end)
{
	static const double medians[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };

	settle(10, medians, medians);
	outcome_settle(&outcome);
	assert_true(functions[1].measured.compared);
	functions[0].target = &targets[1];
	functions[1].target = &targets[2];
	functions[1].measured.compared = false;
	assert_false(outcome_settle(&outcome));
	assert_false(functions[1].measured.compared);
}

/* Functions that are measured each by itself have no verdict, and nothing ends their run. */
TEST_WITH(test_alone, begin, end)
{
	static const double ratios[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };

	settle(10, ratios, ratios);
	functions[1].measured.compared = false;
	outcome.alone = true;
	assert_false(outcome_settle(&outcome));
	assert_false(functions[1].measured.compared);
	assert_true(isfinite(functions[1].measured.mean_high));
	assert_true(isnan(outcome_so_far(&outcome)));
	functions[0].target = &targets[1];
	assert_false(outcome_misses_first(&outcome));
	outcome.alone = false;
	assert_true(outcome_misses_first(&outcome));
}

static double per_thousand(size_t event)
{
	return outcome_per_thousand_instructions(&outcome, &functions[0], event);
}

/* Figures that are made of two counts: both have to be there, and of the same modes. */
TEST_WITH(test_quotients, begin, end)
{
	assert_true(isnan(per_cycle())); /* no events at all */
	add_events();
	assert_true(per_cycle() == 1.5);
	assert_true(per_thousand(1) == 2);
	assert_true(isnan(per_thousand(0))); /* these are no misses */
	assert_true(isnan(per_thousand(2)));

	outcome.events[OUTCOME_CYCLES].info.kernel = 1;
	assert_true(isnan(per_cycle()));
	outcome.events[0].info.kernel = 1;
	assert_true(per_cycle() == 1.5);
	assert_true(isnan(per_thousand(1)));
	outcome.events[1].info.kernel = 1;
	assert_true(per_thousand(1) == 2);

	outcome.events[1].error = -ENOENT;
	assert_true(isnan(per_thousand(1)));
	functions[0].events[OUTCOME_CYCLES] = 0;
	assert_true(isnan(per_cycle()));
	functions[0].events[OUTCOME_CYCLES] = NAN;
	assert_true(isnan(per_cycle()));
}

TEST_WITH(test_quotients_without_instructions, begin, end)
{
	add_events();
	functions[0].events[0] = 0;
	assert_true(per_cycle() == 0);
	assert_true(isnan(per_thousand(1)));
	functions[0].events[0] = 3000;
	outcome.events[0].error = -ENOENT;
	assert_true(isnan(per_cycle()) && isnan(per_thousand(1)));
	/* A second event of instructions does as well. */
	outcome.events[2] = outcome.events[0];
	outcome.events[2].error = 0;
	functions[0].events[2] = 500;
	assert_true(per_cycle() == 0.25 && per_thousand(1) == 12);
}

/* The gate does not pass a function that is longer on average by the gate, whatever its typical
 * calls say. */
TEST(test_gate_and_mean)
{
	static struct outcome_function both[2];
	const struct target pair[2] = { { .label = "f.c:f", .function = "f" },
					{ .label = "f.c:g", .function = "g" } };
	struct outcome one = { .gate = 0.01,
			       .targets = pair,
			       .targets_count = 2,
			       .functions = both,
			       .count = 2,
			       .layouts = 10 };
	struct verdict *const mean = &both[1].measured.mean_verdict;
	char text[SENTENCE_TEXT];

	both[0].target = &pair[0];
	both[1].target = &pair[1];
	both[1].measured.compared = true;
	both[1].measured.verdict = (struct verdict){ .kind = VERDICT_FASTER, .ratio = 0.98 };
	*mean = (struct verdict){ .kind = VERDICT_SLOWER, .ratio = 1.009, .low = 1.005 };
	assert_int_equal(gate_status(&one, 1), OUTCOME_OK);
	mean->ratio = 1.01;
	assert_int_equal(gate_status(&one, 1), OUTCOME_UNDECIDED);
	mean->kind = VERDICT_CANNOT_TELL;
	assert_int_equal(gate_status(&one, 1), OUTCOME_UNDECIDED);
	assert_true(sentence_gate(&one, 1, text));
	assert_string_equal(text, "Gate of 1 %: cannot tell.");
	one.pair = true;
	sentence_pairs(&one, 1, text);
	assert_non_null(strstr(text, " Slower by 1 % or more on average only: 1 (f)."));
	both[1].measured.verdict.kind = VERDICT_CANNOT_TELL;
	sentence_pairs(&one, 1, text);
	assert_non_null(strstr(text, " Cannot tell: 1 (f)."));
	one.pair = false;
	both[1].measured.verdict.kind = VERDICT_SLOWER;
	both[1].measured.verdict.ratio = 1.02;
	assert_int_equal(gate_status(&one, 1), OUTCOME_ALARM);
	assert_true(sentence_gate(&one, 1, text));
	assert_string_equal(text, "Gate of 1 %: alarm.");
	both[1].measured.verdict.kind = VERDICT_SAME;
	mean->kind = VERDICT_FASTER;
	mean->ratio = 0.9;
	assert_int_equal(gate_status(&one, 1), OUTCOME_OK);
}

/* Pairs of functions, with what came of each. */
TEST(test_pairs)
{
	enum { PAIRS = 7 };
	static struct outcome_function both[PAIRS][2];
	static char names[PAIRS][200] = { "a", "b", "c", "d", "e", "f", "g" };
	struct target pair[PAIRS][2];
	struct outcome outcomes[PAIRS] = { { .pair = true } };
	char text[SENTENCE_TEXT];

	assert_false(sentence_pairs(&(struct outcome){ .pair = false }, 1, text));
	for (size_t i = 0; i < PAIRS; i++) {
		for (size_t k = 0; k < 2; k++) {
			pair[i][k] = (struct target){ .function = names[i] };
			both[i][k].target = &pair[i][k];
		}
		both[i][1].measured.compared = true;
		both[i][1].measured.verdict = (struct verdict){ .kind = VERDICT_SAME, .ratio = 1 };
		outcomes[i] = (struct outcome){
			.pair = true,
			.gate = 0.01,
			.targets = pair[i],
			.targets_count = 2,
			.functions = both[i],
			.count = 2,
		};
	}
	assert_int_equal(gate_status(outcomes, PAIRS), OUTCOME_OK);
	sentence_pairs(outcomes, PAIRS, text);
	assert_string_equal(text, "Gate of 1 %: passed. Functions in both files: 7. "
				  "Passed: 7 (a, b, c, d, e, f, g).");

	/* What fails in both files is left out, unless somebody has asked for it. */
	pair[0][0].state = pair[0][1].state = TARGET_CRASHED;
	outcomes[0].count = 0;
	assert_int_equal(gate_status(outcomes, PAIRS), OUTCOME_OK);
	assert_int_equal(gate_status(outcomes, 1), OUTCOME_UNDECIDED);
	outcomes[0].named = true;
	assert_int_equal(gate_status(outcomes, PAIRS), OUTCOME_UNDECIDED);
	outcomes[0].named = false;
	pair[0][0].state = pair[0][1].state = TARGET_NOT_LINKED;
	assert_int_equal(gate_status(outcomes, PAIRS), OUTCOME_UNDECIDED);
	pair[0][0].state = pair[0][1].state = TARGET_CRASHED;
	pair[1][1].state = TARGET_HUNG;
	outcomes[1].count = 1;
	assert_int_equal(gate_status(outcomes, PAIRS), OUTCOME_UNDECIDED);

	both[2][1].measured.verdict.kind = VERDICT_SLOWER;
	both[2][1].measured.verdict.ratio = 1.009;
	both[3][1].measured.verdict.kind = VERDICT_FASTER;
	both[3][1].measured.verdict.ratio = 0.5;
	both[4][1].measured.verdict.kind = VERDICT_CANNOT_TELL;
	assert_string_equal(sentence_gate_word(outcomes, PAIRS), "cannot tell");
	both[5][1].measured.verdict.kind = VERDICT_SLOWER;
	both[5][1].measured.verdict.ratio = 1.01;
	assert_int_equal(gate_status(outcomes, PAIRS), OUTCOME_ALARM);
	sentence_pairs(outcomes, PAIRS, text);
	assert_string_equal(text, "Gate of 1 %: alarm. Functions in both files: 7. "
				  "Slower by 1 % or more: 1 (f). Passed: 3 (c, d, g). "
				  "Cannot tell: 1 (e). Failed: 1 (b). "
				  "Left out, because they fail in both files: 1 (a).");

	/* Without a gate, each verdict counts as what it says. */
	for (size_t i = 0; i < PAIRS; i++)
		outcomes[i].gate = 0;
	assert_int_equal(gate_status(outcomes, PAIRS), OUTCOME_OK);
	memset(names[2], 'x', sizeof names[2] - 1);
	memset(names[5], 'y', 90);
	sentence_pairs(outcomes, PAIRS, text);
	assert_string_equal(text, "Functions in both files: 7. Slower: 2. Faster: 1 (d). "
				  "The same: 1 (g). Cannot tell: 1 (e). Failed: 1 (b). "
				  "Left out, because they fail in both files: 1 (a).");
	names[2][60] = 0;
	sentence_pairs(outcomes, 3, text);
	assert_non_null(strstr(text, " Slower: 1 (xxxx"));
	sentence_pairs(outcomes, PAIRS, text);
	assert_non_null(strstr(text, "xxx and others). Faster: 1 (d)."));
}

UNIT_MAIN_OF_SEED(SIMULATE_SEED, "result", NULL, NULL)
