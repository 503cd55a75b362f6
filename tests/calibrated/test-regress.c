/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "chain.h"
#include "regress.h"

#include <dirent.h>
#include <inttypes.h>

/* An emulator takes twenty times as long for floating point. */
#define ROUNDS (unit_is_slow() ? 100 : 2000)

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

/*
 * The recordings of tests/data/rates are replayed. A file has the lines "step COUNTS ns NS", by
 * which counter and clock move at once, and "expect HZ PPM", the true rate and the widest bound
 * that is good enough, or "expect unknown". Then it has the pairs: counter before, clock, counter
 * after.
 */

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

/* Fail unless the run gives what is expected of it. */
static void expect_rate(const char *name, const struct replay *replay)
{
	struct regress_report report;
	const struct rate rate = regress_rate(&replay->run, &report);

	print_rate(name, rate, &report);
	if (replay->unknown && rate.hz)
		fail_msg("%s: expected: unknown", name);
	if (replay->unknown)
		return;
	if (!holds(rate, replay->hz))
		fail_msg("%s: expected %.0f Hz to be within the bound", name, replay->hz);
	if (rate.ppm > replay->ppm)
		fail_msg("%s: expected at most %u ppm", name, replay->ppm);
}

static void replay_file(const char *path, const char *name)
{
	struct replay replay = { .run.pairs = pairs };
	char line[256];
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	while (fgets(line, sizeof line, file))
		take_line(line, &replay);
	fclose(file);
	assert_true(replay.has_step && replay.has_expected);
	expect_rate(name, &replay);
}

/* Replay all recordings in a folder of tests/data. How many there are. */
static unsigned replay_folder(const char *which, void (*replay)(const char *path, const char *name))
{
	const char *source = getenv("top_srcdir");
	char folder[PATH_MAX - 256], path[PATH_MAX];
	const struct dirent *entry;
	unsigned files = 0;
	DIR *all;

	snprintf(folder, sizeof folder, "%s/tests/data/%s", source ? source : ".", which);
	all = opendir(folder);
	assert_non_null(all);
	while ((entry = readdir(all))) {
		size_t length = strlen(entry->d_name);

		if (length < 5 || strcmp(entry->d_name + length - 4, ".tsv"))
			continue;
		snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
		replay(path, entry->d_name);
		files++;
	}
	closedir(all);
	printf("# %u recordings replayed\n", files);
	return files;
}

TEST(replay_rates)
{
	assert_true(replay_folder("rates", replay_file) >= 3);
}

/* Made machines, each with one trouble. Their seed is fixed, so that the bounds can be narrow. */

struct made_run {
	const char *name;
	double hz;
	double step, clock_step; /* what counter and clock move by at once; 0: 1 */
	unsigned ppm;            /* the widest bound that is good enough; 0: expect no rate */
	size_t n;                /* pairs; 0: 250 */
	double late, late_ns;    /* the part of the reads that are interrupted, and for how long */
	double rests, rest_ns;   /* the part of the pauses that are longer, and by how much */
	size_t jump;             /* before this pair, clock and count jump */
	double clock_jump, count_jump;
	double every_60; /* the clock jumps by this before every 60th pair */
	bool noise;      /* clock and count are random */
};

static const struct made_run made_runs[] = {
	{ "steady", 2.5e9, .ppm = 5 },
	{ "two reads of five take up to 3 us longer", 2.5e9, .ppm = 10, .late = 0.4,
	  .late_ns = 3000 },
	{ "interrupted for up to 4 ms, pauses of up to 20 ms", 2.5e9, .ppm = 5, .late = 0.1,
	  .late_ns = 4e6, .rests = 0.05, .rest_ns = 2e7 },
	{ "the clock jumps ahead by a second", 2.5e9, .ppm = 10, .jump = 100, .clock_jump = 1e9 },
	{ "the clock jumps back by 3 ms", 2.5e9, .ppm = 10, .jump = 160, .clock_jump = -3e6 },
	{ "the clock is set ahead by 5 us now and then", 2.5e9, .ppm = 40, .every_60 = 5000 },
	{ "the counter restarts", 2.5e9, .ppm = 10, .jump = 90, .count_jump = -6.9e12 },
	{ "the counter jumps ahead, as in a migrated guest", 2.5e9, .ppm = 10, .jump = 130,
	  .count_jump = 4e7 },
	{ "a time base of 19.2 MHz", 1.92e7, .ppm = 50 },
	{ "a clock of 3.58 MHz, as acpi_pm", 2.5e9, .clock_step = 279, .ppm = 20 },
	{ "a counter that moves by a microsecond", 2.5e9, .step = 2500, .ppm = 90 },
	{ "a clock that moves with the timer interrupt", 1e9, .clock_step = 4e6, .ppm = 200000 },
	{ "a counter that stands still", .hz = 0 },
	{ "too few pairs", 2.5e9, .n = 7 },
	{ "noise", 2.5e9, .noise = true },
};

static uint64_t made_seed;

/* The generator of Park and Miller. */
static double made_random(void)
{
	made_seed = made_seed * 16807 % 2147483647;
	return (double)made_seed / 2147483647;
}

static uint64_t floor_to(double value, double step)
{
	return (uint64_t)(value / step) * (uint64_t)step;
}

static void make_pairs(const struct made_run *m, struct regress_run *run)
{
	double t = 0, clock = 5e12, count = 7e12;

	made_seed = 20261121;
	for (size_t i = 0; i < run->n; i++) {
		double first, second, late_ns = 0;

		t += 400000 + made_random() * 20000;
		if (m->late > 0 && made_random() < m->late)
			late_ns = made_random() * m->late_ns;
		if (m->rests > 0 && made_random() < m->rests)
			t += made_random() * m->rest_ns;
		if (m->jump > 0 && i == m->jump) {
			clock += m->clock_jump;
			count += m->count_jump;
		}
		if (i % 60 == 59)
			clock += m->every_60;
		if (m->noise) {
			count = made_random() * 7e12;
			clock = made_random() * 5e12;
		}
		first = 20 + made_random() * 15;
		second = 20 + made_random() * 15;
		if (late_ns > 0)
			*(made_random() < 0.5 ? &first : &second) += late_ns;
		pairs[i].before = floor_to(count + t * m->hz / 1e9, (double)run->step);
		pairs[i].ns = floor_to(clock + t + first, (double)run->clock_step);
		pairs[i].after =
			floor_to(count + (t + first + second) * m->hz / 1e9, (double)run->step);
		t += first + second;
	}
}

TEST(made_machines)
{
	for (size_t i = 0; i < sizeof made_runs / sizeof made_runs[0]; i++) {
		const struct made_run *const m = &made_runs[i];
		struct replay replay = {
			.run = { .pairs = pairs,
				 .n = m->n > 0 ? m->n : 250,
				 .step = m->step > 0 ? (uint64_t)m->step : 1,
				 .clock_step = m->clock_step > 0 ? (uint64_t)m->clock_step : 1 },
			.unknown = m->ppm == 0,
			.hz = m->hz,
			.ppm = m->ppm,
		};

		make_pairs(m, &replay.run);
		expect_rate(m->name, &replay);
	}
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

TEST(truth_is_within)
{
	unsigned known = 0;
	uint32_t worst = 0;

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
		assert_true(rate.ppm <= 1e6 * REGRESS_ERROR_MAX + 1);
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
TEST(bound_is_narrow)
{
	struct machine m = { 2.5e9, 1, 1, 30, 0, 0, 0, 250 };
	struct regress_report report;
	struct rate rate;

	read_machine(&m);
	rate = regress_rate(&(struct regress_run){ pairs, m.n, 1, 1 }, &report);
	print_rate("quiet", rate, &report);
	assert_int_equal(report.lines, 1);
	assert_int_equal(report.used, m.n);
	unit_in_range(rate.ppm, 1, 10);
	/* A longer run gives a narrower bound. */
	m.n = 60;
	read_machine(&m);
	assert_true(regress_rate(&(struct regress_run){ pairs, m.n, 1, 1 }, &report).ppm >
		    rate.ppm);
}

TEST(parts_that_exclude_one_another)
{
	struct machine m = { 2.5e9, 1, 1, 30, 0, 0, 0, 100 };
	struct regress_report report;
	struct regress_pair slow[100];
	struct rate rate;

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

TEST(nothing_to_say)
{
	struct regress_report report;

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
	/* Counts that all run backwards, after a run of which something is said. */
	for (size_t i = 0; i < 300; i++)
		pairs[i] = (struct regress_pair){ 2 * i, 2 * i, 1000 * i };
	assert_true(regress_rate(&(struct regress_run){ pairs, 300, 1, 1 }, &report).hz > 0);
	for (size_t i = 0; i < 300; i++)
		pairs[i] = (struct regress_pair){ 2, 1, 1000 * i };
	assert_int_equal(regress_rate(&(struct regress_run){ pairs, 300, 1, 1 }, &report).hz, 0);
	assert_int_equal(report.used, 0);
	assert_int_equal(report.span_ns, 0);
	/* Rates that no counter has. */
	for (size_t i = 0; i < 300; i++)
		pairs[i] = (struct regress_pair){ i, i, UINT64_C(10000000000) * i };
	assert_int_equal(regress_rate(&(struct regress_run){ pairs, 300, 1, 1 }, &report).hz, 0);
}

/* A counter that wraps is like one that begins at another count. */
TEST(counts_near_the_end)
{
	const struct machine m = { 2.5e9, 1, 1, 30, 0, 0, 0, 100 };
	struct regress_report report;
	struct rate rate;
	uint64_t more;

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

/* The best of many batches of two lengths. */

#define BATCHES_MAX 400

static uint64_t brief[BATCHES_MAX], whole[BATCHES_MAX];

static struct regress_batches batches_of(size_t n, uint64_t step)
{
	return (struct regress_batches){ brief, whole, n, step };
}

/* The files of tests/data/cores are replayed: batches of machines whose frequency is known. For
 * some of them, bounds were false when the time of reading the clock counted as the chain's. */

struct core_replay {
	double truth; /* Hz */
	uint64_t clock_step;
	unsigned round_cycles, first, second; /* rounds of the two lengths */
	size_t n;
};

static void take_core_line(const char *line, struct core_replay *replay)
{
	uint64_t first, second;
	size_t times;

	if (line[0] == '#')
		return;
	if (sscanf(line, "truth %lf clock_step %" SCNu64 " round_cycles %u rounds %u %u",
		   &replay->truth, &replay->clock_step, &replay->round_cycles, &replay->first,
		   &replay->second) == 5)
		return;
	assert_int_equal(sscanf(line, "%zu %" SCNu64 " %" SCNu64, &times, &first, &second), 3);
	for (; times > 0; times--) {
		assert_true(replay->n < BATCHES_MAX);
		brief[replay->n] = first;
		whole[replay->n++] = second;
	}
}

/* The chain's loop, which the recordings have, takes up to 3 cycles more in a thousand. */
static void replay_core(const char *path, const char *name)
{
	struct core_replay replay = { 0 };
	struct rate rate;
	char line[256];
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	while (fgets(line, sizeof line, file))
		take_core_line(line, &replay);
	fclose(file);
	assert_true(replay.truth > 0);
	rate = regress_best(batches_of(replay.n, replay.clock_step),
			    (uint64_t)(replay.second - replay.first) * replay.round_cycles);
	rate.ppm += CHAIN_LOOP_CYCLES * 1000;
	printf("# %s: %" PRIu64 " Hz within %" PRIu32 " ppm, in truth %.0f\n", name, rate.hz,
	       rate.ppm, replay.truth);
	if (!holds(rate, replay.truth))
		fail_msg("%s: expected %.0f Hz to be within the bound", name, replay.truth);
	if (replay.truth > 15e6 &&
	    ((double)rate.hz < replay.truth * 0.98 || (double)rate.hz > replay.truth * 1.02))
		fail_msg("%s: expected %.0f Hz within 2 percent", name, replay.truth);
}

TEST(replay_cores)
{
	assert_true(replay_folder("cores", replay_core) >= 14);
}

/* What the batches of a core take: each reads the clock, and some are interrupted. */
static void make_batches(size_t n, double hz, double read_ns, double ns)
{
	for (size_t i = 0; i < n; i++) {
		const double late = i < n / 3 ? unit_real() * 30 : unit_real() * 1e6;

		brief[i] = (uint64_t)(read_ns + 1e12 / hz + late);
		whole[i] = (uint64_t)(read_ns + 1e12 / hz + ns + late);
	}
}

TEST(best_of_many)
{
	for (int round = 0; round < ROUNDS; round++) {
		const double ns = 50000 + unit_real() * 60000, hz = 1e8 + unit_real() * 5e9;
		const double read_ns = unit_real() * 3000;
		const size_t n = 20 + (size_t)(unit_random() % 380);
		struct rate rate;

		make_batches(n, hz, read_ns, ns);
		/* The clock slipped. */
		whole[n - 1] = unit_random() % 2 ? 0 : (uint64_t)(ns / 2);
		brief[n - 2] = unit_random() % 2 ? 0 : 10;
		rate = regress_best(batches_of(n, 25), (uint64_t)(hz * ns / 1e9));
		if (!holds(rate, hz))
			fail_msg("got %" PRIu64 " Hz within %" PRIu32 " ppm, expected %.0f",
				 rate.hz, rate.ppm, hz);
		assert_true(rate.ppm < 6000);
	}
}

/* A counter of cycles beside the same batches: its own readings cost cycles, too. */
TEST(counted_beside)
{
	static uint64_t brief_cycles[BATCHES_MAX], whole_cycles[BATCHES_MAX];

	for (int round = 0; round < ROUNDS; round++) {
		const double ns = 50000 + unit_real() * 60000, hz = 1e8 + unit_real() * 5e9;
		const double read_cycles = unit_real() * 9000;
		const size_t n = 40;
		struct rate rate;

		make_batches(n, hz, 500, ns);
		for (size_t i = 0; i < n; i++) {
			brief_cycles[i] = (uint64_t)(read_cycles + 1000 + unit_real() * 2);
			whole_cycles[i] = (uint64_t)(read_cycles + 1000 + hz * ns / 1e9);
		}
		rate = regress_counted(batches_of(n, 25),
				       (struct regress_batches){ brief_cycles, whole_cycles, n,
								 1 });
		if (!holds(rate, hz))
			fail_msg("got %" PRIu64 " Hz within %" PRIu32 " ppm, expected %.0f",
				 rate.hz, rate.ppm, hz);
		assert_true(rate.ppm < 7000);
	}
	/* A counter that stands still. */
	memset(brief_cycles, 0, sizeof brief_cycles);
	assert_int_equal(regress_counted(batches_of(40, 25),
					 (struct regress_batches){ brief_cycles, brief_cycles, 40,
								   1 })
				 .hz,
			 0);
}

/*
 * The bound is the spread of the fastest quarter, counted from the time that is taken, and two
 * steps of the clock. Each of the long times is 100 ppm longer than the one before, so a quarter
 * that ends at another time gives another bound.
 */
TEST(bound_is_the_fastest_quarter)
{
	static const struct {
		size_t slipped, n; /* times of 0, and all */
		unsigned error;    /* ns of 10000 */
	} cases[] = {
		{ 0, 8, 2 },
		{ 0, 40, 10 },
		{ 0, 43, 10 },
		{ 0, 44, 11 },
		/* Times that are left out before the one that is taken are no part of the
		 * quarter. */
		{ 8, 48, 10 },
		{ 12, 32, 5 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		for (uint64_t step = 0; step <= 3; step++) {
			const double error = (double)cases[i].error + 2 * (double)step;
			struct rate rate;

			/* From the slowest on: the caller need not sort them. */
			for (size_t j = 0; j < cases[i].n; j++) {
				const size_t at = cases[i].n - 1 - j;

				brief[at] = 500;
				whole[at] = j < cases[i].slipped ?
						    0 :
						    10500 + (uint64_t)(j - cases[i].slipped);
			}
			rate = regress_best(batches_of(cases[i].n, step), 20000);
			assert_int_equal(rate.hz, 2000000000);
			assert_int_equal(rate.ppm,
					 (unsigned)(error / (10000 - error) * 1e6 + 0.00025) + 1);
		}
	}
}

TEST(no_best)
{
	memset(brief, 0, sizeof brief);
	memset(whole, 0, sizeof whole);
	assert_int_equal(regress_best(batches_of(100, 1), 1000).hz, 0);
	assert_int_equal(regress_best(batches_of(0, 1), 1000).hz, 0);
	for (size_t i = 0; i < 100; i++) {
		brief[i] = 10;
		whole[i] = 1000 + 300 * i; /* no two confirm each other */
	}
	assert_int_equal(regress_best(batches_of(20, 1), 1000).hz, 0);
	for (size_t i = 0; i < 100; i++)
		whole[i] = 50010;
	assert_int_equal(regress_best(batches_of(REGRESS_PAIRS_MIN - 1, 1), 100000).hz, 0);
	assert_int_equal(regress_best(batches_of(REGRESS_PAIRS_MIN, 1), 100000).hz, 2000000000);
	/* The difference is no longer than what it may be off. */
	assert_int_equal(regress_best(batches_of(100, 25000), 100000).hz, 0);
	/* The short work takes longer. */
	for (size_t i = 0; i < 100; i++)
		brief[i] = 50011;
	assert_int_equal(regress_best(batches_of(100, 0), 100000).hz, 0);
}

UNIT_MAIN_SEEDED("regress", NULL, NULL)
