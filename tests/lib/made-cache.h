/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Caches for unit tests that use the real library. */

#ifndef CPUCYCLES_MADE_CACHE_H
#define CPUCYCLES_MADE_CACHE_H

#include "unit.h"

/* Make a cache of this machine in the test's folder. NULL: none can be made here. */
UNIT_UNUSED static const char *make_cache(const char *name, const char *settings)
{
	const char *top = getenv("top_builddir"), *path = unit_path(name);
	char command[PATH_MAX + 256];

	snprintf(command, sizeof command, "%s/tests/lib/make-cache '%s' %s", top ? top : ".", path,
		 settings);
	return system(command) ? NULL : path;
}

/* Make the library use this cache. In a child only. */
UNIT_UNUSED static void use_cache(const char *path)
{
	if (!path)
		unit_skip_child("no cache can be made here");
	if (setenv("CPUCYCLES_CACHE", path, 1))
		_exit(99);
}

#endif
