/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* How files are published, and which may be replaced. The lock is tried where its file changes
 * between open(2) and flock(2): the linker puts a function in the place of flock (--wrap) that
 * makes the change and then locks. */

#include "config.h"

#include "unit.h"
#include "publish.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/resource.h>

#define LOCK ".counters.lock"

int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);

static void (*before_try[3])(void); /* called before each of the first three tries to lock */
static unsigned tries;

int __wrap_flock(int fd, int operation)
{
	const unsigned now = tries++;

	if (now < sizeof before_try / sizeof before_try[0] && before_try[now])
		before_try[now]();
	return __real_flock(fd, operation);
}

static struct publish_place place;

static int open_place(void **state)
{
	memset(before_try, 0, sizeof before_try);
	tries = 0;
	if (unit_folder_make(state))
		return -1;
	return publish_open(unit_path("counters"), 0, &place);
}

static int close_place(void **state)
{
	publish_close(&place);
	return unit_folder_remove(state);
}

static void expect_locked(int lock)
{
	struct stat here, there;

	assert_true(lock >= 0);
	assert_int_equal(fstat(lock, &here), 0);
	assert_int_equal(stat(unit_path(LOCK), &there), 0);
	assert_true(here.st_ino == there.st_ino);
	publish_unlock(&place, lock);
	assert_int_not_equal(access(unit_path(LOCK), F_OK), 0);
}

static void remove_lock(void)
{
	assert_int_equal(unlink(unit_path(LOCK)), 0);
}

/* What a run does that held the lock and has finished. */
TEST_WITH(removed, open_place, close_place)
{
	before_try[0] = remove_lock;
	expect_locked(publish_lock(&place));
	assert_int_equal(tries, 2);
}

static int rival = -1;

/* What one more run does that came after the first one had finished, and is at work. */
static void let_rival_in(void)
{
	remove_lock();
	rival = open(unit_path(LOCK), O_RDWR | O_CREAT | O_EXCL, 0600);
	assert_true(rival >= 0);
	assert_int_equal(__real_flock(rival, LOCK_EX | LOCK_NB), 0);
}

static void end_rival(void)
{
	publish_unlock(&place, rival);
	rival = -1;
}

TEST_WITH(replaced, open_place, close_place)
{
	before_try[0] = let_rival_in;
	before_try[2] = end_rival;
	expect_locked(publish_lock(&place));
	assert_int_equal(rival, -1); /* never two holders at once */
	assert_int_equal(tries, 4);
}

/* A link to the file that is locked. */
static void put_link(void)
{
	assert_int_equal(rename(unit_path(LOCK), unit_path("elsewhere")), 0);
	assert_int_equal(symlink("elsewhere", unit_path(LOCK)), 0);
}

TEST_WITH(replaced_by_a_link, open_place, close_place)
{
	before_try[0] = put_link;
	assert_int_equal(publish_lock(&place), -ELOOP);
	assert_int_equal(tries, 1);
}

static unsigned mode_of_file(void)
{
	struct stat status;

	assert_int_equal(publish_text(&place, true, "text\n", 5, NULL, NULL), 0);
	assert_int_equal(stat(unit_path("counters"), &status), 0);
	return status.st_mode & 07777;
}

TEST_WITH(mode, open_place, close_place)
{
	mode_t mask = umask(077);

	assert_int_equal(mode_of_file(), 0644);
	place.mode = 0640;
	assert_int_equal(mode_of_file(), 0640);
	umask(mask);
}

static void expect_text(const char *expected)
{
	char text[64] = "";
	FILE *file = fopen(unit_path("counters"), "r");

	assert_non_null(file);
	text[fread(text, 1, sizeof text - 1, file)] = 0;
	fclose(file);
	assert_string_equal(text, expected);
}

/* A text in pieces is seen as a whole, or not at all. */
TEST_WITH(pieces, open_place, close_place)
{
	int fd;

	assert_int_equal(publish_text(&place, true, "old\n", 4, NULL, NULL), 0);
	for (int wait = 0; wait <= 1; wait++) {
		fd = publish_begin(&place);
		assert_true(fd >= 0);
		assert_int_equal(write(fd, "one\n", 4), 4);
		expect_text(wait ? "one\ntwo\n" : "old\n");
		assert_int_equal(write(fd, "two\n", 4), 4);
		assert_int_equal(publish_end(&place, fd, wait), 0);
		expect_text("one\ntwo\n");
	}
	fd = publish_begin(&place);
	assert_int_equal(write(fd, "three\n", 6), 6);
	publish_cancel(&place, fd);
	expect_text("one\ntwo\n");
	assert_int_equal(access(unit_path(".counters.new"), F_OK), -1);
}

static int look(const char *text)
{
	FILE *file = fopen(unit_path("counters"), "w");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
	return publish_may_replace(place.folder, "counters", "a cache ");
}

/* A file that begins as expected, or is what a power failure left of one, is replaced, and so is
 * nothing. All else stays. */
TEST_WITH(only_its_own, open_place, close_place)
{
	static const char nulls[PUBLISH_TEXT_MAX];
	int fd;

	assert_int_equal(publish_may_replace(place.folder, "counters", "a cache "), 0);
	assert_int_equal(look(""), 0);
	assert_int_equal(look("a cache "), 0);
	assert_int_equal(look("a cache 4\n"), 0);
	assert_int_equal(look("a cache"), -EEXIST);
	assert_int_equal(look("root:x:0:0\n"), -EEXIST);
	assert_int_equal(look("\na cache 4\n"), -EEXIST);
	fd = open(unit_path("counters"), O_WRONLY);
	assert_int_equal(write(fd, nulls, sizeof nulls), sizeof nulls);
	assert_int_equal(publish_may_replace(place.folder, "counters", "a cache "), 0);
	assert_int_equal(pwrite(fd, "x", 1, sizeof nulls - 1), 1);
	assert_int_equal(publish_may_replace(place.folder, "counters", "a cache "), -EEXIST);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(ftruncate(fd, sizeof nulls + 1), 0);
	assert_int_equal(publish_may_replace(place.folder, "counters", "a cache "), -EEXIST);
	close(fd);
	assert_int_equal(symlink("counters", unit_path("link")), 0);
	assert_int_equal(mkfifo(unit_path("fifo"), 0600), 0);
	assert_int_equal(look("a cache 4\n"), 0);
	assert_int_equal(publish_may_replace(place.folder, "link", "a cache "), -EEXIST);
	assert_int_equal(publish_may_replace(place.folder, "fifo", "a cache "), -EEXIST);
	assert_int_equal(publish_may_replace(place.folder, ".", "a cache "), -EEXIST);
	assert_int_equal(publish_may_replace(AT_FDCWD, unit_path("counters/no"), "a cache "),
			 -ENOTDIR);
}

/* Where no file can be opened, one that has content stays. An empty one needs no look. */
TEST_WITH(not_to_be_opened, open_place, close_place)
{
	struct rlimit before, none;
	int empty, full;

	assert_int_equal(look("a cache 4\n"), 0);
	assert_int_equal(mknodat(place.folder, "empty", S_IFREG | 0600, 0), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){ .rlim_cur = 0, .rlim_max = before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	full = publish_may_replace(place.folder, "counters", "a cache ");
	empty = publish_may_replace(place.folder, "empty", "a cache ");
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	assert_int_equal(full, -EMFILE);
	assert_int_equal(empty, 0);
}

static int refuse(const struct publish_place *at, const void *error)
{
	assert_ptr_equal(at, &place);
	return *(const int *)error;
}

/* The answer of who is asked last is that of the publishing. */
TEST_WITH(refused, open_place, close_place)
{
	const int error = -EIO, none = 0;

	assert_int_equal(publish_text(&place, true, "old\n", 4, refuse, &none), 0);
	assert_int_equal(publish_text(&place, true, "new\n", 4, refuse, &error), -EIO);
	expect_text("old\n");
	assert_int_equal(access(unit_path(".counters.new"), F_OK), -1);
}

UNIT_MAIN("publish", NULL, NULL)
