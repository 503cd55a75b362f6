/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "tree.h"

#include <errno.h>

/* What is no file with a text has none, and nothing waits for it. */
TEST(strange_files)
{
	char text[8] = "before";

	assert_int_equal(tree_read(unit_folder, "/none", text, sizeof text), -ENOENT);
	assert_string_equal(text, "");
	assert_int_equal(tree_read(unit_folder, "", text, sizeof text), -EISDIR);
	assert_int_equal(tree_read("/dev", "/zero", text, sizeof text), sizeof text - 1);
	assert_string_equal(text, "");
	assert_int_equal(mkfifo(unit_path("fifo"), 0600), 0);
	assert_int_equal(tree_read(unit_folder, "/fifo", text, sizeof text), 0);
}

TEST(long_path)
{
	char path[1000], text[8] = "before";

	memset(path, '/', sizeof path - 1);
	path[sizeof path - 1] = 0;
	assert_int_equal(tree_read("", path, text, sizeof text), -ENAMETOOLONG);
	assert_string_equal(text, "");
}

TEST(start_of_a_file)
{
	char text[8];

	unit_write_text("version", "Linux version 6.1\n");
	assert_int_equal(tree_read(unit_folder, "/version", text, sizeof text), sizeof text - 1);
	assert_string_equal(text, "Linux v");
}

UNIT_MAIN("tree", unit_folder_make, unit_folder_remove)
