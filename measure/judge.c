/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "judge.h"
#include "checks.h"
#include "give.h"
#include "here.h"
#include "letters.h"
#include "number.h"
#include "reason.h"
#include "statistics.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const units[] = {
	[CPUCYCLES_UNIT_CYCLES] = "cycles",
	[CPUCYCLES_UNIT_TICKS] = "ticks",
	[CPUCYCLES_UNIT_NS] = "ns",
};

const char *judge_unit(int unit)
{
	return units[unit];
}

static size_t rounds_of(const struct run *run)
{
	return atomic_load_explicit(&((struct run *)(uintptr_t)run)->rounds, memory_order_acquire);
}

/* Of each work. */
static size_t samples_of(const struct run *run)
{
	return rounds_of(run) * run->places;
}

/* Whether this work was measured. -EINVAL: there is no such work. -ENODATA: there was no run, or a
 * work was too fast. */
static int check_measured(const struct run *run, size_t i)
{
	if (run->works == 0)
		return -ENODATA;
	if (i >= run->works)
		return -EINVAL;
	return rounds_of(run) > 0 ? 0 : -ENODATA;
}

/* The same, and -EAGAIN: the counter was lost, so that all samples are void. */
static int check_samples(const struct run *run, size_t i)
{
	const int error = check_measured(run, i);

	if (error)
		return error;
	return run->watch.lost ? -EAGAIN : 0;
}

/* The samples of a work in ascending order, in the run's scratch memory. */
static const double *sorted_samples(const struct run *run, size_t i, size_t n)
{
	memcpy(run->scratch, run->tracks[i].samples, n * sizeof *run->scratch);
	statistics_sort(run->scratch, n);
	return run->scratch;
}

/* Cycles of the core are exact: a short sample of them is not coarse. */
static bool is_coarse(const struct source *source, double median, double step)
{
	return source->unit != CPUCYCLES_UNIT_CYCLES && checks_step(median, step);
}

/*
 * Whether the halves of the samples differ, which take turns. Between two samples of a work's
 * second place there are five or seven samples of the work, and so an odd number of single calls. A
 * work whose calls take turns, too, shows its two halves there.
 */
static bool halves_differ(const struct run *run, size_t i, size_t n, double resolution,
			  struct judge_findings *f)
{
	const double *samples = run->tracks[i].samples;

	if (run->places > 1) {
		n /= run->places;
		for (size_t round = 0; round < n; round++)
			run->scratch[round] = samples[round * run->places + 1];
		samples = run->scratch;
	}
	return checks_halves(samples, n, resolution, run->scratch + n, &f->halves[0],
			     &f->halves[1]);
}

static const double *const *places_of(const struct track *track)
{
	return (const double *const *)track->blocks;
}

/* The result, but for the warnings. */
static void find_result(const struct run *run, const struct instrument *instrument, size_t i,
			size_t n, struct cpucycles_result *r)
{
	const double *const sorted = sorted_samples(run, i, n);

	r->min = sorted[0];
	r->q1 = statistics_quantile(sorted, n, 0.25);
	r->median = statistics_quantile(sorted, n, 0.5);
	r->q3 = statistics_quantile(sorted, n, 0.75);
	r->iqm = statistics_smooth_iqm(sorted, n, instrument->step / run->batch);
	if (!statistics_median_interval(sorted, n, JUDGE_MEDIAN_ERROR, &r->low, &r->high)) {
		r->low = -INFINITY;
		r->high = INFINITY;
	}
	r->samples = n;
	r->batch = run->batch;
}

/* What is wrong with the samples. The result is known. */
static uint64_t find_in_samples(const struct run *run, const struct source *source,
				const struct instrument *instrument, size_t i, size_t n,
				struct judge_findings *f)
{
	const double *const samples = run->tracks[i].samples;
	const double resolution = instrument->step / run->batch;
	const double median = f->result.median * run->batch;
	uint64_t warnings = 0;

	f->steps = median / instrument->step;
	if (is_coarse(source, median, instrument->step))
		warnings |= CPUCYCLES_WARNING_STEP;
	if (checks_loop(f->result.median, run->loop))
		warnings |= CPUCYCLES_WARNING_LOOP;
	if (halves_differ(run, i, n, resolution, f))
		warnings |= CPUCYCLES_WARNING_HALVES;
	if (checks_drift(samples, n, resolution, run->scratch, &f->smallest, &f->largest))
		warnings |= CPUCYCLES_WARNING_DRIFT;
	if (run->places > 1 &&
	    verdict_carryover(places_of(&run->tracks[i]), run->blocks, run->scratch, &f->carryover))
		warnings |= CPUCYCLES_WARNING_CARRYOVER;
	return warnings;
}

/* What is wrong with the run that the work was in, and what the work has left behind. */
static uint64_t find_in_run(const struct run *run, const struct source *source,
			    const struct instrument *instrument, size_t i, struct judge_findings *f)
{
	const struct watch *w = &run->watch;
	uint64_t warnings = 0;

	if (w->backwards)
		warnings |= CPUCYCLES_WARNING_BACKWARDS;
	if (w->ns > 0 &&
	    checks_rate(w->counts * source->units, w->ns, w->ns_error + instrument->step_ns,
			source->hz, source->hz_ppm, &f->rate))
		warnings |= CPUCYCLES_WARNING_RATE;
	if (left_any(&run->tracks[i].left))
		warnings |= CPUCYCLES_WARNING_STATE;
	if (w->moves)
		warnings |= CPUCYCLES_WARNING_MOVED;
	if (checks_frequency(w->before, w->after))
		warnings |= CPUCYCLES_WARNING_FREQUENCY;
	return warnings;
}

int judge_find(const struct run *run, const struct source *source,
	       const struct instrument *instrument, size_t i, struct judge_findings *f)
{
	const size_t n = samples_of(run);
	const int error = check_samples(run, i);

	if (error)
		return error;
	*f = (struct judge_findings){ .result.size = sizeof f->result };
	find_result(run, instrument, i, n, &f->result);
	f->result.warnings = find_in_run(run, source, instrument, i, f) |
			     find_in_samples(run, source, instrument, i, n, f);
	return 0;
}

int judge_result(const struct run *run, const struct source *source,
		 const struct instrument *instrument, size_t i, struct cpucycles_result *result)
{
	struct judge_findings f;
	const int error = judge_find(run, source, instrument, i, &f);

	if (error)
		return error;
	return give(result, &f.result, sizeof f.result) ? 0 : -EINVAL;
}

static void say_backwards(const struct run *run, const char *unit, struct cpucycles_reason *reason)
{
	reason_say(reason, 0, "the counter stepped back %" PRIu64 " times, by up to %s %s",
		   run->watch.backwards, number_digits(4, run->watch.worst).text, unit);
	reason_remedy(reason, "stay on one CPU: taskset -c %d, or ask for another counter",
		      here_to_stay());
}

static void say_rate(const struct source *source, double found, struct cpucycles_reason *reason)
{
	reason_say(reason, 0,
		   "the counter runs at %s Hz relative to a clock and claims %" PRIu64 " Hz",
		   number_digits(6, found).text, source->hz);
	reason_remedy(reason, "run as root: cpucycles-calibrated --force");
}

/* Which counters this machine has, nobody has looked, unless a finer one was asked for in vain. */
static void advise_more(const struct source *source, struct cpucycles_reason *reason)
{
	if (source->finest || source->unit == CPUCYCLES_UNIT_CYCLES)
		reason_remedy(reason, "give the function more to do");
	else
		reason_remedy(reason, "give the function more to do, or see whether this machine "
				      "has a finer counter: cpucycles-info");
}

static void say_step(const struct source *source, const struct instrument *instrument, double steps,
		     const char *unit, struct cpucycles_reason *reason)
{
	reason_say(reason, 0, "a sample takes %s steps of %s %s", number_digits(3, steps).text,
		   number_digits(4, instrument->step).text, unit);
	advise_more(source, reason);
}

static void say_loop(const struct run *run, double median, const char *unit,
		     struct cpucycles_reason *reason)
{
	reason_say(reason, 0,
		   "in a loop of %u calls it takes %s %s a call, and an empty function %s",
		   run->batch, number_digits(4, median).text, unit,
		   number_digits(4, run->loop).text);
	reason_remedy(reason,
		      "give the function more to do: most of that is the loop and the call");
}

static void say_frequency(const struct watch *watch, struct cpucycles_reason *reason)
{
	reason_say(reason, 0, "the core ran at %s MHz before and at %s MHz after",
		   number_digits(4, watch->before / 1e6).text,
		   number_digits(4, watch->after / 1e6).text);
	reason_remedy(reason, "measure again, longer, or with a fixed frequency: cpupower(1)");
}

static void say_carryover(double ratio, struct cpucycles_reason *reason)
{
	reason_say(reason, 0,
		   "behind two samples of itself it takes %s times as long as behind one",
		   number_digits(4, ratio).text);
	reason_remedy(reason, "look for a function whose calls prepare one another, or measure it "
			      "alone");
}

static void say_two(const char *what, double a, double b, const char *unit,
		    struct cpucycles_reason *reason)
{
	reason_say(reason, 0, "%s: %s and %s %s per call", what, number_digits(6, a).text,
		   number_digits(6, b).text, unit);
}

/* The sentence on one warning, from what was found. */
static void say_warning(const struct run *run, const struct source *source,
			const struct instrument *instrument, size_t i,
			const struct judge_findings *f, uint64_t warning,
			struct cpucycles_reason *said)
{
	const char *const unit = units[source->unit];

	switch (warning) {
	case CPUCYCLES_WARNING_BACKWARDS:
		say_backwards(run, unit, said);
		break;
	case CPUCYCLES_WARNING_RATE:
		say_rate(source, f->rate, said);
		break;
	case CPUCYCLES_WARNING_STEP:
		say_step(source, instrument, f->steps, unit, said);
		break;
	case CPUCYCLES_WARNING_HALVES:
		say_two("two halves of the samples differ", f->halves[0], f->halves[1], unit, said);
		reason_remedy(said, "look for a function that remembers, such as one that works "
				    "on two buffers in turn");
		break;
	case CPUCYCLES_WARNING_DRIFT:
		say_two("the medians of windows of time drift", f->smallest, f->largest, unit,
			said);
		reason_remedy(said, "measure again, longer, on a machine with less other work");
		break;
	case CPUCYCLES_WARNING_MOVED:
		reason_say(said, 0, "changes of the CPU: %" PRIu64 ", the first from CPU %d to %d",
			   run->watch.moves, run->watch.from, run->watch.to);
		reason_remedy(said, "stay on one CPU: taskset -c %d", run->watch.to);
		break;
	case CPUCYCLES_WARNING_FREQUENCY:
		say_frequency(&run->watch, said);
		break;
	case CPUCYCLES_WARNING_CARRYOVER:
		say_carryover(f->carryover, said);
		break;
	case CPUCYCLES_WARNING_LOOP:
		say_loop(run, f->result.median, unit, said);
		break;
	default:
		left_say(&run->tracks[i].left, said);
		break;
	}
}

static const struct {
	uint64_t bit;
	const char *name;
} warning_names[JUDGE_WARNINGS] = {
	{ CPUCYCLES_WARNING_BACKWARDS, "backwards" }, { CPUCYCLES_WARNING_RATE, "rate" },
	{ CPUCYCLES_WARNING_STEP, "step" },           { CPUCYCLES_WARNING_HALVES, "halves" },
	{ CPUCYCLES_WARNING_DRIFT, "drift" },         { CPUCYCLES_WARNING_MOVED, "moved" },
	{ CPUCYCLES_WARNING_FREQUENCY, "frequency" }, { CPUCYCLES_WARNING_CARRYOVER, "carryover" },
	{ CPUCYCLES_WARNING_STATE, "state" },         { CPUCYCLES_WARNING_LOOP, "loop" },
};

int judge_warning(const struct run *run, const struct source *source,
		  const struct instrument *instrument, size_t i, uint64_t warning,
		  struct cpucycles_reason *reason)
{
	struct cpucycles_reason said;
	struct judge_findings f;
	const int error = judge_find(run, source, instrument, i, &f);

	if (error)
		return error;
	for (size_t w = 0; w < JUDGE_WARNINGS; w++) {
		if (warning_names[w].bit != warning || !(f.result.warnings & warning))
			continue;
		say_warning(run, source, instrument, i, &f, warning, &said);
		return reason_give(reason, &said) ? 0 : -EINVAL;
	}
	return -ENOENT;
}

void judge_add_warnings(struct judge_warnings *list, const struct judge_warnings *more)
{
	for (size_t w = 0; w < more->n; w++) {
		size_t known = 0;

		while (known < list->n && list->list[known].bit != more->list[w].bit)
			known++;
		if (known < list->n)
			list->list[known].runs += more->list[w].runs;
		else
			list->list[list->n++] = more->list[w];
	}
}

void judge_warn(const struct run *run, const struct source *source,
		const struct instrument *instrument, size_t i, const struct judge_findings *f,
		struct judge_warnings *list)
{
	struct judge_warnings found = { 0 };

	for (size_t w = 0; w < JUDGE_WARNINGS; w++) {
		if (!(f->result.warnings & warning_names[w].bit))
			continue;
		found.list[found.n].name = warning_names[w].name;
		found.list[found.n].bit = warning_names[w].bit;
		found.list[found.n].runs = 1;
		say_warning(run, source, instrument, i, f, warning_names[w].bit,
			    &found.list[found.n++].reason);
	}
	judge_add_warnings(list, &found);
}

/* A counter of this thread's cycles stands still while another thread has the CPU, and a clock does
 * not: so such cycles become time by the frequency of the core. */
void judge_add_time(const struct run *run, const struct source *source,
		    const struct instrument *instrument, struct judge_time *time)
{
	const struct watch *w = &run->watch;
	const double hz = (w->before + w->after) / 2;

	if (!(w->ns > 0) || w->lost)
		return;
	time->ns += w->ns;
	if (source->unit == CPUCYCLES_UNIT_CYCLES && source->own_thread && w->before > 0 &&
	    w->after > 0) {
		time->units += w->ns * 1e-9 * hz;
		time->ns_error += w->ns * fabs(w->after - w->before) / (2 * hz);
		return;
	}
	time->units += w->counts * source->units;
	time->ns_error += w->ns_error + instrument->step_ns;
}

/* A time that is less certain than this part of it is none. Where the core changes its frequency,
 * the time of a cycle is not one number: the digits say so, and a warning. */
#define TIME_ERROR 0.01
#define TIME_ERROR_OF_CYCLES 0.1

double judge_ns_per_unit(const struct judge_time *time, int unit, uint64_t hz, double *error)
{
	const double most = unit == CPUCYCLES_UNIT_CYCLES ? TIME_ERROR_OF_CYCLES : TIME_ERROR;

	*error = 0;
	if (unit == CPUCYCLES_UNIT_NS)
		return 1;
	if (!(time->units > 0) || !(time->ns_error < most * time->ns))
		return hz ? 1e9 / (double)hz : (double)NAN;
	*error = time->ns_error / time->ns;
	return time->ns / time->units;
}

int judge_samples(const struct run *run, size_t i, const double **samples, size_t *n)
{
	const int error = check_samples(run, i);

	if (error)
		return error;
	*samples = run->tracks[i].samples;
	*n = samples_of(run);
	return 0;
}

/* The entry of an event, or NULL: there is none. *sum: the index of its sum. */
static const struct events_entry *event_of(const struct run *run, size_t event, size_t *sum)
{
	const struct events *events = run->events;

	*sum = event == CPUCYCLES_EVENT_CYCLES ? EVENTS_MAX : event;
	if (!events || (event >= events->n && event != CPUCYCLES_EVENT_CYCLES))
		return NULL;
	return &events->of[event == CPUCYCLES_EVENT_CYCLES ? events->n : event];
}

int judge_event_info(const struct run *run, size_t event, struct cpucycles_event_info *info,
		     struct cpucycles_reason *reason)
{
	struct cpucycles_event_info f = { .size = sizeof f };
	const struct events_entry *entry;
	size_t sum;

	entry = event_of(run, event, &sum);
	if (!entry)
		return -EINVAL;
	f.name = entry->event.ask.text;
	f.user = entry->event.user;
	f.kernel = entry->event.kernel;
	/* A reason beside a count says what the check of a forced event found. */
	f.checked = !entry->error && !entry->reason.what[0] &&
		    (entry->finding.expected || entry->event.ask.source == EVENT_BREAKPOINT);
	f.user_mode = !entry->error && !strcmp(event_group_way(run->events->group), "user mode");
	if (!give(info, &f, sizeof f) || !reason_give(reason, &entry->reason))
		return -EINVAL;
	return entry->error;
}

/* What happens once in a million calls is no error of rounding. */
#define EVENT_NOTHING 1e-9

static bool is_by_meter(const struct run *run, size_t event)
{
	return event == CPUCYCLES_EVENT_CYCLES && run->events->cycles_by_meter;
}

/* *sum: the index of the event's sum. 0, or a negative errno: why the event is not counted. */
static int find_sum(const struct run *run, size_t event, size_t *sum)
{
	const struct events_entry *entry;

	if (!run->events)
		return -EINVAL;
	entry = event_of(run, event, sum);
	if (event == CPUCYCLES_EVENT_TSC) {
		*sum = EVENTS_SUMS - 1;
		return TSC_IS_HERE ? 0 : -ENOTSUP;
	}
	if (!entry)
		return -EINVAL;
	return is_by_meter(run, event) ? 0 : entry->error;
}

/* Whether and why the events are void, as event_group_lost says. A run that was cut off has not
 * looked at the end. */
static int loss_of_events(const struct run *run)
{
	if (run->watch.events_lost || !run->events)
		return run->watch.events_lost;
	return run->events->lost;
}

/* Whether its sums are void. All events are in one group, and cycles and ticks are of use beside
 * them only. */
static bool is_void(const struct run *run, size_t event)
{
	return loss_of_events(run) || (run->watch.lost && is_by_meter(run, event));
}

int judge_events_lost(const struct run *run, struct cpucycles_reason *reason)
{
	const int error = loss_of_events(run);

	if (!error)
		return 0;
	if (error == EVENT_GROUP_CLOSED) {
		reason_say(reason, EAGAIN,
			   "a function or the program has closed the descriptors of the events");
		reason_remedy(reason, "let a function close only descriptors that it has opened, "
				      "or measure without events");
	} else {
		reason_say(reason, EAGAIN, "the events did not count all the time");
		reason_remedy(reason,
			      "measure again, on one CPU (taskset -c %d), with fewer events",
			      here_to_stay());
	}
	return -EAGAIN;
}

int judge_event(const struct run *run, size_t i, size_t event, double *per_call)
{
	const struct track *track;
	double count;
	size_t sum;
	int error = find_sum(run, event, &sum);

	if (!error)
		error = check_measured(run, i);
	if (error)
		return error;
	if (is_void(run, event))
		return -EAGAIN;
	track = &run->tracks[i];
	if (track->event_samples == 0)
		return -ENODATA;
	count = track->event_sums[sum] / (double)track->event_samples - run->event_cost[sum];
	*per_call = fabs(count) < EVENT_NOTHING ? 0 : count / run->batch;
	return 0;
}

/* The share of the error for a judgement by the blocks that there are. Between two looks, that is
 * one look more. */
static double share_of(const struct run *run)
{
	return verdict_share(run->error,
			     run->blocks == run->looked && run->look ? run->look : run->look + 1);
}

static void judge(const struct run *run, size_t i, struct verdict *verdict)
{
	verdict_judge(places_of(&run->tracks[0]), places_of(&run->tracks[i]), run->blocks,
		      share_of(run), run->scratch, verdict);
}

bool judge_is_decided(const struct run *run)
{
	for (size_t i = 1; i < run->works; i++) {
		struct verdict verdict;

		judge(run, i, &verdict);
		if (verdict.kind == VERDICT_CANNOT_TELL)
			return false;
	}
	return true;
}

int judge_verdict(const struct run *run, size_t i, struct cpucycles_verdict *verdict)
{
	struct cpucycles_verdict v = { .size = sizeof v };
	const int error = i < 1 ? -EINVAL : check_samples(run, i);
	struct verdict found;

	if (error)
		return error;
	judge(run, i, &found);
	v.verdict = found.kind == VERDICT_FASTER ? CPUCYCLES_FASTER :
		    found.kind == VERDICT_SLOWER ? CPUCYCLES_SLOWER :
						   CPUCYCLES_CANNOT_TELL;
	v.ratio = found.ratio;
	v.low = found.low;
	v.high = found.high;
	v.floor = found.floor;
	v.samples_needed = (uint64_t)found.blocks_needed * run->block * run->places;
	return give(verdict, &v, sizeof v) ? 0 : -EINVAL;
}

double judge_log_ratio(const struct run *run, size_t i, size_t beside)
{
	if (i >= run->works || beside >= run->works || run->places < VERDICT_PLACES)
		return NAN;
	return verdict_log_ratio(places_of(&run->tracks[beside]), places_of(&run->tracks[i]),
				 run->blocks, run->scratch);
}

/* What forbids a longer batch. */
static const char *why_no_longer(const struct run *run)
{
	if (run->single)
		return "; before each call, an input is made anew";
	return run->works > 1 ? "; there is no time for more with the others" :
				"; there is no time for more";
}

void judge_too_fast(const struct run *run, const struct source *source,
		    const struct instrument *instrument, struct cpucycles_reason *reason)
{
	const struct track *track = &run->tracks[run->too_fast];
	const char *const unit = units[source->unit];
	const char *const name = track->work.name ? track->work.name : "work";
	const double batch = track->pilot * run->batch;

	reason_say(reason, ERANGE,
		   "%.*s: too fast to measure: %u call%s %s %s, and the step is %s %s%s",
		   letters_within(name, 40), name, run->batch,
		   run->batch == 1 ? " takes" : "s take",
		   number_digits(3, batch > 0 ? batch : 0).text, unit,
		   number_digits(4, instrument->step).text, unit, why_no_longer(run));
	advise_more(source, reason);
}
