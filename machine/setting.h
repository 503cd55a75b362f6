/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Settings of the kernel: files of /proc and /sys that have one word, such as a number, a name or a
 * mask of CPUs. */

#ifndef CPUCYCLES_SETTING_H
#define CPUCYCLES_SETTING_H

#include <stdbool.h>
#include <stddef.h>

#define SETTING_PATH_SIZE 128

/* A mask of 1,100 CPUs. A longer text cannot be read, and so is never changed. */
#define SETTING_VALUE_SIZE 320

/* Each CPU may have a frequency policy with two settings, and there are some interrupts. */
#define SETTINGS_MAX 4096

enum setting_state {
	SETTING_AS_WANTED,
	SETTING_OTHER,  /* it has another value than the wanted one */
	SETTING_ABSENT, /* this kernel or this machine does not have it */
	SETTING_LEFT,   /* it is not to be changed here: `left` says why */
	SETTING_UNREADABLE
};

struct setting {
	enum setting_state state;
	char path[SETTING_PATH_SIZE];
	char found[SETTING_VALUE_SIZE], wanted[SETTING_VALUE_SIZE];
	int error;               /* 0, or why it could not be read: a negative errno */
	const char *gain, *risk; /* of the wanted value */
	const char *left;
	const char *sysctl; /* its name in sysctl.d(5), or NULL if it is no sysctl */
};

struct settings {
	size_t count, missed;    /* missed: those that did not fit */
	struct setting *setting; /* the caller's, SETTINGS_MAX of them */
};

/* Append a setting of this path, without a value. NULL: it does not fit. */
struct setting *settings_add(struct settings *settings, const char *path);

/* Whether the pattern stands for the path. A pattern may have one '*', which stands for any
 * folder's name. Pure. */
bool setting_matches(const char *path, const char *pattern);

/* Call for each path that the pattern stands for, in the order of the names. A pattern without '*'
 * is a path, also if nothing is there. root: "", in tests a folder with files in their place. */
void setting_each(const char *root, const char *pattern,
		  void (*call)(const char *path, void *argument), void *argument);

/* Read the word, without the newline after it. 0 or a negative errno; -EINVAL if it is none. */
int setting_get(const char *root, const char *path, char value[SETTING_VALUE_SIZE]);

/* Write the word, and read it again. 0 or a negative errno; -EIO if the kernel took the value and
 * the setting has another one. */
int setting_set(const char *root, const char *path, const char *value);

#endif
