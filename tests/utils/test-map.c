/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The bytes of a file, also of one that gets shorter meanwhile. */

#include "config.h"

#include "measure/files/map.h"
#include "unit.h"

#include <errno.h>

#define SIZE 100000

static char path[] = "/tmp/test-map-XXXXXX";

static int make(void **state)
{
	const int fd = mkstemp(path);

	(void)state;
	if (fd < 0 || ftruncate(fd, SIZE) || pwrite(fd, "a", 1, SIZE - 1) != 1)
		return -1;
	return close(fd);
}

static int clean(void **state)
{
	(void)state;
	return unlink(path);
}

static void whole(void **state)
{
	struct symbols_file file;

	(void)state;
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
static void shorter(void **state)
{
	struct symbols_file file;

	(void)state;
	assert_int_equal(map_file(path, &file), 0);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(file.bytes[SIZE - 1], 'a');
	map_end(&file);
}

static void nothing(void **state)
{
	struct symbols_file file;

	(void)state;
	assert_int_equal(map_file(path, &file), -ENODATA);
	assert_null(file.bytes);
	map_end(&file);
	assert_int_equal(map_loaded(path, &file), -ENODATA);
	map_loaded_end(&file);
	assert_int_equal(map_file("/", &file), -EISDIR);
	assert_int_equal(map_file("/dev/null", &file), -EINVAL);
	assert_int_equal(map_file("/nonexistent/file", &file), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(shorter),
		cmocka_unit_test(nothing),
	};

	return cmocka_run_group_tests_name("map", tests, make, clean);
}
