/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Pruning never changes the winner. The library's own probe runs with and without pruning over a
 * list of made counters, which replaces the compiled list. Each table is a machine: random ones
 * with classes, precisions, ties, faults and counters that move late or backwards, and the recorded
 * ones of tests/data. Other tables show how the counters take turns. */

#include "config.h"

#include "unit.h"
#include "faults.h"
#include "choose.h"
#include "counters.h"
#include "guard.h"
#include "probe.h"

#include <errno.h>

#define HZ UINT64_C(2399987654)
#define ROWS 12
#define LINE_SIZE 1024

/* The number of tables, unless TEST_TABLES is set. */
#define TABLES 400

enum behaviour {
	RISES,      /* by its step, from the first read on */
	RISES_LATE, /* by more than its step, and by its step at one late read */
	STUMBLES,   /* falls in the first tries, and then rises */
	FALLS,
	FALLS_LATE,    /* in the ninth turn of each try */
	FALLS_BETWEEN, /* from each turn to the next one */
	STANDS,
	FAULTS, /* at a read */
	FAULTS_IN_SETUP,
	REFUSES, /* in setup, with an errno */
	CLOSED,
	GOES /* works once or twice, and then never again, like one that lost its descriptor */
};

static struct row {
	enum behaviour behaviour;
	long long step;
	/* RISES_LATE: the read of the step; STUMBLES: failing tries; GOES: setups that work */
	unsigned late;
	/* Since the last setup: */
	unsigned reads;
	long long now;
	unsigned setups; /* in the probe of this table */
	bool held;       /* in the last of them */
} rows[ROWS];

/* All reads of a probe, and those during which the machine is slow: from the first to before the
 * last. */
static unsigned reads_in_all;
static struct {
	unsigned first, last;
} slow;
#define SLOWER 12

/* The counters of a probe take turns of so many reads. */
#define TURN 100

/* Which rows were read in turns, and how often; and the teardowns in between. */
#define RUNS_MAX 64
#define TEARDOWN ROWS
static struct {
	size_t row;
	unsigned reads;
} runs[RUNS_MAX];
static size_t runs_n;

static struct counter made[ROWS];

/* The library's list in this program: choose.c and probe.c are linked with these counters instead
 * of counters.c. */
const struct counter *const counters_list[] = {
	&made[0], &made[1], &made[2], &made[3], &made[4],  &made[5],
	&made[6], &made[7], &made[8], &made[9], &made[10], &made[11],
};
const size_t counters_count = ROWS;

size_t counters_find(const char *name)
{
	size_t i = 0;

	while (i < ROWS && strcmp(made[i].name, name))
		i++;
	return i;
}

uint64_t counters_hash(void)
{
	return 0;
}

const struct counter *counters_last_resort(void)
{
	return counters_list[ROWS - 1];
}

static void note(size_t row)
{
	if (runs_n > 0 && runs[runs_n - 1].row == row) {
		runs[runs_n - 1].reads++;
		return;
	}
	if (runs_n < RUNS_MAX) {
		runs[runs_n].row = row;
		runs[runs_n++].reads = 1;
	}
}

static void teardown_shared(void)
{
	note(TEARDOWN);
}

static int setup_row(size_t i, bool is_held)
{
	struct row *row = &rows[i];

	row->held = is_held;
	row->reads = 0;
	row->now = 0;
	row->setups++;
	switch (row->behaviour) {
	case FAULTS_IN_SETUP:
		fault_segv(NULL);
		return 0;
	case REFUSES:
		return -EACCES;
	case CLOSED:
		return COUNTER_CLOSED;
	case GOES:
		return row->setups > row->late ? -EMFILE : 0;
	default:
		return 0;
	}
}

static long long read_row(size_t i)
{
	struct row *row = &rows[i];
	unsigned n = row->reads++, in_try = n % SELECTION_READS;
	bool is_slow = reads_in_all >= slow.first && reads_in_all < slow.last;

	reads_in_all++;
	note(i);
	switch (row->behaviour) {
	case RISES_LATE:
		return row->now += row->step + (in_try != row->late);
	case STUMBLES:
		if (in_try == 7 && n / SELECTION_READS < row->late)
			row->now -= 2 * row->step;
		return row->now += row->step;
	case FALLS:
		return row->now -= row->step;
	case FALLS_LATE:
		return row->now += n % 900 == 850 ? -row->step : row->step;
	case FALLS_BETWEEN:
		return row->now = n % TURN * row->step;
	case STANDS:
		return 5;
	case FAULTS:
		fault_segv(NULL);
		return 0;
	default:
		return row->now += is_slow ? row->step * SLOWER : row->step;
	}
}

/* Functions for each row, because a counter's function has no argument that names the row. */
#define ROW(i) \
	static int setup_##i(const struct counter_conditions *conditions) \
	{ \
		return setup_row(i, conditions->held); \
	} \
	static long long read_##i(void) \
	{ \
		return read_row(i); \
	}
ROW(0)
ROW(1)
ROW(2)
ROW(3)
ROW(4)
ROW(5)
ROW(6)
ROW(7)
ROW(8)
ROW(9)
ROW(10)
ROW(11)

#define COUNTER(i) [i] = { .name = "made-" #i, .width = 64, .setup = setup_##i, .read = read_##i }
static const struct counter models[ROWS] = {
	COUNTER(0), COUNTER(1), COUNTER(2), COUNTER(3), COUNTER(4),  COUNTER(5),
	COUNTER(6), COUNTER(7), COUNTER(8), COUNTER(9), COUNTER(10), COUNTER(11),
};

static void set_row(size_t i, enum counter_class class, enum behaviour behaviour, long long step)
{
	made[i] = models[i];
	made[i].class = class;
	rows[i] = (struct row){ .behaviour = behaviour, .step = step };
}

/* The precision that a probe of this row alone finds; 0: the counter is unusable. */
static uint64_t precision_of(size_t i)
{
	switch (rows[i].behaviour) {
	case RISES:
	case RISES_LATE:
	case STUMBLES:
	case GOES:
		return (uint64_t)rows[i].step + selection_penalty(&made[i]);
	default:
		return 0;
	}
}

/* The rule: the smallest precision wins, and of equal ones the first. ROWS if no counter works. If
 * asked, only counters that keep working take part. */
static size_t rule(bool to_stay)
{
	size_t winner = ROWS;

	for (size_t i = 0; i < ROWS - 1; i++) {
		if (precision_of(i) == 0 || (to_stay && rows[i].behaviour == GOES))
			continue;
		if (winner == ROWS || precision_of(i) < precision_of(winner))
			winner = i;
	}
	return winner;
}

static struct guard guard;
static unsigned pruned_in_all, tables_in_all;

static void probe(bool prune, struct candidate results[])
{
	for (size_t i = 0; i < ROWS; i++)
		rows[i].setups = 0;
	reads_in_all = 0;
	runs_n = 0;
	guard_acquire(&guard);
	guard_install(&guard, GUARD_ALL);
	probe_all(HZ, prune, results);
	guard_release(&guard);
}

static void print_table(void)
{
	for (size_t i = 0; i < ROWS; i++)
		print_message("row %zu: class %d, behaviour %d, step %lld, late %u\n", i,
			      made[i].class, rows[i].behaviour, rows[i].step, rows[i].late);
}

static void expect_same(const char *what, size_t got, size_t expected)
{
	if (got == expected)
		return;
	print_table();
	fail_msg("%s: got row %zu, expected %zu", what, got, expected);
}

/* No counter was pruned that could have won, and all measured precisions are correct. */
static void expect_results(const struct candidate results[], bool prune)
{
	for (size_t i = 0; i < ROWS - 1; i++) {
		if (results[i].reason == REASON_PRUNED) {
			assert_true(prune);
			pruned_in_all++;
			continue;
		}
		if (results[i].precision == precision_of(i))
			continue;
		print_table();
		fail_msg("row %zu: precision %llu", i, (unsigned long long)results[i].precision);
	}
}

static void expect_table(void)
{
	static struct candidate full[COUNTERS_MAX], pruned[COUNTERS_MAX];
	size_t expected = rule(false);

	probe(false, full);
	expect_results(full, false);
	expect_same("without pruning", selection_winner(full, ROWS), expected);
	probe(true, pruned);
	expect_results(pruned, true);
	expect_same("with pruning", selection_winner(pruned, ROWS), expected);
	tables_in_all++;
}

/* Few different values, so that there are ties, also between classes. */
static long long random_step(enum counter_class class)
{
	static const long long across[] = { 1, 2, 99, 100, 101, 102, 199, 200, 201, 202, 300 };
	uint64_t penalty = selection_penalty(&(struct counter){ .class = class });
	long long precision = across[unit_random() % (sizeof across / sizeof across[0])];

	if (unit_random() % 4 == 0)
		return 1 + (long long)unit_random_bits(12);
	return (uint64_t)precision > penalty ? precision - (long long)penalty : 1;
}

static enum behaviour random_behaviour(bool may_go)
{
	if (may_go && unit_random() % 2)
		return GOES;
	if (unit_random() % 3)
		return (enum behaviour)(unit_random() % (STUMBLES + 1));
	return (enum behaviour)(FALLS + unit_random() % (GOES - FALLS));
}

static unsigned random_late(enum behaviour behaviour)
{
	if (behaviour == STUMBLES)
		return (unsigned)(unit_random() % SELECTION_TRIES);
	if (behaviour == GOES)
		return 1 + (unsigned)(unit_random() % 2);
	/* Not the first read of a turn, before which others were read. */
	return (unsigned)(unit_random() % (SELECTION_READS / TURN)) * TURN + 1 +
	       (unsigned)(unit_random() % (TURN - 1));
}

static void random_row(size_t i, bool may_go)
{
	enum counter_class class = (enum counter_class)(unit_random() % COUNTER_LAST_RESORT);
	enum behaviour behaviour = random_behaviour(may_go);

	set_row(i, class, behaviour, random_step(class));
	rows[i].late = random_late(behaviour);
}

/* In some tables no counter works. */
static void random_table(bool may_go)
{
	bool none = unit_random() % 16 == 0;

	for (size_t i = 0; i < ROWS - 1; i++) {
		random_row(i, may_go);
		if (none)
			rows[i].behaviour =
				(enum behaviour)(FALLS + unit_random() % (GOES - FALLS));
	}
	set_row(ROWS - 1, COUNTER_LAST_RESORT, STANDS, 0);
}

static unsigned tables(void)
{
	const char *text = getenv("TEST_TABLES");

	return text ? (unsigned)strtoul(text, NULL, 10) : TABLES;
}

TEST(random_tables)
{
	for (unsigned n = tables(); n > 0; n--) {
		random_table(false);
		expect_table();
	}
	print_message("%u tables, %u counters pruned\n", tables_in_all, pruned_in_all);
	assert_true(pruned_in_all > tables_in_all);
}

/* A whole choice, in which some counters stop working before they are set up to stay. The choice is
 * then the best counter that keeps working, even if it was pruned because of one that stopped. */
TEST(what_goes)
{
	unit_write_text("persecond", "1000000000\n");
	for (unsigned n = tables(); n > 0; n--) {
		const struct choose_options options = {
			.cache = { unit_path("none"), false, unit_path("persecond") },
		};
		struct choice choice;
		size_t expected, got = 0;

		random_table(true);
		expected = rule(true);
		guard_acquire(&guard);
		guard_install(&guard, GUARD_ALL);
		choose_counter(&options, &choice);
		guard_release(&guard);
		while (counters_list[got] != choice.counter)
			got++;
		if (rows[got].behaviour == GOES && rows[got].setups <= rows[got].late)
			assert_true(expected == ROWS ||
				    precision_of(got) <= precision_of(expected));
		else
			expect_same("the choice", got, expected < ROWS ? expected : ROWS - 1);
	}
}

/* These rows work, and no others. */
static void set_rows(const struct counter *const few[], const long long steps[], size_t n)
{
	for (size_t i = 0; i < ROWS - 1; i++)
		set_row(i, i < n ? few[i]->class : COUNTER_OS_CLOCK, i < n ? RISES : REFUSES,
			i < n ? steps[i] : 1);
	for (size_t i = 0; i < n; i++)
		made[i].teardown = few[i]->teardown;
	set_row(ROWS - 1, COUNTER_LAST_RESORT, STANDS, 0);
}

static const struct counter tsc = { .class = COUNTER_OFF_CORE };
static const struct counter os_clock = { .class = COUNTER_OS_CLOCK };
static const struct counter event = { .class = COUNTER_ON_CORE, .teardown = teardown_shared };

static void expect_run(size_t *n, size_t row, unsigned reads)
{
	assert_true(*n < runs_n);
	assert_int_equal(runs[*n].row, row);
	assert_int_equal(runs[*n].reads, reads);
	++*n;
}

/* Each counter is set up once, and all are read in turns. Of the two that share what they take, the
 * second is set up as held, and both are torn down in the end. */
TEST(turns)
{
	static struct candidate results[COUNTERS_MAX];
	size_t n = 0;

	set_rows((const struct counter *const[]){ &event, &tsc, &event },
		 (const long long[]){ 500, 400, 300 }, 3);
	probe(false, results);
	for (int turn = 0; turn < SELECTION_READS / TURN; turn++)
		for (size_t i = 0; i < 3; i++)
			expect_run(&n, i, TURN);
	expect_run(&n, TEARDOWN, 2);
	assert_int_equal(runs_n, n);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(rows[i].setups, 1);
	assert_false(rows[0].held || rows[1].held);
	assert_true(rows[2].held);
	expect_same("the winner", selection_winner(results, ROWS), 2);
}

/* What a held counter takes is given back before another one takes it. */
TEST(held_turns)
{
	static struct candidate results[COUNTERS_MAX];
	size_t n = 0;

	set_rows((const struct counter *const[]){ &event, &tsc, &event },
		 (const long long[]){ 500, 400, 300 }, 3);
	probe_hold(&made[2], true);
	probe(false, results);
	probe_hold(&made[2], false);
	expect_run(&n, 0, SELECTION_READS);
	expect_run(&n, TEARDOWN, 1);
	expect_run(&n, 1, TURN);
	expect_run(&n, 2, SELECTION_READS);
	expect_run(&n, TEARDOWN, 1);
	expect_run(&n, 1, SELECTION_READS - TURN);
	assert_int_equal(runs_n, n);
	assert_true(rows[0].held && rows[2].held);
	expect_same("the winner", selection_winner(results, ROWS), 2);
}

/* The machine is slow in these reads: with and without pruning, this row wins. */
static void expect_slow(unsigned first, unsigned last, size_t winner)
{
	static struct candidate results[COUNTERS_MAX];

	slow.first = first;
	slow.last = last;
	for (int prune = 0; prune <= 1; prune++) {
		probe(prune, results);
		if (selection_winner(results, ROWS) != winner)
			fail_msg("slow in reads %u to %u: row %zu won", first, last,
				 selection_winner(results, ROWS));
	}
	slow.first = slow.last = 0;
}

/* A time-stamp counter and an OS clock, on a machine that is slow until some read, or from some
 * read on. The time-stamp counter wins, unless its turns are all slow and a turn of the clock is
 * not: that is so only if the machine changes during the last turns, or the first. */
TEST(slow_for_a_while)
{
	const unsigned reads = 2 * SELECTION_READS;

	set_rows((const struct counter *const[]){ &tsc, &os_clock }, (const long long[]){ 32, 60 },
		 2);
	for (unsigned until = 0; until <= reads - 2 * TURN; until += 10)
		expect_slow(0, until, 0);
	expect_slow(0, UINT_MAX, 0);
	set_rows((const struct counter *const[]){ &os_clock, &tsc }, (const long long[]){ 60, 32 },
		 2);
	for (unsigned from = 2 * TURN; from <= reads; from += 10)
		expect_slow(from, UINT_MAX, 1);
	expect_slow(0, UINT_MAX, 1);
}

/* What was pruned may win after all, if the counter that had beaten it fails in the end. */
TEST(failing_late)
{
	static struct candidate results[COUNTERS_MAX];

	set_rows((const struct counter *const[]){ &event, &tsc, &os_clock },
		 (const long long[]){ 1, 32, 60 }, 3);
	rows[0].behaviour = FALLS_LATE;
	probe(true, results);
	assert_int_equal(results[0].reason, REASON_DECREASED);
	expect_same("the winner", selection_winner(results, ROWS), 1);
}

/* Recorded machines. The file explains its eight columns. */

static enum counter_class class_of(const char *name)
{
	if (strstr(name, "perfevent"))
		return COUNTER_KERNEL_COUNT;
	if (!strcmp(name, "default-zero"))
		return COUNTER_LAST_RESORT;
	if (!strncmp(name, "default-", 8))
		return COUNTER_OS_CLOCK;
	if (strstr(name, "tsc") || strstr(name, "vct") || strstr(name, "mftb") ||
	    strstr(name, "rdtime") || strstr(name, "stckf") || strstr(name, "rdtick"))
		return COUNTER_OFF_CORE;
	return COUNTER_ON_CORE;
}

static size_t finish_machine(size_t n)
{
	if (n == 0)
		return 0;
	for (size_t i = n; i < ROWS - 1; i++)
		set_row(i, COUNTER_OS_CLOCK, REFUSES, 1);
	set_row(ROWS - 1, COUNTER_LAST_RESORT, STANDS, 0);
	expect_table();
	return 1;
}

/* Read machine, counter and precision. False: the line has none. */
static bool columns(char *line, char **machine, char **counter, uint64_t *precision)
{
	char *fields[8], *rest = line;

	for (int i = 0; i < 8; i++) {
		fields[i] = rest;
		rest = rest ? strchr(rest, '\t') : NULL;
		if (rest)
			*rest++ = 0;
	}
	if (*line == '#' || !fields[5])
		return false;
	*machine = fields[0];
	*counter = fields[4];
	*precision = strtoull(fields[5], NULL, 10);
	return true;
}

TEST(recorded_machines)
{
	static char line[LINE_SIZE], last[LINE_SIZE], path[PATH_MAX];
	size_t n = 0, machines = 0;
	FILE *file;

	snprintf(path, sizeof path, "%s/tests/data/machines.tsv", getenv("top_srcdir"));
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof line, file)) {
		char *machine, *counter;
		uint64_t precision, penalty;

		if (!columns(line, &machine, &counter, &precision))
			continue;
		if (strcmp(machine, last)) {
			machines += finish_machine(n);
			n = 0;
		}
		strcpy(last, machine);
		if (!strcmp(counter, "default-zero"))
			continue;
		assert_true(n < ROWS - 1);
		penalty = selection_penalty(&(struct counter){ .class = class_of(counter) });
		set_row(n++, class_of(counter), precision > penalty ? RISES : REFUSES,
			precision > penalty ? (long long)(precision - penalty) : 1);
	}
	machines += finish_machine(n);
	fclose(file);
	print_message("%zu machines\n", machines);
	assert_true(machines >= 6);
}

int main(void)
{
	unit_seed();
	if (fault_prepare())
		return 99;
	return unit_run("pruning", unit_folder_make, unit_folder_remove);
}
