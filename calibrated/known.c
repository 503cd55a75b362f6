/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "complain.h"
#include "facts.h"
#include "file.h"
#include "fingerprint.h"
#include "guard.h"
#include "known.h"
#include "log.h"
#include "machine.h"
#include "restamp.h"
#include "same-file.h"
#include "tree.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Functions that begin with call_ may fault and run under the guard. */

static void call_load(void *argument)
{
	struct known *known = argument;
	const struct cache_context context = {
		.path = known->options->cache_path,
		.own = true,
		.persecond_path = known->options->persecond_path,
	};

	known->old_wrong_line = cache_load(&context, &known->old).line;
}

static void call_identity(void *identity)
{
	machine_identity(identity);
}

/* All facts except the skew. They are cheap, so a restamp takes them again too. */
static void take_facts(struct known *known, struct cache *new)
{
	cache_fact_word *const facts = new->facts;

	facts_of_tree("", facts);
	facts_of_cpu(facts);
	facts_of_clocks("", facts);
	known->kinds_n = core_kinds("", known->kinds);
	snprintf(facts[FACT_KINDS], CACHE_FACT_SIZE, "%zu", known->kinds_n);
	strcpy(facts[FACT_SKEW], "unknown");
}

bool known_boot(const struct calibrate_options *options, struct cache *new)
{
	int error = 0;

	if (options->boot)
		strcpy(new->boot, options->boot);
	else
		error = machine_boot(new->boot);
	if (error)
		log_line(LOG_ERROR,
			 "no boot id (%s): no library would trust a cache: nothing"
			 " published: mount /proc, without subset=pid, or name the boot with"
			 " --boot",
			 strerror(-error));
	return !error;
}

static bool is_guest(const struct calibrate_options *options)
{
	return !same_file(options->cache_path, CACHE_PATH) &&
	       same_file(options->persecond_path, PERSECOND_PATH);
}

/*
 * If somebody edited the number in the file's third line too, or in the two lines of an earlier
 * version, the file is still ours. The number is not obeyed then, and a warning says so. A number
 * that this run finds again was not edited: an earlier run wrote it and was killed before it wrote
 * the cache.
 */
static void look_for_an_edit(const struct known *known)
{
	const struct persecond_file *file = &known->file;
	const struct cache *old = &known->old;

	if (known->is_guest || !file->ours || !old->library[0] || strcmp(file->boot, old->boot) ||
	    file->said.hz == old->persecond.hz || file->said.hz == known->estimate.hz)
		return;
	log_line(LOG_WARNING,
		 "%s: says %" PRIu64 " Hz, the cache %" PRIu64 " Hz: not obeyed,"
		 " because its other lines make it the calibrator's",
		 known->options->persecond_path, file->said.hz, old->persecond.hz);
}

/* Static, because it is too large for a stack. */
static char cpuinfo[FINGERPRINT_CPUINFO_SIZE];

static void call_look_at_mounts(void *unused)
{
	(void)unused;
	file_look_at_mounts();
}

static void call_read_file(void *argument)
{
	struct known *known = argument;

	persecond_look(known->options->persecond_path, &known->file, known->file_text);
}

bool known_is_sysadmins(const struct persecond_file *file)
{
	return file->exists && !file->ours;
}

/* The frequency as the library would find it. What an earlier run of this program wrote into the
 * persecond file is left out, or the calibrator would feed on its own output. But a guest takes the
 * number of this boot as it is. */
static void estimate(struct known *known, struct cache *new)
{
	const struct persecond *said = NULL;
	char complaint[COMPLAIN_SIZE];

	file_guard_call(call_read_file, known);
	if (known_is_sysadmins(&known->file) || known->is_guest)
		said = persecond_answer(&known->file, new->boot);
	if (known_is_sysadmins(&known->file)) {
		complain_of_file(known->options->persecond_path, &known->file, known->file_text,
				 complaint);
		if (complaint[0])
			log_line(LOG_WARNING, "%s: no answer, and not overwritten", complaint);
	}
	tree_read("", "/proc/cpuinfo", cpuinfo, sizeof cpuinfo);
	file_lend_cpuinfo(*cpuinfo ? cpuinfo : NULL);
	known->estimate = frequency_estimate(said, "", false);
	file_lend_cpuinfo(NULL);
	fingerprint_take("", cpuinfo, new->fingerprint);
	log_line(LOG_INFO, "persecond %" PRIu64 " Hz, source %s", known->estimate.hz,
		 frequency_source_name(known->estimate.source));
	look_for_an_edit(known);
}

bool known_same_machine(const struct known *known, const struct cache *new)
{
	const struct cache *old = &known->old;
	char changes[FINGERPRINT_CHANGES_SIZE];

	if (known->options->force) {
		log_line(LOG_INFO, "asked to probe whatever the cache says");
		return false;
	}
	if (known->old_wrong_line)
		log_line(LOG_INFO, "%s:%u: not as cpucycles-cache(5) describes it",
			 known->options->cache_path, known->old_wrong_line);
	if (!old->library[0]) {
		log_line(LOG_INFO, "%s: no cache to start from", known->options->cache_path);
		return false;
	}
	if (fingerprint_changes(old, new, changes)) {
		log_line(LOG_INFO, "%s: made before these changed: %s", known->options->cache_path,
			 changes);
		return false;
	}
	/* Its rate is measured, or not, by this fact. */
	if (strcmp(old->facts[FACT_TSC], new->facts[FACT_TSC])) {
		log_line(LOG_INFO, "the time-stamp counter was %s and is %s now",
			 old->facts[FACT_TSC], new->facts[FACT_TSC]);
		return false;
	}
	if (!restamp_same_estimate(&old->persecond, &known->estimate)) {
		log_line(LOG_INFO, "%s: made for persecond %" PRIu64 " Hz, source %s",
			 known->options->cache_path, old->persecond.hz,
			 frequency_source_name(old->persecond.source));
		return false;
	}
	return true;
}

void known_read(struct known *known, struct cache *new)
{
	known->is_guest = is_guest(known->options);
	file_guard_call(call_look_at_mounts, NULL);
	strcpy(new->library, PACKAGE_VERSION);
	take_facts(known, new);
	if (guard_call(call_identity, new->machine))
		strcpy(new->machine, "unknown");
	if (file_guard_call(call_load, known))
		known->old.library[0] = 0;
	estimate(known, new);
}
