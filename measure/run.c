/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "run.h"
#include "chain-look.h"
#include "draw.h"
#include "events.h"
#include "current-cpu.h"
#include "judge.h"
#include "pilot.h"
#include "raw-clock.h"
#include "statistics.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Orders are balanced if there is time for BALANCED_TIMES times as many blocks of them as a run
 * should have. */
#define BALANCED_TIMES 4

/* Of this many samples, the interquartile mean leaves out one on each side. */
#define BLOCK_LEAST 4

/* In a comparison, a work has two places in a round. In each place, untimed[place] samples come
 * before the sample that counts: see verdict.h. In about half of the rounds, the second place has
 * UNTIMED_MORE more. Otherwise a work with a period of as many calls as there are in a round would
 * be timed in one part of its period always. UNTIMED_MORE is even, because judge.c relies on an odd
 * number of calls in a round. */
static const unsigned untimed[RUN_PLACES_MAX] = { 1, 2 };
#define UNTIMED_MORE 2

/* Time TRIED_ROUNDS rounds first, but stop after budget / TRIED_PART. */
#define TRIED_ROUNDS 3
#define TRIED_PART 20

/* Time to see the core's frequency, before and after a run: this part of the budget. */
#define FREQUENCY_PART 50
#define FREQUENCY_MAX_NS 2000000u

/* A run that waits for its share of the CPU ends after WALL_MOST budgets. */
#define WALL_MOST 10

size_t run_balanced(size_t row, size_t i, size_t n)
{
	return (row + (i % 2 ? (i + 1) / 2 : n - i / 2)) % n;
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
static double core_frequency(struct chain_times *times, double given, uint64_t budget_ns)
{
	uint64_t brief = UINT64_MAX, whole = UINT64_MAX;

	if (given > 0 || chain_is_portable())
		return given;
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
	const int now = current_cpu();

	if (now == *cpu)
		return;
	if (!watch->moves++) {
		watch->from = *cpu;
		watch->to = now;
	}
	*cpu = now;
}

/* A look is a system call, so there is none after each sample: one is after the first call of
 * each work, and one after the run. The latter cannot tell which work it was. */
static void see_mask_after_run(const struct setting *s)
{
	const int signal = take_see_mask(s);
	struct run *run = s->run;

	for (size_t i = 0; i < run->works; i++)
		if (!signal || run->tracks[i].unrestored.signal)
			return;
	for (size_t i = 0; i < run->works; i++) {
		run->tracks[i].unrestored.signal = signal;
		run->tracks[i].unrestored.by_any = run->works > 1;
	}
}

static size_t blocks_wanted(const struct run *run)
{
	return run->blocks_wanted ? run->blocks_wanted : RUN_BLOCKS;
}

/* Rounds in a block, if there are few of them: one at least. If the run has few blocks, because it
 * is one of several layouts, a block has BLOCK_LEAST at least, so that it can leave out an
 * interrupted one. */
static size_t short_block(const struct run *run, size_t rounds)
{
	const size_t wanted = blocks_wanted(run);
	const size_t least = run->works > 1 && wanted < RUN_BLOCKS ? BLOCK_LEAST : 1;
	const size_t blocks = rounds / least < wanted ? rounds / least : wanted;

	if (blocks > 1)
		return rounds / blocks;
	return rounds > 1 ? rounds : 1;
}

/* Rounds in a block, from the time of one round in the pilot. A block of as many rounds as there
 * are turns in one, or of a multiple, has balanced orders. If there is time for few of those,
 * orders are drawn for each round, because the machine may be busy, and leave too few whole blocks.
 */
static size_t block_of(struct setting *s, double round_ns)
{
	const size_t turns = s->run->turns, wanted = blocks_wanted(s->run);
	double rounds = (double)s->budget_ns / round_ns;
	size_t block = VERDICT_BLOCK;

	if (rounds > (double)s->run->limit)
		rounds = (double)s->run->limit;
	if (rounds < (double)wanted * VERDICT_BLOCK)
		block = short_block(s->run, (size_t)rounds);
	s->balanced = block >= turns && rounds >= (double)(BALANCED_TIMES * wanted * turns);
	return s->balanced ? block - block % turns : block;
}

static void finish_block(struct run *run, double step)
{
	const size_t first = run->blocks * run->block;

	for (size_t i = 0; i < run->works; i++) {
		struct track *track = &run->tracks[i];

		for (size_t place = 0; place < run->places; place++) {
			const double *samples = track->samples + first * run->places + place;

			statistics_take(samples, run->places, run->block, run->scratch);
			track->blocks[place][run->blocks] =
				statistics_smooth_iqm(run->scratch, run->block,
						      step / run->iterations);
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

/* A sample that counts. If the thread has moved in the middle of it, it is taken again, a few times
 * while there is time: a work may move the thread in each call. That is so seldom that it does not
 * matter to judge.c, which relies on an odd number of calls in a round. */
static double take_counted(struct setting *s, struct track *track)
{
	int tries = 0;
	double units;

	do {
		units = take_sample(s, track, s->run->iterations, track->event_sums);
		track->event_samples++;
		if (s->moved)
			see_cpu(&s->run->watch, &s->cpu);
	} while (s->moved && ++tries < PAIR_TRIES && raw_clock_ns() - s->start_ns < s->budget_ns);
	return units;
}

/* The sample of this place. While a long one is taken, another program may run. Of such a sample,
 * the time counts in which this thread had the CPU. Otherwise a call of a millisecond would look
 * longer, next to one of microseconds, than it is. */
static void take_place(struct setting *s, struct track *track, size_t round, size_t place)
{
	const size_t sample = round * s->run->places + place;
	/* In the same place of the round before: the other place may come later in this round. */
	const double last = round > 0 ? track->samples[sample - s->run->places] : track->pilot;
	struct usage before, after;
	double own_part;

	track->interrupted[sample] = false;
	if (!chain_look_is_long(s, last * s->run->iterations)) {
		track->samples[sample] = take_counted(s, track);
		return;
	}
	before = take_usage_before();
	track->samples[sample] = take_counted(s, track);
	after = take_usage_after();
	own_part = take_own_part(&before, &after);
	track->interrupted[sample] = own_part < 1;
	if (own_part < 1 && !s->source->own_thread && !take_may_wait(&s->waits))
		track->samples[sample] *= own_part;
}

/* After the chains, the processor finds the code of a work alone in its caches only when that has
 * been called again. Two samples, because judge.c relies on an even number between two that count.
 * A long work does not notice. */
static void take_untimed(struct setting *s)
{
	struct run *const run = s->run;

	if (run->places > 1 || chain_look_is_long(s, run->tracks[0].pilot * run->iterations))
		return;
	take_sample(s, &run->tracks[0], run->iterations, NULL);
	take_sample(s, &run->tracks[0], run->iterations, NULL);
}

static void take_round(struct setting *s, size_t round)
{
	struct run *run = s->run;

	draw_order(s, round);
	for (size_t i = 0; i < run->turns; i++) {
		struct track *track = &run->tracks[run->order[i] / run->places];
		const size_t place = run->order[i] % run->places;
		unsigned before = 0;

		/* What comes before the sample makes the processor forget the work before. */
		if (run->places > 1)
			before = untimed[place] + (place > 0 ? s->more : 0);
		while (before-- > 0)
			take_sample(s, track, run->iterations, NULL);
		take_place(s, track, round, place);
	}
	see_cpu(&run->watch, &s->cpu);
	atomic_store_explicit(&run->rounds, round + 1, memory_order_release);
}

static bool interim_look(struct run *run)
{
	run->look++;
	run->looked = run->blocks;
	run->due = verdict_due(run->alpha, run->look + 1);
	return judge_is_decided(run);
}

/* Shortly after a look, there may be too few blocks for an interval of the next one's share. Then
 * the blocks of that look are judged, as they were there. */
static void last_look(struct run *run)
{
	if (run->look &&
	    !statistics_median_rank(run->blocks, verdict_share(run->alpha, run->look + 1)))
		run->blocks = run->looked;
	else
		interim_look(run);
}

/*
 * On a busy machine, there are fewer rounds than the pilot promised, and too few blocks for an
 * interval. Then make shorter ones. Rounds whose orders are balanced together stay together, so
 * that a block does not depend on the order in another one.
 */
static void shorten_blocks(const struct setting *s)
{
	struct run *const run = s->run;
	size_t block = short_block(run, run->rounds);

	if (run->look || run->blocks >= verdict_due(run->alpha, 1))
		return;
	if (s->balanced)
		block = block < run->turns ? run->turns : block - block % run->turns;
	if (block >= run->block)
		return;
	run->block = block;
	run->blocks = 0;
	while (run->blocks < run->rounds / block)
		finish_block(run, s->instrument->resolution);
}

/* Whether the time is over. On a busy machine, there is a block at least. */
static bool is_over(const struct setting *s, uint64_t now_ns)
{
	const uint64_t passed = now_ns - s->start_ns;

	if (passed < s->budget_ns || s->run->cpu_part == 0)
		return passed >= s->budget_ns;
	return passed >= WALL_MOST * s->budget_ns ||
	       (s->run->blocks > 0 &&
		take_cpu_ns() - s->start_cpu_ns >= s->budget_ns / s->run->cpu_part);
}

/* Rounds until there is a verdict, or the time or the samples are used up. */
static void take_rounds(struct setting *s)
{
	struct run *run = s->run;
	const bool compares = run->works > 1;
	uint64_t now_ns = s->start_ns;

	for (size_t round = 0; round < run->limit; round++) {
		if (chain_look(s, round, now_ns))
			take_untimed(s);
		take_round(s, round);
		if ((round + 1) % run->block == 0) {
			finish_block(run, s->instrument->resolution);
			if (compares && run->blocks >= run->due && interim_look(run))
				return;
		}
		now_ns = raw_clock_ns();
		if (run->stop || is_over(s, now_ns))
			break;
	}
	if (!compares)
		return;
	shorten_blocks(s);
	if (run->blocks > run->looked)
		last_look(run);
}

static void prepare_track(const struct setting *s, struct track *track, size_t number)
{
	const struct state *states = s->run->states;

	track->number = (int)number;
	memset(track->event_sums, 0, sizeof track->event_sums);
	track->event_samples = 0;
	track->state = states ? states[number] : s->own;
	track->called = false;
	track->unrestored = (struct unrestored){ 0 };
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
 * that it has come. So they have samples, too, in memory that is not read. Returns how many
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
		     names < most && n < RUN_TRACKS(run->works_max); names++) {
			run->tracks[n].work = run->tracks[i].work;
			prepare_track(s, &run->tracks[n++], i);
		}
	}
	return n - run->works;
}

static void prepare(struct setting *s, size_t n, const struct cpucycles_plan *plan)
{
	struct run *run = s->run;
	const size_t samples =
		plan->samples < run->samples_max ? (size_t)plan->samples : run->samples_max;

	run->works = n;
	run->places = n > 1 ? RUN_PLACES_MAX : 1;
	run->limit = samples / run->places + (samples % run->places > 0);
	run->alpha = plan->alpha;
	run->iterations = 1;
	run->single = false;
	run->too_fast = n;
	run->loop = 0;
	run->block = VERDICT_BLOCK;
	run->blocks = run->looked = 0;
	run->look = 0;
	run->due = plan->flags & CPUCYCLES_PLAN_WHOLE ? SIZE_MAX : verdict_due(plan->alpha, 1);
	run_reset(run, -1);
	for (size_t i = 0; i < n; i++) {
		prepare_track(s, &run->tracks[i], i);
		run->single = run->single || run->tracks[i].work.before;
	}
	run->turns = (n + prepare_stand_ins(s)) * run->places;
	for (size_t i = 0; i < run->turns; i++)
		run->names[i] = run->rows[i] = i;
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
			take_sample(s, &s->run->tracks[i], s->run->iterations, NULL);
		end = raw_clock_ns();
		shortest = end - start < shortest ? end - start : shortest;
		start = end;
	} while (--left > 0 && end - begin < s->budget_ns / TRIED_PART);
	return ((double)shortest + 1) * samples_of_round(s->run) / (double)s->run->works;
}

static void measure_works(struct setting *s)
{
	struct watch *watch = &s->run->watch;
	struct moment first, last;
	long faults;
	const double *const given = s->run->frequency_given;

	watch->before = core_frequency(&s->run->times, given[0], s->budget_ns / FREQUENCY_PART);
	instrument_renew_overhead(s->source, s->run->scratch, s->instrument);
	take_overheads(s);
	chain_look_begin(s);
	s->run->block = block_of(s, try_rounds(s));
	s->cpu = current_cpu();
	s->start_ns = raw_clock_ns();
	s->start_cpu_ns = take_cpu_ns();
	faults = take_faults();
	first = look_at_clocks(s->source);
	take_rounds(s);
	s->run->faults = take_faults() - faults;
	atomic_store(&s->run->at, -1);
	chain_look_end(s);
	last = look_at_clocks(s->source);
	watch->counts = (double)(last.count - first.count);
	watch->ns = last.ns - first.ns;
	watch->ns_error = first.ns_error + last.ns_error + 2 * (double)s->run->times.clock_step;
	watch->after = core_frequency(&s->run->times, given[1], s->budget_ns / FREQUENCY_PART);
	watch->lost = source_is_lost(s->source);
	watch->events_lost = s->run->events ? events_are_lost(s->run->events) : 0;
	see_mask_after_run(s);
}

int run_all(struct run *run, const struct source *source, struct instrument *instrument, size_t n,
	    const struct cpucycles_plan *plan)
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
		.waits = take_waits(),
	};

	take_see_mask(&s);
	prepare(&s, n, plan);
	if (!pilot_all(&s)) {
		atomic_store(&run->at, -1);
		run->watch.lost = source_is_lost(source);
		return run->watch.lost ? 0 : -ERANGE;
	}
	measure_works(&s);
	return 0;
}
