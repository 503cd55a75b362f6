/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "progress-line.h"

#include <stdio.h>
#include <unistd.h>

bool progress_is_due(const struct progress *progress, uint64_t ns)
{
	return ns - progress->begun_ns >= PROGRESS_AFTER_NS &&
	       ns - progress->shown_ns >= PROGRESS_EVERY_NS && isatty(STDERR_FILENO);
}

void progress_line(struct progress *progress, uint64_t ns, const char text[PROGRESS_COLUMNS + 1])
{
	fprintf(stderr, "\r%-*s", PROGRESS_COLUMNS, text);
	fflush(stderr);
	progress->shown_ns = ns;
}

void progress_clear(struct progress *progress)
{
	if (!progress->shown_ns)
		return;
	fprintf(stderr, "\r%*s\r", PROGRESS_COLUMNS, "");
	fflush(stderr);
	progress->shown_ns = 0;
}
