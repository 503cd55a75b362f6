/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "cache.h"
#include "calibrate.h"
#include "complain.h"
#include "core.h"
#include "disagree.h"
#include "facts.h"
#include "file.h"
#include "fingerprint.h"
#include "guard.h"
#include "log.h"
#include "rates.h"
#include "persecond.h"
#include "probe.h"
#include "publish.h"
#include "rate.h"
#include "raw-clock.h"
#include "restamp.h"
#include "skew.h"
#include "streams.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The core's part of what is left of the budget for measuring. Probing comes later, and takes about
 * so many times as much of the CPU as what was done before. On a slow core, that is most of the
 * budget. */
#define CORE_SHARE 3
#define SHARES 8
#define PROBING_TIMES 4

/* Publishing comes last, and takes about this part of the CPU's time that was used before the core
 * is measured. */
#define PUBLISHING_PART 2

/* Of what is then left, the skew gets this part, and the rates get the others. */
#define SKEW_PART 5

/* If there is less left, each of the three gets this part of the budget. */
#define LEAST_CORE 16
#define LEAST_RATES 16
#define LEAST_SKEW 40

/* A restamp takes little time of the CPU: rates are measured beside pauses. */
#define RESTAMP_CORE_NS 3000000u
#define RESTAMP_RATES_NS 50000000u
#define RESTAMP_ROUNDS 32

#define NS_PER_MS 1000000u
#define NS_PER_S 1000000000u

/* What one run knows. */
struct run {
	const struct calibrate_options *options;
	struct persecond_file file; /* as it was when the run began, and its text */
	char file_text[PERSECOND_TEXT_SIZE];
	struct cache old;          /* library[0] is 0 if there is none, or none to be trusted */
	unsigned old_wrong_line;   /* of an old cache that is malformed, else 0 */
	struct persecond estimate; /* as the library would find it without a cache */
	struct cache new;          /* what is published */
	struct core_found core;
	struct candidate unscaled; /* see measure_unscaled; measured is 0 Hz if it was not */
	uint64_t began_ns;
	uint64_t prepared_ns; /* see cpu_ns; before the core is measured */
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
	facts_of_clocks("", facts);
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
	if (guard_call(call_identity, run->new.machine))
		strcpy(run->new.machine, "unknown");
	if (file_guard_call(call_load, run))
		run->old.library[0] = 0;
}

/*
 * If somebody edited the number in the file's third line too, or in the two lines of an earlier
 * version, the file is still ours. The number is not obeyed then, and a warning says so. A number
 * that this run finds again was not edited: an earlier run wrote it and was killed before it wrote
 * the cache.
 */
static void look_for_an_edit(const struct run *run)
{
	const struct persecond_file *file = &run->file;
	const struct cache *old = &run->old;

	if (!file->ours || !old->library[0] || strcmp(file->boot, old->boot) ||
	    file->said.hz == old->persecond.hz || file->said.hz == run->estimate.hz)
		return;
	log_line(LOG_WARNING,
		 "%s: says %" PRIu64 " Hz, the cache %" PRIu64 " Hz: not obeyed,"
		 " because its other lines make it the calibrator's",
		 run->options->persecond_path, file->said.hz, old->persecond.hz);
}

/* Static, because it is too large for a stack. */
static char cpuinfo[FINGERPRINT_CPUINFO_SIZE];

static void call_read_file(void *argument)
{
	struct run *run = argument;

	persecond_look(run->options->persecond_path, &run->file, run->file_text);
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
	const struct persecond *said = NULL;
	char complaint[COMPLAIN_SIZE];

	file_guard_call(call_read_file, run);
	if (is_sysadmins(&run->file)) {
		said = persecond_answer(&run->file, run->new.boot);
		complain_of_file(run->options->persecond_path, &run->file, run->file_text,
				 complaint);
		if (complaint[0])
			log_line(LOG_WARNING, "%s: no answer, and not overwritten", complaint);
	}
	fingerprint_read_cpuinfo("", cpuinfo);
	file_lend_cpuinfo(*cpuinfo ? cpuinfo : NULL);
	run->estimate = frequency_estimate(said, "", false);
	file_lend_cpuinfo(NULL);
	fingerprint_take("", cpuinfo, run->new.fingerprint);
	log_line(LOG_INFO, "persecond %" PRIu64 " Hz, source %s", run->estimate.hz,
		 frequency_source_name(run->estimate.source));
	look_for_an_edit(run);
}

/* Whether the old cache is of this machine and for this frequency. If not, a line says why. */
static bool is_same_machine(const struct run *run)
{
	const struct cache *old = &run->old;
	char changes[FINGERPRINT_CHANGES_SIZE];

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
	if (fingerprint_changes(old, &run->new, changes)) {
		log_line(LOG_INFO, "%s: made before these changed: %s", run->options->cache_path,
			 changes);
		return false;
	}
	/* Its rate is measured, or not, by this fact. */
	if (strcmp(old->facts[FACT_TSC], run->new.facts[FACT_TSC])) {
		log_line(LOG_INFO, "the time-stamp counter was %s and is %s now",
			 old->facts[FACT_TSC], run->new.facts[FACT_TSC]);
		return false;
	}
	if (!restamp_same_estimate(&old->persecond, &run->estimate)) {
		log_line(LOG_INFO, "%s: made for persecond %" PRIu64 " Hz, source %s",
			 run->options->cache_path, old->persecond.hz,
			 frequency_source_name(old->persecond.source));
		return false;
	}
	return true;
}

static void log_candidate(size_t rank, const struct candidate *c)
{
	const char *class = counter_class_name(c->counter->class);

	if (c->reason == REASON_NONE)
		log_line(LOG_INFO, "rank %zu: %s, %s, precision %" PRIu64, rank + 1,
			 c->counter->name, class, c->precision);
	else if (c->reason == REASON_ERRNO)
		log_line(LOG_INFO, "out: %s: %s", c->counter->name, strerror(c->detail));
	else if (c->reason == REASON_CLOSED && c->detail)
		log_line(LOG_INFO, "out: %s: its page cannot be mapped: %s", c->counter->name,
			 strerror(c->detail));
	else if (c->reason == REASON_SIGNAL)
		log_line(LOG_INFO, "out: %s: %s", c->counter->name, strsignal(c->detail));
	else
		log_line(LOG_INFO, "out: %s: %s", c->counter->name, reason_name(c->reason));
}

static void call_now(void *ns)
{
	*(uint64_t *)ns = raw_clock_ns();
}

/* The raw clock; always 0 where reading it faults. */
static uint64_t now_ns(void)
{
	uint64_t ns = 0;

	return guard_call(call_now, &ns) ? 0 : ns;
}

/* For how long a CPU worked for this process. */
static uint64_t cpu_ns(void)
{
	const clock_t used = clock();

	return used < 0 ? 0 : (uint64_t)used * (NS_PER_S / CLOCKS_PER_SEC);
}

/* When this process began, if a CPU worked for it all the time. On a slow core, starting a program
 * is a part of what a run takes. */
static uint64_t began_ns(void)
{
	const uint64_t now = now_ns(), used = cpu_ns();

	return now > used ? now - used : 0;
}

static uint64_t budget_ns(const struct run *run)
{
	return (uint64_t)run->options->budget_ms * NS_PER_MS;
}

static uint64_t passed_ns(const struct run *run)
{
	return now_ns() - run->began_ns;
}

/* The same, and what publishing will take. */
static uint64_t used_ns(const struct run *run)
{
	return passed_ns(run) + run->prepared_ns / PUBLISHING_PART;
}

/* What is left of the budget when so much is used, but at least the given part of the budget. */
static uint64_t left_ns(const struct run *run, uint64_t used_ns, unsigned least_part)
{
	const uint64_t budget = budget_ns(run), least = budget / least_part;
	const uint64_t left = used_ns < budget ? budget - used_ns : 0;

	return left > least ? left : least;
}

static void set_core_facts(const struct core_found *found, cache_fact_word facts[CACHE_FACTS])
{
	facts_set(facts[FACT_WITNESS], found->witness ? found->witness->name : "none");
	facts_set_hz(facts[FACT_COUNTED], found->counted.hz);
	facts_set_hz(facts[FACT_CHAIN], found->chain.hz);
	facts_set(facts[FACT_CHECK], core_check_name(found->check));
}

/* The core's own frequency. Where no source answered, it becomes persecond. counts_in_use: see
 * core_rate. */
static void set_core(struct run *run, bool counts_in_use)
{
	struct cache *new = &run->new;

	new->core = core_rate(&run->core, counts_in_use);
	new->persecond = run->estimate;
	if (run->estimate.source == PERSECOND_DEFAULT && new->core.hz)
		new->persecond = (struct persecond){ new->core.hz, PERSECOND_MEASURED };
}

/* Whether the best counter of this ranking counts cycles of the core. */
static bool counts_cycles(const struct cache *ranked)
{
	return ranked->usable > 0 && counter_counts_core(ranked->candidates[0].counter->class);
}

/* ranked: the ranking that programs get, as far as it is known. */
static void measure_core(struct run *run, const struct cache *ranked, uint64_t time_ns)
{
	run->core = core_measure(run->kinds, run->kinds_n, run->estimate.hz, time_ns);
	set_core_facts(&run->core, run->new.facts);
	set_core(run, counts_cycles(ranked));
}

/*
 * Where no source told persecond and the core could not be measured, which takes a fine clock, the
 * rate of a counter that is not scaled by persecond is better than a number that nobody measured.
 * That is the time-stamp counter.
 */
static void measure_unscaled(struct run *run)
{
	struct candidate *c = &run->unscaled;

	for (size_t i = 0; i < counters_count && c->measured.hz == 0; i++) {
		if (!counter_reads_tsc(counters_list[i]))
			continue;
		probe_counter(counters_list[i], run->estimate.hz, c);
		if (c->reason == REASON_NONE)
			measure_rates(c, 1, run->estimate.hz,
				      &(struct measure_plan){ budget_ns(run) / 2, MEASURE_ROUNDS });
	}
	if (c->measured.hz)
		run->new.persecond = (struct persecond){ c->measured.hz, PERSECOND_MEASURED };
}

/* The rate that became persecond is published for the counter itself, too. */
static void keep_unscaled(struct run *run)
{
	struct cache *new = &run->new;

	for (size_t i = 0; run->unscaled.measured.hz && i < new->usable; i++)
		if (new->candidates[i].counter == run->unscaled.counter)
			new->candidates[i].measured = run->unscaled.measured;
}

static void find_persecond(struct run *run)
{
	const uint64_t used = passed_ns(run) + run->prepared_ns * PROBING_TIMES;

	measure_core(run, &run->new, left_ns(run, used, LEAST_CORE) * CORE_SHARE / SHARES);
	if (run->new.persecond.source == PERSECOND_DEFAULT)
		measure_unscaled(run);
	if (run->new.persecond.source == PERSECOND_MEASURED)
		log_line(LOG_INFO, "persecond %" PRIu64 " Hz, source %s", run->new.persecond.hz,
			 frequency_source_name(run->new.persecond.source));
}

static void log_pair(const struct skew_pair *pair)
{
	log_line(LOG_DEBUG, "skew: CPU %d to CPU %d: %lld to %lld counts in %lu rounds", pair->here,
		 pair->there, (long long)pair->bounds.low, (long long)pair->bounds.high,
		 (unsigned long)pair->rounds);
}

/* Whether the counter runs at a fixed rate that is known, so that its counts can be told in ns. */
static bool has_rate(const struct candidate *c)
{
	return c->counter->class == COUNTER_OS_CLOCK ||
	       (measure_is_free_running(c->counter) && c->measured.hz &&
		c->measured.ppm < RATE_PPM_MAX);
}

/* The skew between CPUs of the best counter with a rate that is fixed and known. */
static void measure_skew(struct run *run)
{
	struct cache *new = &run->new;
	struct skew_source source = { .guarded = guard_call, .found = log_pair };
	struct candidate now;
	uint64_t counts, hz;
	size_t i = 0;

	while (i < new->usable && !has_rate(&new->candidates[i]))
		i++;
	if (i == new->usable || !probe_briefly(new->candidates[i].counter, new->persecond.hz,
					       new->candidates[i].hz, &now))
		return;
	hz = new->candidates[i].measured.hz ? new->candidates[i].measured.hz : new->persecond.hz;
	source.read = now.counter->read;
	if (skew_measure(&source, left_ns(run, used_ns(run), LEAST_SKEW), &counts) &&
	    counts < UINT64_MAX / NS_PER_S)
		snprintf(new->facts[FACT_SKEW], CACHE_FACT_SIZE, "%" PRIu64,
			 counts * NS_PER_S / hz + 1);
	probe_teardown(now.counter);
	log_line(LOG_INFO, "skew of %s between CPUs: %s%s", now.counter->name,
		 new->facts[FACT_SKEW],
		 strcmp(new->facts[FACT_SKEW], "unknown") ? " ns at most" : "");
}

/* The OS's answer stays in use. A warning tells whoever relies on it which figure disagrees. */
static void log_disagreement(const struct cache *new)
{
	const struct candidate *counter = new->usable ? &new->candidates[0] : NULL;
	const char *sentence = disagree_sentence(new, counter);

	if (sentence)
		log_line(LOG_WARNING,
			 "persecond %" PRIu64 " Hz, core %" PRIu64 " Hz, counter %" PRIu64
			 " Hz: %s",
			 new->persecond.hz, new->core.hz, counter ? counter->measured.hz : 0,
			 sentence);
}

/* Rank all counters at new->persecond. */
static void rank(struct cache *new)
{
	log_line(LOG_INFO, "probing %zu counters", counters_count);
	probe_all(new->persecond.hz, false, new->candidates);
	selection_rank(new->candidates, counters_count);
	new->usable = 0;
	for (size_t i = 0; i < counters_count; i++) {
		new->usable += new->candidates[i].reason == REASON_NONE;
		log_candidate(i, &new->candidates[i]);
	}
}

/* If the witnesses of the core's frequency contradict one another, it matters whether programs get
 * counts of cycles. If they do, the counter decides, and scalings change with persecond. */
static void rank_by_the_right_witness(struct run *run)
{
	struct cache *new = &run->new;

	rank(new);
	if (run->core.check != CORE_CHECK_CONTRADICTS || !counts_cycles(new))
		return;
	set_core(run, true);
	if (new->persecond.source == PERSECOND_MEASURED)
		rank(new);
}

/* Rank all counters, and measure them. */
static void probe(struct run *run)
{
	struct cache *new = &run->new;
	uint64_t left;

	rank_by_the_right_witness(run);
	left = left_ns(run, used_ns(run), LEAST_RATES);
	measure_rates(new->candidates, new->usable, new->persecond.hz,
		      &(struct measure_plan){ left - left / SKEW_PART,
					      measure_rounds(run->prepared_ns) });
	keep_unscaled(run);
	facts_limit(new); /* before anything takes a rate for fixed */
	measure_skew(run);
	log_disagreement(new);
}

/*
 * The ranking of an earlier boot of this machine, with what is measured again. A machine may come
 * back at another speed, and a kernel measures its clock anew at each boot. False: the ranking
 * does not hold.
 */
static bool restamp(struct run *run)
{
	const struct cache *old = &run->old;
	struct cache *new = &run->new;

	measure_core(run, old, RESTAMP_CORE_NS);
	if (new->persecond.source == PERSECOND_DEFAULT)
		return false;
	if (!restamp_same_core(old->core, new->core)) {
		log_line(LOG_INFO, "core: %" PRIu64 " Hz, in the earlier boot %" PRIu64 " Hz",
			 new->core.hz, old->core.hz);
		return false;
	}
	if (new->persecond.source == PERSECOND_MEASURED &&
	    restamp_may_keep(&old->persecond, new->core))
		new->persecond = old->persecond;
	if (!restamp_take_ranking(old, new))
		return false;
	measure_rates(new->candidates, new->usable, new->persecond.hz,
		      &(struct measure_plan){ RESTAMP_RATES_NS, RESTAMP_ROUNDS });
	if (!restamp_same_rates(old, new))
		return false;
	facts_limit(new);
	strcpy(new->facts[FACT_SKEW], old->facts[FACT_SKEW]);
	log_line(LOG_INFO,
		 "same machine: %zu ranked counters checked and measured again, boot id restamped",
		 new->usable);
	return true;
}

/* Everything that touches counters, under the guard. */
static void measure(struct run *run)
{
	struct guard guard;

	if (guard_acquire(&guard) != LOCK_TAKEN)
		return; /* cannot happen: this program has one thread */
	guard_install(&guard, GUARD_ALL);
	run->began_ns = began_ns();
	read_state(run);
	estimate(run);
	run->prepared_ns = cpu_ns();
	if (!is_same_machine(run) || !restamp(run)) {
		find_persecond(run);
		probe(run);
	}
	guard_release(&guard);
}

/* If not, a line says why. */
static bool may_write_persecond(const struct run *run, const struct persecond_file *now)
{
	const char *path = run->options->persecond_path;

	if (now->flaw == FLAW_ELSEWHERE) {
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

	persecond_look(path, &now, NULL);
	return !is_sysadmins(&now);
}

/* The place is open and locked. -ECANCELED: the file is not to be written. */
static int write_persecond(const struct run *run, const struct publish_place *place)
{
	const char *path = run->options->persecond_path;
	struct persecond_file now;
	char text[PERSECOND_TEXT_SIZE];
	size_t length;
	int error;

	persecond_look(path, &now, NULL);
	if (!may_write_persecond(run, &now)) {
		remove_ours(run, &now);
		error = publish_clean(place);
		return error ? error : -ECANCELED;
	}
	length = persecond_format(&run->new.persecond, run->new.boot, text, sizeof text);
	return publish_text(place, now.exists, text, length, is_still_ours, path);
}

/* A descriptor to close, or a negative errno. */
static int wait_for_lock(const struct calibrate_options *options, struct publish_place *place)
{
	place->wait_ms = options->wait_s * 1000;
	return publish_lock(place);
}

/* What a user needs who may not write a file that no option has named. */
static const char *advice(const struct calibrate_options *options, const char *path, int error)
{
	const bool cache = !strcmp(options->cache_path, CACHE_PATH);
	const bool persecond = !strcmp(options->persecond_path, PERSECOND_PATH);

	if ((error != -EACCES && error != -EPERM) || geteuid() == 0)
		return "";
	if (path == options->cache_path && cache)
		return persecond ? ": run it as root, or name two files with -c FILE -p FILE" :
				   ": run it as root, or name another file: -c FILE";
	return path == options->persecond_path && persecond ?
		       ": run it as root, or name another file: -p FILE" :
		       "";
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
		log_line(LOG_WARNING, "%s: not written: %s%s", path, strerror(-error),
			 advice(run->options, path, error));
}

/* If the persecond file says something else than this run found, probe again for its number: no
 * library would use a cache that disagrees with the file. That happens if an old file of ours could
 * not be replaced, or if the sysadmin wrote one meanwhile. */
static void keep_to_file(struct run *run)
{
	struct persecond_file now;
	const struct persecond *said;
	struct guard guard;

	persecond_read(run->options->persecond_path, NULL, &now);
	said = persecond_answer(&now, run->new.boot);
	if (!said ||
	    (run->new.persecond.hz == said->hz && run->new.persecond.source == said->source) ||
	    guard_acquire(&guard) != LOCK_TAKEN)
		return;
	log_line(LOG_WARNING, "%s: %s %" PRIu64 " Hz: the cache is made for that",
		 run->options->persecond_path, now.ours ? "still says" : "now says", said->hz);
	run->estimate = run->new.persecond = *said;
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
		length = persecond_format(&run->new.persecond, run->new.boot, text, sizeof text);
		fwrite(text, 1, length, stdout);
	}
	return streams_written() ? CALIBRATE_OK : CALIBRATE_FAILED;
}

static enum calibrate_status cannot(const struct calibrate_options *options, int error)
{
	const char *path = options->cache_path;

	if (error == -ETIMEDOUT) {
		log_line(LOG_ERROR,
			 "%s: another calibrator holds the lock; to wait longer, use"
			 " --wait: %s",
			 path, strerror(-error));
		return CALIBRATE_LOCKED;
	}
	log_line(LOG_ERROR, "%s: %s%s", path, strerror(-error), advice(options, path, error));
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
		return cannot(options, lock);
	}
	measure(&run);
	publish_persecond(&run);
	keep_to_file(&run);
	status = publish_cache(&run, &place);
	close(lock);
	publish_close(&place);
	return status;
}
