/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "model.h"
#include "text.h"
#include "tree.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The block of a processor with very many flags takes 3 KiB. */
#define CPUINFO_SIZE 16384

/* End the text at the first empty line that follows another line. */
static void keep_first_block(char *text)
{
	char *end = strstr(text + strspn(text, "\n"), "\n\n");

	if (end)
		*end = 0;
}

/* What stands after the name of a field, blanks and a colon; NULL if the line has another name. */
static const char *value_in_line(const char *line, const char *name)
{
	line = text_skip(line, name);
	if (!line)
		return NULL;
	line += strspn(line, " \t");
	return *line == ':' ? line + 1 : NULL;
}

/* Copy without the blanks at both ends. False: there is nothing else. */
static bool copy_value(const char *from, char value[MODEL_SIZE])
{
	size_t n = 0;

	from += strspn(from, " \t");
	for (; n < MODEL_SIZE - 1 && from[n] && from[n] != '\n'; n++)
		value[n] = from[n] == '\t' ? ' ' : from[n];
	while (n > 0 && value[n - 1] == ' ')
		n--;
	value[n] = 0;
	return n > 0;
}

/* Find the first field of this name that is not empty. */
static bool find_field(const char *text, const char *name, char value[MODEL_SIZE])
{
	while (text) {
		const char *found = value_in_line(text, name);

		if (found && copy_value(found, value))
			return true;
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return false;
}

/* On 64-bit ARM the kernel tells numbers only. */
static bool find_implementer(const char *text, char model[MODEL_SIZE])
{
	char implementer[MODEL_SIZE], part[MODEL_SIZE];

	if (!find_field(text, "CPU implementer", implementer) ||
	    !find_field(text, "CPU part", part))
		return false;
	snprintf(model, MODEL_SIZE, "implementer %.40s part %.40s", implementer, part);
	return true;
}

static bool find_model(const char *text, char model[MODEL_SIZE])
{
	/* MIPS; POWER and SPARC; RISC-V; what is left. */
	static const char *const others[] = { "cpu model", "cpu", "uarch", "machine" };

	if (find_field(text, "model name", model) || find_implementer(text, model))
		return true;
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (find_field(text, others[i], model))
			return true;
	return false;
}

void model_read(const char *root, char model[MODEL_SIZE])
{
	char text[CPUINFO_SIZE];

	if (tree_read(root, "/proc/cpuinfo", text, sizeof text) <= 0)
		text[0] = 0;
	keep_first_block(text);
	if (!find_model(text, model))
		snprintf(model, MODEL_SIZE, "%s", MACHINE_ARCHITECTURE);
	for (char *p = model; *p; p++)
		if (*p < ' ' || *p > '~')
			*p = '?';
}
