/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "complain.h"
#include "events.h"
#include "log.h"
#include "measure-layouts.h"
#include "measure-pairs.h"
#include "measure-raw.h"
#include "measure-relink.h"
#include "measure-report.h"
#include "measure-sizes.h"
#include "measure-tries.h"
#include "measure-watch.h"
#include "streams.h"
#include "verdict.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NS_PER_S 1e9

/* What the options default to. */
#define BUDGET_S 2
#define BUDGET_LINKED_S 20
#define BUDGET_PRECISION_S 60
#define BUDGET_OF_SIZE_S 1 /* with --sizes, for each of them */
#define TIMEOUT_S 10
#define SEED 1

/* Room for so many samples of each function in each process, unless -n says more or fewer. */
#define SAMPLES_MOST (1u << 16)

/* Seconds and samples beyond these are a mistake. */
#define SECONDS_MOST 1e6
#define COUNT_MOST (UINT64_C(1) << 32)

/* In all messages, also in those of getopt, by whatever path the program was called. */
static char name[] = "cpucycles-measure";

/* Options without a letter. */
enum {
	OPTION_TIMEOUT = 256,
	OPTION_SEED,
	OPTION_RAW,
	OPTION_LAYOUTS,
	OPTION_FORCE,
	OPTION_CSV,
	OPTION_MARKDOWN,
	OPTION_PRECISION,
	OPTION_WITHIN,
	OPTION_GATE,
	OPTION_ONLY,
	OPTION_BYTES,
	OPTION_SIZES,
	OPTION_WITH,
	OPTION_CFLAGS
};

static const struct option long_options[] = {
	{ "require", required_argument, NULL, 'r' },
	{ "next-best", no_argument, NULL, 'F' },
	{ "time", required_argument, NULL, 't' },
	{ "samples", required_argument, NULL, 'n' },
	{ "precision", required_argument, NULL, OPTION_PRECISION },
	{ "within", required_argument, NULL, OPTION_WITHIN },
	{ "gate", required_argument, NULL, OPTION_GATE },
	{ "only", required_argument, NULL, OPTION_ONLY },
	{ "events", required_argument, NULL, 'e' },
	{ "force", no_argument, NULL, OPTION_FORCE },
	{ "list", no_argument, NULL, 'l' },
	{ "check", no_argument, NULL, 'c' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "csv", no_argument, NULL, OPTION_CSV },
	{ "markdown", no_argument, NULL, OPTION_MARKDOWN },
	{ "json", optional_argument, NULL, 'j' },
	{ "raw", required_argument, NULL, OPTION_RAW },
	{ "layouts", required_argument, NULL, OPTION_LAYOUTS },
	{ "bytes", required_argument, NULL, OPTION_BYTES },
	{ "sizes", required_argument, NULL, OPTION_SIZES },
	{ "with", required_argument, NULL, OPTION_WITH },
	{ "cflags", required_argument, NULL, OPTION_CFLAGS },
	{ "timeout", required_argument, NULL, OPTION_TIMEOUT },
	{ "seed", required_argument, NULL, OPTION_SEED },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"Usage: cpucycles-measure [OPTION]... FILE:FUNCTION...\n"
	"   or: cpucycles-measure [OPTION]... OLD.a NEW.a\n"
	"Measure what void FUNCTION(void) takes, or which of several is faster. FILE is C code\n"
	"(.c), an object file (.o) or an archive (.a), which is linked anew for each process, so\n"
	"that a verdict is about the code; or a shared object (.so), as it is. FUNCTION_setup,\n"
	"if there is one, is called once before, and FUNCTION_before is called before each call,\n"
	"in time that is not measured: it makes the input anew. Of two archives or objects alone,\n"
	"each function that both have is compared.\n"
	"\n"
	"  -r, --require=NEED     take this counter only: any, fine (a step of 2 ns or less), or\n"
	"                         cycles (of the core, of one thread) [any]\n"
	"  -F, --next-best        if there is none, take the next best and say so\n"
	"  -t, --time=SECONDS     end after the process that passes this time [2];\n"
	"                         with --sizes, for each size [1]; linked anew [20]; of two\n"
	"                         archives, for all functions together [20 for each]\n"
	"  -n, --samples=NUMBER   take so many samples of each function\n"
	"      --precision=PERCENT\n"
	"                         go on until each interval is within this of its mean, such\n"
	"                         as 0.1%, or -t is over [without -t: 60 seconds]\n"
	"      --within=PERCENT   functions that differ by less than this, such as 1%, are the\n"
	"                         same, and a sentence says so\n"
	"  -e, --events=EVENT,... count these events too, such as instructions,page-faults\n"
	"      --force            count events also if they fail the check by known work\n"
	"  -l, --list             list events; with a word as argument, try those that have it\n"
	"  -c, --check            only see whether counter, CPU and machine are fit to measure\n"
	"  -v, --verbose          print all figures of each function as lines, not as a table\n"
	"      --csv              print the table as comma-separated values, for programs\n"
	"      --markdown         print the table as Markdown\n"
	"  -j, --json[=benchmark] print all figures, for programs; or in google/benchmark's form\n"
	"      --bytes=NUMBER     a call handles so many bytes: print cycles per byte, too\n"
	"      --sizes=SIZE,...   measure void FUNCTION(size_t n) with each n, as its bytes; also\n"
	"                         ranges, such as 16..64K*4 or 16..64+16\n"
	"      --gate=PERCENT     fail (status 11) if a function is slower by this or more\n"
	"      --only=PATTERN     of two archives, compare functions with such names only, such\n"
	"                         as 'crc*'; more than once if needed\n"
	"      --with=FILE        link this file, too, or a library: -lNAME; for what the others\n"
	"                         need (.c, .o, .a); more than once if needed\n"
	"      --cflags=FLAGS     compile and link with these flags\n"
	"      --raw=FILE         write all samples to a file, separated by tabs\n"
	"      --layouts=FILE     write what each process measured, and where functions lay in it\n"
	"      --timeout=SECONDS  give up a function that takes longer, 0 for never [10]\n"
	"      --seed=NUMBER      draw the order of the functions from this number [1]\n"
	"  -V, --version          print the version\n"
	"  -h, --help             print this help\n"
	"\n"
	"Exit status: 0 measured, 1 a warning (--check), 2 usage error, 3 the output could not be\n"
	"written, 4 no such library or function, 5 no such counter (-r), 6 a function crashed,\n"
	"7 a function passed --timeout, 8 a function is too fast to measure, 9 failed otherwise,\n"
	"10 an event was not counted, 11 --gate: slower, 12 --gate: cannot tell,\n"
	"130 interrupted.\n";

/* What is printed. */
enum form { FORM_TABLE, FORM_VERBOSE, FORM_CSV, FORM_MARKDOWN, FORM_JSON, FORM_BENCHMARK };

static const char *const form_options[] = {
	[FORM_TABLE] = "",      [FORM_VERBOSE] = "-v",
	[FORM_CSV] = "--csv",   [FORM_MARKDOWN] = "--markdown",
	[FORM_JSON] = "--json", [FORM_BENCHMARK] = "--json=benchmark",
};

struct wanted {
	struct cpucycles_meter_options options;
	struct cpucycles_plan plan;
	double precision; /* as a part of 1; 0: none is asked for */
	double within;    /* the same */
	double gate;      /* the same */
	uint64_t timeout_ns;
	enum form form;
	bool check, list;
	struct sizes sizes;
	size_t bytes; /* of one call; 0: the libraries may say */
	bool plans;   /* how long and in which order to measure */
	bool others;  /* an option besides -l */
	struct link_options link;
	const char **with; /* the array of these */
	char *flags;       /* of all --cflags together */
	bool links;        /* the functions are linked anew for each process */
	const char **only; /* patterns of names */
	size_t only_count;
	bool pairs; /* the functions of two files, each with its namesake */
	const char *raw, *layouts;
	const char *text; /* print this, and do nothing else */
};

static int usage(const char *what, const char *why)
{
	log_line(LOG_ERROR, "%s: %s", what, why);
	return OUTCOME_USAGE;
}

static int wrong(const char *option, const char *value, const char *expected)
{
	log_line(LOG_ERROR, "%s %s: expected %s", option, value, expected);
	return OUTCOME_USAGE;
}

static int parse_need(const char *text, int *need)
{
	static const char *const names[] = {
		[CPUCYCLES_NEED_ANY] = "any",
		[CPUCYCLES_NEED_FINE] = "fine",
		[CPUCYCLES_NEED_CYCLES] = "cycles",
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (!strcmp(text, names[i])) {
			*need = (int)i;
			return OUTCOME_OK;
		}
	return wrong("-r", text, "any, fine or cycles");
}

/* Seconds with decimals, as nanoseconds. least: 0, or 1 if 0 is wrong. */
static int parse_seconds(const char *option, const char *text, uint64_t least, uint64_t *ns)
{
	char *end;
	double seconds = strtod(text, &end);

	/* Infinity and what is no number fail the comparisons. */
	if (end != text && !*end && seconds >= 0 && seconds <= SECONDS_MOST &&
	    (seconds == 0 || seconds * NS_PER_S >= 1)) {
		*ns = (uint64_t)(seconds * NS_PER_S);
		if (*ns >= least)
			return OUTCOME_OK;
	}
	return wrong(option, text,
		     least ? "seconds above 0, a million at most" : "seconds, a million at most");
}

/* A percentage, with its sign or without, as a part of 1. */
static int parse_percentage(const char *option, const char *text, double *part)
{
	char *end;
	const double percent = strtod(text, &end);

	*part = percent / 100;
	if (end != text && (!*end || !strcmp(end, "%")) && percent > 0 && percent <= 100)
		return OUTCOME_OK;
	return wrong(option, text, "a percentage above 0, such as 0.1%, 100 at most");
}

/* A whole number from 1. */
static int parse_number(const char *option, const char *text, uint64_t most, uint64_t *number)
{
	char expected[64], *end;

	errno = 0;
	*number = strtoull(text, &end, 10);
	/* strtoull takes a sign and blanks. */
	if (*text >= '0' && *text <= '9' && !*end && !errno && *number >= 1 && *number <= most)
		return OUTCOME_OK;
	snprintf(expected, sizeof expected, "a whole number from 1 to %" PRIu64, most);
	return wrong(option, text, expected);
}

static int parse_bytes(const char *text, size_t *bytes)
{
	if (!sizes_number(text, bytes) && *bytes > 0)
		return OUTCOME_OK;
	return wrong("--bytes", text, "bytes from 1, such as 64 or 16K");
}

static int parse_sizes(const char *text, struct sizes *sizes)
{
	char expected[64];

	switch (sizes_parse(text, sizes)) {
	case 0:
		return OUTCOME_OK;
	case -E2BIG:
		snprintf(expected, sizeof expected, "%d sizes at most", SIZES_MOST);
		return wrong("--sizes", text, expected);
	case -ERANGE:
		snprintf(expected, sizeof expected, "sizes of %zu at most", SIZE_MAX);
		return wrong("--sizes", text, expected);
	default:
		return wrong("--sizes", text, "sizes such as 16,1K,64K or 16..64K*4 or 16..64+16");
	}
}

static int parse_events(const char *text, struct wanted *wanted)
{
	struct cpucycles_reason reason;

	wanted->options.events = text;
	if (events_count(text, &reason))
		return OUTCOME_OK;
	return usage("-e", reason.what);
}

static int set_form(enum form form, struct wanted *wanted)
{
	char why[64];

	if (wanted->form == FORM_TABLE || wanted->form == form) {
		wanted->form = form;
		return OUTCOME_OK;
	}
	snprintf(why, sizeof why, "not together with %s", form_options[wanted->form]);
	return usage(form_options[form], why);
}

static int parse_json(const char *text, struct wanted *wanted)
{
	if (!text)
		return set_form(FORM_JSON, wanted);
	if (!strcmp(text, "benchmark"))
		return set_form(FORM_BENCHMARK, wanted);
	return wrong("--json", text, "benchmark, or nothing behind --json");
}

/* Add a word to a list of n of them. */
static int add_word(const char *option, const char *word, const char ***list, size_t *n)
{
	const char **const more = realloc(*list, (*n + 1) * sizeof *more);

	if (!more)
		return usage(option, strerror(ENOMEM));
	more[(*n)++] = word;
	*list = more;
	return OUTCOME_OK;
}

static int add_with(const char *file, struct wanted *wanted)
{
	const int status = add_word("--with", file, &wanted->with, &wanted->link.with_count);

	wanted->link.with = wanted->with;
	return status;
}

static int add_flags(const char *flags, struct wanted *wanted)
{
	const char *before = wanted->flags ? wanted->flags : "";
	const size_t size = strlen(before) + strlen(flags) + 2;
	char *all = malloc(size);

	if (!all)
		return usage("--cflags", strerror(ENOMEM));
	snprintf(all, size, "%s %s", before, flags);
	free(wanted->flags);
	wanted->flags = all;
	wanted->link.flags = all;
	return OUTCOME_OK;
}

static int set_option(int option, struct wanted *wanted)
{
	switch (option) {
	case 'r':
		return parse_need(optarg, &wanted->options.need);
	case 'F':
		wanted->options.flags |= CPUCYCLES_METER_NEXT_BEST;
		return OUTCOME_OK;
	case 't':
		wanted->plans = true;
		return parse_seconds("-t", optarg, 1, &wanted->plan.budget_ns);
	case 'n':
		wanted->plans = true;
		return parse_number("-n", optarg, COUNT_MOST, &wanted->plan.samples);
	case OPTION_PRECISION:
		wanted->plans = true;
		return parse_percentage("--precision", optarg, &wanted->precision);
	case OPTION_WITHIN:
		return parse_percentage("--within", optarg, &wanted->within);
	case OPTION_GATE:
		return parse_percentage("--gate", optarg, &wanted->gate);
	case OPTION_ONLY:
		return add_word("--only", optarg, &wanted->only, &wanted->only_count);
	case 'e':
		return parse_events(optarg, wanted);
	case OPTION_BYTES:
		return parse_bytes(optarg, &wanted->bytes);
	case OPTION_SIZES:
		return parse_sizes(optarg, &wanted->sizes);
	case OPTION_FORCE:
		wanted->options.flags |= CPUCYCLES_METER_FORCE;
		return OUTCOME_OK;
	case 'l':
		wanted->list = true;
		return OUTCOME_OK;
	case 'c':
		wanted->check = true;
		return OUTCOME_OK;
	case 'j':
		return parse_json(optarg, wanted);
	case 'v':
		return set_form(FORM_VERBOSE, wanted);
	case OPTION_CSV:
		return set_form(FORM_CSV, wanted);
	case OPTION_MARKDOWN:
		return set_form(FORM_MARKDOWN, wanted);
	case OPTION_WITH:
		return add_with(optarg, wanted);
	case OPTION_CFLAGS:
		return add_flags(optarg, wanted);
	case OPTION_RAW:
		wanted->raw = optarg;
		return OUTCOME_OK;
	case OPTION_LAYOUTS:
		wanted->layouts = optarg;
		return OUTCOME_OK;
	case OPTION_TIMEOUT:
		return parse_seconds("--timeout", optarg, 0, &wanted->timeout_ns);
	case OPTION_SEED:
		wanted->plans = true;
		return parse_number("--seed", optarg, INT64_MAX, &wanted->plan.seed);
	case 'V':
		wanted->text = "cpucycles-measure " PACKAGE_VERSION "\n";
		return OUTCOME_OK;
	case 'h':
		wanted->text = help;
		return OUTCOME_OK;
	default:
		return OUTCOME_USAGE; /* getopt has said why */
	}
}

static int check_list(const struct wanted *wanted, int arguments)
{
	if (arguments > 1)
		return usage("-l", "expected one word at most");
	if (wanted->others)
		return usage("-l", "not together with other options");
	return OUTCOME_OK;
}

/* Whether options and arguments make sense together. */
static int check_wanted(const struct wanted *wanted, int arguments)
{
#ifndef HAVE_JANSSON
	if (wanted->form == FORM_JSON || wanted->form == FORM_BENCHMARK)
		return usage("--json", "built without jansson, which it needs");
#endif
	if (wanted->list)
		return check_list(wanted, arguments);
	if (wanted->options.flags & CPUCYCLES_METER_FORCE && !wanted->options.events)
		return usage("--force", "is about events: expected -e");
	if (wanted->check && arguments)
		return usage("--check", "measures known work of its own: no functions expected");
	if (wanted->check && (wanted->raw || wanted->layouts || wanted->plans))
		return usage("--check", "not together with -t, -n, --precision, --seed, --raw or "
					"--layouts");
	if (wanted->check && wanted->form != FORM_TABLE && wanted->form != FORM_VERBOSE &&
	    wanted->form != FORM_JSON)
		return usage(form_options[wanted->form], "--check has no table: expected --json");
	if (wanted->within > 0 && arguments < 2)
		return usage("--within", "is about a comparison: expected two functions or more");
	if (wanted->gate > 0 && arguments < 2)
		return usage("--gate", "is about a comparison: expected two functions or more");
	if (wanted->gate > 0 && wanted->precision > 0)
		return usage("--gate", "not together with --precision");
	if (wanted->precision > 0 && wanted->plan.samples)
		return usage("--precision", "not together with -n");
	if (wanted->check && (wanted->bytes || wanted->sizes.n))
		return usage("--check", "not together with --bytes or --sizes");
	if (wanted->sizes.n && wanted->bytes)
		return usage("--bytes", "not together with --sizes, where a size is the bytes");
	if (wanted->sizes.n && wanted->raw)
		return usage("--raw", "not together with --sizes");
	if (wanted->raw && wanted->layouts && !strcmp(wanted->raw, wanted->layouts))
		return usage("--layouts", "expected another file than that of --raw");
	if (!wanted->check && !arguments)
		return usage("nothing to measure", "expected FILE:FUNCTION; see --help");
	return OUTCOME_OK;
}

/* In seconds. */
static double default_budget(const struct wanted *wanted)
{
	if (wanted->precision > 0)
		return BUDGET_PRECISION_S;
	if (wanted->links)
		return BUDGET_LINKED_S;
	return wanted->sizes.n ? BUDGET_OF_SIZE_S : BUDGET_S;
}

static int parse(int argc, char *argv[], struct wanted *wanted)
{
	int option, status = OUTCOME_OK;

	while (status == OUTCOME_OK &&
	       (option = getopt_long(argc, argv, "r:Ft:n:e:lcvjVh", long_options, NULL)) != -1) {
		status = set_option(option, wanted);
		wanted->others |= option != 'l';
	}
	if (status == OUTCOME_OK && !wanted->text)
		status = check_wanted(wanted, argc - optind);
	return status;
}

static const char *raw_words(int error)
{
	switch (error) {
	case -ENOTSUP:
		return "expected a new file or a regular one";
	case -ETIMEDOUT:
		return "another run is writing it";
	case -EINTR:
		return "interrupted before it was written";
	default:
		return strerror(-error);
	}
}

/* What an error of the file of this option means. */
static enum outcome_status raw_status(const char *option, const struct raw *raw, int error)
{
	if (!error)
		return OUTCOME_OK;
	log_line(LOG_ERROR, "%s %s: %s", option, raw->path, raw_words(error));
	return OUTCOME_OUTPUT;
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

/* What a disk may delay. */
struct disk_work {
	struct raw *raw;
	void (*write)(const void *, FILE *); /* what is written, of this argument */
	const void *argument;
	bool wait;
	int *error; /* shared with the process that does it */
};

static void publish(void *argument)
{
	const struct disk_work *w = argument;

	*w->error = raw_publish(w->raw, w->wait);
}

static void write_apart(void *argument)
{
	const struct disk_work *w = argument;

	*w->error = raw_write(w->raw, w->write, w->argument);
}

/* Do that in a process of its own. 0 or a negative errno. -EINTR: a signal has ended it. */
static int do_apart(void (*work)(void *), struct disk_work *w)
{
	int error;

	w->error =
		mmap(NULL, sizeof error, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (w->error == MAP_FAILED)
		return -errno;
	*w->error = -ECHILD;
	error = watch_apart(work, w) ? *w->error : -EINTR;
	munmap(w->error, sizeof error);
	return error;
}

/* Put the file in its place. An interrupted run does not wait for the disk. */
static int publish_raw(struct raw *raw, bool interrupted)
{
	struct disk_work w = { .raw = raw, .wait = !interrupted };
	int error = do_apart(publish, &w);

	/* Ctrl-C came now. The file is complete: put it in its place without waiting for the disk,
	 * unless that had been done already. */
	if (error == -EINTR && !watch_must_end()) {
		error = raw_publish(raw, false);
		error = error == -ENOENT ? 0 : error;
	}
	return error;
}

/* measured: there is something in it. */
static enum outcome_status end_raw(const char *option, struct raw *raw, bool measured,
				   bool interrupted)
{
	int error = raw->error;

	if (raw->path && measured && !watch_must_end())
		error = publish_raw(raw, interrupted);
	raw_close(raw);
	return watch_must_end() ? OUTCOME_INTERRUPTED : raw_status(option, raw, error);
}

/* Write this at the end of the file. */
static void append(struct raw *raw, void (*write)(const void *, FILE *), const void *argument)
{
	struct disk_work w = { .raw = raw, .write = write, .argument = argument };
	int error = do_apart(write_apart, &w);

	/* Ctrl-C came now: once more, behind what was complete. */
	if (error == -EINTR && !watch_must_end()) {
		raw_undo(raw);
		error = raw_write(raw, write, argument);
	}
	raw_keep(raw, error);
}

/* Put the file of samples in its place, with the verdicts at its end. */
static enum outcome_status put_samples(struct raw *raw, const struct outcome *outcome)
{
	const bool measured = outcome->count > 0;

	if (raw->path && !raw->error && measured && !watch_must_end())
		append(raw, raw_put_verdicts, outcome);
	return end_raw("--raw", raw, measured, outcome->interrupted);
}

/* Whether the file of layouts can be written, seen before anything is measured. It is closed
 * again, so that no function that is measured has it open. */
static enum outcome_status try_layouts(const char *path)
{
	struct raw raw;
	const int error = raw_open(&raw, path);

	raw_close(&raw);
	return raw_status("--layouts", &raw, error);
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
		append(&raw, layouts_write, layouts);
	}
	return end_raw("--layouts", &raw, true, layouts->outcomes[layouts->n - 1].interrupted);
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
	written = raw_status("--raw", &raw, raw_open(&raw, wanted->raw));
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
		usage(wanted->link.flags ? "--cflags" : "--with",
		      "is for what is linked: expected .c, .o or .a");
	else if (!linked && wanted->gate > 0)
		usage("--gate", "a verdict on a shared object is also about where its linker has "
				"put the functions: expected .c, .o or .a");
	else if (linked > 0 && linked < n)
		usage("a mixture of linked and of shared objects",
		      "expected .c, .o or .a, or else .so, for all functions");
	else if (linked > CHILD_SIDES && !wanted->pairs)
		usage("too many functions", "64 are linked at most");
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
		usage(argument, "expected FILE:FUNCTION, or two files alone, to compare all "
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
		wrong("--raw", wanted->raw, "another file than a library that is measured");
		return OUTCOME_USAGE;
	}
	if (wanted->layouts && is_library(wanted->layouts, work->targets, n)) {
		wrong("--layouts", wanted->layouts, "another file than a library that is measured");
		return OUTCOME_USAGE;
	}
	if (!wanted->plan.budget_ns)
		wanted->plan.budget_ns = (uint64_t)(default_budget(wanted) * NS_PER_S) *
					 (wanted->pairs ? (uint64_t)work->count : 1);
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
static void tell_alone(const char *file, const struct pairs_names *alone)
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

/* The arguments for a pair, as if somebody had named its functions. */
static char *name_target(const char *file, const char *function)
{
	const size_t size = strlen(file) + strlen(function) + 2;
	char *argument = malloc(size);

	if (argument)
		snprintf(argument, size, "%s:%s", file, function);
	return argument;
}

static enum outcome_status measure_pairs(struct wanted *wanted, char *const arguments[2],
					 const struct pairs_names *names, char *named[])
{
	enum outcome_status status = OUTCOME_OK;
	struct work work;

	if (!begin_work(&work, 2, names->n))
		status = OUTCOME_FAILED;
	for (size_t i = 0; status == OUTCOME_OK && i < 2 * names->n; i++) {
		named[i] = name_target(arguments[i % 2], names->list[i / 2]);
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
		return usage("--only", "is about all functions of two files: expected OLD.a NEW.a");
	}
	if (wanted->raw || wanted->layouts || wanted->sizes.n)
		return usage(wanted->raw     ? "--raw" :
			     wanted->layouts ? "--layouts" :
					       "--sizes",
			     "not together with all functions of two files");
	return (int)run_pairs(wanted, arguments);
}

/* Say which variables the library cannot obey. It prints nothing itself. */
static void say_ignored(void)
{
	char sentence[COMPLAIN_SIZE];

	complain_of_counter(getenv("CPUCYCLES_COUNTER"), sentence);
	if (sentence[0])
		log_line(LOG_WARNING, "ignored: %s", sentence);
	complain_of_persecond(getenv("cpucyclespersecond"), sentence);
	if (sentence[0])
		log_line(LOG_WARNING, "ignored: %s", sentence);
}

/* Do what the options say. */
static int obey(struct wanted *wanted, char *const arguments[], size_t n)
{
	if (wanted->text) {
		fputs(wanted->text, stdout);
		return streams_written() ? OUTCOME_OK : OUTCOME_OUTPUT;
	}
	say_ignored();
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
	status = parse(argc, argv, &wanted);
	if (status == OUTCOME_OK)
		status = obey(&wanted, argv + optind, (size_t)(argc - optind));
	free(wanted.with);
	free(wanted.only);
	free(wanted.flags);
	return status;
}
