/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "log.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *name = "";
static bool verbose;

void log_set_name(const char *program)
{
	name = program;
}

void log_set_verbose(void)
{
	verbose = true;
}

/* Whether standard error is the journal. Source: systemd.exec(5), JOURNAL_STREAM. */
static bool is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	struct stat status;
	char here[64];

	if (!stream || fstat(STDERR_FILENO, &status))
		return false;
	snprintf(here, sizeof here, "%ju:%ju", (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
	return !strcmp(stream, here);
}

void log_line(enum log_priority priority, const char *format, ...)
{
	char line[512];
	va_list list;

	if (priority == LOG_DEBUG && !verbose)
		return;
	va_start(list, format);
	vsnprintf(line, sizeof line, format, list);
	va_end(list);
	if (is_journal())
		fprintf(stderr, "<%d>%s\n", priority, line);
	else
		fprintf(stderr, "%s: %s\n", name, line);
}
