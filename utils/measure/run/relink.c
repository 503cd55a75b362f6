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

int relink_begin(struct relink *relink, struct target targets[], size_t n,
		 const struct link_options *options, size_t *which, struct reason_text *reason)
{
	const size_t most = n * PLACEMENT_PROCESSES;
	size_t *const room = calloc(most + 1, 4 * sizeof *room);
	struct link_options with_copies = *options;
	int error;

	*which = n;
	if (!room) {
		reason_say(reason, ENOMEM, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	relink->n = n;
	relink->alignments = room;
	relink->placement = (struct placement){ .starts = room + most,
						.gaps = room + 2 * most,
						.order = room + 3 * most };
	/* A test for leaks has one process. */
	if (n > 0 && !targets[0].leak && most <= CHILD_SIDES)
		with_copies.copies = PLACEMENT_PROCESSES;
	error = link_begin(&relink->link, targets, n, &with_copies, which, reason);
	for (size_t i = 0; !error && i < n; i++)
		relink->alignments[i] = link_alignment(relink->link, i);
	return error;
}

bool relink_has_copies(const struct relink *relink)
{
	return relink->link && link_copies(relink->link) > 1;
}

void relink_draw(struct relink *relink, uint64_t seed, size_t process)
{
	const bool copies = relink_has_copies(relink);

	(copies ? placement_draw_unit : placement_draw)(seed, process, relink->alignments,
							relink->n, &relink->placement);
	relink->first = copies ? process % PLACEMENT_PROCESSES * relink->n : 0;
}

int relink_make(struct relink *relink, struct child_job *job, struct reason_text *reason)
{
	job->program = link_program(relink->link);
	job->first_side = relink->first;
	/* The first process of a unit has linked the copies of the others. */
	if (relink->first > 0)
		return 0;
	return link_make(relink->link, &relink->placement, job->targets, job->n, reason);
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
