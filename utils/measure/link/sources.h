/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Two files of which all functions are compared: source texts are compiled once, before their
 * functions are listed. */

#ifndef CPUCYCLES_MEASURE_SOURCES_H
#define CPUCYCLES_MEASURE_SOURCES_H

#include "inputs.h"
#include "link.h"
#include "reason.h"
#include "tools.h"

#include <stddef.h>

struct sources {
	struct tools tools;
	struct inputs inputs;
	char *objects[2]; /* what a file was compiled into; NULL: it is no source text */
};

/* All zeros at first. 0 or a negative errno as of link_begin(), with *reason, and *which is the
 * number of the file that it is about. sources_end() in both cases. */
int sources_compile(struct sources *sources, char *const paths[2],
		    const struct link_options *options, size_t *which, struct reason_text *reason);

/* Remove the files, but not their names. */
void sources_remove(struct sources *sources);

/* The names, too. */
void sources_end(struct sources *sources);

#endif
