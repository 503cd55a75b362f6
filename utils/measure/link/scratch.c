/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "scratch.h"
#include "log.h"
#include "files/words.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEMPLATE "cpucycles-measure-XXXXXX" /* mkdtemp(3) replaces the X */

/* Folders in folders, which nftw(3) keeps open. */
#define DEPTH 8

char *scratch_file(const struct scratch *scratch, const char *name)
{
	return words_join(scratch->path, "/", name);
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	remove(path);
	return 0;
}

static void remove_folder(struct scratch *scratch)
{
	nftw(scratch->path, remove_entry, DEPTH, FTW_DEPTH | FTW_PHYS);
	free(scratch->path);
	scratch->path = NULL;
}

/* Whether programs may be run from there: a file system may be mounted noexec. 0; -EACCES: no. */
static int try_program(const struct scratch *scratch)
{
	char *path = scratch_file(scratch, "try");
	int fd, error = 0;

	if (!path)
		return -ENOMEM;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	if (fd < 0 || access(path, X_OK))
		error = -errno;
	if (fd >= 0)
		close(fd);
	unlink(path);
	free(path);
	return error;
}

/* A folder from which programs may be run. */
static int make(struct scratch *scratch, const char *base)
{
	char *absolute = realpath(base, NULL);
	int error;

	if (!absolute)
		return -errno;
	scratch->path = words_join(absolute, "/", TEMPLATE);
	free(absolute);
	if (!scratch->path)
		return -ENOMEM;
	if (!mkdtemp(scratch->path)) {
		error = -errno;
		free(scratch->path);
		scratch->path = NULL;
		return error;
	}
	error = try_program(scratch);
	if (error)
		remove_folder(scratch);
	return error;
}

/* The sentence for an error of this folder. */
static void say(const char *base, int error, bool made, struct reason_text *reason)
{
	if (made) {
		reason_say(reason, EACCES, "no program may be run from %s (noexec)", base);
		reason_remedy(reason, "set TMPDIR to a folder on a file system that is not mounted "
				      "noexec, or measure a shared object: LIB.so:FUNCTION");
		return;
	}
	reason_say(reason, -error, "no folder can be made in %s: %s", base, strerror(-error));
	reason_remedy(reason, "set TMPDIR to a folder that you may write to, with some room");
}

/* In $TMPDIR, or elsewhere. */
static int make_somewhere(struct scratch *scratch, struct reason_text *reason)
{
	const char *base = getenv("TMPDIR"), *other = getenv("XDG_RUNTIME_DIR");
	int error;

	if (!base || !*base)
		base = "/tmp";
	error = make(scratch, base);
	/* Whether a folder can be made there at all. */
	if (error != -EACCES || access(base, W_OK | X_OK)) {
		if (error)
			say(base, error, false, reason);
		return error;
	}
	say(base, error, true, reason);
	if (!other || !*other || make(scratch, other))
		return error;
	reason_clear(reason);
	log_line(LOG_INFO, "no program may be run from %s (noexec): %s is used", base, other);
	return 0;
}

int scratch_begin(struct scratch *scratch, struct reason_text *reason)
{
	const mode_t mask = umask(0);
	int error;

	*scratch = (struct scratch){ .mask = mask };
	umask(mask & ~(mode_t)S_IRWXU);
	error = make_somewhere(scratch, reason);
	if (error)
		umask(mask);
	return error;
}

void scratch_end(struct scratch *scratch)
{
	if (!scratch->path)
		return;
	umask(scratch->mask);
	remove_folder(scratch);
}
