/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "target.h"
#include "cxx-name.h"
#include "words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *target_state_name(enum target_state state)
{
	static const char *const names[] = {
		[TARGET_MEASURED] = "measured",     [TARGET_TOO_FAST] = "too fast",
		[TARGET_CRASHED] = "crashed",       [TARGET_HUNG] = "hung",
		[TARGET_NOT_LINKED] = "not linked", [TARGET_FAILED] = "failed",
		[TARGET_PARAMETERS] = "other type",
	};

	return names[state];
}

/* How the target is called in what is printed. */
static char *make_label(const struct target targets[], size_t i)
{
	char ending[32] = "";
	unsigned equal = 1;

	for (size_t earlier = 0; earlier < i; earlier++)
		equal += !strcmp(targets[earlier].argument, targets[i].argument);
	if (equal > 1)
		snprintf(ending, sizeof ending, " (%u)", equal);
	return words_join(targets[i].argument, "", ending);
}

/* The last colon that is not one of two, and not one of a tag such as f[abi:cxx11]. NULL: there is
 * none. */
static const char *find_colon(const char *argument)
{
	const char *found = NULL;

	for (const char *at = argument; (at = strchr(at, ':')); at += strspn(at, ":"))
		if (at[1] != ':' && (at - argument < 4 || strncmp(at - 4, "[abi", 4)))
			found = at;
	return found;
}

int target_parse(const char *argument, struct target targets[], size_t i)
{
	const char *colon = find_colon(argument), *stem;
	struct target *target = &targets[i];
	size_t length;

	*target = (struct target){ .argument = argument };
	if (!colon || colon == argument || !colon[1])
		return -EINVAL;
	target->library = strdup(argument);
	target->function = strdup(colon + 1);
	stem = cxx_last_part(colon + 1, &length);
	target->stem = strndup(stem, length);
	if (!target->stem)
		return -ENOMEM;
	target->setup = words_join(target->stem, "", "_setup");
	target->before = words_join(target->stem, "", "_before");
	target->input = words_join(target->stem, "", "_input");
	target->label = make_label(targets, i);
	target->shown = target->label;
	if (!target->library || !target->function || !target->setup || !target->before ||
	    !target->input || !target->label)
		return -ENOMEM;
	target->library[colon - argument] = 0;
	return 0;
}

int target_name(struct target targets[], size_t i, const char *argument, const char *program,
		const char *name)
{
	struct target *const target = &targets[i];

	*target = (struct target){ .argument = argument };
	target->library = strdup(program);
	target->function = strdup(name);
	target->label = make_label(targets, i);
	target->shown = target->label;
	return target->library && target->function && target->label ? 0 : -ENOMEM;
}

void target_shorten(struct target targets[], size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (strcmp(targets[0].library, targets[i].library))
			return;
	for (size_t i = 0; i < n; i++)
		targets[i].shown = targets[i].label + strlen(targets[i].library) + 1;
}

int target_add_flags(struct target *target, const char *flags)
{
	char *const rest = words_join(" (", flags + strspn(flags, " "), ")");
	char *const label = rest ? words_join(target->argument, rest, "") : NULL;

	free(rest);
	if (!label)
		return -ENOMEM;
	free(target->label);
	target->shown = target->label = label;
	return 0;
}

const char *target_symbol(const struct target *target)
{
	return target->symbol ? target->symbol : target->function;
}

void target_free(struct target targets[], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(targets[i].library);
		free(targets[i].function);
		free(targets[i].stem);
		free(targets[i].setup);
		free(targets[i].before);
		free(targets[i].input);
		free(targets[i].label);
	}
}

const char *target_argument(const struct target *target)
{
	if (target->leak)
		return "const unsigned char *";
	return target->sized ? "size_t" : "void";
}
