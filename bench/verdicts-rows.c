/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What is compared. bench/README.md says what each row means. */

#include "config.h"

#include "verdicts-rows.h"

#include "alike.h"
#include "real.h"
#include "series.h"

#include <stdio.h>
#include <string.h>

/* Of a comparison by the library: shorter than its default, because there are so many. */
#define BUDGET_MS 100

/* Goals, in percent. */
#define WRONG 1
#define MOST 95
#define NEARLY_ALL 99
#define MANY 80

const struct row rows_all[ROWS] = {
	{ .name = "one process: straight code",
	  .set = alike_all,
	  .to = 1,
	  .tries = TRIES_SAME,
	  .goal = WRONG },
	{ .name = "one process: walks through memory",
	  .from = 1,
	  .set = alike_all,
	  .to = 2,
	  .tries = TRIES_SAME,
	  .goal = WRONG },
	{ .name = "one process: a loop with a table",
	  .from = 2,
	  .set = alike_all,
	  .to = 3,
	  .tries = TRIES_SAME,
	  .goal = WRONG },
	{ .name = "one process: unpredictable branches",
	  .from = 3,
	  .set = alike_all,
	  .to = 4,
	  .tries = TRIES_SAME,
	  .goal = WRONG },
	{ .name = "by the tool",
	  .means = BY_TOOL,
	  .set = alike_all,
	  .to = ALIKE_KINDS,
	  .files = { "alike.so", "alike.so" },
	  .tries = TRIES_TOOL,
	  .goal = WRONG },
	{ .name = "by the tool, linked anew",
	  .means = BY_LINKING,
	  .set = alike_all,
	  .to = ALIKE_KINDS,
	  .files = { "alike-sections.o", "alike-sections.o" },
	  .tries = TRIES_LINKED,
	  .goal = WRONG },
	{ .name = "real functions, linked anew",
	  .means = BY_LINKING,
	  .set = real_all,
	  .to = REAL_KINDS,
	  .files = { "real-sections.o", "real-sections.o" },
	  .tries = TRIES_REAL,
	  .goal = WRONG },
	{ .name = "a gate of 1 %, unchanged",
	  .means = BY_GATE,
	  .set = alike_all,
	  .to = ALIKE_KINDS,
	  .files = { "alike-sections.o", "alike-sections.o" },
	  .tries = TRIES_GATE,
	  .goal = WRONG },
	{ .name = "a gate of 1 %, real functions rebuilt",
	  .means = BY_GATE,
	  .set = real_all,
	  .to = REAL_KINDS,
	  .files = { "real-sections.o", "real-rebuilt.o" },
	  .one_name = true,
	  .tries = TRIES_REBUILDS,
	  .goal = WRONG },
	{ .name = "google/benchmark",
	  .means = BY_GOOGLE,
	  .set = alike_all,
	  .to = ALIKE_KINDS,
	  .tries = TRIES_GOOGLE },
	{ .name = "google/benchmark, interleaved",
	  .means = BY_GOOGLE_INTERLEAVED,
	  .set = alike_all,
	  .to = ALIKE_KINDS,
	  .tries = TRIES_GOOGLE },
	{ .name = "400 and 401 multiplications",
	  .fast = "multiply_400",
	  .slow = "multiply_401",
	  .subject = DIFFERENT_CODE,
	  .tries = TRIES_LONG,
	  .goal = MOST },
	{ .name = "20 and 21 exclusive-ors",
	  .fast = "xor_20",
	  .slow = "xor_21",
	  .budget_ms = 1000,
	  .subject = DIFFERENT_CODE,
	  .tries = TRIES_SHORT,
	  .goal = MOST },
	{ .name = "400 and 401 by the tool",
	  .means = BY_TOOL,
	  .fast = "multiply_400",
	  .slow = "multiply_401",
	  .subject = DIFFERENT_CODE,
	  .files = { "alike.so", "alike.so" },
	  .tries = TRIES_TOOL,
	  .goal = MOST },
	{ .name = "400 and 401, linked anew",
	  .means = BY_LINKING,
	  .fast = "multiply_400",
	  .slow = "multiply_401",
	  .subject = DIFFERENT_CODE,
	  .files = { "alike-sections.o", "alike-sections.o" },
	  .tries = TRIES_LINKED,
	  .goal = MOST },
	{ .name = "400 and 404, linked anew",
	  .means = BY_LINKING,
	  .fast = "multiply_400",
	  .slow = "multiply_404",
	  .subject = DIFFERENT_CODE,
	  .files = { "alike-sections.o", "alike-sections.o" },
	  .tries = TRIES_STRAIGHT,
	  .goal = NEARLY_ALL },
	{ .name = "a CRC of 512 and 513 bytes, linked anew",
	  .means = BY_LINKING,
	  .fast = "crc_of_512",
	  .slow = "crc_of_513",
	  .subject = DIFFERENT_CODE,
	  .files = { "alike-sections.o", "alike-sections.o" },
	  .tries = TRIES_STRAIGHT,
	  .goal = MOST },
	{ .name = "walks of 300 and 303 elements, linked anew",
	  .means = BY_LINKING,
	  .fast = "walk_of_300",
	  .slow = "walk_of_303",
	  .subject = DIFFERENT_CODE,
	  .files = { "alike-sections.o", "alike-sections.o" },
	  .tries = TRIES_STRAIGHT,
	  .goal = NEARLY_ALL },
	{ .name = "a gate of 1 %, 2 % slower",
	  .means = BY_GATE,
	  .in_order = true,
	  .fast = "multiply_400",
	  .slow = "multiply_408",
	  .subject = DIFFERENT_CODE,
	  .files = { "alike-sections.o", "alike-sections.o" },
	  .tries = TRIES_GATE,
	  .goal = MOST },
	{ .name = "400 and 404, google/benchmark",
	  .means = BY_GOOGLE,
	  .fast = "multiply_400",
	  .slow = "multiply_404",
	  .subject = DIFFERENT_CODE,
	  .tries = TRIES_GOOGLE },
	{ .name = "400 and 404, google/benchmark, interleaved",
	  .means = BY_GOOGLE_INTERLEAVED,
	  .fast = "multiply_400",
	  .slow = "multiply_404",
	  .subject = DIFFERENT_CODE,
	  .tries = TRIES_GOOGLE },
	{ .name = "straight code, same within 1 %",
	  .means = BY_LINKING,
	  .subject = SAME_WITHIN,
	  .set = real_all,
	  .to = REAL_STRAIGHT,
	  .files = { "real-sections.o", "real-sections.o" },
	  .within = "1%",
	  .tries = TRIES_WITHIN,
	  .goal = MANY },
	{ .name = "branchy code, same within 5 %",
	  .means = BY_LINKING,
	  .subject = SAME_WITHIN,
	  .set = real_all,
	  .from = REAL_STRAIGHT,
	  .to = REAL_KINDS,
	  .files = { "real-sections.o", "real-sections.o" },
	  .within = "5%",
	  .seconds = 20,
	  .tries = TRIES_WITHIN,
	  .goal = MANY },
	{ .name = "advice on real functions",
	  .means = BY_ADVICE,
	  .subject = ADVICE,
	  .set = real_all,
	  .to = REAL_KINDS,
	  .files = { "real-sections.o", "real-sections.o" },
	  .within = "1%",
	  .tries = TRIES_ADVICE,
	  .goal = MANY },
};

/* Two copies, in a random order, or one of them by its name in both files. */
static void draw_copies(const struct row *row, const struct alike *alike, uint64_t *state,
			struct comparison *c)
{
	const unsigned first = (unsigned)(random_next(state) >> 32) % ALIKE_COPIES;
	const unsigned further = (unsigned)(random_next(state) >> 32) % (ALIKE_COPIES - 1) + 1;
	const unsigned second = row->one_name ? first : (first + further) % ALIKE_COPIES;

	snprintf(c->first, sizeof c->first, "%s_%u", alike->function, first);
	snprintf(c->second, sizeof c->second, "%s_%u", alike->function, second);
}

static void draw_order(const struct row *row, uint64_t *state, struct comparison *c)
{
	const bool turned = random_next(state) >> 63 && !row->in_order;

	snprintf(c->first, sizeof c->first, "%s", turned ? row->slow : row->fast);
	snprintf(c->second, sizeof c->second, "%s", turned ? row->fast : row->slow);
}

/* The pair before, in the other order. */
static void turn(const struct row *row, struct comparison *c)
{
	const struct comparison before = *c;

	memcpy(c->first, before.second, sizeof c->first);
	memcpy(c->second, before.first, sizeof c->second);
	c->files[0] = row->files[1];
	c->files[1] = row->files[0];
}

void rows_draw(const struct row *row, long i, uint64_t *state, struct comparison *c)
{
	c->means = row->means;
	c->budget_ms = row->budget_ms ? row->budget_ms : BUDGET_MS;
	c->seconds = row->seconds;
	c->within = row->within;
	c->files[0] = row->files[0];
	c->files[1] = row->files[1];
	c->seed = (unsigned)(random_next(state) >> 33) | 1;
	if (i % 2 == 1 && !row->in_order)
		turn(row, c);
	else if (row->set)
		draw_copies(row, &row->set[row->from + i / 2 % (row->to - row->from)], state, c);
	else
		draw_order(row, state, c);
}
