/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What is wrong with a run, in sentences: the warnings, and that a work is too fast. */

#include "config.h"

#include "judge.h"
#include "current-cpu.h"
#include "number.h"
#include "reason.h"

#include <errno.h>
#include <inttypes.h>

static const char *unit_of(const struct judge_findings *f)
{
	return judge_unit(f->source->unit);
}

#define OVERHEAD "the overhead was measured too high"

/* A time per call, also where noise or the overhead have made it negative. */
static struct number time_of(int digits, double value)
{
	return value < 0 ? (struct number){ "below 0" } : number_digits(digits, value);
}

static void say_backwards(const struct judge_findings *f, struct reason_text *reason)
{
	const struct watch *const watch = &f->run->watch;

	reason_say(reason, 0, "the counter stepped back %" PRIu64 " times, by up to %s %s",
		   watch->backwards, number_digits(4, watch->worst).text, unit_of(f));
	reason_remedy(reason, "stay on one CPU: taskset -c %d, or ask for another counter",
		      current_cpu_or_0());
}

static void say_rate(const struct judge_findings *f, struct reason_text *reason)
{
	if (!(f->rate > 0))
		reason_say(reason, 0,
			   "the counter stood still or stepped back, and claims %" PRIu64 " Hz",
			   f->source->hz);
	else
		reason_say(reason, 0,
			   "the counter runs at %s Hz relative to a clock and claims %" PRIu64
			   " Hz",
			   number_digits(6, f->rate).text, f->source->hz);
	reason_remedy(reason, "run as root: cpucycles-calibrated --force");
}

/* The machine's counters were looked at only if a finer one was asked for in vain. */
static void advise_more(const struct source *source, struct reason_text *reason)
{
	if (source->finest || source->unit == CPUCYCLES_UNIT_CYCLES)
		reason_remedy(reason, "give the function more to do");
	else
		reason_remedy(reason, "give the function more to do, or see whether this machine "
				      "has a finer counter: cpucycles-info");
}

static void say_step(const struct judge_findings *f, struct reason_text *reason)
{
	const struct number step = number_digits(4, f->instrument->resolution);

	if (judge_is_below_nothing(f->steps)) {
		reason_say(reason, 0, OVERHEAD);
		reason_remedy(reason, "measure again");
		return;
	}
	if (f->steps < 1)
		reason_say(reason, 0, "a sample takes less than a step of %s %s", step.text,
			   unit_of(f));
	else
		reason_say(reason, 0, "a sample takes %s steps of %s %s",
			   number_digits(3, f->steps).text, step.text, unit_of(f));
	advise_more(f->source, reason);
}

static void say_loop(const struct judge_findings *f, struct reason_text *reason)
{
	reason_say(reason, 0,
		   "in a loop of %u calls it takes %s %s a call, and an empty function %s",
		   f->run->iterations, time_of(4, f->result.median).text, unit_of(f),
		   number_digits(4, f->run->loop).text);
	reason_remedy(reason,
		      "give the function more to do: most of that is the loop and the call");
}

static void say_frequency(const struct judge_findings *f, struct reason_text *reason)
{
	const struct watch *const watch = &f->run->watch;

	reason_say(reason, 0, "the core ran at %s MHz before and at %s MHz after",
		   number_digits(4, watch->before / 1e6).text,
		   number_digits(4, watch->after / 1e6).text);
	reason_remedy(reason,
		      "measure again, longer; in a virtual machine, only the owner of the host "
		      "can fix its speed, elsewhere root can: cpupower(1)");
}

static void say_carryover(const struct judge_findings *f, struct reason_text *reason)
{
	reason_say(reason, 0, "after two samples of itself it takes %s times as long as after one",
		   number_digits(4, f->carryover).text);
	reason_remedy(reason, "look for a function whose calls prepare one another, or measure it "
			      "alone");
}

static void say_two(const char *what, double a, double b, const struct judge_findings *f,
		    struct reason_text *reason)
{
	reason_say(reason, 0, "%s: %s and %s %s per call", what, time_of(6, a).text,
		   time_of(6, b).text, unit_of(f));
}

static void say_moved(const struct judge_findings *f, struct reason_text *reason)
{
	const struct watch *const watch = &f->run->watch;

	reason_say(reason, 0, "changes of the CPU: %" PRIu64 ", the first from CPU %d to %d",
		   watch->moves, watch->from, watch->to);
	reason_remedy(reason, "stay on one CPU: taskset -c %d", watch->to);
}

static void say_halves(const struct judge_findings *f, struct reason_text *reason)
{
	say_two("two halves of the samples differ", f->halves[0], f->halves[1], f, reason);
	reason_remedy(reason, "look for a function that remembers, such as one that works on two "
			      "buffers in turn");
}

static void say_tail(const struct judge_findings *f, struct reason_text *reason)
{
	reason_say(reason, 0,
		   "the longest 25 %% of the samples, without the longest 5 %%, take %s times as"
		   " long as the middle half",
		   number_digits(3, f->tail / f->result.iqm).text);
	reason_remedy(reason, "the figures are of typical calls, and a verdict may not show that "
			      "part: look for calls that do more than others");
}

static void say_drift(const struct judge_findings *f, struct reason_text *reason)
{
	say_two("the medians of windows of time drift", f->smallest, f->largest, f, reason);
	reason_remedy(reason,
		      "measure again, longer, on a machine with less other work; if it drifts "
		      "again, the function itself may change from call to call");
}

static void say_cycles(const struct judge_findings *f, struct reason_text *reason)
{
	reason_say(reason, 0, "the counter counts %s in each cycle of a chain of known length",
		   number_digits(3, f->counted).text);
	reason_remedy(reason, "its cycles may not be the core's: see cpucycles-measure(7), Core "
			      "cycles");
}

static void say_state(const struct judge_findings *f, struct reason_text *reason)
{
	unrestored_say(&f->run->tracks[f->work].unrestored, reason);
}

/* say: the sentence, from what was found. */
static const struct {
	uint64_t bit;
	void (*say)(const struct judge_findings *f, struct reason_text *reason);
} warnings[JUDGE_WARNINGS] = {
	{ CPUCYCLES_WARNING_BACKWARDS, say_backwards },
	{ CPUCYCLES_WARNING_RATE, say_rate },
	{ CPUCYCLES_WARNING_RESOLUTION, say_step },
	{ CPUCYCLES_WARNING_HALVES, say_halves },
	{ CPUCYCLES_WARNING_DRIFT, say_drift },
	{ CPUCYCLES_WARNING_MOVED, say_moved },
	{ CPUCYCLES_WARNING_FREQUENCY, say_frequency },
	{ CPUCYCLES_WARNING_CARRYOVER, say_carryover },
	{ CPUCYCLES_WARNING_STATE, say_state },
	{ CPUCYCLES_WARNING_LOOP, say_loop },
	{ CPUCYCLES_WARNING_TAIL, say_tail },
	{ CPUCYCLES_WARNING_CYCLES, say_cycles },
};

int judge_warning(const struct judge_findings *f, uint64_t warning, struct reason_text *reason)
{
	/* Several warnings at once have no sentence. */
	if (!(f->result.warnings & warning) || (warning & (warning - 1)))
		return -ENOENT;
	for (size_t w = 0; w < JUDGE_WARNINGS; w++)
		if (warnings[w].bit == warning)
			warnings[w].say(f, reason);
	return 0;
}

void judge_add_warnings(struct judge_warnings *list, const struct judge_warnings *more)
{
	for (size_t w = 0; w < more->n; w++) {
		const size_t place = judge_place_of(list, more->list[w].bit);

		if (place < list->n)
			list->list[place].runs += more->list[w].runs;
		else
			list->list[list->n++] = more->list[w];
	}
}

void judge_warn(const struct judge_findings *f, struct judge_warnings *list)
{
	for (size_t w = 0; w < JUDGE_WARNINGS; w++) {
		const size_t place = judge_place_of(list, warnings[w].bit);

		if (!(f->result.warnings & warnings[w].bit))
			continue;
		if (place == list->n) {
			list->n++;
			list->list[place].name = judge_warning_name(warnings[w].bit);
			list->list[place].bit = warnings[w].bit;
			list->list[place].runs = 0;
			warnings[w].say(f, &list->list[place].reason);
		}
		list->list[place].runs++;
	}
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
		    const struct instrument *instrument, struct reason_text *reason)
{
	const struct track *track = &run->tracks[run->too_fast];
	const char *const unit = judge_unit(source->unit);
	const char *const name = track->work.name ? track->work.name : "work";
	const double batch = track->pilot * run->iterations;

	if (run->iterations == 1 && judge_is_below_nothing(batch / instrument->resolution)) {
		reason_say(reason, ERANGE, "%s: " OVERHEAD, name);
		reason_remedy(reason, "measure again");
		return;
	}
	reason_say(reason, ERANGE,
		   "%s: too fast to measure: %u call%s %s %s, and the step is %s %s%s", name,
		   run->iterations, run->iterations == 1 ? " takes" : "s take",
		   number_digits(3, batch > 0 ? batch : 0).text, unit,
		   number_digits(4, instrument->resolution).text, unit, why_no_longer(run));
	advise_more(source, reason);
}
