/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "placement.h"

#define FUNCTIONS 5
#define UNITS 500
#define LINES (PLACEMENT_PAGE / PLACEMENT_LINE)

static size_t starts[FUNCTIONS], gaps[FUNCTIONS], order[FUNCTIONS];
static struct placement placement = { .starts = starts, .gaps = gaps, .order = order };

static void draw(uint64_t seed, size_t process, size_t alignment)
{
	const size_t alignments[FUNCTIONS] = { alignment, alignment, alignment, alignment,
					       alignment };

	memset(starts, 0xff, sizeof starts);
	memset(order, 0xff, sizeof order);
	placement_draw(seed, process, alignments, FUNCTIONS, &placement);
}

/* How often each function begins at each step of a line in this unit. */
static void count_steps(uint64_t seed, size_t unit, size_t alignment,
			unsigned counts[FUNCTIONS][PLACEMENT_PROCESSES])
{
	memset(counts, 0, FUNCTIONS * sizeof *counts);
	for (size_t quarter = 0; quarter < PLACEMENT_PROCESSES; quarter++) {
		draw(seed, unit * PLACEMENT_PROCESSES + quarter, alignment);
		for (size_t i = 0; i < FUNCTIONS; i++) {
			assert_true(starts[i] < PLACEMENT_PAGE);
			assert_int_equal(starts[i] % (alignment ? alignment : 1), 0);
			assert_int_equal(starts[i] % PLACEMENT_STEP, 0);
			counts[i][starts[i] % PLACEMENT_LINE / PLACEMENT_STEP]++;
		}
	}
}

TEST(steps_of_a_unit)
{
	static const struct {
		size_t alignment;
		unsigned times[PLACEMENT_PROCESSES];
	} table[] = { { 0, { 1, 1, 1, 1 } },    { 1, { 1, 1, 1, 1 } },    { 4, { 1, 1, 1, 1 } },
		      { 16, { 1, 1, 1, 1 } },   { 32, { 2, 0, 2, 0 } },   { 64, { 4, 0, 0, 0 } },
		      { 128, { 4, 0, 0, 0 } },  { 2048, { 4, 0, 0, 0 } }, { 4096, { 4, 0, 0, 0 } },
		      { 65536, { 4, 0, 0, 0 } } };
	unsigned counts[FUNCTIONS][PLACEMENT_PROCESSES];

	for (size_t row = 0; row < sizeof table / sizeof table[0]; row++)
		for (size_t unit = 0; unit < UNITS / 10; unit++) {
			count_steps(unit_random(), unit, table[row].alignment, counts);
			for (size_t i = 0; i < FUNCTIONS; i++)
				assert_memory_equal(counts[i], table[row].times, sizeof *counts);
		}
}

/* Functions of several alignments do not disturb one another. */
TEST(mixed_alignments)
{
	static const size_t alignments[] = { 64, 16, 32, 1, 4096 };
	unsigned seen[FUNCTIONS][PLACEMENT_PROCESSES] = { 0 };

	for (size_t process = 0; process < PLACEMENT_PROCESSES; process++) {
		placement_draw(7, process, alignments, FUNCTIONS, &placement);
		for (size_t i = 0; i < FUNCTIONS; i++)
			seen[i][starts[i] % PLACEMENT_LINE / PLACEMENT_STEP]++;
	}
	for (size_t step = 0; step < PLACEMENT_PROCESSES; step++) {
		assert_int_equal(seen[0][step], step == 0 ? 4 : 0);
		assert_int_equal(seen[1][step], 1);
		assert_int_equal(seen[2][step], step % 2 ? 0 : 2);
		assert_int_equal(seen[3][step], 1);
		assert_int_equal(seen[4][step], step == 0 ? 4 : 0);
	}
}

TEST(names_and_data)
{
	size_t firsts = 0;

	for (size_t unit = 0; unit < UNITS; unit++) {
		size_t reversed = 0;

		for (size_t quarter = 0; quarter < PLACEMENT_PROCESSES; quarter++) {
			draw(3, unit * PLACEMENT_PROCESSES + quarter, 16);
			reversed += placement.reversed;
			firsts += quarter == 0 && placement.reversed;
			assert_true(placement.padding < PLACEMENT_PAGE);
		}
		assert_int_equal(reversed, PLACEMENT_PROCESSES / 2);
	}
	/* The first process of a unit is as likely one way as the other: 5 standard deviations. */
	unit_in_range(firsts, UNITS / 2 - 56, UNITS / 2 + 56);
}

/* What is drawn for two functions in 16,000 processes. */
#define PROCESSES 16000

/* Each pair of steps of the first two functions comes equally often: 1,000 times, and 5 standard
 * deviations are 153. Each begins in each line, and lies before the other half of the times. */
TEST(functions_are_independent)
{
	static unsigned pairs[PLACEMENT_PROCESSES][PLACEMENT_PROCESSES], lines[LINES];
	static unsigned first[FUNCTIONS], with_order[2][PLACEMENT_PROCESSES];
	static unsigned with_gap[PLACEMENT_PROCESSES][PLACEMENT_PROCESSES];
	static unsigned bytes[PLACEMENT_STEP];
	uint64_t padding = 0;

	for (size_t process = 0; process < PROCESSES; process++) {
		const size_t seed = process / 1000;

		draw(seed, process, 16);
		pairs[starts[0] % PLACEMENT_LINE / PLACEMENT_STEP]
		     [starts[1] % PLACEMENT_LINE / PLACEMENT_STEP]++;
		assert_true(gaps[0] < PLACEMENT_PAGE);
		with_gap[starts[0] % PLACEMENT_LINE / PLACEMENT_STEP]
			[gaps[0] % PLACEMENT_LINE / PLACEMENT_STEP]++;
		lines[starts[1] / PLACEMENT_LINE]++;
		assert_true(order[0] < FUNCTIONS);
		first[order[0]]++;
		with_order[placement.reversed][starts[0] % PLACEMENT_LINE / PLACEMENT_STEP]++;
		padding += placement.padding;
		bytes[placement.padding % PLACEMENT_STEP]++;
	}
	for (size_t a = 0; a < PLACEMENT_PROCESSES; a++) {
		for (size_t b = 0; b < PLACEMENT_PROCESSES; b++)
			unit_in_range(pairs[a][b], 1000 - 153, 1000 + 153);
		for (size_t b = 0; b < PLACEMENT_PROCESSES; b++)
			unit_in_range(with_gap[a][b], 1000 - 153, 1000 + 153);
		unit_in_range(with_order[0][a], 2000 - 210, 2000 + 210);
		unit_in_range(with_order[1][a], 2000 - 210, 2000 + 210);
	}
	for (size_t i = 0; i < LINES; i++)
		unit_in_range(lines[i], 250 - 79, 250 + 79);
	for (size_t i = 0; i < FUNCTIONS; i++)
		unit_in_range(first[i], 3200 - 253, 3200 + 253);
	/* The mean of 0, 1, ... 4095 is 2047.5, and its standard deviation 1182 / sqrt(16000). */
	unit_in_range(padding / PROCESSES, 2047 - 47, 2048 + 47);
	/* Data may begin at any byte, because that of two functions does in their files. */
	for (size_t i = 0; i < PLACEMENT_STEP; i++)
		unit_in_range(bytes[i], 1000 - 153, 1000 + 153);
}

TEST(orders_are_whole)
{
	for (size_t process = 0; process < 100; process++) {
		unsigned seen = 0;

		draw(1, process, 16);
		for (size_t i = 0; i < FUNCTIONS; i++)
			seen |= 1u << order[i];
		assert_int_equal(seen, (1u << FUNCTIONS) - 1);
	}
}

static bool has_same_steps(const size_t other[FUNCTIONS])
{
	for (size_t i = 0; i < FUNCTIONS; i++)
		if (starts[i] % PLACEMENT_LINE != other[i] % PLACEMENT_LINE)
			return false;
	return true;
}

/* The same seed and number give the same places, and others give others. Five functions have the
 * same steps by chance in one of 1,024 processes. */
TEST(seeds)
{
	size_t before[FUNCTIONS], same = 0, same_steps = 0;

	for (size_t process = 0; process < 100; process++) {
		draw(5, process, 16);
		memcpy(before, starts, sizeof before);
		draw(5, process, 16);
		assert_memory_equal(before, starts, sizeof before);
		draw(6, process, 16);
		same += !memcmp(before, starts, sizeof before);
		same_steps += has_same_steps(before);
	}
	assert_int_equal(same, 0);
	assert_true(same_steps < 5);
	draw(0, 0, 16);
	draw(UINT64_MAX, SIZE_MAX, 16);
	placement_draw(1, 0, NULL, 0, &placement);
}

/* A program for a unit has its copies where programs for one process each have the functions. */
TEST(copies_of_a_unit)
{
	enum { PROGRAMS = 10, COPIES = 4 * PLACEMENT_PROCESSES };
	static size_t room[3][COPIES * FUNCTIONS];
	struct placement unit = { .starts = room[0], .gaps = room[1], .order = room[2] };
	static const size_t alignments[FUNCTIONS] = { 64, 16, 32, 1, 4096 };

	for (size_t k = 0; k < 2 * PROGRAMS; k++) {
		const size_t copies = k < PROGRAMS ? PLACEMENT_PROCESSES : COPIES;
		const size_t number = k % PROGRAMS;

		placement_draw_unit(9, number, copies, alignments, FUNCTIONS, &unit);
		for (size_t c = 0; c < copies; c++) {
			const size_t first = c * FUNCTIONS;

			placement_draw(9, number * copies + c, alignments, FUNCTIONS, &placement);
			assert_memory_equal(unit.starts + first, starts, sizeof starts);
			assert_memory_equal(unit.gaps + first, gaps, sizeof gaps);
			for (size_t i = 0; i < FUNCTIONS; i++)
				assert_int_equal(unit.order[first + i], first + order[i]);
			if (c == 0)
				assert_int_equal(unit.padding, placement.padding);
			assert_int_equal(placement_is_reversed(9, number * copies + c),
					 placement.reversed);
		}
	}
}

UNIT_MAIN_SEEDED("placement", NULL, NULL)
