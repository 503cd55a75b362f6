/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "sources.h"

#include <stdlib.h>

int sources_compile(struct sources *sources, char *const paths[2],
		    const struct link_options *options, size_t *which, struct reason_text *reason)
{
	int error = 0;
	bool cxx;

	*which = 0;
	sources->inputs.tools = &sources->tools;
	error = tools_begin(&sources->tools, options->flags, options->seconds, reason);
	for (size_t i = 0; i < 2 && !error; i++) {
		*which = i;
		if (tools_is_source(paths[i], &cxx))
			sources->objects[i] =
				inputs_prepare(&sources->inputs, paths[i], options->flags_of[i],
					       "source", i, &error, reason);
	}
	return error;
}

void sources_remove(struct sources *sources)
{
	scratch_end(&sources->tools.scratch);
}

void sources_end(struct sources *sources)
{
	for (size_t i = 0; i < 2; i++)
		free(sources->objects[i]);
	inputs_free(&sources->inputs);
	tools_end(&sources->tools);
}
