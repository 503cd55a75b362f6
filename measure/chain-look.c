/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "chain-look.h"
#include "chain.h"
#include "raw-clock.h"
#include "statistics.h"

/* Chains are timed every LOOK_NS at most, and take at most one part in LOOK_PART of the time. In
 * half a millisecond, a core's frequency changes by some 0.2 %. */
#define LOOK_NS 500000u
#define LOOK_PART 10

/* The longer chain takes this many steps of the counter more than the shorter one, unless it has
 * CYCLES_ALIKE_ROUNDS rounds then. */
#define LOOK_STEPS 250

/* A whole budget of more than LOOKS_WANTED pauses has LOOKS_WANTED looks: CYCLES_LOOKS is just
 * above. */
#define LOOKS_WANTED 1000

/* Each chain is timed LOOK_TIMES times in a look, and the median counts: one may be interrupted. */
#define LOOK_TIMES 3

/* One chain, in units. */
static double time_chain(const struct setting *s, void (*chain)(void *), unsigned long rounds)
{
	struct pair pair;
	int tries = 0;

	do
		pair = pair_take(s->source, chain, &rounds, 1);
	while (pair.moved && ++tries < PAIR_TRIES);
	return (double)(pair.end - pair.begin) * s->source->units - s->instrument->overhead;
}

static void time_both(const struct setting *s, void (*chain)(void *), double units[2])
{
	const unsigned long rounds = s->run->looks.rounds;
	double brief[LOOK_TIMES], longer[LOOK_TIMES];

	time_chain(s, chain, 1); /* its code comes back into the caches */
	for (size_t i = 0; i < LOOK_TIMES; i++) {
		brief[i] = time_chain(s, chain, rounds);
		longer[i] = time_chain(s, chain, CYCLES_LONGER * rounds);
	}
	units[0] = statistics_median(brief, LOOK_TIMES);
	units[1] = statistics_median(longer, LOOK_TIMES);
}

/* Units per round of exclusive-ors, about. */
static double round_units(const struct setting *s)
{
	double units[2];

	time_both(s, chain_xors, units);
	return (units[1] - units[0]) / (double)((CYCLES_LONGER - 1) * s->run->looks.rounds);
}

/* Units by which the longer chain takes more than the shorter one. */
static double longer_by(const struct setting *s)
{
	return s->round_units * (double)((CYCLES_LONGER - 1) * s->run->looks.rounds);
}

void chain_look_begin(struct setting *s)
{
	struct cycles_looks *const looks = &s->run->looks;

	looks->n = 0;
	looks->rounds = 1;
	looks->missing = chain_is_exact() ? 0 : CPUCYCLES_CYCLES_NO_CHAIN;
	s->look_due_ns = 0;
	s->look_work = 0;
	s->round_units = s->long_units = 0;
	if (looks->missing)
		return;
	s->round_units = round_units(s);
	while (!(longer_by(s) >= LOOK_STEPS * s->instrument->resolution)) {
		if (2 * CYCLES_LONGER * looks->rounds > CYCLES_ALIKE_ROUNDS) {
			looks->missing = CPUCYCLES_CYCLES_COARSE;
			return;
		}
		looks->rounds *= 2;
		s->round_units = round_units(s);
	}
	s->long_units = s->round_units / CHAIN_ROUND_CYCLES * CYCLES_LONG;
}

/* Rounds of a chain that takes as long as the work's last sample before this round. 0: a look's own
 * chains are long enough. */
static unsigned long alike_rounds(const struct setting *s, size_t work, size_t round)
{
	const struct run *const run = s->run;
	double rounds;

	if (round == 0)
		return 0;
	rounds = run->tracks[work].samples[round * run->places - 1] * run->iterations /
		 s->round_units;
	if (!(rounds > (double)(CYCLES_LONGER * run->looks.rounds)))
		return 0;
	return rounds < CYCLES_ALIKE_ROUNDS ? (unsigned long)rounds : CYCLES_ALIKE_ROUNDS;
}

/* The chain that is as long as a sample. The median of a few, because a short run has only one or
 * two looks that need this chain. False: another program ran during each try. */
static bool time_alike(const struct setting *s, struct cycles_look *look)
{
	double units[LOOK_TIMES];
	size_t n = 0;

	for (size_t tries = 0; tries < LOOK_TIMES; tries++) {
		const struct usage before = take_usage_before();
		struct usage after;

		units[n] = time_chain(s, chain_xors, look->alike_rounds);
		after = take_usage_after();
		if (take_own_part(&before, &after) == 1)
			n++;
	}
	if (n == 0)
		return false;
	look->alike = statistics_median(units, n);
	return true;
}

/* All chains that have the same lengths in each look. */
static void time_all(const struct setting *s, struct cycles_look *look, bool check)
{
	time_both(s, chain_xors, look->xors);
	if (check) {
		time_both(s, chain_products, look->products);
		time_both(s, chain_floats, look->floats);
	}
}

static void look_with(struct setting *s, size_t round, size_t work)
{
	struct cycles_looks *const looks = &s->run->looks;
	struct cycles_look *const look = &looks->of[looks->n];

	look->round = round;
	look->work = work;
	look->alike_rounds = alike_rounds(s, work, round);
	time_all(s, look, looks->n % CYCLES_CHECK_EVERY == 0);
	if (look->alike_rounds && !time_alike(s, look))
		look->alike_rounds = 0;
	looks->n++;
}

/* The next work that needs a chain of its own length, else any. */
static size_t next_work(struct setting *s, size_t round)
{
	for (size_t i = 0; i < s->run->works; i++) {
		s->look_work = (s->look_work + 1) % s->run->works;
		if (alike_rounds(s, s->look_work, round))
			break;
	}
	return s->look_work;
}

/* Of all its chains. Those of multiplications, which are not in each look, take about as long as
 * the one of exclusive-ors. */
static double rounds_of(const struct cycles_looks *looks, size_t look)
{
	const unsigned long kinds = look % CYCLES_CHECK_EVERY ? 1 : 3;

	return (double)(LOOK_TIMES * (kinds * (1 + CYCLES_LONGER) * looks->rounds +
				      looks->of[look].alike_rounds));
}

bool chain_look(struct setting *s, size_t round, uint64_t now_ns)
{
	const struct cycles_looks *const looks = &s->run->looks;
	uint64_t pause = s->budget_ns / LOOKS_WANTED;
	double rounds, round_ns;

	if (looks->missing || looks->n == CYCLES_LOOKS || now_ns < s->look_due_ns)
		return false;
	look_with(s, round, next_work(s, round));
	s->look_due_ns = raw_clock_ns();
	rounds = rounds_of(looks, looks->n - 1);
	round_ns = (double)(s->look_due_ns - now_ns) / rounds;
	/* The shortest so far: this look may have been interrupted for long. */
	if (looks->n == 1 || round_ns < s->round_ns)
		s->round_ns = round_ns;
	pause = pause > LOOK_NS ? pause : LOOK_NS;
	if ((double)pause < LOOK_PART * rounds * s->round_ns)
		pause = (uint64_t)(LOOK_PART * rounds * s->round_ns);
	s->look_due_ns += pause;
	return true;
}

bool chain_look_apart(struct setting *s, bool all, uint64_t now_ns)
{
	/* Each CYCLES_CHECK_EVERY'th look has all chains, from the first on. */
	s->run->looks.n = all ? 0 : 1;
	return chain_look(s, 0, now_ns);
}

static bool has_alike(const struct cycles_looks *looks, size_t work)
{
	for (size_t i = 0; i < looks->n; i++)
		if (looks->of[i].work == work && looks->of[i].alike_rounds)
			return true;
	return false;
}

/* In a short run, the chains that are the check were timed once, and may have been disturbed. */
static void check_again(struct setting *s)
{
	struct cycles_looks *const looks = &s->run->looks;

	if (looks->n == 0 || looks->n > CYCLES_CHECK_EVERY)
		return;
	for (size_t tries = 0; tries < LOOK_TIMES && !(cycles_slowness(looks, s->run->scratch) > 0);
	     tries++)
		time_all(s, &looks->of[0], true);
}

void chain_look_end(struct setting *s)
{
	struct run *const run = s->run;
	const size_t rounds = atomic_load(&run->rounds);

	check_again(s);
	for (size_t i = 0; i < run->works && run->looks.n < CYCLES_LOOKS; i++)
		if (!run->looks.missing && alike_rounds(s, i, rounds) && !has_alike(&run->looks, i))
			look_with(s, rounds, i);
}
