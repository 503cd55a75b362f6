/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "environment.h"

#include <stdlib.h>
#include <unistd.h>

#ifdef HAVE_GETAUXVAL
#include <sys/auxv.h>
#endif

bool environment_is_hostile(void)
{
#if defined(HAVE_GETAUXVAL)
	return getauxval(AT_SECURE) != 0;
#elif defined(HAVE_ISSETUGID)
	return issetugid() != 0;
#else
	return getuid() != geteuid() || getgid() != getegid();
#endif
}

const char *environment_get(const char *name)
{
	const char *value = getenv(name);

	if (!value || !*value || environment_is_hostile())
		return NULL;
	return value;
}
