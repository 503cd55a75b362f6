/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "list.h"
#include "field.h"
#include "pfm.h"
#include "sysfs.h"
#include "word.h"
#include "events.h"
#include "intel.h"
#include "reason.h"
#include "tsc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What a listing needs from event to event. */
struct lister {
	const char *word;
	bool (*each)(void *context, const struct event_listing *listing);
	void *context;
	void *memory; /* for a trial */
	bool stopped;
	bool listed; /* an event */
};

static bool contains(const char *text, const char *word)
{
	for (; *text; text++)
		if (!strncasecmp(text, word, strlen(word)))
			return true;
	return false;
}

static bool is_wanted(const struct lister *lister, const struct event_listing *listing)
{
	const char *const word = lister->word;

	return !word || contains(listing->name, word) || contains(listing->pmu, word) ||
	       contains(listing->what, word) || (listing->mark && contains(listing->mark, word));
}

/* Open the event as a meter does, with all checks. */
static void try_event(struct lister *lister, struct event_listing *listing)
{
	struct events *events = calloc(1, sizeof *events);

	listing->tried = true;
	listing->error = -ENOMEM;
	if (!events)
		return;
	memset(lister->memory, 0, events_bytes());
	reason_clear(&listing->reason);
	if (events_count(listing->name, &listing->reason) != 1)
		listing->error = -EINVAL;
	else
		listing->error =
			events_open(events, lister->memory, listing->name, 0, &listing->reason);
	if (!listing->error) {
		const struct events_entry *entry = &events->of[0];

		listing->error = entry->error;
		listing->reason = entry->reason;
		listing->expected = entry->finding.expected;
		listing->user = entry->event.user;
		listing->kernel = entry->event.kernel;
		events_close(events);
	}
	free(events);
}

/* what: NULL: what is known of the word's code. */
static bool show(struct lister *lister, const char *pmu, const char *cpus, const char *name,
		 const char *what, uint32_t word)
{
	const struct event_word_known *known =
		word ? event_word_find(intel_signature(), (uint8_t)word) : NULL;
	struct event_listing listing = {
		.pmu = pmu,
		.cpus = cpus,
		.name = name,
		.what = what  ? what :
			known ? known->what :
				"",
		.word = word,
		.mark = known ? known->mark : NULL,
	};

	if (!is_wanted(lister, &listing))
		return true;
	if (lister->word)
		try_event(lister, &listing);
	lister->listed = true;
	lister->stopped = !lister->each(lister->context, &listing);
	return !lister->stopped;
}

static void list_generic(struct lister *lister)
{
	static const char *const groups[] = {
		[EVENT_HARDWARE] = "generic events of the CPU's PMU",
		[EVENT_CACHE] = "generic cache events of the CPU's PMU",
		[EVENT_SOFTWARE] = "events of the kernel",
	};
	struct event_name name;

	for (size_t i = 0; !lister->stopped && event_name_at(i, &name); i++)
		show(lister, groups[name.source], "", name.name, name.what, 0);
}

/* The function word of an event of x86's PMU, whose config has the same fields. */
static uint32_t word_of(const struct event_pmu *pmu, const char *event)
{
	struct event_config config = { { 0 }, { 0 } };
	struct event_ask ask = { .source = EVENT_RAW };

	if (!TSC_IS_HERE || !pmu->core ||
	    event_sysfs_code(EVENT_SYSFS, pmu->name, event, &config, NULL) || config.value[1] ||
	    config.value[2])
		return 0;
	ask.number = config.value[0] & 0xffff; /* with the unit mask */
	ask.parts.edge = config.value[0] >> 18 & 1;
	ask.parts.invert = config.value[0] >> 23 & 1;
	ask.parts.count = (uint8_t)(config.value[0] >> 24);
	return config.value[0] >> 32 ? 0 : event_word_encode(&ask);
}

static bool list_of_pmu(void *context, const struct event_pmu *pmu, const char *event,
			const char *what)
{
	char name[EVENT_TEXT];

	if (snprintf(name, sizeof name, "%s/%s/", pmu->name, event) >= (int)sizeof name)
		return true;
	return show(context, pmu->name, pmu->cpus, name, what, word_of(pmu, event));
}

static bool list_of_pfm(void *context, const char *pmu, const char *event, const char *what)
{
	return show(context, pmu, "", event, what, 0);
}

static void list_known(struct lister *lister)
{
	const uint32_t signature = intel_signature();
	const struct event_word_known *known;
	struct event_ask ask = { .source = EVENT_RAW };
	char name[EVENT_TEXT];

	for (size_t i = 0; !lister->stopped && (known = event_word_at(signature, i)); i++) {
		ask.number = (unsigned)known->mask << 8 | known->code;
		snprintf(name, sizeof name, "r%04x", (unsigned)ask.number);
		show(lister, "codes of Intel's manual whose unit mask pctr(1) marks", "", name,
		     NULL, event_word_encode(&ask));
	}
}

/* A code, a function word or a breakpoint is in no list. */
static void list_other(struct lister *lister)
{
	struct event_ask ask;
	uint32_t word = 0;

	if (!lister->word || lister->listed ||
	    event_parse(lister->word, strlen(lister->word), &ask, NULL) ||
	    ask.source == EVENT_OTHER)
		return;
	if (TSC_IS_HERE && (ask.source == EVENT_RAW || ask.source == EVENT_WORD))
		word = event_word_encode(&ask);
	show(lister, "as asked for", "", lister->word, NULL, word);
}

int event_list(const char *word, bool (*each)(void *context, const struct event_listing *listing),
	       void *context)
{
	struct lister lister = { .word = word, .each = each, .context = context };
	int error = 0;

	lister.memory = calloc(1, events_bytes());
	if (!lister.memory)
		return -ENOMEM;
	list_generic(&lister);
	if (!lister.stopped)
		error = event_sysfs_list(EVENT_SYSFS, list_of_pmu, &lister);
	if (!lister.stopped)
		event_pfm_list(list_of_pfm, &lister);
	if (!lister.stopped)
		list_known(&lister);
	if (!lister.stopped)
		list_other(&lister);
	free(lister.memory);
	/* A PMU of cores that are all offline lists nothing. */
	return error == -ENOENT ? 0 : error;
}
