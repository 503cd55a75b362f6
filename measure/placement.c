/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "placement.h"
#include "draw.h"

/* The number of this quarter of a unit, in an order that is drawn for the unit. */
static size_t draw_rank(size_t quarter, uint64_t *of_unit)
{
	size_t ranks[PLACEMENT_PROCESSES];

	for (size_t i = 0; i < PLACEMENT_PROCESSES; i++)
		ranks[i] = i;
	draw_shuffle(ranks, PLACEMENT_PROCESSES, of_unit);
	return ranks[quarter];
}

/* The begin of a line, such that a whole number of lines keeps the alignment. */
static size_t draw_line(size_t alignment, uint64_t *of_process)
{
	const size_t grain = alignment > PLACEMENT_LINE ? alignment : PLACEMENT_LINE;
	const size_t grains = grain < PLACEMENT_PAGE ? PLACEMENT_PAGE / grain : 1;

	return grain * draw_below(grains, of_process);
}

static size_t aligned(size_t bytes, size_t alignment)
{
	return alignment > 1 ? bytes / alignment * alignment : bytes;
}

/* Units draw with even numbers, and processes with odd ones. */
static uint64_t begin_unit(uint64_t seed, size_t process)
{
	return draw_begin(seed, 2 * (uint64_t)(process / PLACEMENT_PROCESSES));
}

bool placement_is_reversed(uint64_t seed, size_t process)
{
	uint64_t of_unit = begin_unit(seed, process);

	return draw_rank(process % PLACEMENT_PROCESSES, &of_unit) % 2;
}

void placement_draw(uint64_t seed, size_t process, const size_t alignments[], size_t n,
		    struct placement *placement)
{
	const size_t quarter = process % PLACEMENT_PROCESSES;
	uint64_t of_unit = begin_unit(seed, process);
	uint64_t of_process = draw_begin(seed, 2 * (uint64_t)process + 1);

	placement->reversed = draw_rank(quarter, &of_unit) % 2;
	placement->padding = draw_below(PLACEMENT_PAGE, &of_process);
	for (size_t i = 0; i < n; i++) {
		const size_t step = PLACEMENT_STEP * draw_rank(quarter, &of_unit);

		placement->starts[i] =
			draw_line(alignments[i], &of_process) + aligned(step, alignments[i]);
		placement->gaps[i] = draw_below(PLACEMENT_PAGE, &of_process);
		placement->order[i] = i;
	}
	draw_shuffle(placement->order, n, &of_process);
}

void placement_draw_unit(uint64_t seed, size_t unit, size_t copies, const size_t alignments[],
			 size_t n, struct placement *placement)
{
	for (size_t c = 0; c < copies; c++) {
		struct placement part = { .starts = placement->starts + c * n,
					  .gaps = placement->gaps + c * n,
					  .order = placement->order + c * n };

		placement_draw(seed, unit * copies + c, alignments, n, &part);
		for (size_t i = 0; i < n; i++)
			part.order[i] += c * n;
		if (c == 0)
			placement->padding = part.padding;
	}
}
