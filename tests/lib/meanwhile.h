/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * What a program may do with the guard's signals while one of its threads selects, for the tests
 * that do it: dispositions that it sets, and a thread that such a signal wakes.
 */

#ifndef CPUCYCLES_MEANWHILE_H
#define CPUCYCLES_MEANWHILE_H

#include "unit.h"
#include "cpucycles.h"
#include "dispositions.h"
#include "faults.h"
#include "guard.h"
#include "made-cache.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/resource.h>

static const int guarded[] = { SIGILL, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGTRAP };

#define GUARDED (sizeof guarded / sizeof guarded[0])

/* The flags of a handler. Each bit of a number below FLAGS is one of them. */
static const int flags[] = { SA_RESTART, (int)SA_RESETHAND, SA_NODEFER, SA_ONSTACK };

#define FLAGS (1U << sizeof flags / sizeof flags[0])
#define RESTART 1U
#define RESETHAND 2U

/* What the selecting thread does */

enum way { PROBE, CACHE, RESELECT, WITHOUT_TSC, KEEP, WAYS };

UNIT_UNUSED static const char *const way_names[] = { "a first call without a cache",
						     "a first call with a cache", "a reselection",
						     "a first call without the TSC",
						     "a guard that leaves handlers" };

static enum way way;
static const char *cache;

static void on_closed(void) {}

static void keep_handlers(void)
{
	struct guard guard;

	unit_expect(guard_acquire(&guard) == LOCK_TAKEN && guard_install(&guard, GUARD_ALL),
		    "the guard");
	for (size_t s = 0; s < GUARDED; s++)
		guard_keep(COUNTER_SIGNAL(guarded[s]), on_closed);
	guard_release(&guard);
}

/*
 * Where the kernel may close the register of the usual counter, its selection leaves handlers, too.
 * The tests know of them only in the way that is about them. And where a counter faults when it is
 * tried, a handler that another thread sets meanwhile gets that fault. So on such machines, the
 * tests ask for a counter that leaves no handlers. Then those that fault are not tried.
 */
static const char *asked;

static bool a_counter_faults(void)
{
	struct cpucycles_counter counter = { .size = sizeof counter };
	const char *name;

	for (unsigned i = 0; (name = cpucycles_counter_name(i)) != NULL; i++)
		if (!cpucycles_counter_look(name, &counter) && counter.signal_number)
			return true;
	return false;
}

/* In a child, because the first selection is for the test to make. */
static void select_usual(void)
{
	const char *const name = cpucycles_implementation();

	_exit(faults_may_stay(name, SIGSEGV) || faults_may_stay(name, SIGILL) ||
	      a_counter_faults());
}

static void ask_for_counter(void)
{
	if (unit_in_child(select_usual) == 0)
		return;
	asked = "off-core";
	printf("# the usual counter leaves handlers, or a counter faults: %s is asked for\n",
	       asked);
}

static void prepare_way(void)
{
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	if (asked && setenv("CPUCYCLES_COUNTER", asked, 1))
		_exit(99);
	use_cache(way == PROBE || way == KEEP ? "none" : cache);
	if (way == RESELECT)
		cpucycles();
	if (way == WITHOUT_TSC && !forbid_tsc())
		unit_skip_child("RDTSC can't be made fault");
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

/* A handler that another thread sets during the selection gets the faults of a counter that is not
 * there, again and again. */
#define CALLS_MAX 1000
#define FAULTS_FOR_EVER 97 /* exit status */

static void call(enum who who)
{
	if (atomic_fetch_add(&called[who], 1) > CALLS_MAX)
		_exit(FAULTS_FOR_EVER);
}

static void on_before(int sig)
{
	(void)sig;
	call(BEFORE);
}

static void on_set(int sig)
{
	(void)sig;
	call(SET);
}

static void on_momentary(int sig)
{
	(void)sig;
	call(MOMENTARY);
}

static void (*const handlers[])(int) = { on_before, on_set, on_momentary };

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

struct wish {
	struct raw raw;         /* as the kernel holds it */
	struct sigaction shown; /* as libc tells it */
};

/* One for each guarded signal: what the program has set last. */
static struct wish wishes[GUARDED];

static void look(int sig, struct wish *now)
{
	memset(now, 0, sizeof *now);
	syscall(SYS_rt_sigaction, sig, NULL, &now->raw, SIGNALS / 8);
	sigaction(sig, NULL, &now->shown);
}

static bool is_same(const struct wish *a, const struct wish *b)
{
	return !memcmp(&a->raw, &b->raw, sizeof a->raw);
}

/* Set a disposition. The kernel's form is read from another signal, because another thread may
 * change the disposition of this one at any time. */
static void set_wish(size_t s, const struct sigaction *action, struct sigaction *old)
{
	sigaction(guarded[s], action, old);
	sigaction(SIGUSR1, action, NULL);
	look(SIGUSR1, &wishes[s]);
}

static void set_default(size_t s)
{
	struct sigaction action = { .sa_handler = SIG_DFL, .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	set_wish(s, &action, NULL);
}

static void set_ignored(size_t s)
{
	struct sigaction action = { .sa_handler = SIG_IGN, .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	set_wish(s, &action, NULL);
}

static void set_handler(size_t s, enum who who, unsigned bits)
{
	const struct sigaction action = action_of(who, bits);

	set_wish(s, &action, NULL);
}

/* A handler for a moment. The other thread that does this keeps what it found. */

static struct moment {
	struct wish before;
	struct sigaction found;
} moments[GUARDED];

static void begin_moment(size_t s, unsigned bits)
{
	const struct sigaction action = action_of(MOMENTARY, bits);

	moments[s].before = wishes[s];
	set_wish(s, &action, &moments[s].found);
}

/* Whether this handler is the guard's. */
static bool is_guards(void (*handler)(int))
{
	for (size_t i = 0; i < WHOS; i++)
		if (handler == handlers[i])
			return false;
	return handler != SIG_DFL && handler != SIG_IGN;
}

/* Put back what was found. If it is the guard's handler, the program means what it had before.
 * Returns whether it is. */
static bool end_moment(size_t s)
{
	set_wish(s, &moments[s].found, NULL);
	if (!is_guards(moments[s].found.sa_handler))
		return false;
	wishes[s] = moments[s].before;
	return true;
}

/* Checks */

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

/* A thread that sleeps in read(2) */

static int sleepers_pipe[2];
static atomic_int sleeper_id;
static atomic_uint interrupted; /* how often its read ended with EINTR */

static void *sleeper(void *unused)
{
	char byte;

	atomic_store(&sleeper_id, (int)syscall(SYS_gettid));
	while (read(sleepers_pipe[0], &byte, 1) < 0)
		if (errno == EINTR)
			atomic_fetch_add(&interrupted, 1);
	return unused;
}

static void start_sleeper(void)
{
	pthread_t thread;

	unit_expect(!pipe(sleepers_pipe) && !pthread_create(&thread, NULL, sleeper, NULL),
		    "a thread that reads");
	while (!atomic_load(&sleeper_id))
		sched_yield();
}

/* It sleeps nowhere else. */
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
			unit_skip_child("no /proc here, which tells whether a thread sleeps");
		text[length] = 0;
		state = strrchr(text, ')');
		if (state && !strncmp(state, ") S", 3))
			return;
	}
}

/* Send it the signal. Returns whether it notices what it should: its handler runs, and the read
 * goes on only with SA_RESTART. */
static bool wakes_as_told(size_t s)
{
	const bool is_handled = wishes[s].shown.sa_handler == on_before;
	const bool is_restarted = !is_handled || wishes[s].shown.sa_flags & SA_RESTART;

	atomic_store(&called[BEFORE], 0);
	atomic_store(&interrupted, 0);
	syscall(SYS_tgkill, getpid(), atomic_load(&sleeper_id), guarded[s]);
	wait_until_asleep();
	if (is_handled && wishes[s].shown.sa_flags & (int)SA_RESETHAND)
		wishes[s].shown.sa_handler = SIG_DFL;
	return atomic_load(&called[BEFORE]) == is_handled &&
	       atomic_load(&interrupted) == !is_restarted;
}

/* For a group's start: make the folder, a cache in it, and memory that processes share. NULL: it is
 * not to be had. */
static void *prepare_folder(void **state, size_t size)
{
	void *memory;

	if (unit_folder_make(state))
		return NULL;
	cache = make_cache("counters", "");
	ask_for_counter();
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

#endif
