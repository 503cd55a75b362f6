/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * How events are checked, on a fake PMU: groups of events, works, clocks and counts are fakes,
 * so this runs on machines without a PMU. The source itself is included, to give it fake clocks.
 */

#include "config.h"

#include "comma.h"
#include "unit.h"
#include "tsc.h"

#include <errno.h>
#include <math.h>

static int fake_clock(clockid_t clock, struct timespec *time);
static int64_t fake_tsc(void);

#define clock_gettime fake_clock
#define tsc_read fake_tsc
#include "events/check.c"
#undef clock_gettime
#undef tsc_read

/* What is counted: that of user mode, of the kernel, or both. */
enum mode { USER, KERNEL, BOTH, MODES };

struct event_group {
	const struct event *events[3];
	size_t n; /* 0: it is not open */
	uint64_t counts[3];
};

/* What the machine does. */
static struct {
	uint64_t counts[MODES][KNOWN_WORKS]; /* of an event, in one work */
	unsigned bad_chains;                 /* so many of the next chains count nothing */
	bool has_third;                      /* the third event of a group counts this in a chain */
	uint64_t third;
	int open_alone[MODES], open_three; /* 0 or a negative errno */
	int prepare;
	unsigned bad_read; /* the number of a read that fails, from 1; 0: none */
	uint64_t uses;     /* that a breakpoint counts */
	uint64_t ns, tsc;  /* of a work */
	unsigned bad_time; /* the number of a call of the clock that fails, from 1 */
} fake;

/* What was done to it. */
static struct {
	unsigned runs[KNOWN_WORKS], alone, three, reads, times;
	uint64_t ns, tsc;
	struct event last; /* that was opened alone */
	void (*use)(void); /* of a breakpoint */
	struct event_group group;
} did;

static struct known known;
static struct reason_text reason;

static int set_up(UNIT_UNUSED void **state)
{
	memset(&fake, 0, sizeof fake);
	memset(&did, 0, sizeof did);
	fake.ns = 1500000000;
	fake.tsc = 3000000;
	did.ns = 999500000;
	reason = (struct reason_text){ 0 };
	return 0;
}

/* Whatever was opened is closed. */
static int tear_down(UNIT_UNUSED void **state)
{
	return did.group.n != 0;
}

static int fake_clock(clockid_t clock, struct timespec *time)
{
	assert_int_equal(clock, CLOCK_THREAD_CPUTIME_ID);
	if (++did.times == fake.bad_time)
		return -1;
	time->tv_sec = (time_t)(did.ns / 1000000000);
	time->tv_nsec = (long)(did.ns % 1000000000);
	return 0;
}

static int64_t fake_tsc(void)
{
	return (int64_t)did.tsc;
}

bool chain_is_portable(void)
{
	return false;
}

static enum mode mode_of(const struct event *event)
{
	return event->user && event->kernel ? BOTH : event->kernel ? KERNEL : USER;
}

int event_group_open(struct event_group *group, const struct event *const events[], size_t n,
		     size_t *which, struct reason_text *why)
{
	const int error = n == 3 ? fake.open_three : fake.open_alone[mode_of(events[0])];

	assert_int_equal(group->n, 0);
	assert_true(n <= 3);
	did.three += n == 3;
	did.alone += n == 1;
	if (n == 1)
		did.last = *events[0];
	if (error) {
		*which = 0;
		reason_say(why, -error, "it cannot be opened");
		return error;
	}
	*group = (struct event_group){ .n = n };
	memcpy(group->events, events, n * sizeof events[0]);
	return 0;
}

int event_group_read(struct event_group *group, uint64_t counts[])
{
	assert_true(group->n > 0);
	if (++did.reads == fake.bad_read)
		return -EAGAIN;
	memcpy(counts, group->counts, group->n * sizeof counts[0]);
	return 0;
}

void event_group_close(struct event_group *group)
{
	assert_true(group->n > 0);
	group->n = 0;
}

int known_prepare(struct known *memory, enum known_work work)
{
	assert_ptr_equal(memory, &known);
	assert_true(work < KNOWN_WORKS);
	return fake.prepare;
}

static uint64_t counts_of(size_t member, enum known_work work)
{
	if (work == KNOWN_CHAIN && fake.bad_chains)
		return 0;
	if (member == 2 && fake.has_third)
		return work == KNOWN_CHAIN ? fake.third : 0;
	return fake.counts[mode_of(did.group.events[member])][work];
}

void known_run(struct known *memory, enum known_work work)
{
	assert_ptr_equal(memory, &known);
	did.runs[work]++;
	did.ns += fake.ns;
	did.tsc += fake.tsc;
	for (size_t i = 0; i < did.group.n; i++)
		did.group.counts[i] += counts_of(i, work);
	if (work == KNOWN_CHAIN && fake.bad_chains)
		fake.bad_chains--;
}

volatile unsigned long known_variable;

void known_target(void) {}

static void use(void (*how)(void))
{
	did.use = how;
	did.group.counts[0] += fake.uses;
}

void known_call_target(void)
{
	use(known_call_target);
}

void known_write_variable(void)
{
	use(known_write_variable);
}

void known_read_variable(void)
{
	use(known_read_variable);
}

/* Events */

static struct event event_of(enum event_source source, uint64_t number, enum mode mode)
{
	return (struct event){
		.ask = { .text = "fake", .source = source, .number = number },
		.user = mode != KERNEL,
		.kernel = mode != USER,
		.hardware = source != EVENT_SOFTWARE,
	};
}

/* Nobody knows how often it happens. */
static struct event raw(enum mode mode)
{
	return event_of(EVENT_RAW, 0xc0, mode);
}

static struct event instructions(void)
{
	return event_of(EVENT_HARDWARE, 1, USER);
}

/* As many instructions as the chain has. */
#define CHAIN_COUNT (KNOWN_CHAIN_ROUNDS * (uint64_t)CHAIN_ROUND_CYCLES)

/* Run the works with these events in a group. */
static int run_events(const struct event *const events[], size_t n, struct event_finding findings[])
{
	size_t which;
	int error;

	did.reads = did.times = 0;
	assert_int_equal(event_group_open(&did.group, events, n, &which, &reason), 0);
	error = event_check_works(&did.group, events, n, &known, findings);
	event_group_close(&did.group);
	return error;
}

static struct event_finding find(const struct event *event)
{
	struct event_finding finding;

	assert_int_equal(run_events(&event, 1, &finding), 0);
	return finding;
}

static int judge(const struct event *event, const struct event_finding *finding)
{
	reason_clear(&reason);
	return event_check_judge(event, finding, &reason);
}

/* What the check says of an event that counts so often in the chain. */
static int judge_count(const struct event *event, uint64_t count)
{
	struct event_finding finding;

	fake.counts[USER][KNOWN_CHAIN] = count;
	finding = find(event);
	return judge(event, &finding);
}

static int check(struct event *event)
{
	return event_check_alone(event, &did.group, &known, &reason);
}

static void expect_wrong(int error, const char *what)
{
	assert_int_equal(error, EVENT_IS_WRONG);
	assert_string_equal(reason.what, what);
	assert_non_null(strstr(reason.remedy, "CPUCYCLES_METER_FORCE"));
}

/* Works */

/* The works are run five times at most, until one run is as expected. */
TEST_WITH(tries, set_up, tear_down)
{
	const struct event event = instructions();
	struct event_finding finding;

	fake.counts[USER][KNOWN_CHAIN] = CHAIN_COUNT;
	for (unsigned bad = 0; bad < 8; bad++) {
		memset(did.runs, 0, sizeof did.runs);
		fake.bad_chains = bad;
		finding = find(&event);
		for (size_t work = 0; work < KNOWN_WORKS; work++)
			assert_int_equal(did.runs[work], bad < 5 ? bad + 1 : 5);
		assert_true(finding.counted == (bad < 5 ? (double)CHAIN_COUNT : 0));
		if (bad < 5)
			assert_int_equal(judge(&event, &finding), 0);
		else
			assert_int_equal(judge(&event, &finding), EVENT_IS_WRONG);
	}
}

/* Each event of a group has to be as expected. */
TEST_WITH(tries_of_a_group, set_up, tear_down)
{
	const struct event user = instructions(), both = event_of(EVENT_HARDWARE, 1, BOTH);
	const struct event other = raw(USER);
	const struct event *const events[3] = { &user, &other, &both };
	struct event_finding findings[3];

	fake.counts[USER][KNOWN_CHAIN] = CHAIN_COUNT;
	fake.counts[BOTH][KNOWN_CHAIN] = 7;
	assert_int_equal(run_events(events, 3, findings), 0);
	assert_int_equal(did.runs[KNOWN_CHAIN], 5);
	assert_int_equal(judge(&user, &findings[0]), 0);
	assert_int_equal(judge(&other, &findings[1]), 0);
	assert_int_equal(judge(&both, &findings[2]), EVENT_IS_WRONG);
}

/* Only the known work counts, or all works together if no work is known. */
TEST_WITH(which_work, set_up, tear_down)
{
	const struct event known_one = instructions(), other = raw(USER);
	const struct event *const events[2] = { &known_one, &other };
	struct event_finding findings[2];

	fake.counts[USER][KNOWN_CHAIN] = CHAIN_COUNT;
	fake.counts[USER][KNOWN_CALLS] = 20;
	fake.counts[USER][KNOWN_SLEEPS] = 3;
	assert_int_equal(run_events(events, 2, findings), 0);
	assert_true(findings[0].expected && !findings[1].expected);
	assert_true(findings[0].counted == CHAIN_COUNT && findings[0].unit == 1);
	assert_true(findings[1].counted == CHAIN_COUNT + 23);
}

TEST_WITH(works_that_fail, set_up, tear_down)
{
	const struct event event = raw(USER);
	const struct event *events = &event;
	struct event_finding finding;

	fake.bad_read = 2 * KNOWN_WORKS;
	assert_int_equal(run_events(&events, 1, &finding), -EAGAIN);
	fake.bad_read = 1;
	assert_int_equal(run_events(&events, 1, &finding), -EAGAIN);
	fake.prepare = -ENOMEM;
	assert_int_equal(run_events(&events, 1, &finding), -ENOMEM);
}

TEST_WITH(least_and_most, set_up, tear_down)
{
	const struct event event = instructions();
	struct expectation e;

	assert_true(expect_event(&event.ask, true, false, false, &e));
	assert_int_equal(judge_count(&event, (uint64_t)e.least), 0);
	assert_string_equal(reason.what, "");
	assert_int_equal(judge_count(&event, (uint64_t)e.most), 0);
	assert_int_equal(judge_count(&event, (uint64_t)e.most + 1), EVENT_IS_WRONG);
	expect_wrong(judge_count(&event, (uint64_t)e.least - 1),
		     "fake counts otherwise: 99999 for a chain of instructions, expected 100000 to "
		     "103800");
}

/* From half to four times the time of the thread. */
TEST_WITH(times, set_up, tear_down)
{
	const struct event event = event_of(EVENT_SOFTWARE, 0, USER);

	assert_int_equal(judge_count(&event, 750000000), 0);
	assert_int_equal(judge_count(&event, 6000000000), 0);
	assert_int_equal(judge_count(&event, 749999999), EVENT_IS_WRONG);
	expect_wrong(
		judge_count(&event, 6000000001),
		"fake counts otherwise: 6e+09 for a chain of instructions, expected 7.5e+08 to "
		"6e+09");
}

/* Also then, all numbers have a point. */
TEST_WITH(times_in_a_locale_with_a_comma, set_up, tear_down)
{
	if (!comma_set())
		unit_skip("this libc has no locale with a decimal comma");
	times(state);
	setlocale(LC_NUMERIC, "C");
}

TEST_WITH(ticks, set_up, tear_down)
{
	struct event event = event_of(EVENT_PMU, 0, USER);

	strcpy(event.ask.pmu, "msr");
	strcpy(event.ask.terms, "tsc");
	assert_int_equal(judge_count(&event, 2700001), 0);
	assert_int_equal(judge_count(&event, 12000000), 0);
	assert_int_equal(judge_count(&event, 2699999), EVENT_IS_WRONG);
	assert_int_equal(judge_count(&event, 12000001), EVENT_IS_WRONG);
}

/* Without a clock, nobody can tell whether a count is wrong. The chain is the first work. */
TEST_WITH(unknown_time, set_up, tear_down)
{
	const struct event event = event_of(EVENT_SOFTWARE, 0, USER);

	for (unsigned bad = 1; bad <= 2; bad++) {
		memset(did.runs, 0, sizeof did.runs);
		fake.bad_time = bad;
		assert_int_equal(judge_count(&event, 1), 0);
		assert_string_equal(reason.what, "");
		assert_int_equal(did.runs[KNOWN_CHAIN], 1);
	}
	fake.bad_time = 0;
	assert_int_equal(judge_count(&event, 1), EVENT_IS_WRONG);
}

/* A PMU may lack an event whose number is unknown here, and count nothing. */
TEST_WITH(nothing, set_up, tear_down)
{
	struct event event = raw(USER);

	assert_int_equal(judge_count(&event, 1), 0);
	expect_wrong(judge_count(&event, 0),
		     "fake counts nothing in any known work: perhaps the PMU lacks it");
	event.hardware = false;
	assert_int_equal(judge_count(&event, 0), 0);
}

/* Modes */

/* What the event counts in each of the works, but more in sleeps. */
static void set_counts(uint64_t user, uint64_t kernel, uint64_t both)
{
	const uint64_t counts[MODES] = { user, kernel, both };

	for (size_t mode = 0; mode < MODES; mode++) {
		memset(fake.counts[mode], 0, sizeof fake.counts[mode]);
		fake.counts[mode][KNOWN_CHAIN] = counts[mode];
		fake.counts[mode][KNOWN_SLEEPS] = 1000 * 1000;
	}
}

/* Whether the check finds that the event counts the same whatever it is asked for. */
static bool ignores(enum mode mode)
{
	struct event event = raw(mode);
	const int error = check(&event);

	assert_int_equal(mode_of(&event), mode);
	assert_true(error == 0 || error == EVENT_IS_WRONG);
	return error != 0;
}

TEST_WITH(modes, set_up, tear_down)
{
	set_counts(1000, 10, 1010);
	assert_false(ignores(USER));
	assert_false(ignores(KERNEL));
	assert_int_equal(did.three, 2);
	set_counts(950, 990, 1000);
	assert_true(ignores(KERNEL));
	assert_true(ignores(USER));
	expect_wrong(EVENT_IS_WRONG, "fake ignores u and k: it counts 950 in user mode, 990 in the "
				     "kernel and 1000 in both");
	assert_int_equal(did.three, 4);
}

/* Both modes together, and breakpoints, have nothing that could be compared. */
TEST_WITH(modes_not_compared, set_up, tear_down)
{
	struct event breakpoint = event_of(EVENT_BREAKPOINT, 1, USER);

	set_counts(1000, 1000, 1000);
	assert_false(ignores(BOTH));
	fake.uses = KNOWN_TARGET_N;
	assert_int_equal(check(&breakpoint), 0);
	assert_int_equal(did.three, 0);
}

/* An event that was asked for without letters counts both from then on. */
TEST_WITH(modes_by_default, set_up, tear_down)
{
	struct event event = raw(USER);

	event.by_default = true;
	set_counts(1000, 10, 1010);
	assert_int_equal(check(&event), 0);
	assert_int_equal(mode_of(&event), USER);
	set_counts(1000, 1000, 1000);
	assert_int_equal(check(&event), 0);
	assert_int_equal(mode_of(&event), BOTH);
	assert_string_equal(reason.what, "");
}

/* A PMU may count an event once at a time. */
TEST_WITH(modes_in_turns, set_up, tear_down)
{
	fake.open_three = -ENOSPC;
	set_counts(1000, 1000, 1000);
	assert_true(ignores(USER));
	assert_int_equal(did.alone, 4); /* and once to see whether it opens */
	set_counts(1000, 10, 1010);
	assert_false(ignores(USER));
	/* Who may not count the kernel cannot compare. */
	set_counts(1000, 1000, 1000);
	fake.open_alone[KERNEL] = -EACCES;
	assert_false(ignores(USER));
	fake.open_alone[KERNEL] = 0;
	fake.bad_read = did.reads + 2; /* in the first turn */
	assert_false(ignores(USER));
}

/* Opened alone: first, for each mode in turn, and for the works. */
#define IN_TURNS 5
#define TOGETHER 2

/* times that a user event is opened alone if the group's third event counts this. */
static unsigned opened(uint64_t user, uint64_t kernel, uint64_t third)
{
	struct event event = raw(USER);

	set_counts(user, kernel, user + kernel);
	fake.has_third = true;
	fake.third = third;
	did.alone = 0;
	assert_int_equal(check(&event), 0);
	return did.alone;
}

/* A PMU may accept a group and count some of its events only. Half of a mode is too few. */
TEST_WITH(modes_of_some, set_up, tear_down)
{
	assert_int_equal(opened(1000, 10, 0), IN_TURNS);
	assert_int_equal(opened(1000, 10, 499), IN_TURNS);
	assert_int_equal(opened(1000, 10, 500), TOGETHER);
	assert_int_equal(opened(10, 1000, 499), IN_TURNS);
	assert_int_equal(opened(10, 1000, 500), TOGETHER);
	assert_int_equal(opened(0, 0, 0), TOGETHER);
	fake.bad_read = did.reads + 2;
	assert_int_equal(opened(1000, 10, 1010), IN_TURNS);
}

/* Breakpoints */

static int check_uses(enum mode mode, uint64_t uses)
{
	struct event event = event_of(EVENT_BREAKPOINT, 1, mode);

	event.ask.access = EVENT_EXECUTE;
	fake.uses = uses;
	return check(&event);
}

TEST_WITH(breakpoint_count, set_up, tear_down)
{
	assert_int_equal(check_uses(USER, KNOWN_TARGET_N), 0);
	assert_int_equal(check_uses(BOTH, KNOWN_TARGET_N), 0);
	assert_int_equal(check_uses(USER, 0), EVENT_IS_WRONG);
	assert_int_equal(check_uses(USER, KNOWN_TARGET_N - 1), EVENT_IS_WRONG);
	assert_int_equal(check_uses(BOTH, 2 * KNOWN_TARGET_N), EVENT_IS_WRONG);
	expect_wrong(check_uses(USER, KNOWN_TARGET_N + 1),
		     "fake counts otherwise: 1001 of 1000 uses of an address");
	/* Only user mode uses the address. */
	assert_int_equal(check_uses(KERNEL, 0), 0);
}

TEST_WITH(breakpoint_lost, set_up, tear_down)
{
	for (unsigned read = 1; read <= 2; read++) {
		did.reads = 0;
		fake.bad_read = read;
		assert_int_equal(check_uses(USER, KNOWN_TARGET_N), -EAGAIN);
	}
}

/* The check has an address of its own for each access. */
TEST_WITH(breakpoint_access, set_up, tear_down)
{
	static const struct {
		unsigned access;
		void (*use)(void);
	} table[] = {
		{ EVENT_EXECUTE, known_call_target },
		{ EVENT_WRITE, known_write_variable },
		{ EVENT_READ, known_read_variable },
		{ EVENT_READ | EVENT_WRITE, known_write_variable },
	};

	fake.uses = KNOWN_TARGET_N;
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		struct event event = event_of(EVENT_BREAKPOINT, 1, USER);
		const bool execute = table[i].access == EVENT_EXECUTE;

		event.ask.access = table[i].access;
		event.codes[0].config[1] = 1;
		event.codes[0].config[2] = 1;
		assert_int_equal(check(&event), 0);
		assert_true(did.use == table[i].use);
		assert_int_equal(did.last.codes[0].config[2], execute ? 1 : sizeof known_variable);
		assert_true((did.last.codes[0].config[1] == (uintptr_t)&known_variable) != execute);
		assert_int_not_equal(did.last.codes[0].config[1], 1);
		assert_int_equal(event.codes[0].config[1], 1);
	}
}

/* Opening */

TEST_WITH(not_opened, set_up, tear_down)
{
	struct event event = raw(USER);

	fake.open_alone[USER] = -ENOENT;
	assert_int_equal(check(&event), -ENOENT);
	assert_string_equal(reason.what, "it cannot be opened");
	fake.open_alone[USER] = -ENOSPC;
	assert_int_equal(check(&event), -ENOSPC);
	assert_string_equal(reason.what, "fake: the PMU accepts this event, and does not count it, "
					 "at least now");
	event.hardware = false;
	assert_int_equal(check(&event), -ENOSPC);
	assert_string_equal(reason.what, "it cannot be opened");
}

/* A PMU may be unable to count user mode only. */
TEST_WITH(opened_for_both, set_up, tear_down)
{
	static const int refusals[] = { -EINVAL, -EOPNOTSUPP };
	struct event event;

	fake.counts[BOTH][KNOWN_CHAIN] = 1000;
	for (size_t i = 0; i < 2; i++) {
		fake.open_alone[USER] = fake.open_alone[KERNEL] = refusals[i];
		event = raw(USER);
		assert_int_equal(check(&event), refusals[i]); /* the letter u was given */
		event.by_default = true;
		assert_int_equal(check(&event), 0);
		assert_int_equal(mode_of(&event), BOTH);
		assert_string_equal(reason.what, "");
		event = raw(KERNEL);
		event.by_default = true;
		assert_int_equal(check(&event), refusals[i]);
	}
	fake.open_alone[BOTH] = -EACCES;
	event = raw(USER);
	event.by_default = true;
	assert_int_equal(check(&event), -EACCES);
	assert_int_equal(reason.error, EACCES);
	fake.open_alone[BOTH] = -EBUSY;
	assert_int_equal(check(&event), -EOPNOTSUPP);
	fake.open_alone[USER] = -EBUSY;
	fake.open_alone[BOTH] = 0;
	assert_int_equal(check(&event), -EBUSY);
}

/* An event that does not count all the time names its CPUs, if it has any of its own. */
TEST_WITH(lost, set_up, tear_down)
{
	struct event event = raw(BOTH);

	fake.bad_read = 1;
	assert_int_equal(check(&event), -EAGAIN);
	assert_string_equal(reason.what, "fake: it did not count all the time in a check");
	strcpy(event.cpus, "2-3");
	fake.bad_read = did.reads + 1;
	assert_int_equal(check(&event), -EAGAIN);
	assert_string_equal(reason.what, "fake: it counts on the CPUs 2-3 only");
	assert_string_equal(reason.remedy, "stay there: taskset -c 2-3");
}

UNIT_MAIN("check", NULL, NULL)
