/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "environment.h"
#include "guard.h"
#include "hot.h"

#include <stddef.h>
#include <unistd.h>

#ifdef HAVE_GETAUXVAL
#include <sys/auxv.h>
#endif

/* Another thread may change it, so each byte is loaded once. */
typedef const volatile char *entry_text;

/* On macOS only programs have environ. */
#ifdef HAVE__NSGETENVIRON
#include <crt_externs.h>
#define environ (*_NSGetEnviron())
#else
extern char **environ;
#endif

static const char names[ENVIRONMENT_VARIABLES][20] = {
	[ENVIRONMENT_CACHE] = "CPUCYCLES_CACHE=",
	[ENVIRONMENT_COUNTER] = "CPUCYCLES_COUNTER=",
	[ENVIRONMENT_PERSECOND] = "cpucyclespersecond=",
};

/* Not HOT: few processes set a variable. */
static char values[ENVIRONMENT_VARIABLES][ENVIRONMENT_VALUE_SIZE];
static HOT unsigned found; /* bit 1 << variable: it is set, and its value is copied */

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

static void copy(entry_text text, char value[ENVIRONMENT_VALUE_SIZE])
{
	for (size_t i = 0; i < ENVIRONMENT_VALUE_SIZE; i++)
		if ((value[i] = text[i]) == 0)
			return;
	value[0] = 0;
}

/* As with getenv(3), the first of several entries of one name counts. */
static void look_at(entry_text entry)
{
	for (size_t i = 0; i < ENVIRONMENT_VARIABLES; i++) {
		size_t n = 0;

		while (names[i][n] && entry[n] == names[i][n])
			n++;
		if (names[i][n] || found & 1u << i)
			continue;
		copy(entry + n, values[i]);
		found |= 1u << i;
	}
}

/*
 * Not by getenv: on some systems it takes a lock, which a fault would leave locked, and which the
 * thread may hold already if a signal handler over setenv(3) makes the first call.
 */
static void call_look(void *unused)
{
	entry_text const volatile *all;

	(void)unused;
	if (environment_is_hostile())
		return;
	all = (entry_text *)environ;
	/* Nothing is called in this loop, so that compilers do not keep an address in RBP: if it is
	 * impossible, a load through RBP raises SIGBUS on x86-64, and not SIGSEGV. */
	for (size_t i = 0; all && i < ENVIRONMENT_ENTRIES_MAX; i++) {
		const entry_text entry = all[i];

		if (!entry)
			return;
		/* As all names begin, in upper or lower case. */
		if ((entry[0] | ' ') == 'c' && (entry[1] | ' ') == 'p')
			look_at(entry);
	}
}

void environment_read(void)
{
	found = 0;
	if (guard_call(call_look, NULL))
		found = 0;
}

const char *environment_get(enum environment_variable variable)
{
	return found & 1u << variable && *values[variable] ? values[variable] : NULL;
}
