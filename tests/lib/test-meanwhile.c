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
#include "faults.h"

#if defined(__linux__) && defined(RAW_DISPOSITIONS) && defined(SYS_tgkill)

#include "between.h"
#include "cpucycles.h"
#include "guard.h"
#include "made-cache.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>

static const int guarded[] = { SIGILL, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGTRAP };

#define GUARDED (sizeof guarded / sizeof guarded[0])
#define ALL ((1U << GUARDED) - 1)

/* A set of signals: bit N for guarded[N]. */
#define HAS(set, n) ((set) >> (n)&1)

/* The flags of a handler. Each bit of a number below FLAGS is one of them. */
static const int flags[] = { SA_RESTART, (int)SA_RESETHAND, SA_NODEFER, SA_ONSTACK };

#define FLAGS (1U << sizeof flags / sizeof flags[0])
#define RESTART 1U
#define RESETHAND 2U

/* What the selecting thread does */

enum way { PROBE, CACHE, RESELECT, WITHOUT_TSC, KEEP, WAYS };

static const char *const way_names[] = { "a first call without a cache",
					 "a first call with a cache", "a reselection",
					 "a first call without the TSC",
					 "a guard that leaves handlers" };

static enum way way;
static const char *cache;

static void on_closed(void) {}

static void keep_handlers(void)
{
	struct guard guard;

	unit_expect(guard_acquire(&guard) == LOCK_TAKEN && guard_install(&guard), "the guard");
	for (size_t s = 0; s < GUARDED; s++)
		guard_keep(guarded[s], on_closed);
	guard_release(&guard);
}

static void prepare_way(void)
{
	use_cache(way == PROBE || way == KEEP ? "none" : cache);
	if (way == RESELECT)
		cpucycles();
#ifdef PR_SET_TSC
	if (way == WITHOUT_TSC && prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0))
		unit_skip_child("RDTSC can't be made fault");
#else
	if (way == WITHOUT_TSC)
		unit_skip_child("RDTSC can't be made fault");
#endif
}

static void select_counter(void)
{
	if (way == KEEP)
		keep_handlers();
	else if (way == RESELECT)
		cpucycles_reselect();
	else
		cpucycles();
}

/* What the program wants */

enum who { BEFORE, SET, MOMENTARY, WHOS };

static atomic_int called[WHOS];

static void on_before(int sig)
{
	(void)sig;
	atomic_fetch_add(&called[BEFORE], 1);
}

static void on_set(int sig)
{
	(void)sig;
	atomic_fetch_add(&called[SET], 1);
}

static void on_momentary(int sig)
{
	(void)sig;
	atomic_fetch_add(&called[MOMENTARY], 1);
}

static void (*const handlers[])(int) = { on_before, on_set, on_momentary };

/* One for each guarded signal. The tracer writes .later, the traced process everything else. */
static struct wish {
	struct raw raw;         /* the disposition that the program has set last */
	struct sigaction shown; /* the same, as libc tells it */
	struct raw before_raw;  /* what the program had before the selection */
	struct sigaction before;
	struct sigaction found; /* by the actor, when it set a handler for a moment */
	bool own_is_put;        /* the actor has put back the guard's handler */
	bool same_is_put;       /* the actor has set what was there, byte for byte */
} wishes[GUARDED];

/* Shared by tracer and traced process. */
static struct shared {
	unsigned later[GUARDED]; /* calls of rt_sigaction(2) since the actor's last act */
	unsigned lost;           /* the set of signals whose disposition is not as it should be */
	unsigned forwarded;      /* handlers of the guard that the program has put back too late */
	unsigned undecidable;    /* see check_wish() */
} * shared;

static void look(size_t s, struct raw *raw, struct sigaction *shown)
{
	memset(raw, 0, sizeof *raw);
	syscall(SYS_rt_sigaction, guarded[s], NULL, raw, SIGNALS / 8);
	sigaction(guarded[s], NULL, shown);
}

static bool is_same(const struct raw *a, const struct raw *b)
{
	return !memcmp(a, b, sizeof *a);
}

static void wish_what_is(size_t s)
{
	look(s, &wishes[s].raw, &wishes[s].shown);
}

static struct sigaction action_of(enum who who, unsigned bits)
{
	struct sigaction action = { .sa_handler = handlers[who] };

	sigemptyset(&action.sa_mask);
	if (bits % 3 == 0)
		sigaddset(&action.sa_mask, SIGUSR2);
	for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
		if (bits >> i & 1)
			action.sa_flags |= flags[i];
	return action;
}

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
	const struct sigaction action = action_of(BEFORE, bits_of(s) ^ RESTART);

	switch ((variant + variant / FLAGS + s) % 4) {
	case 0:
		signal(guarded[s], SIG_DFL);
		break;
	case 1:
		break; /* the kernel's default, which is other bytes than libc's */
	case 2:
		signal(guarded[s], SIG_IGN);
		break;
	case 3:
		sigaction(guarded[s], &action, NULL);
	}
}

static void prepare(void)
{
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	for (size_t s = 0; s < GUARDED; s++) {
		set_before(s);
		wish_what_is(s);
		wishes[s].before_raw = wishes[s].raw;
		wishes[s].before = wishes[s].shown;
	}
	prepare_way();
}

/* The acts of the other thread */

static void set_handlers(unsigned signals, unsigned other_bits)
{
	for (size_t s = 0; s < GUARDED; s++) {
		const struct sigaction action = action_of(SET, bits_of(s) ^ other_bits);

		if (!HAS(signals, s))
			continue;
		sigaction(guarded[s], &action, NULL);
		wish_what_is(s);
	}
}

static void act_set(unsigned signals)
{
	set_handlers(signals, 0);
}

static void act_set_another(unsigned signals)
{
	set_handlers(signals, FLAGS - 1);
}

static void act_begin(unsigned signals)
{
	for (size_t s = 0; s < GUARDED; s++) {
		const struct sigaction action = action_of(MOMENTARY, bits_of(s));

		if (!HAS(signals, s))
			continue;
		sigaction(guarded[s], &action, &wishes[s].found);
		wish_what_is(s);
	}
}

/* Whether the actor found a disposition that is not the program's. */
static bool found_own(const struct wish *w)
{
	return w->found.sa_handler != w->before.sa_handler;
}

static void end_with(size_t s, const struct sigaction *action)
{
	struct wish *w = &wishes[s];
	struct raw was;

	look(s, &was, &w->shown);
	sigaction(guarded[s], action, NULL);
	wish_what_is(s);
	w->same_is_put = is_same(&was, &w->raw);
}

/* If the actor puts back the guard's handler, it means what the program had before. */
static void act_put_back(unsigned signals)
{
	for (size_t s = 0; s < GUARDED; s++) {
		struct wish *w = &wishes[s];

		if (!HAS(signals, s))
			continue;
		end_with(s, &w->found);
		if (!found_own(w))
			continue;
		w->own_is_put = true;
		w->raw = w->before_raw;
		w->shown = w->before;
	}
}

/* By value: what the program had before, as libc writes it. */
static void act_set_before(unsigned signals)
{
	for (size_t s = 0; s < GUARDED; s++)
		if (HAS(signals, s))
			end_with(s, &wishes[s].before);
}

/* Checks, in the traced process */

static bool kills(int sig)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		raise(sig);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return WIFSIGNALED(status) && WTERMSIG(status) == sig;
}

/* Whether a signal has the effect that the program wants, whichever handler there is. */
static bool has_effect(size_t s)
{
	void (*const handler)(int) = wishes[s].shown.sa_handler;
	struct sigaction now;

	sigaction(guarded[s], NULL, &now);
	if (handler == SIG_DFL)
		return kills(guarded[s]);
	if (now.sa_handler == SIG_DFL)
		return false;
	for (size_t i = 0; i < WHOS; i++)
		atomic_store(&called[i], 0);
	raise(guarded[s]);
	for (size_t i = 0; i < WHOS; i++)
		if (atomic_load(&called[i]) != (handler == handlers[i]))
			return false;
	return true;
}

/*
 * Two dispositions may differ from what the program has set last. A handler of the guard that was
 * put back after the guard's last look at this signal stays, and forwards. And a swap cannot tell
 * who wrote a disposition: if the program sets, byte for byte, what the guard has put there just
 * before, the guard takes it for its own and replaces it by what it displaced.
 */
static void check_wish(size_t s)
{
	const struct wish *w = &wishes[s];
	struct sigaction shown;
	struct raw now;

	look(s, &now, &shown);
	if (is_same(&now, &w->raw))
		return;
	if (w->own_is_put && !shared->later[s] && has_effect(s))
		shared->forwarded++;
	else if (way == KEEP && has_effect(s))
		return;
	else if (w->same_is_put && shared->later[s])
		shared->undecidable++;
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
		printf("%s %s", i ? " and" : " lost by acts at", between_place(acts[i].stop));
	printf("\n");
}

static const struct between changes = { prepare, select_counter, check, act_at_stop };

/* One new process. */
static void do_round(const struct between *parts)
{
	int status;

	memset(shared, 0, sizeof *shared);
	acts_done = 0;
	status = between_run(parts);
	totals.rounds++;
	totals.forwarded += shared->forwarded;
	totals.undecidable += shared->undecidable;
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

/* Whether this stop is beside a call of rt_sigaction(2). */
static bool is_beside(unsigned n)
{
	return between_stops[n].sig || (n > 0 && between_stops[n - 1].sig);
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

static void begin_totals(void)
{
	if (THREAD_SANITIZED)
		unit_skip("ThreadSanitizer has a table of dispositions of its own");
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

/* A thread that sleeps in read(2) */

static int sleepers_pipe[2];
static atomic_int sleeper_id;
static atomic_uint interrupted;

static void *sleeper(void *unused)
{
	char byte;

	atomic_store(&sleeper_id, (int)syscall(SYS_gettid));
	while (read(sleepers_pipe[0], &byte, 1) < 0)
		if (errno == EINTR)
			atomic_fetch_add(&interrupted, 1);
	return unused;
}

/* The thread sleeps nowhere else. */
static void wait_until_asleep(void)
{
	char path[64], text[512], *state;
	ssize_t length;
	int fd;

	snprintf(path, sizeof path, "/proc/self/task/%d/stat", atomic_load(&sleeper_id));
	for (;; sched_yield()) {
		fd = open(path, O_RDONLY);
		length = read(fd, text, sizeof text - 1);
		close(fd);
		if (length <= 0)
			_exit(98);
		text[length] = 0;
		state = strrchr(text, ')');
		if (state && !strncmp(state, ") S", 3))
			return;
	}
}

static bool resetting; /* whether the handlers have SA_RESETHAND */

static void set_before_sleep(size_t s)
{
	const unsigned reset = resetting ? RESETHAND : 0;
	const struct sigaction action = action_of(BEFORE, (bits_of(s) & ~RESETHAND) | reset);

	if ((variant / 2 + s) % GUARDED == 0)
		signal(guarded[s], SIG_IGN);
	else
		sigaction(guarded[s], &action, NULL);
	wish_what_is(s);
}

static void prepare_sleep(void)
{
	pthread_t thread;

	for (size_t s = 0; s < GUARDED; s++)
		set_before_sleep(s);
	prepare_way();
	unit_expect(!pipe(sleepers_pipe) && !pthread_create(&thread, NULL, sleeper, NULL),
		    "a thread that reads");
	while (!atomic_load(&sleeper_id))
		sched_yield();
}

static void send(size_t s)
{
	struct wish *w = &wishes[s];
	const bool is_handled = w->shown.sa_handler == on_before;

	atomic_store(&called[BEFORE], 0);
	wait_until_asleep();
	atomic_store(&interrupted, 0);
	syscall(SYS_tgkill, getpid(), atomic_load(&sleeper_id), guarded[s]);
	wait_until_asleep();
	if (atomic_load(&called[BEFORE]) != is_handled ||
	    atomic_load(&interrupted) != (is_handled && !(w->shown.sa_flags & SA_RESTART)))
		shared->lost |= 1U << s;
	if (is_handled && resetting)
		w->shown.sa_handler = SIG_DFL;
}

static void act_send(unsigned signals)
{
	for (size_t s = 0; s < GUARDED; s++)
		if (HAS(signals, s) && wishes[s].shown.sa_handler != SIG_DFL)
			send(s);
}

static void check_sleep(void)
{
	struct sigaction now;
	struct raw raw;

	for (size_t s = 0; s < GUARDED && way != KEEP; s++) {
		look(s, &raw, &now);
		if (resetting ? now.sa_handler != wishes[s].shown.sa_handler :
				!is_same(&raw, &wishes[s].raw))
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

static void set_once(void **state)
{
	(void)state;
	begin_totals();
	for (size_t i = 0; i < SELECTIONS; i++)
		one_act(selections[i], act_set);
	end_totals();
}

static void set_once_without_tsc(void **state)
{
	(void)state;
	begin_totals();
	one_act(WITHOUT_TSC, act_set);
	end_totals();
}

static void set_once_kept(void **state)
{
	(void)state;
	begin_totals();
	one_act(KEEP, act_set);
	end_totals();
}

static void two_acts_each(void (*first)(unsigned signals), void (*second)(unsigned signals))
{
	begin_totals();
	for (size_t i = 0; i < SELECTIONS; i++)
		two_acts(selections[i], first, second);
	end_totals();
}

static void set_twice(void **state)
{
	(void)state;
	two_acts_each(act_set, act_set_another);
}

static void put_back(void **state)
{
	(void)state;
	two_acts_each(act_begin, act_put_back);
}

static void set_back_by_value(void **state)
{
	(void)state;
	two_acts_each(act_begin, act_set_before);
}

static void interrupts(void **state)
{
	(void)state;
	begin_totals();
	resetting = false;
	acts_n = 0;
	for (way = PROBE; way < WAYS; way++)
		for (variant = 0; variant < 4; variant++)
			if (way != WITHOUT_TSC)
				do_round(&sleeps);
	end_totals();
}

static void interrupts_once(void **state)
{
	(void)state;
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
	if (unit_folder_make(state))
		return -1;
	cache = make_cache("counters", "");
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	return shared == MAP_FAILED ? -1 : 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_once),      cmocka_unit_test(set_once_without_tsc),
		cmocka_unit_test(set_once_kept), cmocka_unit_test(set_twice),
		cmocka_unit_test(put_back),      cmocka_unit_test(set_back_by_value),
		cmocka_unit_test(interrupts),    cmocka_unit_test(interrupts_once),
	};

	return cmocka_run_group_tests_name("meanwhile", tests, prepare_group, unit_folder_remove);
}

#else

static void not_here(void **state)
{
	(void)state;
	unit_skip("what the kernel holds for a signal cannot be read here");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(not_here) };

	return cmocka_run_group_tests_name("meanwhile", tests, NULL, NULL);
}

#endif
