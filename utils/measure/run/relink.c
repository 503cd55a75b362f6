/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "relink.h"
#include "reason.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file's name, in the folder of the build and where it is installed. */
#define HARNESS "measure-harness.o"

/* The most copies of n functions that a program has room for, if each process has so many layouts
 * or fewer; 0: none. */
static size_t copies_of(size_t n, size_t layouts)
{
	while (layouts > 0 && n * layouts * PLACEMENT_PROCESSES > CHILD_SIDES)
		layouts /= 2;
	return layouts * PLACEMENT_PROCESSES;
}

int relink_begin(struct relink *relink, struct target targets[], size_t n, size_t layouts,
		 const struct link_options *options, size_t *which, struct reason_text *reason)
{
	const size_t most = n * PLACEMENT_PROCESSES * layouts;
	size_t *const room = calloc(most + 1, 4 * sizeof *room);
	struct link_options with_copies = *options;
	int error;

	*which = n;
	if (!room) {
		reason_say(reason, ENOMEM, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	relink->n = n;
	relink->made = SIZE_MAX;
	relink->alignments = room;
	relink->placement = (struct placement){ .starts = room + most,
						.gaps = room + 2 * most,
						.order = room + 3 * most };
	/* A test for leaks has one process. */
	if (n > 0 && !targets[0].leak)
		with_copies.copies = copies_of(n, layouts);
	error = link_begin(&relink->link, targets, n, &with_copies, which, reason);
	for (size_t i = 0; !error && i < n; i++)
		relink->alignments[i] = link_alignment(relink->link, i);
	relink->per_process =
		relink_has_copies(relink) ? link_copies(relink->link) / PLACEMENT_PROCESSES : 1;
	return error;
}

bool relink_has_copies(const struct relink *relink)
{
	return relink->link && link_copies(relink->link) > 1;
}

size_t relink_draw(struct relink *relink, uint64_t seed, size_t process, size_t layouts)
{
	if (!relink_has_copies(relink)) {
		placement_draw(seed, process, relink->alignments, relink->n, &relink->placement);
		return 0;
	}
	placement_draw_unit(seed, process / PLACEMENT_PROCESSES, link_copies(relink->link),
			    relink->alignments, relink->n, &relink->placement);
	relink->placement.reversed = placement_is_reversed(seed, process);
	return process % PLACEMENT_PROCESSES * layouts * relink->n;
}

int relink_make(struct relink *relink, struct child_job *job, struct reason_text *reason)
{
	const size_t unit = job->process / PLACEMENT_PROCESSES;
	const size_t copies = relink_has_copies(relink) ? job->layouts * PLACEMENT_PROCESSES : 1;

	job->program = link_program(relink->link);
	job->sides = relink->n;
	/* The first process of a unit has linked the copies of the others. */
	if (job->first_side > 0 && relink->made == unit)
		return 0;
	relink->made = unit;
	return link_make(relink->link, &relink->placement, job->targets, job->n, copies, reason);
}

void relink_end(struct relink *relink)
{
	link_end(relink->link);
	free(relink->alignments);
}

#ifdef HAVE_HARNESS

/* The folder of this program, if it is one in which libtool has built it. */
static bool find_build(char path[PATH_MAX])
{
	static const char folder[] = "/.libs";
	const ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - sizeof HARNESS);
	char *slash;

	if (n <= 0 || n >= (ssize_t)(PATH_MAX - sizeof HARNESS))
		return false;
	path[n] = 0;
	slash = strrchr(path, '/');
	if (!slash)
		return false;
	*slash = 0;
	if (slash - path > (ptrdiff_t)sizeof folder && !strcmp(slash - (sizeof folder - 1), folder))
		slash -= sizeof folder - 1;
	snprintf(slash, sizeof HARNESS + 1, "/%s", HARNESS);
	return !access(path, R_OK);
}

/* A program that runs where it was built takes what was built next to it, so that it does not take
 * that of another version. */
const char *relink_harness(void)
{
	static char path[PATH_MAX];

	return find_build(path) ? path : HARNESS_FOLDER "/" HARNESS;
}

#else

const char *relink_harness(void)
{
	return NULL;
}

#endif
