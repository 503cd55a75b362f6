/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* events_run: software=exact breakpoint=exact tsc=counts sysfs=counts
 *
 * Events of this machine, as a program counts them with a meter. Whether the kernel counts at all
 * is found out without the library: only then may a test be skipped. */

#include "config.h"

#include "unit.h"

#ifdef HAVE_LINUX_PERF_EVENT_H

#include "chain.h"
#include "events/check.h"
#include "events/list.h"
#include "faults.h"
#include "judge.h"
#include "meter.h"
#include "reason.h"
#include "tsc.h"
#include "reasons.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <math.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>

/* Counts are exact unless the machine is short of memory, or interrupts the library in the wrong
 * place. Neither lasts. */
#define TRIES 20

/* Since Linux 5.8; older headers do not have it. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

#define PAGES 16
#define SAMPLES 50
#define CALLS 12345

/* What the kernel counts */

static int open_raw(const struct perf_event_attr *attr)
{
	return (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* 0, or a negative errno: the kernel refuses this event. */
static int ask_kernel(uint32_t type, uint64_t config, bool user, bool kernel)
{
	const struct perf_event_attr attr = {
		.type = type,
		.size = sizeof attr,
		.config = config,
		.exclude_user = !user,
		.exclude_kernel = !kernel,
		.exclude_hv = !kernel,
	};
	const int fd = open_raw(&attr);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int ask_for_page_faults(bool user, bool kernel)
{
	return ask_kernel(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, user, kernel);
}

static void need_page_faults(void)
{
	if (ask_for_page_faults(true, false))
		unit_skip("the kernel lets nobody count events here");
}

static void need_kernel(void)
{
	need_page_faults();
	if (ask_for_page_faults(false, true))
		unit_skip("this user may not count what happens in the kernel");
}

/* Works */

static volatile unsigned char *fresh; /* pages that are thrown away again and again */
static size_t page_size;

static int make_pages(UNIT_UNUSED void **state)
{
	void *memory;

	page_size = (size_t)sysconf(_SC_PAGESIZE);
	memory = mmap(NULL, PAGES * page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	if (memory == MAP_FAILED)
		return -1;
#if HAVE_DECL_MADV_NOHUGEPAGE
	madvise(memory, PAGES * page_size, MADV_NOHUGEPAGE);
#endif
	fresh = memory;
	return 0;
}

/* A sanitizer would touch pages of its own beside each. */
UNSANITIZED static void touch(void *pages)
{
	madvise((void *)(uintptr_t)fresh, PAGES * page_size, MADV_DONTNEED);
	for (size_t i = 0; i < *(const size_t *)pages; i++)
		fresh[i * page_size] = 1;
}

static size_t all_pages = PAGES, some_pages = PAGES / 4;

static const struct cpucycles_work touching[] = { CPUCYCLES_WORK("all", touch, &all_pages),
						  CPUCYCLES_WORK("some", touch, &some_pages) };

static void sleep_twice(void *unused)
{
	const struct timespec brief = { .tv_nsec = 200000 };

	(void)unused;
	nanosleep(&brief, NULL);
	nanosleep(&brief, NULL);
}

/* Meters */

static struct cpucycles_meter *try_to_open(const char *events, unsigned flags)
{
	const struct cpucycles_meter_options options = {
		.size = sizeof options,
		.flags = flags,
		.samples_max = SAMPLES,
		.events = events,
	};
	REASON(reason);
	struct cpucycles_meter *meter;

	if (!cpucycles_meter_open(&meter, &options, &reason))
		return meter;
	printf("# open: %s; %s\n", reason.what, reason.remedy);
	return NULL;
}

static struct cpucycles_meter *open_meter(const char *events)
{
	struct cpucycles_meter *meter = try_to_open(events, 0);

	assert_non_null(meter);
	return meter;
}

/* The budget is for slow machines: all samples are taken long before. */
/* Why the last run failed. */
static char why_what[REASON_ROOM], why_remedy[REASON_ROOM];
static struct cpucycles_reason why_not = CPUCYCLES_REASON(why_what, why_remedy);

static int try_to_run(struct cpucycles_meter *meter, const struct cpucycles_work works[], size_t n)
{
	const struct cpucycles_plan plan = { .size = sizeof plan, .budget_ns = 10000000000 };
	const int error = cpucycles_meter_run(meter, works, n, &plan, &why_not);

	if (error)
		printf("# run: %s; %s\n", why_not.what, why_not.remedy);
	return error;
}

static void run_works(struct cpucycles_meter *meter, const struct cpucycles_work works[], size_t n)
{
	assert_int_equal(try_to_run(meter, works, n), 0);
}

/* Why an event is not counted. */
static int error_of(const struct cpucycles_meter *meter, size_t event,
		    struct cpucycles_reason *reason)
{
	struct cpucycles_event_info info = { .size = sizeof info };
	const int error = cpucycles_meter_event_info(meter, event, &info, reason);

	printf("# %d: %s; %s\n", error, reason->what, reason->remedy);
	return error;
}

static struct cpucycles_event_info info_of(const struct cpucycles_meter *meter, size_t event)
{
	struct cpucycles_event_info info = { .size = sizeof info };
	REASON(reason);
	const int error = cpucycles_meter_event_info(meter, event, &info, &reason);

	if (error)
		printf("# %d: %s; %s\n", error, reason.what, reason.remedy);
	assert_int_equal(error, 0);
	assert_string_equal(reason.what, "");
	return info;
}

static double per_call(const struct cpucycles_meter *meter, size_t work, size_t event)
{
	double count = NAN;

	assert_int_equal(cpucycles_meter_event(meter, work, event, &count), 0);
	return count;
}

static uint64_t count_now(struct cpucycles_meter *meter)
{
	uint64_t count = UINT64_MAX;

	assert_int_equal(cpucycles_meter_counts(meter, &count, 1), 0);
	return count;
}

/* Whether all works have touched this many pages, and no event has counted another number. */
static bool have_touched(const struct cpucycles_meter *meter, size_t events, size_t works)
{
	static const double expected[] = { PAGES, PAGES / 4 };
	bool exact = true;

	for (size_t work = 0; work < works; work++)
		for (size_t event = 0; event < events; event++) {
			const double count = per_call(meter, work, event);

			if (count == expected[work])
				continue;
			printf("# work %zu, event %zu: %g per call\n", work, event, count);
			exact = false;
		}
	return exact;
}

/* All events of the meter are page faults. */
static void expect_touches(struct cpucycles_meter *meter, size_t events, size_t works)
{
	int tries = 0;

	do {
		assert_true(tries++ < TRIES);
		run_works(meter, touching, works);
	} while (!have_touched(meter, events, works));
}

/* Page faults */

static struct event_group *open_group(const struct event *const events[], size_t n)
{
	struct event_group *group = calloc(1, event_group_bytes());
	struct reason_text reason;
	size_t which;

	assert_non_null(group);
	if (event_group_open(group, events, n, &which, &reason)) {
		printf("# %s\n", reason.what);
		fail();
	}
	return group;
}

static struct event resolve(const char *name)
{
	struct reason_text reason;
	struct event event = { .n = 0 };

	assert_int_equal(event_parse(name, strlen(name), &event.ask, &reason), 0);
	assert_int_equal(event_resolve(&event, &reason), 0);
	return event;
}

/* The library's own known work has exactly 64, all of them in user mode. */
static void faults_of_known_work(const char *const names[], const double expected[], size_t n)
{
	struct event events[3];
	const struct event *members[3];
	struct event_finding f[3];
	struct event_group *group;
	struct known known;
	bool exact = false;

	for (size_t i = 0; i < n; i++) {
		events[i] = resolve(names[i]);
		members[i] = &events[i];
	}
	group = open_group(members, n);
	assert_int_equal(known_open(&known), 0);
	for (int tries = 0; !exact && tries < TRIES; tries++) {
		assert_int_equal(event_check_works(group, members, n, &known, f), 0);
		exact = true;
		for (size_t i = 0; i < n; i++) {
			printf("# %s: %g of %g\n", names[i], f[i].counted, expected[i]);
			exact &= f[i].counted == expected[i];
		}
	}
	known_close(&known);
	event_group_close(group);
	free(group);
	assert_true(exact);
}

TEST(known_faults_in_user_mode)
{
	static const char *const names[] = { "page-faults:u", "minor-faults", "faults" };
	static const double expected[] = { KNOWN_PAGES_N, KNOWN_PAGES_N, KNOWN_PAGES_N };

	need_page_faults();
	faults_of_known_work(names, expected, 3);
}

TEST(known_faults_by_mode)
{
	static const char *const names[] = { "page-faults:u", "page-faults:k", "page-faults:uk" };
	static const double expected[] = { KNOWN_PAGES_N, 0, KNOWN_PAGES_N };

	need_kernel();
	faults_of_known_work(names, expected, 3);
}

TEST(faults_per_call)
{
	struct cpucycles_meter *meter;
	struct cpucycles_event_info info;
	double count = 7;

	need_page_faults();
	meter = open_meter("page-faults,minor-faults:u");
	info = info_of(meter, 0);
	assert_string_equal(info.name, "page-faults");
	assert_true(info.user && !info.kernel && info.checked && !info.user_mode);
	assert_string_equal(info_of(meter, 1).name, "minor-faults:u");
	assert_int_not_equal(cpucycles_meter_event(meter, 0, 0, &count), 0); /* nothing was run */
	expect_touches(meter, 2, 1);
	assert_int_equal(cpucycles_meter_event_info(meter, 2, &info, NULL), -EINVAL);
	assert_int_equal(cpucycles_meter_event(meter, 0, 2, &count), -EINVAL);
	assert_int_equal(cpucycles_meter_event(meter, 1, 0, &count), -EINVAL);
	assert_true(count == 7);
	cpucycles_meter_close(meter);
}

/* Each event has its own place, also behind one that is not counted. */
TEST(counts_in_order)
{
	uint64_t before[3] = { 7, 7, 7 }, after[3] = { 8, 8, 8 };
	struct cpucycles_meter *meter;

	need_page_faults();
	meter = open_meter("emulation-faults,no-such-event,page-faults");
	assert_int_equal(cpucycles_meter_counts(meter, before, 3), 0);
	touch(&all_pages);
	assert_int_equal(cpucycles_meter_counts(meter, after, 3), 0);
	assert_int_equal(after[0] - before[0], 0);
	assert_true(before[1] == 7 && after[1] == 8);
	assert_true(after[2] - before[2] >= PAGES);
	cpucycles_meter_close(meter);
}

/* A clock and the time-stamp counter may be of another CPU each time: Linux sets them alike. */
TEST(counts_with_their_moment)
{
	struct cpucycles_moment first = CPUCYCLES_MOMENT_INITIALIZER, second = first;
	uint64_t before[3] = { 7, 7, 7 }, after[3] = { 8, 8, 8 };
	struct cpucycles_meter *meter;
	int64_t early, late;
	uint64_t tsc;

	need_page_faults();
	meter = open_meter("page-faults,no-such-event,minor-faults");
	tsc = (uint64_t)tsc_read();
	early = cpucycles_meter_now(meter);
	assert_int_equal(cpucycles_meter_counts_at(meter, before, 3, &first), 0);
	touch(&all_pages);
	assert_int_equal(cpucycles_meter_counts_at(meter, after, 3, &second), 0);
	late = cpucycles_meter_now(meter);
	assert_true(early <= first.count && first.within >= 0 && second.within >= 0);
	assert_true(first.count + first.within <= second.count);
	assert_true(second.count + second.within <= late && first.count < late);
	if (TSC_IS_HERE)
		assert_true(tsc <= first.tsc && first.tsc < second.tsc &&
			    second.tsc <= (uint64_t)tsc_read());
	else
		assert_true(first.tsc == 0 && second.tsc == 0);
	if (meter->source.is_tsc)
		assert_true((uint64_t)first.count == first.tsc);
	assert_true(after[0] - before[0] >= PAGES && after[2] - before[2] >= PAGES);
	assert_true(before[1] == 7 && after[1] == 8);
	assert_int_equal(cpucycles_meter_lost(meter), 0);
	cpucycles_meter_close(meter);
}

/* Programs that were built with a longer structure, and those that set no size. */
TEST(moments_of_other_sizes)
{
	struct {
		struct cpucycles_moment moment;
		uint64_t more;
	} later = { .moment.size = sizeof later, .more = 7 };
	struct cpucycles_meter *meter;

	need_page_faults();
	meter = open_meter("page-faults");
	assert_int_equal(cpucycles_meter_counts_at(meter, NULL, 0, &later.moment), 0);
	assert_true(later.moment.count > 0 && later.more == 0);
	assert_int_equal(later.moment.size, sizeof later);
	later.moment.size = 0;
	later.moment.count = -7;
	assert_int_equal(cpucycles_meter_counts_at(meter, NULL, 0, &later.moment), -EINVAL);
	assert_true(later.moment.count == -7);
	cpucycles_meter_close(meter);
}

TEST(faults_by_mode)
{
	struct cpucycles_meter *meter;
	bool exact = false;

	need_kernel();
	meter = open_meter("page-faults:u,page-faults:k,page-faults:uk");
	for (size_t i = 0; i < 3; i++) {
		const struct cpucycles_event_info info = info_of(meter, i);

		assert_int_equal(info.user, i != 1);
		assert_int_equal(info.kernel, i != 0);
	}
	for (int tries = 0; !exact && tries < TRIES; tries++) {
		run_works(meter, touching, 1);
		exact = per_call(meter, 0, 0) == PAGES && per_call(meter, 0, 1) == 0 &&
			per_call(meter, 0, 2) == PAGES;
	}
	assert_true(exact);
	cpucycles_meter_close(meter);
}

TEST(faults_of_two_functions)
{
	struct cpucycles_verdict verdict = { .size = sizeof verdict };
	struct cpucycles_meter *meter;

	need_page_faults();
	meter = open_meter("page-faults");
	expect_touches(meter, 1, 2);
	assert_int_equal(cpucycles_meter_verdict(meter, 1, &verdict), 0);
	/* A run of one function forgets the other. */
	expect_touches(meter, 1, 1);
	assert_int_equal(cpucycles_meter_event(meter, 1, 0, &(double){ 0 }), -EINVAL);
	cpucycles_meter_close(meter);
}

TEST(two_meters)
{
	struct cpucycles_meter *first, *second;

	need_page_faults();
	first = open_meter("page-faults");
	second = open_meter("minor-faults,page-faults");
	expect_touches(second, 2, 1);
	expect_touches(first, 1, 2);
	expect_touches(second, 2, 2);
	cpucycles_meter_close(second);
	expect_touches(first, 1, 1);
	cpucycles_meter_close(first);
}

#define SIXTEEN \
	"page-faults,page-faults,page-faults,page-faults,page-faults,page-faults,page-faults," \
	"page-faults,page-faults,page-faults,page-faults,page-faults,page-faults,page-faults," \
	"page-faults,page-faults"

TEST(many)
{
	const struct cpucycles_meter_options options = { .size = sizeof options,
							 .events = SIXTEEN ",page-faults" };
	REASON(reason);
	struct cpucycles_meter *meter;

	assert_int_equal(cpucycles_meter_open(&meter, &options, &reason), -EINVAL);
	assert_null(meter);
	assert_string_equal(reason.what, "more than 16 events");
	need_page_faults();
	meter = open_meter(SIXTEEN);
	expect_touches(meter, EVENTS_MAX, 1);
	cpucycles_meter_close(meter);
}

/* A signal's handler runs in the thread that is measured, and touches no new page after its first
 * call. */
static volatile sig_atomic_t alarms;

static void count_alarm(int sig)
{
	(void)sig;
	alarms++;
}

TEST(interrupted)
{
	const struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { 0 };
	const struct sigaction action = { .sa_handler = count_alarm, .sa_flags = SA_RESTART };
	struct cpucycles_meter *meter;

	need_page_faults();
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
	meter = open_meter("page-faults");
	expect_touches(meter, 1, 2);
	while (!alarms)
		touch(&all_pages);
	expect_touches(meter, 1, 1);
	setitimer(ITIMER_REAL, &never, NULL);
	cpucycles_meter_close(meter);
}

/* Made sums: ten samples of four calls each, in which an empty function counts twice. */
TEST(cost_and_batch)
{
	struct track track = { .event_samples = 10 };
	struct events *events = calloc(1, sizeof *events);
	struct run run = { .works = 1, .rounds = 10, .iterations = 4, .tracks = &track };
	double count = 7;

	assert_non_null(events);
	events->n = 2;
	events->of[0].error = -ENOENT;
	run.events = events;
	run.event_overhead[1] = 2;
	track.event_sums[1] = 10 * (4 * 5 + 2);
	track.event_sums[2] = 10 * 4 * 3;
	assert_int_equal(judge_event(&run, 0, 0, &count), -ENOENT);
	assert_true(count == 7);
	assert_int_equal(judge_event(&run, 0, 1, &count), 0);
	assert_true(count == 5);
	assert_int_equal(judge_event(&run, 0, CPUCYCLES_EVENT_CYCLES, &count), 0);
	assert_true(count == 3);
	track.event_samples = 0;
	assert_int_equal(judge_event(&run, 0, 1, &count), -ENODATA);
	assert_true(count == 3);
	free(events);
}

/* Breakpoints */

static volatile unsigned touched;

/* Each does something else, so that no compiler makes one of them. */
#define TARGET(n) \
	__attribute__((noinline)) static void target_##n(void) \
	{ \
		touched = n; \
	}
TARGET(0)
TARGET(1)
TARGET(2)
TARGET(3)
TARGET(4)

static void (*const targets[])(void) = { target_0, target_1, target_2, target_3, target_4 };

static unsigned long long address_of(void (*function)(void))
{
	const union {
		void (*function)(void);
		uintptr_t address;
	} target = { .function = function };

	return target.address;
}

/* The list of breakpoints on the first n of them. */
static const char *list_of_targets(size_t n)
{
	static char list[256];
	size_t length = 0;

	for (size_t i = 0; i < n; i++)
		length += (size_t)snprintf(list + length, sizeof list - length, "%smem:0x%llx:x",
					   i ? "," : "", address_of(targets[i]));
	assert_true(length < sizeof list);
	return list;
}

static void call(size_t target, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		targets[target]();
}

static struct perf_event_attr breakpoint_on(size_t target)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(struct perf_event_attr),
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = address_of(targets[target]),
		.bp_len = sizeof(long),
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
}

/* How many of n breakpoints there can be at once. */
static size_t breakpoints_to_be_had(size_t n)
{
	int fds[sizeof targets / sizeof targets[0]];
	size_t had = 0;

	while (had < n) {
		const struct perf_event_attr attr = breakpoint_on(had);

		fds[had] = open_raw(&attr);
		if (fds[had] < 0)
			break;
		had++;
	}
	for (size_t i = 0; i < had; i++)
		close(fds[i]);
	return had;
}

/* How often the kernel sees ten calls, or a negative errno. Some virtual machines take a breakpoint
 * and never stop there. */
static int count_ten_calls(void)
{
	const struct perf_event_attr attr = breakpoint_on(0);
	const int fd = open_raw(&attr);
	uint64_t count = 0;

	if (fd < 0)
		return -errno;
	call(0, 10);
	if (read(fd, &count, sizeof count) != sizeof count)
		count = 0;
	close(fd);
	return (int)count;
}

/* A meter, by a test that was skipped in the middle. */
static volatile sig_atomic_t left_open;

/* A virtual machine's host may lose DR6, the register that tells the reason of a trap, between the
 * trap and the kernel's look at it: seen once in some million uses of a breakpoint. The kernel then
 * takes the breakpoint for an INT1 of the program, counts nothing and sends SIGTRAP. */
static void trap_without_reason(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code == TRAP_BRKPT && syscall(SYS_gettid) == getpid()) {
		left_open = true;
		unit_skip("this machine's host has lost the reason of a breakpoint's trap");
	}
	signal(sig, SIG_DFL);
	raise(sig);
}

static void expect_traps_without_reason(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO | SA_NODEFER };

	action.sa_sigaction = trap_without_reason;
	sigaction(SIGTRAP, &action, NULL);
}

static void need_breakpoints(size_t n)
{
	const int count = count_ten_calls();

	if (count < 0)
		unit_skip("the kernel has no breakpoints on execution for this program");
	if (count == 0)
		unit_skip("this machine takes a breakpoint and never stops there");
	if (breakpoints_to_be_had(n) < n)
		unit_skip("others have breakpoints, or the CPU has too few");
}

TEST(breakpoint_that_never_stops)
{
	REASON(reason);
	struct cpucycles_meter *meter;

	if (count_ten_calls() != 0)
		unit_skip("this machine has no breakpoints, or stops there");
	meter = open_meter(list_of_targets(1));
	assert_int_equal(error_of(meter, 0, &reason), EVENT_IS_WRONG);
	assert_non_null(strstr(reason.what, "counts otherwise: 0 of 1000 uses of an address"));
	cpucycles_meter_close(meter);
}

TEST(one_breakpoint)
{
	struct cpucycles_meter *meter;
	struct cpucycles_event_info info;
	uint64_t before;

	need_breakpoints(1);
	meter = open_meter(list_of_targets(1));
	info = info_of(meter, 0);
	assert_true(info.user && !info.kernel && info.checked);
	before = count_now(meter);
	call(0, CALLS);
	assert_int_equal(count_now(meter) - before, CALLS);
	call(1, CALLS);
	assert_int_equal(count_now(meter) - before, CALLS);
	cpucycles_meter_close(meter);
}

TEST(four_breakpoints)
{
	uint64_t before[5] = { 0, 0, 0, 0, 17 }, after[5] = { 0, 0, 0, 0, 18 };
	struct cpucycles_meter *meter;

	need_breakpoints(4);
	meter = open_meter(list_of_targets(4));
	assert_int_equal(cpucycles_meter_counts(meter, before, 5), 0);
	for (size_t i = 0; i < 4; i++)
		call(i, CALLS + (unsigned)i);
	assert_int_equal(cpucycles_meter_counts(meter, after, 5), 0);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(after[i] - before[i], CALLS + i);
	assert_int_equal(before[4], 17);
	assert_int_equal(after[4], 18);
	/* Only as many as were asked for are given. */
	after[1] = 99;
	assert_int_equal(cpucycles_meter_counts(meter, after, 1), 0);
	assert_int_equal(after[1], 99);
	cpucycles_meter_close(meter);
}

/* One more than the CPU has: the others count. */
TEST(fifth_breakpoint)
{
	REASON(reason);
	struct cpucycles_meter *meter;
	uint64_t counts[5] = { 0, 0, 0, 0, 17 }, before;

	need_breakpoints(4);
	if (breakpoints_to_be_had(5) == 5)
		unit_skip("this CPU has more than four breakpoints");
	meter = open_meter(list_of_targets(5));
	assert_int_equal(error_of(meter, 4, &reason), -ENOSPC);
	assert_int_equal(reason.error, ENOSPC);
	assert_non_null(strstr(reason.what, "all breakpoints of the CPU are in use"));
	assert_non_null(strstr(reason.remedy, "breakpoints"));
	before = count_now(meter);
	for (size_t i = 0; i < 5; i++)
		call(i, 100);
	assert_int_equal(cpucycles_meter_counts(meter, counts, 5), 0);
	assert_int_equal(counts[0] - before, 100);
	assert_int_equal(counts[3], 100);
	assert_int_equal(counts[4], 17);
	cpucycles_meter_close(meter);
}

static long watched[2];

static void write_watched(void *unused)
{
	(void)unused;
	for (int i = 0; i < 100; i++)
		((volatile long *)watched)[0] = i;
}

TEST(breakpoint_on_data)
{
	const struct cpucycles_work work = CPUCYCLES_WORK("write", write_watched, NULL);
	struct cpucycles_meter *meter;
	char list[64];

	need_breakpoints(1);
	snprintf(list, sizeof list, "mem:0x%llx/%zu:w", (unsigned long long)(uintptr_t)watched,
		 sizeof watched[0]);
	meter = open_meter(list);
	assert_true(info_of(meter, 0).checked);
	run_works(meter, &work, 1);
	assert_true(per_call(meter, 0, 0) == 100);
	cpucycles_meter_close(meter);
}

/* The time-stamp counter, by the description of its PMU in sysfs */

#define MSR "/sys/bus/event_source/devices/msr/"

static bool read_number(const char *path, const char *format, unsigned *number)
{
	FILE *file = fopen(path, "r");
	bool good;

	if (!file)
		return false;
	good = fscanf(file, format, number) == 1;
	fclose(file);
	return good;
}

/* What the kernel says of this event. */
static int ask_for_tsc(bool kernel)
{
	unsigned type, config;

	if (!TSC_IS_HERE || !read_number(MSR "type", "%u", &type) ||
	    !read_number(MSR "events/tsc", "event=%x", &config))
		return -ENOENT;
	return ask_kernel(type, config, true, kernel);
}

TEST(tsc)
{
	struct cpucycles_meter *meter;
	int64_t outside;
	uint64_t count;

	if (ask_for_tsc(true))
		unit_skip("there is no PMU msr with the event tsc, or it may not be used");
	meter = open_meter("msr/tsc/");
	assert_true(info_of(meter, 0).user && info_of(meter, 0).kernel);
	assert_true(info_of(meter, 0).checked);
	/* The event counts only while the thread is on a CPU. */
	outside = tsc_read();
	count = count_now(meter);
	chain_run(10);
	count = count_now(meter) - count;
	outside = tsc_read() - outside;
	printf("# %llu of %lld ticks\n", (unsigned long long)count, (long long)outside);
	assert_true(count > 0 && count <= (uint64_t)outside);
	cpucycles_meter_close(meter);
}

TEST(tsc_of_one_mode)
{
	REASON(reason);
	struct cpucycles_meter *meter;

	if (ask_for_tsc(false) != -EINVAL)
		unit_skip("there is no PMU msr, or it takes modes");
	meter = open_meter("msr/tsc/:u");
	assert_int_equal(error_of(meter, 0, &reason), -EINVAL);
	assert_string_equal(reason.what, "msr/tsc/:u: the PMU cannot count user mode (u) only");
	assert_non_null(strstr(reason.remedy, "uk"));
	cpucycles_meter_close(meter);
}

TEST(no_such_event_in_sysfs)
{
	REASON(reason);
	struct cpucycles_meter *meter = open_meter("no-such-pmu/event/,msr/no-such-event/");

	assert_int_equal(error_of(meter, 0, &reason), -ENOENT);
	assert_non_null(strstr(reason.what, "no-such-pmu"));
	assert_true(error_of(meter, 1, &reason) < 0);
	assert_non_null(strstr(reason.what, "msr"));
	cpucycles_meter_close(meter);
}

/* Events that do not count what they should */

TEST(clock_ignores_modes)
{
	struct cpucycles_event_info info = { .size = sizeof info };
	REASON(reason);
	struct cpucycles_meter *meter;
	double count = 7;
	uint64_t before;

	need_kernel();
	meter = open_meter("cpu-clock:u");
	assert_int_equal(error_of(meter, 0, &reason), EVENT_IS_WRONG);
	assert_non_null(strstr(reason.what, "cpu-clock:u ignores u and k"));
	assert_non_null(strstr(reason.remedy, "--force"));
	run_works(meter, touching, 1);
	assert_int_equal(cpucycles_meter_event(meter, 0, 0, &count), EVENT_IS_WRONG);
	assert_true(count == 7);
	cpucycles_meter_close(meter);

	meter = try_to_open("cpu-clock:u", CPUCYCLES_METER_FORCE);
	assert_non_null(meter);
	assert_int_equal(cpucycles_meter_event_info(meter, 0, &info, NULL), 0);
	assert_false(info.checked);
	before = count_now(meter);
	chain_run(10);
	assert_true(count_now(meter) > before);
	run_works(meter, touching, 1);
	assert_true(per_call(meter, 0, 0) > 0);
	cpucycles_meter_close(meter);
}

/* Nobody asked for a mode, so it is no mistake that a clock has none. */
TEST(clock_without_letters)
{
	struct cpucycles_meter *meter;

	need_kernel();
	meter = open_meter("cpu-clock,task-clock");
	for (size_t i = 0; i < 2; i++) {
		const struct cpucycles_event_info info = info_of(meter, i);

		assert_true(info.user && info.kernel && info.checked);
	}
	cpucycles_meter_close(meter);
}

TEST(sleeps)
{
	const struct cpucycles_work work = CPUCYCLES_WORK("sleep twice", sleep_twice, NULL);
	struct cpucycles_meter *meter;
	bool counted = false;

	need_kernel();
	meter = open_meter("context-switches");
	assert_true(info_of(meter, 0).kernel && info_of(meter, 0).checked);
	/* Less only if an alarm came before the thread had left its CPU. */
	for (int tries = 0; !counted && tries < TRIES; tries++) {
		run_works(meter, &work, 1);
		printf("# %g switches per call\n", per_call(meter, 0, 0));
		counted = per_call(meter, 0, 0) >= 2;
	}
	assert_true(counted);
	cpucycles_meter_close(meter);
}

/* Events that are not here */

TEST(no_pmu)
{
	struct cpucycles_event_info info = { .size = sizeof info };
	REASON(reason);
	struct cpucycles_meter *meter;
	double count = 7;

	need_page_faults();
	if (ask_kernel(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, true, false) != -ENOENT ||
	    ask_kernel(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true, false) != -ENOENT)
		unit_skip("this machine has a PMU");
	meter = open_meter("page-faults,instructions");
	assert_int_equal(error_of(meter, 1, &reason), -ENOENT);
	assert_int_equal(reason.error, ENOENT);
	assert_string_equal(reason.what, "instructions: no PMU of this machine counts it");
	assert_non_null(strstr(reason.remedy, "virtual"));
	assert_int_equal(cpucycles_meter_event_info(meter, 1, &info, NULL), -ENOENT);
	assert_string_equal(info.name, "instructions");
	assert_false(info.checked || info.user_mode);
	expect_touches(meter, 1, 1);
	assert_int_equal(cpucycles_meter_event(meter, 0, 1, &count), -ENOENT);
	assert_int_equal(cpucycles_meter_event(meter, 0, CPUCYCLES_EVENT_CYCLES, &count), -ENOENT);
	assert_true(count == 7);
	cpucycles_meter_close(meter);
}

/* The ticks beside the events need no event. */
TEST(ticks_beside)
{
	struct cpucycles_meter *meter = open_meter("page-faults");
	double count = 7;
	int error;

	run_works(meter, touching, 1);
	error = cpucycles_meter_event(meter, 0, CPUCYCLES_EVENT_TSC, &count);
	assert_int_equal(error, TSC_IS_HERE ? 0 : -ENOTSUP);
	assert_true(TSC_IS_HERE ? count > 0 : count == 7);
	cpucycles_meter_close(meter);
}

TEST(unknown_name)
{
	REASON(reason);
	struct cpucycles_meter *meter = open_meter("no-such-event");
	double count = 7;

	assert_int_equal(error_of(meter, 0, &reason), -ENOENT);
	assert_non_null(strstr(reason.what, "no-such-event"));
	assert_true(reason.remedy[0]);
	run_works(meter, touching, 1);
	assert_int_equal(cpucycles_meter_event(meter, 0, 0, &count), -ENOENT);
	assert_true(count == 7);
	cpucycles_meter_close(meter);
}

TEST(bad_lists)
{
	static const struct {
		const char *list, *says;
	} table[] = {
		{ "", "the list of events is empty" },
		{ ",page-faults", "an event is empty" },
		{ "page-faults,,page-faults", "an event is empty" },
		{ "page-faults,", "an event was expected after the comma" },
		{ "page faults", "0x20 after \"page\"" },
		{ "page-faults:x", "page-faults:x: " },
		{ "a//b", "a//b: " },
		{ "mem:1234", "after mem: an address was expected" },
		{ "r01c0:q", "r01c0:q: " },
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		const struct cpucycles_meter_options options = { .size = sizeof options,
								 .events = table[i].list };
		REASON(reason);
		struct cpucycles_meter *meter;

		assert_int_equal(cpucycles_meter_open(&meter, &options, &reason), -EINVAL);
		assert_null(meter);
		printf("# %s: %s\n", table[i].list, reason.what);
		assert_int_equal(reason.error, EINVAL);
		assert_non_null(strstr(reason.what, table[i].says));
	}
}

TEST(without_events)
{
	struct cpucycles_event_info info = { .size = sizeof info };
	struct cpucycles_moment moment = CPUCYCLES_MOMENT_INITIALIZER;
	struct cpucycles_meter *meter = open_meter(NULL);
	uint64_t count = 7;
	double number = 7;

	run_works(meter, touching, 1);
	assert_int_equal(cpucycles_meter_event_info(meter, 0, &info, NULL), -EINVAL);
	assert_int_equal(cpucycles_meter_event(meter, 0, 0, &number), -EINVAL);
	assert_int_equal(cpucycles_meter_event(meter, 0, CPUCYCLES_EVENT_CYCLES, &number), -EINVAL);
	assert_int_equal(cpucycles_meter_counts(meter, &count, 1), -EINVAL);
	assert_int_equal(cpucycles_meter_counts_at(meter, &count, 1, &moment), -EINVAL);
	assert_true(count == 7 && number == 7 && moment.count == 0);
	assert_int_equal(cpucycles_meter_counts(meter, NULL, 0), 0);
	assert_int_equal(cpucycles_meter_counts_at(meter, NULL, 0, &moment), 0);
	assert_true(moment.count > 0 && moment.within >= 0);
	cpucycles_meter_close(meter);
}

/* What is not permitted */

static void become_nobody(void)
{
	if (geteuid() == 0 && (setgroups(0, NULL) || setgid(65534) || setuid(65534)))
		unit_skip_child("this process cannot become that of another user");
}

/* The reason for the first event, in a child. */
static void expect_refusal(const char *events, int expected, const char *what, const char *remedy)
{
	struct cpucycles_meter *meter = try_to_open(events, 0);
	REASON(reason);
	double count = 7;

	unit_expect(meter != NULL, "a meter is opened");
	unit_expect(error_of(meter, 0, &reason) == expected, "the error of the event");
	unit_expect(reason.error == -expected, "the error of the reason");
	unit_expect(strstr(reason.what, what) != NULL, what);
	unit_expect(strstr(reason.remedy, remedy) != NULL, remedy);
	unit_expect(try_to_run(meter, touching, 1) == 0, "it measures without events");
	unit_expect(cpucycles_meter_event(meter, 0, 0, &count) == expected && count == 7,
		    "there is no count");
	cpucycles_meter_close(meter);
}

static void nobody_counts_the_kernel(void)
{
	become_nobody();
	if (ask_for_page_faults(false, true) != -EACCES)
		unit_skip_child("an ordinary user may count the kernel here, or nobody anything");
	expect_refusal("page-faults:k", -EACCES, "page-faults:k: the kernel (k) may not be counted",
		       "sysctl kernel.perf_event_paranoid=1");
	expect_refusal("page-faults:uk", -EACCES, "the kernel (k) may not be counted",
		       "ask for user mode (u)");
	expect_refusal("context-switches", -EACCES,
		       "it happens in the kernel, which may not be counted", "run as root");
	if (prctl(PR_CAPBSET_READ, CAP_PERFMON) != 1 || ask_for_page_faults(true, false))
		return;
	expect_refusal("page-faults:k", -EACCES, "",
		       "ask for user mode (u), or as root: setcap cap_perfmon+ep PROGRAM (of "
		       "cpucycles-measure, a private copy), or for all: "
		       "sysctl kernel.perf_event_paranoid=1");
	expect_refusal("context-switches", -EACCES, "",
		       "run as root, or as root: setcap cap_perfmon+ep PROGRAM (of "
		       "cpucycles-measure, a private copy)");
}

/* The kernel is older than the capability, or the process cannot get it. */
static void no_capability_helps(void)
{
	if (prctl(PR_CAPBSET_DROP, CAP_PERFMON))
		unit_skip_child("this process cannot give up a capability");
	become_nobody();
	if (ask_for_page_faults(false, true) != -EACCES)
		unit_skip_child("an ordinary user may count the kernel here, or nobody anything");
	expect_refusal("page-faults:k", -EACCES, "",
		       "ask for user mode (u), or as root: sysctl kernel.perf_event_paranoid=1");
}

/* Another user, with this capability alone. */
static void become_capable(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct rights[2] = {
		[CAP_TO_INDEX(CAP_PERFMON)] = { CAP_TO_MASK(CAP_PERFMON), CAP_TO_MASK(CAP_PERFMON),
						0 },
	};

	unit_expect(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0, "capabilities are kept");
	become_nobody();
	if (syscall(SYS_capset, &head, rights))
		unit_skip_child("this process cannot keep the capability: %s", strerror(errno));
}

/* What the remedy promises. */
static void the_capable_count_the_kernel(void)
{
	struct cpucycles_meter *meter;
	REASON(reason);

	become_capable();
	if (ask_for_page_faults(true, false))
		unit_skip_child("the kernel lets nobody count events here");
	meter = try_to_open("page-faults:k", 0);
	unit_expect(meter && error_of(meter, 0, &reason) == 0, "the kernel may be counted");
	cpucycles_meter_close(meter);
}

TEST_IN_CHILD(tsc_not_permitted)
{
	become_nobody();
	if (ask_for_tsc(true) != -EACCES)
		unit_skip_child("there is no PMU msr, or everybody may use it");
	expect_refusal("msr/tsc/", -EACCES, "msr/tsc/: ", "kernel.perf_event_paranoid");
}

TEST(not_permitted)
{
	unit_child_passes(nobody_counts_the_kernel);
	unit_child_passes(no_capability_helps);
	unit_child_passes(the_capable_count_the_kernel);
}

static void refused_with(int error)
{
	char what[64];

	if (sandbox(SYS_perf_event_open, SECCOMP_RET_ERRNO | (unsigned)error))
		unit_skip_child("there is no seccomp here");
	if (ask_for_page_faults(true, false) != -error)
		unit_skip_child("the sandbox refuses nothing");
	snprintf(what, sizeof what, "page-faults: %s", strerror(error));
	expect_refusal("page-faults", -error, what, "cpucycles-sandbox(7)");
}

static void refused_with_eperm(void)
{
	refused_with(EPERM);
}

static void refused_with_enosys(void)
{
	refused_with(ENOSYS);
}

TEST(sandboxes)
{
	unit_child_passes(refused_with_eperm);
	unit_child_passes(refused_with_enosys);
}

/* Descriptors */

#define LIMIT 64
#define DESCRIPTORS 256

/* Leave so many free. */
static void take_descriptors(int free)
{
	int last, fd = -1;

	if (setrlimit(RLIMIT_NOFILE, &(struct rlimit){ LIMIT, LIMIT }))
		unit_skip_child("no limit of descriptors can be set here");
	do {
		last = fd;
		fd = dup(STDERR_FILENO);
	} while (fd >= 0);
	unit_expect(last - free > STDERR_FILENO, "there are descriptors");
	for (int i = 0; i < free; i++)
		close(last - i);
}

static void expect_limit(int error, const struct cpucycles_reason *reason)
{
	unit_expect(error == -EMFILE && reason->error == EMFILE, "EMFILE");
	unit_expect(strstr(reason->what, "all 64 descriptors of this process are in use") != NULL,
		    "the limit is told");
	unit_expect(strstr(reason->remedy, "ulimit -n") != NULL, "and what raises it");
}

#define FREE 6
#define ASKED 8

/* The first events count, as many as have descriptors. The meter's own counter may need some, and
 * so may the cycles beside the events. */
static void some_descriptors(void)
{
	uint64_t counts[ASKED] = { 7, 7, 7, 7, 7, 7, 7, 7 };
	REASON(reason);
	struct cpucycles_meter *meter;
	size_t n = 0;

	take_descriptors(FREE);
	meter = try_to_open("faults,faults,faults,faults,faults,faults,faults,faults", 0);
	unit_expect(meter != NULL, "a meter is opened");
	while (n < ASKED && error_of(meter, n, &reason) == 0)
		n++;
	unit_expect(n > 0 && n <= FREE, "some events are counted");
	for (size_t i = n; i < ASKED; i++)
		expect_limit(error_of(meter, i, &reason), &reason);
	touch(&all_pages);
	unit_expect(!cpucycles_meter_counts(meter, counts, ASKED), "the counts are read");
	for (size_t i = 0; i < ASKED; i++)
		unit_expect(i < n ? counts[i] >= PAGES : counts[i] == 7, "they alone are given");
	cpucycles_meter_close(meter);
}

static void no_descriptors(void)
{
	REASON(reason);
	struct cpucycles_meter *meter;

	take_descriptors(0);
	meter = try_to_open("page-faults", 0);
	unit_expect(meter != NULL, "a meter is opened");
	expect_limit(error_of(meter, 0, &reason), &reason);
	cpucycles_meter_close(meter);
}

TEST(out_of_descriptors)
{
	need_page_faults();
	unit_child_passes(some_descriptors);
	unit_child_passes(no_descriptors);
}

static void find_descriptors(bool open[DESCRIPTORS])
{
	for (int fd = 0; fd < DESCRIPTORS; fd++)
		open[fd] = fcntl(fd, F_GETFD) >= 0;
}

TEST(closed_on_exec)
{
	bool before[DESCRIPTORS], after[DESCRIPTORS];
	struct cpucycles_meter *meter;
	unsigned n = 0;

	need_page_faults();
	cpucycles_meter_close(open_meter("page-faults")); /* the first opens what stays open */
	find_descriptors(before);
	meter = open_meter("page-faults,minor-faults,instructions,no-such-event");
	find_descriptors(after);
	for (int fd = 0; fd < DESCRIPTORS; fd++) {
		if (before[fd] || !after[fd])
			continue;
		assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
		n++;
	}
	assert_true(n >= 2);
	cpucycles_meter_close(meter);
	find_descriptors(after);
	assert_memory_equal(before, after, sizeof before);
}

/* Threads and processes */

static struct cpucycles_meter *shared;

static bool is_not_theirs(struct cpucycles_meter *meter)
{
	struct cpucycles_event_info info = { .size = sizeof info };
	REASON(reason);
	uint64_t count = 7;
	double number = 7;

	return cpucycles_meter_event_info(meter, 0, &info, &reason) == -EPERM &&
	       cpucycles_meter_event(meter, 0, 0, &number) == -EPERM &&
	       cpucycles_meter_counts(meter, &count, 1) == -EPERM &&
	       cpucycles_meter_run(meter, touching, 1, NULL, &reason) == -EPERM && count == 7 &&
	       number == 7;
}

#define MANY 1000

static void *touch_elsewhere(void *good)
{
	*(bool *)good = is_not_theirs(shared);
	for (int i = 0; i < MANY; i++)
		touch(&all_pages);
	return NULL;
}

TEST(other_thread)
{
	pthread_t thread;
	bool good = false;
	uint64_t before;

	need_page_faults();
	shared = open_meter("page-faults");
	run_works(shared, touching, 1);
	before = count_now(shared);
	assert_int_equal(pthread_create(&thread, NULL, touch_elsewhere, &good), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_true(good);
	/* To start a thread takes some pages, but not so many. */
	assert_true(count_now(shared) - before < MANY * PAGES / 2);
	expect_touches(shared, 1, 1);
	cpucycles_meter_close(shared);
}

/* Where the meter's events stand: a descriptor, and the first page of those that are mapped. */
static int meter_fd;
static void *meter_page;

/* Open a meter, and find its first descriptor. */
static struct cpucycles_meter *open_and_find(const char *events)
{
	bool before[DESCRIPTORS], after[DESCRIPTORS];
	struct cpucycles_meter *meter;

	find_descriptors(before);
	meter = open_meter(events);
	find_descriptors(after);
	for (meter_fd = 0; before[meter_fd] || !after[meter_fd]; meter_fd++)
		assert_true(meter_fd < DESCRIPTORS - 1);
	return meter;
}

/* A pipe with so many bytes, more than a group of two events has. A read of it does not wait, so
 * that a fault is seen at once. */
#define PIPE_BYTES 200
static int made_pipe[2];

static void make_pipe(void)
{
	static const char bytes[PIPE_BYTES];

	assert_int_equal(pipe(made_pipe), 0);
	assert_int_equal(fcntl(made_pipe[0], F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(write(made_pipe[1], bytes, sizeof bytes), sizeof bytes);
}

/* A function that closes what it does not know, as daemons do, and has the pipe there. */
static void close_once(void *calls)
{
	touch(&all_pages);
	if (++*(unsigned *)calls != SAMPLES / 2)
		return;
	dup2(made_pipe[0], meter_fd);
}

/* None of the events has a number, neither have the cycles and the ticks, and the time has one. */
static void expect_void(const struct cpucycles_meter *meter, size_t events)
{
	struct cpucycles_result result = { .size = sizeof result };
	double count = 7;

	for (size_t event = 0; event < events; event++)
		assert_int_equal(cpucycles_meter_event(meter, 0, event, &count), -EAGAIN);
	assert_int_equal(cpucycles_meter_event(meter, 0, CPUCYCLES_EVENT_TSC, &count),
			 TSC_IS_HERE ? -EAGAIN : -ENOTSUP);
	assert_true(cpucycles_meter_event(meter, 0, CPUCYCLES_EVENT_CYCLES, &count) < 0);
	assert_true(count == 7);
	assert_int_equal(cpucycles_meter_result(meter, 0, &result), 0);
	assert_int_equal(result.samples, SAMPLES);
}

TEST(void_events)
{
	unsigned calls = 0;
	const struct cpucycles_work work = CPUCYCLES_WORK("close once", close_once, &calls);
	struct cpucycles_moment moment = CPUCYCLES_MOMENT_INITIALIZER;
	struct cpucycles_meter *meter;
	uint64_t count = 7;
	int bytes = 0;

	need_page_faults();
	meter = open_and_find("page-faults,minor-faults");
	make_pipe();
	run_works(meter, touching, 1);
	assert_int_equal(try_to_run(meter, &work, 1), -EAGAIN);
	assert_non_null(strstr(why_not.what, "has closed the descriptors of the events"));
	expect_void(meter, 2);
	assert_int_equal(cpucycles_meter_counts(meter, &count, 1), -EAGAIN);
	assert_int_equal(cpucycles_meter_counts_at(meter, &count, 1, &moment), -EAGAIN);
	assert_true(count == 7 && moment.count == 0);
	/* They never count again. */
	assert_int_equal(try_to_run(meter, touching, 1), -EAGAIN);
	expect_void(meter, 2);
	cpucycles_meter_close(meter);
	/* The pipe is the program's: nobody has read from it or closed it. */
	assert_int_equal(ioctl(meter_fd, FIONREAD, &bytes), 0);
	assert_int_equal(bytes, PIPE_BYTES);
	close(meter_fd);
	close(made_pipe[0]);
	close(made_pipe[1]);
}

static void *find_page(void)
{
	char line[512];
	unsigned long long start;
	void *page = NULL;
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && !page && fgets(line, sizeof line, maps))
		if (strstr(line, "[perf_event]") && sscanf(line, "%llx-", &start) == 1)
			page = (void *)(uintptr_t)start;
	if (maps)
		fclose(maps);
	return page;
}

/* A child has put something of its own in the place of what the parent has. */
static void close_in_child(void)
{
	volatile unsigned char *mine = NULL;

	unit_expect(is_not_theirs(shared), "the meter is refused");
	unit_expect(dup2(STDERR_FILENO, meter_fd) == meter_fd, "the descriptor is another one");
	if (meter_page) {
		mine = mmap(meter_page, page_size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		unit_expect(mine == meter_page, "memory in the place of the events' page");
		*mine = 7;
	}
	cpucycles_meter_close(shared);
	unit_expect(fcntl(meter_fd, F_GETFD) >= 0, "the descriptor is left open");
	unit_expect(!mine || *mine == 7, "the memory is left alone");
	for (int i = 0; i < MANY; i++)
		touch(&all_pages);
}

/* Its own meter does not mind the one that came along. */
static void measure_in_child(void)
{
	struct cpucycles_meter *meter = try_to_open("page-faults", 0);
	double count = 0;

	unit_expect(meter != NULL, "a meter is opened");
	for (int tries = 0; count != PAGES && tries < TRIES; tries++) {
		unit_expect(try_to_run(meter, touching, 1) == 0, "it runs");
		unit_expect(!cpucycles_meter_event(meter, 0, 0, &count), "it counts");
	}
	unit_expect(count == PAGES, "it counts exactly");
	cpucycles_meter_close(meter);
	cpucycles_meter_close(shared);
}

TEST(children)
{
	uint64_t count;

	need_page_faults();
	shared = open_and_find("page-faults,minor-faults");
	meter_page = find_page();
	run_works(shared, touching, 1);
	count = count_now(shared);
	assert_int_equal(unit_in_child(close_in_child), 0);
	assert_int_equal(unit_in_child(measure_in_child), 0);
	/* After a fork, a process copies the pages that it writes to. */
	assert_true(count_now(shared) - count < MANY * PAGES / 2);
	expect_touches(shared, 2, 2);
	cpucycles_meter_close(shared);
}

/* A breakpoint counts what this thread executes, exactly. */
static void *call_elsewhere(void *unused)
{
	call(0, CALLS);
	return unused;
}

static void call_in_child(void)
{
	call(0, CALLS);
}

TEST(breakpoints_are_not_inherited)
{
	struct cpucycles_meter *meter;
	pthread_t thread;
	uint64_t before;

	need_breakpoints(1);
	meter = open_meter(list_of_targets(1));
	before = count_now(meter);
	assert_int_equal(pthread_create(&thread, NULL, call_elsewhere, NULL), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(unit_in_child(call_in_child), 0);
	call(0, 5);
	assert_int_equal(count_now(meter) - before, 5);
	cpucycles_meter_close(meter);
}

/* Lists */

#define LISTED_MAX 65536

struct listed {
	char *names[LISTED_MAX];
	size_t n, most;
	bool tried;
	struct event_listing last; /* its texts are not kept */
};

static bool keep_listing(void *context, const struct event_listing *listing)
{
	struct listed *listed = context;
	const size_t size = strlen(listing->pmu) + strlen(listing->name) + 2;

	assert_true(listed->n < LISTED_MAX);
	assert_true(listing->name[0] && listing->pmu[0]);
	listed->names[listed->n] = malloc(size);
	assert_non_null(listed->names[listed->n]);
	snprintf(listed->names[listed->n], size, "%s %s", listing->pmu, listing->name);
	listed->last = *listing;
	listed->tried |= listing->tried;
	return ++listed->n < listed->most;
}

static void list(const char *word, struct listed *listed)
{
	*listed = (struct listed){ .most = LISTED_MAX };
	assert_int_equal(event_list(word, keep_listing, listed), 0);
}

static void forget(struct listed *listed)
{
	while (listed->n > 0)
		free(listed->names[--listed->n]);
}

static bool has_name(const struct listed *listed, const char *name)
{
	for (size_t i = 0; i < listed->n; i++)
		if (!strcmp(strchr(listed->names[i], 0) - strlen(name), name))
			return true;
	return false;
}

static int in_order(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static struct listed listed;

TEST(all_names)
{
	list(NULL, &listed);
	assert_false(listed.tried);
	assert_true(has_name(&listed, " instructions"));
	assert_true(has_name(&listed, " page-faults"));
	assert_true(has_name(&listed, " L1-dcache-load-misses"));
	qsort(listed.names, listed.n, sizeof listed.names[0], in_order);
	for (size_t i = 1; i < listed.n; i++)
		if (!strcmp(listed.names[i - 1], listed.names[i]))
			fail_msg("%s is listed twice", listed.names[i]);
	forget(&listed);
	listed = (struct listed){ .most = 3 };
	assert_int_equal(event_list(NULL, keep_listing, &listed), 0);
	assert_int_equal(listed.n, 3);
	forget(&listed);
}

/* Only what has the word is tried, and nothing else is listed. */
TEST(names_with_a_word)
{
	list("no such word", &listed);
	assert_int_equal(listed.n, 0);
	list("MAJOR-FAULT", &listed);
	assert_true(listed.n > 0 && listed.tried);
	assert_true(has_name(&listed, " major-faults"));
	assert_false(has_name(&listed, " page-faults"));
	forget(&listed);
	list("cpu-clock:u", &listed);
	assert_int_equal(listed.n, 1);
	assert_true(listed.last.tried);
	forget(&listed);
}

static bool expect_page_faults(void *context, const struct event_listing *listing)
{
	bool *seen = context;

	if (strcmp(listing->name, "page-faults"))
		return true;
	*seen = true;
	assert_true(listing->tried);
	assert_int_equal(listing->error, 0);
	assert_true(listing->expected && listing->user && !listing->kernel);
	assert_int_equal(listing->word, 0);
	return false;
}

TEST(page_faults_count_here)
{
	bool seen = false;

	need_page_faults();
	assert_int_equal(event_list("page-faults", expect_page_faults, &seen), 0);
	assert_true(seen);
}

/* What no list has: codes of a manual, and words of pctr(4). */
TEST(function_words)
{
	static const struct {
		const char *word;
		uint32_t expected;
	} table[] = { { "0x4101c0", 0x4101c0 }, { "r01c0:u", 0x4101c0 }, { "r01c0:uk", 0x4301c0 } };

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		list(table[i].word, &listed);
		assert_int_equal(listed.n, 1);
		assert_true(listed.last.tried);
		printf("# %s: 0x%x\n", table[i].word, (unsigned)listed.last.word);
		assert_int_equal(listed.last.word, TSC_IS_HERE ? table[i].expected : 0);
		forget(&listed);
	}
}

int main(void)
{
	int failed;

	expect_traps_without_reason();
	failed = unit_run("events", make_pages, NULL);
	/* A sanitizer would call that meter a leak at exit(3). */
	if (left_open) {
		fflush(NULL);
		_exit(failed);
	}
	return failed;
}

#else

int main(void)
{
	return unit_main_not_here("events", "this system has no perf events");
}

#endif
