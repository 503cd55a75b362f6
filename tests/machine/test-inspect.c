/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "cpucycles.h"
#include "inspect.h"

#include "unit.h"
#include "faults.h"

#include <errno.h>

static struct inspection in;

static struct candidate usable(size_t i, uint64_t precision)
{
	return (struct candidate){ .counter = counters_list[i],
				   .scaling = { 1, 1 },
				   .precision = precision };
}

static struct candidate unusable(size_t i, enum reason reason, int detail)
{
	return (struct candidate){ .counter = counters_list[i],
				   .reason = reason,
				   .detail = detail };
}

/* Cache and probe are the same: the first two counters work, the others do not. */
static int set_up(UNIT_UNUSED void **state)
{
	memset(&in, 0, sizeof in);
	strcpy(in.cache.library, "1");
	for (size_t i = 0; i < counters_count; i++)
		in.fresh[i] = i < 2 ? usable(i, 100 * (i + 1)) : unusable(i, REASON_ERRNO, ENOENT);
	memcpy(in.cache.candidates, in.fresh, sizeof in.fresh);
	in.cache.usable = 2;
	return 0;
}

static void swap(struct candidate *a, struct candidate *b)
{
	struct candidate c = *a;

	*a = *b;
	*b = c;
}

/* At most one mark, in the cases of these tests. */
static void assert_marks(const struct inspect_difference *d, const char *mark)
{
	if (!mark) {
		assert_null(d->marks[0]);
		return;
	}
	assert_string_equal(d->marks[0], mark);
	assert_null(d->marks[1]);
}

TEST_WITH(test_same, set_up, NULL)
{
	for (size_t i = 0; i < counters_count; i++) {
		struct inspect_difference d = inspect_difference(&in, i);

		assert_ptr_equal(d.cached, &in.cache.candidates[i]);
		assert_marks(&d, NULL);
	}
}

TEST_WITH(test_no_cache, set_up, NULL)
{
	struct inspect_difference d;

	in.cache.library[0] = 0;
	d = inspect_difference(&in, 0);
	assert_null(d.cached);
	assert_int_equal(d.fresh_rank, 1);
	assert_marks(&d, NULL);
}

TEST_WITH(test_rank, set_up, NULL)
{
	struct inspect_difference d;

	swap(&in.fresh[0], &in.fresh[1]);
	d = inspect_difference(&in, 0);
	assert_marks(&d, "rank");
	assert_int_equal(d.fresh_rank, 1);
	assert_int_equal(d.cached_rank, 2);
}

TEST_WITH(test_precision, set_up, NULL)
{
	struct inspect_difference d;

	in.fresh[0].precision = 75;
	d = inspect_difference(&in, 0);
	assert_marks(&d, NULL);
	in.fresh[0].precision = 74;
	d = inspect_difference(&in, 0);
	assert_marks(&d, "precision");
	in.fresh[0].precision = UINT64_MAX;
	d = inspect_difference(&in, 0);
	assert_marks(&d, "precision");
}

TEST_WITH(test_usable, set_up, NULL)
{
	struct inspect_difference d;

	in.fresh[2] = usable(2, 300);
	d = inspect_difference(&in, 2);
	assert_marks(&d, "newly-usable");
	assert_true(d.fresh_rank == 3 && d.cached_rank == 0);
	in.fresh[1] = unusable(1, REASON_SIGNAL, SIGILL);
	d = inspect_difference(&in, 1);
	assert_marks(&d, "newly-unusable");
	assert_true(d.fresh_rank == 0 && d.cached_rank == 2);
}

TEST_WITH(test_reason, set_up, NULL)
{
	struct inspect_difference d;

	in.fresh[2].detail = EACCES;
	d = inspect_difference(&in, 2);
	assert_marks(&d, "reason");
}

TEST(test_sources_of_rates)
{
	const struct rate none = { 0, 0 }, a = { 2000000000, 3 }, b = { 2000000000, 500 };

	assert_string_equal(inspect_rate_source(COUNTER_ON_CORE, none, NULL), "none");
	assert_string_equal(inspect_rate_source(COUNTER_KERNEL_COUNT, none, &a), "none");
	assert_string_equal(inspect_rate_source(COUNTER_LAST_RESORT, none, NULL), "none");
	assert_string_equal(inspect_rate_source(COUNTER_OS_CLOCK, a, &a), "definition");
	assert_string_equal(inspect_rate_source(COUNTER_OFF_CORE, none, NULL), "unknown");
	assert_string_equal(inspect_rate_source(COUNTER_OFF_CORE, none, &none), "unknown");
	assert_string_equal(inspect_rate_source(COUNTER_OFF_CORE, a, &a), "measured");
	assert_string_equal(inspect_rate_source(COUNTER_OFF_CORE, b, &a), "told");
	assert_string_equal(inspect_rate_source(COUNTER_OFF_CORE, b, NULL), "told");
}

/* Counters of core cycles behind the one in use */

static const struct counter tsc = { .name = "tsc", .class = COUNTER_OFF_CORE };
static const struct counter core = { .name = "core", .class = COUNTER_ON_CORE };
static const struct counter event = { .name = "event", .class = COUNTER_KERNEL_COUNT };

/* A ranking of tsc, core and event. The cache ranks the other way round: event, core and tsc. */
static int set_up_core(UNIT_UNUSED void **state)
{
	const struct counter *const made[] = { &tsc, &core, &event };

	memset(&in, 0, sizeof in);
	strcpy(in.cache.library, "1");
	in.implementation = "tsc";
	in.status = "missing";
	for (size_t i = 0; i < 3; i++) {
		in.fresh[i] = (struct candidate){ .counter = made[i], .precision = i + 1 };
		in.cache.candidates[2 - i] = in.fresh[i];
	}
	in.cache.usable = 3;
	return 0;
}

static void expect_core(const struct counter *counter, size_t rank)
{
	size_t got = 0;
	const struct candidate *c = inspect_core_counter(&in, &got);

	assert_ptr_equal(c ? c->counter : NULL, counter);
	assert_int_equal(c ? got : 0, rank);
}

TEST_WITH(test_core_behind, set_up_core, NULL)
{
	expect_core(&core, 2);
	in.fresh[1].reason = REASON_STILL;
	swap(&in.fresh[1], &in.fresh[2]);
	expect_core(&event, 2);
	in.fresh[1].reason = REASON_ERRNO;
	expect_core(NULL, 0);
}

TEST_WITH(test_core_in_use, set_up_core, NULL)
{
	in.implementation = "core";
	expect_core(NULL, 0);
}

/* Whoever uses a counter that ranks last has asked for it. */
TEST_WITH(test_core_before, set_up_core, NULL)
{
	swap(&in.fresh[0], &in.fresh[2]);
	expect_core(NULL, 0);
}

TEST_WITH(test_core_cached, set_up_core, NULL)
{
	in.status = "used";
	expect_core(NULL, 0);
	swap(&in.cache.candidates[0], &in.cache.candidates[2]);
	expect_core(&core, 2);
	in.tried[1].reason = REASON_ERRNO;
	expect_core(&event, 3);
	in.tried[2].reason = REASON_SIGNAL;
	expect_core(NULL, 0);
}

/* --cache without a cache in use, and without a probe. */
TEST_WITH(test_core_unknown, set_up_core, NULL)
{
	memset(in.fresh, 0, sizeof in.fresh);
	expect_core(NULL, 0);
}

static bool faulty;
long __real_cpucycles_i_file_fill(int fd, char *buffer, size_t size);
long __wrap_cpucycles_i_file_fill(int fd, char *buffer, size_t size);

/* The linker puts it in the place of file_fill. */
long __wrap_cpucycles_i_file_fill(int fd, char *buffer, size_t size)
{
	if (faulty && unit_is_file(fd, in.context.path))
		fault_segv(NULL);
	return __real_cpucycles_i_file_fill(fd, buffer, size);
}

/* The library makes its choice in the first inspection, so in the second one only the tool's own
 * look faults. */
TEST_WITH(test_fault_in_the_cache, unit_folder_make, unit_folder_remove)
{
	unsigned open;

#ifdef LINK_TIME_OPTIMIZATION
	unit_skip("--wrap cannot replace what link-time optimization has inlined");
#endif
	assert_int_equal(fault_prepare(), 0);
	setenv("CPUCYCLES_CACHE", unit_write_text("cache", "cpucycles-cache\n"), 1);
	assert_true(inspect_cache(&in));
	assert_int_equal(in.found.status, CACHE_MALFORMED);
	open = unit_open_descriptors();
	faulty = true;
	assert_true(inspect_cache(&in));
	faulty = false;
	assert_int_equal(in.signal, SIGSEGV);
	assert_int_equal(in.found.status, CACHE_UNTRUSTED);
	assert_int_equal(unit_open_descriptors(), open);
}

#if defined(__NR_openat2) && defined(HAVE_LINUX_SECCOMP_H)
static void trapped_child(void)
{
	char model[MODEL_SIZE] = "";

	cpucycles();
	/* In a container with mounts on files of /proc, the library has read the list of mounts
	 * by now, and opens files by openat(2). */
	if (sandbox(__NR_openat2, SECCOMP_RET_TRAP) || sandbox(__NR_openat, SECCOMP_RET_TRAP))
		unit_skip_child("no seccomp here");
	inspect_model(model);
	unit_expect(!strcmp(model, MACHINE_ARCHITECTURE), "the architecture stands in");
}
#endif

/* A filter that kills by SIGSYS does not end the program. */
TEST(test_trapped_model)
{
#if defined(__NR_openat2) && defined(HAVE_LINUX_SECCOMP_H)
	unit_child_passes(trapped_child);
#else
	unit_skip("no openat2 or no seccomp on this system");
#endif
}

UNIT_MAIN("inspect", NULL, NULL)
