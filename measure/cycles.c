/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the chains of known length say of the core. Pure. */

#include "config.h"

#include "cycles.h"
#include "chain.h"
#include "statistics.h"

#include <math.h>

/* A ratio that is farther from a whole number than this part means an emulator. */
#define WHOLE 0.02

/* Other programs on this core were seen to slow exclusive-ors by 12 %, and multiplications not. */
#define SLOW_MOST 1.12

/* Of chains of `each` instructions a round: units per instruction. */
static double units_of(const double chains[2], const struct cycles_looks *looks, unsigned each)
{
	return (chains[1] - chains[0]) / (double)((CYCLES_LONGER - 1) * looks->rounds * each);
}

double cycles_units(const struct cycles_looks *looks, size_t look)
{
	return units_of(looks->of[look].xors, looks, CHAIN_ROUND_CYCLES);
}

static double cycles_per_product(const struct cycles_looks *looks, size_t i)
{
	return units_of(looks->of[i].products, looks, CHAIN_PRODUCTS) / cycles_units(looks, i);
}

static double cycles_per_float(const struct cycles_looks *looks, size_t i)
{
	return units_of(looks->of[i].floats, looks, CHAIN_PRODUCTS) / cycles_units(looks, i);
}

double cycles_median(const struct cycles_looks *looks, size_t every,
		     double (*value)(const struct cycles_looks *, size_t), double room[])
{
	size_t n = 0;

	for (size_t i = 0; i < looks->n; i += every)
		room[n++] = value(looks, i);
	return statistics_median(room, n);
}

static bool is_whole(double ratio)
{
	return fabs(ratio - round(ratio)) <= WHOLE * round(ratio);
}

double cycles_slowness(const struct cycles_looks *looks, double room[])
{
	const double product = cycles_median(looks, CYCLES_CHECK_EVERY, cycles_per_product, room);
	const double floating = cycles_median(looks, CYCLES_CHECK_EVERY, cycles_per_float, room);
	const double whole = round(product), slowness = fmax(1, whole / product);

	if (!(floating <= CHAIN_FLOAT_CYCLES_MAX))
		return 0;
	/* This architecture has no such chain: see chain_products(). */
	if (whole == 0)
		return 1;
	if (is_whole(product))
		return slowness;
	/* If only the exclusive-ors are slow, both multiplications are whole by the same factor. */
	return slowness > 1 && slowness <= SLOW_MOST && is_whole(floating * slowness) ? slowness :
											0;
}

struct cycles_scale cycles_scale_of(const struct cycles_looks *looks, size_t look, double slowness)
{
	return (struct cycles_scale){
		.from = looks->of[look].xors[0],
		.per = cycles_units(looks, look) / slowness,
		.known = (double)(looks->rounds * CHAIN_ROUND_CYCLES) * slowness,
	};
}
