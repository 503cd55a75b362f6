/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "annotations.h"
#include "gate-table.h"
#include "figures.h"
#include "json.h"
#include "letters.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT 1024

/* What is wrong with a function, and where the function is. */
struct annotation {
	const char *check;     /* which test it has not passed */
	bool error;            /* no warning */
	char file[PATH_MAX];   /* from the folder of this process, if it is in there */
	unsigned line;         /* from 1 */
	char name[TABLE_CELL]; /* of the function */
	char text[TEXT];       /* about it, without the name */
};

/* Forges know files by their paths from the folder of the repository, in which the job runs. The
 * compiler may have been called in another folder, for ../f.c. */
static void find_file(const char *path, char file[PATH_MAX])
{
	char folder[PATH_MAX], absolute[PATH_MAX];
	const char *const name = realpath(path, absolute) ? absolute : path;
	const size_t length = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
	const bool inside = length > 0 && !strncmp(name, folder, length) && name[length] == '/';

	snprintf(file, PATH_MAX, "%s", inside ? name + length + 1 : path);
}

static void say(const struct gate_row *row, bool cycles, char text[TEXT])
{
	char verdict[TABLE_CELL], change[TABLE_CELL], before[TABLE_CELL], after[TABLE_CELL];

	snprintf(text, TEXT, "%s", gate_verdict(row, verdict));
	if (row->verdict && strcmp(gate_change(row, change), FIGURES_UNKNOWN))
		letters_add(text, TEXT, ": %s", gate_change(row, change));
	if (row->verdict)
		letters_add(text, TEXT, ", from %s to %s%s", gate_figure(row, true, cycles, before),
			    gate_figure(row, false, cycles, after), cycles ? " cycles" : "");
	letters_add(text, TEXT, ". The gate is %.3g %%.", 100 * row->outcome->gate);
}

/* False: there is nothing to say. */
static bool annotate(const struct gate_row *row, bool cycles, struct annotation *annotation)
{
	static const struct {
		const char *check;
		bool error;
	} answers[GATE_LEFT_OUT + 1] = {
		[GATE_ALARM] = { "slower", true },
		[GATE_FAILED] = { "failed", true },
		[GATE_LONGER] = { "slower-on-average", false },
		[GATE_CANNOT_TELL] = { "cannot-tell", false },
	};
	const struct signature *const s = &row->target->signature;
	char room[TABLE_CELL];

	annotation->check = answers[row->answer].check;
	annotation->error = answers[row->answer].error;
	if (!annotation->check)
		return false;
	annotation->line = s->line ? s->line : 1;
	find_file(s->line ? s->file : row->target->library, annotation->file);
	letters_cut(annotation->name, sizeof annotation->name, gate_name(row, room));
	say(row, cycles, annotation->text);
	return true;
}

/* See each annotation. False: memory ran out. */
static bool see_all(const struct outcome outcomes[], size_t n,
		    void (*see)(const struct annotation *annotation, void *argument),
		    void *argument)
{
	struct annotation annotation;
	size_t count;
	struct gate_row *const rows = gate_rows(outcomes, n, &count);
	const bool cycles = rows && gate_has_cycles(rows, count);

	for (size_t i = 0; rows && i < count; i++)
		if (annotate(&rows[i], cycles, &annotation))
			see(&annotation, argument);
	free(rows);
	return rows;
}

/* GitHub */

/* Source: actions/toolkit, packages/core/src/command.ts. A property ends at a comma or a colon. */
static void put_escaped(const char *text, bool property, FILE *to)
{
	for (; *text; text++)
		if (strchr("%\r\n", *text) || (property && strchr(":,", *text)))
			fprintf(to, "%%%02X", (unsigned)(unsigned char)*text);
		else
			putc(*text, to);
}

static void put_command(const struct annotation *annotation, void *to)
{
	fprintf(to, "::%s file=", annotation->error ? "error" : "warning");
	put_escaped(annotation->file, true, to);
	fprintf(to, ",line=%u,title=", annotation->line);
	put_escaped(annotation->name, true, to);
	fputs("::", to);
	put_escaped(annotation->text, false, to);
	putc('\n', to);
}

bool annotations_github(const struct outcome outcomes[], size_t n, FILE *to)
{
	return see_all(outcomes, n, put_command, to);
}

/* GitLab */

#ifdef HAVE_JANSSON

#include "json-text.h"

/* An issue that has the same fingerprint in the reports of two revisions is not a new one, so the
 * fingerprint has no figures. It may be any text. */
static void add_issue(const struct annotation *annotation, void *argument)
{
	char text[TABLE_CELL + TEXT + 8], fingerprint[PATH_MAX + TABLE_CELL + 64];
	json_t **const array = argument;

	snprintf(text, sizeof text, "%s: %s", annotation->name, annotation->text);
	snprintf(fingerprint, sizeof fingerprint, "%s %s %s", annotation->check, annotation->file,
		 annotation->name);
	*array = json_append(*array,
			     json_pack("{s:o, s:s, s:o, s:s, s:{s:o, s:{s:i}}}", "description",
				       json_of_text(text), "check_name", annotation->check,
				       "fingerprint", json_of_text(fingerprint), "severity",
				       annotation->error ? "major" : "minor", "location", "path",
				       json_of_text(annotation->file), "lines", "begin",
				       (int)annotation->line));
}

bool annotations_gitlab(const struct outcome outcomes[], size_t n, FILE *to)
{
	json_t *array = json_array();
	const bool complete = see_all(outcomes, n, add_issue, &array);

	return json_put(array, to) && complete;
}

#endif
