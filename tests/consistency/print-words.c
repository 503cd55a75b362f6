/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 *     print-words [ROOT NAME...]
 *
 * prints the words of the code, to which tests hold the manual pages, in lines "KIND WORD". The
 * kinds are:
 *
 *     status, class, reason, fact, source, state   what the code's own functions call them
 *     line            the first word of a line in a cache
 *     wait, longest   the seconds for which a calibrator waits by default, and at most
 *     knob            of the folder ROOT, which has a file rdpmc in place of the kernel's
 *     variable        which NAMEs the library looks for in the environment; else a number
 */

#include "config.h"

#include "cache.h"
#include "calibrate.h"
#include "environment.h"
#include "knobs.h"
#include "publish.h"
#include "utils/measure/files/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print(const char *kind, const char *word)
{
	printf("%s %s\n", kind, word);
}

/* The classes and the reasons end with that of the last resort, as the reader of a cache knows. */
static void print_names(void)
{
	for (enum cache_status i = 0; i < CACHE_STATUSES; i++)
		print("status", cache_status_name(i));
	for (enum counter_class i = 0; i <= COUNTER_LAST_RESORT; i++)
		print("class", counter_class_name(i));
	for (enum reason i = 0; i <= REASON_LAST_RESORT; i++)
		print("reason", reason_name(i));
	for (enum cache_fact i = 0; i < CACHE_FACTS; i++)
		print("fact", cache_fact_name(i));
	for (enum persecond_source i = 0; i < PERSECOND_SOURCES; i++)
		print("source", frequency_source_name(i));
}

/* A new state is an error of the compiler, because nothing else says which one is the last. */
#pragma GCC diagnostic error "-Wswitch"
static bool is_last(enum target_state state)
{
	switch (state) {
	case TARGET_MEASURED:
	case TARGET_TOO_FAST:
	case TARGET_CRASHED:
	case TARGET_HUNG:
	case TARGET_NOT_LINKED:
	case TARGET_FAILED:
		return false;
	case TARGET_PARAMETERS:
		break;
	}
	return true;
}

static void print_states(void)
{
	enum target_state state = TARGET_MEASURED;

	for (; !is_last(state); state++)
		print("state", target_state_name(state));
	print("state", target_state_name(state));
}

/* One counter is usable, and nothing is unknown. */
static void print_lines(void)
{
	static struct cache cache = { .persecond = { 1, PERSECOND_FILE }, .core = { 1, 1 } };
	static char text[CACHE_SIZE_MAX];

	for (size_t i = 0; i < counters_count; i++)
		cache.candidates[i] =
			(struct candidate){ .counter = counters_list[i],
					    .reason = i ? REASON_STILL : REASON_NONE };
	for (size_t i = 0; i < CACHE_FACTS; i++)
		strcpy(cache.facts[i], "known");
	if (!cache_format(&cache, text, sizeof text))
		exit(1);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		printf("line %.*s\n", (int)strcspn(line, " "), line);
}

static void print_knobs(const char *root)
{
	struct knobs knobs;

	knobs_read(root, &knobs);
	for (size_t i = 0; i < knobs.count; i++)
		print("knob", knobs.knob[i].kind->path);
}

static const char *name_of(enum environment_variable variable, char *names[])
{
	for (; *names; names++) {
		setenv(*names, "set", 1);
		environment_read();
		unsetenv(*names);
		if (environment_get(variable))
			return *names;
	}
	return NULL;
}

static void print_variables(char *names[])
{
	for (char **name = names; *name; name++)
		unsetenv(*name);
	for (enum environment_variable i = 0; i < ENVIRONMENT_VARIABLES; i++) {
		const char *name = name_of(i, names);

		if (name)
			print("variable", name);
		else
			printf("variable number %d of lib/environment.h\n", (int)i);
	}
}

int main(int argc, char *argv[])
{
	print_names();
	print_states();
	print_lines();
	printf("wait %d\nlongest %d\n", PUBLISH_WAIT_MS / 1000, CALIBRATE_WAIT_MAX_S);
	if (argc > 1) {
		print_knobs(argv[1]);
		print_variables(argv + 2);
	}
	return 0;
}
