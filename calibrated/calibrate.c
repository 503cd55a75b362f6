/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "cache.h"
#include "calibrate.h"
#include "core.h"
#include "disagree.h"
#include "facts.h"
#include "file.h"
#include "fingerprint.h"
#include "guard.h"
#include "log.h"
#include "measure.h"
#include "probe.h"
#include "publish.h"
#include "rate.h"
#include "skew.h"
#include "streams.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* An OS measures the CPU's clock again at each boot, so its answers vary by up to this much. */
#define SAME_ESTIMATE_PPM 10000

/* The parts of the budget, in eighths. */
#define CORE_SHARE 3
#define RATES_SHARE 4
#define SKEW_SHARE 1
#define SHARES 8

#define NS_PER_MS 1000000u
#define NS_PER_S 1000000000u

/* Room for the text of the persecond file. */
#define PERSECOND_FILE_SIZE 160

/* What one run knows. */
struct run {
	const struct calibrate_options *options;
	struct persecond_file file; /* as it was when the run began */
	struct cache old;           /* library[0] is 0 if there is none, or none to be trusted */
	unsigned old_wrong_line;    /* of an old cache that is malformed, else 0 */
	struct cache new;           /* what is published */
	struct core_kind kinds[CORE_KINDS_MAX];
	size_t kinds_n;
};

/* Functions that begin with call_ may fault and run under the guard. */

static void call_load(void *argument)
{
	struct run *run = argument;
	const struct cache_context context = {
		.path = run->options->cache_path,
		.own = true,
		.persecond_path = run->options->persecond_path,
	};

	run->old_wrong_line = cache_load(&context, &run->old).line;
}

static void call_identity(void *identity)
{
	machine_identity(identity);
}

/* All facts except the skew. They are cheap, so a restamp takes them again too. */
static void take_facts(struct run *run)
{
	cache_fact_word *const facts = run->new.facts;

	facts_of_tree("", facts);
	facts_of_cpu(facts);
	run->kinds_n = core_kinds("", run->kinds);
	snprintf(facts[FACT_KINDS], CACHE_FACT_SIZE, "%zu", run->kinds_n);
	strcpy(facts[FACT_SKEW], "unknown");
}

/* Without the boot id nothing can be published: no library would trust the cache, and every later
 * run would take our persecond file for the sysadmin's. */
static bool know_boot(struct run *run)
{
	int error = 0;

	if (run->options->boot)
		strcpy(run->new.boot, run->options->boot);
	else
		error = machine_boot(run->new.boot);
	if (error)
		log_line(LOG_ERROR,
			 "no boot id (%s): no library would trust a cache: nothing"
			 " published: mount /proc, or name the boot with --boot",
			 strerror(-error));
	return !error;
}

static void read_state(struct run *run)
{
	strcpy(run->new.library, PACKAGE_VERSION);
	take_facts(run);
	fingerprint_take("", run->new.fingerprint);
	if (guard_call(call_identity, run->new.machine))
		strcpy(run->new.machine, "unknown");
	if (file_guard_call(call_load, run))
		run->old.library[0] = 0;
}

/*
 * The second line makes a persecond file ours, so a number that somebody edited above it is not
 * obeyed, and a warning says so. A number that this run finds again was not edited: an earlier run
 * wrote it and was killed before it wrote the cache.
 */
static void look_for_an_edit(const struct run *run)
{
	const struct persecond_file *file = &run->file;
	const struct cache *old = &run->old;

	if (!file->ours || !old->library[0] || strcmp(file->boot, old->boot) ||
	    file->hz == old->persecond.hz || file->hz == run->new.persecond.hz)
		return;
	log_line(LOG_WARNING,
		 "%s: says %" PRIu64 " Hz, the cache %" PRIu64 " Hz: not obeyed,"
		 " because its second line makes it the calibrator's",
		 run->options->persecond_path, file->hz, old->persecond.hz);
}

static void call_read_file(void *argument)
{
	struct run *run = argument;

	frequency_read_file(run->options->persecond_path, NULL, &run->file);
}

/* Whether somebody else wrote the persecond file: it is obeyed and never overwritten. A file that
 * is not read may be the sysadmin's. */
static bool is_sysadmins(const struct persecond_file *file)
{
	return file->exists && !file->ours;
}

/* The frequency as the library would find it. What an earlier run of this program wrote into
 * the persecond file is left out, or the calibrator would feed on its own output. */
static void estimate(struct run *run)
{
	const char *path = run->options->persecond_path;
	bool sysadmins;

	file_guard_call(call_read_file, run);
	sysadmins = is_sysadmins(&run->file);
	if (run->file.elsewhere)
		log_line(LOG_WARNING,
			 "%s: on a file system that the library does not read from: no answer,"
			 " and not overwritten",
			 path);
	else if (sysadmins && run->file.hz == 0)
		log_line(LOG_WARNING,
			 "%s:1: expected a number of Hz from %" PRIu64 " to %" PRIu64
			 ": no answer, and not overwritten",
			 path, RATE_SANE_MIN_HZ, RATE_SANE_MAX_HZ);
	run->new.persecond =
		frequency_estimate(sysadmins ? &run->file : NULL, run->new.boot, "", false);
	log_line(LOG_INFO, "persecond %" PRIu64 " Hz, source %s", run->new.persecond.hz,
		 frequency_source_name(run->new.persecond.source));
	look_for_an_edit(run);
}

static bool same_estimate(const struct persecond *old, const struct persecond *new)
{
	uint64_t difference = old->hz > new->hz ? old->hz - new->hz : new->hz - old->hz;

	/* A restamp measures nothing, so it keeps the measured value while the OS has none. */
	if (old->source == PERSECOND_MEASURED && new->source == PERSECOND_DEFAULT)
		return true;
	if (old->source != new->source)
		return false;
	if (new->source == PERSECOND_FILE)
		return difference == 0;
	return difference <= new->hz / 1000000 * SAME_ESTIMATE_PPM;
}

/* A rate that neither the CPU nor the OS tells is measured, a little differently each time. */
static bool same_rate(uint64_t old, uint64_t new)
{
	uint64_t difference = old > new ? old - new : new - old;

	return difference <= old / (1000000 / RATE_TOLD_PPM);
}

/* Whether a ranked counter can be set up and read, at the rate and with the scaling of the
 * cache. */
static bool still_works(const struct candidate *old, uint64_t persecond)
{
	struct candidate now = { 0 };
	bool works = probe_briefly(old->counter, persecond, 0, &now);

	if (works)
		probe_teardown(old->counter);
	if (works && same_rate(old->hz, now.hz) && now.scaling.num == old->scaling.num &&
	    now.scaling.den == old->scaling.den)
		return true;
	log_line(LOG_INFO, "%s no longer works as recorded", old->counter->name);
	return false;
}

/* Whether the old ranking holds in this boot. If not, a line says why. */
static bool can_restamp(const struct run *run)
{
	const struct cache *old = &run->old;

	if (run->options->force) {
		log_line(LOG_INFO, "asked to probe whatever the cache says");
		return false;
	}
	if (run->old_wrong_line)
		log_line(LOG_INFO, "%s:%u: not as cpucycles-cache(5) describes it",
			 run->options->cache_path, run->old_wrong_line);
	if (!old->library[0]) {
		log_line(LOG_INFO, "%s: no cache to start from", run->options->cache_path);
		return false;
	}
	if (strcmp(old->fingerprint, run->new.fingerprint) ||
	    strcmp(old->machine, run->new.machine)) {
		log_line(LOG_INFO,
			 "%s: made on another machine, kernel or setting (fingerprint %s,"
			 " now %s)",
			 run->options->cache_path, old->fingerprint, run->new.fingerprint);
		return false;
	}
	if (!same_estimate(&old->persecond, &run->new.persecond)) {
		log_line(LOG_INFO, "%s: made for persecond %" PRIu64 " Hz, source %s",
			 run->options->cache_path, old->persecond.hz,
			 frequency_source_name(old->persecond.source));
		return false;
	}
	for (size_t i = 0; i < old->usable; i++)
		if (!still_works(&old->candidates[i], old->persecond.hz))
			return false;
	return true;
}

static void restamp(struct run *run)
{
	run->new.persecond = run->old.persecond;
	run->new.core = run->old.core;
	strcpy(run->new.facts[FACT_SKEW], run->old.facts[FACT_SKEW]);
	run->new.usable = run->old.usable;
	memcpy(run->new.candidates, run->old.candidates, sizeof run->new.candidates);
	log_line(LOG_INFO, "same machine: %zu ranked counters checked again, boot id restamped",
		 run->new.usable);
}

static void log_candidate(size_t rank, const struct candidate *c)
{
	const char *class = counter_class_name(c->counter->class);

	if (c->reason == REASON_NONE)
		log_line(LOG_INFO, "rank %zu: %s, %s, precision %" PRIu64, rank + 1,
			 c->counter->name, class, c->precision);
	else if (c->reason == REASON_ERRNO)
		log_line(LOG_INFO, "out: %s: %s", c->counter->name, strerror(c->detail));
	else if (c->reason == REASON_SIGNAL)
		log_line(LOG_INFO, "out: %s: %s", c->counter->name, strsignal(c->detail));
	else
		log_line(LOG_INFO, "out: %s: %s", c->counter->name, reason_name(c->reason));
}

static uint64_t share(const struct run *run, unsigned eighths)
{
	return (uint64_t)run->options->budget_ms * NS_PER_MS * eighths / SHARES;
}

/* The core's own frequency. Where no source answered, it becomes persecond. */
static void measure_core(struct run *run)
{
	struct cache *new = &run->new;

	new->core = core_measure(run->kinds, run->kinds_n, share(run, CORE_SHARE));
	if (new->persecond.source != PERSECOND_DEFAULT || new->core.hz == 0)
		return;
	new->persecond = (struct persecond){ new->core.hz, PERSECOND_MEASURED };
	log_line(LOG_INFO, "persecond %" PRIu64 " Hz, source %s", new->persecond.hz,
		 frequency_source_name(new->persecond.source));
}

static void log_pair(const struct skew_pair *pair)
{
	log_line(LOG_DEBUG, "skew: CPU %d to CPU %d: %lld to %lld counts in %lu rounds", pair->here,
		 pair->there, (long long)pair->bounds.low, (long long)pair->bounds.high,
		 (unsigned long)pair->rounds);
}

/* The skew between CPUs of the best counter that runs freely. */
static void measure_skew(struct run *run)
{
	struct cache *new = &run->new;
	struct skew_source source = { .guarded = guard_call, .found = log_pair };
	struct candidate now;
	uint64_t counts, hz;
	size_t i = 0;

	while (i < new->usable && !measure_is_free_running(new->candidates[i].counter))
		i++;
	if (i == new->usable || !probe_briefly(new->candidates[i].counter, new->persecond.hz,
					       new->candidates[i].hz, &now))
		return;
	hz = new->candidates[i].measured.hz ? new->candidates[i].measured.hz : new->persecond.hz;
	source.read = now.counter->read;
	if (skew_measure(&source, share(run, SKEW_SHARE), &counts) &&
	    counts < UINT64_MAX / NS_PER_S)
		snprintf(new->facts[FACT_SKEW], CACHE_FACT_SIZE, "%" PRIu64,
			 counts * NS_PER_S / hz + 1);
	probe_teardown(now.counter);
	log_line(LOG_INFO, "skew of %s between CPUs: %s%s", now.counter->name,
		 new->facts[FACT_SKEW],
		 strcmp(new->facts[FACT_SKEW], "unknown") ? " ns at most" : "");
}

/* The OS's answer stays in use. A warning tells whoever relies on it that the core disagrees. */
static void log_disagreement(const struct cache *new)
{
	struct rate counter = new->usable ? new->candidates[0].measured : (struct rate){ 0 };
	const char *sentence = disagree_sentence(new, counter);

	if (sentence)
		log_line(LOG_WARNING,
			 "persecond %" PRIu64 " Hz, core %" PRIu64 " Hz, counter %" PRIu64
			 " Hz: %s",
			 new->persecond.hz, new->core.hz, counter.hz, sentence);
}

static void probe(struct run *run)
{
	struct cache *new = &run->new;

	measure_core(run);
	log_line(LOG_INFO, "probing %zu counters", counters_count);
	probe_all(new->persecond.hz, false, new->candidates);
	selection_rank(new->candidates, counters_count);
	new->usable = 0;
	for (size_t i = 0; i < counters_count; i++) {
		new->usable += new->candidates[i].reason == REASON_NONE;
		log_candidate(i, &new->candidates[i]);
	}
	core_compare(new->candidates, new->usable, new->persecond.hz, new->core);
	measure_rates(new->candidates, new->usable, new->persecond.hz, share(run, RATES_SHARE));
	measure_skew(run);
	log_disagreement(new);
}

/* Everything that touches counters, under the guard. */
static void measure(struct run *run)
{
	struct guard guard;

	if (guard_acquire(&guard) != LOCK_TAKEN)
		return; /* cannot happen: this program has one thread */
	guard_install(&guard, GUARD_ALL);
	read_state(run);
	estimate(run);
	if (can_restamp(run))
		restamp(run);
	else
		probe(run);
	guard_release(&guard);
}

/* If not, a line says why. */
static bool may_write_persecond(const struct run *run, const struct persecond_file *now)
{
	const char *path = run->options->persecond_path;

	if (now->elsewhere) {
		log_line(LOG_INFO, "%s: perhaps the sysadmin's: not written", path);
		return false;
	}
	if (is_sysadmins(now)) {
		log_line(LOG_INFO, "%s: the sysadmin's: not written", path);
		return false;
	}
	if (!frequency_is_machines(run->new.persecond.source)) {
		log_line(LOG_WARNING, "%s: not written: nobody knows the frequency", path);
		return false;
	}
	return true;
}

/* This run knows no frequency. The number of an earlier run would contradict its cache. */
static void remove_ours(const struct run *run, const struct persecond_file *now)
{
	if (now->ours && unlink(run->options->persecond_path))
		log_line(LOG_WARNING, "%s: not removed: %s", run->options->persecond_path,
			 strerror(errno));
}

/* Asked once more just before the rename, because writing to the disk takes time in which the
 * sysadmin may have put a file there. */
static bool is_still_ours(const void *path)
{
	struct persecond_file now;

	frequency_read_file(path, NULL, &now);
	return !is_sysadmins(&now);
}

/* The place is open and locked. -ECANCELED: the file is not to be written. */
static int write_persecond(const struct run *run, const struct publish_place *place)
{
	const char *path = run->options->persecond_path;
	struct persecond_file now;
	char text[PERSECOND_FILE_SIZE];
	size_t length;
	int error = publish_clean(place);

	if (error)
		return error;
	frequency_read_file(path, NULL, &now);
	if (!may_write_persecond(run, &now)) {
		remove_ours(run, &now);
		return -ECANCELED;
	}
	length = frequency_format_file(&run->new.persecond, run->new.boot, text, sizeof text);
	return publish_text(place, now.exists, text, length, is_still_ours, path);
}

/* A descriptor to close, or a negative errno. */
static int wait_for_lock(const struct calibrate_options *options, struct publish_place *place)
{
	place->wait_ms = options->wait_s * 1000;
	return publish_lock(place);
}

/* If this fails, a line warns, and the cache is published all the same. */
static void publish_persecond(const struct run *run)
{
	const char *path = run->options->persecond_path;
	struct publish_place place;
	int error = publish_open(path, 0, &place);
	/* Calibrators of other caches write this file too, so it has a lock of its own. */
	int lock = error ? error : wait_for_lock(run->options, &place);

	error = lock < 0 ? lock : write_persecond(run, &place);
	if (lock >= 0)
		publish_unlock(&place, lock);
	publish_close(&place);
	if (!error)
		log_line(LOG_INFO, "%s: written", path);
	else if (error != -ECANCELED)
		log_line(LOG_WARNING, "%s: not written: %s", path, strerror(-error));
}

/* If the persecond file says something else than this run found, probe again for its number: no
 * library would use a cache that disagrees with the file. That happens if an old file of ours could
 * not be replaced, or if the sysadmin wrote one meanwhile. */
static void keep_to_file(struct run *run)
{
	struct persecond_file now;
	struct guard guard;

	frequency_read_file(run->options->persecond_path, NULL, &now);
	if (!frequency_file_answers(&now, run->new.boot) ||
	    (run->new.persecond.hz == now.hz && run->new.persecond.source == now.source) ||
	    guard_acquire(&guard) != LOCK_TAKEN)
		return;
	log_line(LOG_WARNING, "%s: %s %" PRIu64 " Hz: the cache is made for that",
		 run->options->persecond_path, now.ours ? "still says" : "now says", now.hz);
	run->new.persecond = (struct persecond){ now.hz, now.source };
	guard_install(&guard, GUARD_ALL);
	probe(run);
	guard_release(&guard);
}

static enum calibrate_status publish_cache(const struct run *run, const struct publish_place *place)
{
	char text[CACHE_SIZE_MAX];
	size_t length = cache_format(&run->new, text, sizeof text);
	int error = length ? publish_text(place, true, text, length, NULL, NULL) : -EFBIG;

	if (error) {
		log_line(LOG_ERROR, "%s: not written: %s", run->options->cache_path,
			 strerror(-error));
		return CALIBRATE_FAILED;
	}
	log_line(LOG_INFO, "%s: written", run->options->cache_path);
	return CALIBRATE_OK;
}

static enum calibrate_status print(const struct run *run)
{
	char text[CACHE_SIZE_MAX];
	size_t length = cache_format(&run->new, text, sizeof text);

	fwrite(text, 1, length, stdout);
	if (may_write_persecond(run, &run->file)) {
		length = frequency_format_file(&run->new.persecond, run->new.boot, text,
					       sizeof text);
		fwrite(text, 1, length, stdout);
	}
	return streams_written() ? CALIBRATE_OK : CALIBRATE_FAILED;
}

static enum calibrate_status cannot(const char *path, int error)
{
	if (error == -ETIMEDOUT) {
		log_line(LOG_ERROR,
			 "%s: another calibrator holds the lock; to wait longer, use"
			 " --wait: %s",
			 path, strerror(-error));
		return CALIBRATE_LOCKED;
	}
	log_line(LOG_ERROR, "%s: %s", path, strerror(-error));
	return CALIBRATE_FAILED;
}

enum calibrate_status calibrate(const struct calibrate_options *options)
{
	static struct run run;
	struct publish_place place;
	enum calibrate_status status;
	int error, lock;

	memset(&run, 0, sizeof run);
	run.options = options;
	if (!know_boot(&run))
		return CALIBRATE_FAILED;
	if (options->dry_run) {
		measure(&run);
		return print(&run);
	}
	error = publish_open(options->cache_path, PUBLISH_CREATE, &place);
	lock = error ? error : wait_for_lock(options, &place);
	if (lock < 0) {
		publish_close(&place);
		return cannot(options->cache_path, lock);
	}
	measure(&run);
	publish_persecond(&run);
	keep_to_file(&run);
	status = publish_cache(&run, &place);
	close(lock);
	publish_close(&place);
	return status;
}
