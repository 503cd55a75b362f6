/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A counter is read many times in a row. What two adjacent counts differ by is the time of a read,
 * the counter's own step, and whatever interrupted the thread. This is noise of a counter's reads:
 * for --noise, see report-noise.c and noise/. */

#include "config.h"

#include "samples-figures.h"
#include "samples-run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Differences that are taken in a row, without anything between the reads. */
#define IN_A_ROW 4096

static int64_t differences[IN_A_ROW];

/* The counts wrap, so their difference is taken without a sign. */
static void read_in_a_row(long long (*read)(void))
{
	static uint64_t counts[IN_A_ROW + 1];

	for (size_t i = 0; i <= IN_A_ROW; i++)
		counts[i] = (uint64_t)read();
	for (size_t i = 0; i < IN_A_ROW; i++)
		differences[i] = (int64_t)(counts[i + 1] - counts[i]);
}

/* Read until that time. The first reads find cold caches, so they are left out. False: memory ran
 * out. */
static bool collect(struct samples_run *run, const struct samples_counter *c, uint64_t until_ns,
		    struct tally *tally)
{
	read_in_a_row(c->read);
	do {
		read_in_a_row(c->read);
		if (samples_is_lost(c))
			return true;
		if (!tally_add(tally, differences, IN_A_ROW))
			return false;
		if (!samples_hand_out(run))
			return true;
	} while (samples_elapsed_ns(run) < until_ns);
	return true;
}

static void print_rows(const struct samples_counter *c, const struct tally *tally)
{
	char precision[sizeof "18446744073709551615"] = "unknown";

	if (c->precision)
		snprintf(precision, sizeof precision, "%" PRIu64, c->precision);
	for (size_t i = 0; i < tally->n; i++)
		printf("%s\t%s\t%s\t%" PRId64 "\t%" PRIu64 "\n", c->counter->name,
		       counter_class_name(c->counter->class), precision,
		       tally->entries[i].difference, tally->entries[i].occurrences);
}

bool samples_noise(struct samples_run *run)
{
	struct samples_counter counters[COUNTERS_MAX];
	const size_t n = samples_counters(run, counters);
	bool complete = true;

	printf("counter\tclass\tprecision_cycles\tdifference_cycles\toccurrences\n");
	samples_stay_here();
	samples_begin(run);
	for (size_t i = 0; i < n && complete; i++) {
		struct tally tally = { 0 };

		complete = collect(run, &counters[i], run->budget_ns * (i + 1) / n, &tally);
		print_rows(&counters[i], &tally);
		tally_free(&tally);
		if (!samples_hand_out(run))
			return false;
	}
	if (!complete)
		fprintf(stderr, "cpucycles-info: --samples: %s\n", strerror(ENOMEM));
	return complete;
}
