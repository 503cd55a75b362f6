/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The life of a meter: its memory, opening and closing it, who may use it, and a copy of one that
 * another process has left. */

#include "config.h"

#pragma GCC visibility push(default)
#include "cpucycles-measure.h"
#pragma GCC visibility pop

#include "chain.h"
#include "events.h"
#include "sized.h"
#include "kperf.h"
#include "leak.h"
#include "meter.h"
#include "need.h"
#include "pair.h"
#include "reason.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORKS_DEFAULT 2
#define SAMPLES_DEFAULT (1u << 18)

/* Of the memory of events. */
#define ALIGNMENT 16

/* Sums of sizes below this never overflow. */
#define COUNT_MAX (SIZE_MAX / 64 / sizeof(double))

/* A number for each thread that has opened a meter. The thread's id, or the address of a variable,
 * may be that of a later thread as well. */
static _Thread_local unsigned long this_thread;
static atomic_ulong threads;

static unsigned long number_thread(void)
{
	if (this_thread == 0)
		this_thread = atomic_fetch_add(&threads, 1) + 1;
	return this_thread;
}

int meter_check_use(const struct cpucycles_meter *meter, struct reason_text *reason)
{
	if (meter->thread != this_thread || meter->process != getpid())
		return reason_say(reason, EPERM, "the meter belongs to another thread or process");
	if (!meter->running)
		return 0;
	reason_say(reason, EBUSY, "the meter is in a run, and a function of that run calls it");
	reason_remedy(reason, "call it when the run has ended, or open another meter");
	return -EBUSY;
}

/* Memory: the meter, then the tracks, then all arrays of double, then the orders of rounds. */

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

/* Complete the caller's options. 0 or -EINVAL with *reason. */
static int set_defaults(const struct cpucycles_meter_options *options,
			struct cpucycles_meter_options *o, struct reason_text *reason)
{
	if (options && !sized_copy_in(o, options, sizeof *o))
		return reason_say(reason, EINVAL, "the options' size is %zu, expected %zu",
				  options->size, sizeof *o);
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
	       (arrays_of(o->works_max) * whole_rounds(o->samples_max) + INSTRUMENT_PAIRS) *
		       sizeof(double) +
	       3 * turns_of(o->works_max) * sizeof(size_t) +
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
	double *next;

	run->works_max = o->works_max;
	run->samples_max = o->samples_max;
	run->tracks = (struct track *)(meter + 1);
	next = (double *)(run->tracks + RUN_TRACKS(o->works_max));
	for (size_t i = 0; i < o->works_max; i++) {
		run->tracks[i].samples = next;
		next += samples;
		for (size_t place = 0; place < RUN_PLACES_MAX; place++) {
			run->tracks[i].blocks[place] = next;
			next += samples / RUN_PLACES_MAX;
		}
	}
	run->scratch = next;
	for (size_t i = o->works_max; i < RUN_TRACKS(o->works_max); i++)
		run->tracks[i].samples = run->scratch;
	run->order = (size_t *)(next + 2 * samples + INSTRUMENT_PAIRS);
	run->names = run->order + turns_of(o->works_max);
	run->rows = run->names + turns_of(o->works_max);
}

/* After the orders of rounds. */
static void *events_memory(const struct run *run)
{
	const uintptr_t end = (uintptr_t)(run->rows + turns_of(run->works_max));

	return (void *)((end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

/* A copy, for a process that trusts nothing in memory that another one has written */

/* What stands at the same place in the other meter's memory. */
static void fetch(const struct cpucycles_meter *from, const struct cpucycles_meter *to, void *place,
		  size_t bytes)
{
	memcpy(place, (const char *)from + ((const char *)place - (const char *)to), bytes);
}

static bool are_sane(const struct run *run)
{
	const size_t rounds = run->rounds;

	if (run->works == 0)
		return rounds == 0;
	return run->works <= run->works_max &&
	       run->places == (run->works > 1 ? RUN_PLACES_MAX : 1) && run->batch >= 1 &&
	       run->batch <= RUN_BATCH_MAX && isfinite(run->loop) && run->block >= 1 &&
	       rounds <= whole_rounds(run->samples_max) / run->places &&
	       run->blocks <= rounds / run->block && run->looked <= run->blocks;
}

/* A byte that is neither 0 nor 1 is no bool, and must not be read as one. */
static void make_bool(bool *value)
{
	unsigned char byte;

	memcpy(&byte, value, sizeof byte);
	*value = byte != 0;
}

/* No system has more signals. */
#define SIGNALS_MAX 1024

static void tidy_left(struct unrestored *left)
{
	make_bool(&left->direction);
	make_bool(&left->control);
	make_bool(&left->by_any);
	if (left->signal < -SIGNALS_MAX || left->signal > SIGNALS_MAX)
		left->signal = 0;
}

static void adopt_events(struct cpucycles_meter *to, const struct cpucycles_meter *from)
{
	struct events *const events = &to->events;
	void *const memory = events_memory(&to->run);

	fetch(from, to, memory, events_bytes());
	events->group = memory;
	to->run.events = events;
	make_bool(&events->cycles_by_meter);
	for (size_t i = 0; i <= events->n; i++) {
		make_bool(&events->of[i].event.user);
		make_bool(&events->of[i].event.kernel);
		make_bool(&events->of[i].finding.expected);
		reason_tidy(&events->of[i].reason);
		events->of[i].event.ask.text[EVENT_TEXT - 1] = 0;
	}
}

/* Forget the rounds after the first ones. */
static void cut(struct run *run, size_t rounds)
{
	if (run->rounds <= rounds)
		return;
	run->rounds = rounds;
	if (run->blocks > rounds / run->block)
		run->blocks = rounds / run->block;
	if (run->looked > run->blocks)
		run->looked = run->blocks;
}

bool meter_adopt(struct cpucycles_meter *to, const struct cpucycles_meter *from,
		 const struct cpucycles_meter_options *options, size_t rounds)
{
	struct cpucycles_meter_options o;
	struct run *const run = &to->run;

	if (set_defaults(options, &o, NULL))
		return false;
	memcpy(to, from, sizeof *to + o.works_max * sizeof(struct track));
	lay_out(to, &o);
	run->events = NULL;
	if (!are_sane(run) || to->source.unit < CPUCYCLES_UNIT_CYCLES ||
	    to->source.unit > CPUCYCLES_UNIT_NS || (o.events && to->events.n > EVENTS_MAX))
		return false;
	make_bool(&to->source.own_thread);
	make_bool(&run->single);
	cut(run, rounds);
	make_bool(&run->watch.lost);
	make_bool(&to->leak.known);
	leak_tidy(to);
	for (size_t group = 0; group < 2; group++)
		if (to->leak.kept[group])
			fetch(from, to, run->tracks[group].samples,
			      to->leak.kept[group] * sizeof(double));
	for (size_t i = 0; i < run->works; i++) {
		struct track *track = &run->tracks[i];

		tidy_left(&track->unrestored);
		fetch(from, to, track->samples, run->rounds * run->places * sizeof(double));
		for (size_t place = 0; place < run->places; place++)
			fetch(from, to, track->blocks[place], run->blocks * sizeof(double));
	}
	if (o.events)
		adopt_events(to, from);
	return true;
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
	meter->process = getpid();
	meter->thread = number_thread();
	lay_out(meter, o);
}

void meter_tell(const struct cpucycles_meter *meter, struct meter_known *known)
{
	*known = (struct meter_known){
		/* The counter of kperf.h has no number. */
		.known = !meter->source.is_kperf && meter->instrument.step > 0,
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
	meter->first = meter->last = pair_count(&meter->source);
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
	meter->first = meter->last = pair_count(source);
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

	if (reason_give(reason, &why) || error)
		return error;
	cpucycles_meter_close(*meter);
	*meter = NULL;
	return -EINVAL;
}

/* In the child of fork, the descriptors of the events may already be others, and their pages have
 * not come along: neither is touched. A run that is going on still needs the memory. */
void cpucycles_meter_close(struct cpucycles_meter *meter)
{
	if (!meter || meter->running)
		return;
	if (meter->process == getpid()) {
		events_close(&meter->events);
		if (meter->source.is_kperf)
			kperf_cycles_close();
	}
	free(meter);
}
