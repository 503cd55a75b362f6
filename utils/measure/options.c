/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* To add an option: a row in rows[], a member of struct wanted, a line in check() if it does not go
 * with all others, and cpucycles-measure(1). */

#include "config.h"

#include "options.h"
#include "events.h"
#include "log.h"
#include "harness/drivers.h"
#include "files/words.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1e9

/* Seconds and units beyond these are a mistake. */
#define SECONDS_MOST 1e6
#define UNITS_MOST 1e9

/* The option that asks for each form. */
static const char *const form_option[] = {
	[FORM_TABLE] = "",
	[FORM_VERBOSE] = "-v",
	[FORM_CSV] = "--csv",
	[FORM_MARKDOWN] = "--markdown",
	[FORM_JSON] = "--json",
	[FORM_BENCHMARK] = "--json=benchmark",
	[FORM_GITLAB] = "--annotations=gitlab",
};

int options_refuse(const char *what, const char *why)
{
	log_line(LOG_ERROR, "%s: %s", what, why);
	return OUTCOME_USAGE;
}

int options_expect(const char *option, const char *value, const char *expected)
{
	log_line(LOG_ERROR, "%s %s: expected %s", option, value, expected);
	return OUTCOME_USAGE;
}

#define WANTED(argument) ((struct wanted *)(argument))

/* The option's name in a message. */
struct option_name {
	char text[32];
};

static struct option_name name_of(const struct option_row *row)
{
	struct option_name name = { { '-', row->letter } };

	if (!row->letter)
		snprintf(name.text, sizeof name.text, "--%s", row->name);
	return name;
}

static int expect(const struct option_row *row, const char *value, const char *expected)
{
	return options_expect(name_of(row).text, value, expected);
}

static int refuse(const struct option_row *row, const char *why)
{
	return options_refuse(name_of(row).text, why);
}

static int parse_need(const struct option_row *row, const char *text, void *wanted)
{
	int *const need = option_member(row, wanted);
	static const char *const names[] = {
		[CPUCYCLES_NEED_ANY] = "any",
		[CPUCYCLES_NEED_FINE] = "fine",
		[CPUCYCLES_NEED_CYCLES] = "cycles",
		[CPUCYCLES_NEED_THREAD] = "thread",
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (!strcmp(text, names[i])) {
			*need = (int)i;
			return OUTCOME_OK;
		}
	return expect(row, text, "any, fine, cycles or thread");
}

/* Seconds with decimals, as nanoseconds. extra: the least, 0 or 1 ns. */
static int parse_seconds(const struct option_row *row, const char *text, void *wanted)
{
	uint64_t *const ns = option_member(row, wanted);
	char *end;
	double seconds = strtod(text, &end);

	/* Infinity and what is no number fail the comparisons. */
	if (end != text && !*end && seconds >= 0 && seconds <= SECONDS_MOST &&
	    (seconds == 0 || seconds * NS_PER_S >= 1)) {
		*ns = (uint64_t)(seconds * NS_PER_S);
		if (*ns >= row->extra)
			return OUTCOME_OK;
	}
	return expect(row, text,
		      row->extra ? "seconds above 0, a million at most" :
				   "seconds, a million at most");
}

/* A percentage, with its sign or without, as a part of 1. */
static int parse_percentage(const struct option_row *row, const char *text, void *wanted)
{
	double *const part = option_member(row, wanted);
	char *end;
	const double percent = strtod(text, &end);

	*part = percent / 100;
	if (end != text && (!*end || !strcmp(end, "%")) && percent > 0 && percent <= 100)
		return OUTCOME_OK;
	return expect(row, text, "a percentage above 0, such as 0.1%, 100 at most");
}

/* A whole number from 1 to `extra`. */
static int parse_number(const struct option_row *row, const char *text, void *wanted)
{
	uint64_t *const number = option_member(row, wanted);
	char expected[64], *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	/* strtoull takes a sign and blanks. */
	if (*text >= '0' && *text <= '9' && !*end && !errno && *number >= 1 &&
	    *number <= row->extra)
		return OUTCOME_OK;
	snprintf(expected, sizeof expected, "a whole number from 1 to %" PRIu64, row->extra);
	return expect(row, text, expected);
}

static int parse_units(const struct option_row *row, const char *text, void *wanted)
{
	double *const units = option_member(row, wanted);
	char *end;

	*units = strtod(text, &end);
	if (end != text && !*end && *units > 0 && *units <= UNITS_MOST)
		return OUTCOME_OK;
	return expect(row, text, "a number above 0, a billion at most");
}

static int parse_bytes(const struct option_row *row, const char *text, void *wanted)
{
	size_t *const bytes = option_member(row, wanted);

	if (!sizes_number(text, bytes) && *bytes > 0)
		return OUTCOME_OK;
	return expect(row, text, "bytes from 1, such as 64 or 16K");
}

static int parse_sizes(const struct option_row *row, const char *text, void *wanted)
{
	char expected[64];

	switch (sizes_parse(text, option_member(row, wanted))) {
	case 0:
		return OUTCOME_OK;
	case -E2BIG:
		snprintf(expected, sizeof expected, "%d sizes at most", SIZES_MOST);
		return expect(row, text, expected);
	case -ERANGE:
		snprintf(expected, sizeof expected, "sizes of %zu at most", SIZE_MAX);
		return expect(row, text, expected);
	default:
		return expect(row, text, "sizes such as 16,1K,64K or 16..64K*4 or 16..64+16");
	}
}

static int parse_events(const struct option_row *row, const char *text, void *wanted)
{
	struct reason_text reason;

	WANTED(wanted)->options.events = text;
	if (events_count(text, &reason))
		return OUTCOME_OK;
	return refuse(row, reason.what);
}

static int set_form(enum form form, struct wanted *wanted)
{
	char why[64];

	if (wanted->form == FORM_TABLE || wanted->form == form) {
		wanted->form = form;
		return OUTCOME_OK;
	}
	snprintf(why, sizeof why, "not together with %s", form_option[wanted->form]);
	return options_refuse(form_option[form], why);
}

static int parse_form(const struct option_row *row, const char *text, void *wanted)
{
	(void)text;
	return set_form((enum form)row->extra, wanted);
}

static int parse_json(const struct option_row *row, const char *text, void *wanted)
{
	(void)row;
	if (!text)
		return set_form(FORM_JSON, wanted);
	if (!strcmp(text, "benchmark"))
		return set_form(FORM_BENCHMARK, wanted);
	return options_expect("--json", text, "benchmark, or nothing after --json");
}

static int parse_compare(const struct option_row *row, const char *text, void *wanted)
{
	(void)text;
	WANTED(wanted)->compare = (enum compare)row->extra;
	return OUTCOME_OK;
}

static int parse_annotations(const struct option_row *row, const char *text, void *wanted)
{
	if (!strcmp(text, "gitlab"))
		return set_form(FORM_GITLAB, wanted);
	WANTED(wanted)->github = !strcmp(text, "github");
	return WANTED(wanted)->github ? OUTCOME_OK : expect(row, text, "github or gitlab");
}

/* Add a word to a list of n of them. */
static int add_word(const struct option_row *row, const char *word, const char ***list, size_t *n)
{
	const char **const more = realloc(*list, (*n + 1) * sizeof *more);

	if (!more)
		return refuse(row, strerror(ENOMEM));
	more[(*n)++] = word;
	*list = more;
	return OUTCOME_OK;
}

static int add_with(const struct option_row *row, const char *file, void *argument)
{
	struct wanted *const wanted = argument;
	const int status = add_word(row, file, &wanted->with, &wanted->link.with_count);

	wanted->link.with = wanted->with;
	return status;
}

static int add_only(const struct option_row *row, const char *pattern, void *wanted)
{
	return add_word(row, pattern, &WANTED(wanted)->only, &WANTED(wanted)->only_count);
}

static int add_command(const struct option_row *row, const char *command, void *wanted)
{
	return add_word(row, command, &WANTED(wanted)->commands, &WANTED(wanted)->commands_count);
}

static int parse_harness(const struct option_row *row, const char *name, void *wanted)
{
	WANTED(wanted)->harness = driver_find(name);
	return WANTED(wanted)->harness ? OUTCOME_OK : expect(row, name, driver_names);
}

static int add_flags(const struct option_row *row, const char *flags, void *argument)
{
	struct wanted *const wanted = argument;
	char **const own = &wanted->flags[row->extra];
	char *const all = words_join(*own ? *own : "", " ", flags);

	if (!all)
		return refuse(row, strerror(ENOMEM));
	free(*own);
	*own = all;
	wanted->link.flags = wanted->flags[0];
	for (size_t i = 0; i < 2; i++)
		wanted->link.flags_of[i] = wanted->flags[i + 1];
	return OUTCOME_OK;
}

#define AT(member) offsetof(struct wanted, member)
static const struct option_row rows[] = {
	{ 'r', "require", "=NEED",
	  "take this counter only: any, fine (a step of 2 ns or less),\n"
	  "cycles (of the core) or thread (this thread's only) [any]",
	  parse_need, AT(options.need), 0 },
	{ 'F', "next-best", NULL, "if there is none, take the next best and say so",
	  option_add_bits, AT(options.flags), CPUCYCLES_METER_NEXT_BEST },
	{ 't', "time", "=SECONDS",
	  "end after the process that passes this time [2];\n"
	  "with --sizes, for each size [1]; linked anew [20, or 5 for\n"
	  "each of several sizes that are not compared]; of two\n"
	  "files, for all functions together [20 for each];\n"
	  "with --leak [10]; of commands [20, or 5 if none is compared]",
	  parse_seconds, AT(plan.budget_ns), 1 },
	{ 'n', "samples", "=NUMBER", "take this number of samples of each function", parse_number,
	  AT(plan.samples), OUTCOME_COUNT_MOST },
	{ 0, "precision", "=PERCENT",
	  "go on until each interval is within this of its mean, such\n"
	  "as 0.1%, or -t is over [without -t: 60 seconds]",
	  parse_percentage, AT(precision), 0 },
	{ 0, "within", "=PERCENT",
	  "functions that differ by less than this, such as 1%, are the\n"
	  "same, and a sentence says so",
	  parse_percentage, AT(within), 0 },
	{ 0, "compare", NULL, "compare the functions with several sizes, too", parse_compare, 0,
	  COMPARE_YES },
	{ 0, "no-compare", NULL, "measure each function by itself, as with several sizes",
	  parse_compare, 0, COMPARE_NO },
	{ 'e', "events", "=EVENT,...", "count these events too, such as instructions,page-faults",
	  parse_events, 0, 0 },
	{ 0, "force", NULL, "count events also if they fail the check by known work",
	  option_add_bits, AT(options.flags), CPUCYCLES_METER_FORCE },
	{ 'l', "list", NULL, "list events; with a word as argument, try those that have it",
	  option_set, AT(list), 0 },
	{ 'c', "check", NULL, "only see whether counter, CPU and machine are fit to measure",
	  option_set, AT(check), 0 },
	{ 'v', "verbose", NULL, "print all figures of each function as lines, not as a table",
	  parse_form, 0, FORM_VERBOSE },
	{ 0, "csv", NULL, "print the table as comma-separated values, for programs", parse_form, 0,
	  FORM_CSV },
	{ 0, "markdown", NULL, "print the table as Markdown", parse_form, 0, FORM_MARKDOWN },
	{ 'j', "json", "[=benchmark]",
	  "print all figures, for programs; or in google/benchmark's form", parse_json, 0, 0 },
	{ 0, "bytes", "=NUMBER", "the bytes that a call handles: print cycles per byte, too",
	  parse_bytes, AT(bytes), 0 },
	{ 0, "sizes", "=SIZE,...",
	  "measure void FUNCTION(size_t n) with each n, as its bytes; or\n"
	  "FUNCTION(buffer, length); also ranges, such as 16..64K*4 or\n"
	  "16..64+16",
	  parse_sizes, AT(sizes), 0 },
	{ 0, "input", "=FILE",
	  "with --sizes: fill buffers with the bytes of this file, not with\n"
	  "random ones; --command: the standard input",
	  option_take_file, AT(input), 0 },
	{ 0, "gate", "=PERCENT", "fail (status 11) if a function is slower by this or more",
	  parse_percentage, AT(gate), 0 },
	{ 0, "annotations", "=FORGE",
	  "with --gate, what is wrong with each function, for github (on\n"
	  "standard error) or gitlab (as the output; the table goes to\n"
	  "standard error)",
	  parse_annotations, 0, 0 },
	{ 0, "only", "=PATTERN",
	  "of two files, compare functions or benchmarks with such names\n"
	  "only, such as 'crc*' or 'ns::*'; more than once if needed",
	  add_only, 0, 0 },
	{ 0, "measure-unchanged", NULL,
	  "measure functions, too, whose machine code is the same in the\n"
	  "files that are compared",
	  option_set, AT(measure_unchanged), 0 },
	{ 0, "with", "=FILE",
	  "link this file, too, or a library: -lNAME; for what the others\n"
	  "need (.c, .o, .a); more than once if needed",
	  add_with, 0, 0 },
	{ 0, "cflags", "=FLAGS", "compile and link with these flags", add_flags, 0, 0 },
	{ 0, "cflags1", "=FLAGS", "of two, compile the first one with these flags, too", add_flags,
	  0, 1 },
	{ 0, "cflags2", "=FLAGS", "compile the second one with these: f.c:f f.c:f compares flags",
	  add_flags, 0, 2 },
	{ 0, "raw", "=FILE", "write all samples to a file, separated by tabs", option_take_file,
	  AT(raw), 0 },
	{ 0, "layouts", "=FILE", "write what each process measured, and where functions lay in it",
	  option_take_file, AT(layouts), 0 },
	{ 0, "command", "=COMMAND",
	  "measure runs of a program as it is built: 'PROGRAM ARGUMENT...',\n"
	  "split as a shell does; two of them are compared",
	  add_command, 0, 0 },
	{ 0, "harness", "=HARNESS",
	  "compare the benchmarks that two programs both have:\n"
	  "google-benchmark, go or catch2; pytest: of two folders or files",
	  parse_harness, 0, 0 },
	{ 0, "prepare", "=COMMAND", "--command: run this one before each run, not measured",
	  option_take_file, AT(prepare), 0 },
	{ 0, "wall", NULL, "--command and --harness: judge the wall time, not the CPU time",
	  option_set, AT(wall), 0 },
	{ 0, "show-output", NULL, "--command: show what the programs print, on standard error",
	  option_set, AT(show_output), 0 },
	{ 0, "ignore-failure", NULL, "--command: take any exit status", option_set,
	  AT(ignore_failure), 0 },
	{ 0, "leak", NULL,
	  "test one function for leaks; its file has the line\n"
	  "const size_t FUNCTION_input_bytes = 32; and may have\n"
	  "void FUNCTION_input(int group, unsigned char *input), else\n"
	  "group 0 is one fixed input, and group 1 a random one each time",
	  option_set, AT(leak), 0 },
	{ 0, "pairs", NULL, "--leak: group 1 is one fixed input, too", option_add_bits,
	  AT(leak_flags), CPUCYCLES_LEAK_PAIRS },
	{ 0, "warm", NULL, "--leak: before each call, make one that is not timed", option_add_bits,
	  AT(leak_flags), CPUCYCLES_LEAK_WARM },
	{ 0, "above", "=NUMBER",
	  "--leak: a smaller difference does not matter, in core cycles,\n"
	  "or in units of the counter [2, or a step of it]",
	  parse_units, AT(threshold), 0 },
	{ 0, "timeout", "=SECONDS", "give up what takes longer, 0 for never [10]", parse_seconds,
	  AT(timeout_ns), 0 },
	{ 0, "seed", "=NUMBER", "draw the order of the functions from this number [1]",
	  parse_number, AT(plan.seed), INT64_MAX },
};
_Static_assert(sizeof rows / sizeof rows[0] <= COMMAND_LINE_OPTIONS, "raise the limit");

static const char usage[] =
	"Usage: cpucycles-measure [OPTION]... FILE:FUNCTION...\n"
	"   or: cpucycles-measure [OPTION]... OLD NEW\n"
	"   or: cpucycles-measure --leak [OPTION]... FILE:FUNCTION\n"
	"   or: cpucycles-measure [OPTION]... --command OLD [--command NEW]...\n"
	"   or: cpucycles-measure [OPTION]... --harness HARNESS OLD NEW\n"
	"Measure what void FUNCTION(void) takes, or which of several is faster. FILE is C code\n"
	"(.c), an object file (.o) or an archive (.a), which is linked anew many times, so\n"
	"that a verdict is about the code; or a shared object (.so), as it is. FUNCTION_setup,\n"
	"if there is one, is called once before, and FUNCTION_before is called before each call,\n"
	"in time that is not measured: it makes the input anew. Of two archives, objects or\n"
	"source texts alone, each function that both have is compared. With --leak, see whether\n"
	"the time of void FUNCTION(const unsigned char *input) depends on its input.\n"
	"Example: cpucycles-measure old/f.c:f new/f.c:f says which revision of f is faster.\n";

static const char statuses[] =
	"Exit status: 0 measured, 1 a warning (--check), 2 usage error, 3 the output could not be\n"
	"written, 4 no such library, function or command, 5 no such counter (-r), 6 a function\n"
	"crashed, or a command failed, 7 a function or a command passed --timeout, 8 a function\n"
	"is too fast to measure, 9 failed otherwise, 10 an event was not counted, 11 --gate:\n"
	"slower, or --leak: leaks, 12 --gate or --leak: cannot tell, or --leak: no verdict, 13\n"
	"--leak: FUNCTION_input_bytes is missing or wrong, 130 interrupted.\n";

static const struct command_line line = {
	.program = "cpucycles-measure",
	.usage = usage,
	.rows = rows,
	.n = sizeof rows / sizeof rows[0],
	.column = 25,
	.end = statuses,
};

/* Whether options and arguments make sense together. options, arguments: their numbers. */
static int check(const struct wanted *w, size_t options, int arguments)
{
	static const char compares[] =
		"is about a comparison: expected two functions or more, or two commands";
	static const char no_leak[] = "not together with --leak";
	static const char two[] = "is for one of two: expected two functions, or two files";
	static const char leak_only[] = "is about a test for leaks: expected --leak";
	const bool has_lines =
		w->form == FORM_TABLE || w->form == FORM_VERBOSE || w->form == FORM_JSON;
	const bool plans = w->plan.budget_ns || w->plan.samples || w->precision > 0 || w->plan.seed;
	const bool force = w->options.flags & CPUCYCLES_METER_FORCE;
	const bool alone = w->compare == COMPARE_NO;
	static const char command_only[] = "is about runs of programs: expected --command";
	const bool commands = w->commands_count > 0, runs = commands || w->harness;
	const char *const no_runs =
		w->harness ? "not together with --harness" : "not together with --command";
	const int sides = commands ? (int)w->commands_count : arguments;
	/* The first one that was made is said. */
	const struct {
		bool made;
		const char *what, *why;
	} mistakes[] = {
#ifndef HAVE_JANSSON
		{ w->form == FORM_JSON || w->form == FORM_BENCHMARK, "--json",
		  "built without jansson, which it needs" },
		{ w->form == FORM_GITLAB, form_option[FORM_GITLAB],
		  "built without jansson, which it needs" },
#endif
		{ w->list && arguments > 1, "-l", "expected one word at most" },
		{ w->list && options > 1, "-l", "not together with other options" },
		{ (w->github || w->form == FORM_GITLAB) && !(w->gate > 0), "--annotations",
		  "is about a gate: expected --gate" },
		{ !w->leak && w->threshold > 0, "--above", leak_only },
		{ !w->leak && w->leak_flags & CPUCYCLES_LEAK_PAIRS, "--pairs", leak_only },
		{ !w->leak && w->leak_flags & CPUCYCLES_LEAK_WARM, "--warm", leak_only },
		{ w->leak && w->check, "--check", no_leak },
		{ w->leak && w->gate > 0, "--gate", no_leak },
		{ w->leak && w->within > 0, "--within", no_leak },
		{ w->leak && w->precision > 0, "--precision", no_leak },
		{ w->leak && w->sizes.n, "--sizes", no_leak },
		{ w->leak && w->bytes, "--bytes", no_leak },
		{ w->leak && w->options.events, "--events", no_leak },
		{ w->leak && force, "--force", no_leak },
		{ w->leak && w->layouts, "--layouts", no_leak },
		{ w->leak && w->only_count, "--only", no_leak },
		{ w->leak && !has_lines, form_option[w->form], no_leak },
		{ w->leak && arguments > 1, "--leak",
		  "tests one function: expected one FILE:FUNCTION" },
		{ !commands && w->prepare, "--prepare", command_only },
		{ !runs && w->wall, "--wall",
		  "is about runs of programs: expected --command or --harness" },
		{ !commands && w->show_output, "--show-output", command_only },
		{ !commands && w->ignore_failure, "--ignore-failure", command_only },
		{ commands && arguments, "--command",
		  "a program and its arguments are one text: --command 'PROGRAM ARGUMENT...'" },
		{ runs && w->leak, "--leak", no_runs },
		{ runs && w->check, "--check", no_runs },
		{ runs && w->sizes.n, "--sizes", no_runs },
		{ runs && w->bytes, "--bytes", no_runs },
		{ runs && w->options.need, "--require", no_runs },
		{ runs && w->options.flags & CPUCYCLES_METER_NEXT_BEST, "--next-best", no_runs },
		{ runs && w->options.events, "--events", no_runs },
		{ runs && w->raw, "--raw", no_runs },
		{ commands && w->only_count, "--only", no_runs },
		{ runs && w->measure_unchanged, "--measure-unchanged", no_runs },
		{ runs && w->link.with_count, "--with", no_runs },
		{ runs && w->flags[0], "--cflags", no_runs },
		{ runs && w->form == FORM_BENCHMARK, form_option[FORM_BENCHMARK], no_runs },
		{ w->harness && commands, "--command", no_runs },
		{ w->harness && arguments != 2, "--harness", "expected two arguments: OLD NEW" },
		{ w->harness && w->layouts, "--layouts", no_runs },
		{ w->harness && w->input, "--input", no_runs },
		{ w->harness && alone, "--no-compare", no_runs },
		{ force && !w->options.events, "--force", "is about events: expected -e" },
		{ w->check && arguments, "--check",
		  "measures known work of its own: no functions expected" },
		{ w->check && (w->raw || w->layouts || plans), "--check",
		  "not together with -t, -n, --precision, --seed, --raw or --layouts" },
		{ w->check && !has_lines, form_option[w->form],
		  "--check has no table: expected --json" },
		{ alone && w->leak, "--no-compare", no_leak },
		{ alone && (w->check || w->within > 0 || w->gate > 0), "--no-compare",
		  "not together with --check, --gate or --within" },
		{ w->compare == COMPARE_YES && sides < 2, "--compare", compares },
		{ w->flags[1] && arguments != 2, "--cflags1", two },
		{ w->flags[2] && arguments != 2, "--cflags2", two },
		{ w->within > 0 && sides < 2, "--within", compares },
		{ w->gate > 0 && sides < 2, "--gate", compares },
		{ w->gate > 0 && w->precision > 0, "--gate", "not together with --precision" },
		{ w->precision > 0 && w->plan.samples, "--precision", "not together with -n" },
		{ w->check && (w->bytes || w->sizes.n), "--check",
		  "not together with --bytes or --sizes" },
		{ w->sizes.n && w->bytes, "--bytes",
		  "not together with --sizes, where a size is the bytes" },
		{ w->input && !w->sizes.n && !commands, "--input",
		  "is about buffers: expected --sizes, or --command" },
		{ w->sizes.n && w->raw, "--raw", "not together with --sizes" },
		{ !w->list && !w->check && !sides, "nothing to measure",
		  "expected FILE:FUNCTION; see --help" },
	};

	for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
		if (mistakes[i].made)
			return options_refuse(mistakes[i].what, mistakes[i].why);
	return OUTCOME_OK;
}

int options_parse(int argc, char *argv[], struct wanted *wanted)
{
	struct command_line_found found;
	int status = command_line_obey(&line, argc, argv, wanted, &found);

	wanted->show = found.show;
	if (status || found.show)
		return status;
	status = check(wanted, found.count, argc - optind);
	/* Functions that the gate takes for the same need no closer look. */
	if (!(wanted->within > 0))
		wanted->within = wanted->gate;
	wanted->alone =
		wanted->compare == COMPARE_NO || (wanted->compare == COMPARE_DEFAULT &&
						  wanted->sizes.n > 1 && !(wanted->within > 0));
	return status;
}

void options_show(enum command_line_shown show)
{
	command_line_show(&line, show);
}

void options_plan(const struct wanted *wanted, struct outcome *outcome)
{
	outcome->plan = wanted->plan;
	outcome->precision = wanted->precision;
	outcome->gate = wanted->gate;
	outcome->within = wanted->within;
}

void options_free(struct wanted *wanted)
{
	free(wanted->with);
	free(wanted->only);
	free(wanted->commands);
	for (size_t i = 0; i < 3; i++)
		free(wanted->flags[i]);
}
