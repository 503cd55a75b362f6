/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "run.h"
#include "draw.h"
#include "events.h"
#include "here.h"
#include "judge.h"
#include "pair.h"
#include "raw-clock.h"
#include "statistics.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <string.h>

/* The pilot times batches of calls, because one call may be shorter than a step. */
#define PILOT_BATCH RUN_BATCH_SHORT
#define PILOT_BATCHES (RUN_PILOT / PILOT_BATCH)

/* If they take fewer steps than this, longer ones follow, each of so many times as many calls. */
#define PILOT_STEPS 10
#define PILOT_GROWTH 4
#define PILOT_FEW 3

/* A pilot of slow works takes at most this part of the budget. */
#define PILOT_PART 10

/* So many blocks are wanted in a run. If the budget is too short for that many whole blocks, blocks
 * get shorter. */
#define BLOCKS_WANTED 40

/* Orders are balanced if there is time for so many times as many blocks of them. */
#define BALANCED_TIMES 4

/* In a comparison, a work has two places in a round. So many samples that do not count come before
 * the one that does, in each of the two places: see verdict.h. In about half of the rounds, the
 * second place has so many more. Otherwise a work with a period of as many calls as there are in a
 * round would be timed in the same part of its period each time. Two more, not one, because judge.c
 * relies on an odd number of calls in a round. */
static const unsigned untimed[RUN_PLACES_MAX] = { 1, 2 };
#define UNTIMED_MORE 2

/* So many rounds are tried for their time, in at most this part of the budget and one round. */
#define TRIED_ROUNDS 3
#define TRIED_PART 20

/* A work that takes so many times as long as the fastest one, and with the batch of that one more
 * than this part of the budget in each sample, leaves no time for a comparison. */
#define FAR_APART 100
#define SLOW_PART 10

/* So many samples of an empty function tell what a sample counts by itself. */
#define EVENT_COST_SAMPLES 51

/* So many tell how long a batch takes by itself, in at most this part of the budget. */
#define LOOP_SAMPLES 11
#define LOOP_PART 40

/* Time to see the core's frequency, before and after a run: this part of the budget. */
#define FREQUENCY_PART 50
#define FREQUENCY_MAX_NS 2000000u

size_t run_balanced(size_t row, size_t i, size_t n)
{
	return (row + (i % 2 ? (i + 1) / 2 : n - i / 2)) % n;
}

/* Long batches have one of a few lengths, so that most processes of the tool find the same. */
unsigned run_batch(double steps_per_call, bool cycles, double most)
{
	unsigned batch = RUN_BATCH_SHORT;

	if (cycles || steps_per_call >= RUN_STEPS_SINGLE)
		return 1;
	if (steps_per_call * RUN_BATCH_SHORT >= RUN_STEPS_BATCH)
		return (unsigned)ceil(RUN_STEPS_BATCH / steps_per_call);
	while (batch < RUN_BATCH_MAX && 2.0 * batch <= most &&
	       !(steps_per_call * batch >= RUN_STEPS_BATCH))
		batch *= 2;
	return batch;
}

bool run_is_too_fast(double steps_per_call, unsigned batch)
{
	return !(steps_per_call * batch >= RUN_STEPS_SINGLE);
}

/* Watching the surroundings of a run */

struct moment {
	double ns, ns_error;
	int64_t count;
};

static struct moment look_at_clocks(const struct source *source)
{
	const uint64_t before = raw_clock_ns();
	const int64_t count = pair_count(source);
	const uint64_t after = raw_clock_ns();

	return (struct moment){
		.ns = (double)before + (double)(after - before) / 2,
		.ns_error = (double)(after - before) / 2 + 1,
		.count = count,
	};
}

/* In Hz; 0: unknown. The fastest batches are those that nothing has interrupted. */
static double core_frequency(struct chain_times *times, uint64_t budget_ns)
{
	uint64_t brief = UINT64_MAX, whole = UINT64_MAX;

	if (chain_is_portable())
		return 0;
	chain_time(budget_ns < FREQUENCY_MAX_NS ? budget_ns : FREQUENCY_MAX_NS, NULL, times);
	for (size_t i = 0; i < times->n; i++) {
		brief = times->brief.ns[i] < brief ? times->brief.ns[i] : brief;
		whole = times->whole.ns[i] < whole ? times->whole.ns[i] : whole;
	}
	if (!times->n || whole <= brief)
		return 0;
	return (double)times->rounds * CHAIN_ROUND_CYCLES * 1e9 / (double)(whole - brief);
}

static void see_cpu(struct watch *watch, int *cpu)
{
	const int now = here_cpu();

	if (now == *cpu)
		return;
	if (!watch->moves++) {
		watch->from = *cpu;
		watch->to = now;
	}
	*cpu = now;
}

/* Whether the counter stepped back from one read to the next. */
static void see_order(struct watch *watch, const struct source *source, int64_t from, int64_t to)
{
	double back;

	if (to >= from)
		return;
	back = (double)(from - to) * source->units;
	watch->backwards++;
	if (back > watch->worst)
		watch->worst = back;
}

/* Samples */

struct setting {
	struct run *run;
	const struct source *source;
	struct instrument *instrument;
	uint64_t start_ns, budget_ns;
	uint64_t state; /* of the numbers that draw the orders */
	bool balanced;  /* the orders of as many rounds as there are turns */
	unsigned more;  /* samples that do not count, in the second places of this round */
	int64_t last;   /* the last count */
	unsigned most;  /* calls in a batch, as the pilots tell */
	int cpu;
	struct state own; /* of this thread, between the works */
};

/* The events are read around the pair, so they do not count in its units. Not inlined, so that an
 * empty function is counted by the same instructions as each work. */
#if defined(__GNUC__)
__attribute__((noinline))
#endif
static struct pair
take_pair(const struct setting *s, struct track *track, unsigned batch, double event_sums[])
{
	struct events *const events = event_sums ? s->run->events : NULL;
	const struct cpucycles_work *const work = &track->work;
	struct pair pair;

	if (events)
		events_start(events);
	pair = pair_take(s->source, work->call, work->context, batch);
	run_see_copy(s->run);
	/* Before any code that copies memory: that would go backwards, and crash. */
	if (state_clear_direction())
		track->left.direction = true;
	if (!events)
		return pair;
	events_stop(events, event_sums);
	if (events->cycles_by_meter)
		event_sums[events->n] += (double)(pair.end - pair.begin) * s->source->units;
	return pair;
}

/* Tell a process that watches this one which work is called, and that there is progress. */
static void announce(struct run *run, const struct track *track)
{
	const size_t pairs = atomic_load_explicit(&run->pairs, memory_order_relaxed);

	atomic_store_explicit(&run->at, track->number, memory_order_relaxed);
	atomic_store_explicit(&run->pairs, pairs + 1, memory_order_relaxed);
}

static int see_mask(const struct setting *s)
{
	return s->run->see_mask ? s->run->see_mask() : 0;
}

/* Let the work make its input anew. What that leaves is what the work begins with, as with a
 * _setup: nobody blames the work for it. */
static struct state call_before(const struct setting *s, struct track *track)
{
	if (!track->work.before)
		return track->state;
	atomic_store_explicit(&s->run->prepares, 1, memory_order_relaxed);
	track->work.before(track->work.context);
	atomic_store_explicit(&s->run->prepares, 0, memory_order_relaxed);
	state_clear_direction();
	if (!track->called)
		see_mask(s);
	return state_get();
}

/* A pair in the state of the work's own file. The next work finds nothing of it. */
static struct pair take_pair_apart(const struct setting *s, struct track *track, unsigned batch,
				   double event_sums[])
{
	struct state before, after;
	struct pair pair;

	if (!state_is(&track->state, &s->own))
		state_set(&track->state);
	before = call_before(s, track);
	track->called = true;
	pair = take_pair(s, track, batch, event_sums);
	after = state_get();
	left_look(&track->left, &before, &after);
	if (!state_is(&after, &s->own))
		state_set(&s->own);
	return pair;
}

/* One sample of batch calls, in units per call. event_sums: NULL, or add its events there. */
static double take_sample(struct setting *s, struct track *track, unsigned batch,
			  double event_sums[])
{
	struct pair pair;
	double units;

	announce(s->run, track);
	pair = take_pair_apart(s, track, batch, event_sums);
	units = (double)(pair.end - pair.begin) * s->source->units;
	see_order(&s->run->watch, s->source, s->last, pair.begin);
	see_order(&s->run->watch, s->source, pair.begin, pair.end);
	s->last = pair.end;
	return (units - s->instrument->cost) / batch;
}

/* Samples until the values are full or the time is over, but at least one value. Returns how many
 * there are. */
static size_t take_pilots(struct setting *s, struct track *track, unsigned batch, uint64_t end_ns,
			  double values[], size_t n, size_t most)
{
	while (n < most && (n == 0 || raw_clock_ns() < end_ns))
		values[n++] = take_sample(s, track, batch, NULL);
	return n;
}

static double median(double values[], size_t n)
{
	statistics_sort(values, n);
	return statistics_quantile(values, n, 0.5);
}

/* A batch of more than RUN_BATCH_SHORT calls may take so long. */
static uint64_t batch_ns(const struct setting *s)
{
	return s->budget_ns / RUN_BATCH_PART;
}

/* A look is a system call, so there is none behind each sample: one is behind the first call of
 * each work, and one behind the run. The latter cannot tell which work it was. */
static void see_mask_behind(const struct setting *s)
{
	const int signal = see_mask(s);
	struct run *run = s->run;

	for (size_t i = 0; i < run->works; i++)
		if (!signal || run->tracks[i].left.signal)
			return;
	for (size_t i = 0; i < run->works; i++) {
		run->tracks[i].left.signal = signal;
		run->tracks[i].left.by_any = run->works > 1;
	}
}

/* One length of batches. When the time is over, a few more follow if they are short: another
 * program may have had the CPU, and one of them tells little. *shortest_ns: of one of them. */
static double fly_in_batches_of(struct setting *s, struct track *track, unsigned batch,
				uint64_t end_ns, uint64_t *shortest_ns)
{
	double values[PILOT_BATCHES];
	uint64_t start = raw_clock_ns(), now;
	size_t n = 0;

	*shortest_ns = UINT64_MAX;
	do {
		values[n++] = take_sample(s, track, batch, NULL);
		now = raw_clock_ns();
		*shortest_ns = now - start < *shortest_ns ? now - start : *shortest_ns;
		start = now;
	} while (n < PILOT_BATCHES &&
		 (now < end_ns || (n < PILOT_FEW && *shortest_ns < batch_ns(s))));
	return median(values, n);
}

/* Batches, longer and longer ones until they take steps enough, or as long as a sample may. */
static double fly_in_batches(struct setting *s, struct track *track, uint64_t end_ns)
{
	unsigned batch = PILOT_BATCH;
	uint64_t shortest_ns;
	double per_call;

	for (;;) {
		per_call = fly_in_batches_of(s, track, batch, end_ns, &shortest_ns);
		if (per_call * batch >= PILOT_STEPS * s->instrument->step ||
		    batch > RUN_BATCH_MAX / PILOT_GROWTH)
			return per_call;
		if (shortest_ns >= batch_ns(s)) {
			s->most = batch < s->most ? batch : s->most;
			return per_call;
		}
		batch *= PILOT_GROWTH;
	}
}

/* Single calls. The mean, because a call may be shorter than a step. */
static double fly_singly(struct setting *s, struct track *track, uint64_t end_ns)
{
	double values[RUN_PILOT];
	const size_t n = take_pilots(s, track, 1, end_ns, values, 0, RUN_PILOT);

	statistics_sort(values, n);
	return statistics_smooth_iqm(values, n, s->instrument->step);
}

/* The pilot: a call that nobody counts, because the first one finds nothing in the caches; then
 * batches, or single calls if the work is slow. */
static void fly(struct setting *s, size_t i, uint64_t budget_ns)
{
	struct track *track = &s->run->tracks[i];
	double values[PILOT_BATCHES];
	uint64_t start, end;
	size_t n = 1;
	bool slow;

	take_sample(s, track, 1, NULL);
	track->left.signal = see_mask(s);
	start = raw_clock_ns();
	end = start + budget_ns;
	if (s->run->single) {
		track->pilot = fly_singly(s, track, end);
		return;
	}
	values[0] = take_sample(s, track, 1, NULL);
	slow = raw_clock_ns() - start > budget_ns / RUN_PILOT;
	if (slow)
		n = take_pilots(s, track, 1, end, values, n, PILOT_BATCHES);
	track->pilot = median(values, n);
	/* A call that was interrupted looks slow. */
	if (!slow || !(track->pilot >= RUN_STEPS_SINGLE * s->instrument->step))
		track->pilot = fly_in_batches(s, track, end);
}

/* Rounds in a block, from the time of one round in the pilot. A block of as many rounds as there
 * are turns in one, or of a multiple, has balanced orders. If there is time for few of those,
 * orders are drawn for each round, because the machine may be busy, and leave too few whole blocks.
 */
static size_t block_of(struct setting *s, double round_ns)
{
	const size_t turns = s->run->turns;
	double rounds = (double)s->budget_ns / round_ns;
	size_t block = VERDICT_BLOCK;

	if (rounds > (double)s->run->limit)
		rounds = (double)s->run->limit;
	if (rounds < (double)BLOCKS_WANTED * VERDICT_BLOCK)
		block = rounds < 2 * BLOCKS_WANTED ? 1 : (size_t)(rounds / BLOCKS_WANTED);
	s->balanced = block >= turns && rounds >= (double)(BALANCED_TIMES * BLOCKS_WANTED * turns);
	return s->balanced ? block - block % turns : block;
}

static void finish_block(struct run *run, double step)
{
	const size_t first = run->blocks * run->block;

	for (size_t i = 0; i < run->works; i++) {
		struct track *track = &run->tracks[i];

		for (size_t place = 0; place < run->places; place++) {
			const double *samples = track->samples + first * run->places + place;

			for (size_t round = 0; round < run->block; round++)
				run->scratch[round] = samples[round * run->places];
			statistics_sort(run->scratch, run->block);
			track->blocks[place][run->blocks] =
				statistics_smooth_iqm(run->scratch, run->block, step / run->batch);
		}
	}
	run->blocks++;
}

/* The turns of a round. In balanced orders, as many rounds as there are turns belong together. */
static void draw_order(struct setting *s, size_t round)
{
	struct run *run = s->run;
	const size_t turns = run->turns;

	if (!s->balanced || round % turns == 0) {
		draw_shuffle(run->names, turns, &s->state);
		draw_shuffle(run->rows, turns, &s->state);
	}
	s->more = draw_bits(&s->state) % 2 ? UNTIMED_MORE : 0;
	for (size_t i = 0; i < turns; i++)
		run->order[i] = run->names[run_balanced(run->rows[round % turns], i, turns)];
}

/* One turn: what comes before the sample makes the processor forget the work before. */
static double take_turn(struct setting *s, struct track *track, size_t place, double event_sums[])
{
	const unsigned batch = s->run->batch;
	unsigned before = 0;

	if (s->run->places > 1)
		before = untimed[place] + (place > 0 ? s->more : 0);
	while (before-- > 0)
		take_sample(s, track, batch, NULL);
	return take_sample(s, track, batch, event_sums);
}

static void take_round(struct setting *s, size_t round)
{
	struct run *run = s->run;

	draw_order(s, round);
	for (size_t i = 0; i < run->turns; i++) {
		struct track *track = &run->tracks[run->order[i] / run->places];
		const size_t place = run->order[i] % run->places;

		track->samples[round * run->places + place] =
			take_turn(s, track, place, track->event_sums);
		track->event_samples++;
	}
	see_cpu(&run->watch, &s->cpu);
	atomic_store_explicit(&run->rounds, round + 1, memory_order_release);
}

static bool look(struct run *run)
{
	run->look++;
	run->looked = run->blocks;
	run->due = verdict_due(run->error, run->look + 1);
	return judge_is_decided(run);
}

/* Shortly behind a look, there may be too few blocks for an interval of the next one's share. Then
 * those of that look are judged, as they were there. */
static void look_last(struct run *run)
{
	if (run->look &&
	    !statistics_median_rank(run->blocks, verdict_share(run->error, run->look + 1)))
		run->blocks = run->looked;
	else
		look(run);
}

/*
 * On a busy machine, there are fewer rounds than the pilot promised, and too few blocks for an
 * interval. Then make shorter ones. Rounds whose orders are balanced together stay together, so
 * that a block does not depend on the order in another one.
 */
static void shorten_blocks(const struct setting *s)
{
	struct run *const run = s->run;
	const size_t least = s->balanced ? run->turns : 1;
	size_t block = run->rounds / BLOCKS_WANTED;

	if (run->look || run->blocks >= verdict_due(run->error, 1))
		return;
	block = block < least ? least : block - block % least;
	if (block >= run->block)
		return;
	run->block = block;
	run->blocks = 0;
	while (run->blocks < run->rounds / block)
		finish_block(run, s->instrument->step);
}

/* Rounds until there is a verdict, or the time or the samples are used up. */
static void take_rounds(struct setting *s)
{
	struct run *run = s->run;
	const bool compares = run->works > 1;

	for (size_t round = 0; round < run->limit; round++) {
		take_round(s, round);
		if ((round + 1) % run->block == 0) {
			finish_block(run, s->instrument->step);
			if (compares && run->blocks >= run->due && look(run))
				return;
		}
		if (raw_clock_ns() - s->start_ns >= s->budget_ns)
			break;
	}
	if (!compares)
		return;
	shorten_blocks(s);
	if (run->blocks > run->looked)
		look_last(run);
}

static void prepare_track(const struct setting *s, struct track *track,
			  const struct cpucycles_work *work, size_t number)
{
	const struct state *states = s->run->states;

	track->work = *work;
	track->number = (int)number;
	memset(track->event_sums, 0, sizeof track->event_sums);
	track->event_samples = 0;
	track->state = states ? states[number] : s->own;
	track->called = false;
	track->left = (struct left){ 0 };
}

/* How many of the first n works are the same function as work i. */
static size_t names_of(const struct run *run, size_t i, size_t n)
{
	const struct cpucycles_work *work = &run->tracks[i].work;
	size_t names = 0;

	for (size_t j = 0; j < n; j++)
		names += run->tracks[j].work.call == work->call &&
			 run->tracks[j].work.context == work->context &&
			 run->tracks[j].work.before == work->before;
	return names;
}

/*
 * A function that has fewer names than another one gets stand-ins: see verdict.h. Their turns go
 * through the very same instructions as those of the works, because a processor predicts by the way
 * that it has come. So they have samples, too, in memory that nobody reads. Returns how many
 * stand-ins there are.
 */
static size_t prepare_stand_ins(const struct setting *s)
{
	struct run *run = s->run;
	size_t n = run->works, most = 0;

	for (size_t i = 0; i < run->works; i++) {
		const size_t names = names_of(run, i, run->works);

		most = names > most ? names : most;
	}
	for (size_t i = 0; i < run->works; i++) {
		if (names_of(run, i, i) > 0)
			continue;
		for (size_t names = names_of(run, i, run->works);
		     names < most && n < RUN_TRACKS(run->works_max); names++)
			prepare_track(s, &run->tracks[n++], &run->tracks[i].work, i);
	}
	return n - run->works;
}

static void prepare(struct setting *s, const struct cpucycles_work works[], size_t n,
		    const struct cpucycles_plan *plan)
{
	struct run *run = s->run;
	const size_t samples =
		plan->samples < run->samples_max ? (size_t)plan->samples : run->samples_max;

	run->works = n;
	run->places = n > 1 ? RUN_PLACES_MAX : 1;
	run->limit = samples / run->places + (samples % run->places > 0);
	run->error = plan->error;
	run->batch = 1;
	run->single = false;
	run->too_fast = n;
	run->loop = 0;
	run->block = VERDICT_BLOCK;
	run->blocks = run->looked = 0;
	run->look = 0;
	run->due = plan->flags & CPUCYCLES_PLAN_WHOLE ? SIZE_MAX : verdict_due(plan->error, 1);
	run->watch = (struct watch){ .from = -1, .to = -1 };
	atomic_store(&run->rounds, 0);
	atomic_store(&run->pairs, 0);
	atomic_store(&run->at, -1);
	atomic_store(&run->prepares, 0);
	for (size_t i = 0; i < n; i++) {
		prepare_track(s, &run->tracks[i], &works[i], i);
		run->single = run->single || works[i].before;
	}
	run->turns = (n + prepare_stand_ins(s)) * run->places;
	for (size_t i = 0; i < run->turns; i++)
		run->names[i] = run->rows[i] = i;
}

/* The batch for the fastest work, in as much time as the slowest one leaves. False: there is none,
 * and run->batch is the longest that there could be. */
static bool choose_batch(struct setting *s, double fewest, double most)
{
	struct run *run = s->run;
	const bool cycles = s->source->unit == CPUCYCLES_UNIT_CYCLES;
	const double call_ns = most * s->instrument->step_ns;

	if (run->batch_given) {
		run->batch = run->batch_given;
		return true;
	}
	if (run->single)
		return !run_is_too_fast(fewest, 1);
	run->batch = run_batch(fewest, cycles, fmin(s->most, (double)batch_ns(s) / call_ns));
	if (run->batch > 1 && most > FAR_APART * fewest &&
	    run->batch * call_ns > (double)s->budget_ns / SLOW_PART)
		return false;
	/* Cycles are exact, so a call may be shorter than RUN_STEPS_SINGLE of them. */
	return !run_is_too_fast(fewest, cycles ? RUN_BATCH_SHORT : run->batch);
}

/* The pilots. False: a work is too fast. */
static bool fly_all(struct setting *s)
{
	struct run *run = s->run;
	double fewest = INFINITY, most = 0;
	size_t fastest = 0;

	for (size_t i = 0; i < run->works; i++) {
		double steps;

		fly(s, i, s->budget_ns / PILOT_PART / run->works);
		steps = run->tracks[i].pilot / s->instrument->step;
		most = fmax(most, steps);
		if (steps >= fewest)
			continue;
		fewest = steps;
		fastest = i;
	}
	if (choose_batch(s, fewest, most))
		return true;
	run->too_fast = fastest;
	return false;
}

/* The samples of a round, also those that do not count. */
static double samples_of_round(const struct run *run)
{
	double of_one = 0;

	for (size_t place = 0; place < run->places; place++)
		of_one += run->places > 1 ? untimed[place] + 1 : 1;
	if (run->places > 1)
		of_one += UNTIMED_MORE / 2.0;
	return of_one * (double)(run->turns / run->places);
}

/* The time of a round, from one sample of each work: by the shortest time of some tries, because
 * one may be interrupted. What takes long is tried once. */
static double try_rounds(struct setting *s)
{
	const uint64_t begin = raw_clock_ns();
	uint64_t start = begin, end, shortest = UINT64_MAX;
	int left = TRIED_ROUNDS;

	do {
		for (size_t i = 0; i < s->run->works; i++)
			take_sample(s, &s->run->tracks[i], s->run->batch, NULL);
		end = raw_clock_ns();
		shortest = end - start < shortest ? end - start : shortest;
		start = end;
	} while (--left > 0 && end - begin < s->budget_ns / TRIED_PART);
	return ((double)shortest + 1) * samples_of_round(s->run) / (double)s->run->works;
}

static void empty(void *unused)
{
	(void)unused;
}

/* What a sample counts beside its works: the reading, the pair, and the calls. The median, because
 * one interrupted sample would spoil a mean. */
static void find_event_cost(struct setting *s)
{
	struct track track = { .work = { .name = "empty", .call = empty } };
	double *const values = s->run->scratch; /* of each event all samples */
	double sums[EVENTS_SUMS] = { 0 };
	const uint64_t end = raw_clock_ns() + s->budget_ns / LOOP_PART;
	size_t n = 0;

	if (!s->run->events)
		return;
	take_pair(s, &track, s->run->batch, sums); /* may bring its code into memory */
	while (n < EVENT_COST_SAMPLES && (n == 0 || s->run->batch == 1 || raw_clock_ns() < end)) {
		memset(sums, 0, sizeof sums);
		take_pair(s, &track, s->run->batch, sums);
		for (size_t e = 0; e < EVENTS_SUMS; e++)
			values[e * EVENT_COST_SAMPLES + n] = sums[e];
		n++;
	}
	for (size_t e = 0; e < EVENTS_SUMS; e++)
		s->run->event_cost[e] = median(values + e * EVENT_COST_SAMPLES, n);
}

_Static_assert(EVENTS_SUMS *EVENT_COST_SAMPLES <= INSTRUMENT_PAIRS, "they fit into the scratch");

/* How long a batch of an empty function takes: what the loop and the calls take by themselves. */
static void find_loop_cost(struct setting *s)
{
	struct track track = { .work = { .name = "empty", .call = empty } };
	const uint64_t end = raw_clock_ns() + s->budget_ns / LOOP_PART;
	double values[LOOP_SAMPLES];
	size_t n = 0;

	if (s->run->batch == 1)
		return;
	take_pair(s, &track, s->run->batch, NULL); /* the processor learns where it goes */
	while (n < LOOP_SAMPLES && (n == 0 || raw_clock_ns() < end)) {
		const struct pair pair = take_pair(s, &track, s->run->batch, NULL);

		values[n++] = (double)(pair.end - pair.begin) * s->source->units;
	}
	/* The shortest one, because the others may have been interrupted. */
	statistics_sort(values, n);
	s->run->loop = (values[0] - s->instrument->cost) / s->run->batch;
}

static void measure(struct setting *s)
{
	struct watch *watch = &s->run->watch;
	struct moment first, last;

	watch->before = core_frequency(&s->run->times, s->budget_ns / FREQUENCY_PART);
	instrument_renew_cost(s->source, s->run->scratch, s->instrument);
	find_event_cost(s);
	find_loop_cost(s);
	s->run->block = block_of(s, try_rounds(s));
	s->cpu = here_cpu();
	s->start_ns = raw_clock_ns();
	first = look_at_clocks(s->source);
	take_rounds(s);
	atomic_store(&s->run->at, -1);
	last = look_at_clocks(s->source);
	watch->counts = (double)(last.count - first.count);
	watch->ns = last.ns - first.ns;
	watch->ns_error = first.ns_error + last.ns_error + 2 * (double)s->run->times.clock_step;
	watch->after = core_frequency(&s->run->times, s->budget_ns / FREQUENCY_PART);
	watch->lost = source_is_lost(s->source);
	watch->events_lost = s->run->events ? events_are_lost(s->run->events) : 0;
	see_mask_behind(s);
}

int run_all(struct run *run, const struct source *source, struct instrument *instrument,
	    const struct cpucycles_work works[], size_t n, const struct cpucycles_plan *plan)
{
	struct setting s = {
		.run = run,
		.source = source,
		.instrument = instrument,
		.budget_ns = plan->budget_ns,
		.state = plan->seed,
		.last = INT64_MIN,
		.most = RUN_BATCH_MAX,
		.own = state_get(),
	};

	see_mask(&s);
	prepare(&s, works, n, plan);
	if (!fly_all(&s)) {
		atomic_store(&run->at, -1);
		return -ERANGE;
	}
	measure(&s);
	return 0;
}
