/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Pruning never changes the winner. The library's own probe runs with and without pruning over a
 * list of made counters, which replaces the compiled list. Each table is a machine: random ones
 * with classes, precisions, ties, faults and counters that move late or backwards, and the recorded
 * ones of tests/data. */

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
} rows[ROWS];

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

static int setup_row(size_t i)
{
	struct row *row = &rows[i];

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

	switch (row->behaviour) {
	case RISES_LATE:
		return row->now += row->step + (in_try != row->late);
	case STUMBLES:
		if (in_try == 7 && n / SELECTION_READS < row->late)
			row->now -= 2 * row->step;
		return row->now += row->step;
	case FALLS:
		return row->now -= row->step;
	case STANDS:
		return 5;
	case FAULTS:
		fault_segv(NULL);
		return 0;
	default:
		return row->now += row->step;
	}
}

/* Functions for each row, because a counter's function has no argument that names the row. */
#define ROW(i) \
	static int setup_##i(const struct counter_conditions *conditions) \
	{ \
		(void)conditions; \
		return setup_row(i); \
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
	return 1 + (unsigned)(unit_random() % (SELECTION_READS - 1));
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

static void random_tables(void **state)
{
	(void)state;
	for (unsigned n = tables(); n > 0; n--) {
		random_table(false);
		expect_table();
	}
	print_message("%u tables, %u counters pruned\n", tables_in_all, pruned_in_all);
	assert_true(pruned_in_all > tables_in_all);
}

/* A whole choice, in which some counters stop working before they are set up to stay. The choice is
 * then the best counter that keeps working, even if it was pruned because of one that stopped. */
static void what_goes(void **state)
{
	(void)state;
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

static void recorded_machines(void **state)
{
	static char line[LINE_SIZE], last[LINE_SIZE], path[PATH_MAX];
	size_t n = 0, machines = 0;
	FILE *file;

	(void)state;
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
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_tables),
		cmocka_unit_test(what_goes),
		cmocka_unit_test(recorded_machines),
	};

	unit_seed();
	if (fault_prepare())
		return 99;
	return cmocka_run_group_tests_name("pruning", tests, unit_folder_make, unit_folder_remove);
}
