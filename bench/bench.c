/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "bench.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct series *bench_find(const struct bench *bench, const char *name)
{
	for (size_t i = 0; i < bench->n; i++)
		if (!strcmp(bench->series[i].name, name))
			return &bench->series[i];
	return NULL;
}

static struct series *find_or_make(struct bench *bench, const char *name, const char *unit)
{
	const struct series *found = bench_find(bench, name);
	struct series *s;

	if (found)
		return &bench->series[found - bench->series];
	if (bench->n == SERIES_MAX)
		abort();
	s = &bench->series[bench->n++];
	snprintf(s->name, sizeof s->name, "%s", name);
	snprintf(s->unit, sizeof s->unit, "%s", unit);
	return s;
}

void bench_add(struct bench *bench, const char *name, const char *unit, double sample)
{
	struct series *s = find_or_make(bench, name, unit);

	if (s->n == s->room) {
		s->room = s->room ? s->room * 2 : 64;
		s->samples = realloc(s->samples, s->room * sizeof s->samples[0]);
		if (!s->samples)
			abort();
	}
	s->samples[s->n++] = sample;
}

void bench_missing(struct bench *bench, const char *name, const char *unit, const char *why, ...)
{
	struct series *s = find_or_make(bench, name, unit);
	va_list arguments;

	if (s->why[0])
		return;
	va_start(arguments, why);
	vsnprintf(s->why, sizeof s->why, why, arguments);
	va_end(arguments);
}
