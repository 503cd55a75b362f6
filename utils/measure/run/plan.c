/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "plan.h"
#include "raw-clock.h"
#include "result/settle.h"

/* A process measures for SLICE_NS, or for longer if the time is long. Where functions lie is drawn
 * again for each process, and more processes tell more than longer ones. Processes that share a
 * program are cheaper, so each of them measures for SLICE_COPIES_NS. All layouts of a process share
 * its time. */
#define SLICE_NS UINT64_C(20000000)
#define SLICE_COPIES_NS UINT64_C(10000000)

/* One of several pairs has PAIR_LEAST_NS at least, while there is time: a verdict takes some
 * seconds. */
#define PAIR_LEAST_NS UINT64_C(5000000000)

/* With a precision, and where functions are linked anew, one of BRIEF_PART processes is as brief as
 * it may be, and the others share the rest of the time: often, fewer suffice. */
#define BRIEF_PART 3

/* If there are samples for fewer than this, a process takes more of them: the figures of few
 * samples are coarse. */
#define SAMPLES_LEAST 10

/* Processes among which the samples of -n are divided: for a comparison, and for one function. */
#define PROCESSES_WANTED 50
#define PROCESSES_ALONE 10

/* A part of the samples: enough processes shall have some. */
static uint64_t part_of(uint64_t samples, size_t functions)
{
	const uint64_t part = samples / (functions > 1 ? PROCESSES_WANTED : PROCESSES_ALONE);

	return part > SAMPLES_LEAST ? part : SAMPLES_LEAST;
}

/* What a process takes besides its slice, as far as is known: to be linked, to start, to end. */
static uint64_t beside_slice(const struct outcome *outcome)
{
	const uint64_t sliced_ns = outcome->sliced_ns;

	if (outcome->layouts == 0 || outcome->elapsed_ns <= sliced_ns)
		return 0;
	return (outcome->elapsed_ns - sliced_ns) / outcome_processes(outcome);
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The most processes of a run. */
static size_t most_processes(const struct outcome *outcome)
{
	return outcome_most(outcome) / outcome_each(outcome);
}

uint64_t plan_budget(const struct outcome *outcome)
{
	const uint64_t budget_ns = outcome->plan.budget_ns;

	return budget_ns - smaller(outcome->prepared_ns, budget_ns / 2);
}

/* What remains for each later process of the time, without what it takes to link and start it. */
static uint64_t share_of_left(const struct outcome *outcome, size_t process)
{
	const uint64_t budget_ns = plan_budget(outcome);
	const uint64_t left_ns =
		budget_ns > outcome->elapsed_ns ? budget_ns - outcome->elapsed_ns : 0;
	const uint64_t share_ns = left_ns / (most_processes(outcome) - process);

	return share_ns - smaller(share_ns, outcome->linked ? beside_slice(outcome) : 0);
}

/* How long the next process measures. With a precision, and where functions are linked anew, often
 * a few brief processes suffice, however much time there is. */
static uint64_t slice_of(const struct outcome *outcome, const struct child_job *job)
{
	const uint64_t budget_ns = plan_budget(outcome);
	const uint64_t least_ns = job->copies ? SLICE_COPIES_NS : SLICE_NS;
	const size_t most = most_processes(outcome);
	uint64_t slice_ns = budget_ns / most;

	if (outcome->precision > 0 || outcome->linked)
		slice_ns =
			job->process < most / BRIEF_PART ? 0 : share_of_left(outcome, job->process);
	if (slice_ns > least_ns)
		return slice_ns;
	return smaller(least_ns, budget_ns);
}

bool plan_process(struct child_job *job, struct outcome *outcome)
{
	const struct cpucycles_plan *whole = &outcome->plan;
	const uint64_t done = outcome->count ? outcome->functions[0].measured.result.samples : 0;

	job->plan = *whole;
	if (child_tests_leak(job))
		return true;
	if (job->process >= most_processes(outcome) || (whole->samples && done >= whole->samples))
		return false;
	job->plan.budget_ns = slice_of(outcome, job);
	outcome->sliced_ns += job->plan.budget_ns;
	job->plan.budget_ns /= job->layouts;
	job->plan.flags = CPUCYCLES_PLAN_WHOLE;
	job->plan.seed = child_seed(whole->seed, outcome->attempts);
	outcome->attempts += job->layouts;
	if (whole->samples) {
		const uint64_t part = part_of(whole->samples, outcome->count);

		job->plan.samples = part < whole->samples - done ? part : whole->samples - done;
		job->options.samples_max = (size_t)job->plan.samples;
	}
	return true;
}

bool plan_pair(struct outcome *outcome, uint64_t begun_ns, size_t pairs)
{
	const uint64_t passed_ns = raw_clock_ns() - begun_ns;
	uint64_t left_ns, share_ns;

	if (passed_ns >= outcome->plan.budget_ns)
		return false;
	left_ns = outcome->plan.budget_ns - passed_ns;
	share_ns = left_ns / pairs > PAIR_LEAST_NS ? left_ns / pairs : PAIR_LEAST_NS;
	outcome->plan.budget_ns = smaller(share_ns, left_ns);
	return true;
}

bool plan_again(struct outcome *outcome, uint64_t begun_ns, size_t pairs)
{
	if (raw_clock_ns() - begun_ns + PAIR_LEAST_NS > outcome->plan.budget_ns ||
	    !plan_pair(outcome, begun_ns, pairs))
		return false;
	outcome->plan.budget_ns += outcome->elapsed_ns;
	return true;
}
