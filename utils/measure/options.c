/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "options.h"
#include "events.h"
#include "log.h"
#include "options-check.h"
#include "files/words.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S 1e9

/* Seconds and units beyond these are a mistake. */
#define SECONDS_MOST 1e6
#define UNITS_MOST 1e9

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
	OPTION_CFLAGS,
	OPTION_LEAK,
	OPTION_PAIRS,
	OPTION_WARM,
	OPTION_ABOVE
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
	{ "leak", no_argument, NULL, OPTION_LEAK },
	{ "pairs", no_argument, NULL, OPTION_PAIRS },
	{ "warm", no_argument, NULL, OPTION_WARM },
	{ "above", required_argument, NULL, OPTION_ABOVE },
	{ "timeout", required_argument, NULL, OPTION_TIMEOUT },
	{ "seed", required_argument, NULL, OPTION_SEED },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"Usage: cpucycles-measure [OPTION]... FILE:FUNCTION...\n"
	"   or: cpucycles-measure [OPTION]... OLD.a NEW.a\n"
	"   or: cpucycles-measure --leak [OPTION]... FILE:FUNCTION\n"
	"Measure what void FUNCTION(void) takes, or which of several is faster. FILE is C code\n"
	"(.c), an object file (.o) or an archive (.a), which is linked anew for each process, so\n"
	"that a verdict is about the code; or a shared object (.so), as it is. FUNCTION_setup,\n"
	"if there is one, is called once before, and FUNCTION_before is called before each call,\n"
	"in time that is not measured: it makes the input anew. Of two archives or objects alone,\n"
	"each function that both have is compared. With --leak, see whether the time of\n"
	"void FUNCTION(const unsigned char *input) depends on its input.\n"
	"\n"
	"  -r, --require=NEED     take this counter only: any, fine (a step of 2 ns or less),\n"
	"                         cycles (of the core) or thread (this thread's only) [any]\n"
	"  -F, --next-best        if there is none, take the next best and say so\n"
	"  -t, --time=SECONDS     end after the process that passes this time [2];\n"
	"                         with --sizes, for each size [1]; linked anew [20]; of two\n"
	"                         archives, for all functions together [20 for each];\n"
	"                         with --leak [10]\n"
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
	"      --leak             test one function for leaks; its file has the line\n"
	"                         const size_t FUNCTION_input_bytes = 32; and may have\n"
	"                         void FUNCTION_input(int group, unsigned char *input), else\n"
	"                         group 0 is one fixed input, and group 1 a random one each time\n"
	"      --pairs            --leak: group 1 is one fixed input, too\n"
	"      --warm             --leak: before each call, make one that is not timed\n"
	"      --above=NUMBER     --leak: a smaller difference does not matter, in units of the\n"
	"                         counter [2, or a step of it]\n"
	"      --timeout=SECONDS  give up a function that takes longer, 0 for never [10]\n"
	"      --seed=NUMBER      draw the order of the functions from this number [1]\n"
	"  -V, --version          print the version\n"
	"  -h, --help             print this help\n"
	"\n"
	"Exit status: 0 measured, 1 a warning (--check), 2 usage error, 3 the output could not be\n"
	"written, 4 no such library or function, 5 no such counter (-r), 6 a function crashed,\n"
	"7 a function passed --timeout, 8 a function is too fast to measure, 9 failed otherwise,\n"
	"10 an event was not counted, 11 --gate: slower, or --leak: leaks, 12 --gate or --leak:\n"
	"cannot tell, or --leak: no verdict, 13 --leak: FUNCTION_input_bytes is missing or\n"
	"wrong, 130 interrupted.\n";

static int parse_need(const char *text, int *need)
{
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
	return options_expect("-r", text, "any, fine, cycles or thread");
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
	return options_expect(option, text,
			      least ? "seconds above 0, a million at most" :
				      "seconds, a million at most");
}

/* A percentage, with its sign or without, as a part of 1. */
static int parse_percentage(const char *option, const char *text, double *part)
{
	char *end;
	const double percent = strtod(text, &end);

	*part = percent / 100;
	if (end != text && (!*end || !strcmp(end, "%")) && percent > 0 && percent <= 100)
		return OUTCOME_OK;
	return options_expect(option, text, "a percentage above 0, such as 0.1%, 100 at most");
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
	return options_expect(option, text, expected);
}

static int parse_units(const char *option, const char *text, double *units)
{
	char *end;

	*units = strtod(text, &end);
	if (end != text && !*end && *units > 0 && *units <= UNITS_MOST)
		return OUTCOME_OK;
	return options_expect(option, text, "a number above 0, a billion at most");
}

static int parse_bytes(const char *text, size_t *bytes)
{
	if (!sizes_number(text, bytes) && *bytes > 0)
		return OUTCOME_OK;
	return options_expect("--bytes", text, "bytes from 1, such as 64 or 16K");
}

static int parse_sizes(const char *text, struct sizes *sizes)
{
	char expected[64];

	switch (sizes_parse(text, sizes)) {
	case 0:
		return OUTCOME_OK;
	case -E2BIG:
		snprintf(expected, sizeof expected, "%d sizes at most", SIZES_MOST);
		return options_expect("--sizes", text, expected);
	case -ERANGE:
		snprintf(expected, sizeof expected, "sizes of %zu at most", SIZE_MAX);
		return options_expect("--sizes", text, expected);
	default:
		return options_expect("--sizes", text,
				      "sizes such as 16,1K,64K or 16..64K*4 or 16..64+16");
	}
}

static int parse_events(const char *text, struct wanted *wanted)
{
	struct cpucycles_reason reason;

	wanted->options.events = text;
	if (events_count(text, &reason))
		return OUTCOME_OK;
	return options_refuse("-e", reason.what);
}

static int set_form(enum form form, struct wanted *wanted)
{
	char why[64];

	if (wanted->form == FORM_TABLE || wanted->form == form) {
		wanted->form = form;
		return OUTCOME_OK;
	}
	snprintf(why, sizeof why, "not together with %s", options_form[wanted->form]);
	return options_refuse(options_form[form], why);
}

static int parse_json(const char *text, struct wanted *wanted)
{
	if (!text)
		return set_form(FORM_JSON, wanted);
	if (!strcmp(text, "benchmark"))
		return set_form(FORM_BENCHMARK, wanted);
	return options_expect("--json", text, "benchmark, or nothing behind --json");
}

/* Add a word to a list of n of them. */
static int add_word(const char *option, const char *word, const char ***list, size_t *n)
{
	const char **const more = realloc(*list, (*n + 1) * sizeof *more);

	if (!more)
		return options_refuse(option, strerror(ENOMEM));
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
	char *const all = words_join(before, " ", flags);

	if (!all)
		return options_refuse("--cflags", strerror(ENOMEM));
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
		return parse_number("-n", optarg, OUTCOME_COUNT_MOST, &wanted->plan.samples);
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
		return *optarg ? OUTCOME_OK : options_refuse("--raw", "expected a file");
	case OPTION_LAYOUTS:
		wanted->layouts = optarg;
		return *optarg ? OUTCOME_OK : options_refuse("--layouts", "expected a file");
	case OPTION_LEAK:
		wanted->leak = true;
		return OUTCOME_OK;
	case OPTION_PAIRS:
		wanted->leak_flags |= CPUCYCLES_LEAK_PAIRS;
		return OUTCOME_OK;
	case OPTION_WARM:
		wanted->leak_flags |= CPUCYCLES_LEAK_WARM;
		return OUTCOME_OK;
	case OPTION_ABOVE:
		return parse_units("--above", optarg, &wanted->above);
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

int options_parse(int argc, char *argv[], struct wanted *wanted)
{
	int option, status = OUTCOME_OK;

	while (status == OUTCOME_OK &&
	       (option = getopt_long(argc, argv, "r:Ft:n:e:lcvjVh", long_options, NULL)) != -1) {
		status = set_option(option, wanted);
		wanted->others |= option != 'l';
	}
	if (status == OUTCOME_OK && !wanted->text)
		status = options_check(wanted, argc - optind);
	return status;
}

void options_free(struct wanted *wanted)
{
	free(wanted->with);
	free(wanted->only);
	free(wanted->flags);
}
