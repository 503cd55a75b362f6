/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "log.h"
#include "publish.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WAIT_STEP_MS 50

#define PATH_SIZE 4096
#define NAME_SIZE (sizeof ((struct publish_place *)NULL)->name + sizeof "..lock")

/* Split into folder and name. -EISDIR if there is no name, -ENAMETOOLONG. */
static int split(const char *path, char folder[PATH_SIZE], char name[256])
{
	const char *slash = strrchr(path, '/');
	const char *last = slash ? slash + 1 : path;
	size_t length = slash ? (size_t)(slash - path) : 0;

	if (!*last || !strcmp(last, ".") || !strcmp(last, ".."))
		return -EISDIR;
	if (length >= PATH_SIZE || strlen(last) >= 256 - sizeof "..lock")
		return -ENAMETOOLONG;
	if (!slash)
		strcpy(folder, ".");
	else if (length == 0)
		strcpy(folder, "/");
	else
		snprintf(folder, PATH_SIZE, "%.*s", (int)length, path);
	strcpy(name, last);
	return 0;
}

static int open_folder(const char *folder, unsigned flags)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC |
		      (flags & PUBLISH_NO_LINK ? O_NOFOLLOW : 0));

	return fd < 0 ? -errno : fd;
}

int publish_open(const char *path, unsigned flags, struct publish_place *place)
{
	char folder[PATH_SIZE];
	int error = split(path, folder, place->name);

	place->folder = -1;
	if (error)
		return error;
	place->folder = open_folder(folder, flags);
	if (place->folder == -ENOENT && flags & PUBLISH_CREATE) {
		/* Users must reach the cache, also if this run is killed behind mkdir. */
		mode_t mask = umask(022);

		if (mkdir(folder, 0755) && errno != EEXIST)
			error = -errno;
		umask(mask);
		place->folder = error ? error : open_folder(folder, flags);
	}
	return place->folder < 0 ? place->folder : 0;
}

void publish_clean(const struct publish_place *place)
{
	char temporary[NAME_SIZE];

	snprintf(temporary, sizeof temporary, ".%s.new", place->name);
	unlinkat(place->folder, temporary, 0);
}

void publish_close(struct publish_place *place)
{
	if (place->folder >= 0)
		close(place->folder);
	place->folder = -1;
}

static int wait_for(int fd, const char *name)
{
	for (int waited = 0; flock(fd, LOCK_EX | LOCK_NB); waited += WAIT_STEP_MS) {
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -errno;
		if (waited == 0)
			log_line(LOG_INFO, "%s: another run is at work: waiting", name);
		if (waited >= PUBLISH_WAIT_MS)
			return -ETIMEDOUT;
		nanosleep(&(struct timespec){ .tv_nsec = WAIT_STEP_MS * 1000000 }, NULL);
	}
	return 0;
}

static bool is_at(int folder, const char *name, int fd)
{
	struct stat there, here;

	return !fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW) && !fstat(fd, &here) &&
	       there.st_dev == here.st_dev && there.st_ino == here.st_ino;
}

int publish_lock(const struct publish_place *place)
{
	char name[NAME_SIZE];
	int error, fd;

	snprintf(name, sizeof name, ".%s.lock", place->name);
	fd = openat(place->folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	if (fd < 0)
		return -errno;
	error = wait_for(fd, place->name);
	if (error) {
		close(fd);
		return error;
	}
	if (is_at(place->folder, name, fd))
		return fd;
	close(fd); /* whoever held it has removed it: what is locked now is nobody's */
	return publish_lock(place);
}

void publish_unlock(const struct publish_place *place, int lock)
{
	char name[NAME_SIZE];

	snprintf(name, sizeof name, ".%s.lock", place->name);
	unlinkat(place->folder, name, 0);
	close(lock);
}

static int write_whole(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, text, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		text += n;
		length -= (size_t)n;
	}
	return 0;
}

/* The new file's content, on the disk. Whatever the umask, everybody may read it. */
static int fill(int fd, const char *text, size_t length)
{
	int error = write_whole(fd, text, length);

	if (!error && fchmod(fd, 0644))
		error = -errno;
	if (!error && fsync(fd))
		error = -errno;
	if (close(fd) && !error)
		error = -errno;
	return error;
}

/* Move it to its name. link() does not replace what came there meanwhile. */
static int install(const struct publish_place *place, const char *temporary, bool replace)
{
	if (replace)
		return renameat(place->folder, temporary, place->folder, place->name) ? -errno : 0;
	if (linkat(place->folder, temporary, place->folder, place->name, 0))
		return -errno;
	unlinkat(place->folder, temporary, 0);
	return 0;
}

int publish_text(const struct publish_place *place, bool replace, const char *text, size_t length,
		 bool (*may_install)(const void *), const void *argument)
{
	char temporary[NAME_SIZE];
	int error, fd;

	/* What bears this name is what a killed run left. */
	snprintf(temporary, sizeof temporary, ".%s.new", place->name);
	unlinkat(place->folder, temporary, 0);
	fd = openat(place->folder, temporary,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	error = fill(fd, text, length);
	if (!error && may_install && !may_install(argument))
		error = -ECANCELED;
	if (!error)
		error = install(place, temporary, replace);
	if (error) {
		unlinkat(place->folder, temporary, 0);
		return error;
	}
	/* Best effort: some file systems cannot sync a folder, and the name is in place. */
	if (fsync(place->folder))
		log_line(LOG_DEBUG, "%s: fsync of the folder: %s", place->name, strerror(errno));
	return 0;
}
