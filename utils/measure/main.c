/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the command line asks to be measured. */

#include "config.h"

#include "run/failure.h"
#include "commands-run.h"
#include "complain.h"
#include "harness-run.h"
#include "log.h"
#include "leak-run.h"
#include "options.h"
#include "output.h"
#include "files/pairs.h"
#include "link/names.h"
#include "link/sources.h"
#include "run/relink.h"
#include "report/list.h"
#include "time-run.h"
#include "same-file.h"
#include "signals.h"
#include "streams.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_S 1e9

/* What the options default to. */
#define BUDGET_S 2
#define BUDGET_LINKED_S 20
#define BUDGET_PRECISION_S 60
#define BUDGET_OF_SIZE_S 1     /* with --sizes, for each of them */
#define BUDGET_LINKED_SIZE_S 5 /* for each of several that are not compared */
#define BUDGET_LEAK_S 10
#define BUDGET_COMMANDS_S 20
#define BUDGET_COMMAND_S 5 /* if nothing is compared */
#define TIMEOUT_S 10
#define SEED 1

/* In all messages, also from getopt, by whatever path the program was called. */
static char name[] = "cpucycles-measure";

/* In seconds. */
static double default_budget(const struct wanted *wanted)
{
	if (wanted->leak)
		return BUDGET_LEAK_S;
	if (wanted->precision > 0)
		return BUDGET_PRECISION_S;
	if (wanted->commands_count)
		return wanted->alone || wanted->commands_count == 1 ? BUDGET_COMMAND_S :
								      BUDGET_COMMANDS_S;
	if (wanted->links)
		return wanted->sizes.n > 1 && wanted->alone ? BUDGET_LINKED_SIZE_S :
							      BUDGET_LINKED_S;
	return wanted->sizes.n ? BUDGET_OF_SIZE_S : BUDGET_S;
}

/* All events, or the events that have this word. */
static enum outcome_status list_events(const char *word)
{
	size_t listed;
	const int error = list_print(word, stdout, &listed);

	if (error) {
		log_line(LOG_ERROR, "-l: %s", strerror(-error));
		return OUTCOME_FAILED;
	}
	if (word && listed == 0) {
		log_line(LOG_ERROR, "-l %s: no event has this word", word);
		return OUTCOME_NOT_COUNTED;
	}
	return streams_written() ? OUTCOME_OK : OUTCOME_OUTPUT;
}

/* Whether an option's file would replace a file that is measured, or that functions are linked
 * with. A line says so. */
static bool replaces_input(const char *option, const char *path, const struct wanted *wanted,
			   const struct target targets[], size_t n)
{
	if (!path)
		return false;
	for (size_t i = 0; i < n; i++)
		if (same_file(path, targets[i].library))
			return options_expect(option, path,
					      "another file than a library that is measured");
	for (size_t i = 0; i < wanted->link.with_count; i++)
		if (same_file(path, wanted->link.with[i]))
			return options_expect(option, path, "another file than that of --with");
	return false;
}

/* Whether the file of --raw or of --layouts would replace one of these, or the other one's. */
static bool replaces(const struct wanted *wanted, const struct target targets[], size_t n)
{
	const char *raw = wanted->raw, *layouts = wanted->layouts;

	if (replaces_input("--raw", raw, wanted, targets, n) ||
	    replaces_input("--layouts", layouts, wanted, targets, n))
		return true;
	return raw && layouts && same_file(raw, layouts) &&
	       options_expect("--layouts", layouts, "another file than that of --raw");
}

/* Whether a file that has flags of its own is compiled. A line says if it is not. */
static bool takes_flags(const struct wanted *wanted, const char *first, const char *second)
{
	static const char *const options[] = { "--cflags1", "--cflags2" };
	const char *const paths[] = { first, second };
	bool cxx;

	for (size_t i = 0; i < 2; i++)
		if (wanted->link.flags_of[i] && !tools_is_source(paths[i], &cxx)) {
			options_refuse(options[i], "is for what is compiled: expected source "
						   "text, such as f.c");
			return false;
		}
	return true;
}

/* Whether all files are of one kind: to be linked, or to be loaded. */
static bool are_alike(struct wanted *wanted, const struct target targets[], size_t n)
{
	const bool can_link = relink_harness() != NULL;
	size_t linked = 0;

	for (size_t i = 0; i < n && can_link; i++)
		linked += link_is_input(targets[i].library);
	wanted->links = linked > 0;
	if (!linked && (wanted->link.with_count || wanted->link.flags))
		options_refuse(wanted->link.flags ? "--cflags" : "--with",
			       "is for what is linked: expected .c, .o or .a");
	else if (!linked && wanted->gate > 0)
		options_refuse("--gate",
			       "a verdict on a shared object is also about where its linker has "
			       "put the functions: expected .c, .o or .a");
	else if (linked > 0 && linked < n)
		options_refuse("a mixture of linked and of shared objects",
			       "expected .c, .o or .a, or else .so, for all functions");
	else if (linked > CHILD_SIDES && !wanted->pairs)
		options_refuse("too many functions", "64 are linked at most");
	else
		return n < 2 || takes_flags(wanted, targets[0].library, targets[1].library);
	return false;
}

/* How long to measure, if that was not given. */
static void set_budget(struct wanted *wanted)
{
	if (wanted->plan.budget_ns)
		return;
	wanted->plan.budget_ns = (uint64_t)(default_budget(wanted) * NS_PER_S);
	wanted->time_of_each = wanted->pairs;
}

/* Fill in target number i. */
static enum outcome_status parse_target(const char *argument, struct target targets[], size_t i)
{
	const int error = target_parse(argument, targets, i);

	if (!error)
		return OUTCOME_OK;
	if (error != -EINVAL) {
		log_line(LOG_ERROR, "%s", strerror(-error));
		return OUTCOME_FAILED;
	}
	if (link_is_input(argument))
		options_refuse(argument,
			       "expected FILE:FUNCTION; or two files alone, to compare all "
			       "functions that both have");
	else
		log_line(LOG_ERROR, "%s: expected FILE:FUNCTION, such as f.c:f or ./f.so:f",
			 argument);
	return OUTCOME_USAGE;
}

/* The functions of two files, and what the files were compiled into. */
struct found {
	const struct pairs *pairs;
	char *const *objects;
};

/* What tells the two sides apart, and what is known of functions that were found. */
static enum outcome_status tell_apart(const struct wanted *wanted, struct target targets[],
				      size_t n, const struct found *found)
{
	for (size_t i = 0; i < n; i++) {
		const char *const flags = wanted->link.flags_of[i % 2];

		if (found) {
			targets[i].object = found->objects[i % 2];
			targets[i].symbol = found->pairs->both.list[i / 2];
			targets[i].listed =
				!pairs_is_asked_for(targets[i].symbol, targets[i].function,
						    wanted->only, wanted->only_count);
		}
		if (flags && target_add_flags(&targets[i], flags)) {
			log_line(LOG_ERROR, "%s", strerror(ENOMEM));
			return OUTCOME_FAILED;
		}
	}
	return OUTCOME_OK;
}

/* The functions that the arguments name: n of each pair, of which there are count, or n for all
 * sizes. found: NULL: there are no pairs. */
static enum outcome_status run_named(struct wanted *wanted, char *const arguments[], size_t n,
				     size_t count, const struct found *found)
{
	const size_t named = wanted->pairs ? n * count : n;
	struct target *const targets = calloc(n * count + 1, sizeof *targets);
	struct outcome *const outcomes = calloc(count, sizeof *outcomes);
	enum outcome_status status = OUTCOME_OK;
	size_t parsed = 0;

	if (!targets || !outcomes) {
		log_line(LOG_ERROR, "%s", strerror(ENOMEM));
		status = OUTCOME_FAILED;
	}
	for (; status == OUTCOME_OK && parsed < named; parsed++) {
		/* Pairs have different names: only in one pair may two arguments be the same. */
		const size_t first = wanted->pairs ? parsed - parsed % n : 0;

		status = parse_target(arguments[parsed], targets + first, parsed - first);
	}
	if (status == OUTCOME_OK &&
	    (!are_alike(wanted, targets, named) || replaces(wanted, targets, named)))
		status = OUTCOME_USAGE;
	if (status == OUTCOME_OK)
		status = tell_apart(wanted, targets, named, found);
	if (status == OUTCOME_OK)
		target_shorten(targets, named);
	set_budget(wanted);
	if (status == OUTCOME_OK)
		status = wanted->leak ? measure_leak(wanted, &targets[0]) :
					measure_times(wanted, targets, n, outcomes, count);
	/* Those of the other sizes share the texts of the first ones. */
	if (targets)
		target_free(targets, parsed);
	free(targets);
	free(outcomes);
	return status;
}

/* All functions of two files */

static enum outcome_status say_no_pairs(const struct wanted *wanted, char *const arguments[2])
{
	if (wanted->only_count)
		log_line(LOG_ERROR,
			 "--only %s: no function with such a name is in both %s and %s%s",
			 wanted->only[wanted->only_count - 1], arguments[0], arguments[1],
			 wanted->link.cxx ? "; of C++, give all scopes, or '*::NAME'" : "");
	else
		log_line(LOG_ERROR,
			 "%s and %s have no function in common; expected one without parameters "
			 "that is not static",
			 arguments[0], arguments[1]);
	return OUTCOME_NOT_FOUND;
}

/* Compile source texts, and find the functions that both files have. */
static enum outcome_status find_pairs(const struct wanted *wanted, char *const arguments[2],
				      struct sources *sources, struct pairs *pairs)
{
	struct words demangled = { 0 };
	char *files[2];
	struct reason_text reason;
	size_t which;
	int error;

	signals_prepare();
	error = sources_compile(sources, arguments, &wanted->link, &which, &reason);
	if (error && signals_asked())
		return OUTCOME_INTERRUPTED;
	if (error) {
		failure_complain(arguments[which], &reason);
		return OUTCOME_FAILED;
	}
	for (size_t i = 0; i < 2; i++)
		files[i] = sources->objects[i] ? sources->objects[i] : arguments[i];
	error = pairs_read(files, pairs, &which, &reason);
	if (!error)
		error = names_demangle(&sources->tools, &pairs->mangled, &demangled, &reason);
	if (!error)
		error = pairs_choose(pairs, &demangled, wanted->only, wanted->only_count);
	words_free(&demangled);
	if (!error)
		return OUTCOME_OK;
	failure_complain(arguments[which], &reason);
	return error == -EINVAL || error == -ENOMEM ? OUTCOME_FAILED : OUTCOME_NOT_FOUND;
}

/* As if the command line named the functions. */
static enum outcome_status measure_pairs(struct wanted *wanted, char *const arguments[2],
					 const struct found *found)
{
	const struct words *const names = &found->pairs->written;
	enum outcome_status status = OUTCOME_FAILED;
	struct words named = { 0 };

	for (size_t i = 0; i < 2 * names->n; i++)
		words_take(&named, words_join(arguments[i % 2], ":", names->list[i / 2]));
	if (named.failed)
		log_line(LOG_ERROR, "%s", strerror(ENOMEM));
	else
		status = run_named(wanted, named.list, 2, names->n, found);
	words_free(&named);
	return status;
}

static enum outcome_status run_pairs(struct wanted *wanted, char *const arguments[2])
{
	struct sources sources = { .objects = { NULL } };
	struct pairs pairs = { .both = { 0 } };
	enum outcome_status status = find_pairs(wanted, arguments, &sources, &pairs);

	if (status == OUTCOME_OK) {
		wanted->link.cxx = pairs.mangled.n > 0;
		wanted->sources = &sources;
		for (size_t i = 0; i < 2; i++)
			output_tell_alone(arguments[i], &pairs.alone[i]);
		status = pairs.both.n ? measure_pairs(wanted, arguments,
						      &(struct found){ &pairs, sources.objects }) :
					say_no_pairs(wanted, arguments);
	}
	pairs_free(&pairs);
	sources_end(&sources);
	signals_release();
	return status;
}

/* Whether the two files are one source text, compiled in one way. */
static bool are_one(const struct wanted *wanted, char *const arguments[2])
{
	const char *const *const flags = wanted->link.flags_of;
	bool cxx;

	return tools_is_source(arguments[0], &cxx) && same_file(arguments[0], arguments[1]) &&
	       !strcmp(flags[0] ? flags[0] : "", flags[1] ? flags[1] : "");
}

static int run(struct wanted *wanted, char *const arguments[], size_t n)
{
	/* Two files, without functions. */
	wanted->pairs = n == 2 && relink_harness() && link_is_input(arguments[0]) &&
			link_is_input(arguments[1]);
	if (!wanted->pairs) {
		if (!wanted->only_count)
			return (int)run_named(wanted, arguments, n,
					      wanted->sizes.n ? wanted->sizes.n : 1, NULL);
		return options_refuse("--only",
				      "is about all functions of two files: expected OLD NEW");
	}
	if (wanted->raw || wanted->layouts || wanted->sizes.n || wanted->alone)
		return options_refuse(wanted->raw     ? "--raw" :
				      wanted->layouts ? "--layouts" :
				      wanted->sizes.n ? "--sizes" :
							"--no-compare",
				      "not together with all functions of two files");
	if (!takes_flags(wanted, arguments[0], arguments[1]))
		return OUTCOME_USAGE;
	if (are_one(wanted, arguments))
		return options_refuse(arguments[1],
				      "is compared with itself: expected another revision, or "
				      "other flags by --cflags1 and --cflags2");
	return (int)run_pairs(wanted, arguments);
}

static void say_ignored(const char *sentence)
{
	log_line(LOG_WARNING, "ignored: %s", sentence);
}

/* Do what the options say. */
static int obey(struct wanted *wanted, char *const arguments[], size_t n)
{
	if (wanted->show) {
		options_show(wanted->show);
		return streams_written() ? OUTCOME_OK : OUTCOME_OUTPUT;
	}
	complain_of_environment(say_ignored);
	if (wanted->list)
		return (int)list_events(arguments[0]);
	if (!wanted->plan.seed)
		wanted->plan.seed = SEED;
	if (wanted->commands_count) {
		set_budget(wanted);
		return (int)measure_commands(wanted);
	}
	if (wanted->harness)
		return (int)measure_harness(wanted, arguments);
	return run(wanted, arguments, n);
}

int main(int argc, char *argv[])
{
	struct wanted wanted = {
		.options = { .size = sizeof wanted.options },
		.plan = { .size = sizeof wanted.plan },
		.timeout_ns = (uint64_t)(TIMEOUT_S * NS_PER_S),
	};
	int status;

	if (argc > 0)
		argv[0] = name;
	log_set_name(name);
	streams_keep_apart();
	status = options_parse(argc, argv, &wanted);
	if (status == OUTCOME_OK)
		status = obey(&wanted, argv + optind, (size_t)(argc - optind));
	options_free(&wanted);
	return status;
}
