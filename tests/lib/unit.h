/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the unit tests share: cmocka, random numbers of a printed seed, files, children. */

#ifndef CPUCYCLES_UNIT_H
#define CPUCYCLES_UNIT_H

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../harness/test.h"

#define N(array) (sizeof(array) / sizeof(array)[0])
#define UNIT_LIKE_PRINTF __attribute__((format(printf, 1, 2)))

/* A child that takes longer hangs, even on a slow machine and with ThreadSanitizer, where a few
 * seconds become a minute. */
#define UNIT_CHILD_SECONDS 300

static uint64_t unit_random_state;

/* Take the seed from TEST_SEED, or else this one, and print it, so that a failed run can be
 * repeated. */
UNIT_UNUSED static void unit_seed_or(uint64_t seed)
{
	const char *text = getenv("TEST_SEED");

	unit_random_state = text ? strtoull(text, NULL, 0) : seed;
	printf("# TEST_SEED=%llu\n", (unsigned long long)unit_random_state);
	fflush(stdout);
}

UNIT_UNUSED static void unit_seed(void)
{
	unit_seed_or((uint64_t)time(NULL));
}

/* UNIT_MAIN of a program whose tests draw random numbers: with this seed, or with one that differs
 * from run to run. */
#define UNIT_MAIN_OF_SEED(seed, name, setup, teardown) \
	int main(void) \
	{ \
		unit_seed_or(seed); \
		return unit_run(name, setup, teardown); \
	}
#define UNIT_MAIN_SEEDED(name, setup, teardown) \
	UNIT_MAIN_OF_SEED((uint64_t)time(NULL), name, setup, teardown)

/* A random number, by splitmix64. */
UNIT_UNUSED static uint64_t unit_random(void)
{
	uint64_t z = unit_random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* A random number of a random number of bits, so that small ones are as frequent as large ones. */
UNIT_UNUSED static uint64_t unit_random_bits(unsigned most)
{
	return unit_random() >> (64 - 1 - unit_random() % most);
}

/* Fail unless the value is from least to most, both included. cmocka's assert_in_range is
 * deprecated since its version 2, and what replaces it is not in earlier versions. */
#define unit_in_range(value, least, most) \
	unit_in_range_at((uint64_t)(value), (uint64_t)(least), (uint64_t)(most), __FILE__, __LINE__)

UNIT_UNUSED static void unit_in_range_at(uint64_t value, uint64_t least, uint64_t most,
					 const char *file, int line)
{
	if (least <= value && value <= most)
		return;
	print_error("# %llu is not from %llu to %llu\n", (unsigned long long)value,
		    (unsigned long long)least, (unsigned long long)most);
	_fail(file, line);
}

/* End this test as skipped. cmocka prints no reason in the test's result, so tests/harness/unit.sh
 * takes the reason from the line that this prints. */
UNIT_UNUSED static void unit_skip(const char *why)
{
	printf("# skipped: %s\n", why);
	fflush(stdout);
	skip();
}

/* A folder for one program's files. unit_path gives a path in it, which three more calls leave
 * valid. */
static char unit_folder[64];

UNIT_UNUSED static int unit_folder_make(UNIT_UNUSED void **state)
{
	strcpy(unit_folder, "/tmp/cpucycles-unit.XXXXXX");
	return mkdtemp(unit_folder) ? 0 : -1;
}

UNIT_UNUSED static int unit_folder_remove(UNIT_UNUSED void **state)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf '%s'", unit_folder);
	return system(command);
}

UNIT_UNUSED static const char *unit_path(const char *name)
{
	static char paths[4][PATH_MAX];
	static unsigned next;
	char *path = paths[next++ % 4];

	snprintf(path, PATH_MAX, "%s/%s", unit_folder, name);
	return path;
}

/* Write a file in place of any old one, and make the folders above it. */
UNIT_UNUSED static const char *unit_write(const char *name, const void *bytes, size_t size)
{
	char *path = (char *)(uintptr_t)unit_path(name);
	int fd;

	for (char *p = path + strlen(unit_folder) + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(path, 0755);
		*p = '/';
	}
	unlink(path);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0644);
	assert_true(fd >= 0);
	assert_int_equal(fchmod(fd, 0644), 0);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	return path;
}

UNIT_UNUSED static const char *unit_write_text(const char *name, const char *text)
{
	return unit_write(name, text, strlen(text));
}

/* Whether this process may make a file another user's, who is not nobody: packages may be built by
 * nobody. The number of the user does not tell: see tests/harness/may.sh. */
UNIT_UNUSED static bool unit_may_give_away(void)
{
	const char *path = unit_write_text("given", "");
	const bool given = chown(path, 65533, 65533) == 0;

	unlink(path);
	return given;
}

/* How many descriptors this process has open, of the first 1024. */
UNIT_UNUSED static unsigned unit_open_descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* Whether the descriptor is of that file. */
UNIT_UNUSED static bool unit_is_file(int fd, const char *path)
{
	struct stat here, there;

	return !fstat(fd, &here) && !stat(path, &there) && here.st_dev == there.st_dev &&
	       here.st_ino == there.st_ino;
}

/* The assertion for children. Those of cmocka would jump back into the child's copy of the test. */
UNIT_UNUSED static void unit_expect(bool good, const char *what)
{
	if (good)
		return;
	printf("# in the child: not so: %s\n", what);
	fflush(stdout);
	_exit(1);
}

/* Run it in a child that starts with default dispositions. Returns the child's wait status. */
UNIT_UNUSED static int unit_in_child(void (*run)(void))
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		for (int sig = 1; sig < 32; sig++)
			signal(sig, SIG_DFL);
		alarm(UNIT_CHILD_SECONDS);
		run();
		fflush(stdout);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

#define UNIT_CHILD_SKIPPED 77 /* exit status of a child that has printed a reason */

/* The unit_skip of children, with the arguments of printf. */
UNIT_UNUSED UNIT_LIKE_PRINTF static _Noreturn void unit_skip_child(const char *format, ...)
{
	char why[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(why, sizeof why, format, arguments);
	va_end(arguments);
	fflush(stdout);
	dprintf(STDOUT_FILENO, "# skipped: %s\n", why);
	_exit(UNIT_CHILD_SKIPPED);
}

UNIT_UNUSED static bool unit_child_skipped(int status)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == UNIT_CHILD_SKIPPED;
}

/* In a child: wait for a child of its own, and end as that one did unless it did well. */
UNIT_UNUSED static void unit_expect_child(pid_t child, const char *what)
{
	int status = -1;

	if (child > 0)
		waitpid(child, &status, 0);
	if (unit_child_skipped(status))
		_exit(UNIT_CHILD_SKIPPED);
	unit_expect(status == 0, what);
}

/* Whether qemu-user runs this program: see tests/cross/suite.sh. */
UNIT_UNUSED static bool unit_is_emulated(void)
{
	const char *emulator = getenv("emulator");

	return emulator && *emulator;
}

/* Whether arithmetic takes ten times as long here: in an emulator, or compiled without
 * optimization, as the short tier does with sanitizers. */
UNIT_UNUSED static bool unit_is_slow(void)
{
#ifdef __OPTIMIZE__
	return unit_is_emulated();
#else
	return true;
#endif
}

/* Send a fault's signal to this process; under qemu-user, to this thread. qemu-user has a thread of
 * its own, which blocks all signals but those of faults, and crashes if it gets one of them. */
UNIT_UNUSED static void unit_send_fault(int sig)
{
	if (unit_is_emulated())
		raise(sig);
	else
		kill(getpid(), sig);
}

/* End this test as skipped if the child was. The child has printed the reason. */
UNIT_UNUSED static void unit_skip_with(int status)
{
	if (unit_child_skipped(status))
		skip();
}

/* Run it in a child. The test passes if the child exits with 0, is skipped if the child was, and
 * fails otherwise. */
UNIT_UNUSED static void unit_child_passes(void (*run)(void))
{
	int status = unit_in_child(run);

	unit_skip_with(status);
	assert_int_equal(status, 0);
}

/* A test whose lines run in a child, where unit_expect takes the place of cmocka's assertions. */
#define TEST_IN_CHILD_WITH(name, setup, teardown) \
	static void name##_child(void); \
	TEST_WITH(name, setup, teardown) \
	{ \
		unit_child_passes(name##_child); \
	} \
	static void name##_child(void)

#define TEST_IN_CHILD(name) TEST_IN_CHILD_WITH(name, NULL, NULL)

/* A test that cannot be compiled here. */
#define TEST_NOT_HERE(name, why) \
	TEST(name) \
	{ \
		unit_skip(why); \
	}

/* A program whose tests cannot be compiled here has this one, which is skipped. */
static const char *unit_why_not;

UNIT_UNUSED static void not_here(UNIT_UNUSED void **state)
{
	unit_skip(unit_why_not);
}

UNIT_UNUSED static int unit_main_not_here(const char *name, const char *why)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(not_here) };

	unit_why_not = why;
	return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}

#endif
