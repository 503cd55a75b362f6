/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What a run of the calibrator finds out about counters: their ranking, their rates, the frequency
 * of the core, the skew between CPUs. The caller holds the guard, installed. */

#ifndef CPUCYCLES_FIND_H
#define CPUCYCLES_FIND_H

#include "budget.h"
#include "core.h"
#include "known.h"

struct find {
	const struct known *known;
	struct budget budget;
	struct core_moments moments; /* of this run */
	uint64_t moment_ns;          /* for each of them */
	struct core_found core;      /* what they show so far */
	struct candidate unscaled;   /* the counter whose rate became persecond; measured is 0 Hz if
					there is none */
	struct cache *new;           /* what is found goes here */
};

/*
 * The ranking of an earlier boot of this machine, with what is measured again. A machine may come
 * back at another speed, and a kernel measures its clock anew at each boot. False: the ranking
 * does not hold.
 */
bool find_restamped(struct find *find);

/* The frequency of the core. Where no source stated persecond, it becomes that. */
void find_persecond(struct find *find);

/* Take each precision that a later probe found to be lower, and rank again. The candidates are
 * usable, and the later ones in list order. Pure. */
void find_take_lower(struct candidate ranked[], size_t n, const struct candidate later[]);

/* Rank all counters at new->persecond, and measure them. */
void find_ranking(struct find *find);

#endif
