/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The user who asked for a command, as which it runs. */

#ifndef CPUCYCLES_ASKER_H
#define CPUCYCLES_ASKER_H

#include <pwd.h>
#include <sys/types.h>

/*
 * Whose command it is. real: the real user of this process. Only root is believed what these
 * variables say, SUDO_UID and PKEXEC_UID, each NULL if it is not set: root could run the command as
 * any user anyway, and they never give it more rights than root has.
 * 0, or -EINVAL: they are no numbers, or contradict each other. Pure.
 */
int asker_choose(uid_t real, const char *sudo, const char *pkexec, uid_t *user);

/* The user who asked for this process. NULL: a line says why he is not known. */
const struct passwd *asker_find(void);

/* Become this user for good, with his groups, and with the environment of a login: HOME, USER,
 * LOGNAME and SHELL are his, and nothing says that root runs the command. 0 or a negative errno. */
int asker_become(const struct passwd *user);

#endif
