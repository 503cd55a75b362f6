/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "file.h"
#include "guard.h"
#include "hot.h"
#include "mounts.h"
#include "os/filesystem.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* A read that does not wait is not interrupted by signals. The limit is for a file system that
 * answers EINTR for ever. */
#define FILE_TRIES_MAX 64

#define FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* The file that is open, or -1. Only the holder of the guard opens one. */
static int left = -1;

/* /proc or /sys while it is open, so that files can be opened within its mount. */
struct folder {
	const char *path;
	int fd; /* -1: neither is open */
};

/*
 * The folder of the innermost file_guard_call; NULL outside of these calls. It stays open until the
 * call ends or opens a file of the other folder: a first call without a cache opens four files of
 * /sys in a row. After a fork in such a call, the child's pointer is stale. The child replaces it
 * before it uses it, because a selection opens files only in a file_guard_call.
 */
static HOT struct folder *kept;

int file_open_unasked(const char *path, int more_flags)
{
	int fd = open(path, FLAGS | more_flags);

	if (fd < 0)
		return -errno;
	left = fd;
	return fd;
}

void file_close(int fd)
{
	left = -1;
	close(fd);
}

/* The mounts on the path. Only the holder of the guard, or a program, comes here. */
static struct mounts mounts;

/* A process whose /proc and /sys have no mount of FUSE looks at the mounts once. */
static bool none_served;

COLD static bool is_served(const char *path)
{
	static char text[4096];
	const int fd = file_open_unasked("/proc/self/mountinfo", 0);
	bool told = false;
	long n = fd;

	mounts_begin(&mounts, path);
	while (fd >= 0 && (n = file_take(fd, text, sizeof text)) > 0) {
		mounts_add(&mounts, text, (size_t)n);
		told = true;
	}
	if (fd >= 0)
		file_close(fd);
	/* Only a list that was read to its end says that there is none. */
	none_served = told && n == 0 && !mounts.any_fuse;
	return mounts_is_fuse(&mounts);
}

COLD void file_look_at_mounts(void)
{
	is_served("/proc");
}

COLD static void call_close_folder(void *folder)
{
	struct folder *const closing = folder;
	const int fd = closing->fd;

	closing->fd = -1;
	if (fd >= 0)
		close(fd);
}

COLD static int open_folder(struct folder *folder, const char *path)
{
	if (folder->fd >= 0 && text_is(folder->path, path))
		return folder->fd;
	call_close_folder(folder);
	*folder = (struct folder){ path, file_open_unasked(path, FILESYSTEM_FOLDER) };
	left = -1;
	return folder->fd;
}

/* Open a file on the mount of the folder. This takes a tenth of the time of reading the list of
 * mounts, and tells as much where nothing is mounted on the path. */
COLD static int open_within(struct folder *folder, const char *path, const char *rest,
			    int more_flags)
{
	const int below = open_folder(folder, path);
	int fd;

	if (below < 0)
		return below;
	fd = filesystem_open_within(below, rest, FLAGS | more_flags);
	if (fd >= 0)
		left = fd;
	return fd;
}

COLD static int open_asked(const char *folder, const char *path, int more_flags)
{
	struct folder own = { .fd = -1 }, *const below = kept ? kept : &own;
	const int fd = open_within(below, folder, text_skip(path, folder) + 1, more_flags);
	/* Other errors are the file's: none but these two mean that the path leads to another
	 * mount, or that this is unknown. */
	const bool unknown = fd == -EXDEV || fd == -ENOSYS;

	/* The list of mounts may need the last descriptor. */
	if (unknown || !kept)
		call_close_folder(below);
	if (!unknown)
		return fd;
	return is_served(path) ? -EREMOTE : file_open_unasked(path, more_flags);
}

int file_open(const char *path, int more_flags)
{
	if (!none_served && text_skip(path, "/proc/"))
		return open_asked("/proc", path, more_flags);
	if (!none_served && text_skip(path, "/sys/"))
		return open_asked("/sys", path, more_flags);
	return file_open_unasked(path, more_flags);
}

static void call_close_left(void *unused)
{
	(void)unused;
	if (left >= 0)
		file_close(left);
}

int file_guard_call(void (*call)(void *), void *argument)
{
	struct folder folder = { .fd = -1 }, *const outer = kept;
	int signal;

	kept = &folder;
	signal = guard_call(call, argument);
	kept = outer;
	if (signal)
		guard_call(call_close_left, NULL);
	if (folder.fd >= 0)
		guard_call(call_close_folder, &folder);
	return signal;
}

long file_take(int fd, char *buffer, size_t size)
{
	ssize_t n = -1;

	for (int i = 0; i < FILE_TRIES_MAX; i++) {
		n = read(fd, buffer, size);
		if (n >= 0 || errno != EINTR)
			break;
	}
	return n < 0 ? -errno : (long)n;
}

long file_fill(int fd, char *buffer, size_t size)
{
	const long n = file_take(fd, buffer, size - 1);

	buffer[n > 0 ? n : 0] = 0;
	return n;
}

int file_open_regular(const char *path, struct stat *status)
{
	int fd = file_open(path, 0);

	if (fd < 0 || (!fstat(fd, status) && S_ISREG(status->st_mode)))
		return fd;
	file_close(fd);
	return -EINVAL;
}

long file_fill_once(int fd, char *buffer, size_t size)
{
	long length;

	if (fd < 0)
		return fd;
	length = file_fill(fd, buffer, size);
	file_close(fd);
	return length;
}

long file_read(const char *path, char *buffer, size_t size)
{
	struct stat status;

	return file_fill_once(file_open_regular(path, &status), buffer, size);
}

static const char *lent_cpuinfo;

COLD void file_lend_cpuinfo(const char *text)
{
	lent_cpuinfo = text;
}

COLD const char *file_lent_cpuinfo(const char *root)
{
	return *root ? NULL : lent_cpuinfo;
}
