/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "log.h"
#include "printable.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BEGINNING_MAX 64
#define LINE_SIZE (BEGINNING_MAX + 512)

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

/* What stands before each line. Its length. */
static size_t begin(char line[LINE_SIZE], enum log_priority priority)
{
	const int n = is_journal() ? snprintf(line, BEGINNING_MAX, "<%d>", priority) :
				     snprintf(line, BEGINNING_MAX, "%s: ", name);

	return n < BEGINNING_MAX ? (size_t)n : BEGINNING_MAX - 1;
}

/* One format and one write: standard error has no buffer, and printf would take a slow core as long
 * again to find that out. */
void log_line(enum log_priority priority, const char *format, ...)
{
	char line[LINE_SIZE];
	size_t length;
	va_list list;

	if (priority == LOG_DEBUG && !verbose)
		return;
	length = begin(line, priority);
	va_start(list, format);
	vsnprintf(line + length, LINE_SIZE - 1 - length, format, list);
	va_end(list);
	printable_line(line + length);
	length += strlen(line + length);
	line[length++] = '\n';
	fwrite(line, 1, length, stderr);
}
