/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "environment.h"
#include "explain.h"

#include <errno.h>

static void expect_reason(enum reason reason, int detail, const char *expected)
{
	const struct candidate c = { .counter = counters_list[0],
				     .reason = reason,
				     .detail = detail };
	const struct knobs knobs = { 0 };
	char text[EXPLAIN_TEXT];

	explain_reason(&c, &knobs, text);
	assert_non_null(strstr(text, expected));
}

TEST(test_reasons_in_words)
{
	expect_reason(REASON_ERRNO, EACCES, strerror(EACCES));
	expect_reason(REASON_SIGNAL, SIGILL, strsignal(SIGILL));
	expect_reason(REASON_CLOSED, 0, "kernel");
	expect_reason(REASON_CLOSED, ENOMEM, "cannot be mapped: ");
	expect_reason(REASON_CLOSED, ENOMEM, strerror(ENOMEM));
	expect_reason(REASON_SCALING, 0, "divide");
	expect_reason(REASON_DECREASED, 0, "backwards");
	expect_reason(REASON_STILL, 0, "not move");
	expect_reason(REASON_PRUNED, 0, "not tried");
	expect_reason(REASON_LAST_RESORT, 0, "nothing");
}

/* The knobs perf_event_paranoid and rdpmc with these values. */
static struct knobs knobs_of(int paranoid, int rdpmc)
{
	struct knobs knobs = { .count = 2 };

	knobs.knob[0].kind = knob_kind_of("/proc/sys/kernel/perf_event_paranoid");
	knobs.knob[0].value = paranoid;
	knobs.knob[1].kind = knob_kind_of("/sys/devices/cpu/rdpmc");
	knobs.knob[1].value = rdpmc;
	return knobs;
}

static void expect_hint(const struct candidate *c, const struct knobs *knobs, const char *hint)
{
	char text[EXPLAIN_TEXT];
	const char *found;

	explain_reason(c, knobs, text);
	found = strchr(text, ';');
	if (!hint)
		assert_null(found);
	else
		assert_true(found && strstr(found, hint));
}

/* What opens a counter of cycles that was refused: a knob, if it is closed, else a filter's owner.
 * No other counter has a hint. */
TEST(test_how_to_open)
{
	const struct counter clock = { .name = "clock", .class = COUNTER_OS_CLOCK };
	const struct counter core = { .name = "core", .class = COUNTER_ON_CORE };
	const struct counter count = { .name = "count", .class = COUNTER_KERNEL_COUNT };
	const char *knob = "cpucycles-open", *filter = "cpucycles-sandbox";
	const char *absent = "this machine shows no PMU: if it is virtual, only its host can";
	const char *instruction = "this CPU does not have the instruction";
	const struct {
		struct candidate candidate;
		const char *closed, *open; /* the hints where both knobs are closed or open */
	} cases[] = {
		{ { .counter = &core, .reason = REASON_ERRNO, .detail = EACCES }, knob, filter },
		{ { .counter = &core, .reason = REASON_ERRNO, .detail = EPERM }, knob, filter },
		{ { .counter = &core, .reason = REASON_CLOSED }, knob, NULL },
		{ { .counter = &core, .reason = REASON_CLOSED, .detail = ENOMEM }, NULL, NULL },
		{ { .counter = &count, .reason = REASON_ERRNO, .detail = EACCES }, knob, filter },
		{ { .counter = &core, .reason = REASON_ERRNO, .detail = ENOENT }, absent, absent },
		{ { .counter = &core, .reason = REASON_ERRNO, .detail = ENODEV }, absent, absent },
		{ { .counter = &core, .reason = REASON_ABSENT }, NULL, NULL },
		{ { .counter = &core, .reason = REASON_SIGNAL, .detail = SIGSEGV }, NULL, NULL },
		{ { .counter = &core, .reason = REASON_SIGNAL, .detail = SIGILL },
		  instruction,
		  instruction },
		{ { .counter = &core, .reason = REASON_NONE }, NULL, NULL },
		{ { .counter = &clock, .reason = REASON_ERRNO, .detail = EACCES }, NULL, NULL },
	};
	const struct knobs closed = knobs_of(3, 0), open = knobs_of(2, 1), none = { 0 };
	struct knobs unreadable = closed;

	unreadable.knob[0].error = unreadable.knob[1].error = -EACCES;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		expect_hint(&cases[i].candidate, &closed, cases[i].closed);
		expect_hint(&cases[i].candidate, &open, cases[i].open);
		const char *const same = cases[i].closed == cases[i].open ? cases[i].closed : NULL;

		expect_hint(&cases[i].candidate, &none, same);
		expect_hint(&cases[i].candidate, &unreadable, same);
	}
}

/* Whatever the knobs say: the event was opened. */
TEST(test_locked_memory)
{
	const struct counter core = { .name = "core", .class = COUNTER_ON_CORE };
	const struct candidate c = { .counter = &core, .reason = REASON_CLOSED, .detail = EPERM };
	const struct knobs closed = knobs_of(3, 0), open = knobs_of(2, 1);

	expect_hint(&c, &closed, "kernel.perf_event_mlock_kb or ulimit -l");
	expect_hint(&c, &open, "kernel.perf_event_mlock_kb or ulimit -l");
}

TEST(test_core_cycles)
{
	static const struct counter tsc = { .name = "tsc", .class = COUNTER_OFF_CORE };
	static struct counter core = { .name = "core", .class = COUNTER_KERNEL_COUNT };
	static struct inspection in = { .implementation = "tsc", .status = "missing" };
	char text[EXPLAIN_TEXT];

	in.fresh[0] = (struct candidate){ .counter = &tsc };
	assert_false(explain_core_cycles(&in, text));
	in.fresh[1] = (struct candidate){ .counter = &core };
	assert_true(explain_core_cycles(&in, text));
	assert_string_equal(text, "core counts this thread's core cycles and ranks 2: "
				  "to take it, run: export CPUCYCLES_COUNTER=kernel-count");
	core.class = COUNTER_ON_CORE;
	assert_true(explain_core_cycles(&in, text));
	assert_string_equal(text, "core counts core cycles and ranks 2: "
				  "to take it, run: export CPUCYCLES_COUNTER=on-core");
}

static void expect_remedy(struct service service, const char *expected)
{
	static struct inspection in = {
		.status = "missing",
		.wanted = true,
		.context.path = "/var/cache/cpucycles/counters",
		.found.status = CACHE_MISSING,
	};
	struct explanation e;

	in.service = service;
	explain_cache(&in, &e);
	assert_string_equal(e.remedy, expected);
}

/* A remedy names what is there, and how to get what is not. */
TEST(test_remedies)
{
	expect_remedy((struct service){ .calibrator = true }, "run as root: " CALIBRATOR_PATH);
	expect_remedy((struct service){ .calibrator = true, .systemd = true, .unit = true },
		      "run as root: systemctl enable --now cpucycles-calibrate");
	expect_remedy((struct service){ .systemd = true },
		      "install the package cpucycles-calibrate, then run as root: systemctl enable"
		      " --now cpucycles-calibrate");
	expect_remedy(
		(struct service){ 0 },
		"install the package cpucycles-calibrate, then run as root: " CALIBRATOR_PATH);
}

/* A folder where the cache should be is moved away, but not one that the environment names. */
TEST(test_folder)
{
	static struct inspection in = {
		.status = "untrusted",
		.wanted = true,
		.context.path = "/var/cache/cpucycles/counters",
		.found.status = CACHE_UNTRUSTED,
		.exists = true,
		.file.st_mode = S_IFDIR | 0755,
		.may_replace = true,
		.service.calibrator = true,
	};
	struct explanation e;

	explain_cache(&in, &e);
	assert_string_equal(e.remedy, "run as root: mv /var/cache/cpucycles/counters "
				      "/var/cache/cpucycles/counters.old && " CALIBRATOR_PATH);
	in.context.path = "/tmp";
	in.context.own = true;
	in.may_replace = false;
	explain_cache(&in, &e);
	assert_string_equal(e.remedy,
			    "name another file in CPUCYCLES_CACHE, or run: unset CPUCYCLES_CACHE");
	/* The environment may name the default path, too. There the calibrator replaces a FIFO. */
	in.context.path = "/no/such/folder/cache";
	in.file.st_mode = S_IFIFO | 0644;
	in.may_replace = true;
	explain_cache(&in, &e);
	assert_non_null(strstr(e.remedy, "rm /no/such/folder/cache && " CALIBRATOR_PATH));
	/* A device stays, wherever it is. */
	in.file.st_mode = S_IFCHR | 0644;
	explain_cache(&in, &e);
	assert_string_equal(e.remedy,
			    "name another file in CPUCYCLES_CACHE, or run: unset CPUCYCLES_CACHE");
}

/* What is no cache is not the calibrator's to replace. */
TEST(test_no_cache)
{
	static struct inspection in = {
		.status = "malformed",
		.wanted = true,
		.context = { .path = "/no/such/passwd", .own = true },
		.found = { .status = CACHE_MALFORMED, .line = 1 },
		.exists = true,
		.file.st_mode = S_IFREG | 0644,
		.service.calibrator = true,
	};
	struct explanation e;

	explain_cache(&in, &e);
	assert_string_equal(e.remedy,
			    "name another file in CPUCYCLES_CACHE, or run: unset CPUCYCLES_CACHE");
	in.may_replace = true;
	explain_cache(&in, &e);
	assert_non_null(strstr(e.remedy, CALIBRATOR_PATH " --cache /no/such/passwd"));
}

/* Whose cycles the counter in use counts. */
TEST(test_core_in_use)
{
	static struct inspection in;
	char text[EXPLAIN_TEXT];

	for (size_t i = 0; i < counters_count; i++) {
		const struct counter *c = counters_list[i];

		in.implementation = c->name;
		in.second = 3.5e9;
		assert_int_equal(explain_core_in_use(&in, text), counter_counts_core(c->class));
		if (!counter_counts_core(c->class))
			continue;
		assert_int_equal(strncmp(text, c->name, strlen(c->name)), 0);
		assert_int_equal(!!strstr(text, "this thread alone"), c->own_thread);
		assert_int_equal(!!strstr(text, "the CPU, whichever program"), !c->own_thread);
		assert_non_null(strstr(text, "takes about 3500000000 of them for a second"));
	}
}

/* Two witnesses of the core's frequency: both figures, and how to try again. */
TEST(test_contradiction)
{
	static struct inspection in = { .status = "used" };
	char text[EXPLAIN_TEXT];

	strcpy(in.cache.facts[FACT_CHECK], "agrees");
	strcpy(in.cache.facts[FACT_WITNESS], "core");
	strcpy(in.cache.facts[FACT_COUNTED], "3500000000");
	strcpy(in.cache.facts[FACT_CHAIN], "2500000000");
	explain_contradiction(&in, text);
	assert_string_equal(text, "");
	strcpy(in.cache.facts[FACT_CHECK], "contradicts");
	explain_contradiction(&in, text);
	assert_non_null(strstr(text, "core counted 3500000000 core cycles per second"));
	assert_non_null(strstr(text, "took 2500000000: one of the two is wrong"));
	assert_non_null(strstr(text, "; to measure again, calibrate with --force"));
	in.status = "missing";
	explain_contradiction(&in, text);
	assert_string_equal(text, "");
}

static void expect_path(const char *path, const char *expected)
{
	char text[EXPLAIN_TEXT];

	explain_path(path, text);
	assert_string_equal(text, expected);
}

TEST(test_paths)
{
	expect_path("/var/cache/a-b_c.d", "/var/cache/a-b_c.d");
	expect_path("a b", "'a b'");
	expect_path("it's", "'it'\\''s'");
	expect_path("$(rm)", "'$(rm)'");
	expect_path("a\033[2Jb\n", "'a?[2Jb?'");
	expect_path("", "''");
	/* Letters of UTF-8 stay; its commands to a terminal and bytes of no letter do not. */
	expect_path("/r\303\251sum\303\251", "/r\303\251sum\303\251");
	expect_path("a\302\233 2Jb", "'a?? 2Jb'");
	expect_path("a\2332J", "'a?2J'");
	expect_path("a\342\200\256b", "'a???b'");
}

TEST(test_long_path)
{
	char path[2 * EXPLAIN_TEXT], text[EXPLAIN_TEXT];

	memset(path, '\'', sizeof path - 1);
	path[sizeof path - 1] = 0;
	explain_path(path, text);
	assert_true(strlen(text) < EXPLAIN_TEXT);
	assert_int_equal(text[strlen(text) - 1], '\'');
}

/* The sentences themselves are tested in tests/sentences/test-complain.c. */
TEST(test_ignored)
{
	static struct inspection in = { .context.persecond_path = "/etc/cpucyclespersecond" };
	struct ignored ignored;

	unsetenv("CPUCYCLES_COUNTER");
	unsetenv("cpucyclespersecond");
	environment_read();
	explain_ignored(&in, &ignored);
	assert_string_equal(ignored.file, "");
	assert_string_equal(ignored.counter, "");
	assert_string_equal(ignored.persecond, "");
	in.persecond_file.exists = true;
	in.persecond_file.flaw = FLAW_NOT_A_NUMBER;
	strcpy(in.persecond_text, "3.5 GHz\n");
	setenv("CPUCYCLES_COUNTER", "nonsense", 1);
	setenv("cpucyclespersecond", "zzz", 1);
	environment_read();
	explain_ignored(&in, &ignored);
	assert_non_null(strstr(ignored.file, "cpucyclespersecond:1: \"3.5 GHz\" is not"));
	assert_non_null(strstr(ignored.counter, "CPUCYCLES_COUNTER=nonsense: "));
	assert_non_null(strstr(ignored.persecond, "cpucyclespersecond=zzz: "));
}

UNIT_MAIN("explain", NULL, NULL)
