/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "same-file.h"

static void make(const char *path)
{
	const int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static void expect(const char *a, const char *b, bool same)
{
	if (same_file(a, b) != same || same_file(b, a) != same)
		fail_msg("%s and %s", a, b);
}

/* In a folder of its own, which has another one with a name that leads back to the first. */
static void enter(void)
{
	assert_int_equal(chdir(unit_folder), 0);
}

TEST(there)
{
	enter();
	make("x");
	make("y");
	assert_int_equal(link("x", "hard"), 0);
	assert_int_equal(symlink("x", "soft"), 0);
	expect("x", "x", true);
	expect("x", "./x", true);
	expect("x", "hard", true);
	expect("x", "soft", true);
	expect("x", "y", false);
	expect("x", "new", false);
	expect(".", unit_folder, true);
}

TEST(not_there)
{
	char absolute[PATH_MAX];

	enter();
	assert_int_equal(mkdir("folder", 0700), 0);
	assert_int_equal(symlink("..", "folder/back"), 0);
	snprintf(absolute, sizeof absolute, "%s/new", unit_folder);
	expect("new", "new", true);
	expect("new", "./new", true);
	expect("new", ".//new", true);
	expect("new", absolute, true);
	expect("new", "folder/back/new", true);
	expect("new", "folder/../new", true);
	expect("new", "newer", false);
	expect("new", "folder/new", false);
	expect("nowhere/new", "nowhere/new", true);
	expect("nowhere/new", "new", false);
	snprintf(absolute, sizeof absolute, "%s/nowhere/at//all/new", unit_folder);
	expect("nowhere/at/all/new", absolute, true);
	expect("nowhere/at/all/new", "nowhere/at/new", false);
	expect("nowhere/at/all/new", "nothing/at/all/new", false);
	expect("/cpucycles-none", "//cpucycles-none", true);
	expect("", "new", false);
}

TEST(too_long)
{
	static char a[PATH_MAX + 2], b[PATH_MAX + 2];

	memset(a, 'a', sizeof a - 1);
	memset(b, 'b', sizeof b - 1);
	a[sizeof a - 3] = b[sizeof b - 3] = '/';
	expect(a, b, false);
	expect(a, a, true);
}

UNIT_MAIN("same-file", unit_folder_make, unit_folder_remove)
