/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A longer file is not copied, because the copy would take as much memory. */
#define COPIED_MOST ((size_t)64 << 20)

/* Bytes at the beginning that tell what a file is: an object file, an archive or a text. */
#define BEGINNING 4096

/* Open the file, and learn its size. The descriptor or a negative errno. */
static int open_sized(const char *path, size_t *size)
{
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	int error = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status))
		error = -errno;
	else if (!S_ISREG(status.st_mode))
		error = S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
	else if (status.st_size <= 0)
		error = -ENODATA;
	else if ((uintmax_t)status.st_size >= SIZE_MAX)
		error = -EFBIG;
	else
		*size = (size_t)status.st_size;
	if (!error)
		return fd;
	close(fd);
	return error;
}

/* Read `size` bytes, or all if there are fewer. Their number or a negative errno. */
static ssize_t read_all(int fd, unsigned char *bytes, size_t size)
{
	size_t length = 0;

	while (length < size) {
		const ssize_t n = read(fd, bytes + length, size - length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		length += (size_t)n;
	}
	return (ssize_t)length;
}

/* These two close the descriptor, which may be a negative errno. */

static int copy_open(int fd, size_t size, struct symbols_file *file)
{
	unsigned char *bytes;
	ssize_t n;

	*file = (struct symbols_file){ 0 };
	if (fd < 0)
		return fd;
	bytes = malloc(size);
	n = bytes ? read_all(fd, bytes, size) : -ENOMEM;
	close(fd);
	if (n > 0) {
		*file = (struct symbols_file){ .bytes = bytes, .size = (size_t)n };
		return 0;
	}
	free(bytes);
	return n < 0 ? (int)n : -ENODATA;
}

static int map_open(int fd, size_t size, struct symbols_file *file)
{
	void *map;
	int error;

	*file = (struct symbols_file){ 0 };
	if (fd < 0)
		return fd;
	map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	error = errno;
	close(fd);
	if (map == MAP_FAILED)
		return -error;
	*file = (struct symbols_file){ .bytes = map, .size = size };
	return 0;
}

int map_file(const char *path, struct symbols_file *file)
{
	size_t size = 0;
	const int fd = open_sized(path, &size);

	return size > COPIED_MOST ? map_open(fd, size, file) : copy_open(fd, size, file);
}

int map_beginning(const char *path, struct symbols_file *file)
{
	size_t size = 0;
	const int fd = open_sized(path, &size);

	return copy_open(fd, size < BEGINNING ? size : BEGINNING, file);
}

void map_end(const struct symbols_file *file)
{
	if (file->size > COPIED_MOST)
		map_loaded_end(file);
	else
		free((void *)(uintptr_t)file->bytes);
}

int map_loaded(const char *path, struct symbols_file *file)
{
	size_t size = 0;
	const int fd = open_sized(path, &size);

	return map_open(fd, size, file);
}

void map_loaded_end(const struct symbols_file *file)
{
	if (file->bytes)
		munmap((void *)(uintptr_t)file->bytes, file->size);
}

const char *map_error(int error)
{
	return error == -EINVAL ? "it is no regular file" : strerror(-error);
}
