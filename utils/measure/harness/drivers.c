/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "drivers.h"

#include <string.h>

static const struct driver *const drivers[] = {
#ifdef HAVE_JANSSON
	&driver_google_benchmark,
	&driver_pytest,
#endif
	&driver_go,
	&driver_catch2,
};

#ifdef HAVE_JANSSON
const char driver_names[] = "google-benchmark, go, pytest or catch2";
#else
const char driver_names[] = "go or catch2; the others need a build with jansson";
#endif

const struct driver *driver_find(const char *name)
{
	for (size_t i = 0; i < sizeof drivers / sizeof drivers[0]; i++)
		if (!strcmp(name, drivers[i]->name))
			return drivers[i];
	return NULL;
}
