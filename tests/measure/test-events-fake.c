/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which events a meter counts, and which it leaves out, on a fake PMU: what opens and checks events
 * is a fake, so this runs on machines without a PMU. */

#include "config.h"

#include "unit.h"
#include "events.h"
#include "reason.h"

#include <errno.h>

#define MEMBERS (EVENTS_MAX + 1)

struct event_group {
	size_t n; /* 0: it is not open */
	uint64_t counts[MEMBERS];
};

/* What the machine does. An event is known by its name, without letters. */
static struct {
	size_t registers; /* so many hardware events fit into a group */
	int full;         /* the error if they do not */
	const char *bad;  /* this one cannot be opened in a group, */
	int bad_error;    /* with this error */
	const char *wrong;
	int wrong_alone, wrong_in_group; /* what the check of this one says */
	int works;                       /* the error of the works in the group */
	unsigned bad_read;               /* the number of a read that fails, from 1 */
} fake;

static struct {
	unsigned reads, opened, closed;
	struct event cycles; /* as they were asked for */
} did;

static struct events events;
static _Alignas(16) unsigned char memory[8192];

static bool is(const struct event *event, const char *name)
{
	return name && !strncmp(event->ask.text, name, strlen(name));
}

static int answer(const struct event *event, int error, struct reason_text *reason)
{
	if (error)
		reason_say(reason, -error, "%s: fake", event->ask.text);
	return error;
}

int known_open(struct known *known)
{
	*known = (struct known){ NULL, NULL, 0 };
	return 0;
}

void known_close(struct known *known)
{
	(void)known;
}

int event_resolve(struct event *event, struct reason_text *reason)
{
	(void)reason;
	event->user = event->ask.user || !event->ask.kernel;
	event->kernel = event->ask.kernel;
	event->hardware = event->ask.source == EVENT_HARDWARE;
	if (event->by_default) { /* the cycles beside the events that were asked for */
		strcpy(event->ask.text, "cycles beside");
		did.cycles = *event;
	}
	return 0;
}

size_t event_group_bytes(void)
{
	return sizeof(struct event_group);
}

int event_group_open(struct event_group *group, const struct event *const members[], size_t n,
		     size_t *which, struct reason_text *reason)
{
	size_t hardware = 0;

	assert_int_equal(group->n, 0);
	for (size_t i = 0; i < n; i++) {
		hardware += members[i]->hardware;
		if (!is(members[i], fake.bad))
			continue;
		*which = i;
		return answer(members[i], fake.bad_error, reason);
	}
	if (hardware > fake.registers)
		return answer(members[0], fake.full, reason);
	did.opened++;
	group->n = n;
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

int event_group_lost(struct event_group *group)
{
	assert_true(group->n > 0);
	return 0;
}

void event_group_close(struct event_group *group)
{
	assert_true(group->n > 0);
	did.closed++;
	group->n = 0;
}

int event_check_alone(struct event *event, struct event_group *group, struct known *known,
		      struct reason_text *reason)
{
	(void)known;
	assert_int_equal(group->n, 0);
	return answer(event, is(event, fake.wrong) ? fake.wrong_alone : 0, reason);
}

int event_check_works(struct event_group *group, const struct event *const members[], size_t n,
		      struct known *known, struct event_finding findings[])
{
	(void)members;
	(void)known;
	assert_int_equal(group->n, n);
	memset(findings, 0, n * sizeof findings[0]);
	return fake.works;
}

int event_check_judge(const struct event *event, const struct event_finding *finding,
		      struct reason_text *reason)
{
	(void)finding;
	return answer(event, is(event, fake.wrong) ? fake.wrong_in_group : 0, reason);
}

void event_check_say_lost(const struct event *event, struct reason_text *reason)
{
	answer(event, -EAGAIN, reason);
}

/* Events */

static int set_up(UNIT_UNUSED void **state)
{
	memset(&fake, 0, sizeof fake);
	memset(&did, 0, sizeof did);
	fake.registers = MEMBERS;
	return 0;
}

static void open_events(const char *list, unsigned how)
{
	struct reason_text reason = { 0 };

	assert_true(events_bytes() <= sizeof memory);
	memset(memory, 0, sizeof memory);
	memset(&events, 0, sizeof events);
	assert_int_equal(events_open(&events, memory, list, how, &reason), 0);
}

/* Close them. Whatever was opened is closed then, and once. */
static void close_events(void)
{
	events_close(&events);
	assert_int_equal(did.closed, did.opened);
}

/* The errors of three events and of the cycles beside them. The meter's own cycles need no reason
 * for not being an event. */
static void expect_errors(int first, int second, int third, int cycles)
{
	const int expected[] = { first, second, third, cycles };

	assert_int_equal(events.n, 3);
	for (size_t i = 0; i <= events.n; i++) {
		printf("# %s: %d: %s\n", events.of[i].event.ask.text, events.of[i].error,
		       events.of[i].error ? events.of[i].reason.what : "");
		assert_int_equal(events.of[i].error, expected[i]);
		if (events.of[i].error && !events.cycles_by_meter)
			assert_int_equal(events.of[i].reason.error, -events.of[i].error);
	}
	fflush(stdout);
}

#define LIST "instructions,page-faults,branches"

/* The cycles go first, because nobody asked for them, then the last event of the PMU. What the
 * kernel counts takes no register, so it stays. */
TEST_WITH(too_few_registers, set_up, NULL)
{
	static const int full[] = { -ENOSPC, -EINVAL };

	for (size_t i = 0; i < sizeof full / sizeof full[0]; i++) {
		fake.full = full[i];
		fake.registers = 3;
		open_events(LIST, EVENTS_WITH_CYCLES);
		expect_errors(0, 0, 0, 0);
		close_events();
		fake.registers = 2;
		open_events(LIST, EVENTS_WITH_CYCLES);
		expect_errors(0, 0, 0, -ENOSPC);
		close_events();
		fake.registers = 1;
		open_events(LIST, EVENTS_WITH_CYCLES);
		expect_errors(0, 0, -ENOSPC, -ENOSPC);
		assert_string_equal(events.of[2].reason.what,
				    "branches: the PMU cannot count it at the same time as "
				    "the others");
		close_events();
		fake.registers = 0;
		open_events(LIST, EVENTS_WITH_CYCLES);
		expect_errors(-ENOSPC, 0, -ENOSPC, -ENOSPC);
		close_events();
	}
}

/* If the system says which event it is, then that one is out, with its own error. */
TEST_WITH(one_that_cannot_be, set_up, NULL)
{
	fake.bad = "instructions";
	fake.bad_error = -EMFILE;
	open_events(LIST, EVENTS_WITH_CYCLES);
	expect_errors(-EMFILE, 0, 0, 0);
	close_events();
	fake.bad = "page-faults";
	fake.bad_error = -ENOSPC;
	open_events(LIST, EVENTS_WITH_CYCLES);
	expect_errors(0, -ENOSPC, 0, 0);
	assert_string_equal(events.of[1].reason.what, "page-faults: fake");
	close_events();
}

/* The meter's own counter is a register of the PMU: one event more is out each time. */
TEST_WITH(registers_for_the_meter, set_up, NULL)
{
	open_events(LIST, 0);
	expect_errors(0, 0, 0, -EBUSY);
	assert_true(events_leave_out(&events, "the meter's"));
	expect_errors(0, 0, -EBUSY, -EBUSY);
	assert_non_null(strstr(events.of[2].reason.what, "the meter's"));
	assert_true(events_leave_out(&events, "the meter's"));
	expect_errors(-EBUSY, 0, -EBUSY, -EBUSY);
	assert_false(events_leave_out(&events, "the meter's"));
	close_events();
}

/* The modes of the cycles are those of the PMU's events that are counted, so that the two can be
 * divided. */
TEST_WITH(modes_of_the_cycles, set_up, NULL)
{
	static const struct {
		const char *list;
		bool user, kernel;
	} table[] = {
		{ "instructions", true, false },
		{ "instructions:u", true, false },
		{ "instructions:k", false, true },
		{ "instructions:uk", true, true },
		{ "instructions:k,branches:u", true, true },
		{ "instructions:k,page-faults:u", false, true },
		{ "instructions:u,page-faults:k", true, false },
		{ "page-faults:k", true, false },
		{ "branch-misses:k,instructions:u", true, false },
		{ "instructions:k,branch-misses:u", false, true },
	};

	fake.wrong = "branch-misses";
	fake.wrong_alone = -ENOENT;
	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		open_events(table[i].list, EVENTS_WITH_CYCLES);
		printf("# %s\n", table[i].list);
		fflush(stdout);
		assert_int_equal(did.cycles.user, table[i].user);
		assert_int_equal(did.cycles.kernel, table[i].kernel);
		close_events();
	}
}

/* Force is for an event that counts otherwise, and for no other error: alone, in the group, and if
 * the works could not be read. */
TEST_WITH(force, set_up, NULL)
{
	static const int errors[] = { EVENT_IS_WRONG, -ENOENT, -EACCES,  -EPERM,
				      -EAGAIN,        -EINVAL, -ENOTSUP, -EMFILE };

	fake.wrong = "branches";
	for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
		const int forced = errors[i] == EVENT_IS_WRONG ? 0 : errors[i];

		fake.wrong_in_group = 0;
		fake.wrong_alone = errors[i];
		open_events(LIST, EVENTS_WITH_CYCLES);
		expect_errors(0, 0, errors[i], 0);
		close_events();
		open_events(LIST, EVENTS_WITH_CYCLES | EVENTS_FORCE);
		expect_errors(0, 0, forced, 0);
		close_events();
		fake.wrong_alone = 0;
		fake.wrong_in_group = errors[i];
		open_events(LIST, EVENTS_WITH_CYCLES);
		expect_errors(0, 0, errors[i], 0);
		close_events();
		open_events(LIST, EVENTS_WITH_CYCLES | EVENTS_FORCE);
		expect_errors(0, 0, forced, 0);
		close_events();
	}
	fake.wrong_in_group = 0;
	fake.works = -EAGAIN;
	open_events(LIST, EVENTS_WITH_CYCLES | EVENTS_FORCE);
	expect_errors(-EAGAIN, -EAGAIN, -EAGAIN, -EAGAIN);
	close_events();
}

/* Sums */

/* Each count goes to its own event, also behind one that is not counted. Only what was counted
 * between start and stop is added. */
TEST_WITH(sums_in_order, set_up, NULL)
{
	struct event_group *group = (struct event_group *)(void *)memory;
	double sums[EVENTS_SUMS] = { 0 };
	uint64_t counts[3] = { 7, 7, 7 };

	fake.wrong = "page-faults";
	fake.wrong_alone = -ENOENT;
	open_events(LIST, EVENTS_WITH_CYCLES);
	expect_errors(0, -ENOENT, 0, 0);
	for (int i = 0; i < 2; i++) {
		group->counts[0] += 1000;
		events_start(&events);
		for (size_t member = 0; member < 3; member++)
			group->counts[member] += 10 * (member + 1);
		events_stop(&events, sums);
	}
	assert_true(sums[0] == 2 * 10 && sums[1] == 0 && sums[2] == 2 * 20);
	assert_true(sums[3] == 2 * 30);
	assert_int_equal(events_read(&events, counts, 3), 0);
	assert_int_equal(counts[0], 2 * 1010);
	assert_int_equal(counts[1], 7);
	assert_int_equal(counts[2], 2 * 20);
	close_events();
}

/* A count that cannot be read is void, whether it is the one before the work or the one behind. */
TEST_WITH(lost_counts, set_up, NULL)
{
	double sums[EVENTS_SUMS] = { 0 };

	open_events(LIST, EVENTS_WITH_CYCLES);
	for (unsigned bad = 0; bad < 3; bad++) {
		did.reads = 0;
		fake.bad_read = bad;
		events_start(&events);
		events_stop(&events, sums);
		assert_int_equal(events_are_lost(&events) != 0, bad > 0);
		assert_false(events_are_lost(&events));
	}
	close_events();
}

UNIT_MAIN("events-fake", NULL, NULL)
