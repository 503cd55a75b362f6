/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "asker.h"
#include "digits.h"
#include "log.h"

#include <errno.h>
#include <grp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SUDO_ALL "SUDO_"
#define SUDO SUDO_ALL "UID"
#define PKEXEC "PKEXEC_UID"

/* Some systems have no header with it. */
extern char **environ;

/* The largest number is (uid_t)-1, which stands for no user. */
static bool parse_user(const char *text, uid_t *user)
{
	uint64_t value;

	if (!digits_take(&text, 10, &value) || *text || value >= UINT32_MAX)
		return false;
	*user = (uid_t)value;
	return true;
}

int asker_choose(uid_t real, const char *sudo, const char *pkexec, uid_t *user)
{
	*user = real;
	if (real != 0 || (!sudo && !pkexec))
		return 0;
	if (sudo && pkexec && strcmp(sudo, pkexec))
		return -EINVAL;
	return parse_user(sudo ? sudo : pkexec, user) ? 0 : -EINVAL;
}

const struct passwd *asker_find(void)
{
	const char *sudo = getenv(SUDO), *pkexec = getenv(PKEXEC);
	const struct passwd *found;
	uid_t user;

	if (asker_choose(getuid(), sudo, pkexec, &user)) {
		if (sudo && pkexec && strcmp(sudo, pkexec))
			log_line(LOG_ERROR, SUDO " and " PKEXEC " do not name one user");
		else
			log_line(LOG_ERROR, "%s: expected the number of a user",
				 sudo ? SUDO : PKEXEC);
		return NULL;
	}
	errno = 0;
	found = getpwuid(user);
	if (!found)
		log_line(LOG_ERROR, "user %lu: %s", (unsigned long)user,
			 errno ? strerror(errno) : "there is none with this number");
	return found;
}

static int set_environment(const struct passwd *user)
{
	char **kept = environ;

	for (char **one = environ; *one; one++)
		if (strncmp(*one, SUDO_ALL, strlen(SUDO_ALL)) &&
		    strncmp(*one, PKEXEC "=", strlen(PKEXEC "=")))
			*kept++ = *one;
	*kept = NULL;
	return setenv("HOME", user->pw_dir, 1) || setenv("USER", user->pw_name, 1) ||
			       setenv("LOGNAME", user->pw_name, 1) ||
			       setenv("SHELL", user->pw_shell, 1) ?
		       -ENOMEM :
		       0;
}

int asker_become(const struct passwd *user)
{
	if (initgroups(user->pw_name, user->pw_gid) || setgid(user->pw_gid) || setuid(user->pw_uid))
		return -errno;
	if (user->pw_uid != 0 && setuid(0) == 0)
		return -EPERM;
	return set_environment(user);
}
