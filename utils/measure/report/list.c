/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "list.h"
#include "sentences.h"
#include "events/list.h"
#include "events/pfm.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct printer {
	FILE *to;
	char pmu[256]; /* whose events come just now */
	size_t listed;
};

static void put_heading(struct printer *printer, const struct event_listing *listing)
{
	char pmu[sizeof printer->pmu];

	snprintf(pmu, sizeof pmu, "%s%s%s", listing->pmu, listing->cpus[0] ? ", on CPUs " : "",
		 listing->cpus);
	if (!strcmp(pmu, printer->pmu))
		return;
	fprintf(printer->to, "%s%s\n", printer->listed ? "\n" : "", pmu);
	strcpy(printer->pmu, pmu);
}

static void put_trial(const struct event_listing *listing, FILE *to)
{
	const struct cpucycles_event_info info = { .user = listing->user,
						   .kernel = listing->kernel };

	if (!listing->error) {
		fprintf(to, "    counts here, in %s%s\n", sentence_modes(&info),
			listing->expected ? ", as expected in known work" : "");
		return;
	}
	fprintf(to, "    not here: %s\n",
		listing->reason.what[0] ? listing->reason.what : strerror(-listing->error));
	if (listing->reason.remedy[0])
		fprintf(to, "    %s\n", listing->reason.remedy);
}

static bool put_listing(void *context, const struct event_listing *listing)
{
	struct printer *printer = context;

	put_heading(printer, listing);
	printer->listed++;
	fprintf(printer->to, "  %s", listing->name);
	if (listing->what[0])
		fprintf(printer->to, "  %s", listing->what);
	if (listing->mark)
		fprintf(printer->to, "  (%s)", listing->mark);
	if (listing->word)
		fprintf(printer->to, "  (function word 0x%06" PRIx32 ")", listing->word);
	fprintf(printer->to, "\n");
	if (listing->tried)
		put_trial(listing, printer->to);
	return !ferror(printer->to);
}

int list_print(const char *word, FILE *to, size_t *listed)
{
	struct printer printer = { .to = to };
	int error = event_list(word, put_listing, &printer);

	*listed = printer.listed;
	if (!error && !word)
		fprintf(to, "\nnames of the CPU's manual: %s\n", event_pfm_tables());
	return error;
}
