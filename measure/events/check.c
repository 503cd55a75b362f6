/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "check.h"
#include "chain.h"
#include "current-cpu.h"
#include "number.h"
#include "reason.h"
#include "tsc.h"

#include <errno.h>
#include <math.h>
#include <time.h>

/* The thread may be off its CPU in the middle of a work, and a virtual CPU off its host's; then
 * clocks and events do not count the same. An event that counts otherwise does so in each try. */
#define CHECK_TRIES 5

static const char *const work_names[KNOWN_WORKS] = {
	[KNOWN_CHAIN] = "a chain of instructions",
	[KNOWN_BRANCHES] = "a loop",
	[KNOWN_GUESSES] = "branches by chance",
	[KNOWN_PAGES] = "the first use of 64 pages",
	[KNOWN_CALLS] = "system calls",
	[KNOWN_MEMORY] = "a walk through memory",
	[KNOWN_SLEEPS] = "short sleeps",
};

/* Nanoseconds that this thread has run. */
static double thread_ns(void)
{
	struct timespec time;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time))
		return NAN;
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* The counts of one work. */
struct measured {
	uint64_t before[EVENT_MEMBERS_MAX], after[EVENT_MEMBERS_MAX];
	double ns, tsc;
};

static int measure_work(struct event_group *group, struct known *known, enum known_work work,
			struct measured *m)
{
	int error = known_prepare(known, work);

	if (!error)
		error = event_group_read(group, m->before);
	if (error)
		return error;
	m->ns = -thread_ns();
	m->tsc = -(double)tsc_read();
	known_run(known, work);
	m->ns += thread_ns();
	m->tsc += (double)tsc_read();
	return event_group_read(group, m->after);
}

static void keep_count(const struct measured *m, size_t i, enum known_work work,
		       struct event_finding *finding)
{
	const double counted = (double)(m->after[i] - m->before[i]);
	const struct expectation *e = &finding->expectation;

	if (!finding->expected) {
		finding->counted += counted;
	} else if (e->work == work) {
		finding->counted = counted;
		finding->unit = e->unit == EXPECT_NS ? m->ns : e->unit == EXPECT_TSC ? m->tsc : 1;
	}
}

static int run_works(struct event_group *group, const struct event *const events[], size_t n,
		     struct known *known, struct event_finding findings[])
{
	struct measured m;

	for (size_t i = 0; i < n; i++) {
		findings[i] = (struct event_finding){ .unit = 1 };
		findings[i].expected =
			expect_event(&events[i]->ask, events[i]->user, events[i]->kernel,
				     chain_is_portable(), &findings[i].expectation);
	}
	for (enum known_work work = 0; work < KNOWN_WORKS; work++) {
		const int error = measure_work(group, known, work, &m);

		if (error)
			return error;
		for (size_t i = 0; i < n; i++)
			keep_count(&m, i, work, &findings[i]);
	}
	return 0;
}

/* No comparison holds for an unknown time, which is no number: then the answer is unknown. */
static bool is_as_expected(const struct event_finding *f)
{
	return !f->expected || isnan(f->unit) ||
	       (f->counted >= f->expectation.least * f->unit &&
		f->counted <= f->expectation.most * f->unit);
}

static bool are_as_expected(const struct event_finding findings[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_as_expected(&findings[i]))
			return false;
	return true;
}

int event_check_works(struct event_group *group, const struct event *const events[], size_t n,
		      struct known *known, struct event_finding findings[])
{
	for (int i = 0; i < CHECK_TRIES; i++) {
		const int error = run_works(group, events, n, known, findings);

		if (error || are_as_expected(findings, n))
			return error;
	}
	return 0;
}

static int wrong(struct reason_text *reason)
{
	reason_remedy(reason, "if you know better: --force (CPUCYCLES_METER_FORCE)");
	return EVENT_IS_WRONG;
}

int event_check_judge(const struct event *event, const struct event_finding *finding,
		      struct reason_text *reason)
{
	const struct expectation *e = &finding->expectation;
	const double least = e->least * finding->unit, most = e->most * finding->unit;

	if (!is_as_expected(finding)) {
		reason_say(reason, 0, "%s counts otherwise: %s for %s, expected %s to %s",
			   event->ask.text, number_digits(6, finding->counted).text,
			   work_names[e->work], number_digits(6, least).text,
			   number_digits(6, most).text);
		return wrong(reason);
	}
	/* The kernel's own events are there, however seldom they happen. */
	if (finding->expected || finding->counted > 0 || !event->hardware)
		return 0;
	reason_say(reason, 0, "%s counts nothing in any known work: perhaps the PMU lacks it",
		   event->ask.text);
	return wrong(reason);
}

/* Open one event alone. */
static int open_alone(const struct event *event, struct event_group *memory,
		      struct reason_text *reason)
{
	size_t which;

	return event_group_open(memory, &event, 1, &which, reason);
}

static struct event in_modes(const struct event *event, bool user, bool kernel)
{
	struct event copy = *event;

	copy.user = user;
	copy.kernel = kernel;
	return copy;
}

static int sum_works(struct event_group *group, struct known *known, size_t n, double sums[])
{
	struct measured m;

	for (size_t i = 0; i < n; i++)
		sums[i] = 0;
	for (enum known_work work = 0; work < KNOWN_SLEEPS; work++) {
		const int error = measure_work(group, known, work, &m);

		if (error)
			return error;
		for (size_t i = 0; i < n; i++)
			sums[i] += (double)(m.after[i] - m.before[i]);
	}
	return 0;
}

/* One after the other, for PMUs that count an event once at a time. */
static int modes_in_turn(const struct event *const modes[3], struct event_group *memory,
			 struct known *known, double sums[3])
{
	for (int i = 0; i < 3; i++) {
		int error = open_alone(modes[i], memory, NULL);

		if (error)
			return error;
		error = sum_works(memory, known, 1, &sums[i]);
		event_group_close(memory);
		if (error)
			return error;
	}
	return 0;
}

/* The counts of the works in user mode, in the kernel and in both. */
static int count_modes(const struct event *event, struct event_group *memory, struct known *known,
		       double sums[3])
{
	const struct event user = in_modes(event, true, false);
	const struct event kernel = in_modes(event, false, true);
	const struct event both = in_modes(event, true, true);
	const struct event *const modes[3] = { &user, &kernel, &both };
	size_t which;
	int error = event_group_open(memory, modes, 3, &which, NULL);

	if (error)
		return modes_in_turn(modes, memory, known, sums);
	error = sum_works(memory, known, 3, sums);
	event_group_close(memory);
	/* Some PMUs accept a group and count its first event only. Clocks differ a little by the
	 * order in which they are read, and would differ more by their works in turn. */
	if (error || sums[2] < sums[0] / 2 || sums[2] < sums[1] / 2)
		return modes_in_turn(modes, memory, known, sums);
	return 0;
}

static int check_modes(struct event *event, struct event_group *memory, struct known *known,
		       struct reason_text *reason)
{
	double sums[3];

	if (event->user == event->kernel || event->ask.source == EVENT_BREAKPOINT)
		return 0;
	/* Who may not count the kernel cannot compare. */
	if (count_modes(event, memory, known, sums) ||
	    !expect_ignores_modes(sums[0], sums[1], sums[2]))
		return 0;
	if (event->by_default) {
		event->user = event->kernel = true;
		return 0;
	}
	reason_say(reason, 0,
		   "%s ignores u and k: it counts %s in user mode, %s in the kernel and "
		   "%s in both",
		   event->ask.text, number_digits(6, sums[0]).text, number_digits(6, sums[1]).text,
		   number_digits(6, sums[2]).text);
	return wrong(reason);
}

/* A breakpoint of the same kind on an address of this library. */
static struct event own_breakpoint(const struct event *event, void (**use)(void))
{
	struct event own = *event;
	struct event_code *code = &own.codes[0];
	union {
		void (*function)(void);
		uintptr_t address;
	} target = { .function = known_target };

	if (event->ask.access & EVENT_EXECUTE) {
		code->config[1] = target.address;
		*use = known_call_target;
	} else {
		code->config[1] = (uintptr_t)&known_variable;
		code->config[2] = sizeof known_variable;
		*use = event->ask.access & EVENT_WRITE ? known_write_variable : known_read_variable;
	}
	return own;
}

static int check_breakpoint(const struct event *event, struct event_group *memory,
			    struct reason_text *reason)
{
	void (*use)(void);
	const struct event own = own_breakpoint(event, &use);
	uint64_t before = 0, after = 0;
	int error = open_alone(&own, memory, reason);

	if (error)
		return error;
	error = event_group_read(memory, &before);
	use();
	if (!error)
		error = event_group_read(memory, &after);
	event_group_close(memory);
	/* A breakpoint for the kernel alone does not meet this library. */
	if (error || !event->user || after - before == KNOWN_TARGET_N)
		return error;
	reason_say(reason, 0, "%s counts otherwise: %llu of %d uses of an address", event->ask.text,
		   (unsigned long long)(after - before), KNOWN_TARGET_N);
	return wrong(reason);
}

void event_check_say_lost(const struct event *event, struct reason_text *reason)
{
	if (event->cpus[0]) {
		reason_say(reason, EAGAIN, "%s: it counts on the CPUs %s only", event->ask.text,
			   event->cpus);
		reason_remedy(reason, "stay there: taskset -c %s", event->cpus);
		return;
	}
	reason_say(reason, EAGAIN, "%s: it did not count all the time in a check", event->ask.text);
	reason_remedy(reason, "measure again, on one CPU: taskset -c %d", current_cpu_or_0());
}

/* Also alone, so that what a PMU lacks takes no register from the other events of a group. */
static int check_works(const struct event *event, struct event_group *memory, struct known *known,
		       struct reason_text *reason)
{
	struct event_finding finding;
	int error = open_alone(event, memory, reason);

	if (error)
		return error;
	error = event_check_works(memory, &event, 1, known, &finding);
	event_group_close(memory);
	if (!error)
		return event_check_judge(event, &finding, reason);
	event_check_say_lost(event, reason);
	return error;
}

int event_check_alone(struct event *event, struct event_group *memory, struct known *known,
		      struct reason_text *reason)
{
	int error = open_alone(event, memory, reason);

	if ((error == -EINVAL || error == -EOPNOTSUPP) && event->by_default && !event->kernel) {
		const struct event both = in_modes(event, true, true);
		struct reason_text of_both;

		if (!open_alone(&both, memory, &of_both)) {
			*event = both;
			reason_clear(reason);
			error = 0;
		} else if (of_both.error == EACCES) {
			*reason = of_both;
			error = -EACCES;
		}
	}
	if (error == -ENOSPC && event->hardware) {
		reason_say(reason, ENOSPC,
			   "%s: the PMU accepts this event, and does not count it, at least now",
			   event->ask.text);
		reason_remedy(reason, "end other programs that count events, if there are any");
	}
	if (error)
		return error;
	event_group_close(memory);
	if (event->ask.source == EVENT_BREAKPOINT)
		return check_breakpoint(event, memory, reason);
	error = check_modes(event, memory, known, reason);
	return error ? error : check_works(event, memory, known, reason);
}
