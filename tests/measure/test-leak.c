/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Tests for leaks on a fake counter. It counts fake time, which passes only when a function or a
 * read lets it pass, so the machine's load changes no result. The rest is real: inputs, order,
 * blocks, looks and verdicts.
 */

#include "config.h"

#include "unit.h"
#include "affinity.h"
#include "draw.h"
#include "faults.h"
#include "leak.h"
#include "leak-inputs.h"
#include "simulate.h"
#include "reasons.h"

#include <errno.h>
#include <sys/resource.h>

#define BYTES 24
#define ERROR 0.005

/* Made time, in units. The counter shows multiples of `every`. */
static struct {
	double now;
	double every;
} fake;

static long long read_fake(void)
{
	fake.now += 30;
	return (long long)(floor(fake.now / fake.every) * fake.every);
}

static const struct source source = {
	.name = "fake", .read = read_fake, .unit = CPUCYCLES_UNIT_TICKS, .units = 1
};

static struct cpucycles_meter *open_fake(size_t works, size_t samples, double every)
{
	const struct cpucycles_meter_options options = {
		.size = sizeof options,
		.works_max = works,
		.samples_max = samples,
	};
	struct reason_text reason = { 0 };
	const size_t bytes = meter_bytes(&options, &reason);
	struct cpucycles_meter *meter = calloc(1, bytes);

	assert_non_null(meter);
	fake.now = 1e6;
	fake.every = every;
	assert_int_equal(meter_open_with(meter, bytes, &options, &source, &reason), 0);
	return meter;
}

/* The function, which knows the group of an input by its first byte. */
struct function {
	double (*draw)(size_t i);
	double shift;   /* group 1 takes so much more */
	size_t until;   /* behind so many calls it takes so much less; 0: never */
	double rare;    /* with this chance, it takes so much more */
	double by;      /* 0: 200 */
	double way;     /* inputs that went the way of group 1 take so much more, by the harness */
	uint64_t draws; /* the state of random numbers that the harness has */
	size_t calls;
	size_t of_group[2];
	const unsigned char *input;
	size_t moves; /* of the input */
};

static void prepare(int group, unsigned char *input, void *context)
{
	(void)context;
	for (size_t i = 1; i < BYTES; i++)
		input[i] = (unsigned char)unit_random();
	input[0] = (unsigned char)group;
}

static void prepare_equal(int group, unsigned char *input, void *context)
{
	(void)group;
	prepare(0, input, context);
}

/* Which of the eight draws goes the way of group 1: see leak.c. */
static bool is_way_1(struct function *f)
{
	static const bool ways[] = { false, false, false, true, true, true, true, false };

	return ways[draw_below(8, &f->draws)];
}

static void call(const unsigned char *input, void *context)
{
	struct function *f = context;
	const int group = input[0];

	f->moves += f->input && f->input != input;
	f->input = input;
	f->of_group[group]++;
	fake.now += f->draw(f->calls++);
	if (group)
		fake.now += (f->until == 0 || f->calls < f->until ? f->shift : -f->shift) +
			    (simulate_part() < f->rare ? (f->by == 0 ? 200 : f->by) : 0);
	if (is_way_1(f))
		fake.now += f->way;
}

/* Whether a child of this process ends badly when it touches so many bytes from here. */
static bool crashes(unsigned char *bytes, size_t n, bool writes)
{
	const struct rlimit no_core = { 0, 0 };
	const pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		setrlimit(RLIMIT_CORE, &no_core);
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		for (size_t i = 0; i < n; i++) {
			volatile unsigned char *const byte = &bytes[i];

			if (writes)
				*byte = 0;
			else
				(void)*byte;
		}
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status != 0;
}

TEST(an_input_has_an_end)
{
	static const size_t sizes[] = { 1, 16, 24, 4096, 5000, CPUCYCLES_LEAK_BYTES_MAX };
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct leak_inputs inputs;

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		const struct cpucycles_leak leak = { .bytes = sizes[i] };

		assert_int_equal(leak_inputs_begin(&inputs, &leak, 1024, 5), 0);
		for (size_t which = 0; which < 3; which++) {
			unsigned char *const input = which < 2 ? inputs.ways[which] : inputs.call;
			const size_t align = _Alignof(max_align_t);
			const size_t open = (sizes[i] + align - 1) / align * align;

			assert_true((uintptr_t)input % align == 0);
			assert_false(crashes(input, open, true));
			assert_true(crashes(input, open + 1, true));
			assert_true(crashes(input, open + 1, false));
		}
		leak_inputs_open(&inputs);
		assert_true((uintptr_t)inputs.call % page == 0);
		assert_false(crashes(inputs.call, sizes[i] + page, true));
		assert_true(crashes(inputs.call, sizes[i] + 2 * page, false));
		leak_inputs_end(&inputs);
	}
}

/* Both groups have what they should have, in each slot. */
TEST(inputs_of_groups)
{
	const struct cpucycles_leak leak = { .bytes = 300000, .flags = CPUCYCLES_LEAK_PAIRS };
	struct leak_inputs inputs;

	assert_int_equal(leak_inputs_begin(&inputs, &leak, 1024, 5), 0);
	/* A ring takes 4 MiB at most, but 16 inputs at least. */
	assert_int_equal(inputs.slots, 16);
	for (size_t slot = 0; slot < inputs.slots; slot++) {
		const int group = slot % 2, way = slot / 2 % 2;

		leak_inputs_make(&inputs, slot, group, way);
		leak_inputs_take(&inputs, slot);
		assert_memory_equal(inputs.call, inputs.fixed[group], leak.bytes);
	}
	assert_memory_not_equal(inputs.fixed[0], inputs.fixed[1], leak.bytes);
	leak_inputs_take(&inputs, 0);
	assert_memory_equal(inputs.call, inputs.fixed[0], leak.bytes);
	leak_inputs_end(&inputs);
}

static double normal(size_t i)
{
	(void)i;
	return 1000 + 20 * simulate_normal();
}

/* The first calls take longer, or less long, than all others. */
static double slow_start(size_t i)
{
	return normal(i) + (i < 3500 ? 800 : 0);
}

static double fast_start(size_t i)
{
	return normal(i) - (i < 3500 ? 800 : 0);
}

static double heavy(size_t i)
{
	(void)i;
	return 1000 + 5 * fabs(simulate_cauchy());
}

static double exact(size_t i)
{
	(void)i;
	return 1000;
}

/* Each call depends on the one before. */
static double in_bursts(size_t i)
{
	static double last;

	(void)i;
	last = 0.95 * last + simulate_normal();
	return 1000 + 10 * fabs(last);
}

/* The time never ends a test. */
static struct cpucycles_plan plan_of(uint64_t calls, uint64_t seed)
{
	return (struct cpucycles_plan){
		.size = sizeof(struct cpucycles_plan),
		.budget_ns = UINT64_MAX / 4,
		.samples = calls,
		.seed = seed,
		.alpha = ERROR,
	};
}

static struct cpucycles_leak leak_of(struct function *f)
{
	return (struct cpucycles_leak){
		.size = sizeof(struct cpucycles_leak),
		.name = "fake",
		.call = call,
		.prepare = prepare,
		.context = f,
		.bytes = BYTES,
	};
}

static struct leak_quantiles quantiles; /* of the last run */

static struct groups_interval quantile_of(const struct cpucycles_meter *meter, int percent)
{
	struct cpucycles_leak_difference q = CPUCYCLES_LEAK_DIFFERENCE_INITIALIZER;

	assert_int_equal(cpucycles_leak_quantile(meter, percent, &q), 0);
	return (struct groups_interval){ q.group0, q.difference, q.low, q.high };
}

static void take_quantiles(const struct cpucycles_meter *meter)
{
	for (int i = 0; i < GROUPS_DECILES; i++)
		quantiles.deciles[i] = quantile_of(meter, 10 * (i + 1));
	quantiles.head = quantile_of(meter, 1);
	quantiles.tail = quantile_of(meter, 99);
}

static struct cpucycles_leak_findings run(struct cpucycles_meter *meter,
					  const struct cpucycles_leak *leak,
					  const struct cpucycles_plan *plan)
{
	struct cpucycles_leak_findings result = CPUCYCLES_LEAK_FINDINGS_INITIALIZER;
	REASON(reason);
	struct function *const f = leak->context;
	int error;

	f->draws = draw_begin(plan->seed, 0);
	f->input = NULL;
	f->moves = 0;
	f->input = NULL;
	error = cpucycles_leak_run(meter, leak, plan, &reason);
	if (error)
		print_message("run: %s (%s)\n", reason.what, reason.remedy);
	assert_int_equal(error, 0);
	assert_int_equal(cpucycles_leak_result(meter, &result), 0);
	take_quantiles(meter);
	/* After the first calls, if there were others. */
	assert_true(f->moves <= 1);
	return result;
}

static struct cpucycles_leak_findings run_function(struct function *f, double above, double every,
						   uint64_t calls, uint64_t seed)
{
	struct cpucycles_meter *meter = open_fake(2, 1000, every);
	const struct cpucycles_plan plan = plan_of(calls, seed);
	struct cpucycles_leak leak = leak_of(f);
	struct cpucycles_leak_findings result;

	leak.threshold = above;
	result = run(meter, &leak, &plan);
	cpucycles_meter_close(meter);
	return result;
}

TEST(a_leak_is_found)
{
	struct function f = { .draw = normal, .shift = -37 };
	const struct cpucycles_leak_findings r = run_function(&f, 0, 1, 100000, 5);

	assert_int_equal(r.verdict, CPUCYCLES_LEAK_FOUND);
	assert_int_equal(r.shown_below, 0);
	assert_true(r.threshold == 2);
	assert_true(r.p_value < ERROR && r.control_p_value > ERROR);
	for (size_t i = 0; i < GROUPS_DECILES; i++)
		assert_true(quantiles.deciles[i].low < -37 + 5 &&
			    quantiles.deciles[i].high > -37 - 5);
	assert_true(fabs(quantiles.deciles[4].difference + 37) < 5);
	assert_true(fabs(quantiles.deciles[4].group0 - 1000) < 5);
	/* It has ended long before all calls. */
	assert_true(r.calls[0] + r.calls[1] < 50000);
	assert_true(r.calls[0] > 1000 && r.calls[1] > 1000);
	/* The system may move the thread to another CPU now and then. */
	assert_true(r.discarded[0] + r.discarded[1] < 100);
	assert_int_equal(r.calls_needed, 0);
}

TEST(no_leak)
{
	struct function f = { .draw = normal };
	struct cpucycles_leak_findings r = run_function(&f, 0, 1, 200000, 5);

	assert_int_equal(r.verdict, CPUCYCLES_LEAK_NONE_ABOVE);
	assert_int_equal(r.shown_below, 0);
	/* Nobody has said what does not matter, so it has looked at all calls. */
	assert_in_range(r.calls[0] + r.calls[1], 200000, 201024);
	/* The groups have half of them each; more than 6 deviations from that are a mistake. */
	assert_true(llabs((long long)r.calls[0] - (long long)r.calls[1]) < 6 * 448);
	r = run_function(&f, 10, 1, 200000, 5);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_NONE_ABOVE);
	/* The slowest calls need more of them than the deciles. */
	assert_in_range(r.calls[0] + r.calls[1], 15000, 100000);
	assert_true(r.beyond_high < r.beyond_within && r.beyond_most < 0.025);
	for (size_t i = 0; i < GROUPS_DECILES; i++)
		assert_true(quantiles.deciles[i].low > -10 && quantiles.deciles[i].high < 10);
}

TEST(too_few_calls)
{
	struct function f = { .draw = normal };
	struct cpucycles_leak_findings r;

	/* Of equal groups, one in a hundred seems to leak, and gets another advice. */
	unit_random_state = 1;
	r = run_function(&f, 0, 1, 12000, 5);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_CANNOT_TELL);
	assert_true(r.calls_needed > 3000);
	print_message("needed: %llu\n", (unsigned long long)r.calls_needed);
	r = run_function(&f, 0, 1, 4 * r.calls_needed, 6);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_NONE_ABOVE);
	/* The cuts do not need long blocks, but some calls by which they are chosen. */
	r = run_function(&f, 1000, 1, 6000, 5);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_NONE_ABOVE);
	assert_true(quantiles.tail.low == -INFINITY && quantiles.tail.high == INFINITY);
	r = run_function(&f, 1000, 1, 1500, 5);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_CANNOT_TELL);
	assert_true(r.beyond_high == INFINITY && quantiles.deciles[4].high < 1000);
	/* So few calls do not show how many are needed, unless the deciles need very many. */
	assert_int_equal(r.calls_needed, 0);
	r = run_function(&f, 0.2, 1, 1500, 5);
	assert_in_range(r.calls_needed, 100000, 100000000);
	/* A few blocks behind the choice of the cuts would say a hundred times too many. */
	r = run_function(&f, 10, 1, 3000, 5);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_CANNOT_TELL);
	assert_true(isfinite(r.beyond_high));
	assert_int_equal(r.calls_needed, 0);
	r = run_function(&f, 1000, 1, 10000, 5);
	assert_true(quantiles.tail.low > -0.1 && quantiles.tail.high < 0.1);
	r = run_function(&f, 1000, 1, 100000, 5);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_NONE_ABOVE);
	assert_true(quantiles.tail.group0 > 0 && quantiles.tail.high < 0.02);
	r = run_function(&f, 0, 1, 10, 5);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_CANNOT_TELL);
	assert_int_equal(r.calls_needed, 0);
	assert_true(quantiles.deciles[4].low == -INFINITY && quantiles.tail.high == INFINITY);
}

/* The cuts are first chosen by calls that are unlike all others. Then all others lie on one side of
 * nearly all cuts, which see nothing of them. */
TEST(first_calls_of_another_length)
{
	double (*const draws[])(size_t) = { slow_start, fast_start };

	for (size_t i = 0; i < 2; i++) {
		struct function f = { .draw = draws[i], .rare = 0.07 };
		struct cpucycles_leak_findings r = run_function(&f, 50, 1, 100000, 5);

		assert_int_equal(r.verdict, CPUCYCLES_LEAK_FOUND);
		assert_int_equal(r.shown_below, 0);
		f = (struct function){ .draw = draws[i] };
		r = run_function(&f, 50, 1, 100000, 5);
		assert_int_equal(r.verdict, CPUCYCLES_LEAK_NONE_ABOVE);
		assert_true(r.beyond_high < r.beyond_within);
	}
}

static double slower_and_slower(size_t i)
{
	return normal(i) + (double)i;
}

/* However many calls there are, the cuts never hold: no number of calls tells. */
TEST(a_function_that_becomes_slower)
{
	struct function f = { .draw = slower_and_slower };
	struct cpucycles_meter *meter = open_fake(2, 1000, 1);
	const struct cpucycles_plan plan = plan_of(40000, 5);
	const struct cpucycles_leak leak = leak_of(&f);
	struct cpucycles_leak_findings r;

	r = run(meter, &leak, &plan);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_CANNOT_TELL);
	assert_true(meter->leak.moved && r.beyond_high == INFINITY);
	assert_int_equal(r.calls_needed, 0);
	f = (struct function){ .draw = normal };
	run(meter, &leak, &plan);
	assert_false(meter->leak.moved);
	assert_in_range(meter->leak.took_ns, 1, UINT64_MAX / 4);
	cpucycles_meter_close(meter);
}

/* Fewer calls suffice to show a difference than to show that there is none: blocks may be too short
 * for the slowest calls. Each block has the same sign here, so nothing depends on the seed. */
TEST(calls_for_a_leak)
{
	struct function f = { .draw = exact, .shift = 60 };
	struct cpucycles_leak_findings r = run_function(&f, 0, 1, 200, 5);

	assert_int_equal(r.verdict, CPUCYCLES_LEAK_CANNOT_TELL);
	assert_true(quantiles.tail.high == INFINITY);
	print_message("needed for a leak: %llu\n", (unsigned long long)r.calls_needed);
	assert_in_range(r.calls_needed, 101, 1000);
	r = run_function(&f, 0, 1, 4 * r.calls_needed, 5);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_FOUND);
}

/* What was shown once stays so, although later calls make the chance larger again. */
TEST(a_leak_that_turns_around)
{
	struct function f = { .draw = normal, .shift = 60, .until = 66000 };
	struct cpucycles_meter *meter = open_fake(2, 1000, 1);
	struct cpucycles_plan plan = plan_of(100000, 5);
	const struct cpucycles_leak leak = leak_of(&f);
	struct cpucycles_leak_findings r;

	plan.flags = CPUCYCLES_PLAN_WHOLE;
	r = run(meter, &leak, &plan);
	assert_in_range(r.calls[0] + r.calls[1], 100000, 101024);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_FOUND);
	cpucycles_meter_close(meter);
}

/* A difference that is shown, and less than what matters. */
TEST(a_leak_below)
{
	struct function f = { .draw = exact, .shift = 1 };
	struct cpucycles_leak_findings r = run_function(&f, 0, 1, 100000, 5);

	assert_int_equal(r.verdict, CPUCYCLES_LEAK_FOUND);
	assert_int_equal(r.shown_below, 1);
	r = run_function(&f, 3, 1, 100000, 5);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_NONE_ABOVE);
	assert_int_equal(r.shown_below, 1);
	f.shift = 5;
	r = run_function(&f, 3, 1, 100000, 5);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_FOUND);
	assert_int_equal(r.shown_below, 0);
	/* It moves the slowest calls as well, and that is no difference of its own. */
	f.draw = normal;
	f.shift = 30;
	r = run_function(&f, 50, 1, 100000, 5);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_NONE_ABOVE);
	assert_int_equal(r.shown_below, 1);
	assert_true(quantiles.tail.low > 0.005 && quantiles.head.high < -0.005 &&
		    r.beyond_most < 0.005);
	/* Unless there are others among them, however large the difference may be. */
	f.rare = 0.05;
	r = run_function(&f, 150, 1, 100000, 5);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_FOUND);
	assert_int_equal(r.shown_below, 0);
	f.rare = 0.02;
	r = run_function(&f, 50, 1, 100000, 5);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_FOUND);
	assert_int_equal(r.shown_below, 0);
	assert_true(r.beyond_high > r.beyond_within);
	/* The same of calls that take less. Deciles hardly see these. */
	f = (struct function){ .draw = normal, .rare = 0.05, .by = -200 };
	r = run_function(&f, 50, 1, 100000, 5);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_FOUND);
	assert_int_equal(r.shown_below, 0);
	assert_true(fabs(quantiles.deciles[0].difference) < 50 && r.beyond_quantile <= 4);
	assert_true(quantiles.head.low > 0.005 && quantiles.tail.low < 0.005);
	/* They do not matter if more of a difference is allowed. */
	r = run_function(&f, 250, 1, 100000, 5);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_NONE_ABOVE);
	assert_int_equal(r.shown_below, 1);
}

/* One step of a coarse counter is what does not matter. A shift of a tenth of it is shown. */
TEST(a_coarse_counter)
{
	struct function f = { .draw = normal, .shift = 2 };
	const struct cpucycles_leak_findings r = run_function(&f, 0, 21, 400000, 5);

	assert_true(r.threshold == 21);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_FOUND);
	assert_true(fabs(quantiles.deciles[4].difference - 2) < 2);
}

/* With both reads, a call takes 11 steps of 100 exactly. Who knows what it does within a step? */
static double whole_steps(size_t i)
{
	(void)i;
	return 1040;
}

TEST(the_same_count_always)
{
	struct function f = { .draw = whole_steps };
	struct cpucycles_leak_findings r = run_function(&f, 2, 100, 100000, 5);

	assert_int_equal(r.verdict, CPUCYCLES_LEAK_CANNOT_TELL);
	assert_int_equal(r.calls_needed, 0);
	assert_true(quantiles.deciles[4].low == 0 && quantiles.deciles[4].high == 0);
	r = run_function(&f, 100, 100, 100000, 5);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_NONE_ABOVE);
}

/* The first call of all takes as long as many others, and the second one is interrupted. */
static double slow_at_first(size_t i)
{
	if (i < 2)
		usleep(i == 0 ? 500000 : 5000);
	return normal(i);
}

TEST(a_slow_first_call)
{
	struct function f = { .draw = slow_at_first };
	struct cpucycles_meter *meter = open_fake(2, 1000, 1);
	struct cpucycles_plan plan = plan_of(100000, 5);
	const struct cpucycles_leak leak = leak_of(&f);

	/* It takes more of the budget than the pilot may. */
	plan.budget_ns = UINT64_C(10000000000);
	run(meter, &leak, &plan);
	/* The blocks are long enough to see the slowest calls. */
	assert_true(quantiles.tail.low > -1 && quantiles.tail.high < 1);
	cpucycles_meter_close(meter);
}

static double slow(size_t i)
{
	usleep(5000);
	return normal(i);
}

/* The numbers that cpucycles-measure(3) has. A thread that waits before the first block may have
 * used up the budget by that. */
TEST(calls_that_no_budget_has)
{
	struct function f = { .draw = slow };
	struct cpucycles_meter *meter = open_fake(2, 1000, 1);
	struct cpucycles_plan plan = plan_of(100000, 5);
	const struct cpucycles_leak leak = leak_of(&f);

	plan.budget_ns = UINT64_C(4000000);
	for (int i = 0; i < 10 && f.calls != 18; i++) {
		f.calls = 0;
		run(meter, &leak, &plan);
	}
	assert_int_equal(f.calls, 18);
	f.calls = 0;
	plan.budget_ns = 1;
	run(meter, &leak, &plan);
	assert_true(f.calls == 2 || f.calls == 18);
	cpucycles_meter_close(meter);
}

TEST(one_call_in_a_hundred)
{
	struct function f = { .draw = normal, .rare = 0.01 };
	const struct cpucycles_leak_findings r = run_function(&f, 0, 1, 400000, 5);

	assert_int_equal(r.verdict, CPUCYCLES_LEAK_FOUND);
	assert_int_equal(r.surest, 99);
	assert_true(quantiles.tail.low > 0);
	assert_true(quantiles.tail.group0 < 0.01 &&
		    quantiles.tail.group0 + quantiles.tail.difference > 0.01);
	assert_true(r.calls[0] + r.calls[1] < 200000);
}

/* What is wrong with the harness is no leak. */
TEST(a_control_that_differs)
{
	struct function f = { .draw = normal, .way = 20 };
	struct cpucycles_leak_findings r = run_function(&f, 0, 1, 400000, 5);

	assert_int_equal(r.verdict, CPUCYCLES_LEAK_NO_CONTROL);
	assert_true(r.control_p_value < ERROR);
	assert_true(r.calls[0] + r.calls[1] < 100000);
	/* Not even beside a leak. */
	f.shift = 20;
	r = run_function(&f, 0, 1, 400000, 5);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_NO_CONTROL);
}

static const struct simulate_series series[] = {
	{ "normal", normal },
	{ "heavy-tailed", heavy },
	{ "exact", exact },
	{ "in bursts", in_bursts },
};

/* How often it errs on equal groups, with errors large enough to see some. */
TEST(equal_groups)
{
	const size_t runs = 8;
	struct cpucycles_plan plan = plan_of(2500, 1);

	plan.alpha = 0.3;
	for (size_t s = 0; s < sizeof series / sizeof series[0]; s++) {
		size_t leaks = 0, no_control = 0;

		for (size_t i = 0; i < runs; i++) {
			struct function f = { .draw = series[s].draw };
			struct cpucycles_meter *meter = open_fake(2, 100, s == 0 ? 21 : 1);
			struct cpucycles_leak leak = leak_of(&f);
			struct cpucycles_leak_findings r;

			leak.prepare = i % 2 ? prepare : prepare_equal;
			plan.seed = unit_random() >> 1;
			r = run(meter, &leak, &plan);
			leaks += r.verdict == CPUCYCLES_LEAK_FOUND;
			no_control += r.verdict == CPUCYCLES_LEAK_NO_CONTROL;
			cpucycles_meter_close(meter);
		}
		simulate_at_most(leaks, runs, plan.alpha * 0.8, series[s].name);
		simulate_at_most(no_control, runs, plan.alpha * 0.2, "control");
	}
}

/* The inputs of group 0 are one, and those of group 1 differ each time, or are another one. */
struct seen {
	unsigned char first[BYTES], other[BYTES];
	size_t firsts, others, different;
};

static void look_at_input(const unsigned char *input, void *context)
{
	struct seen *seen = context;

	fake.now += 1000;
	if (seen->firsts == 0)
		memcpy(seen->first, input, BYTES);
	if (!memcmp(seen->first, input, BYTES)) {
		seen->firsts++;
		return;
	}
	if (seen->others++ > 0 && memcmp(seen->other, input, BYTES))
		seen->different++;
	memcpy(seen->other, input, BYTES);
}

TEST(fixed_and_random_inputs)
{
	struct cpucycles_meter *meter = open_fake(2, 1000, 1);
	const struct cpucycles_plan plan = plan_of(3000, 5);
	struct seen seen = { .firsts = 0 };
	struct cpucycles_leak leak = {
		.size = sizeof leak,
		.call = look_at_input,
		.context = &seen,
		.bytes = BYTES,
	};

	/* The first call is one of either group, so try seeds until it is one of group 0. */
	assert_int_equal(cpucycles_leak_run(meter, &leak, &plan, NULL), 0);
	if (seen.firsts == 1) {
		struct cpucycles_plan another = plan_of(3000, 6);

		memset(&seen, 0, sizeof seen);
		while (seen.firsts <= 1) {
			memset(&seen, 0, sizeof seen);
			another.seed++;
			assert_int_equal(cpucycles_leak_run(meter, &leak, &another, NULL), 0);
		}
	}
	/* Both groups' inputs are equally frequent, with the control: within four standard
	 * deviations of the number of calls with one of them. */
	assert_true(seen.firsts + seen.others > 3000);
	assert_true(fabs((double)seen.firsts - (double)seen.others) <
		    4 * sqrt((double)(seen.firsts + seen.others)));
	assert_int_equal(seen.different, seen.others - 1);
	leak.flags = CPUCYCLES_LEAK_PAIRS;
	memset(&seen, 0, sizeof seen);
	assert_int_equal(cpucycles_leak_run(meter, &leak, &plan, NULL), 0);
	assert_true(seen.firsts > 1000 && seen.others > 1000);
	assert_int_equal(seen.different, 0);
	cpucycles_meter_close(meter);
}

/* A second call finds what the first has left. */
static void call_slowly_once(const unsigned char *input, void *context)
{
	unsigned char *last = context;

	fake.now += 1000;
	if (memcmp(last, input, BYTES))
		fake.now += 500;
	memcpy(last, input, BYTES);
}

TEST(a_warm_call)
{
	struct cpucycles_meter *meter = open_fake(2, 1000, 1);
	const struct cpucycles_plan plan = plan_of(20000, 5);
	struct cpucycles_leak_findings r = CPUCYCLES_LEAK_FINDINGS_INITIALIZER;
	unsigned char last[BYTES] = { 0 };
	struct cpucycles_leak leak = {
		.size = sizeof leak,
		.call = call_slowly_once,
		.context = last,
		.bytes = BYTES,
	};

	assert_int_equal(cpucycles_leak_run(meter, &leak, &plan, NULL), 0);
	assert_int_equal(cpucycles_leak_result(meter, &r), 0);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_FOUND);
	leak.flags = CPUCYCLES_LEAK_WARM;
	assert_int_equal(cpucycles_leak_run(meter, &leak, &plan, NULL), 0);
	assert_int_equal(cpucycles_leak_result(meter, &r), 0);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_NONE_ABOVE);
	assert_true(fabs(quantile_of(meter, 50).group0 - 1000) < 1);
	cpucycles_meter_close(meter);
}

static void pass(void *context)
{
	(void)context;
	fake.now += 1000;
}

/* Some of all times are kept, those of the end as well as those of the beginning. */
static double counting(size_t i)
{
	return 1000 + (double)i;
}

TEST(kept_samples)
{
	struct function f = { .draw = counting, .shift = 0.25 };
	struct cpucycles_meter *meter = open_fake(2, 1000, 1);
	const struct cpucycles_plan plan = plan_of(60000, 5);
	struct cpucycles_leak leak = leak_of(&f);
	struct cpucycles_work work = CPUCYCLES_WORK(NULL, NULL, NULL);
	struct cpucycles_leak_difference quantile = CPUCYCLES_LEAK_DIFFERENCE_INITIALIZER;
	struct cpucycles_result result = CPUCYCLES_RESULT_INITIALIZER;
	const double *samples;
	size_t n;

	assert_int_equal(cpucycles_leak_result(meter, NULL), -ENODATA);
	assert_int_equal(cpucycles_leak_quantile(meter, 50, NULL), -ENODATA);
	run(meter, &leak, &plan);
	for (int percent = -1; percent <= 110; percent++)
		if (percent % 10 || percent < 10 || percent > 90)
			assert_int_equal(cpucycles_leak_quantile(meter, percent, &quantile),
					 percent == 1 || percent == 99 ? 0 : -EINVAL);
	for (size_t group = 0; group < 2; group++) {
		size_t early = 0;

		assert_int_equal(cpucycles_meter_samples(meter, group, &samples, &n), 0);
		assert_int_equal(n, 1000);
		for (size_t i = 0; i < n; i++)
			early += samples[i] < 1000 + (double)f.calls / 2;
		/* Half of them, give or take 6 deviations. */
		assert_in_range(early, 405, 595);
	}
	assert_int_equal(cpucycles_meter_samples(meter, 2, &samples, &n), -EINVAL);
	assert_null(samples);
	/* A later run forgets them, also if it is refused. */
	assert_int_equal(cpucycles_meter_run(meter, &work, 1, NULL, NULL), -EINVAL);
	assert_int_equal(cpucycles_leak_result(meter, NULL), -ENODATA);
	assert_int_equal(cpucycles_meter_samples(meter, 0, &samples, &n), -ENODATA);
	/* And a test forgets the results of a run, also if it is refused. */
	work.call = pass;
	assert_int_equal(cpucycles_meter_run(meter, &work, 1, &plan, NULL), 0);
	assert_int_equal(cpucycles_meter_result(meter, 0, &result), 0);
	run(meter, &leak, &plan);
	assert_int_equal(cpucycles_meter_result(meter, 0, &result), -ENODATA);
	leak.bytes = 0;
	assert_int_equal(cpucycles_leak_run(meter, &leak, &plan, NULL), -EINVAL);
	assert_int_equal(cpucycles_leak_result(meter, NULL), -ENODATA);
	leak.bytes = BYTES;
	cpucycles_meter_close(meter);
	/* A meter for one work has no room for the second group. */
	meter = open_fake(1, 1000, 1);
	run(meter, &leak, &plan);
	assert_int_equal(cpucycles_meter_samples(meter, 0, &samples, &n), 0);
	assert_int_equal(cpucycles_meter_samples(meter, 1, &samples, &n), -ENODATA);
	cpucycles_meter_close(meter);
}

/* The meter's own thread may not use it while it runs. */
static struct cpucycles_meter *running;
static int inner;

static void call_the_meter(const unsigned char *input, void *context)
{
	struct function f = { .draw = exact };
	const struct cpucycles_leak leak = leak_of(&f);

	(void)input;
	(void)context;
	fake.now += 1000;
	inner = cpucycles_leak_run(running, &leak, NULL, NULL);
}

TEST(what_makes_no_sense)
{
	struct function f = { .draw = exact };
	struct cpucycles_meter *meter = open_fake(2, 1000, 1);
	struct cpucycles_plan plan = plan_of(1000, 5);
	REASON(reason);
	const struct cpucycles_leak good = leak_of(&f);
	struct cpucycles_leak bad[9];

	for (size_t i = 0; i < 9; i++)
		bad[i] = good;
	bad[0].size = 0;
	bad[1].call = NULL;
	bad[2].bytes = 0;
	bad[3].bytes = CPUCYCLES_LEAK_BYTES_MAX + 1;
	bad[4].threshold = -1;
	bad[5].threshold = NAN;
	bad[6].threshold = INFINITY;
	bad[7].flags = 4;
	bad[8].flags = CPUCYCLES_LEAK_PAIRS;
	for (size_t i = 0; i < 9; i++) {
		assert_int_equal(cpucycles_leak_run(meter, &bad[i], &plan, &reason), -EINVAL);
		print_message("%s\n", reason.what);
		assert_true(reason.what[0]);
	}
	plan.flags = 1u << 9;
	assert_int_equal(cpucycles_leak_run(meter, &good, &plan, &reason), -EINVAL);
	assert_int_equal(f.calls, 0);
	assert_int_equal(cpucycles_leak_result(meter, NULL), -ENODATA);
	plan = plan_of(1000, 5);
	running = meter;
	bad[1].call = call_the_meter;
	assert_int_equal(cpucycles_leak_run(meter, &bad[1], &plan, &reason), 0);
	assert_int_equal(inner, -EBUSY);
	cpucycles_meter_close(meter);
}

/* One byte, a page and more, and the most. */
static void call_with_ends(const unsigned char *input, void *context)
{
	const size_t *bytes = context;

	fake.now += 1000 + input[*bytes - 1] % 2;
}

TEST(sizes_of_inputs)
{
	static const size_t sizes[] = { 1, 63, 5000, CPUCYCLES_LEAK_BYTES_MAX };

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct cpucycles_meter *meter = open_fake(2, 1000, 1);
		const struct cpucycles_plan plan = plan_of(sizes[i] > 5000 ? 8 : 500, 5);
		size_t bytes = sizes[i];
		const struct cpucycles_leak leak = {
			.size = sizeof leak,
			.call = call_with_ends,
			.context = &bytes,
			.bytes = bytes,
		};

		assert_int_equal(cpucycles_leak_run(meter, &leak, &plan, NULL), 0);
		cpucycles_meter_close(meter);
	}
}

/* A call that changes the CPU is void, whichever its group. */
static void call_and_move(const unsigned char *input, void *context)
{
	struct function *f = context;

	call(input, context);
	if (f->calls % 2000 == 0)
		affinity_pin(f->calls / 2000 % 2 ? 1 : 0);
}

TEST(calls_that_change_the_cpu)
{
	struct function f = { .draw = exact };
	struct cpucycles_meter *meter = open_fake(2, 1000, 1);
	const struct cpucycles_plan plan = plan_of(100000, 5);
	struct cpucycles_leak leak = leak_of(&f);
	struct cpucycles_leak_findings r;

	affinity_save();
	if (!affinity_allows(0) || !affinity_allows(1) || affinity_here() < 0) {
		cpucycles_meter_close(meter);
		unit_skip("a thread cannot change between CPU 0 and CPU 1 here");
	}
	leak.call = call_and_move;
	r = run(meter, &leak, &plan);
	affinity_restore();
	print_message("void: %d, %d\n", (int)r.discarded[0], (int)r.discarded[1]);
	assert_true(r.discarded[0] >= 8 && r.discarded[1] >= 8);
	assert_true(r.discarded[0] + r.discarded[1] <= f.calls / 2000 + 2);
	assert_int_equal(r.verdict, CPUCYCLES_LEAK_NONE_ABOVE);
	cpucycles_meter_close(meter);
}

TEST_IN_CHILD(no_memory)
{
	struct function f = { .draw = exact };
	struct cpucycles_meter *meter = open_fake(2, 1000, 1);
	const struct cpucycles_plan plan = plan_of(1000, 5);
	const struct cpucycles_leak leak = leak_of(&f);
	REASON(reason);
	const struct rlimit none = { 0, 0 };
	unsigned long bytes = 0;

	if (SANITIZED || unit_is_emulated() || setrlimit(RLIMIT_AS, &none))
		unit_skip_child("memory has no limit here");
	unit_expect(cpucycles_leak_run(meter, &leak, &plan, &reason) == -ENOMEM, "no memory");
	unit_expect(sscanf(reason.what, "there is no memory of %lu bytes", &bytes) == 1,
		    "it says so");
	unit_expect(bytes > 1000000 && bytes < 100000000, "it says how much");
	unit_expect(strstr(reason.remedy, "ulimit -v") != NULL, "and what raises the limit");
}

UNIT_MAIN_OF_SEED(SIMULATE_SEED, "leak", NULL, NULL)
