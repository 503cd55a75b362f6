/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The life of a meter: its memory, opening and closing it, and who may use it. */

#include "config.h"

#pragma GCC visibility push(default)
#include "cpucycles-measure.h"
#pragma GCC visibility pop

#include "chain.h"
#include "events.h"
#include "sized.h"
#include "kperf.h"
#include "meter.h"
#include "need.h"
#include "pair.h"
#include "reason.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORKS_DEFAULT 2
#define SAMPLES_DEFAULT (1u << 18)

/* Of the memory of events. */
#define ALIGNMENT 16

/* Sums of sizes below this never overflow. */
#define COUNT_MAX (SIZE_MAX / 64 / sizeof(double))

int meter_check_use(const struct cpucycles_meter *meter, struct reason_text *reason)
{
	if (!owner_is_caller(&meter->owner))
		return reason_say(reason, EPERM, "the meter belongs to another thread or process");
	if (!meter->running)
		return 0;
	reason_say(reason, EBUSY, "the meter is in a run, and a function of that run calls it");
	reason_remedy(reason, "call it when the run has ended, or open another meter");
	return -EBUSY;
}

int meter_take(void *to, const void *from, size_t size, const char *what,
	       struct reason_text *reason)
{
	const int error = sized_copy_in(to, from, size);
	size_t given;

	if (!error)
		return 0;
	memcpy(&given, from, sizeof given);
	if (error == -EINVAL)
		return reason_say(reason, EINVAL, "%s: the size is %zu, expected %zu", what, given,
				  size);
	reason_say(reason, E2BIG, "%s: bytes after the first %zu are not 0", what, size);
	reason_remedy(reason, "install the version of libcpucycles-measure that the program was "
			      "built for");
	return error;
}

int meter_take_work(const struct cpucycles_work works[], size_t i, struct cpucycles_work *work,
		    struct reason_text *reason)
{
	const size_t distance = works->size;
	char what[32];
	int error;

	snprintf(what, sizeof what, "work %zu", i);
	error = meter_take(work, (const char *)works + i * distance, sizeof *work, what, reason);
	if (error)
		return error;
	if (work->size != distance)
		return reason_say(reason, EINVAL, "%s: the size is %zu, and that of work 0 is %zu",
				  what, work->size, distance);
	return work->call ? 0 : reason_say(reason, EINVAL, "%s has no function", what);
}

/* Memory: the meter, then the tracks, then the findings, then all arrays of double, then the orders
 * of rounds, then what is known of each sample. */

static size_t arrays_of(size_t works)
{
	return 2 * works + 2; /* samples and blocks of each work, and the scratch */
}

/* Each round of a comparison has a sample for each place. */
static size_t whole_rounds(size_t samples)
{
	return (samples + RUN_PLACES_MAX - 1) / RUN_PLACES_MAX * RUN_PLACES_MAX;
}

/* Of each of the three arrays for the orders. */
static size_t turns_of(size_t works)
{
	return RUN_TRACKS(works) * RUN_PLACES_MAX;
}

/* Complete the caller's options. 0, or -EINVAL or -E2BIG with *reason. */
static int set_defaults(const struct cpucycles_meter_options *options,
			struct cpucycles_meter_options *o, struct reason_text *reason)
{
	const int error = options ? meter_take(o, options, sizeof *o, "options", reason) : 0;

	if (error)
		return error;
	if (!options)
		*o = (struct cpucycles_meter_options){ .size = sizeof *o };
	if (o->works_max == 0)
		o->works_max = WORKS_DEFAULT;
	if (o->samples_max == 0)
		o->samples_max = SAMPLES_DEFAULT;
	if (o->need < CPUCYCLES_NEED_ANY || o->need > CPUCYCLES_NEED_THREAD ||
	    o->flags & ~(CPUCYCLES_METER_NEXT_BEST | CPUCYCLES_METER_FORCE))
		return reason_say(reason, EINVAL,
				  "need %d with flags %#x: expected one of CPUCYCLES_NEED_*"
				  " and flags of CPUCYCLES_METER_*",
				  o->need, o->flags);
	if (o->events && !events_count(o->events, reason))
		return -EINVAL;
	if (o->works_max >= COUNT_MAX / 4 || o->samples_max >= COUNT_MAX / arrays_of(o->works_max))
		return reason_say(reason, EINVAL, "%zu works of %zu samples do not fit into memory",
				  o->works_max, o->samples_max);
	return 0;
}

static size_t bytes_of(const struct cpucycles_meter_options *o)
{
	return sizeof(struct cpucycles_meter) + RUN_TRACKS(o->works_max) * sizeof(struct track) +
	       o->works_max * sizeof(struct judge_findings) +
	       (arrays_of(o->works_max) * whole_rounds(o->samples_max) + INSTRUMENT_PAIRS) *
		       sizeof(double) +
	       3 * turns_of(o->works_max) * sizeof(size_t) +
	       (o->works_max + 1) * whole_rounds(o->samples_max) * sizeof(bool) +
	       (o->events ? ALIGNMENT + events_bytes() : 0);
}

size_t meter_bytes(const struct cpucycles_meter_options *options, struct reason_text *reason)
{
	struct cpucycles_meter_options o;

	return set_defaults(options, &o, reason) ? 0 : bytes_of(&o);
}

static void lay_out(struct cpucycles_meter *meter, const struct cpucycles_meter_options *o)
{
	const size_t samples = whole_rounds(o->samples_max);
	struct run *run = &meter->run;
	bool *interrupted;
	double *next;

	run->works_max = o->works_max;
	run->samples_max = o->samples_max;
	run->tracks = (struct track *)(meter + 1);
	meter->findings = (struct judge_findings *)(run->tracks + RUN_TRACKS(o->works_max));
	next = (double *)(meter->findings + o->works_max);
	for (size_t i = 0; i < o->works_max; i++) {
		run->tracks[i].samples = next;
		next += samples;
		for (size_t place = 0; place < RUN_PLACES_MAX; place++) {
			run->tracks[i].blocks[place] = next;
			next += samples / RUN_PLACES_MAX;
		}
	}
	run->scratch = next;
	run->order = (size_t *)(next + 2 * samples + INSTRUMENT_PAIRS);
	run->names = run->order + turns_of(o->works_max);
	run->rows = run->names + turns_of(o->works_max);
	interrupted = (bool *)(run->rows + turns_of(o->works_max));
	for (size_t i = 0; i < o->works_max; i++, interrupted += samples)
		run->tracks[i].interrupted = interrupted;
	/* The stand-ins share memory that is not read. Without any, their turns would take another
	 * branch, by which a processor knows them apart: see prepare_stand_ins(). */
	for (size_t i = o->works_max; i < RUN_TRACKS(o->works_max); i++) {
		run->tracks[i].samples = run->scratch;
		run->tracks[i].interrupted = interrupted;
	}
}

/* After all that. */
static void *events_memory(const struct run *run)
{
	const uintptr_t end = (uintptr_t)(run->rows + turns_of(run->works_max)) +
			      (run->works_max + 1) * whole_rounds(run->samples_max) * sizeof(bool);

	return (void *)((end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

static bool is_moving(const struct source *source)
{
	const int64_t first = pair_count(source);

	chain_run(1);
	return pair_count(source) > first;
}

static int open_events(struct cpucycles_meter *meter, const struct cpucycles_meter_options *o,
		       struct reason_text *reason)
{
	struct run *run = &meter->run;
	unsigned how = 0;
	int error;

	if (!o->events)
		return 0;
	/* Events count for the thread, and so must the cycles among them. */
	if (meter->source.unit != CPUCYCLES_UNIT_CYCLES || !meter->source.own_thread)
		how |= EVENTS_WITH_CYCLES;
	if (o->flags & CPUCYCLES_METER_FORCE)
		how |= EVENTS_FORCE;
	run->events = &meter->events;
	error = events_open(&meter->events, events_memory(run), o->events, how, reason);
	/* The meter's own counter may need a register that the events have taken. */
	while (!error && !is_moving(&meter->source) &&
	       events_leave_out(&meter->events, meter->source.name))
		;
	return error;
}

/* Opening */

static void begin(struct cpucycles_meter *meter, const struct cpucycles_meter_options *o)
{
	owner_begin(&meter->owner);
	lay_out(meter, o);
}

void meter_tell(const struct cpucycles_meter *meter, struct meter_known *known)
{
	*known = (struct meter_known){
		/* The counter of kperf.h has no number. */
		.known = !meter->source.is_kperf && meter->instrument.resolution > 0,
		.next_best = meter->next_best,
		.finest = meter->source.finest,
		.number = meter->source.number,
		.instrument = meter->instrument,
	};
}

/* Take the counter that an earlier meter has found. False: it does not work here. */
static bool take_known(struct cpucycles_meter *meter, const struct meter_known *known)
{
	if (!known || !known->known || source_look(known->number, &meter->source, NULL) ||
	    source_ready(&meter->source, NULL))
		return false;
	meter->source.finest = known->finest;
	meter->instrument = known->instrument;
	meter->next_best = known->next_best;
	return true;
}

/* The options are complete. */
static int open_in(struct cpucycles_meter *meter, const struct cpucycles_meter_options *o,
		   const struct meter_known *known, struct reason_text *reason)
{
	int answer;

	begin(meter, o);
	if (!take_known(meter, known)) {
		answer =
			need_fulfil(o->need, o->flags & CPUCYCLES_METER_NEXT_BEST,
				    meter->run.scratch, &meter->source, &meter->instrument, reason);
		if (answer < 0)
			return answer;
		meter->next_best = answer == 1;
	}
	meter->first = pair_count(&meter->source);
	return open_events(meter, o, reason);
}

int meter_open_in(struct cpucycles_meter *meter, size_t bytes,
		  const struct cpucycles_meter_options *options, const struct meter_known *known,
		  struct reason_text *reason)
{
	struct cpucycles_meter_options o;

	if (set_defaults(options, &o, reason) || bytes != bytes_of(&o))
		return -EINVAL;
	return open_in(meter, &o, known, reason);
}

int meter_open_with(struct cpucycles_meter *meter, size_t bytes,
		    const struct cpucycles_meter_options *options, const struct source *source,
		    struct reason_text *reason)
{
	struct cpucycles_meter_options o;

	if (set_defaults(options, &o, reason) || bytes != bytes_of(&o))
		return -EINVAL;
	begin(meter, &o);
	meter->source = *source;
	meter->first = pair_count(source);
	if (need_measure(source, meter->run.scratch, &meter->instrument, reason))
		return -ENOTSUP;
	return open_events(meter, &o, reason);
}

int meter_open(struct cpucycles_meter **meter, const struct cpucycles_meter_options *options,
	       struct reason_text *reason)
{
	struct cpucycles_meter_options o;
	int error;

	*meter = NULL;
	reason_clear(reason);
	error = set_defaults(options, &o, reason);
	if (error)
		return error;
	*meter = calloc(1, bytes_of(&o));
	if (!*meter)
		return reason_say(reason, ENOMEM, "there is no memory of %zu bytes", bytes_of(&o));
	error = open_in(*meter, &o, NULL, reason);
	if (error) {
		cpucycles_meter_close(*meter);
		*meter = NULL;
	}
	return error;
}

int cpucycles_meter_open(struct cpucycles_meter **meter,
			 const struct cpucycles_meter_options *options,
			 struct cpucycles_reason *reason)
{
	struct reason_text why;
	const int error = meter_open(meter, options, &why);
	const int given = reason_give(reason, &why);

	if (error || !given)
		return error;
	cpucycles_meter_close(*meter);
	*meter = NULL;
	return given;
}

/* In the child of fork, the descriptors of the events may already be others, and their pages have
 * not come along: neither is touched. A run that is going on still needs the memory. */
void cpucycles_meter_close(struct cpucycles_meter *meter)
{
	if (!meter || meter->running)
		return;
	if (owner_is_process(&meter->owner)) {
		events_close(&meter->events);
		if (meter->source.is_kperf)
			kperf_cycles_close();
	}
	owner_end(&meter->owner);
	free(meter);
}
