/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The bytes of a file, also of one that gets shorter meanwhile. */

#include "config.h"

#include "measure/files/map.h"
#include "unit.h"

#include <errno.h>

#define SIZE 100000

static char path[] = "/tmp/test-map-XXXXXX";

static int make(UNIT_UNUSED void **state)
{
	const int fd = mkstemp(path);

	if (fd < 0 || ftruncate(fd, SIZE) || pwrite(fd, "a", 1, SIZE - 1) != 1)
		return -1;
	return close(fd);
}

static int clean(UNIT_UNUSED void **state)
{
	return unlink(path);
}

TEST(whole)
{
	struct symbols_file file;

	assert_int_equal(map_file(path, &file), 0);
	assert_int_equal(file.size, SIZE);
	assert_int_equal(file.bytes[SIZE - 1], 'a');
	map_end(&file);
	assert_int_equal(map_loaded(path, &file), 0);
	assert_int_equal(file.size, SIZE);
	assert_int_equal(file.bytes[SIZE - 1], 'a');
	map_loaded_end(&file);
	assert_int_equal(map_beginning(path, &file), 0);
	assert_in_range(file.size, 512, SIZE - 1);
	map_end(&file);
}

/* A compiler writes it again, say. */
TEST(shorter)
{
	struct symbols_file file;

	assert_int_equal(map_file(path, &file), 0);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(file.bytes[SIZE - 1], 'a');
	map_end(&file);
}

TEST(nothing)
{
	struct symbols_file file;

	assert_int_equal(map_file(path, &file), -ENODATA);
	assert_null(file.bytes);
	map_end(&file);
	assert_int_equal(map_loaded(path, &file), -ENODATA);
	map_loaded_end(&file);
	assert_int_equal(map_file("/", &file), -EISDIR);
	assert_int_equal(map_file("/dev/null", &file), -EINVAL);
	assert_int_equal(map_file("/nonexistent/file", &file), -ENOENT);
}

UNIT_MAIN("map", make, clean)
