/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "digits.h"
#include "parse.h"
#include "printable.h"

#include <stdio.h>
#include <string.h>

#define BLANKS " \t\n"

static const char *skip_field(const char *text)
{
	text += strcspn(text, BLANKS);
	return text + strspn(text, BLANKS);
}

static const char *find_field(const char *text, size_t n)
{
	text += strspn(text, BLANKS);
	while (n-- > 0 && *text)
		text = skip_field(text);
	return text;
}

/* A number that ends where its field does. */
static uint64_t whole_number(const char *text)
{
	uint64_t value;

	return digits_take(&text, 10, &value) && (!*text || strchr(BLANKS, *text)) ? value :
										     PARSE_UNKNOWN;
}

uint64_t parse_field(const char *text, size_t n)
{
	return whole_number(find_field(text, n));
}

uint64_t parse_after(const char *text, const char *key)
{
	for (const char *at = text; (at = strstr(at, key)); at++)
		if (at == text || strchr(BLANKS, at[-1]))
			return whole_number(at + strlen(key));
	return PARSE_UNKNOWN;
}

uint64_t parse_rise(uint64_t before, uint64_t after)
{
	return before == PARSE_UNKNOWN || after == PARSE_UNKNOWN || after < before ? PARSE_UNKNOWN :
										     after - before;
}

size_t parse_column(const char *header, int cpu)
{
	const char *field = find_field(header, 0);

	for (size_t column = 0; !strncmp(field, "CPU", 3); column++, field = skip_field(field))
		if (whole_number(field + 3) == (uint64_t)cpu)
			return column;
	return PARSE_NO_COLUMN;
}

static void copy_name(char name[PARSE_NAME], const char *text, size_t length)
{
	snprintf(name, PARSE_NAME, "%.*s", (int)(length < PARSE_NAME ? length : PARSE_NAME - 1),
		 text);
	letters_trim(name);
	printable_line(name);
}

/* What stands after the counts: of a device its own name, which is the last word, or what the line
 * says in words. */
static void name_row(struct parse_row *row, const char *words)
{
	size_t length = strlen(words);

	while (length > 0 && strchr(BLANKS, words[length - 1]))
		length--;
	if (digit_is_decimal(row->key[0]))
		for (size_t i = length; i > 0 && !strchr(BLANKS, words[i - 1]); i--)
			if (i == 1 || strchr(BLANKS, words[i - 2])) {
				copy_name(row->name, words + i - 1, length - i + 1);
				return;
			}
	if (length)
		copy_name(row->name, words, length);
	else
		strcpy(row->name, row->key);
}

bool parse_row(const char *line, size_t column, struct parse_row *row)
{
	const char *const key = find_field(line, 0);
	const size_t length = strcspn(key, ":" BLANKS);
	const char *field;

	if (column == PARSE_NO_COLUMN || key[length] != ':' || length >= PARSE_NAME)
		return false;
	copy_name(row->key, key, length);
	field = find_field(key + length + 1, column);
	row->count = whole_number(field);
	while (whole_number(field) != PARSE_UNKNOWN)
		field = skip_field(field);
	name_row(row, field);
	return row->count != PARSE_UNKNOWN;
}

static bool has(const char *list, const char *controller)
{
	const size_t length = strlen(controller);

	for (; *list; list += strcspn(list, ",")) {
		list += *list == ',';
		if (strcspn(list, ",") == length && !strncmp(list, controller, length))
			return true;
	}
	return false;
}

bool parse_cgroup(const char *line, const char *controller, struct parse_cgroup *cgroup)
{
	const char *const controllers = strchr(line, ':');
	const char *const path = controllers ? strchr(controllers + 1, ':') : NULL;
	const size_t length = path ? (size_t)(path - controllers) - 1 : 0;

	if (!path || path[1] != '/' || length >= PARSE_NAME)
		return false;
	memcpy(cgroup->controllers, controllers + 1, length);
	cgroup->controllers[length] = 0;
	cgroup->unified = length == 0;
	cgroup->path = path + 1;
	return cgroup->unified || has(cgroup->controllers, controller);
}

bool parse_program(const char *text, struct parse_program *program)
{
	const char *const begin = strchr(text, '('), *const end = strrchr(text, ')');
	uint64_t user, kernel;

	if (!begin || !end || end < begin)
		return false;
	program->pid = parse_field(text, 0);
	copy_name(program->name, begin + 1, (size_t)(end - begin) - 1);
	/* proc_pid_stat(5): fields 14, 15, 22 and 39; field 3 is the first one after the name. */
	user = parse_field(end + 1, 11);
	kernel = parse_field(end + 1, 12);
	program->start = parse_field(end + 1, 19);
	program->cpu = parse_field(end + 1, 36);
	program->ticks =
		user > UINT64_MAX / 4 || kernel > UINT64_MAX / 4 ? PARSE_UNKNOWN : user + kernel;
	return program->pid != PARSE_UNKNOWN && program->ticks != PARSE_UNKNOWN;
}
