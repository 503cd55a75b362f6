/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "log.h"
#include "path.h"
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
#define NAME_SIZE (sizeof((struct publish_place *)NULL)->name + sizeof "..lock")

/* The length of this folder's name without the slashes and the "/." at its end. With these, open
 * would follow a symbolic link in spite of O_NOFOLLOW. */
static size_t without_last_dots(const char *folder, size_t length)
{
	while (length > 1 && (folder[length - 1] == '/' ||
			      (folder[length - 1] == '.' && folder[length - 2] == '/')))
		length--;
	return length;
}

/* Split the path into folder and name. 0, -EISDIR if there is no name, or -ENAMETOOLONG. */
static int split(const char *path, char folder[PATH_SIZE], char name[256])
{
	const char *last = path_name(path);
	size_t length = last > path ? (size_t)(last - path) - 1 : 0;

	if (!*last || !strcmp(last, ".") || !strcmp(last, ".."))
		return -EISDIR;
	length = without_last_dots(path, length);
	if (length >= PATH_SIZE || strlen(last) >= PUBLISH_NAME_SIZE)
		return -ENAMETOOLONG;
	if (last == path)
		strcpy(folder, ".");
	else if (length == 0)
		strcpy(folder, "/");
	else
		snprintf(folder, PATH_SIZE, "%.*s", (int)length, path);
	strcpy(name, last);
	return 0;
}

/* 0 or a negative errno, as publish_may_replace says. */
static int compare_beginning(int fd, const char *beginning)
{
	const size_t length = strlen(beginning);
	char text[PUBLISH_TEXT_MAX];
	size_t nulls = 0;
	ssize_t n;

	do
		n = read(fd, text, sizeof text);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if ((size_t)n >= length && !memcmp(text, beginning, length))
		return 0;
	while (nulls < (size_t)n && !text[nulls])
		nulls++;
	return n > 0 && nulls == (size_t)n ? 0 : -EEXIST;
}

int publish_may_replace(int folder, const char *name, const char *beginning)
{
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	struct stat there;
	int fd, error;

	/* Opening a device may have an effect, and so may reading a file of /proc, whose length is
	 * 0. So neither is done before it is known what is there. */
	if (fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISREG(there.st_mode) || there.st_size > PUBLISH_TEXT_MAX)
		return -EEXIST;
	if (there.st_size == 0)
		return 0;
	fd = openat(folder, name, flags);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &there))
		error = -errno;
	else
		error = S_ISREG(there.st_mode) ? compare_beginning(fd, beginning) : -EEXIST;
	close(fd);
	return error;
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
	place->wait_ms = PUBLISH_WAIT_MS;
	place->mode = PUBLISH_MODE;
	if (error)
		return error;
	place->folder = open_folder(folder, flags);
	if (place->folder == -ENOENT && flags & PUBLISH_CREATE) {
		/* Users have to reach the file in it, even if this run is killed right after
		 * mkdir. */
		mode_t mask = umask(022);

		if (mkdir(folder, 0755) && errno != EEXIST)
			error = -errno;
		umask(mask);
		place->folder = error ? error : open_folder(folder, flags);
	}
	return place->folder < 0 ? place->folder : 0;
}

/* The name of what lies next to the file: the new text or the lock. */
static void name_next_to(const struct publish_place *place, const char *ending,
			 char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, ".%s.%s", place->name, ending);
}

int publish_clean(const struct publish_place *place)
{
	char temporary[NAME_SIZE];
	int error;

	name_next_to(place, "new", temporary);
	if (!unlinkat(place->folder, temporary, 0) || errno == ENOENT)
		return 0;
	error = -errno;
	log_line(LOG_WARNING, "%s, next to %s: not removed: %s", temporary, place->name,
		 strerror(-error));
	return error;
}

void publish_close(struct publish_place *place)
{
	if (place->folder >= 0)
		close(place->folder);
	place->folder = -1;
}

/* 0 or a negative errno. -EWOULDBLOCK: another run holds the lock, or has held it and removed the
 * file that is locked here. */
static int try_lock(int fd, int folder, const char *name)
{
	struct stat there, here;

	if (flock(fd, LOCK_EX | LOCK_NB))
		return errno == EINTR ? -EWOULDBLOCK : -errno;
	if (fstat(fd, &here))
		return -errno;
	if (fstatat(folder, name, &there, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? -EWOULDBLOCK : -errno;
	return there.st_dev == here.st_dev && there.st_ino == here.st_ino ? 0 : -EWOULDBLOCK;
}

static int open_and_lock(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
	int error;

	if (fd < 0)
		return -errno;
	error = try_lock(fd, folder, name);
	if (!error)
		return fd;
	close(fd);
	return error;
}

int publish_lock(const struct publish_place *place)
{
	char name[NAME_SIZE];

	name_next_to(place, "lock", name);
	for (unsigned waited = 0;; waited += WAIT_STEP_MS) {
		int fd = open_and_lock(place->folder, name);

		if (fd != -EWOULDBLOCK)
			return fd;
		if (waited >= place->wait_ms)
			return -ETIMEDOUT;
		if (waited == 0)
			log_line(LOG_INFO, "%s: another run is at work: waiting", place->name);
		nanosleep(&(struct timespec){ .tv_nsec = WAIT_STEP_MS * 1000000 }, NULL);
	}
}

void publish_unlock(const struct publish_place *place, int lock)
{
	char name[NAME_SIZE];

	name_next_to(place, "lock", name);
	unlinkat(place->folder, name, 0);
	close(lock);
}

static int write_whole(int fd, const char *text, size_t length)
{
	while (length > 0) {
		ssize_t n = write(fd, text, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		text += n;
		length -= (size_t)n;
	}
	return 0;
}

/* Give the file its mode, wait for the disk if that is wanted, and close it. */
static int complete(int fd, unsigned mode, bool wait)
{
	int error = fchmod(fd, (mode_t)mode) ? -errno : 0;

	if (!error && wait && fsync(fd))
		error = -errno;
	if (close(fd) && !error)
		error = -errno;
	return error;
}

/* Give the new text its name. linkat, unlike renameat, does not replace a file that came there
 * meanwhile. */
static int install(const struct publish_place *place, const char *temporary, bool replace)
{
	if (replace)
		return renameat(place->folder, temporary, place->folder, place->name) ? -errno : 0;
	if (linkat(place->folder, temporary, place->folder, place->name, 0))
		return -errno;
	unlinkat(place->folder, temporary, 0);
	return 0;
}

/* What a run left that was killed is removed. */
int publish_begin(const struct publish_place *place)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	char temporary[NAME_SIZE];
	int fd, error;

	name_next_to(place, "new", temporary);
	fd = openat(place->folder, temporary, flags, 0600);
	if (fd < 0 && errno == EEXIST) {
		error = publish_clean(place);
		if (error)
			return error;
		fd = openat(place->folder, temporary, flags, 0600);
	}
	return fd < 0 ? -errno : fd;
}

void publish_cancel(const struct publish_place *place, int fd)
{
	char temporary[NAME_SIZE];

	name_next_to(place, "new", temporary);
	close(fd);
	unlinkat(place->folder, temporary, 0);
}

/* The text is on the disk, or there was an error. */
static int finish(const struct publish_place *place, int error, bool replace, bool wait)
{
	char temporary[NAME_SIZE];

	name_next_to(place, "new", temporary);
	if (!error)
		error = install(place, temporary, replace);
	if (error) {
		unlinkat(place->folder, temporary, 0);
		return error;
	}
	/* No error: the name is in place, and some file systems cannot synchronise a folder. */
	if (wait && fsync(place->folder))
		log_line(LOG_DEBUG, "%s: fsync of the folder: %s", place->name, strerror(errno));
	return 0;
}

int publish_end(const struct publish_place *place, int fd, bool wait)
{
	return finish(place, complete(fd, place->mode, wait), true, wait);
}

int publish_text(const struct publish_place *place, bool replace, const char *text, size_t length,
		 int (*may_install)(const struct publish_place *place, const void *argument),
		 const void *argument)
{
	const int fd = publish_begin(place);
	int error;

	if (fd < 0)
		return fd;
	error = write_whole(fd, text, length);
	if (error) {
		publish_cancel(place, fd);
		return error;
	}
	error = complete(fd, place->mode, true);
	if (!error && may_install)
		error = may_install(place, argument);
	return finish(place, error, replace, true);
}

int publish_alone(struct publish_place *place,
		  int (*publish)(const struct publish_place *place, const void *argument),
		  const void *argument)
{
	const int lock = publish_lock(place);
	const int error = lock < 0 ? lock : publish(place, argument);

	if (lock >= 0)
		publish_unlock(place, lock);
	publish_close(place);
	return error;
}
