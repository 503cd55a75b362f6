/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int map_open(int fd, struct symbols_file *file)
{
	struct stat status;
	void *map;

	if (fstat(fd, &status))
		return -errno;
	if (!S_ISREG(status.st_mode))
		return S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
	if (status.st_size <= 0)
		return -ENODATA;
	if ((uintmax_t)status.st_size >= SIZE_MAX)
		return -EFBIG;
	map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	*file = (struct symbols_file){ .bytes = map, .size = (size_t)status.st_size };
	return 0;
}

int map_file(const char *path, struct symbols_file *file)
{
	const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int error;

	*file = (struct symbols_file){ 0 };
	if (fd < 0)
		return -errno;
	error = map_open(fd, file);
	close(fd);
	return error;
}

const char *map_error(int error)
{
	return error == -EINVAL ? "it is no regular file" : strerror(-error);
}

void map_end(const struct symbols_file *file)
{
	if (file->bytes)
		munmap((void *)(uintptr_t)file->bytes, file->size);
}
