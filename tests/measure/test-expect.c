/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What is known of events before they are counted. */

#include "config.h"

#include "unit.h"
#include "events/expect.h"

/* Parts of struct event_ask that matter here. */
static struct event_ask ask_for(enum event_source source, uint64_t number)
{
	return (struct event_ask){ .source = source, .number = number };
}

static struct event_ask ask_pmu(const char *pmu, const char *terms)
{
	struct event_ask ask = { .source = EVENT_PMU };

	strcpy(ask.pmu, pmu);
	strcpy(ask.terms, terms);
	return ask;
}

/* In user mode, if the chain is of this architecture's own instructions. */
static struct expectation expect(struct event_ask ask)
{
	struct expectation e;

	assert_true(expect_event(&ask, true, false, false, &e));
	assert_true(e.least > 0 && e.most >= e.least);
	return e;
}

static bool is_known(struct event_ask ask, bool user, bool kernel, bool portable)
{
	struct expectation e;

	return expect_event(&ask, user, kernel, portable, &e);
}

/* Counts of the kernel's own events (perf_event_open(2)) that are right, and some that are not. */
TEST(counts)
{
	static const struct {
		enum event_source source;
		uint64_t number;
		enum known_work work;
		double right, few, many;
	} table[] = {
		{ EVENT_HARDWARE, 0, KNOWN_CHAIN, 100000, 50000, 200000 },
		{ EVENT_HARDWARE, 1, KNOWN_CHAIN, 100300, 99999, 110000 },
		{ EVENT_HARDWARE, 4, KNOWN_BRANCHES, 10010, 9999, 30000 },
		{ EVENT_HARDWARE, 5, KNOWN_GUESSES, 5000, 100, 20000 },
		{ EVENT_CACHE, 0, KNOWN_MEMORY, 20000, 19999, 200000 },
		{ EVENT_CACHE, 0x100, KNOWN_MEMORY, 20000, 19999, 200000 },
		{ EVENT_SOFTWARE, 2, KNOWN_PAGES, 64, 63, 128 },
		{ EVENT_SOFTWARE, 5, KNOWN_PAGES, 64, 63, 128 },
		{ EVENT_SOFTWARE, 3, KNOWN_SLEEPS, 10, 9, 10000 },
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		const struct expectation e = expect(ask_for(table[i].source, table[i].number));

		assert_int_equal(e.work, table[i].work);
		assert_int_equal(e.unit, EXPECT_TIMES);
		assert_true(table[i].right >= e.least && table[i].right <= e.most);
		assert_true(table[i].few < e.least && table[i].many > e.most);
	}
}

/* Clocks are compared with other clocks. */
TEST(clocks)
{
	struct expectation e;

	for (uint64_t number = 0; number < 2; number++) {
		e = expect(ask_for(EVENT_SOFTWARE, number));
		assert_int_equal(e.unit, EXPECT_NS);
		assert_true(e.least < 1 && e.most > 1);
	}
	e = expect(ask_pmu("msr", "tsc"));
	assert_int_equal(e.unit, EXPECT_TSC);
	assert_true(e.least < 1 && e.most > 1);
	/* It counts both modes, whatever was asked for. */
	assert_true(is_known(ask_pmu("msr", "tsc"), true, true, true));
	assert_false(is_known(ask_pmu("msr", "aperf"), true, true, false));
	assert_false(is_known(ask_pmu("other", "tsc"), true, true, false));
}

/* PMUs name the generic events in sysfs, too. */
TEST(names)
{
	static const char *const same[] = { "cpu-cycles", "instructions", "branch-instructions",
					    "branch-misses" };
	static const uint64_t numbers[] = { 0, 1, 4, 5 };

	for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
		const struct expectation e = expect(ask_pmu("cpu_atom", same[i]));
		const struct expectation generic = expect(ask_for(EVENT_HARDWARE, numbers[i]));

		assert_int_equal(e.work, generic.work);
		assert_true(e.least == generic.least && e.most == generic.most);
	}
	assert_false(is_known(ask_pmu("cpu", "instructions,cmask=1"), true, false, false));
	assert_false(is_known(ask_pmu("cpu", "event=0xc0"), true, false, false));
}

/* Nobody knows how often these happen in the works. */
TEST(unknown)
{
	static const struct {
		enum event_source source;
		uint64_t number;
	} table[] = {
		{ EVENT_HARDWARE, 2 }, { EVENT_HARDWARE, 3 },    { EVENT_HARDWARE, 6 },
		{ EVENT_HARDWARE, 7 }, { EVENT_HARDWARE, 9 },    { EVENT_SOFTWARE, 4 },
		{ EVENT_SOFTWARE, 6 }, { EVENT_CACHE, 0x10000 }, { EVENT_CACHE, 1 },
		{ EVENT_RAW, 1 },      { EVENT_RAW, 0xc0 },      { EVENT_WORD, 0xc0 },
		{ EVENT_OTHER, 1 },    { EVENT_BREAKPOINT, 1 },
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
		assert_false(
			is_known(ask_for(table[i].source, table[i].number), true, false, false));
}

TEST(modes)
{
	const struct event_ask instructions = ask_for(EVENT_HARDWARE, 1);
	const struct event_ask faults = ask_for(EVENT_SOFTWARE, 2);
	const struct event_ask switches = ask_for(EVENT_SOFTWARE, 3);
	struct expectation user, both;

	/* The works are those of user mode, but for the switches, which are the kernel's. */
	assert_false(is_known(instructions, false, true, false));
	assert_false(is_known(faults, false, true, false));
	assert_true(is_known(switches, false, true, false));
	assert_true(is_known(switches, true, true, false));
	/* With the kernel, interrupts come on top; but there are no more page faults. */
	user = expect(instructions);
	assert_true(expect_event(&instructions, true, true, false, &both));
	assert_true(both.least == user.least && both.most > user.most);
	user = expect(faults);
	assert_true(expect_event(&faults, true, true, false, &both));
	assert_true(both.least == user.least && both.most == user.most);
}

/* A compiler makes the chain as long as it likes, and takes its time. */
TEST(portable)
{
	assert_false(is_known(ask_for(EVENT_HARDWARE, 0), true, false, true));
	assert_false(is_known(ask_for(EVENT_HARDWARE, 1), true, false, true));
	assert_true(is_known(ask_for(EVENT_HARDWARE, 4), true, false, true));
	assert_true(is_known(ask_for(EVENT_SOFTWARE, 1), true, false, true));
	assert_true(is_known(ask_for(EVENT_SOFTWARE, 2), true, false, true));
}

TEST(ignored_modes)
{
	assert_true(expect_ignores_modes(1000, 1000, 1000));
	assert_true(expect_ignores_modes(1001, 950, 1000));
	assert_true(expect_ignores_modes(901, 901, 1000));
	assert_false(expect_ignores_modes(899, 1000, 1000));
	assert_false(expect_ignores_modes(1000, 899, 1000));
	assert_false(expect_ignores_modes(1000, 10, 1010));
	assert_false(expect_ignores_modes(10, 1000, 1010));
	assert_false(expect_ignores_modes(500, 500, 1000));
	assert_false(expect_ignores_modes(1000, 0, 1000));
	assert_false(expect_ignores_modes(0, 1000, 1000));
	/* What counts nothing says nothing of modes. */
	assert_false(expect_ignores_modes(0, 0, 0));
}

UNIT_MAIN("expect", NULL, NULL)
