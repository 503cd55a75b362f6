/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Runs in turns, of which this test makes the times. */

#include "config.h"

#include "draw.h"
#include "measure/run/alternate.h"
#include "measure/result/gate.h"
#include "measure/result/settle.h"
#include "unit.h"

#include <math.h>

#define SIDES 3
#define RUNS_MOST (SIDES * (OUTCOME_RUNS + 1))

/* What the runs take, and what was run. */
struct made {
	double ms[SIDES];      /* user and system time */
	double wall_ms[SIDES]; /* 0: the same */
	double cycles[SIDES];  /* 0: they are not counted */
	bool user_only;
	size_t uncounted; /* the number of the run without cycles, from 1; 0: none */
	double noise;     /* of a run, as a part of 1 */
	size_t fails_at;  /* the number of this run, from 1; 0: none */
	enum outcome_status failure;
	uint64_t state; /* of what is drawn */
	size_t n;
	size_t sides[RUNS_MOST], paddings[RUNS_MOST];
};

static struct target targets[SIDES];
static struct outcome outcome;
static struct made made;

static int begin(void **state)
{
	(void)state;
	memset(&made, 0, sizeof made);
	made.noise = 0.02;
	made.state = draw_begin(1, 0);
	made.ms[0] = made.ms[1] = made.ms[2] = 20;
	for (size_t i = 0; i < SIDES; i++)
		assert_int_equal(target_name(targets, i, "./f", "./f", "./f"), 0);
	outcome = (struct outcome){
		.subject = OUTCOME_COMMANDS,
		.plan = { .budget_ns = 60000000000, .seed = 1 },
		.within = 0.01,
	};
	return 0;
}

static int end(void **state)
{
	(void)state;
	outcome_free(&outcome);
	target_free(targets, SIDES);
	return 0;
}

static double noise(void)
{
	const double drawn = (double)draw_bits(&made.state) / 4294967296.0;

	return 1 + made.noise * (drawn - 0.5);
}

static enum outcome_status run(void *context, size_t side, size_t padding,
			       struct alternate_values *values)
{
	const double ns = made.ms[side] * 1e6 * noise();

	assert_ptr_equal(context, &made);
	assert_true(made.n < RUNS_MOST);
	made.sides[made.n] = side;
	made.paddings[made.n++] = padding;
	if (made.n == made.fails_at)
		return made.failure;
	*values = (struct alternate_values){
		.cpu_ns = ns,
		.wall_ns = made.wall_ms[side] > 0 ? made.wall_ms[side] * 1e6 * noise() : 2 * ns,
		.memory = side == 1 ? 1e6 * (double)made.n : (double)NAN,
		.counts = { made.n == made.uncounted ? 0 : made.cycles[side] * noise(),
			    2 * made.cycles[side], !made.user_only },
	};
	return OUTCOME_OK;
}

static enum outcome_status measure(size_t n)
{
	return alternate_run(&(struct alternate){ run, &made }, targets, n, &outcome);
}

static const struct measured *measured(size_t i)
{
	return &outcome.functions[i].measured;
}

TEST_WITH(equal, begin, end)
{
	assert_int_equal(measure(2), OUTCOME_OK);
	assert_int_equal(measured(1)->verdict.kind, VERDICT_SAME);
	assert_true(measured(1)->verdict.inside);
	assert_true(outcome.layouts >= 10 && outcome.layouts < OUTCOME_RUNS);
	assert_true(fabs(measured(0)->result.iqm / 20e6 - 1) < 0.01);
	assert_true(fabs(measured(0)->other_ns / 40e6 - 1) < 0.01);
	/* The quartiles are those of the runs. */
	assert_true(measured(0)->result.q3 > measured(0)->result.q1);
	assert_int_equal(measured(0)->result.samples, outcome.layouts);
	/* The most that a run had, of the side of which it is known. */
	assert_true(measured(0)->memory == 0);
	assert_true(measured(1)->memory >= 1e6 * 2 * (double)outcome.layouts);
	assert_string_equal(targets[1].label, "./f (2)");
}

TEST_WITH(slower, begin, end)
{
	made.ms[1] = 21;
	made.ms[2] = 15;
	outcome.gate = 0.02;
	assert_int_equal(measure(3), OUTCOME_OK);
	assert_int_equal(measured(1)->verdict.kind, VERDICT_SLOWER);
	assert_true(fabs(measured(1)->verdict.ratio - 1.05) < 0.01);
	assert_int_equal(measured(2)->verdict.kind, VERDICT_FASTER);
	assert_true(fabs(measured(2)->verdict.ratio - 0.75) < 0.01);
	assert_int_equal(gate_of_target(&outcome, 1), GATE_ALARM);
	assert_int_equal(gate_of_target(&outcome, 2), GATE_PASSED);
}

/* A time that is not judged counts if it is shown to be longer. */
TEST_WITH(wall, begin, end)
{
	made.wall_ms[0] = 30;
	made.wall_ms[1] = 33;
	outcome.gate = outcome.within = 0.05;
	assert_int_equal(measure(2), OUTCOME_OK);
	assert_int_equal(measured(1)->verdict.kind, VERDICT_SAME);
	assert_true(measured(1)->mean_verdict.low > 1.05);
	assert_int_equal(gate_of_target(&outcome, 1), GATE_LONGER);
	end(NULL);
	begin(NULL);
	made.wall_ms[0] = 30;
	made.wall_ms[1] = 33;
	outcome.wall = true;
	outcome.gate = 0.05;
	assert_int_equal(measure(2), OUTCOME_OK);
	assert_int_equal(measured(1)->verdict.kind, VERDICT_SLOWER);
	assert_int_equal(gate_of_target(&outcome, 1), GATE_ALARM);
	assert_string_equal(outcome.info.counter, "wall-time");
}

/* An estimate above the gate is not enough, where an interval goes down to 1. */
TEST_WITH(wall_unsure, begin, end)
{
	assert_int_equal(measure(2), OUTCOME_OK);
	outcome.gate = 0.05;
	outcome.functions[1].measured.mean_verdict = (struct verdict){
		.ratio = 1.06,
		.low = 1.01,
		.high = 1.11,
	};
	assert_false(gate_sees_longer(&outcome, 1));
	outcome.functions[1].measured.mean_verdict.low = 1.051;
	assert_true(gate_sees_longer(&outcome, 1));
}

/* Cycles of all the work are judged in the place of the CPU time, which is still a figure. */
TEST_WITH(cycles, begin, end)
{
	const struct outcome_function *f;
	double error;

	made.cycles[0] = 50e6;
	made.cycles[1] = 55e6;
	assert_int_equal(measure(2), OUTCOME_OK);
	assert_string_equal(outcome.info.counter, "perf-cycles");
	assert_int_equal(outcome.info.unit, CPUCYCLES_UNIT_CYCLES);
	assert_int_equal(measured(1)->verdict.kind, VERDICT_SLOWER);
	assert_true(fabs(measured(1)->verdict.ratio - 1.1) < 0.01);
	assert_true(fabs(measured(1)->result.cycles / 55e6 - 1) < 0.01);
	f = &outcome.functions[1];
	assert_true(fabs(outcome_ns(&outcome, f, f->measured.result.iqm) / 20e6 - 1) < 0.01);
	assert_true(fabs(outcome_ns_per_unit(&outcome, NULL, &error) * 52.5 / 20 - 1) < 0.01);
	assert_int_equal(outcome.events_count, 1);
	assert_string_equal(outcome.events[0].info.name, "instructions:uk");
	assert_true(f->events[0] == 2 * made.cycles[1]);
	assert_true(fabs(outcome_instructions_per_cycle(&outcome, f) - 2) < 0.01);
}

/* Cycles of a part of the work are figures only. */
TEST_WITH(user_cycles, begin, end)
{
	made.cycles[0] = 50e6;
	made.cycles[1] = 55e6;
	made.user_only = true;
	assert_int_equal(measure(2), OUTCOME_OK);
	assert_string_equal(outcome.info.counter, "cpu-time");
	assert_int_equal(measured(1)->verdict.kind, VERDICT_SAME);
	assert_int_equal(outcome.events_count, 2);
	assert_string_equal(outcome.events[0].info.name, "cycles:u");
	assert_string_equal(outcome.events[1].info.name, "instructions:u");
	assert_true(fabs(outcome.functions[1].events[0] / 55e6 - 1) < 0.01);
	assert_true(outcome.functions[1].events[1] == 110e6);
}

/* After a run without a count, measuring begins anew. */
TEST_WITH(lost_cycles, begin, end)
{
	made.cycles[0] = made.cycles[1] = 50e6;
	made.uncounted = 9;
	outcome.plan.samples = 10;
	assert_int_equal(measure(2), OUTCOME_OK);
	assert_string_equal(outcome.info.counter, "cpu-time");
	assert_int_equal(outcome.layouts, 10);
	/* A turn that does not count, three before the loss, and ten from it on. */
	assert_int_equal(made.n, 2 * (1 + 3 + 10));
	assert_true(fabs(measured(0)->result.iqm / 20e6 - 1) < 0.02);
	assert_int_equal(outcome.events_count, 1);
	assert_string_equal(outcome.events[0].info.name, "instructions:uk");
}

TEST_WITH(order, begin, end)
{
	size_t first[2] = { 0 }, moved = 0;

	outcome.within = 0;
	outcome.plan.samples = 100;
	assert_int_equal(measure(2), OUTCOME_OK);
	assert_int_equal(outcome.layouts, 100);
	assert_int_equal(made.n, 202);
	/* The first of each side does not count, and has no padding. */
	assert_int_equal(made.paddings[0] + made.paddings[1], 0);
	for (size_t i = 2; i < made.n; i += 2) {
		assert_int_equal(made.sides[i] + made.sides[i + 1], 1);
		assert_int_equal(made.paddings[i], made.paddings[i + 1]);
		first[made.sides[i]]++;
		moved += made.paddings[i] != made.paddings[i - 2];
	}
	/* A fair coin is as far from 50 with a chance of less than one in a million. */
	assert_true(first[0] > 24 && first[1] > 24);
	assert_true(moved > 90);
}

TEST_WITH(seed, begin, end)
{
	static struct made once;

	outcome.plan.samples = 20;
	assert_int_equal(measure(2), OUTCOME_OK);
	once = made;
	end(NULL);
	begin(NULL);
	outcome.plan.samples = 20;
	assert_int_equal(measure(2), OUTCOME_OK);
	assert_memory_equal(made.sides, once.sides, sizeof made.sides);
	assert_memory_equal(made.paddings, once.paddings, sizeof made.paddings);
	end(NULL);
	begin(NULL);
	outcome.plan.samples = 20;
	outcome.plan.seed = 2;
	assert_int_equal(measure(2), OUTCOME_OK);
	assert_memory_not_equal(made.paddings, once.paddings, sizeof made.paddings);
}

TEST_WITH(failure, begin, end)
{
	made.fails_at = 1;
	made.failure = OUTCOME_CRASHED;
	assert_int_equal(measure(2), OUTCOME_CRASHED);
	assert_int_equal(outcome.count, 0);
	/* What there was before stays. */
	made.n = 0;
	made.fails_at = 10;
	assert_int_equal(measure(2), OUTCOME_CRASHED);
	assert_int_equal(outcome.layouts, 3);
	assert_false(outcome.interrupted);
	made.n = 0;
	made.failure = OUTCOME_INTERRUPTED;
	assert_int_equal(measure(2), OUTCOME_INTERRUPTED);
	assert_true(outcome.interrupted);
	assert_int_equal(outcome.layouts, 3);
}

TEST_WITH(limits, begin, end)
{
	/* There is one pair in any case. */
	outcome.plan.budget_ns = 1;
	assert_int_equal(measure(2), OUTCOME_OK);
	assert_int_equal(outcome.layouts, 1);
	/* One side alone: nothing is compared, and the most runs end it. */
	made.n = 0;
	outcome.alone = true;
	outcome.plan.budget_ns = UINT64_C(600000000000);
	assert_int_equal(measure(1), OUTCOME_OK);
	assert_int_equal(outcome.layouts, OUTCOME_RUNS);
	assert_false(measured(0)->compared);
	made.n = 0;
	outcome.precision = 0.01;
	assert_int_equal(measure(1), OUTCOME_OK);
	assert_true(outcome_is_precise(&outcome) && outcome.layouts < 100);
}

/* A time of 0 has no ratio, and counts for no side. */
TEST_WITH(nothing, begin, end)
{
	made.ms[1] = 0;
	outcome.plan.samples = 20;
	assert_int_equal(measure(2), OUTCOME_OK);
	assert_int_equal(measured(1)->replicates, 0);
	assert_int_equal(measured(1)->verdict.kind, VERDICT_CANNOT_TELL);
}

UNIT_MAIN("alternate", NULL, NULL)
