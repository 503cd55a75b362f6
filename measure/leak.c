/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "leak.h"
#include "chain-look.h"
#include "draw.h"
#include "current-cpu.h"
#include "leak-inputs.h"
#include "leak-judge.h"
#include "pair.h"
#include "raw-clock.h"
#include "reason.h"
#include "state.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A test should have BLOCKS_WANTED blocks. If these would be too short to see the slowest calls, it
 * has BLOCKS_FEW longer ones. A block has at least BLOCK_LEAST calls. */
#define BLOCKS_WANTED 256
#define BLOCKS_FEW 64
#define BLOCK_LEAST 16
#define BLOCK_LONG 128
#define BLOCK_MOST 1024
_Static_assert(BLOCK_MOST <= LEAK_JUDGE_BLOCK, "a block has room");

/* The pilot makes PILOT_CALLS calls. It makes fewer, but at least PILOT_LEAST, if the calls after
 * the first one take longer than budget / PILOT_PART. */
#define PILOT_CALLS 64
#define PILOT_LEAST 2
#define PILOT_PART 50

/* Something may slow a chain for some tens of milliseconds, and another program may have the CPU
 * for a part of them. So the chains mean nothing only if they have meant nothing for CHECK_NS. */
#define CHECK_NS 300000000u

/*
 * Eight equally likely draws for a call. The groups are compared by six draws in which each input
 * goes the way of its own group. The ways are compared by four draws, which are the control: each
 * way has one draw with each group's input, so that the ways differ only if the harness does. The
 * function sees the inputs of both groups equally often. Otherwise, the branch predictor would
 * learn the more frequent ones, and add mispredictions to one group.
 */
static const struct kind {
	unsigned char group, way;
	bool compares_groups, compares_ways;
} kinds[] = {
	{ 0, 0, true, true }, { 0, 0, true, false }, { 0, 0, true, false }, { 0, 1, false, true },
	{ 1, 1, true, true }, { 1, 1, true, false }, { 1, 1, true, false }, { 1, 0, false, true },
};
#define KINDS (sizeof kinds / sizeof kinds[0])

/* The times of a block that are compared: of the groups, and of the ways. */
enum { SET_0, SET_1, SET_WAY_0, SET_WAY_1, SETS };

struct memory {
	struct leak_judge judge;
	double sets[SETS][BLOCK_MOST]; /* the times of a block, in cycles if these are known */
	double scratch[2 * BLOCK_MOST];
	unsigned char kinds[BLOCK_MOST]; /* which was drawn for each input in the ring */
};

struct test {
	struct cpucycles_meter *meter;
	struct cpucycles_leak leak;
	struct cpucycles_plan plan;
	struct memory *memory;
	struct leak_inputs inputs;
	size_t block;          /* calls in a block */
	size_t in[SETS];       /* calls in this block until now */
	uint64_t draws, keeps; /* states of random numbers */
	uint64_t start_ns;
	struct state state, own;
	int cpu;
	struct setting chains;
	double slowness; /* of the chain; 0: the times are in units of the meter */
	struct cycles_scale scale;
};

/* Cycles */

/* How units become cycles, before the first block. Returns the units per cycle; 0: they stay as
 * they are. */
static double begin_cycles(struct test *t)
{
	struct run *const run = &t->meter->run;
	int *const from = &t->meter->leak.cycles_from;
	const uint64_t end_ns = raw_clock_ns() + CHECK_NS;

	*from = CPUCYCLES_CYCLES_COUNTER;
	if (t->meter->source.unit == CPUCYCLES_UNIT_CYCLES)
		return 1;
	chain_look_begin(&t->chains);
	*from = run->looks.missing;
	if (*from)
		return 0;
	do {
		t->chains.look_due_ns = 0;
		chain_look_apart(&t->chains, true, raw_clock_ns());
		t->slowness = cycles_slowness(&run->looks, run->scratch);
	} while (!(t->slowness > 0) && raw_clock_ns() < end_ns);
	*from = t->slowness > 0 ? CPUCYCLES_CYCLES_CHAIN : CPUCYCLES_CYCLES_EMULATED;
	if (!(t->slowness > 0))
		return 0;
	t->scale = cycles_scale_of(&run->looks, 0, t->slowness);
	return t->scale.per;
}

/*
 * The core may have changed its frequency since the last block. All calls of a block have one
 * scale, which is known before the first of them. So their order is that of their counts, and
 * groups.h holds as it stands.
 */
static void renew_scale(struct test *t)
{
	struct cycles_scale scale;

	if (!(t->slowness > 0) || !chain_look_apart(&t->chains, false, raw_clock_ns()))
		return;
	scale = cycles_scale_of(&t->meter->run.looks, 1, t->slowness);
	if (scale.per > 0)
		t->scale = scale;
}

/* Inputs */

/* The inputs of the next calls. */
static void make_inputs(struct test *t, size_t n)
{
	struct run *const run = &t->meter->run;

	for (size_t i = 0; i < n; i++) {
		const size_t drawn = draw_below(KINDS, &t->draws);

		atomic_store_explicit(&run->prepares, 1, memory_order_relaxed);
		leak_inputs_make(&t->inputs, i, kinds[drawn].group, kinds[drawn].way);
		atomic_store_explicit(&run->prepares, 0, memory_order_relaxed);
		t->memory->kinds[i] = (unsigned char)drawn;
		atomic_fetch_add_explicit(&run->pairs, 1, memory_order_relaxed);
	}
}

/* Calls */

/* One call. False: the time is void, because the thread has changed its CPU. */
static bool take_call(struct test *t, size_t slot, double *time)
{
	const struct source *const source = &t->meter->source;
	struct pair pair;
	struct state left;
	int cpu;

	atomic_fetch_add_explicit(&t->meter->run.pairs, 1, memory_order_relaxed);
	leak_inputs_take(&t->inputs, slot);
	if (!state_is(&t->state, &t->own))
		state_set(&t->state);
	if (t->leak.flags & CPUCYCLES_LEAK_WARM) {
		t->leak.call(t->inputs.call, t->leak.context);
		/* It may have written to the input, although that is const. */
		leak_inputs_take(&t->inputs, slot);
	}
	pair = pair_take_input(source, t->leak.call, t->inputs.call, t->leak.context);
	state_clear_direction();
	left = state_get();
	if (!state_is(&left, &t->own))
		state_set(&t->own);
	*time = cycles_by(&t->scale, (double)(pair.end - pair.begin) * source->units -
					     t->meter->instrument.overhead);
	cpu = current_cpu();
	if (cpu == t->cpu && !pair.moved && pair.end >= pair.begin)
		return true;
	t->cpu = cpu;
	return false;
}

/* Keep some of a group's times: each has the same chance to be among them, however many come. */
static void keep_sample(struct test *t, size_t group, double time)
{
	struct leak_found *const leak = &t->meter->leak;
	const struct run *const run = &t->meter->run;
	const uint64_t high = draw_bits(&t->keeps) << 32, drawn = high | draw_bits(&t->keeps);
	size_t place = leak->kept[group];

	if (group >= run->works_max)
		return;
	leak->seen[group]++;
	if (place == run->samples_max)
		place = (size_t)(drawn % leak->seen[group]);
	else
		leak->kept[group]++;
	if (place < run->samples_max)
		run->tracks[group].samples[place] = time;
}

static void add_call(struct test *t, size_t set, double time)
{
	t->memory->sets[set][t->in[set]++] = time;
}

static void sort_call(struct test *t, const struct kind *kind, double time)
{
	if (kind->compares_ways)
		add_call(t, SET_WAY_0 + kind->way, time);
	if (!kind->compares_groups)
		return;
	add_call(t, SET_0 + kind->group, time);
	keep_sample(t, kind->group, time);
}

static void call_all(struct test *t, size_t n)
{
	struct cpucycles_leak_findings *const result = &t->meter->leak.result;

	make_inputs(t, n);
	for (size_t i = 0; i < n; i++) {
		const struct kind *const kind = &kinds[t->memory->kinds[i]];
		double time;

		if (take_call(t, i, &time))
			sort_call(t, kind, time);
		else if (kind->compares_groups)
			result->discarded[kind->group]++;
	}
}

static bool is_over(const struct test *t)
{
	const uint64_t *const calls = t->meter->leak.result.calls;

	return calls[0] + calls[1] >= t->plan.samples ||
	       raw_clock_ns() - t->start_ns >= t->plan.budget_ns;
}

/* False: the time was over before the block was whole. */
static bool take_block(struct test *t)
{
	struct memory *const m = t->memory;

	memset(t->in, 0, sizeof t->in);
	renew_scale(t);
	for (size_t done = 0; done < t->block; done += t->inputs.slots) {
		const size_t left = t->block - done;

		if (done > 0 && is_over(t))
			return false;
		call_all(t, left < t->inputs.slots ? left : t->inputs.slots);
	}
	t->meter->leak.result.calls[0] += t->in[SET_0];
	t->meter->leak.result.calls[1] += t->in[SET_1];
	leak_judge_groups(&m->judge, m->sets[SET_0], t->in[SET_0], m->sets[SET_1], t->in[SET_1],
			  m->scratch);
	leak_judge_control(&m->judge, m->sets[SET_WAY_0], t->in[SET_WAY_0], m->sets[SET_WAY_1],
			   t->in[SET_WAY_1], m->scratch);
	return true;
}

/* The test */

/* How long a call takes, with all that is done for it, in nanoseconds: the shortest of some,
 * because the first one may have had to prepare something. */
static double try_calls(struct test *t)
{
	uint64_t begin = raw_clock_ns(), start = begin, end, shortest = UINT64_MAX;
	size_t n = 0;

	do {
		double time;

		make_inputs(t, 1);
		take_call(t, 0, &time);
		end = raw_clock_ns();
		shortest = end - start < shortest ? end - start : shortest;
		start = end;
		if (n == 0)
			begin = end;
		n++;
	} while (n < PILOT_LEAST ||
		 (n < PILOT_CALLS && end - begin < t->plan.budget_ns / PILOT_PART));
	return (double)shortest + 1;
}

static size_t choose_block(const struct test *t, double call_ns)
{
	const double calls = fmin((double)t->plan.budget_ns / call_ns, (double)t->plan.samples);
	double block = fmax(BLOCK_LEAST, calls / BLOCKS_WANTED);

	if (calls >= BLOCKS_FEW * BLOCK_LONG)
		block = fmax(BLOCK_LONG, block);
	return block < BLOCK_MOST ? (size_t)block : BLOCK_MOST;
}

static void take_blocks(struct test *t)
{
	struct leak_judge *const judge = &t->memory->judge;
	struct cpucycles_leak_findings *const result = &t->meter->leak.result;

	while (!is_over(t) && take_block(t))
		if (leak_judge_look(judge, false, result) &&
		    !(t->plan.flags & CPUCYCLES_PLAN_WHOLE))
			return;
	leak_judge_look(judge, true, result);
}

static void begin_judge(struct test *t)
{
	struct cpucycles_leak_findings *const result = &t->meter->leak.result;
	const double units = begin_cycles(t);

	leak_judge_begin(&t->memory->judge, t->leak.threshold,
			 t->meter->instrument.resolution / t->scale.per, t->plan.alpha, result);
	result->units_per_cycle = units;
	result->unit = units > 0 ? CPUCYCLES_UNIT_CYCLES : t->meter->source.unit;
}

static void run_test(struct test *t)
{
	struct cpucycles_meter *const meter = t->meter;
	struct run *const run = &meter->run;

	run_reset(run, 0);
	t->own = state_get();
	t->state = run->states ? run->states[0] : t->own;
	t->cpu = current_cpu();
	t->block = choose_block(t, try_calls(t));
	leak_inputs_open(&t->inputs);
	instrument_renew_overhead(&meter->source, run->scratch, &meter->instrument);
	begin_judge(t);
	t->start_ns = raw_clock_ns();
	take_blocks(t);
	meter->leak.took_ns = raw_clock_ns() - t->start_ns;
	meter->leak.quantiles = t->memory->judge.quantiles;
	/* Once is what the first calls do, which are slow. */
	meter->leak.moved = t->memory->judge.moved > 1;
	atomic_store(&run->at, -1);
	run->watch.lost = source_is_lost(&meter->source);
}

static int begin(struct test *t)
{
	t->memory = calloc(1, sizeof *t->memory);
	if (!t->memory || leak_inputs_begin(&t->inputs, &t->leak, BLOCK_MOST, t->plan.seed)) {
		free(t->memory);
		return -ENOMEM;
	}
	t->meter->leak = (struct leak_found){ 0 };
	return 0;
}

int leak_take(const struct cpucycles_leak *from, struct cpucycles_leak *leak,
	      struct reason_text *reason)
{
	const int error = meter_take(leak, from, sizeof *leak, "leak", reason);

	if (error)
		return error;
	if (!leak->call)
		return reason_say(reason, EINVAL, "there is no function to test");
	if (leak->bytes < 1 || leak->bytes > CPUCYCLES_LEAK_BYTES_MAX)
		return reason_say(reason, EINVAL, "inputs of %zu bytes, expected 1 to %d",
				  leak->bytes, CPUCYCLES_LEAK_BYTES_MAX);
	if (!(leak->threshold >= 0 && isfinite(leak->threshold)))
		return reason_say(reason, EINVAL, "`threshold` is negative or not finite");
	if (leak->flags & ~(CPUCYCLES_LEAK_PAIRS | CPUCYCLES_LEAK_WARM))
		return reason_say(reason, EINVAL, "flags %#x: expected those of CPUCYCLES_LEAK_*",
				  leak->flags);
	if (leak->prepare && leak->flags & CPUCYCLES_LEAK_PAIRS)
		return reason_say(reason, EINVAL, "CPUCYCLES_LEAK_PAIRS together with `prepare`");
	return 0;
}

int leak_run(struct cpucycles_meter *meter, const struct cpucycles_leak *leak,
	     const struct cpucycles_plan *plan, struct reason_text *reason)
{
	struct test t = {
		.meter = meter,
		.leak = *leak,
		.plan = *plan,
		.draws = draw_begin(plan->seed, 0),
		.keeps = draw_begin(plan->seed, 2),
		.chains = { .run = &meter->run,
			    .source = &meter->source,
			    .instrument = &meter->instrument },
		.scale = { .per = 1 },
	};

	if (begin(&t)) {
		reason_say(reason, ENOMEM,
			   "there is no memory of %zu bytes for a test with inputs of %zu bytes",
			   sizeof *t.memory + leak_inputs_bytes(leak, BLOCK_MOST), leak->bytes);
		reason_remedy(reason, "raise the limit, which ulimit -v shows");
		return -ENOMEM;
	}
	run_test(&t);
	leak_inputs_end(&t.inputs);
	free(t.memory);
	meter->leak.known = true;
	return 0;
}

int leak_samples(const struct cpucycles_meter *meter, size_t group, const double **samples,
		 size_t *n)
{
	if (group > 1)
		return -EINVAL;
	if (meter->run.watch.lost)
		return -EAGAIN;
	if (meter->leak.kept[group] == 0)
		return -ENODATA;
	*samples = meter->run.tracks[group].samples;
	*n = meter->leak.kept[group];
	return 0;
}
