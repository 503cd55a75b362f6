/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Who owns a meter, in real threads and children, with a kernel that clears pages in children, with
 * an older one, and with an emulator that only says so. */

#include "config.h"

#include "unit.h"
#include "owner.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>

#ifdef __linux__
#include <sched.h>
#include <sys/syscall.h>
#endif

static struct owner owner;

/* The kernel's answer to madvise(2). */
static enum { REAL, TOO_OLD, PRETENDS } kernel;

#if HAVE_DECL_MADV_WIPEONFORK
/* owner.c calls this one. */
int madvise(void *page, size_t size, int advice)
{
	if (kernel == REAL)
		return (int)syscall(SYS_madvise, page, size, advice);
	errno = EINVAL;
	return kernel == TOO_OLD ? -1 : 0;
}
#endif

static void *ask_in_thread(void *is_caller)
{
	*(bool *)is_caller = owner_is_caller(&owner) || !owner_is_process(&owner);
	return NULL;
}

static void be_foreign(void)
{
	struct owner own;

	unit_expect(!owner_is_caller(&owner) && !owner_is_process(&owner), "a child is no owner");
	owner_begin(&own);
	unit_expect(owner_is_caller(&own), "a child may own something");
	unit_expect(!owner_is_caller(&owner), "its parent's is still foreign");
	owner_end(&own);
	owner_end(&owner);
}

static void be_grandchild(void)
{
	be_foreign();
	owner_begin(&owner);
	unit_expect(unit_in_child(be_foreign) == 0, "a grandchild");
	unit_expect(owner_is_caller(&owner), "the child's stays its own");
}

static void expect_owners(void)
{
	bool is_caller = true;
	pthread_t thread;

	owner_begin(&owner);
	assert_true(owner_is_caller(&owner) && owner_is_process(&owner));
	assert_int_equal(pthread_create(&thread, NULL, ask_in_thread, &is_caller), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_false(is_caller);
	assert_int_equal(unit_in_child(be_foreign), 0);
	assert_int_equal(unit_in_child(be_grandchild), 0);
	assert_true(owner_is_caller(&owner));
	owner_end(&owner);
}

TEST(cleared_pages)
{
	kernel = REAL;
	expect_owners();
}

TEST(without_cleared_pages)
{
	for (kernel = TOO_OLD; kernel <= PRETENDS; kernel++) {
		expect_owners();
		owner_begin(&owner);
		assert_true(!HAVE_DECL_MADV_WIPEONFORK || !owner.page);
		owner_end(&owner);
	}
	kernel = REAL;
}

#ifdef __linux__
static int be_foreign_clone(void *unused)
{
	(void)unused;
	be_foreign();
	return 0;
}

/* A child that no handler of pthread_atfork(3) sees. */
TEST(clones)
{
	static char stack[65536] __attribute__((aligned(64)));
	int status = -1;
	pid_t child;

	owner_begin(&owner);
	child = clone(be_foreign_clone, stack + sizeof stack, SIGCHLD, NULL);
	if (child < 0)
		unit_skip("clone(2) is refused");
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_true(owner_is_caller(&owner));
	owner_end(&owner);
}

/* A child in its parent's memory leaves the parent's meter alone. */
TEST(vforks)
{
	int status = -1;
	pid_t child;

	owner_begin(&owner);
	child = vfork();
	if (child == 0)
		_exit(0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(owner_is_caller(&owner));
	owner_end(&owner);
}
#endif

UNIT_MAIN("owner", NULL, NULL)
