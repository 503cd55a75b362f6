/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "regress.h"

#include <dirent.h>
#include <inttypes.h>

/* An emulator takes twenty times as long for floating point. */
#define ROUNDS (getenv("emulator") && *getenv("emulator") ? 250 : 2000)

static struct regress_pair pairs[REGRESS_PAIRS_MAX + 10];

static void print_rate(const char *what, struct rate rate, const struct regress_report *report)
{
	printf("# %s: %" PRIu64 " Hz within %" PRIu32 " ppm, %zu pairs over %" PRIu64
	       " ns, %zu lines\n",
	       what, rate.hz, rate.ppm, report->used, report->span_ns, report->lines);
}

/* Whether the truth lies within the bound, which includes the rounding to Hz. */
static bool holds(struct rate rate, double truth)
{
	double hz = (double)rate.hz;

	return truth >= hz - hz * rate.ppm / 1e6 && truth <= hz + hz * rate.ppm / 1e6;
}

/* The files of tests/data/rates are replayed. */

struct replay {
	struct regress_run run;
	bool has_step, has_expected, unknown;
	double hz;    /* expected */
	unsigned ppm; /* the widest bound that is good enough */
};

static void take_line(const char *line, struct replay *replay)
{
	struct regress_pair *pair = &pairs[replay->run.n];
	double hz;
	unsigned ppm;

	if (line[0] == '#')
		return;
	if (sscanf(line, "step %" SCNu64 " ns %" SCNu64, &replay->run.step,
		   &replay->run.clock_step) == 2) {
		replay->has_step = true;
	} else if (!strcmp(line, "expect unknown\n")) {
		replay->has_expected = replay->unknown = true;
	} else if (sscanf(line, "expect %lf %u", &hz, &ppm) == 2) {
		replay->has_expected = true;
		replay->hz = hz;
		replay->ppm = ppm;
	} else {
		assert_int_equal(sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64, &pair->before,
					&pair->ns, &pair->after),
				 3);
		assert_true(++replay->run.n <= REGRESS_PAIRS_MAX);
	}
}

static void replay_file(const char *path, const char *name)
{
	struct replay replay = { .run.pairs = pairs };
	struct regress_report report;
	struct rate rate;
	char line[256];
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	while (fgets(line, sizeof line, file))
		take_line(line, &replay);
	fclose(file);
	assert_true(replay.has_step && replay.has_expected);
	rate = regress_rate(&replay.run, &report);
	print_rate(name, rate, &report);
	if (replay.unknown && rate.hz)
		fail_msg("%s: expected: unknown", name);
	if (replay.unknown)
		return;
	if (!holds(rate, replay.hz))
		fail_msg("%s: expected %.0f Hz to be within the bound", name, replay.hz);
	if (rate.ppm > replay.ppm)
		fail_msg("%s: expected at most %u ppm", name, replay.ppm);
}

static void replay_all(void **state)
{
	const char *source = getenv("top_srcdir");
	char folder[PATH_MAX - 256], path[PATH_MAX];
	const struct dirent *entry;
	unsigned files = 0;
	DIR *all;

	(void)state;
	snprintf(folder, sizeof folder, "%s/tests/data/rates", source ? source : ".");
	all = opendir(folder);
	assert_non_null(all);
	while ((entry = readdir(all))) {
		size_t length = strlen(entry->d_name);

		if (length < 5 || strcmp(entry->d_name + length - 4, ".tsv"))
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		replay_file(path, entry->d_name);
		files++;
	}
	closedir(all);
	printf("# %u runs replayed\n", files);
	assert_true(files >= 15);
}

/* Random machines. */

struct machine {
	double hz;
	double step, clock_step;
	double read_ns; /* from a reading of the counter to that of the clock, at most */
	unsigned noisy; /* readings of 100 that are interrupted */
	unsigned gaps;  /* pauses of 100 that are long */
	unsigned jumps; /* in the whole run */
	size_t n;
};

static double unit_real(void)
{
	return (double)(unit_random() >> 11) / 9007199254740992.0;
}

/* Numbers of all sizes are equally likely. */
static double random_size(double least, unsigned decades)
{
	double size = least * (1 + 9 * unit_real());

	for (uint64_t i = unit_random() % decades; i > 0; i--)
		size *= 10;
	return size;
}

static struct machine random_machine(void)
{
	struct machine m = {
		.hz = random_size(1e6, 4),
		.step = 1,
		.clock_step = unit_random() % 3 ? 1 : 1 + (double)(unit_random() % 1000),
		.read_ns = 5 + unit_real() * 1000,
		.noisy = (unsigned)(unit_random() % 40),
		.gaps = (unsigned)(unit_random() % 20),
		.jumps = (unsigned)(unit_random() % 4),
		.n = 30 + (unsigned)(unit_random() % (REGRESS_PAIRS_MAX - 30)),
	};

	if (unit_random() % 4 == 0)
		m.step = 1 + (double)(unit_random() % 5000);
	return m;
}

static uint64_t floor_to(double value, double step)
{
	return (uint64_t)(value / step) * (uint64_t)step;
}

/* The first jump has any size and may be too small to be seen. The others are large: two that
 * cannot be seen would be a change of the rate. */
static double random_jump(const struct machine *m, unsigned earlier)
{
	double unit = m->read_ns + m->clock_step + m->step * 1e9 / m->hz;
	double size = unit * (earlier ? random_size(100, 3) : random_size(0.01, 7));

	return unit_random() % 2 ? size : -size;
}

static void read_machine(const struct machine *m)
{
	double t = 0, clock = 1e12, count = 1e12;
	unsigned jumped = 0;

	for (size_t i = 0; i < m->n; i++) {
		double first = unit_real() * m->read_ns, second = unit_real() * m->read_ns;

		t += 1e5 + unit_real() * 1e5;
		if (unit_random() % 100 < m->gaps)
			t += unit_real() * 2e7;
		if (unit_random() % 100 < m->noisy)
			*(unit_random() % 2 ? &first : &second) += unit_real() * 1e6;
		if (m->jumps && unit_random() % m->n < m->jumps)
			*(unit_random() % 2 ? &clock : &count) += random_jump(m, jumped++);
		pairs[i].before = floor_to(count + t * m->hz / 1e9, m->step);
		pairs[i].ns = floor_to(clock + t + first, m->clock_step);
		pairs[i].after = floor_to(count + (t + first + second) * m->hz / 1e9, m->step);
		t += first + second;
	}
}

static void truth_is_within(void **state)
{
	unsigned known = 0;
	uint32_t worst = 0;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		const struct machine m = random_machine();
		struct regress_report report;
		struct rate rate;

		read_machine(&m);
		rate = regress_rate(&(struct regress_run){ pairs, m.n, (uint64_t)m.step,
							   (uint64_t)m.clock_step },
				    &report);
		if (rate.hz == 0)
			continue;
		known++;
		if (rate.ppm > worst)
			worst = rate.ppm;
		if (holds(rate, m.hz))
			continue;
		print_rate("outside", rate, &report);
		fail_msg("round %d: the truth is %.1f Hz; read %.0f ns, steps %.0f and %.0f ns, "
			 "%u jumps, %zu pairs",
			 round, m.hz, m.read_ns, m.step, m.clock_step, m.jumps, m.n);
	}
	printf("# %u of %d runs gave a rate, all of them within its bound; the widest is %" PRIu32
	       " ppm\n",
	       known, ROUNDS, worst);
	assert_true(known > ROUNDS * 9 / 10);
}

/* Without noise the bound has to be narrow. A bound that is always wide would be right, but
 * useless. */
static void bound_is_narrow(void **state)
{
	struct machine m = { 2.5e9, 1, 1, 30, 0, 0, 0, 250 };
	struct regress_report report;
	struct rate rate;

	(void)state;
	read_machine(&m);
	rate = regress_rate(&(struct regress_run){ pairs, m.n, 1, 1 }, &report);
	print_rate("quiet", rate, &report);
	assert_int_equal(report.lines, 1);
	assert_int_equal(report.used, m.n);
	assert_in_range(rate.ppm, 1, 10);
	/* A longer run gives a narrower bound. */
	m.n = 60;
	read_machine(&m);
	assert_true(regress_rate(&(struct regress_run){ pairs, m.n, 1, 1 }, &report).ppm >
		    rate.ppm);
}

static void parts_that_exclude_one_another(void **state)
{
	struct machine m = { 2.5e9, 1, 1, 30, 0, 0, 0, 100 };
	struct regress_report report;
	struct regress_pair slow[100];
	struct rate rate;

	(void)state;
	read_machine(&m);
	memcpy(slow, pairs, sizeof slow);
	m.hz = 2.501e9;
	m.n = 200;
	read_machine(&m);
	memcpy(pairs, slow, sizeof slow);
	rate = regress_rate(&(struct regress_run){ pairs, m.n, 1, 1 }, &report);
	print_rate("2500 MHz, then 2501 MHz", rate, &report);
	assert_true(holds(rate, 2.5e9));
	assert_true(holds(rate, 2.501e9));
}

static void nothing_to_say(void **state)
{
	struct regress_report report;

	(void)state;
	memset(pairs, 0, sizeof pairs);
	assert_int_equal(regress_rate(&(struct regress_run){ pairs, 0, 1, 1 }, &report).hz, 0);
	assert_int_equal(regress_rate(&(struct regress_run){ pairs, 1, 1, 1 }, &report).hz, 0);
	assert_int_equal(regress_rate(&(struct regress_run){ pairs, 300, 1, 1 }, &report).hz, 0);
	/* A run that is too long is cut, and nothing is read beyond. */
	assert_int_equal(regress_rate(&(struct regress_run){ pairs, REGRESS_PAIRS_MAX + 10, 1, 1 },
				      &report)
				 .hz,
			 0);
	for (size_t i = 0; i < 300; i++)
		pairs[i] = (struct regress_pair){ UINT64_MAX - i, i, 1000 * i };
	assert_int_equal(regress_rate(&(struct regress_run){ pairs, 300, 1, 1 }, &report).hz, 0);
	/* Rates that no counter has. */
	for (size_t i = 0; i < 300; i++)
		pairs[i] = (struct regress_pair){ i, i, UINT64_C(10000000000) * i };
	assert_int_equal(regress_rate(&(struct regress_run){ pairs, 300, 1, 1 }, &report).hz, 0);
}

/* A counter that wraps is like one that begins at another count. */
static void counts_near_the_end(void **state)
{
	const struct machine m = { 2.5e9, 1, 1, 30, 0, 0, 0, 100 };
	struct regress_report report;
	struct rate rate;
	uint64_t more;

	(void)state;
	read_machine(&m);
	more = UINT64_MAX - pairs[50].before;
	for (size_t i = 0; i < m.n; i++) {
		pairs[i].before += more;
		pairs[i].after += more;
	}
	rate = regress_rate(&(struct regress_run){ pairs, m.n, 1, 1 }, &report);
	print_rate("over the end of 64 bits", rate, &report);
	assert_true(holds(rate, m.hz));
	assert_int_equal(report.lines, 1);
}

/* The best of many batches. */

static void best_of_many(void **state)
{
	uint64_t times[400];

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		double ns = 20000 + unit_real() * 60000, hz = 1e8 + unit_real() * 5e9;
		size_t n = 20 + (size_t)(unit_random() % 380), fast = n / 3;
		struct rate rate;

		for (size_t i = 0; i < n; i++)
			times[i] =
				(uint64_t)(ns + (i < fast ? unit_real() * 30 : unit_real() * 1e6));
		times[n - 1] = unit_random() % 2 ? 0 : (uint64_t)(ns / 2); /* the clock slipped */
		rate = regress_best(times, n, (uint64_t)(hz * ns / 1e9), 25);
		if (!holds(rate, hz))
			fail_msg("got %" PRIu64 " Hz within %" PRIu32 " ppm, expected %.0f",
				 rate.hz, rate.ppm, hz);
		assert_true(rate.ppm < 5000);
	}
}

/*
 * The bound is the spread of the fastest quarter, counted from the time that is taken, and a step
 * of the clock. Each of the times is 100 ppm longer than the one before, so a quarter that ends at
 * another time gives another bound.
 */
static void bound_is_the_fastest_quarter(void **state)
{
	static const struct {
		size_t slipped, n; /* times of 0, and all */
		uint32_t ppm;      /* 100 for each time, 1 ns of 10000; and 1 for rounding up */
	} cases[] = {
		{ 0, 8, 200 },
		{ 0, 40, 1000 },
		{ 0, 43, 1000 },
		{ 0, 44, 1100 },
		/* Times that are left out before the one that is taken are no part of the
		 * quarter. */
		{ 8, 48, 1000 },
		{ 12, 32, 500 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		for (uint64_t clock_step = 0; clock_step <= 3; clock_step++) {
			uint64_t times[48];
			struct rate rate;

			/* From the slowest on: the caller need not sort them. */
			for (size_t j = 0; j < cases[i].n; j++)
				times[cases[i].n - 1 - j] =
					j < cases[i].slipped ?
						0 :
						10000 + (uint64_t)(j - cases[i].slipped);
			rate = regress_best(times, cases[i].n, 20000, clock_step);
			assert_int_equal(rate.hz, 2000000000);
			assert_int_equal(rate.ppm, cases[i].ppm + 100 * clock_step + 1);
		}
	}
}

static void no_best(void **state)
{
	uint64_t times[100];

	(void)state;
	memset(times, 0, sizeof times);
	assert_int_equal(regress_best(times, 100, 1000, 1).hz, 0);
	assert_int_equal(regress_best(times, 0, 1000, 1).hz, 0);
	for (size_t i = 0; i < 100; i++)
		times[i] = 1000 + 300 * i; /* no two confirm each other */
	assert_int_equal(regress_best(times, 20, 1000, 1).hz, 0);
	for (size_t i = 0; i < 100; i++)
		times[i] = 50000;
	assert_int_equal(regress_best(times, REGRESS_PAIRS_MIN - 1, 100000, 1).hz, 0);
	assert_int_equal(regress_best(times, REGRESS_PAIRS_MIN, 100000, 1).hz, 2000000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replay_all),      cmocka_unit_test(truth_is_within),
		cmocka_unit_test(bound_is_narrow), cmocka_unit_test(parts_that_exclude_one_another),
		cmocka_unit_test(nothing_to_say),  cmocka_unit_test(counts_near_the_end),
		cmocka_unit_test(best_of_many),    cmocka_unit_test(bound_is_the_fastest_quarter),
		cmocka_unit_test(no_best),
	};

	unit_seed();
	return cmocka_run_group_tests_name("regress", tests, NULL, NULL);
}
