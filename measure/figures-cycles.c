/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Core cycles as they are shown: where they come from, or why there are none. Pure. */

#include "config.h"

#include "figures.h"

#include <math.h>
#include <string.h>

static const struct {
	const char *word, *reason;
} origins[] = {
	[CPUCYCLES_CYCLES_NONE] = { "none", "" },
	[CPUCYCLES_CYCLES_COUNTER] = { "counter", "" },
	[CPUCYCLES_CYCLES_CHAIN] = { "chain", "" },
	[CPUCYCLES_CYCLES_NO_CHAIN] = { "no chain", "no instruction of this processor is known to "
						    "take one cycle" },
	[CPUCYCLES_CYCLES_EMULATED] = { "emulated", "instructions take as long as in an emulator" },
	[CPUCYCLES_CYCLES_TOO_LONG] = { "too long", "a sample takes more than 10,000,000 cycles" },
	[CPUCYCLES_CYCLES_COARSE] = { "coarse", "the step of the counter is too long" },
	[CPUCYCLES_CYCLES_TOO_FEW] = { "too few", "other programs disturbed too many samples" },
};

const char *figures_cycles_word(int from)
{
	return origins[from].word;
}

const char *figures_cycles_reason(int from)
{
	return origins[from].reason;
}

bool figures_has_cycles(const struct figures *figures)
{
	for (size_t i = 0; i < figures->count; i++)
		if (!figures->functions[i].reason &&
		    measured_has_cycles(&figures->functions[i].measured->result))
			return true;
	return false;
}

int figures_no_cycles(const struct figures *figures)
{
	int shared = CPUCYCLES_CYCLES_NONE;

	for (size_t i = 0; i < figures->count; i++) {
		const struct figures_function *const f = &figures->functions[i];
		const int from = f->reason ? shared : f->measured->result.cycles_from;

		if (!f->reason && !*figures_cycles_reason(from))
			return CPUCYCLES_CYCLES_NONE;
		if (shared && from != shared)
			return CPUCYCLES_CYCLES_NONE;
		shared = from;
	}
	return shared;
}

bool figures_frequency(const struct measured *measured, double ns_per_unit, double ghz[2])
{
	const double *const units = measured->units_per_cycle;

	for (size_t i = 0; i < 2; i++)
		ghz[i] = 1 / (units[1 - i] * ns_per_unit);
	return units[0] > 0 && ns_per_unit > 0;
}

bool figures_core_range(const struct figures *figures, double ghz[2])
{
	double of[2];

	ghz[0] = INFINITY;
	ghz[1] = 0;
	for (size_t i = 0; i < figures->count; i++) {
		const struct figures_function *const f = &figures->functions[i];

		if (f->reason || !figures_frequency(f->measured, f->ns_per_unit, of))
			continue;
		ghz[0] = fmin(ghz[0], of[0]);
		ghz[1] = fmax(ghz[1], of[1]);
	}
	return ghz[1] > 0;
}

/* With two digits. */
static const char *digits_of(double ghz, char text[FIGURES_NUMBER])
{
	return figures_number(ghz, 0.35 * ghz, text);
}

const char *figures_ghz(const double ghz[2], char text[FIGURES_GHZ])
{
	char low[FIGURES_NUMBER], high[FIGURES_NUMBER];

	digits_of(ghz[1], high);
	if (strcmp(digits_of(ghz[0], low), high))
		snprintf(text, FIGURES_GHZ, "%s to %s GHz", low, high);
	else
		snprintf(text, FIGURES_GHZ, "%s GHz", high);
	return text;
}
