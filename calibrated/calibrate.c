/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "calibrate.h"
#include "find.h"
#include "guard.h"
#include "known.h"
#include "log.h"
#include "publish.h"
#include "store.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define NS_PER_MS 1000000u

struct run {
	struct known known;
	struct find find;
	struct cache new; /* what is published */
};

/* Take the guard. This program has one thread, so nobody else has it. False: a sandbox refuses.
 * Then nothing is to be published, because the counters may work in other processes. */
static bool guarded(struct guard *guard)
{
	int error;

	if (guard_acquire(guard) != LOCK_TAKEN)
		return false;
	if (guard_install(guard, GUARD_ALL))
		return true;
	error = errno;
	guard_release(guard);
	log_line(LOG_ERROR, "no counter is tried, because " GUARD_REFUSED ": %s", strerror(error));
	return false;
}

/* Everything that touches counters, under the guard. */
static bool measure_counters(struct run *run)
{
	struct guard guard;

	if (!guarded(&guard))
		return false;
	budget_begin(&run->find.budget, (uint64_t)run->known.options->budget_ms * NS_PER_MS);
	known_read(&run->known, &run->new);
	budget_prepared(&run->find.budget);
	if (!known_same_machine(&run->known, &run->new) || !find_restamped(&run->find)) {
		find_persecond(&run->find);
		find_ranking(&run->find);
	}
	guard_release(&guard);
	return true;
}

/* If the persecond file says something else than this run found, probe again for its number: no
 * library would use a cache that disagrees with the file. That happens if an old file of ours could
 * not be replaced, or if the sysadmin wrote one meanwhile. */
static bool keep_to_file(struct run *run)
{
	struct persecond_file now;
	const struct persecond *said;
	struct guard guard;

	persecond_read(run->known.options->persecond_path, NULL, &now);
	said = persecond_answer(&now, run->new.boot);
	if (!said ||
	    (run->new.persecond.hz == said->hz && run->new.persecond.source == said->source))
		return true;
	log_line(LOG_WARNING, "%s: %s %" PRIu64 " Hz: the cache is made for that",
		 run->known.options->persecond_path, now.ours ? "still says" : "now says",
		 said->hz);
	run->known.estimate = run->new.persecond = *said;
	if (!guarded(&guard))
		return false;
	find_ranking(&run->find);
	guard_release(&guard);
	return true;
}

enum calibrate_status calibrate(const struct calibrate_options *options)
{
	static struct run run;
	const struct store store = { &run.known, &run.new };
	struct publish_place place;
	enum calibrate_status status;
	int error, lock;

	memset(&run, 0, sizeof run);
	run.known.options = options;
	run.find.known = &run.known;
	run.find.new = &run.new;
	if (!known_boot(options, &run.new))
		return CALIBRATE_FAILED;
	if (options->dry_run)
		return measure_counters(&run) ? store_print(&store) : CALIBRATE_FAILED;
	error = publish_open(options->cache_path, PUBLISH_CREATE, &place);
	place.wait_ms = options->wait_s * 1000;
	if (!error)
		error = store_may_replace(&place, options);
	lock = error ? error : publish_lock(&place);
	if (lock < 0) {
		publish_close(&place);
		return store_refused(options, lock);
	}
	status = CALIBRATE_FAILED;
	if (measure_counters(&run)) {
		store_persecond(&store);
		if (keep_to_file(&run))
			status = store_cache(&store, &place);
	}
	close(lock); /* the folder is the cache's own, so the file of the lock stays */
	publish_close(&place);
	return status;
}
