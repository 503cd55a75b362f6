/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "info/report.h"
#include "unit.h"

#include <errno.h>

static const struct counter core = { .name = "core", .class = COUNTER_ON_CORE, .own_thread = true };
static const struct counter tsc = { .name = "tsc", .class = COUNTER_OFF_CORE };

static struct inspection in;
static struct summary summary;

/* A machine with a cache in use, where programs get the counter of that name. */
static int begin(UNIT_UNUSED void **state)
{
	memset(&in, 0, sizeof in);
	in.implementation = "tsc";
	in.status = "used";
	in.wanted = true;
	in.found.status = CACHE_USED;
	in.rate.hz = 2000000000;
	in.rate.ppm = 4;
	strcpy(in.cache.library, "0");
	for (unsigned i = 0; i < CACHE_FACTS; i++)
		strcpy(in.cache.facts[i], "unknown");
	in.cache.candidates[0] = (struct candidate){ .counter = &tsc, .precision = 24 };
	in.cache.usable = 1;
	in.knobs.count = 1;
	in.knobs.knob[0].kind = knob_kind_of("/proc/sys/kernel/perf_event_paranoid");
	in.knobs.knob[0].value = 2;
	return 0;
}

static void expect(const char *counter, const char *better, const char *remedy)
{
	summary_make(&in, &summary);
	assert_string_equal(summary.counter, counter);
	assert_string_equal(summary.better, better);
	assert_string_equal(summary.remedy, remedy);
}

#define TSC_IN_USE \
	"Programs get the counter tsc, chosen from the calibration cache. It counts the" \
	" ticks of an off-core register, at 2000000000 Hz within 4 ppm, with a" \
	" precision of 24 cycles."
#define NO_BETTER "No better counter is known here."
#define HAVE_BEST "How to get it: programs have the best counter already"

TEST_WITH(test_nothing_better, begin, NULL)
{
	expect(TSC_IN_USE, NO_BETTER, HAVE_BEST);
}

/* A counter of core cycles is the best one, whatever else is refused behind it. */
TEST_WITH(test_core, begin, NULL)
{
	in.implementation = "core";
	in.rate.hz = 0;
	in.cache.candidates[1] = in.cache.candidates[0];
	in.cache.candidates[0] = (struct candidate){ .counter = &core, .precision = 30 };
	in.cache.usable = 2;
	expect("Programs get the counter core, chosen from the calibration cache. It counts the"
	       " core's own cycles, with a precision of 30 cycles.",
	       NO_BETTER, HAVE_BEST);
}

/* Others' cycles are among those of a CPU. */
TEST_WITH(test_cpu, begin, NULL)
{
	static const struct counter cpu = { .name = "cpu", .class = COUNTER_ON_CORE };
	static const struct counter count = { .name = "count", .class = COUNTER_KERNEL_COUNT };

	in.implementation = "cpu";
	in.rate.hz = 0;
	in.cache.candidates[0] = (struct candidate){ .counter = &cpu, .precision = 90 };
	expect("Programs get the counter cpu, chosen from the calibration cache. It counts the"
	       " cycles of the core, whichever program runs there, with a precision of 90 cycles.",
	       NO_BETTER, HAVE_BEST);
	/* Also where root's cache ranks one of this thread's cycles first, and root could open it.
	 */
	in.cache.candidates[1] = in.cache.candidates[0];
	in.cache.candidates[0] = (struct candidate){ .counter = &core, .precision = 30 };
	in.cache.usable = 2;
	in.tried[0] =
		(struct candidate){ .counter = &core, .reason = REASON_ERRNO, .detail = EACCES };
	in.knobs.knob[0].value = 3;
	summary_make(&in, &summary);
	assert_string_equal(summary.better, NO_BETTER);
	assert_string_equal(summary.remedy, HAVE_BEST);
	in.implementation = "count";
	in.cache.candidates[1] = (struct candidate){ .counter = &count, .precision = 900 };
	summary_make(&in, &summary);
	assert_non_null(strstr(summary.better, "Better would be core"));
}

/* Root ranked it first, and this process may not have it. */
TEST_WITH(test_refused, begin, NULL)
{
	char better[SUMMARY_TEXT];

	snprintf(better, sizeof better,
		 "Better would be core, which counts the core's own cycles: it does not work"
		 " in this process: a call failed: %s.",
		 strerror(EACCES));
	in.cache.candidates[1] = in.cache.candidates[0];
	in.cache.candidates[0] = (struct candidate){ .counter = &core, .precision = 30 };
	in.cache.usable = 2;
	in.tried[0] =
		(struct candidate){ .counter = &core, .reason = REASON_ERRNO, .detail = EACCES };
	expect(TSC_IN_USE, better,
	       "How to get it: allow perf_event_open(2) in this container or unit, see"
	       " cpucycles-sandbox(7)");
	in.knobs.knob[0].value = 3;
	expect(TSC_IN_USE, better, "How to get it: run as root: cpucycles-open");
}

/* The same, of an instruction that this process may not execute: no setting brings it. */
TEST_WITH(test_refused_instruction, begin, NULL)
{
	static const struct counter cpu = { .name = "cpu", .class = COUNTER_ON_CORE };
	char better[SUMMARY_TEXT];

	in.cache.candidates[1] = in.cache.candidates[0];
	in.cache.candidates[0] = (struct candidate){ .counter = &cpu, .precision = 90 };
	in.cache.usable = 2;
	in.tried[0] =
		(struct candidate){ .counter = &cpu, .reason = REASON_SIGNAL, .detail = SIGILL };
	snprintf(better, sizeof better,
		 "Better would be cpu, which counts the core's own cycles: it does not work in"
		 " this process: it faulted: %s.",
		 strsignal(SIGILL));
	expect(TSC_IN_USE, better,
	       "How to get it: no setting of this system brings it, see cpucycles-counters(7)");
}

/* Each error has the remedy that helps against it. */
TEST_WITH(test_refused_by, begin, NULL)
{
	const char *filter =
		"How to get it: allow perf_event_open(2) in this container or unit, see"
		" cpucycles-sandbox(7)";
	const char *unknown = "How to get it: nothing that brings it is known, see"
			      " cpucycles-counters(7)";
	const struct {
		struct candidate tried;
		const char *remedy;
	} cases[] = {
		{ { .reason = REASON_ERRNO, .detail = EPERM }, filter },
		{ { .reason = REASON_ERRNO, .detail = ENOSYS }, filter },
		{ { .reason = REASON_SIGNAL, .detail = SIGSYS }, filter },
		{ { .reason = REASON_ERRNO, .detail = EMFILE }, unknown },
		{ { .reason = REASON_STILL }, unknown },
	};

	in.cache.candidates[1] = in.cache.candidates[0];
	in.cache.candidates[0] = (struct candidate){ .counter = &core, .precision = 30 };
	in.cache.usable = 2;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		in.tried[0] = cases[i].tried;
		in.tried[0].counter = &core;
		summary_make(&in, &summary);
		assert_non_null(strstr(summary.better, "it does not work in this process: "));
		assert_string_equal(summary.remedy, cases[i].remedy);
	}
	/* A kernel without perf events. */
	in.knobs.count = 0;
	in.tried[0].reason = REASON_ERRNO;
	in.tried[0].detail = ENOSYS;
	summary_make(&in, &summary);
	assert_string_equal(summary.remedy, unknown);
}

TEST_WITH(test_behind, begin, NULL)
{
	in.cache.candidates[1] = (struct candidate){ .counter = &core, .precision = 300 };
	in.cache.usable = 2;
	expect(TSC_IN_USE,
	       "Better would be core, which counts the core's own cycles: it works, and is ranked"
	       " lower for its precision.",
	       "How to get it: run: export CPUCYCLES_COUNTER=on-core");
}

TEST_WITH(test_unusable, begin, NULL)
{
	static const struct counter other = { .name = "other", .class = COUNTER_KERNEL_COUNT };
	struct candidate *c = &in.cache.candidates[1];
	char better[SUMMARY_TEXT];

	*c = (struct candidate){ .counter = &core, .reason = REASON_ERRNO, .detail = ENOENT };
	snprintf(better, sizeof better,
		 "Better would be core, which counts the core's own cycles: a call failed: %s.",
		 strerror(ENOENT));
	expect(TSC_IN_USE, better,
	       "How to get it: this machine shows no PMU: if it is virtual, only its host can"
	       " give it one");
	/* One that somebody can open comes before one that nobody can. */
	c[1] = (struct candidate){ .counter = &other, .reason = REASON_ERRNO, .detail = EACCES };
	in.knobs.knob[0].value = 3;
	summary_make(&in, &summary);
	assert_non_null(strstr(summary.better, "Better would be other"));
	assert_string_equal(summary.remedy, "How to get it: run as root: cpucycles-open");
}

TEST_WITH(test_no_cache, begin, NULL)
{
	in.status = "missing";
	in.found.status = CACHE_MISSING;
	in.context.path = "/var/cache/cpucycles/counters";
	in.service.calibrator = true;
	in.rate.hz = 0;
	in.fresh[0] = (struct candidate){ .counter = &tsc, .precision = 24 };
	expect("Programs get the counter tsc, chosen by measuring in their first call. It counts"
	       " the ticks of an off-core register, with a precision of 24 cycles.",
	       NO_BETTER
	       " The calibration cache, which would make first calls faster, is not in use:"
	       " there is no such"
	       " file: this machine was not calibrated.",
	       HAVE_BEST "; for the cache, run as root: " CALIBRATOR_PATH);
}

UNIT_MAIN("summary", NULL, NULL)
