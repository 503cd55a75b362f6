/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "scratch.h"
#include "letters.h"
#include "log.h"
#include "files/words.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BEGINNING "cpucycles-measure-"
#define RANDOM "XXXXXX" /* mkdtemp(3) replaces these */
#define LOCK "lock"

/* Folders in folders, which a compiler may make. */
#define DEPTH 8

/* An empty folder is left so long after something was made or removed in it, in seconds: somebody
 * may have just made it. */
#define OLD_S 600

/* Others may remove a folder before its lock is held. */
#define TRIES 10

#define PATH 60 /* of a path stands in a sentence */

static int open_folder(int base, const char *name)
{
	return openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void empty(int fd, unsigned depth);

static void remove_entry(int folder, const char *name, unsigned depth)
{
	int inner;

	if (!unlinkat(folder, name, 0))
		return;
	inner = open_folder(folder, name);
	if (inner < 0)
		return;
	if (depth > 0)
		empty(inner, depth - 1);
	close(inner);
	unlinkat(folder, name, AT_REMOVEDIR);
}

/* Remove all but the lock. A stream of its own, because reading a folder moves its place. */
static void empty(int fd, unsigned depth)
{
	const int own = open_folder(fd, ".");
	DIR *folder = own < 0 ? NULL : fdopendir(own);
	const struct dirent *entry;

	if (!folder) {
		if (own >= 0)
			close(own);
		return;
	}
	while ((entry = readdir(folder)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") &&
		    (depth < DEPTH || strcmp(entry->d_name, LOCK)))
			remove_entry(fd, entry->d_name, depth);
	closedir(folder);
}

/* The lock goes last: while it is there, others know whose the folder is. */
static void remove_folder(int base, const char *name, int fd)
{
	if (fd >= 0) {
		empty(fd, DEPTH);
		unlinkat(fd, LOCK, 0);
	}
	unlinkat(base, name, AT_REMOVEDIR);
}

/* Remove it if it is of this user, and if nobody holds its lock. A folder without a lock is just
 * being made or removed, or is none of this program; what is left of such a one is empty, and
 * old. */
static void remove_if_left(int base, const char *name)
{
	const int fd = open_folder(base, name);
	struct stat status;
	int lock;

	if (fd < 0)
		return;
	if (!fstat(fd, &status) && status.st_uid == geteuid()) {
		lock = openat(fd, LOCK, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (lock < 0 && status.st_mtime < time(NULL) - OLD_S)
			unlinkat(base, name, AT_REMOVEDIR);
		else if (lock >= 0 && !flock(lock, LOCK_EX | LOCK_NB))
			remove_folder(base, name, fd);
		if (lock >= 0)
			close(lock);
	}
	close(fd);
}

static void remove_left(const char *base)
{
	DIR *folder = opendir(base);
	const struct dirent *entry;

	if (!folder)
		return;
	while ((entry = readdir(folder)))
		if (!strncmp(entry->d_name, BEGINNING, strlen(BEGINNING)) &&
		    strlen(entry->d_name) == strlen(BEGINNING RANDOM))
			remove_if_left(dirfd(folder), entry->d_name);
	closedir(folder);
}

char *scratch_file(const struct scratch *scratch, const char *name)
{
	return words_join(scratch->path, "/", name);
}

/* Take the lock. -EAGAIN: somebody has taken the new folder for one that is left, and removes it.
 * Where the file system has no locks, nobody removes folders that are left. */
static int lock_it(struct scratch *scratch)
{
	char *path = scratch_file(scratch, LOCK);
	struct stat status;

	if (!path)
		return -ENOMEM;
	scratch->lock = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	free(path);
	if (scratch->lock < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	if (flock(scratch->lock, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
		return -EAGAIN;
	return !fstat(scratch->lock, &status) && status.st_nlink > 0 ? 0 : -EAGAIN;
}

static void leave(struct scratch *scratch)
{
	int fd;

	if (!scratch->path)
		return;
	fd = open_folder(AT_FDCWD, scratch->path);
	remove_folder(AT_FDCWD, scratch->path, fd);
	if (fd >= 0)
		close(fd);
	if (scratch->lock >= 0)
		close(scratch->lock);
	free(scratch->path);
	*scratch = (struct scratch){ .lock = -1 };
}

static int make_once(struct scratch *scratch, const char *base)
{
	int error;

	*scratch = (struct scratch){ .path = words_join(base, "/", BEGINNING RANDOM), .lock = -1 };
	if (!scratch->path)
		return -ENOMEM;
	if (!mkdtemp(scratch->path)) {
		error = -errno;
		free(scratch->path);
		scratch->path = NULL;
		return error;
	}
	error = lock_it(scratch);
	if (error)
		leave(scratch);
	return error;
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
	int error = -EAGAIN;

	if (!absolute)
		return -errno;
	remove_left(absolute);
	for (unsigned i = 0; i < TRIES && error == -EAGAIN; i++)
		error = make_once(scratch, absolute);
	free(absolute);
	if (error)
		return error;
	error = try_program(scratch);
	if (error)
		leave(scratch);
	return error;
}

/* The sentence for an error of this folder. */
static void say(const char *base, int error, bool made, struct cpucycles_reason *reason)
{
	if (made) {
		reason_say(reason, EACCES, "no program may be run from %.*s (noexec)",
			   letters_within(base, PATH), base);
		reason_remedy(reason, "set TMPDIR to a folder on a file system that is not mounted "
				      "noexec, or measure a shared object: LIB.so:FUNCTION");
		return;
	}
	reason_say(reason, -error, "no folder can be made in %.*s: %s", letters_within(base, PATH),
		   base, strerror(-error));
	reason_remedy(reason, "set TMPDIR to a folder that you may write to, with some room");
}

/* In $TMPDIR, or elsewhere. */
static int make_somewhere(struct scratch *scratch, struct cpucycles_reason *reason)
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

int scratch_begin(struct scratch *scratch, struct cpucycles_reason *reason)
{
	const mode_t mask = umask(0);
	int error;

	*scratch = (struct scratch){ .lock = -1 };
	umask(mask & ~(mode_t)S_IRWXU);
	error = make_somewhere(scratch, reason);
	scratch->mask = mask;
	if (error)
		umask(mask);
	return error;
}

void scratch_end(struct scratch *scratch)
{
	if (!scratch->path)
		return;
	umask(scratch->mask);
	leave(scratch);
}
