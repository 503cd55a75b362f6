/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Whether the ranking of an earlier boot holds in this one. Where it does not, a line says why, and
 * a full run has to follow. */

#ifndef CPUCYCLES_RESTAMP_H
#define CPUCYCLES_RESTAMP_H

#include "cache.h"

#include <stdbool.h>

/* An OS measures the CPU's clock again at each boot, so its answers vary by up to this much. */
#define RESTAMP_ESTIMATE_PPM 10000

/* The rate of one oscillator may differ by RESTAMP_RATE_PPM from boot to boot, or by the bounds of
 * both measurements, if these are wider. */
#define RESTAMP_RATE_PPM 500

/* Whether old is what this boot's estimate would be. What the calibrator measured stands for the
 * default, because it is measured where no source states the frequency. Pure. */
bool restamp_same_estimate(const struct persecond *old, const struct persecond *estimate);

/* Whether both may be the same frequency: their bounds overlap. If the new one is unknown, a full
 * run has to measure for longer, unless the old one was unknown too. Pure. */
bool restamp_same_core(struct rate old, struct rate new);

/*
 * Whether a persecond that was measured in an earlier boot may stay, so that counts mean the same
 * in each boot: it lies within the bound of the core's frequency in this boot, and at most 1
 * percent off. Pure.
 */
bool restamp_may_keep(const struct persecond *old, struct rate core);

/*
 * The cycles of a precision, where persecond has changed. Only clocks are scaled by persecond as it
 * is, so the precision of other counters stays. Pure.
 */
uint64_t restamp_precision(const struct counter *counter, uint64_t precision,
			   uint64_t old_persecond, uint64_t persecond);

/* Try the ranked counters at new->persecond, and take them over into *new. False: one does not
 * work as it did, or the order would be another one. The caller holds the guard, installed. */
bool restamp_take_ranking(const struct cache *old, struct cache *new);

/* Whether the rates measured in this boot are those of the earlier one. The counters of both are in
 * the same order. */
bool restamp_same_rates(const struct cache *old, const struct cache *new);

#endif
