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
static void try(struct lister *lister, struct event_listing *listing)
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

static bool show(struct lister *lister, struct event_listing *listing)
{
	if (!is_wanted(lister, listing))
		return true;
	if (lister->word)
		try(lister, listing);
	lister->listed = true;
	lister->stopped = !lister->each(lister->context, listing);
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

	for (size_t i = 0; !lister->stopped && event_name_at(i, &name); i++) {
		struct event_listing listing = {
			.pmu = groups[name.source],
			.cpus = "",
			.name = name.name,
			.what = name.what,
		};

		show(lister, &listing);
	}
}

/* What pctr(1) says of the word's code. NULL: nothing, or nothing of this CPU. */
static const struct event_word_known *known_of(uint32_t word)
{
	return word ? event_word_find(intel_signature(), (uint8_t)word) : NULL;
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
	const struct event_word_known *known;
	char name[EVENT_TEXT];
	struct event_listing listing = {
		.pmu = pmu->name,
		.cpus = pmu->cpus,
		.name = name,
		.what = what,
	};

	if (snprintf(name, sizeof name, "%s/%s/", pmu->name, event) >= (int)sizeof name)
		return true;
	listing.word = word_of(pmu, event);
	known = known_of(listing.word);
	if (known)
		listing.mark = known->mark;
	return show(context, &listing);
}

static bool list_of_pfm(void *context, const char *pmu, const char *event, const char *what)
{
	struct event_listing listing = {
		.pmu = pmu,
		.cpus = "",
		.name = event,
		.what = what,
	};

	return show(context, &listing);
}

static void list_known(struct lister *lister, const struct event_word_known *known)
{
	const struct event_ask ask = { .source = EVENT_RAW,
				       .number = (unsigned)known->mask << 8 | known->code };
	char name[EVENT_TEXT];
	struct event_listing listing = {
		.pmu = "codes of Intel's manual whose unit mask pctr(1) marks",
		.cpus = "",
		.name = name,
		.what = known->what,
		.word = event_word_encode(&ask),
		.mark = known->mark,
	};

	snprintf(name, sizeof name, "r%02x%02x", (unsigned)known->mask, (unsigned)known->code);
	show(lister, &listing);
}

static void list_all_known(struct lister *lister)
{
	const uint32_t signature = intel_signature();
	const struct event_word_known *known;

	for (size_t i = 0; !lister->stopped && (known = event_word_at(signature, i)); i++)
		list_known(lister, known);
}

/* A code, a function word or a breakpoint is in no list. */
static void list_other(struct lister *lister)
{
	const struct event_word_known *known;
	struct event_ask ask;
	struct event_listing listing = {
		.pmu = "as asked for",
		.cpus = "",
		.name = lister->word,
		.what = "",
	};

	if (!lister->word || lister->listed ||
	    event_parse(lister->word, strlen(lister->word), &ask, NULL) ||
	    ask.source == EVENT_OTHER)
		return;
	if (TSC_IS_HERE && (ask.source == EVENT_RAW || ask.source == EVENT_WORD))
		listing.word = event_word_encode(&ask);
	known = known_of(listing.word);
	if (known) {
		listing.what = known->what;
		listing.mark = known->mark;
	}
	show(lister, &listing);
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
		list_all_known(&lister);
	if (!lister.stopped)
		list_other(&lister);
	free(lister.memory);
	/* A PMU of cores that are all offline lists nothing. */
	return error == -ENOENT ? 0 : error;
}
