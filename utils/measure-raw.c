/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "measure-report.h"
#include "publish.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* A tab or a new line in a path would make columns and lines of its own. */
static void put_label(const char *label, FILE *to)
{
	for (; *label; label++)
		putc((unsigned char)*label < ' ' || *label == 127 ? '?' : *label, to);
}

static void put_sample(size_t process, size_t round, const char *label, double value, FILE *to)
{
	fprintf(to, "%zu\t%zu\t", process, round);
	put_label(label, to);
	fprintf(to, "\t%.10g\n", value);
}

/* The samples of one process begin at number `from` of each function. */
static void put_process(const struct outcome *outcome, size_t process, size_t from, FILE *to)
{
	const size_t places = outcome->places;

	for (size_t round = 0; round < outcome->rounds[process]; round++)
		for (size_t i = 0; i < outcome->count; i++)
			for (size_t place = 0; place < places; place++)
				put_sample(process, round, outcome->functions[i].target->label,
					   outcome->functions[i]
						   .samples[from + round * places + place],
					   to);
}

void measure_samples(const struct outcome *outcome, FILE *to)
{
	size_t from = 0;

	fprintf(to, "process\tround\tfunction\t%s_per_call\n", outcome_unit(outcome));
	for (size_t process = 0; process < outcome->processes; process++) {
		put_process(outcome, process, from, to);
		from += outcome->rounds[process] * outcome->places;
	}
}

/* A device or a link would be replaced by a file. */
static bool may_replace(const char *path)
{
	struct stat status;

	return lstat(path, &status) || S_ISREG(status.st_mode);
}

struct text {
	char *start;
	size_t length;
};

static int publish_samples(const struct publish_place *place, const void *samples)
{
	const struct text *text = samples;

	return publish_text(place, true, text->start, text->length, NULL, NULL);
}

static int publish(const char *path, const struct text *text)
{
	struct publish_place place;
	const int error = publish_open(path, 0, &place);
	mode_t mask = umask(0);

	umask(mask);
	if (error)
		return error;
	place.mode = 0666 & ~mask;
	return publish_alone(&place, publish_samples, text);
}

int measure_raw_is_possible(const char *path)
{
	struct publish_place place;
	int error = may_replace(path) ? publish_open(path, 0, &place) : -ENOTSUP;

	if (!error)
		publish_close(&place);
	return error;
}

int measure_raw(const struct outcome *outcome, const char *path)
{
	struct text text = { 0 };
	int error;
	FILE *to;

	if (!may_replace(path))
		return -ENOTSUP;
	to = open_memstream(&text.start, &text.length);
	if (!to)
		return -errno;
	measure_samples(outcome, to);
	error = ferror(to) ? -ENOMEM : 0;
	if (fclose(to) && !error)
		error = -errno;
	if (!error)
		error = publish(path, &text);
	free(text.start);
	return error;
}
