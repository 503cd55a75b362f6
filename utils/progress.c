/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "progress.h"

#include <stdio.h>
#include <unistd.h>

bool progress_is_due(const struct progress *progress, uint64_t ns)
{
	return ns - progress->begun_ns >= PROGRESS_AFTER_NS && isatty(STDERR_FILENO);
}

void progress_line(struct progress *progress, const char text[PROGRESS_COLUMNS + 1])
{
	fprintf(stderr, "\r%-*s", PROGRESS_COLUMNS, text);
	fflush(stderr);
	progress->shown = true;
}

void progress_clear(struct progress *progress)
{
	if (!progress->shown)
		return;
	fprintf(stderr, "\r%*s\r", PROGRESS_COLUMNS, "");
	fflush(stderr);
	progress->shown = false;
}
