/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Meters on the counters of this machine. Nobody knows its load and its speed, so what is asserted
 * of times is what a busy machine does, too, and is tried again. */

#include "config.h"

#include "unit.h"
#include "affinity.h"
#include "busy.h"
#include "chain.h"
#include "cpucycles-measure.h"
#include "cpucycles.h"
#include "faults.h"
#include "reasons.h"
#include "statistics.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <sys/time.h>

#ifdef HAVE_SYS_SINGLE_THREADED_H
#include <sys/single_threaded.h>
#endif

#define TRIES 20
#define DOUBLED 8 /* so often the time for a try is doubled */
#define SHORT_NS 10000000u

/* In an emulator of instructions, an empty pair takes as long as a thousand of them, but not the
 * same each time. So the works are longer. */
static void chain_short(void *unused)
{
	(void)unused;
	chain_run(10);
}

static void chain_long(void *unused)
{
	(void)unused;
	chain_run(30);
}

static const struct cpucycles_work chains[] = { CPUCYCLES_WORK("10,000", chain_short, NULL),
						CPUCYCLES_WORK("30,000", chain_long, NULL) };

static const struct cpucycles_plan brief = { .size = sizeof brief, .budget_ns = SHORT_NS };

/* A meter that takes whatever there is. */
static struct cpucycles_meter *open_any(void)
{
	REASON(reason);
	struct cpucycles_meter_options options = { .size = sizeof options, .samples_max = 20000 };
	struct cpucycles_meter *meter;

	if (!cpucycles_meter_open(&meter, &options, &reason))
		return meter;
	printf("# open: %s; %s\n", reason.what, reason.remedy);
	return NULL;
}

/* The long chain takes about three times as long as the short one, and is said to be slower. */
static bool is_linear(struct cpucycles_meter *meter)
{
	REASON(reason);
	struct cpucycles_verdict v = { .size = sizeof v };

	struct cpucycles_plan plan = brief;

	/* Among many busy threads, a short budget may pass before the first block. */
	for (int i = 0; i < TRIES; i++, plan.budget_ns *= i < DOUBLED ? 2 : 1) {
		const int error = cpucycles_meter_run(meter, chains, 2, &plan, &reason);

		if (error || cpucycles_meter_verdict(meter, 1, &v)) {
			printf("# run: %d: %s\n", error, reason.what);
			continue;
		}
		if (v.verdict == CPUCYCLES_VERDICT_SLOWER && v.ratio > 2.5 && v.ratio < 3.5)
			return true;
		printf("# verdict %d, ratio %g within %g and %g\n", v.verdict, v.ratio, v.low,
		       v.high);
	}
	return false;
}

TEST(linear)
{
	struct cpucycles_meter *meter = open_any();

	assert_non_null(meter);
	assert_true(is_linear(meter));
	cpucycles_meter_close(meter);
}

/* Long enough that another program often gets the CPU meanwhile. */
static void chain_interrupted(void *unused)
{
	(void)unused;
	chain_run(7000);
}

/* How many times as long as the fastest sample the longest one takes, or, with `middle`, the middle
 * one of those that were interrupted, if these are the longest. Not a number: the counter stops
 * while another program runs, or no chain tells which samples are long. */
static double times_fastest(bool middle)
{
	const struct cpucycles_plan plan = { .size = sizeof plan,
					     .budget_ns = 2000000000,
					     .flags = CPUCYCLES_PLAN_WHOLE };
	/* Two, because a comparison has two places in a round. */
	const struct cpucycles_work works[] = {
		CPUCYCLES_WORK("long", chain_interrupted, NULL),
		CPUCYCLES_WORK("long", chain_interrupted, NULL),
	};
	struct cpucycles_result r = { .size = sizeof r };
	struct cpucycles_meter *meter = open_any();
	const double *samples;
	double *sorted, times, part;
	size_t n;

	unit_expect(meter != NULL, "a meter is opened");
	unit_expect(!cpucycles_meter_run(meter, works, 2, &plan, NULL), "it measures");
	unit_expect(!cpucycles_meter_result(meter, 0, &r), "it has a result");
	unit_expect(!cpucycles_meter_samples(meter, 0, &samples, &n), "it has samples");
	sorted = malloc(n * sizeof *sorted);
	memcpy(sorted, samples, n * sizeof *sorted);
	statistics_sort(sorted, n);
	part = middle ? 1 - (double)r.cycles_interrupted / 2 / (double)n : 1;
	times = statistics_quantile(sorted, n, part) / sorted[0];
	printf("# %zu samples, %llu interrupted, %g %% take at most %.3g times the fastest\n", n,
	       (unsigned long long)r.cycles_interrupted, part * 100, times);
	if (r.cycles_from == CPUCYCLES_CYCLES_COUNTER ||
	    r.cycles_from == CPUCYCLES_CYCLES_NO_CHAIN || r.cycles_from == CPUCYCLES_CYCLES_COARSE)
		times = NAN;
	else if (r.cycles_from == CPUCYCLES_CYCLES_CHAIN)
		unit_expect(r.cycles_interrupted > 0, "some samples are interrupted");
	free(sorted);
	cpucycles_meter_close(meter);
	return times;
}

/* One of RUNS runs has to show it: the host of a virtual machine may take the CPU during most
 * samples of a run, of which the kernel here knows nothing. */
#define RUNS 3

static void interrupted_alone(void)
{
	int left = RUNS;
	double times;

#ifdef HAVE_SYS_SINGLE_THREADED_H
	if (!__libc_single_threaded)
		unit_skip_child("this process has another thread: that of a sanitizer");
#endif
	do
		times = times_fastest(true);
	while (times >= 1.5 && --left > 0);
	unit_expect(!(times >= 1.5), "the time of another program does not count");
}

static void interrupted_with_child(void)
{
	pid_t child;

	busy_begin(&child, 1);
	unit_expect(!(times_fastest(false) <= 1.5), "the time of a child may be the work's");
	busy_end(&child, 1);
}

static void *sleep_on(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void interrupted_with_thread(void)
{
	pthread_t thread;

	unit_expect(!pthread_create(&thread, NULL, sleep_on, NULL), "a thread begins");
	unit_expect(!(times_fastest(false) <= 1.5), "the time of a thread may be the work's");
}

/* Another program has the CPU for some milliseconds during every few samples. */
TEST(interrupted_samples)
{
	static void (*const cases[])(void) = {
		interrupted_alone,
		interrupted_with_child,
		interrupted_with_thread,
	};
	int statuses[sizeof cases / sizeof *cases];
	pid_t other;

#ifndef HAVE_SYS_SINGLE_THREADED_H
	unit_skip("this libc does not tell how many threads there are");
#endif
	if (unit_is_emulated())
		unit_skip("an emulator waits for threads of its own");
	affinity_save();
	if (!affinity_pin_here())
		unit_skip("this process may not choose its CPU");
	busy_begin(&other, 1);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		statuses[i] = unit_in_child(cases[i]);
	busy_end(&other, 1);
	affinity_restore();
	unit_skip_with(statuses[0]);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_int_equal(statuses[i], 0);
}

/* What a program's other parts see of a meter: nothing. */
TEST(unnoticed)
{
	const char *name = cpucycles_implementation();
	long long (*const read)(void) = cpucycles;
	const long long hz = cpucycles_hz(), persecond = cpucycles_persecond();
	struct cpucycles_meter_options options = { .size = sizeof options,
						   .flags = CPUCYCLES_METER_NEXT_BEST };
	long long last = cpucycles();

	for (options.need = 0; options.need <= CPUCYCLES_NEED_THREAD; options.need++) {
		struct cpucycles_meter *meter, *second;

		assert_int_equal(cpucycles_meter_open(&meter, &options, NULL), 0);
		assert_true(cpucycles() >= last);
		last = cpucycles();
		assert_int_equal(cpucycles_meter_open(&second, &options, NULL), 0);
		assert_true(is_linear(second));
		assert_true(is_linear(meter));
		cpucycles_meter_close(second);
		assert_true(is_linear(meter));
		cpucycles_meter_close(meter);
	}
	assert_ptr_equal(cpucycles, read);
	assert_ptr_equal(cpucycles_implementation(), name);
	assert_int_equal(cpucycles_hz(), hz);
	assert_int_equal(cpucycles_persecond(), persecond);
	assert_true(cpucycles() >= last);
}

/* A need is fulfilled, or refused with a sentence; with next_best it is never refused. False: it
 * was refused and is fulfilled now, because each opening measures the step anew. */
static bool is_answered(int need)
{
	struct cpucycles_meter_options options = { .size = sizeof options, .need = need };
	REASON(reason);
	struct cpucycles_counter_info info = { .size = sizeof info };
	struct cpucycles_meter *meter;
	const int error = cpucycles_meter_open(&meter, &options, &reason);

	printf("# need %d: %d: %s; %s\n", need, error, reason.what, reason.remedy);
	if (error) {
		assert_int_equal(error, -ENOTSUP);
		assert_true(reason.what[0] && reason.remedy[0]);
		options.flags = CPUCYCLES_METER_NEXT_BEST;
		assert_int_equal(cpucycles_meter_open(&meter, &options, &reason), 0);
	}
	assert_int_equal(cpucycles_meter_info(meter, &info), 0);
	cpucycles_meter_close(meter);
	assert_true(error || !info.next_best);
	if (!error && need >= CPUCYCLES_NEED_CYCLES)
		assert_int_equal(info.unit, CPUCYCLES_UNIT_CYCLES);
	if (info.next_best)
		assert_true(reason.what[0]);
	return info.next_best == !!error;
}

TEST(needs)
{
	for (int need = 0; need <= CPUCYCLES_NEED_THREAD; need++) {
		int tries = 1;

		while (!is_answered(need))
			assert_true(tries++ < TRIES);
	}
}

/* Begin and end in a program's own loop. */
TEST(pairs)
{
	struct cpucycles_meter *meter = open_any();
	int64_t shortest[2] = { INT64_MAX, INT64_MAX };

	assert_non_null(meter);
	for (int i = 0; i < 2000; i++) {
		const int64_t begin = cpucycles_meter_now(meter);
		int64_t took;

		chain_run(i % 2 ? 30 : 10);
		took = cpucycles_meter_now(meter) - begin;
		assert_true(took >= 0);
		shortest[i % 2] = took < shortest[i % 2] ? took : shortest[i % 2];
	}
	printf("# 10 chains: %lld, 30 chains: %lld\n", (long long)shortest[0],
	       (long long)shortest[1]);
	assert_true(shortest[1] > shortest[0]);
	assert_int_equal(cpucycles_meter_lost(meter), 0);
	cpucycles_meter_close(meter);
}

/* Threads */

#define THREADS 8

static void *measure_in_thread(void *good)
{
	struct cpucycles_meter *meter = open_any();

	*(bool *)good = meter && is_linear(meter);
	cpucycles_meter_close(meter);
	return NULL;
}

TEST(threads)
{
	pthread_t thread[THREADS];
	bool good[THREADS] = { false };

	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, measure_in_thread, &good[i]), 0);
	for (int i = 0; i < THREADS; i++) {
		assert_int_equal(pthread_join(thread[i], NULL), 0);
		assert_true(good[i]);
	}
}

static void measure_in_child(void)
{
	struct cpucycles_meter *meter = open_any();

	unit_expect(meter != NULL, "a meter is opened");
	unit_expect(is_linear(meter), "the long chain takes three times as long as the short one");
	cpucycles_meter_close(meter);
}

TEST(children)
{
	struct cpucycles_meter *meter = open_any();

	assert_non_null(meter);
	assert_int_equal(unit_in_child(measure_in_child), 0);
	assert_true(is_linear(meter));
	cpucycles_meter_close(meter);
}

/* Signals */

static volatile sig_atomic_t alarms;

static void count_alarm(int sig)
{
	(void)sig;
	alarms++;
	cpucycles();
}

TEST(signals)
{
	const struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { 0 };
	const struct sigaction action = { .sa_handler = count_alarm, .sa_flags = SA_RESTART };
	struct cpucycles_meter *meter;

	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
	meter = open_any();
	assert_non_null(meter);
	assert_true(is_linear(meter));
	setitimer(ITIMER_REAL, &never, NULL);
	assert_true(alarms > 0);
	cpucycles_meter_close(meter);
}

/* CPUs */

#ifdef HAVE_SCHED_SETAFFINITY
static int places[2];

static bool stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	return !sched_setaffinity(0, sizeof set, &set);
}

static void move(void *calls)
{
	stay_on(places[(*(int *)calls)++ % 2]);
}

static uint64_t warnings_after(const struct cpucycles_work *work)
{
	struct cpucycles_meter *meter = open_any();
	struct cpucycles_result r = { .size = sizeof r };
	REASON(reason);

	assert_non_null(meter);
	assert_int_equal(cpucycles_meter_run(meter, work, 1, &brief, NULL), 0);
	assert_int_equal(cpucycles_meter_result(meter, 0, &r), 0);
	if (r.warnings & CPUCYCLES_WARNING_MOVED) {
		assert_int_equal(cpucycles_meter_warning(meter, 0, CPUCYCLES_WARNING_MOVED,
							 &reason),
				 0);
		printf("# %s\n", reason.what);
	}
	cpucycles_meter_close(meter);
	return r.warnings;
}

TEST(moving)
{
	int calls = 0, n = 0;
	const struct cpucycles_work mover = CPUCYCLES_WORK("mover", move, &calls);
	cpu_set_t before;

	assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
	for (int cpu = 0; cpu < CPU_SETSIZE && n < 2; cpu++)
		if (CPU_ISSET((size_t)cpu, &before))
			places[n++] = cpu;
	if (n < 2 || !stay_on(places[0]))
		unit_skip("this process may run on one CPU only");
	assert_int_equal(warnings_after(&chains[0]) & CPUCYCLES_WARNING_MOVED, 0);
	assert_int_equal(warnings_after(&mover) & CPUCYCLES_WARNING_MOVED, CPUCYCLES_WARNING_MOVED);
	sched_setaffinity(0, sizeof before, &before);
}
#else
TEST_NOT_HERE(moving, "this system has no sched_setaffinity()")
#endif

/* Sandboxes: a meter measures, or is refused with a sentence. */

static void measure_or_refuse(void)
{
	REASON(reason);
	struct cpucycles_meter_options options = { .size = sizeof options };

	for (options.need = 0; options.need <= CPUCYCLES_NEED_THREAD; options.need++) {
		struct cpucycles_meter *meter;
		const int error = cpucycles_meter_open(&meter, &options, &reason);

		printf("# need %d: %d: %s; %s\n", options.need, error, reason.what, reason.remedy);
		if (error) {
			unit_expect(error == -ENOTSUP && reason.what[0] && reason.remedy[0],
				    "a refusal with a sentence");
			continue;
		}
		unit_expect(is_linear(meter),
			    "the long chain takes three times as long as the short one");
		cpucycles_meter_close(meter);
	}
}

TEST_IN_CHILD(no_tsc)
{
	if (!forbid_tsc())
		unit_skip_child("RDTSC cannot be made to fault here");
	measure_or_refuse();
}

static void without_descriptors(void)
{
	unit_expect(!setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 0, 0 }), "a limit is set");
	measure_or_refuse();
}

static void blocked(void)
{
	sigset_t all;

	sigfillset(&all);
	sigdelset(&all, SIGALRM);
	unit_expect(!sigprocmask(SIG_SETMASK, &all, NULL), "all signals are blocked");
	measure_or_refuse();
}

#ifdef HAVE_LINUX_PERF_EVENT_H
static void in_sandbox(unsigned answer)
{
	if (sandbox(SYS_perf_event_open, answer))
		unit_skip_child("there is no seccomp here");
	measure_or_refuse();
}

static void with_eperm(void)
{
	in_sandbox(SECCOMP_RET_ERRNO | EPERM);
}

static void with_enosys(void)
{
	in_sandbox(SECCOMP_RET_ERRNO | ENOSYS);
}

static void with_sigsys(void)
{
	in_sandbox(SECCOMP_RET_TRAP);
}
#endif

TEST(sandboxes)
{
	static void (*const cases[])(void) = {
		without_descriptors, blocked,
#ifdef HAVE_LINUX_PERF_EVENT_H
		with_eperm,          with_enosys, with_sigsys,
#endif
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const int status = unit_in_child(cases[i]);

		if (!unit_child_skipped(status))
			assert_int_equal(status, 0);
	}
}

#ifdef HAVE_LINUX_SECCOMP_H
/* From now on, each system call but the one that ends the process ends it by a signal. */
static int forbid_all(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL),
	};

	return install_filter(filter, N(filter));
}

#define READS 1000

/* Opens a meter, and lets it make no system call from here on. */
static struct cpucycles_meter *open_and_forbid(void)
{
	struct cpucycles_meter *const meter = open_any();

	if (!meter)
		unit_skip_child("there is no counter");
	cpucycles_meter_now(meter);
	fflush(stdout);
	if (forbid_all())
		unit_skip_child("there is no seccomp here");
	return meter;
}

static void read_only_counter(void)
{
	struct cpucycles_meter *const meter = open_and_forbid();

	for (int i = 0; i < READS; i++)
		cpucycles_meter_now(meter);
}

static void read_all(void)
{
	struct cpucycles_counter_info info = { .size = sizeof info };
	struct cpucycles_moment moment = { .size = sizeof moment };
	struct cpucycles_result result = { .size = sizeof result };
	struct cpucycles_meter *const meter = open_and_forbid();

	for (int i = 0; i < READS; i++)
		if (cpucycles_meter_counts(meter, NULL, 0) ||
		    cpucycles_meter_counts_at(meter, NULL, 0, &moment) ||
		    cpucycles_meter_info(meter, &info) ||
		    cpucycles_meter_result(meter, 0, &result) != -ENODATA)
			_exit(1);
}

/* Whoever owns the meter is known without a call of the system, which would be in the time between
 * two reads. */
TEST(reads_without_system_calls)
{
	int status = unit_in_child(read_only_counter);

	unit_skip_with(status);
	if (status)
		unit_skip("this machine's counter is itself read by a system call");
	assert_int_equal(unit_in_child(read_all), 0);
}
#endif

/* A stack as cpucycles-measure(3) asks for: half of it is enough. */
#define SMALL_STACK 32768
#define TAKEN_STACK (SMALL_STACK / 2)
#define PAINT 0xa5

static void do_nothing(const unsigned char *input, void *unused)
{
	(void)input, (void)unused;
}

/* Whatever takes stack. Where no counter is there, to open takes what it takes. */
static void *use_meter(void *file)
{
	const struct cpucycles_leak leak = { .size = sizeof leak, .call = do_nothing, .bytes = 1 };
	struct cpucycles_meter_options options = {
		.size = sizeof options,
		.works_max = 2,
		.samples_max = 1000,
		.events = "page-faults,instructions",
	};
	struct cpucycles_meter *meter;

	if (!file || cpucycles_meter_open(&meter, &options, NULL))
		return NULL;
	cpucycles_meter_run(meter, chains, 2, &brief, NULL);
	cpucycles_leak_run(meter, &leak, &brief, NULL);
	cpucycles_meter_close(meter);
	cpucycles_measure_print(file, chains, 2, &brief);
	return NULL;
}

/* How much of a painted stack a thread takes that runs this with a file, or with NULL. */
static size_t stack_of(void *file)
{
	static _Alignas(4096) unsigned char stack[1 << 20];
	pthread_attr_t attr;
	pthread_t thread;
	size_t clean = 0;

	memset(stack, PAINT, sizeof stack);
	pthread_attr_init(&attr);
	if (pthread_attr_setstack(&attr, stack, sizeof stack))
		unit_skip("no thread on a stack of one's own");
	assert_int_equal(pthread_create(&thread, &attr, use_meter, file), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	while (clean < sizeof stack && stack[clean] == PAINT)
		clean++;
	return sizeof stack - clean;
}

TEST(small_stack)
{
	FILE *file = tmpfile();
	size_t all, empty;

	if (SANITIZED)
		unit_skip("a sanitizer's frames are larger");
#if !defined(__OPTIMIZE__)
	unit_skip("without optimization, frames are larger");
#endif
	assert_non_null(file);
	empty = stack_of(NULL);
	all = stack_of(file);
	fclose(file);
	printf("# of the stack: %zu bytes, of which %zu are the thread's own\n", all, empty);
	assert_true(all - empty <= TAKEN_STACK);
}

UNIT_MAIN("native", NULL, NULL)
