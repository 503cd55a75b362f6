/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What cpucycles-info --cache tells people first. */

#include "config.h"

#include "obstacle.h"
#include "letters.h"
#include "report.h"

#include <inttypes.h>
#include <string.h>

#define say(text, ...) letters_add(text, SUMMARY_TEXT, __VA_ARGS__)

static const struct candidate *counter_in_use(const struct inspection *in)
{
	const struct candidate *ranking = inspect_ranking(in);

	for (size_t i = 0; i < counters_count && ranking[i].counter; i++)
		if (!strcmp(ranking[i].counter->name, in->implementation))
			return &ranking[i];
	return NULL;
}

static const char *what_counts(const struct counter *counter)
{
	static const char *const words[] = {
		[COUNTER_ON_CORE] = "It counts the core's own cycles",
		[COUNTER_OFF_CORE] = "It counts the ticks of an off-core register",
		[COUNTER_KERNEL_COUNT] =
			"It counts this thread's cycles of the core by a system call",
		[COUNTER_OS_CLOCK] = "It is a clock of the operating system",
		[COUNTER_LAST_RESORT] = "It counts nothing",
	};

	if (counter->class == COUNTER_ON_CORE && !counter->own_thread)
		return "It counts the cycles of the core, whichever program runs there";
	return words[counter->class];
}

static void say_counter(const struct inspection *in, char text[SUMMARY_TEXT])
{
	const struct candidate *c = counter_in_use(in);
	const char *from = "chosen by measuring in their first call";

	if (inspect_in_use(in))
		from = "chosen from the calibration cache";
	else if (in->found.status == CACHE_DISABLED && in->wanted)
		from = "named by CPUCYCLES_COUNTER";
	say(text, "Programs get the counter %s, %s.", in->implementation, from);
	if (!c)
		return;
	say(text, " %s", what_counts(c->counter));
	if (in->rate.hz)
		say(text, ", at %lld Hz within %lld ppm", in->rate.hz, in->rate.ppm);
	if (c->reason == REASON_NONE && c->counter->class != COUNTER_LAST_RESORT)
		say(text, ", with a precision of %" PRIu64 " cycles", c->precision);
	say(text, ".");
}

/* A counter of core cycles that would be better than the one in use. */
struct better {
	const struct candidate *candidate; /* NULL: none is known */
	size_t rank;                       /* 0: unusable, and the candidate has the reason */
	bool refused;                      /* unusable in this process, but ranked in the cache */
	enum obstacle obstacle;
};

/* The first one that the cache ranks before the counter in use, and that this process may not
 * have. */
static void find_refused(const struct inspection *in, struct better *b)
{
	const struct candidate *ranking = inspect_ranking(in);

	if (ranking == in->fresh)
		return;
	for (size_t i = 0; i < in->cache.usable; i++) {
		if (!strcmp(ranking[i].counter->name, in->implementation))
			return;
		if (in->tried[i].reason == REASON_NONE)
			continue;
		*b = (struct better){ .candidate = &in->tried[i],
				      .refused = true,
				      .obstacle = obstacle_of(&in->tried[i], &in->knobs) };
		return;
	}
}

/* The first unusable one, but rather one that can be opened. */
static void find_unusable(const struct inspection *in, struct better *b)
{
	const struct candidate *ranking = inspect_ranking(in);

	for (size_t i = 0; i < counters_count && ranking[i].counter; i++) {
		const struct candidate *c = &ranking[i];
		const enum obstacle obstacle = obstacle_of(c, &in->knobs);
		const bool may_open = obstacle != OBSTACLE_NONE && obstacle != OBSTACLE_ABSENT &&
				      obstacle != OBSTACLE_INSTRUCTION;

		if (c->reason == REASON_NONE || !counter_counts_core(c->counter->class) ||
		    (b->candidate && !may_open))
			continue;
		*b = (struct better){ .candidate = c, .obstacle = obstacle };
		if (may_open)
			return;
	}
}

/* Where programs read the core's cycles without a system call, nothing is advised. */
static struct better find_better(const struct inspection *in)
{
	const struct candidate *c = counter_in_use(in);
	struct better b = { 0 };

	if (c && c->counter->class == COUNTER_ON_CORE)
		return b;
	find_refused(in, &b);
	if (b.candidate || (c && counter_counts_core(c->counter->class)))
		return b;
	b.candidate = inspect_core_counter(in, &b.rank);
	if (!b.candidate)
		find_unusable(in, &b);
	return b;
}

/* Why programs do not get it, without what opens it, which the next sentence says. */
static void say_why(const struct inspection *in, const struct better *b, char text[SUMMARY_TEXT])
{
	char reason[EXPLAIN_TEXT];

	if (b->rank) {
		say(text, "it works, and is ranked lower for its precision.");
		return;
	}
	explain_reason(b->candidate, &in->knobs, reason);
	say(text, "%s%.*s.", b->refused ? "it does not work in this process: " : "",
	    (int)strcspn(reason, ";"), reason);
}

static void say_better(const struct inspection *in, const struct better *b, const char *problem,
		       char text[SUMMARY_TEXT])
{
	if (b->candidate) {
		say(text, "Better would be %s, which counts the core's own cycles: ",
		    b->candidate->counter->name);
		say_why(in, b, text);
	} else {
		say(text, "No better counter is known here.");
	}
	if (problem[0])
		say(text,
		    " The calibration cache, which would make first calls faster, is not in use:"
		    " %s.",
		    problem);
}

/* No period follows a command, so that it is not copied with the command. */
static void say_remedy(const struct better *b, const char *remedy, char text[SUMMARY_TEXT])
{
	const struct counter *counter = b->candidate ? b->candidate->counter : NULL;

	say(text, "How to get it: ");
	if (!counter)
		say(text, "programs have the best counter already");
	else if (b->rank)
		say(text, "run: export CPUCYCLES_COUNTER=%s", counter_class_name(counter->class));
	else if (b->obstacle == OBSTACLE_SETTING)
		say(text, "run as root: cpucycles-open");
	else if (b->obstacle == OBSTACLE_FILTER || b->obstacle == OBSTACLE_NO_CALL)
		say(text, "allow perf_event_open(2) in this container or unit, see"
			  " cpucycles-sandbox(7)");
	else if (b->obstacle == OBSTACLE_MEMORY)
		say(text, EXPLAIN_MEMORY);
	else if (b->obstacle == OBSTACLE_ABSENT)
		say(text, EXPLAIN_ABSENT);
	else if (b->obstacle == OBSTACLE_INSTRUCTION)
		say(text, "no setting of this system brings it, see cpucycles-counters(7)");
	else
		say(text, "nothing that brings it is known, see cpucycles-counters(7)");
	if (remedy[0])
		say(text, "; for the cache, %s", remedy);
}

void summary_make(const struct inspection *in, struct summary *summary)
{
	struct better better = find_better(in);
	struct explanation e;

	explain_cache(in, &e);
	memset(summary, 0, sizeof *summary);
	say_counter(in, summary->counter);
	say_better(in, &better, e.problem, summary->better);
	say_remedy(&better, e.remedy, summary->remedy);
}
