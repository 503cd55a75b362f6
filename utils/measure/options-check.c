/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "options-check.h"
#include "log.h"

#include <string.h>

const char *const options_form[] = {
	[FORM_TABLE] = "",      [FORM_VERBOSE] = "-v",
	[FORM_CSV] = "--csv",   [FORM_MARKDOWN] = "--markdown",
	[FORM_JSON] = "--json", [FORM_BENCHMARK] = "--json=benchmark",
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

int options_check(const struct wanted *w, size_t options, int arguments)
{
	static const char compares[] = "is about a comparison: expected two functions or more";
	static const char no_leak[] = "not together with --leak";
	static const char leak_only[] = "is about a test for leaks: expected --leak";
	const bool has_lines =
		w->form == FORM_TABLE || w->form == FORM_VERBOSE || w->form == FORM_JSON;
	const bool same_file = w->raw && w->layouts && !strcmp(w->raw, w->layouts);
	const bool plans = w->plan.budget_ns || w->plan.samples || w->precision > 0 || w->plan.seed;
	const bool force = w->options.flags & CPUCYCLES_METER_FORCE;
	/* The first one that was made is said. */
	const struct {
		bool made;
		const char *what, *why;
	} mistakes[] = {
#ifndef HAVE_JANSSON
		{ w->form == FORM_JSON || w->form == FORM_BENCHMARK, "--json",
		  "built without jansson, which it needs" },
#endif
		{ w->list && arguments > 1, "-l", "expected one word at most" },
		{ w->list && options > 1, "-l", "not together with other options" },
		{ !w->leak && w->above > 0, "--above", leak_only },
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
		{ w->leak && !has_lines, options_form[w->form], no_leak },
		{ w->leak && arguments > 1, "--leak",
		  "tests one function: expected one FILE:FUNCTION" },
		{ force && !w->options.events, "--force", "is about events: expected -e" },
		{ w->check && arguments, "--check",
		  "measures known work of its own: no functions expected" },
		{ w->check && (w->raw || w->layouts || plans), "--check",
		  "not together with -t, -n, --precision, --seed, --raw or --layouts" },
		{ w->check && !has_lines, options_form[w->form],
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
		{ !w->list && !w->check && !arguments, "nothing to measure",
		  "expected FILE:FUNCTION; see --help" },
	};

	for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++)
		if (mistakes[i].made)
			return options_refuse(mistakes[i].what, mistakes[i].why);
	return OUTCOME_OK;
}
