/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* cpucycles_measure_print() on the counters of this machine. */

#include "config.h"

#include "comma.h"
#include "cpucycles-measure.h"
#include "unit.h"

#include <errno.h>
#include <wchar.h>

#define WORDS 20000

static char printed[WORDS];

static void multiply(void *context)
{
	uint64_t x = 1;

	for (unsigned i = 0; i < *(const unsigned *)context; i++) {
		x = x * UINT64_C(6364136223846793005) + i;
		cpucycles_keep(&x);
	}
}

static void empty(void *context)
{
	(void)context;
}

static unsigned thousand = 1000, hundred_thousand = 100000;

/* Enough samples for a verdict, also where a sanitizer or a busy machine makes them slow. */
static const struct cpucycles_plan hundred = { .size = sizeof hundred,
					       .samples = 100,
					       .budget_ns = UINT64_C(60000000000) };

static int print(const struct cpucycles_work works[], size_t n, const struct cpucycles_plan *plan)
{
	FILE *to = fmemopen(printed, sizeof printed, "w");
	int answer;

	assert_non_null(to);
	memset(printed, 0, sizeof printed);
	answer = cpucycles_measure_print(to, works, n, plan);
	assert_int_equal(fclose(to), 0);
	return answer;
}

static void expect(const char *part)
{
	if (!strstr(printed, part))
		print_message("%s", printed);
	assert_non_null(strstr(printed, part));
}

static bool has(const char *part)
{
	return strstr(printed, part) != NULL;
}

/* A clock with a step of a microsecond, unless this machine has a counter of cycles. This is the
 * first test, because the child chooses a counter, which works only before the process has one. */
TEST_IN_CHILD(too_fast)
{
	const struct cpucycles_work works[] = {
		CPUCYCLES_WORK("empty", empty, NULL),
		CPUCYCLES_WORK("slow", multiply, &hundred_thousand),
		CPUCYCLES_WORK(NULL, multiply, &hundred_thousand),
	};
	const struct cpucycles_work last[] = { works[1], works[0], works[2] };
	/* An input that is made anew forbids loops. */
	const struct cpucycles_work renewed = { .size = sizeof(struct cpucycles_work),
						.name = "empty",
						.call = empty,
						.before = empty };
	int answer;

	setenv("CPUCYCLES_COUNTER", "default-gettimeofday", 1);
	answer = print(works, 3, NULL);
	if (answer == 0 || (has("counter: ") && !has("counter: default-gettimeofday")))
		unit_skip_child("an empty function is not too fast here");
	unit_expect(answer == -ERANGE, "the first one is too fast");
	unit_expect(has("too fast to measure: "), "its row says so");
	unit_expect(has("\nempty has no figures, so nothing is compared with it.\n"), "a sentence");
	unit_expect(has("\nslow ") && has("\nwork "), "the others have rows");
	unit_expect(!has("\nwork is ") && !has("\nwork takes ") && !has("work relative"),
		    "the others are not compared");
	unit_expect(print(last, 3, NULL) == -ERANGE, "the second one is too fast");
	unit_expect(!has("nothing is compared") && !has("\nempty is ") && !has("\nempty takes ") &&
			    !has("empty relative"),
		    "it is not compared");
	unit_expect(has("\nwork relative to slow: ") || has("\nwork is ") || has("\nwork takes "),
		    "the third one is");
	unit_expect(print(&renewed, 1, NULL) == -ERANGE, "the only one is too fast");
	unit_expect(!has("nothing is compared"), "there is no other");
	/* Alone, it has the time for a long loop. */
	unit_expect(print(works, 1, NULL) == 0 && has("in a loop of "), "a loop of an empty one");
}

TEST(table)
{
	const struct cpucycles_work works[] = {
		CPUCYCLES_WORK("thousand", multiply, &thousand),
		{ .size = sizeof(struct cpucycles_work),
		  .name = "many\033",
		  .call = multiply,
		  .context = &hundred_thousand,
		  .bytes = 8 },
	};

	assert_int_equal(print(works, 2, &hundred), 0);
	expect("counter: ");
	expect("/byte");
	expect("\nthousand ");
	expect("\nmany\\x1b ");
	expect("many\\x1b takes ");
	expect(" times as long as thousand (");
	expect(") in this process, at these addresses.");
	assert_int_equal(print(works, 1, NULL), 0);
	assert_null(strstr(printed, "relative to"));
}

/* Also then, all numbers have a point. */
TEST(a_locale_with_a_comma)
{
	const struct cpucycles_work works[] = {
		CPUCYCLES_WORK("thousand", multiply, &thousand),
		{ .size = sizeof(struct cpucycles_work),
		  .name = "many",
		  .call = multiply,
		  .context = &hundred_thousand,
		  .bytes = 8 },
	};
	const struct cpucycles_plan plan = { .size = sizeof plan, .alpha = 1.5 };

	if (!comma_set())
		unit_skip("this libc has no locale with a decimal comma");
	assert_int_equal(print(works, 2, NULL), 0);
	assert_non_null(strpbrk(printed, "."));
	for (const char *at = printed; (at = strchr(at, ',')); at++)
		assert_true(at[1] == ' ');
	assert_int_equal(print(works, 1, &plan), -EINVAL);
	expect("alpha is 1.5, ");
	setlocale(LC_NUMERIC, "C");
}

TEST(mistakes)
{
	struct cpucycles_work work = { .size = sizeof(struct cpucycles_work), .name = "thousand" };
	const struct cpucycles_plan plan = { .size = sizeof plan, .alpha = 2 };
	const struct cpucycles_plan small = { .size = 1 };

	assert_int_equal(print(&work, 0, NULL), -EINVAL);
	assert_string_equal(printed, "works: 0, expected 1 or more\n");
	assert_int_equal(print(&work, SIZE_MAX, NULL), -EINVAL);
	assert_int_equal(print(&work, 1, NULL), -EINVAL);
	assert_string_equal(printed, "work 0 has no function\n");
	assert_int_equal(print(NULL, 1, NULL), -EINVAL);
	assert_int_equal(cpucycles_measure_print(NULL, &work, 1, NULL), -EINVAL);
	work.call = multiply;
	work.context = &thousand;
	assert_int_equal(print(&work, 1, &plan), -EINVAL);
	expect("alpha is 2, ");
	assert_int_equal(print(&work, 1, &small), -EINVAL);
	expect("plan: the size is 1, ");
}

/* Also those of one name, and without a name, can be told apart. */
TEST(names)
{
	const struct cpucycles_work works[] = {
		CPUCYCLES_WORK("a", multiply, &thousand),
		CPUCYCLES_WORK("a", multiply, &thousand),
		CPUCYCLES_WORK(NULL, multiply, &thousand),
		CPUCYCLES_WORK("", multiply, &thousand),
	};

	assert_int_equal(print(works, 4, NULL), 0);
	expect("\na ");
	expect("\na (2) ");
	expect("\nwork ");
	expect("\nwork (2) ");
}

/* A stream of wide characters would take none of the text. */
TEST(wide)
{
	const struct cpucycles_work work = CPUCYCLES_WORK("thousand", multiply, &thousand);
	FILE *to = tmpfile();

	assert_non_null(to);
	assert_true(fwide(to, 1) > 0);
	assert_int_equal(cpucycles_measure_print(to, &work, 1, NULL), -EINVAL);
	assert_int_equal(fclose(to), 0);
}

/* The plan's number of samples is what there is room for. */
TEST(samples)
{
	const struct cpucycles_work work = CPUCYCLES_WORK("thousand", multiply, &thousand);

	assert_int_equal(print(&work, 1, &hundred), 0);
	expect("00\n");
}

TEST(full_disk)
{
	const struct cpucycles_work work = CPUCYCLES_WORK("t", multiply, &thousand);
	FILE *to = fopen("/dev/full", "w");

	if (!to)
		unit_skip("no /dev/full");
	assert_int_equal(cpucycles_measure_print(to, &work, 1, NULL), -EIO);
	fclose(to);
}

int main(void)
{
	setenv("CPUCYCLES_CACHE", "none", 1);
	return unit_run("print", NULL, NULL);
}
