/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The tests of test-meanwhile.c at random moments: while one thread selects, another thread changes
 * the dispositions of all signals of the guard, or sends these signals to a third thread.
 * MEANWHILE_ROUNDS is the number of rounds; tests/reliability/meanwhile.sh runs more.
 */

#include "config.h"

#include "unit.h"
#include "dispositions.h"

#if defined(__linux__) && defined(RAW_DISPOSITIONS)

#include "meanwhile.h"

#include <sys/mman.h>

#define ROUNDS 200

/* The other thread acts on each signal at most this many times in a round. Together, all pauses
 * between its acts take about as long as a selection. */
#define PASSES 8

#define NS_PER_S 1000000000

/* Survives the processes of first calls. */
static struct shared {
	unsigned rounds, lost, forwarded;
	unsigned not_reset;         /* see check() */
	uint64_t duration_ns[WAYS]; /* of a selection that nothing disturbs */
} * shared;

static int rounds(void)
{
	const char *text = getenv("MEANWHILE_ROUNDS");

	return text ? atoi(text) : ROUNDS;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* The other thread */

enum kind { CHANGE, PUT_BACK, SEND };

static enum kind kind;
static atomic_int round_begun, round_ended;
static bool own_is_put[GUARDED]; /* the guard's handler was put back once and may stay */

/* What the selecting thread draws for each act: pauses and flags. */
static struct drawn {
	size_t signal;
	uint64_t first_pause, second_pause;
	unsigned bits;
} drawn[PASSES * GUARDED];

static unsigned passes;

/* Three handlers in succession differ. Otherwise the third may be what the guard has just given
 * back, which is the limit that test-meanwhile.c describes. */
static unsigned other_bits(size_t s)
{
	static unsigned last[GUARDED];

	return last[s] = (last[s] + 1 + (unsigned)(unit_random() % 5)) % FLAGS;
}

static void draw(void)
{
	const size_t first = (size_t)unit_random() % GUARDED;

	passes = kind == SEND ? 1 : 1 + (unsigned)(unit_random() % PASSES);
	for (size_t i = 0; i < passes * GUARDED; i++) {
		struct drawn *d = &drawn[i];

		d->signal = (first + i) % GUARDED;
		d->first_pause = unit_random();
		d->second_pause = unit_random() % 2 ? unit_random() : 0;
		d->bits = other_bits(d->signal);
	}
}

static void pause_for(uint64_t random)
{
	const uint64_t longest = 2 * shared->duration_ns[way] / (passes * GUARDED);
	const uint64_t end = now_ns() + random % (longest + 1);

	while (now_ns() < end)
		;
}

static void act(const struct drawn *d)
{
	const size_t s = d->signal;

	pause_for(d->first_pause);
	if (kind == CHANGE) {
		set_handler(s, SET, d->bits);
	} else if (kind == PUT_BACK) {
		begin_moment(s, d->bits);
		pause_for(d->second_pause);
		own_is_put[s] |= end_moment(s);
	} else {
		wait_until_asleep();
		shared->lost += !wakes_as_told(s);
	}
}

static void *act_each_round(void *unused)
{
	for (int round = 1;; round++) {
		for (unsigned spins = 1; atomic_load(&round_begun) < round; spins++)
			if (spins % 1000 == 0)
				sched_yield();
		for (size_t i = 0; i < passes * GUARDED; i++)
			act(&drawn[i]);
		atomic_store(&round_ended, round);
	}
	return unused;
}

/* The selecting thread */

static void set_before(size_t s)
{
	const uint64_t random = unit_random();

	own_is_put[s] = false;
	if (random % 4 == 0 && kind != SEND)
		set_default(s);
	else if (random % 4 == 1)
		set_ignored(s);
	else
		set_handler(s, BEFORE, (unsigned)(random >> 32) % FLAGS);
}

/* A handler with SA_RESETHAND that a signal calls while the guard gives it back may come back as a
 * handler. */
static bool may_be_reset(size_t s, const struct wish *now)
{
	void (*const handler)(int) = now->shown.sa_handler;

	if (kind != SEND || !(wishes[s].shown.sa_flags & (int)SA_RESETHAND))
		return false;
	shared->not_reset += handler != wishes[s].shown.sa_handler;
	return handler == SIG_DFL || handler == on_before;
}

static void check(size_t s)
{
	struct wish now;

	look(guarded[s], &now);
	if (may_be_reset(s, &now) || is_same(&now, &wishes[s]))
		return;
	if ((own_is_put[s] || way == KEEP) && has_effect(s))
		shared->forwarded++;
	else
		shared->lost++;
	set_before(s); /* the signal that was sent may have reset the handler */
}

/* The shortest lately: a selection that waits for a processor takes longer. */
static void learn_duration(uint64_t ns)
{
	uint64_t *const usual = &shared->duration_ns[way];

	*usual = *usual == 0 || ns < *usual ? ns : *usual + *usual / 32;
}

static void do_round(int round)
{
	uint64_t begin;

	draw();
	atomic_store(&round_begun, round);
	begin = now_ns();
	select_counter();
	learn_duration(now_ns() - begin);
	while (atomic_load(&round_ended) < round)
		sched_yield();
	for (size_t s = 0; s < GUARDED; s++)
		check(s);
	shared->rounds++;
}

static void begin_process(void)
{
	pthread_t thread;

	for (size_t s = 0; s < GUARDED; s++)
		set_before(s);
	prepare_way();
	if (kind == SEND)
		start_sleeper();
	unit_expect(!pthread_create(&thread, NULL, act_each_round, NULL), "a thread");
}

/* Of three quarters of all signals, each round of one process sets what the program has before. The
 * others keep what the last round left. */
static void select_again(void)
{
	alarm(UNIT_CHILD_SECONDS + (unsigned)rounds() / 50);
	begin_process();
	for (int round = 1; round <= rounds(); round++) {
		do_round(round);
		for (size_t s = 0; s < GUARDED; s++)
			if (kind == SEND || unit_random() % 4)
				set_before(s);
	}
}

static void select_first(void)
{
	begin_process();
	do_round(1);
}

/* Tests */

static void begin(enum kind next)
{
	if (unit_is_emulated())
		unit_skip("qemu-user may lose what two threads set at once");
	kind = next;
	memset(shared, 0, sizeof *shared);
}

/* Count a process that has ended. */
static void ended(int status)
{
	unit_skip_with(status);
	if (WIFEXITED(status) && WEXITSTATUS(status) == FAULTS_FOR_EVER)
		unit_skip("a counter of this machine faults");
	if (status)
		printf("# a process ended with status %#x\n", (unsigned)status);
	shared->lost += status != 0;
}

static void end(void)
{
	printf("# %u rounds, %u of %zu signals lost, %u forwarded, %u not reset\n", shared->rounds,
	       shared->lost, shared->rounds * GUARDED, shared->forwarded, shared->not_reset);
	fflush(stdout);
	assert_int_equal(shared->lost, 0);
}

static void reselections(enum kind next)
{
	begin(next);
	way = RESELECT;
	ended(unit_in_child(select_again));
	end();
}

/* A quarter of the rounds, because each needs a process of its own. */
static void first_calls(enum kind next, enum way with)
{
	begin(next);
	for (int i = 0; i < rounds() / 4; i++) {
		way = with == PROBE && i % 2 ? CACHE : with;
		unit_random(); /* other numbers for each process */
		ended(unit_in_child(select_first));
	}
	end();
}

TEST(changed_beside_reselections)
{
	reselections(CHANGE);
}

TEST(changed_beside_first_calls)
{
	first_calls(CHANGE, PROBE);
}

TEST(changed_beside_keeping)
{
	first_calls(CHANGE, KEEP);
}

TEST(put_back_beside_reselections)
{
	reselections(PUT_BACK);
}

TEST(put_back_beside_first_calls)
{
	first_calls(PUT_BACK, PROBE);
}

TEST(put_back_beside_keeping)
{
	first_calls(PUT_BACK, KEEP);
}

TEST(sent_beside_reselections)
{
	reselections(SEND);
}

TEST(sent_beside_first_calls)
{
	first_calls(SEND, PROBE);
}

static int prepare_group(void **state)
{
	shared = prepare_folder(state, sizeof *shared);
	return shared ? 0 : -1;
}

int main(void)
{
	if (SANITIZED && getenv("TESTS_SHORT"))
		return unit_main_not_here("meanwhile-random",
					  "in the short tier, not with sanitizers");
	unit_seed();
	return unit_run("meanwhile-random", prepare_group, unit_folder_remove);
}

#else

int main(void)
{
	return unit_main_not_here("meanwhile-random",
				  "what the kernel holds for a signal cannot be read here");
}

#endif
