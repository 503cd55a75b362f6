/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A meter from inside. The tool's child opens one in memory that the tool shares, and the tool sees
 * there how far the run is. */

#ifndef CPUCYCLES_METER_H
#define CPUCYCLES_METER_H

#include "instrument.h"
#include "judge.h"
#include "leak-judge.h"
#include "owner.h"
#include "samples.h"
#include "source.h"

/* Of the last test for leaks. */
struct leak_found {
	bool known; /* there is one, and no later run */
	struct cpucycles_leak_findings result;
	struct leak_quantiles quantiles;
	bool moved;       /* the function has become faster or slower, as far as that was seen */
	int cycles_from;  /* CPUCYCLES_CYCLES_...: where the cycles come from, or why there are none
			   */
	uint64_t took_ns; /* so long the calls took, with all that was done for them */
	uint64_t seen[2]; /* calls of each group, of which some are kept */
	size_t kept[2];   /* in the samples of the first two tracks */
};

struct cpucycles_meter {
	struct owner owner;
	bool running; /* a run is going on */
	bool next_best;
	int64_t first; /* a count of the opening */
	struct source source;
	struct instrument instrument;
	struct run run;
	/* Of each work of the last run, by meter_judge(): works_max of them. */
	struct judge_findings *findings;
	struct events events; /* run.events: these, or NULL */
	struct leak_found leak;
};

/*
 * Whether the caller may use the meter now. 0 or a negative errno with *reason. A function that is
 * measured may not use the meter that measures: it would see half a run, or write to the memory
 * that the run writes to. The child of a fork in such a function is not the owner.
 */
int meter_check_use(const struct cpucycles_meter *meter, struct reason_text *reason);

/* Copy the caller's structure, which `what` names in sentences, into *to, of this size. 0, or an
 * error of sized_copy_in() with *reason. */
int meter_take(void *to, const void *from, size_t size, const char *what,
	       struct reason_text *reason);

/* Copy element i of the caller's array. 0; -EINVAL: also, it has no function, or another size than
 * the first one; -E2BIG. Then *reason is set. */
int meter_take_work(const struct cpucycles_work works[], size_t i, struct cpucycles_work *work,
		    struct reason_text *reason);

/* Bytes of a meter with these options; 0: they make no sense, and *reason says why. */
size_t meter_bytes(const struct cpucycles_meter_options *options, struct reason_text *reason);

/* What one meter has found out about the counter. On the same machine, another one with the same
 * options need not find it out again, which takes as long as a short run. */
struct meter_known {
	bool known;
	bool next_best, finest;
	unsigned number; /* of the counter */
	struct instrument instrument;
};

void meter_tell(const struct cpucycles_meter *meter, struct meter_known *known);

/* Open a meter in this memory, which is all zeros and of as many bytes. known: NULL, or what an
 * earlier one has found. */
int meter_open_in(struct cpucycles_meter *meter, size_t bytes,
		  const struct cpucycles_meter_options *options, const struct meter_known *known,
		  struct reason_text *reason);

/* The same with this counter, for tests: it may step back, stand still or have a wrong rate. */
int meter_open_with(struct cpucycles_meter *meter, size_t bytes,
		    const struct cpucycles_meter_options *options, const struct source *source,
		    struct reason_text *reason);

/* cpucycles_meter_open() with a whole reason. */
int meter_open(struct cpucycles_meter **meter, const struct cpucycles_meter_options *options,
	       struct reason_text *reason);

/* What a run measures: works, or a test for leaks. */
struct meter_order {
	const struct cpucycles_work *works; /* as the caller has them: meter_take_work() */
	size_t n;
	const struct cpucycles_leak *leak; /* NULL: the works */
	const struct cpucycles_plan *plan; /* as the caller has it */
};

/* cpucycles_meter_run() or cpucycles_leak_run() with a whole reason. Works are not judged yet. */
int meter_run(struct cpucycles_meter *meter, const struct meter_order *order,
	      struct reason_text *reason);

/* The run of cpucycles_meter_check(), not judged either. */
int meter_run_check(struct cpucycles_meter *meter, struct reason_text *reason);

/* Judge the works of the last run, once for all that ask for results. This is not a part of
 * meter_run(), because the tool judges in a state of the processor that no function has left. */
void meter_judge(struct cpucycles_meter *meter);

/* What that has found for work i. 0 or an error of judge_has_samples(): then *findings is NULL. */
int meter_findings(const struct cpucycles_meter *meter, size_t i,
		   const struct judge_findings **findings);

#endif
