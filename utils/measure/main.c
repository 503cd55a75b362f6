/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What is measured, and in which form the results are printed. */

#include "config.h"

#include "complain.h"
#include "log.h"
#include "layouts.h"
#include "leak-run.h"
#include "options.h"
#include "pairs.h"
#include "put.h"
#include "relink.h"
#include "report.h"
#include "tries.h"
#include "watch.h"
#include "streams.h"
#include "verdict.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NS_PER_S 1e9

/* What the options default to. */
#define BUDGET_S 2
#define BUDGET_LINKED_S 20
#define BUDGET_PRECISION_S 60
#define BUDGET_OF_SIZE_S 1 /* with --sizes, for each of them */
#define BUDGET_LEAK_S 10
#define TIMEOUT_S 10
#define SEED 1

/* Room for so many samples of each function in each process, unless -n says more or fewer. */
#define SAMPLES_MOST (1u << 16)

/* In all messages, also in those of getopt, by whatever path the program was called. */
static char name[] = "cpucycles-measure";

/* In seconds. */
static double default_budget(const struct wanted *wanted)
{
	if (wanted->leak)
		return BUDGET_LEAK_S;
	if (wanted->precision > 0)
		return BUDGET_PRECISION_S;
	if (wanted->links)
		return BUDGET_LINKED_S;
	return wanted->sizes.n ? BUDGET_OF_SIZE_S : BUDGET_S;
}

/* Colours are for people at a terminal, unless they want none: https://no-color.org */
static bool is_colourful(void)
{
	const char *const none = getenv("NO_COLOR"), *const terminal = getenv("TERM");

	return isatty(STDOUT_FILENO) && (!none || !*none) && terminal && strcmp(terminal, "dumb");
}

/* False: memory ran out. */
static bool print(const struct wanted *wanted, const struct outcome outcomes[], size_t n)
{
	switch (wanted->form) {
	case FORM_CSV:
		return !measure_table(outcomes, n, TABLE_CSV, false, stdout);
	case FORM_MARKDOWN:
		return !measure_table(outcomes, n, TABLE_MARKDOWN, false, stdout);
	case FORM_JSON:
		return measure_json(outcomes, n, stdout);
	case FORM_BENCHMARK:
		return measure_benchmark(outcomes, n, stdout);
	default:
		break;
	}
	if (wanted->form == FORM_TABLE && !wanted->check)
		return !measure_table(outcomes, n, TABLE_TEXT, is_colourful(), stdout);
	measure_text(outcomes, n, stdout);
	return true;
}

/* Put the file of samples in its place, with the verdicts at its end. */
static enum outcome_status put_samples(struct raw *raw, const struct outcome *outcome)
{
	const bool measured = outcome->count > 0;

	if (raw->path && !raw->error && measured && !watch_must_end())
		put_append(raw, raw_put_verdicts, outcome);
	return put_end("--raw", raw, measured, outcome->interrupted);
}

/* Whether the file of layouts can be written, seen before anything is measured. It is closed
 * again, so that no function that is measured has it open. */
static enum outcome_status try_layouts(const char *path)
{
	struct raw raw;
	const int error = raw_open(&raw, path);

	raw_close(&raw);
	return put_status("--layouts", &raw, error);
}

/* Write the file of layouts, if somebody wants it and there is something in it. */
static enum outcome_status put_layouts(const char *path, const struct layouts *layouts)
{
	bool measured = false;
	struct raw raw;

	for (size_t k = 0; k < layouts->n; k++)
		measured |= layouts->outcomes[k].count > 0;
	if (!path || !measured || watch_must_end())
		return OUTCOME_OK;
	if (!raw_open(&raw, path)) {
		raw_begin(&raw);
		put_append(&raw, layouts_write, layouts);
	}
	return put_end("--layouts", &raw, true, layouts->outcomes[layouts->n - 1].interrupted);
}

/* Print all that there is. */
static enum outcome_status report(const struct wanted *wanted, const struct outcome outcomes[],
				  size_t n)
{
	enum outcome_status status = OUTCOME_OK;

	if (!print(wanted, outcomes, n)) {
		log_line(LOG_ERROR, "%s", strerror(ENOMEM));
		status = OUTCOME_OUTPUT;
	}
	return streams_written() ? status : OUTCOME_OUTPUT;
}

/* The outcomes to be filled in, and another n targets for each size but the first. */
static void begin_outcomes(const struct wanted *wanted, struct target targets[], size_t n,
			   struct outcome outcomes[], size_t count)
{
	for (size_t i = 0; i < (wanted->pairs ? n * count : n); i++)
		targets[i].bytes = wanted->bytes;
	for (size_t k = 0; k < count; k++) {
		outcomes[k].check = wanted->check;
		outcomes[k].plan = wanted->plan;
		outcomes[k].precision = wanted->precision;
		outcomes[k].gate = wanted->gate;
		outcomes[k].within = wanted->within > 0 ? wanted->within : wanted->gate;
		outcomes[k].linked = wanted->links;
		outcomes[k].pair = wanted->pairs;
		outcomes[k].number = k + 1;
		outcomes[k].all = count;
		outcomes[k].named = wanted->only_count > 0;
		/* All pairs share the error. */
		if (wanted->pairs)
			outcomes[k].plan.error = VERDICT_ERROR / (double)count;
		if (!wanted->sizes.n)
			continue;
		outcomes[k].size = wanted->sizes.list[k];
		for (size_t i = 0; i < n; i++) {
			targets[k * n + i] = targets[i];
			targets[k * n + i].sized = true;
			targets[k * n + i].size = targets[k * n + i].bytes = outcomes[k].size;
		}
	}
}

/* Nothing that was compared is no success. */
static enum outcome_status check_left(const struct outcome outcomes[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!outcome_is_left_out(&outcomes[i]))
			return OUTCOME_OK;
	log_line(LOG_ERROR, "no function of both files works without parameters, so none was "
			    "compared; expected void f(void), or FILE:FUNCTION");
	return OUTCOME_FAILED;
}

/* Measure, and print what there is. targets has n targets for each outcome. */
static enum outcome_status measure(struct wanted *wanted, struct target targets[], size_t n,
				   struct outcome outcomes[], size_t count)
{
	struct raw raw;
	struct tries tries = {
		.timeout_ns = wanted->timeout_ns,
		.raw = &raw,
		.link = wanted->links ? &wanted->link : NULL,
	};
	enum outcome_status status, printed, written, layouts;

	watch_prepare();
	if (try_layouts(wanted->layouts) != OUTCOME_OK)
		return OUTCOME_OUTPUT;
	written = put_status("--raw", &raw, raw_open(&raw, wanted->raw));
	if (written != OUTCOME_OK)
		return written;
	if (!wanted->check) {
		wanted->options.works_max = n;
		wanted->options.samples_max = SAMPLES_MOST;
	}
	tries.options = wanted->options;
	wanted->link.harness = relink_harness();
	begin_outcomes(wanted, targets, n, outcomes, count);
	status = tries_run_all(&tries, targets, n, outcomes, &count);
	if (status == OUTCOME_OK)
		status = check_left(outcomes, count);
	if (status == OUTCOME_OK)
		status = outcome_gates(outcomes, count);
	layouts = put_layouts(wanted->layouts, &(struct layouts){ outcomes, count, &tries.relink });
	tries_end(&tries);
	written = put_samples(&raw, &outcomes[0]);
	if (written == OUTCOME_OK)
		written = layouts;
	/* From here on, signals end this program: somebody may not read what it prints. */
	if (watch_release() && status == OUTCOME_OK) {
		outcomes[count - 1].interrupted = true;
		status = OUTCOME_INTERRUPTED;
	}
	printed = report(wanted, outcomes, count);
	for (size_t i = 0; i < count; i++)
		outcome_free(&outcomes[i]);
	return printed == OUTCOME_OK && written == OUTCOME_OK ? status : OUTCOME_OUTPUT;
}

/* All events, or those that have this word. */
static enum outcome_status list_events(const char *word)
{
	size_t listed;
	const int error = measure_list(word, stdout, &listed);

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

/* Whether a file is one of those that are measured, which --raw or --layouts would replace. */
static bool is_library(const char *path, const struct target targets[], size_t n)
{
	struct stat file, library;

	if (stat(path, &file))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!stat(targets[i].library, &library) && library.st_dev == file.st_dev &&
		    library.st_ino == file.st_ino)
			return true;
	return false;
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
		return true;
	return false;
}

/* The targets and what came of them are n for each of count outcomes. */
struct work {
	struct target *targets;
	struct outcome *outcomes;
	size_t n, count;
	size_t parsed; /* targets */
};

static bool begin_work(struct work *work, size_t n, size_t count)
{
	*work = (struct work){
		.targets = calloc(n * count + 1, sizeof *work->targets),
		.outcomes = calloc(count, sizeof *work->outcomes),
		.n = n,
		.count = count,
	};
	return work->targets && work->outcomes;
}

static void end_work(struct work *work)
{
	/* Those of the other sizes share the texts of the first ones. */
	if (work->targets)
		target_free(work->targets, work->parsed);
	free(work->targets);
	free(work->outcomes);
}

static enum outcome_status parse_target(struct work *work, const char *argument)
{
	const int error = target_parse(argument, work->targets, work->parsed++);

	if (!error)
		return OUTCOME_OK;
	if (error != -EINVAL) {
		log_line(LOG_ERROR, "%s", strerror(-error));
		return OUTCOME_FAILED;
	}
	if (link_is_input(argument))
		options_refuse(argument,
			       "expected FILE:FUNCTION, or two files alone, to compare all "
			       "functions that both have");
	else
		log_line(LOG_ERROR, "%s: expected FILE:FUNCTION, such as f.c:f or ./f.so:f",
			 argument);
	return OUTCOME_USAGE;
}

static enum outcome_status measure_work(struct wanted *wanted, struct work *work)
{
	const size_t n = wanted->pairs ? work->parsed : work->n;

	if (!are_alike(wanted, work->targets, n))
		return OUTCOME_USAGE;
	if (wanted->raw && is_library(wanted->raw, work->targets, n)) {
		options_expect("--raw", wanted->raw,
			       "another file than a library that is measured");
		return OUTCOME_USAGE;
	}
	if (wanted->layouts && is_library(wanted->layouts, work->targets, n)) {
		options_expect("--layouts", wanted->layouts,
			       "another file than a library that is measured");
		return OUTCOME_USAGE;
	}
	if (!wanted->plan.budget_ns)
		wanted->plan.budget_ns = (uint64_t)(default_budget(wanted) * NS_PER_S) *
					 (wanted->pairs ? (uint64_t)work->count : 1);
	if (wanted->leak)
		return measure_leak(wanted, &work->targets[0]);
	return measure(wanted, work->targets, work->n, work->outcomes, work->count);
}

/* The functions of the command line. */
static enum outcome_status run_named(struct wanted *wanted, char *const arguments[], size_t n)
{
	enum outcome_status status = OUTCOME_OK;
	struct work work;

	if (!begin_work(&work, n, wanted->sizes.n ? wanted->sizes.n : 1)) {
		log_line(LOG_ERROR, "%s", strerror(ENOMEM));
		status = OUTCOME_FAILED;
	}
	for (size_t i = 0; status == OUTCOME_OK && i < n; i++)
		status = parse_target(&work, arguments[i]);
	if (status == OUTCOME_OK)
		status = measure_work(wanted, &work);
	end_work(&work);
	return status;
}

/* All functions of two files */

/* The names that one of the files has alone, on standard error: they are not compared. */
static void tell_alone(const char *file, const struct words *alone)
{
	if (alone->n == 1)
		log_line(LOG_WARNING, "%s alone has %s, which is not compared", file,
			 alone->list[0]);
	else if (alone->n > 1)
		log_line(LOG_WARNING, "%s alone has %s and %zu more, which are not compared", file,
			 alone->list[0], alone->n - 1);
}

static enum outcome_status say_no_pairs(const struct wanted *wanted, char *const arguments[2])
{
	if (wanted->only_count)
		log_line(LOG_ERROR, "--only %s: no function with such a name is in both %s and %s",
			 wanted->only[wanted->only_count - 1], arguments[0], arguments[1]);
	else
		log_line(LOG_ERROR,
			 "%s and %s have no function in common; expected one without parameters "
			 "that is not static",
			 arguments[0], arguments[1]);
	return OUTCOME_NOT_FOUND;
}

static enum outcome_status find_pairs(const struct wanted *wanted, char *const arguments[2],
				      struct pairs *pairs)
{
	struct cpucycles_reason reason;
	size_t which;
	const int error =
		pairs_read(arguments, wanted->only, wanted->only_count, pairs, &which, &reason);

	if (!error)
		return OUTCOME_OK;
	log_line(LOG_ERROR, "%s: %s%s%s", arguments[which], reason.what,
		 reason.remedy[0] ? "; " : "", reason.remedy);
	return error == -EINVAL || error == -ENOMEM ? OUTCOME_FAILED : OUTCOME_NOT_FOUND;
}

static enum outcome_status measure_pairs(struct wanted *wanted, char *const arguments[2],
					 const struct words *names, char *named[])
{
	enum outcome_status status = OUTCOME_OK;
	struct work work;

	if (!begin_work(&work, 2, names->n))
		status = OUTCOME_FAILED;
	for (size_t i = 0; status == OUTCOME_OK && i < 2 * names->n; i++) {
		/* As if somebody had named the functions. */
		named[i] = words_join(arguments[i % 2], ":", names->list[i / 2]);
		status = named[i] ? parse_target(&work, named[i]) : OUTCOME_FAILED;
	}
	if (status == OUTCOME_OK)
		status = measure_work(wanted, &work);
	else
		log_line(LOG_ERROR, "%s", strerror(ENOMEM));
	end_work(&work);
	return status;
}

static enum outcome_status run_pairs(struct wanted *wanted, char *const arguments[2])
{
	struct pairs pairs = { .both = { 0 } };
	enum outcome_status status = find_pairs(wanted, arguments, &pairs);
	char **named = NULL;

	if (status != OUTCOME_OK)
		return status;
	for (size_t i = 0; i < 2; i++)
		tell_alone(arguments[i], &pairs.alone[i]);
	named = calloc(2 * pairs.both.n + 1, sizeof *named);
	if (pairs.both.n == 0)
		status = say_no_pairs(wanted, arguments);
	else if (named)
		status = measure_pairs(wanted, arguments, &pairs.both, named);
	else
		status = OUTCOME_FAILED;
	for (size_t i = 0; named && i < 2 * pairs.both.n; i++)
		free(named[i]);
	free(named);
	pairs_free(&pairs);
	return status;
}

/* Whether the arguments are two files, without functions. */
static bool are_files(char *const arguments[], size_t n)
{
	return n == 2 && relink_harness() && link_is_input(arguments[0]) &&
	       link_is_input(arguments[1]);
}

static int run(struct wanted *wanted, char *const arguments[], size_t n)
{
	wanted->pairs = are_files(arguments, n);
	if (!wanted->pairs) {
		if (!wanted->only_count)
			return (int)run_named(wanted, arguments, n);
		return options_refuse("--only",
				      "is about all functions of two files: expected OLD.a NEW.a");
	}
	if (wanted->raw || wanted->layouts || wanted->sizes.n)
		return options_refuse(wanted->raw     ? "--raw" :
				      wanted->layouts ? "--layouts" :
							"--sizes",
				      "not together with all functions of two files");
	return (int)run_pairs(wanted, arguments);
}

static void say_ignored(const char *sentence)
{
	log_line(LOG_WARNING, "ignored: %s", sentence);
}

/* Do what the options say. */
static int obey(struct wanted *wanted, char *const arguments[], size_t n)
{
	if (wanted->text) {
		fputs(wanted->text, stdout);
		return streams_written() ? OUTCOME_OK : OUTCOME_OUTPUT;
	}
	complain_of_environment(say_ignored);
	if (wanted->list)
		return (int)list_events(arguments[0]);
	return run(wanted, arguments, n);
}

int main(int argc, char *argv[])
{
	struct wanted wanted = {
		.options = { .size = sizeof wanted.options },
		.plan = { .size = sizeof wanted.plan, .seed = SEED },
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
