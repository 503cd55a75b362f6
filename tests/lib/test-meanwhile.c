/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * While one thread selects, another thread changes the dispositions of the guard's signals, or
 * sends these signals to a third thread. The selecting thread is stopped before and after each of
 * its system calls, and the other thread acts at that stop. Every selection is that of a new
 * process.
 */

#include "config.h"

#include "unit.h"
#include "dispositions.h"

#if defined(__linux__) && defined(RAW_DISPOSITIONS)

#include "between.h"
#include "meanwhile.h"

/* Sets of signals: bit N for guarded[N]. */
#define ALL ((1U << GUARDED) - 1)
#define HAS(set, n) ((set) >> (n)&1)

/* What the traced process tells about a signal. */
static bool own_is_put[GUARDED];  /* the actor has put back the guard's handler */
static bool same_is_put[GUARDED]; /* the actor has set what was there, byte for byte */

/* Shared by tracer and traced process. */
static struct shared {
	unsigned later[GUARDED]; /* calls of rt_sigaction(2) since the actor's last act */
	unsigned lost;           /* the set of signals that are not as they should be */
	unsigned forwarded;      /* handlers of the guard that the program has put back too late */
	unsigned undecidable;    /* the set of signals of the second case of check_wish() */
} * shared;

/* Which flags and which earlier dispositions this round has. In two rounds that begin with an even
 * number each signal gets each flag once, in FLAGS rounds each combination of flags. */
static unsigned variant;

static unsigned bits_of(size_t s)
{
	const unsigned n = (variant + 6 * (unsigned)s) % FLAGS;

	return n % 2 ? (FLAGS - 1) ^ n / 2 : n / 2;
}

/* What the program has before the selection. */
static void set_before(size_t s)
{
	switch ((variant + variant / FLAGS + s) % 4) {
	case 0:
		set_default(s);
		break;
	case 1: /* the kernel's default, which is other bytes than libc's */
		look(guarded[s], &wishes[s]);
		break;
	case 2:
		set_ignored(s);
		break;
	case 3:
		set_handler(s, BEFORE, bits_of(s) ^ RESTART);
	}
}

static void prepare(void)
{
	for (size_t s = 0; s < GUARDED; s++)
		set_before(s);
	prepare_way();
}

/* The acts of the other thread */

static void act_set(unsigned signals)
{
	for (size_t s = 0; s < GUARDED; s++)
		if (HAS(signals, s))
			set_handler(s, SET, bits_of(s));
}

static void act_set_another(unsigned signals)
{
	for (size_t s = 0; s < GUARDED; s++)
		if (HAS(signals, s))
			set_handler(s, SET, bits_of(s) ^ (FLAGS - 1));
}

static void act_begin(unsigned signals)
{
	for (size_t s = 0; s < GUARDED; s++)
		if (HAS(signals, s))
			begin_moment(s, bits_of(s));
}

static void act_put_back(unsigned signals)
{
	struct wish was, now;

	for (size_t s = 0; s < GUARDED; s++) {
		if (!HAS(signals, s))
			continue;
		look(guarded[s], &was);
		own_is_put[s] = end_moment(s);
		look(guarded[s], &now);
		same_is_put[s] = is_same(&was, &now);
	}
}

/* By value: what the program had before, as libc writes it. */
static void act_set_before(unsigned signals)
{
	for (size_t s = 0; s < GUARDED; s++) {
		struct wish was;

		if (!HAS(signals, s))
			continue;
		look(guarded[s], &was);
		set_wish(s, &moments[s].before.shown, NULL);
		same_is_put[s] = is_same(&was, &wishes[s]);
	}
}

/*
 * Two dispositions may differ from what the program has set last:
 * - A handler of the guard that was put back after the guard's last look at this signal stays, and
 *   forwards.
 * - A swap cannot tell who wrote a disposition. The guard gives back what the program had, and
 *   displaces a handler that the program has set in the gap before that swap. In the gap behind it
 *   the program sets, byte for byte, what the guard has just put there. The guard takes that for
 *   its own, and puts the displaced handler back. (is_limit() knows these gaps.)
 */
static void check_wish(size_t s)
{
	struct wish now;

	look(guarded[s], &now);
	if (is_same(&now, &wishes[s]))
		return;
	if (own_is_put[s] && !shared->later[s] && has_effect(s))
		shared->forwarded++;
	else if (way == KEEP && has_effect(s))
		return;
	else if (same_is_put[s] && shared->later[s])
		shared->undecidable |= 1U << s;
	else
		shared->lost |= 1U << s;
}

static unsigned acting; /* the signals that the actor works on */

static void check(void)
{
	for (size_t s = 0; s < GUARDED; s++)
		if (HAS(acting, s))
			check_wish(s);
}

/* Rounds, in the tracer */

#define ACTS_MAX 4

static struct act {
	unsigned stop; /* where */
	void (*act)(unsigned signals);
} acts[ACTS_MAX];

static unsigned acts_n, acts_done;
static bool watching; /* stop at each call after the last act, too */

static struct totals {
	unsigned rounds, lost, died, forwarded, undecidable;
} totals;

static bool act_at_stop(unsigned n)
{
	const struct between_stop *stop = &between_stops[n];

	while (acts_done < acts_n && (acts[acts_done].stop == n || stop->number < 0)) {
		between_act(acts[acts_done++].act, acting);
		memset(shared->later, 0, sizeof shared->later);
	}
	for (size_t s = 0; s < GUARDED; s++)
		if (stop->entering && stop->sig == guarded[s])
			shared->later[s]++;
	return watching || acts_done < acts_n;
}

static void tell_round(int status)
{
	if (totals.lost + totals.died > 5)
		return;
	printf("# %s, variant %u, status %d:", way_names[way], variant, status);
	for (size_t s = 0; s < GUARDED; s++)
		if (HAS(shared->lost, s))
			printf(" %s,", strsignal(guarded[s]));
	for (unsigned i = 0; i < acts_n; i++)
		printf("%s %s", i ? " and" : " not as it should be after acts at",
		       between_place(acts[i].stop));
	printf("\n");
}

static const struct between changes = { prepare, select_counter, check, act_at_stop };

/* Whether the acts were in two gaps that one system call parts: see check_wish(). */
static bool is_limit(void)
{
	return acts_n == 2 && acts[1].stop - acts[0].stop <= 2;
}

/* One new process. */
static void do_round(const struct between *parts)
{
	int status;

	memset(shared, 0, sizeof *shared);
	acts_done = 0;
	status = between_run(parts);
	totals.rounds++;
	totals.forwarded += shared->forwarded;
	if (!is_limit())
		shared->lost |= shared->undecidable;
	else
		totals.undecidable += (unsigned)__builtin_popcount(shared->undecidable);
	if (status == 0 && !shared->lost)
		return;
	totals.lost += (unsigned)__builtin_popcount(shared->lost);
	totals.died += status != 0;
	tell_round(status);
}

/* Learn the stops, and which signals the counters of this machine raise here. Such a signal stays
 * the guard's: a handler that another thread sets would get the fault again and again. */
static unsigned begin_way(enum way next)
{
	way = next;
	acting = ALL;
	acts_n = 0;
	watching = true;
	do_round(&changes);
	for (size_t s = 0; s < GUARDED; s++)
		if (between_signals >> guarded[s] & 1)
			acting &= ~(1U << s);
	return between_count;
}

/* Whether this is rt_sigaction(2) for a signal of the guard. The library looks at others, too. */
static bool is_guarded(const struct between_stop *stop)
{
	for (size_t s = 0; s < GUARDED; s++)
		if (stop->sig == guarded[s])
			return true;
	return false;
}

/* Whether this stop is beside such a call. */
static bool is_beside(unsigned n)
{
	return is_guarded(&between_stops[n]) || (n > 0 && is_guarded(&between_stops[n - 1]));
}

/* At every stop of this way. */
static void one_act(enum way next, void (*act)(unsigned signals))
{
	const unsigned count = begin_way(next);

	acts_n = 1;
	watching = false;
	for (unsigned stop = 0; stop <= count; stop++)
		for (int i = 0; i < 2; i++, variant++) {
			acts[0] = (struct act){ stop, act };
			do_round(&changes);
		}
}

/* The next stop of the last run at which a disposition may differ from the one at stop n: between
 * two calls that are not rt_sigaction(2), nothing happens to a disposition. */
static unsigned next_stop(unsigned n)
{
	do
		n++;
	while (n < between_count && !(between_stops[n].entering && is_beside(n)));
	return n;
}

/* At every pair of such stops. An act may lead to more system calls, and so to more stops. */
static void two_acts(enum way next, void (*first)(unsigned signals),
		     void (*second)(unsigned signals))
{
	begin_way(next);
	for (unsigned i = 0; i <= between_count; i = next_stop(i)) {
		for (unsigned j = i; j <= between_count; j = next_stop(j), variant++) {
			acts_n = 2;
			acts[0] = (struct act){ i, first };
			acts[1] = (struct act){ j, second };
			do_round(&changes);
		}
		begin_way(next);
	}
}

/* In four gaps that one system call parts each, from every gap on. */
static void four_acts(enum way next)
{
	static void (*const sets[ACTS_MAX])(unsigned signals) = { act_set, act_set_another,
								  act_begin, act_set };
	const unsigned count = begin_way(next);

	acts_n = ACTS_MAX;
	for (unsigned stop = 0; stop < count; stop += 2, variant++) {
		for (unsigned i = 0; i < ACTS_MAX; i++)
			acts[i] = (struct act){ stop + 2 * i, sets[i] };
		do_round(&changes);
	}
}

static void begin_totals(void)
{
	memset(&totals, 0, sizeof totals);
	variant = 0;
}

static void end_totals(void)
{
	printf("# %u processes, %u dispositions lost, %u died, %u forwarded, %u undecidable\n",
	       totals.rounds, totals.lost, totals.died, totals.forwarded, totals.undecidable);
	fflush(stdout);
	assert_int_equal(totals.lost, 0);
	assert_int_equal(totals.died, 0);
}

/* Signals that interrupt read(2) in a third thread */

static bool resetting; /* whether the handlers have SA_RESETHAND */

static void prepare_sleep(void)
{
	for (size_t s = 0; s < GUARDED; s++)
		if ((variant / 2 + s) % GUARDED == 0)
			set_ignored(s);
		else
			set_handler(s, BEFORE,
				    (bits_of(s) & ~RESETHAND) | (resetting ? RESETHAND : 0));
	prepare_way();
	start_sleeper();
}

static void act_send(unsigned signals)
{
	for (size_t s = 0; s < GUARDED; s++) {
		if (!HAS(signals, s) || wishes[s].shown.sa_handler == SIG_DFL)
			continue;
		wait_until_asleep();
		if (!wakes_as_told(s))
			shared->lost |= 1U << s;
	}
}

static void check_sleep(void)
{
	struct wish now;

	for (size_t s = 0; s < GUARDED && way != KEEP; s++) {
		look(guarded[s], &now);
		if (resetting ? now.shown.sa_handler != wishes[s].shown.sa_handler :
				!is_same(&now, &wishes[s]))
			shared->lost |= 1U << s;
	}
}

/* The signals whose handler waits there for the stopped thread: the guard has been installed, but
 * does not know yet what the program had. */
static unsigned waiting_signals(unsigned n)
{
	const struct between_stop *stop = &between_stops[n];

	for (unsigned i = 0; i < n; i++)
		if (!between_stops[i].entering && between_stops[i].sets &&
		    between_stops[i].sig == stop->sig)
			return 0;
	for (size_t s = 0; s < GUARDED; s++)
		if (stop->sig == guarded[s] && stop->sets && !stop->entering)
			return 1U << s;
	return 0;
}

static bool send_at_stop(unsigned n)
{
	if (!resetting || n == acts[0].stop)
		between_act(act_send, ALL & ~waiting_signals(n));
	return true;
}

static const struct between sleeps = { prepare_sleep, select_counter, check_sleep, send_at_stop };

static const enum way selections[] = { PROBE, CACHE, RESELECT };

#define SELECTIONS (sizeof selections / sizeof selections[0])

/* Tests */

TEST(set_once)
{
	begin_totals();
	for (size_t i = 0; i < SELECTIONS; i++)
		one_act(selections[i], act_set);
	end_totals();
}

TEST(set_once_without_tsc)
{
	if (SANITIZED)
		unit_skip("a sanitizer may read the TSC itself");
	begin_totals();
	one_act(WITHOUT_TSC, act_set);
	end_totals();
}

TEST(set_once_kept)
{
	begin_totals();
	one_act(KEEP, act_set);
	end_totals();
}

TEST(set_twice)
{
	begin_totals();
	two_acts(PROBE, act_set, act_set_another);
	two_acts(RESELECT, act_set, act_set_another);
	end_totals();
}

TEST(set_in_a_row)
{
	begin_totals();
	four_acts(PROBE);
	four_acts(RESELECT);
	four_acts(KEEP);
	end_totals();
}

TEST(put_back)
{
	begin_totals();
	for (size_t i = 0; i < SELECTIONS; i++)
		two_acts(selections[i], act_begin, act_put_back);
	end_totals();
}

TEST(put_back_kept)
{
	begin_totals();
	two_acts(KEEP, act_begin, act_put_back);
	end_totals();
}

TEST(set_back_by_value)
{
	begin_totals();
	two_acts(PROBE, act_begin, act_set_before);
	two_acts(RESELECT, act_begin, act_set_before);
	end_totals();
}

TEST(interrupts)
{
	begin_totals();
	resetting = false;
	acts_n = 0;
	for (way = PROBE; way < WAYS; way++)
		for (variant = 0; variant < 4; variant++)
			if (way != WITHOUT_TSC)
				do_round(&sleeps);
	end_totals();
}

TEST(interrupts_once)
{
	begin_totals();
	resetting = true;
	acts_n = 1;
	for (size_t i = 0; i < SELECTIONS; i++) {
		way = selections[i];
		acts[0].stop = 0;
		do
			do_round(&sleeps);
		while (variant++, acts[0].stop++ < between_count);
	}
	end_totals();
}

static int prepare_group(void **state)
{
	shared = prepare_folder(state, sizeof *shared);
	return shared ? 0 : -1;
}

int main(void)
{
	if (SANITIZED && getenv("TESTS_SHORT"))
		return unit_main_not_here("meanwhile", "in the short tier, not with sanitizers");
	return unit_run("meanwhile", prepare_group, unit_folder_remove);
}

#else

int main(void)
{
	return unit_main_not_here("meanwhile",
				  "what the kernel holds for a signal cannot be read here");
}

#endif
