/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which options of cpucycles-measure make no sense together, and how that is said. */

#include "config.h"

#include "log.h"
#include "options.h"

#include <string.h>

static const char *const form_options[] = {
	[FORM_TABLE] = "",      [FORM_VERBOSE] = "-v",
	[FORM_CSV] = "--csv",   [FORM_MARKDOWN] = "--markdown",
	[FORM_JSON] = "--json", [FORM_BENCHMARK] = "--json=benchmark",
};

const char *options_form(enum form form)
{
	return form_options[form];
}

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

static int check_list(const struct wanted *wanted, int arguments)
{
	if (arguments > 1)
		return options_refuse("-l", "expected one word at most");
	if (wanted->others)
		return options_refuse("-l", "not together with other options");
	return OUTCOME_OK;
}

/* What is for a test for leaks, and what is not. */
static int check_leak(const struct wanted *wanted, int arguments)
{
	const struct {
		bool given;
		const char *name;
	} others[] = {
		{ wanted->check, "--check" },
		{ wanted->gate > 0, "--gate" },
		{ wanted->within > 0, "--within" },
		{ wanted->precision > 0, "--precision" },
		{ wanted->sizes.n > 0, "--sizes" },
		{ wanted->bytes > 0, "--bytes" },
		{ wanted->options.events != NULL, "--events" },
		{ wanted->options.flags & CPUCYCLES_METER_FORCE, "--force" },
		{ wanted->layouts != NULL, "--layouts" },
		{ wanted->only_count > 0, "--only" },
		{ wanted->form == FORM_CSV || wanted->form == FORM_MARKDOWN ||
			  wanted->form == FORM_BENCHMARK,
		  form_options[wanted->form] },
	};

	if (!wanted->leak && (wanted->leak_flags || wanted->above > 0))
		return options_refuse(wanted->above > 0                         ? "--above" :
				      wanted->leak_flags & CPUCYCLES_LEAK_PAIRS ? "--pairs" :
										  "--warm",
				      "is about a test for leaks: expected --leak");
	for (size_t i = 0; wanted->leak && i < sizeof others / sizeof others[0]; i++)
		if (others[i].given)
			return options_refuse(others[i].name, "not together with --leak");
	if (wanted->leak && arguments > 1)
		return options_refuse("--leak", "tests one function: expected one FILE:FUNCTION");
	return OUTCOME_OK;
}

int options_check(const struct wanted *w, int arguments)
{
	static const char compares[] = "is about a comparison: expected two functions or more";
	const bool has_lines =
		w->form == FORM_TABLE || w->form == FORM_VERBOSE || w->form == FORM_JSON;
	const bool same_file = w->raw && w->layouts && !strcmp(w->raw, w->layouts);
	const struct {
		bool made;
		const char *what, *why;
	} mistakes[] = {
		{ w->options.flags & CPUCYCLES_METER_FORCE && !w->options.events, "--force",
		  "is about events: expected -e" },
		{ w->check && arguments, "--check",
		  "measures known work of its own: no functions expected" },
		{ w->check && (w->raw || w->layouts || w->plans), "--check",
		  "not together with -t, -n, --precision, --seed, --raw or --layouts" },
		{ w->check && !has_lines, options_form(w->form),
		  "--check has no table: expected --json" },
		{ w->within > 0 && arguments < 2, "--within", compares },
		{ w->gate > 0 && arguments < 2, "--gate", compares },
		{ w->gate > 0 && w->precision > 0, "--gate", "not together with --precision" },
		{ w->precision > 0 && w->plan.samples, "--precision", "not together with -n" },
		{ w->check && (w->bytes || w->sizes.n), "--check",
		  "not together with --bytes or --sizes" },
		{ w->sizes.n && w->bytes, "--bytes",
		  "not together with --sizes, where a size is the bytes" },
		{ w->sizes.n && w->raw, "--raw", "not together with --sizes" },
		{ same_file, "--layouts", "expected another file than that of --raw" },
		{ !w->check && !arguments, "nothing to measure",
		  "expected FILE:FUNCTION; see --help" },
	};

#ifndef HAVE_JANSSON
	if (w->form == FORM_JSON || w->form == FORM_BENCHMARK)
		return options_refuse("--json", "built without jansson, which it needs");
#endif
	if (w->list)
		return check_list(w, arguments);
	if (check_leak(w, arguments) != OUTCOME_OK)
		return OUTCOME_USAGE;
	for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
		if (mistakes[i].made)
			return options_refuse(mistakes[i].what, mistakes[i].why);
	return OUTCOME_OK;
}
