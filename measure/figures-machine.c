/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The one line on the machine. */

#include "config.h"

#include "checks.h"
#include "figures.h"
#include "letters.h"
#include "number.h"

#define say(text, ...) letters_add(text, FIGURES_SENTENCE, __VA_ARGS__)

/* How far the times of a function may be off, as a part of 1: see struct measured. */
static double find_off(const struct figures *figures)
{
	double off = 0;

	for (size_t i = 0; i < figures->count; i++)
		if (!figures->functions[i].reason)
			off = fmax(off, figures->functions[i].measured->speed_off);
	return off;
}

static bool compares(const struct figures *figures)
{
	for (size_t i = 0; i < figures->count; i++)
		if (!figures->functions[i].reason && figures->functions[i].measured->compared)
			return true;
	return false;
}

static void say_speed(const struct figures *figures, double off, char text[FIGURES_SENTENCE])
{
	const struct figures_machine *const machine = &figures->machine;
	char range[FIGURES_GHZ], percent[FIGURES_NUMBER];
	double ghz[2];

	say(text, "the core at %s",
	    figures_core_range(figures, ghz) ? figures_ghz(ghz, range) : "several speeds");
	if (machine->slow)
		say(text, " (and less in %zu process%s, left out)", machine->slow,
		    machine->slow == 1 ? "" : "es");
	say(text, ", which %s can fix. Cycles %sallow for it; times may be off by %s.",
	    machine->governed ? "root (cpupower(1))" : "only the machine's owner",
	    compares(figures) ? "and verdicts " : "", figures_percent(off, percent));
}

/* The first function's warning that blames this and counts. False: there is none. */
static bool say_warning(const struct figures *figures, enum judge_blame blames,
			char text[FIGURES_SENTENCE])
{
	for (size_t i = 0; i < figures->count; i++) {
		const struct figures_function *const f = &figures->functions[i];
		const struct judge_warnings *const list = f->reason ? NULL : &f->measured->warnings;
		const size_t w = list ? judge_counts(list, f->runs, blames) : 0;

		if (!list || w == list->n)
			continue;
		say(text, "%s; %s.", list->list[w].reason.what, list->list[w].reason.remedy);
		return true;
	}
	return false;
}

bool figures_machine(const struct figures *figures, char text[FIGURES_SENTENCE])
{
	const struct figures_machine *const machine = &figures->machine;
	const double off = find_off(figures);

	text[0] = 0;
	if (machine->load > 0)
		say(text, "busy (%s programs on %ld CPU%s), ",
		    number_decimals(1, machine->load).text, machine->cpus,
		    machine->cpus == 1 ? "" : "s");
	if (!say_warning(figures, JUDGE_COUNTER, text)) {
		if (off > CHECKS_FREQUENCY_PART)
			say_speed(figures, off, text);
		else if (!say_warning(figures, JUDGE_MACHINE, text))
			return false;
	}
	if (machine->details)
		say(text, " Details: %s", machine->details);
	return true;
}
