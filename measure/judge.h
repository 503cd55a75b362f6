/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What a run's samples say: results, warnings and verdicts. No clock, no counter. A process that
 * shares the run's memory may ask, also while or after another one has run. */

#ifndef CPUCYCLES_JUDGE_H
#define CPUCYCLES_JUDGE_H

#include "samples.h"

/* The interval of a median holds it with 95 % confidence. */
#define JUDGE_MEDIAN_ERROR 0.05

/* "cycles", "ticks" or "ns". */
const char *judge_unit(int unit);

/* Each returns 0 or a negative errno, as the public functions do that use them. -ENODATA: there are
 * no whole rounds. -EAGAIN: what is asked for is void. */
int judge_result(const struct run *run, const struct source *source,
		 const struct instrument *instrument, size_t i, struct cpucycles_result *result);
int judge_warning(const struct run *run, const struct source *source,
		  const struct instrument *instrument, size_t i, uint64_t warning,
		  struct cpucycles_reason *reason);
int judge_verdict(const struct run *run, size_t i, struct cpucycles_verdict *verdict);

/* The log ratio of work i to work `beside`, as one number for a process: verdict_log_ratio(). Not a
 * number: there is none. */
double judge_log_ratio(const struct run *run, size_t i, size_t beside);

int judge_samples(const struct run *run, size_t i, const double **samples, size_t *n);

int judge_event_info(const struct run *run, size_t event, struct cpucycles_event_info *info,
		     struct cpucycles_reason *reason);
int judge_event(const struct run *run, size_t i, size_t event, double *per_call);

/* Whether each comparison has a verdict at the share of error of the run's last look. */
bool judge_is_decided(const struct run *run);

/* The sentence on a work that is too fast: both figures and advice. */
void judge_too_fast(const struct run *run, const struct source *source,
		    const struct instrument *instrument, size_t i, struct cpucycles_reason *reason);

#endif
