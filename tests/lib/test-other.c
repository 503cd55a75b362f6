/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Counters other than the one in use, with the real library: what they do, and that nothing else
 * notices. Each test runs in a process of its own. */

#include "config.h"

#include "unit.h"
#include "cpucycles.h"
#include "dispositions.h"
#include "faults.h"
#include "made-cache.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 8
/* Fewer under an emulator, where a read of a clock takes long. */
#define READS (unit_is_emulated() ? 2000 : 20000)
#define KEPT_ERRNO 12345

/* Without this option, ThreadSanitizer ends the child of a process with threads. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
	return "die_after_fork=0";
}

typedef long long reader(void);

static struct cpucycles_counter look(const char *name)
{
	struct cpucycles_counter counter = { .size = sizeof counter };

	unit_expect(cpucycles_counter_look(name, &counter) == 0, "a look at each counter");
	return counter;
}

static unsigned count_counters(void)
{
	unsigned n = 0;

	while (cpucycles_counter_name(n))
		n++;
	return n;
}

static void use(const char *name)
{
	if (setenv("CPUCYCLES_CACHE", "none", 1) || setenv("CPUCYCLES_COUNTER", name, 1))
		_exit(99);
	cpucycles_reselect();
	unit_expect(!strcmp(cpucycles_implementation(), name), "the counter is selected");
}

/* What a program can see of the selection, and of its thread. */
struct state {
	reader *pointer;
	const char *implementation, *persecond_source, *source, *status;
	long long persecond, hz, ppm;
	sigset_t mask;
	stack_t stack;
#ifdef RAW_DISPOSITIONS
	struct raw dispositions[SIGNALS];
#endif
};

static struct state take_state(void)
{
	struct state s;

	memset(&s, 0, sizeof s);
	s.pointer = __atomic_load_n(&cpucycles, __ATOMIC_ACQUIRE);
	s.implementation = cpucycles_implementation();
	s.persecond_source = cpucycles_persecond_source();
	s.source = cpucycles_selection_source();
	s.status = cpucycles_cache_status();
	s.persecond = cpucycles_persecond();
	s.hz = cpucycles_hz();
	s.ppm = cpucycles_hz_ppm();
	pthread_sigmask(SIG_SETMASK, NULL, &s.mask);
	sigaltstack(NULL, &s.stack);
#ifdef RAW_DISPOSITIONS
	read_raw(s.dispositions);
#endif
	return s;
}

static void expect_selection(const struct state *before)
{
	const struct state s = take_state();

	unit_expect(s.pointer == before->pointer, "the pointer stays");
	unit_expect(s.implementation == before->implementation && s.source == before->source &&
			    s.status == before->status &&
			    s.persecond_source == before->persecond_source,
		    "the words stay");
	unit_expect(s.persecond == before->persecond && s.hz == before->hz && s.ppm == before->ppm,
		    "the rates stay");
	unit_expect(!memcmp(&s.mask, &before->mask, sizeof s.mask), "the mask stays");
	unit_expect(s.stack.ss_sp == before->stack.ss_sp &&
			    s.stack.ss_flags == before->stack.ss_flags,
		    "the alternate stack stays");
}

static void expect_dispositions(const struct state *before)
{
#ifdef RAW_DISPOSITIONS
	const struct state s = take_state();

	unit_expect(!memcmp(s.dispositions, before->dispositions, sizeof s.dispositions),
		    "each disposition stays, byte for byte");
#else
	(void)before;
#endif
}

static void expect_counting(reader *read)
{
	long long last = read();

	for (int i = 0; i < READS; i++) {
		const long long next = read();

		unit_expect(next >= last, "a counter that is ready never steps back");
		last = next;
	}
}

/* A clock may stand still for some ms. */
static void expect_moving(reader *read)
{
	const long long first = read();
	long i = 0;

	while (read() == first && i < 1000000000)
		i++;
	unit_expect(read() > first, "a counter that is ready counts");
}

static bool is_word(const char *reason)
{
	static const char *const words[] = { "errno",   "signal",    "closed", "absent",
					     "scaling", "decreased", "still",  "last-resort" };
	size_t i = 0;

	while (i < sizeof words / sizeof words[0] && strcmp(reason, words[i]))
		i++;
	return i < sizeof words / sizeof words[0];
}

static void expect_sense(const struct cpucycles_counter *c)
{
	unit_expect(!c->reason || is_word(c->reason), "the reason is one of the header's words");
	unit_expect(c->error >= 0 && c->signal_number >= 0, "numbers are positive");
	unit_expect(!c->signal_number == !(c->reason && !strcmp(c->reason, "signal")),
		    "a signal where it raised one");
	unit_expect(!c->error || !strcmp(c->reason, "errno") || !strcmp(c->reason, "closed"),
		    "an error where a call may have failed");
	unit_expect(!c->reason || strcmp(c->reason, "errno") || c->error, "which one failed");
	unit_expect(c->in_use == !strcmp(c->name, cpucycles_implementation()), "one is in use");
	unit_expect(!c->in_use || c->reason ||
			    (c->hz == cpucycles_hz() && c->hz_ppm == cpucycles_hz_ppm()),
		    "the one in use has its rate");
	unit_expect(c->hz >= 0 && c->hz_ppm >= 0 && (c->hz || !c->hz_ppm), "a rate or none");
	if (!strcmp(c->class_name, "os-clock") && !c->reason)
		unit_expect(c->hz == cpucycles_persecond() && !c->hz_ppm, "clocks are exact");
	if (!strcmp(c->class_name, "on-core") || c->reason)
		unit_expect(c->hz == 0, "the core's own rate changes");
	unit_expect(!strstr(c->name, "perf") == !c->own_thread, "perf events are of a thread");
}

/* Registers that may be closed while the program runs are on the core; a handler stays for them. */
static atomic_bool keeps_handler;

/* Every counter, looked at and made ready. */
static unsigned try_all(void)
{
	const char *name;
	unsigned n = 0;

	for (unsigned i = 0; (name = cpucycles_counter_name(i)) != NULL; i++) {
		const struct cpucycles_counter c = look(name);
		reader *read = NULL;
		int error;

		unit_expect(c.name == name, "it has the name of the list");
		expect_sense(&c);
		error = cpucycles_counter_ready(name, &read);
		unit_expect(error == (c.reason ? -ENOTSUP : 0), "ready if it works");
		unit_expect(!error == (read != NULL), "then there is a reader");
		if (!read)
			continue;
		if (!strcmp(c.class_name, "on-core"))
			atomic_store(&keeps_handler, true);
		expect_counting(read);
		expect_moving(read);
		n++;
	}
	return n;
}

TEST_IN_CHILD(all_counters)
{
	static char stack[65536];
	const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof stack };
	struct state before;
	unsigned ready, fds;

	sigaltstack(&alternate, NULL);
	cpucycles();
	set_dispositions();
	before = take_state();
	fds = unit_open_descriptors();
	for (unsigned i = 0, n = count_counters(); i < n; i++)
		look(cpucycles_counter_name(i));
	expect_selection(&before);
	expect_dispositions(&before);
	unit_expect(unit_open_descriptors() == fds, "a look leaves no descriptor");
	errno = KEPT_ERRNO;
	ready = try_all();
	unit_expect(errno == KEPT_ERRNO, "errno stays");
	unit_expect(ready >= 2, "a clock works everywhere");
	expect_selection(&before);
	if (!keeps_handler)
		expect_dispositions(&before);
}

/* The first call of a process is a look. */
TEST_IN_CHILD(first_call)
{
	const struct cpucycles_counter c = look(cpucycles_counter_name(0));

	expect_sense(&c);
	unit_expect(cpucycles != NULL && *cpucycles_implementation(), "it makes the selection");
}

TEST_IN_CHILD(wrong)
{
	const char *const clock = "default-monotonic";
	static const char *const unknown[] = { NULL, "", "default", "default-monotonic-2" };
	struct cpucycles_counter c = { .size = sizeof c - 1, .error = 17 };
	reader *const same = cpucycles;
	reader *read = same;

	unit_expect(cpucycles_counter_look(clock, &c) == -EINVAL && c.error == 17, "no room");
	c.size = sizeof c;
	unit_expect(!cpucycles_counter_name(1000000), "no such number");
	for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
		unit_expect(cpucycles_counter_look(unknown[i], &c) == -EINVAL && !c.name,
			    "no such counter");
		unit_expect(cpucycles_counter_ready(unknown[i], &read) == -EINVAL && read == same,
			    "none to make ready");
		unit_expect(cpucycles_counter_lost(unknown[i]) == -EINVAL, "none of which to ask");
	}
	unit_expect(cpucycles_counter_ready("default-zero", &read) == -ENOTSUP && read == same,
		    "the last resort counts nothing");
	unit_expect(!strcmp(look("default-zero").reason, "last-resort"), "and that is said");
}

/* A program that was built with a later version of the header. */
TEST_IN_CHILD(later_version)
{
	struct {
		struct cpucycles_counter known;
		char later[32], behind[32];
	} c = { .later = "of a later version", .behind = "not of the structure" };
	const size_t size = (size_t)(c.behind - (char *)&c);

	c.known.size = size;
	unit_expect(cpucycles_counter_look("default-monotonic", &c.known) == 0, "a look");
	unit_expect(c.known.size == size && !strcmp(c.known.name, "default-monotonic"),
		    "what is known is filled in");
	for (size_t i = 0; i < sizeof c.later; i++)
		unit_expect(c.later[i] == 0, "what is not known is 0");
	unit_expect(!strcmp(c.behind, "not of the structure"), "nothing behind it is touched");
	c.known.size = 0x7fff0000;
	unit_expect(cpucycles_counter_look("default-monotonic", &c.known) == -EINVAL,
		    "a size that was never set");
}

static atomic_bool started;

static void *try_in_thread(void *unused)
{
	while (!atomic_load(&started))
		;
	for (int i = 0; i < 10; i++)
		try_all();
	return unused;
}

TEST_IN_CHILD(threads)
{
	struct state before;
	pthread_t threads[THREADS];

	use("default-monotonic");
	before = take_state();
	for (int i = 0; i < THREADS; i++)
		unit_expect(!pthread_create(&threads[i], NULL, try_in_thread, NULL), "a thread");
	atomic_store(&started, true);
	for (int i = 0; i < 1000; i++)
		expect_counting(cpucycles);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	unit_expect(before.pointer == cpucycles, "the pointer stays");
}

TEST_IN_CHILD(forked)
{
	const char *const clock = "default-monotonic";
	reader *read = NULL;
	pid_t child;

	try_all();
	unit_expect(!cpucycles_counter_ready(clock, &read), "a clock is ready");
	child = fork();
	if (child == 0) {
		alarm(UNIT_CHILD_SECONDS / 2);
		expect_counting(read);
		try_all();
		_exit(0);
	}
	unit_expect_child(child, "a child goes on");
	expect_counting(read);
}

static reader *in_handler;
static volatile sig_atomic_t handled;

static void on_signal(int sig)
{
	struct cpucycles_counter c = { .size = sizeof c };
	const int saved = errno;

	(void)sig;
	errno = KEPT_ERRNO;
	unit_expect(cpucycles_counter_look(cpucycles_counter_name((unsigned)handled % 3), &c) == 0,
		    "a look in a handler");
	unit_expect(cpucycles_counter_ready("default-monotonic", &in_handler) == 0,
		    "ready in a handler");
	expect_counting(in_handler);
	unit_expect(errno == KEPT_ERRNO, "errno stays in a handler");
	errno = saved;
	handled++;
}

TEST_IN_CHILD(handlers)
{
	struct sigaction action = { .sa_handler = on_signal };
	reader *read = NULL;

	sigaction(SIGUSR1, &action, NULL);
	unit_expect(!cpucycles_counter_ready("default-monotonic", &read), "a clock is ready");
	for (int i = 0; i < 20; i++) {
		raise(SIGUSR1);
		expect_counting(read);
	}
	unit_expect(handled == 20, "every handler has run");
}

#if defined(SYS_rt_sigaction) && defined(HAVE_LINUX_SECCOMP_H)
TEST_IN_CHILD(sandboxed)
{
	struct cpucycles_counter c;
	reader *clock = NULL;

	cpucycles();
	unit_expect(!cpucycles_counter_ready("default-monotonic", &clock), "a clock");
	if (sandbox(SYS_perf_event_open, SECCOMP_RET_TRAP))
		unit_skip_child("no seccomp here");
	for (unsigned i = 0, n = count_counters(); i < n; i++) {
		c = look(cpucycles_counter_name(i));
		unit_expect(!strstr(c.name, "perf") || c.reason, "perf events are out");
	}
	c = look("default-perfevent");
	unit_expect(!strcmp(c.reason, "signal") && c.signal_number == SIGSYS,
		    "and the signal is told");
	try_all();
	expect_counting(clock);
}

TEST_IN_CHILD(forbidden_handlers)
{
	struct cpucycles_counter c = { .size = sizeof c };
	reader *read = NULL;

	cpucycles();
	if (sandbox(SYS_rt_sigaction, SECCOMP_RET_ERRNO | EPERM))
		unit_skip_child("no seccomp here");
	unit_expect(cpucycles_counter_look("default-monotonic", &c) == -EAGAIN,
		    "nothing is tried without a guard");
	unit_expect(cpucycles_counter_ready("default-monotonic", &read) == -EAGAIN && !read,
		    "nor made ready");
}
#else
TEST_NOT_HERE(sandboxed, "no seccomp here")
TEST_NOT_HERE(forbidden_handlers, "no seccomp here")
#endif

TEST_IN_CHILD(forbidden_tsc)
{
	struct cpucycles_counter c;
	reader *read = NULL;
	const char *tsc;

	use("default-syscall"); /* the sanitizers' malloc executes RDTSC */
	if (!forbid_tsc())
		unit_skip_child("RDTSC cannot be forbidden here");
	tsc = sizeof(long) == 8 ? "amd64-tsc" : "x86-tsc";
	c = look(tsc);
	unit_expect(c.reason && !strcmp(c.reason, "signal") && c.signal_number == SIGSEGV,
		    "RDTSC faults");
	unit_expect(cpucycles_counter_ready(tsc, &read) == -ENOTSUP && !read, "so it is not ready");
	try_all();
}

/* The counter in use is forbidden after the selection. */
TEST_IN_CHILD(forbidden_in_use)
{
	const char *name = sizeof(long) == 8 ? "amd64-tsc" : "x86-tsc";
	struct cpucycles_counter c;
	reader *read = NULL;

#if !defined(__x86_64__) && !defined(__i386__)
	unit_skip_child("RDTSC cannot be forbidden here");
#endif
	use(name);
	c = look(name);
	unit_expect(c.in_use && !c.reason, "the counter in use works");
	if (!forbid_tsc())
		unit_skip_child("RDTSC cannot be forbidden here");
	c = look(name);
	unit_expect(c.in_use && c.reason && !strcmp(c.reason, "signal"), "then it does not");
	unit_expect(cpucycles_counter_ready(name, &read) == -ENOTSUP && !read, "so it is out");
}

/* Whatever is selected later, the readers go on. */
TEST_IN_CHILD(reselected)
{
	static const char *const names[] = { "default-gettimeofday", "default-zero",
					     "default-monotonic", "default-syscall" };
	const unsigned n = count_counters();
	reader *readers[64] = { NULL };

	for (unsigned i = 0; i < n; i++)
		cpucycles_counter_ready(cpucycles_counter_name(i), &readers[i]);
	for (size_t j = 0; j < 20; j++) {
		use(names[j % (sizeof names / sizeof names[0])]);
		for (unsigned i = 0; i < n; i++)
			if (readers[i])
				expect_counting(readers[i]);
	}
}

/* The cache's rate of a counter that is not in use. */
TEST_IN_CHILD(cached_rate)
{
	const char *cache = make_cache("cache", "measured=2345678901,50");
	struct cpucycles_counter in_use, other;
	const char *name;

	use_cache(cache);
	cpucycles();
	if (strcmp(cpucycles_cache_status(), "used") || cpucycles_hz() != 2345678901)
		unit_skip_child("no counter takes its rate from a cache here");
	name = cpucycles_implementation();
	in_use = look(name);
	setenv("CPUCYCLES_COUNTER", "os-clock", 1);
	cpucycles_reselect();
	other = look(name);
	unit_expect(in_use.hz == 2345678901 && in_use.hz_ppm == 50, "the cache's rate");
	unit_expect(in_use.in_use && !other.in_use, "another counter is in use");
	unit_expect(other.hz == in_use.hz && other.hz_ppm == in_use.hz_ppm, "the same rate");
}

UNIT_MAIN("other", unit_folder_make, unit_folder_remove)
