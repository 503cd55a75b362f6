/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Causes of made figures: those of a virtual machine of 2.97 GHz, and what each cause does to
 * them. And of figures that were recorded there. */

#include "config.h"

#include "unit.h"
#include "speed.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#define WINDOWS 1000
#define WINDOW_NS 1000000

static struct noise_speed speed;
static struct noise_line lines[NOISE_CAUSES];

/* A quiet machine: what the probes take varies by as much as on that machine. */
static int make_quiet(UNIT_UNUSED void **state)
{
	static const double ns[SPEED_PROBES] = { 0.3367, 22.45, 0.0862, 6.73, 123, 141 };
	static const double varies[SPEED_PROBES] = { 0.003, 0.003, 0.012, 0.003, 0.06, 0.1 };

	memset(&speed, 0, sizeof speed);
	speed.windows = WINDOWS;
	speed.ns = (uint64_t)WINDOWS * WINDOW_NS;
	speed.walked = speed.exact = true;
	for (size_t i = 0; i < WINDOWS; i++) {
		speed.at[i] = i * WINDOW_NS;
		for (size_t p = 0; p < SPEED_PROBES; p++)
			speed.ns_of[p][i] = ns[p] * (1 + varies[p] * (double)(i * 7 % 11) / 11);
	}
	speed.sleeps = SPEED_SLEEPS;
	for (size_t i = 0; i < SPEED_SLEEPS; i++)
		speed.spun[i] = speed.slept[i] = 0.3367;
	return 0;
}

static void slow(enum speed_probe probe, size_t from, size_t to, double factor)
{
	for (size_t i = from; i < to; i++)
		speed.ns_of[probe][i] *= factor;
}

/* As a lower frequency, or a host that throttles, does. */
static void slow_core(size_t from, size_t to, double factor)
{
	for (enum speed_probe probe = SPEED_CHAIN; probe < SPEED_PROBES; probe++)
		slow(probe, from, to, factor);
}

/* Only this cause is seen, or none: NOISE_UNEXPLAINED. Its line. */
static const struct noise_line *expect(enum noise_cause expected)
{
	const struct noise_line *found = NULL;

	assert_int_equal(noise_speed_blame(&speed, lines), 5);
	for (size_t i = 0; i < 5; i++) {
		if (lines[i].cause == expected)
			found = &lines[i];
		assert_int_equal(lines[i].known,
				 lines[i].cause == expected ? NOISE_SEEN : NOISE_NOT_SEEN);
		assert_true(lines[i].proof[0]);
		assert_int_equal(lines[i].remedy[0] != 0, lines[i].cause == expected);
	}
	return found;
}

static void assert_share(const struct noise_line *line, double from, double to)
{
	if (line->share < from || line->share > to)
		fail_msg("the share is %g, and not from %g to %g", line->share, from, to);
}

TEST_WITH(nothing_is_named_that_is_not_there, make_quiet, NULL)
{
	expect(NOISE_UNEXPLAINED);
	assert_string_equal(lines[0].proof, "the core ran at 2.96 to 2.97 GHz");
}

TEST_WITH(the_frequency, make_quiet, NULL)
{
	const struct noise_line *line;

	slow_core(0, 500, 1.5);
	line = expect(NOISE_FREQUENCY);
	assert_share(line, 0.19, 0.21);
	assert_string_equal(line->proof, "the core ran at 1.97 to 2.97 GHz");
	assert_string_equal(line->remedy, "the settings of the firmware: this kernel has no"
					  " cpufreq");
	speed.settings.guest = true;
	assert_string_equal(expect(NOISE_FREQUENCY)->remedy,
			    "only the owner of the host can change that");
	strcpy(speed.settings.governor, "powersave");
	speed.exact = false;
	speed.hot = 3;
	line = expect(NOISE_FREQUENCY);
	assert_string_equal(line->proof, "a chain of instructions took up to 1.50 times its"
					 " shortest time, and was too hot 3 times");
	assert_string_equal(line->remedy, "as root: cpucycles-open --quiet -- COMMAND (governor"
					  " performance, boost off)");
}

TEST_WITH(a_rare_change_of_the_frequency_is_not_named, make_quiet, NULL)
{
	slow_core(100, 105, 1.4);
	expect(NOISE_UNEXPLAINED);
}

/* 2 phases, as issue 61 describes them: up to 14 times as slow, for 20 to 75 ms. */
TEST_WITH(throttled_phases, make_quiet, NULL)
{
	const struct noise_line *line;

	slow_core(100, 120, 2);
	slow_core(600, 675, 14);
	line = expect(NOISE_THROTTLED);
	assert_share(line, 0.49, 0.51);
	assert_string_equal(line->proof,
			    "2 phases of 20 to 75 ms in 1.0 s: all instructions and the clock 2.0"
			    " to 14.0 times as slow, without a gap");
}

TEST_WITH(no_phase_at_the_beginning_or_to_the_end_or_for_long, make_quiet, NULL)
{
	slow_core(0, 50, 3);
	expect(NOISE_FREQUENCY);
	make_quiet(NULL);
	slow_core(950, WINDOWS, 3);
	expect(NOISE_FREQUENCY);
	make_quiet(NULL);
	slow_core(200, 750, 3);
	expect(NOISE_FREQUENCY);
}

TEST_WITH(no_phase_of_two_windows, make_quiet, NULL)
{
	slow_core(100, 102, 3);
	expect(NOISE_UNEXPLAINED);
}

TEST_WITH(no_phase_if_the_clock_stays_quick, make_quiet, NULL)
{
	slow(SPEED_CHAIN, 100, 150, 3);
	slow(SPEED_INDEPENDENT, 100, 150, 3);
	expect(NOISE_FREQUENCY);
}

TEST_WITH(waking_up, make_quiet, NULL)
{
	const struct noise_line *line;

	speed.slept[0] *= 9; /* one sleep says nothing */
	expect(NOISE_UNEXPLAINED);
	for (size_t i = 0; i < SPEED_SLEEPS; i++)
		speed.slept[i] = speed.spun[i] * 2;
	speed.settings.idle_states = true;
	line = expect(NOISE_IDLE);
	assert_share(line, 0.009, 0.011); /* half of 20 us, each ms */
	assert_non_null(strstr(line->proof, "2.00 times"));
	assert_non_null(strstr(line->remedy, "cpucycles-open"));
	speed.settings.guest = true;
	assert_non_null(strstr(expect(NOISE_IDLE)->remedy, "only the owner"));
}

TEST_WITH(a_neighbour, make_quiet, NULL)
{
	const struct noise_line *line;

	slow(SPEED_INDEPENDENT, 300, 400, 1.8);
	line = expect(NOISE_NEIGHBOUR);
	assert_share(line, 0.07, 0.085);
	assert_non_null(strstr(line->proof, "up to 1.81 times"));
	assert_string_equal(line->remedy, "SMT off in the firmware");
	strcpy(speed.settings.siblings, "0,4");
	assert_non_null(strstr(expect(NOISE_NEIGHBOUR)->remedy, "of this core, 0,4: taskset"));
	/* A core that is slow as a whole has no neighbour. */
	make_quiet(NULL);
	slow_core(300, 700, 1.3);
	expect(NOISE_FREQUENCY);
}

TEST_WITH(memory_that_others_use, make_quiet, NULL)
{
	const struct noise_line *line;

	slow(SPEED_FAR, 200, 600, 1.4);
	line = expect(NOISE_MEMORY);
	assert_share(line, 0.1, 0.2);
	assert_non_null(strstr(line->proof, "in 64 MiB took 141 to 215 ns, in 4 MiB 123 to"));
	make_quiet(NULL);
	slow(SPEED_MIDDLE, 200, 600, 1.4);
	expect(NOISE_MEMORY);
}

/* Recorded beside a loop that uses registers only, on the same CPU. */
TEST_WITH(no_memory_if_caches_are_cold_after_a_gap, make_quiet, NULL)
{
	for (size_t i = 10; i < WINDOWS; i += 10) {
		for (size_t later = i; later < WINDOWS; later++)
			speed.at[later] += 4 * WINDOW_NS;
		slow(SPEED_NEAR, i, i + 1, 4);
		slow(SPEED_FAR, i - 1, i + 1, 2);
	}
	expect(NOISE_UNEXPLAINED);
	/* Nothing is left. */
	for (size_t i = 0; i < WINDOWS; i++)
		speed.at[i] = i / 2 * 9 * WINDOW_NS + i % 2;
	assert_int_equal(noise_speed_blame(&speed, lines), 5);
	assert_int_equal(lines[4].known, NOISE_NOT_KNOWN);
}

/* One window in four, or in eight, of a look of a second or two at that machine. */
static void replay(const char *name)
{
	const char *source = getenv("top_srcdir");
	char path[PATH_MAX], line[256];
	FILE *file;

	snprintf(path, sizeof path, "%s/tests/data/speed/%s", source ? source : ".", name);
	file = fopen(path, "r");
	assert_non_null(file);
	memset(&speed, 0, sizeof speed);
	while (fgets(line, sizeof line, file)) {
		double at, ns[SPEED_PROBES];

		if (sscanf(line, "%lf%lf%lf%lf%lf%lf%lf", &at, &ns[0], &ns[1], &ns[2], &ns[3],
			   &ns[4], &ns[5]) < 1 + SPEED_PROBES)
			continue;
		speed.at[speed.windows] = speed.ns = (uint64_t)at;
		for (size_t probe = 0; probe < SPEED_PROBES; probe++)
			speed.ns_of[probe][speed.windows] = ns[probe];
		speed.windows++;
	}
	fclose(file);
	speed.walked = speed.exact = speed.settings.guest = true;
	speed.sleeps = SPEED_SLEEPS;
	for (size_t i = 0; i < SPEED_SLEEPS; i++)
		speed.spun[i] = speed.slept[i] = 1;
}

TEST(a_quiet_moment_that_was_recorded)
{
	replay("quiet.tsv");
	expect(NOISE_UNEXPLAINED);
}

/* It used the memory, too. Only the host knows who it was. */
TEST(a_neighbour_that_was_recorded)
{
	replay("neighbour.tsv");
	assert_int_equal(noise_speed_blame(&speed, lines), 5);
	assert_int_equal(lines[0].known, NOISE_NOT_SEEN);
	assert_int_equal(lines[1].known, NOISE_NOT_SEEN);
	assert_int_equal(lines[3].known, NOISE_SEEN);
	assert_share(&lines[3], 0.1, 0.2);
	assert_int_equal(lines[4].known, NOISE_SEEN);
}

static size_t unknown(void)
{
	size_t n = 0;

	assert_int_equal(noise_speed_blame(&speed, lines), 5);
	for (size_t i = 0; i < 5; i++) {
		n += lines[i].known == NOISE_NOT_KNOWN;
		assert_true(lines[i].proof[0]);
	}
	return n;
}

TEST_WITH(a_look_that_was_too_short, make_quiet, NULL)
{
	speed.walked = false;
	speed.sleeps = 4;
	assert_int_equal(unknown(), 2);
	speed.windows = 20;
	assert_int_equal(unknown(), 5);
	speed.windows = 0;
	assert_int_equal(unknown(), 5);
}

UNIT_MAIN("speed-blame", NULL, NULL)
