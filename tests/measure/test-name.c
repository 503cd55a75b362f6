/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "events/name.h"

#include <errno.h>

static void expect_parsed(const char *text, struct event_ask *ask)
{
	struct reason_text reason;

	if (event_parse(text, strlen(text), ask, &reason))
		fail_msg("%s is refused: %s", text, reason.what);
	assert_string_equal(ask->text, text);
	assert_int_equal(reason.error, 0);
}

static void expect_refused(const char *text, size_t length)
{
	struct reason_text reason;
	struct event_ask ask;

	if (event_parse(text, length, &ask, &reason) != -EINVAL)
		fail_msg("\"%s\" is taken as %d", text, ask.source);
	assert_int_equal(reason.error, EINVAL);
	assert_true(reason.what[0]);
	for (const char *p = reason.what; *p; p++)
		assert_true(*p >= ' ' && *p <= '~');
	assert_int_equal(event_parse(text, length, &ask, NULL), -EINVAL);
}

TEST(names_of_the_kernel)
{
	static const struct {
		const char *text;
		enum event_source source;
		uint64_t number;
	} table[] = {
		{ "cpu-cycles", EVENT_HARDWARE, 0 },
		{ "cycles", EVENT_HARDWARE, 0 },
		{ "instructions", EVENT_HARDWARE, 1 },
		{ "cache-references", EVENT_HARDWARE, 2 },
		{ "cache-misses", EVENT_HARDWARE, 3 },
		{ "branches", EVENT_HARDWARE, 4 },
		{ "branch-instructions", EVENT_HARDWARE, 4 },
		{ "branch-misses", EVENT_HARDWARE, 5 },
		{ "bus-cycles", EVENT_HARDWARE, 6 },
		{ "stalled-cycles-frontend", EVENT_HARDWARE, 7 },
		{ "idle-cycles-frontend", EVENT_HARDWARE, 7 },
		{ "stalled-cycles-backend", EVENT_HARDWARE, 8 },
		{ "idle-cycles-backend", EVENT_HARDWARE, 8 },
		{ "ref-cycles", EVENT_HARDWARE, 9 },
		{ "cpu-clock", EVENT_SOFTWARE, 0 },
		{ "task-clock", EVENT_SOFTWARE, 1 },
		{ "page-faults", EVENT_SOFTWARE, 2 },
		{ "faults", EVENT_SOFTWARE, 2 },
		{ "context-switches", EVENT_SOFTWARE, 3 },
		{ "cs", EVENT_SOFTWARE, 3 },
		{ "cpu-migrations", EVENT_SOFTWARE, 4 },
		{ "migrations", EVENT_SOFTWARE, 4 },
		{ "minor-faults", EVENT_SOFTWARE, 5 },
		{ "major-faults", EVENT_SOFTWARE, 6 },
		{ "alignment-faults", EVENT_SOFTWARE, 7 },
		{ "emulation-faults", EVENT_SOFTWARE, 8 },
		{ "L1-dcache-loads", EVENT_CACHE, 0 },
		{ "L1-dcache-load-misses", EVENT_CACHE, 0x10000 },
		{ "L1-icache-prefetch-misses", EVENT_CACHE, 0x10201 },
		{ "LLC-stores", EVENT_CACHE, 0x102 },
		{ "dTLB-store-misses", EVENT_CACHE, 0x10103 },
		{ "iTLB-load-misses", EVENT_CACHE, 0x10004 },
		{ "branch-loads", EVENT_CACHE, 5 },
		{ "node-prefetches", EVENT_CACHE, 0x206 },
		/* Only libpfm4 may know these. */
		{ "Instructions", EVENT_OTHER, 0 },
		{ "iTLB-stores", EVENT_OTHER, 0 },
		{ "L1-dcache", EVENT_OTHER, 0 },
		{ "instruction", EVENT_OTHER, 0 },
	};

	for (size_t i = 0; i < N(table); i++) {
		struct event_ask ask;

		expect_parsed(table[i].text, &ask);
		if (ask.source != table[i].source || ask.number != table[i].number)
			fail_msg("%s: source %d, number 0x%llx", table[i].text, ask.source,
				 (unsigned long long)ask.number);
		assert_false(ask.user || ask.kernel);
	}
}

TEST(the_list_of_names)
{
	struct event_name name, other;
	size_t n = 0;

	for (; event_name_at(n, &name); n++) {
		struct event_ask ask;

		expect_parsed(name.name, &ask);
		assert_int_equal(ask.source, name.source);
		assert_int_equal(ask.number, name.number);
		assert_true(name.what[0]);
		/* Nothing was cut off. */
		assert_true(strlen(name.what) < sizeof name.what - 1);
		assert_true(strlen(name.name) < sizeof name.name - 1);
		for (size_t i = 0; i < n; i++) {
			assert_true(event_name_at(i, &other));
			assert_false(name.source == other.source && name.number == other.number);
		}
	}
	/* 10 of hardware, 9 of software; 6 of each cache, but 4 and twice 2 of three of them. */
	assert_int_equal(n, 10 + 9 + 4 * 6 + 4 + 2 * 2);
	assert_false(event_name_at(n + 1, &name));
	assert_false(event_name_at(SIZE_MAX, &name));
}

TEST(letters_for_user_and_kernel)
{
	static const struct {
		const char *text;
		enum event_source source;
		bool user, kernel;
	} table[] = {
		{ "instructions:u", EVENT_HARDWARE, true, false },
		{ "page-faults:k", EVENT_SOFTWARE, false, true },
		{ "LLC-loads:uk", EVENT_CACHE, true, true },
		{ "cycles:ku", EVENT_HARDWARE, true, true },
		{ "cycles:k:u", EVENT_HARDWARE, true, true },
		{ "r1:u", EVENT_RAW, true, false },
		{ "cpu/event=0x3c/u", EVENT_PMU, true, false },
		{ "cpu/event=0x3c/:uk", EVENT_PMU, true, true },
		{ "cpu/event=0x3c/k:u", EVENT_PMU, true, true },
		{ "msr/tsc/", EVENT_PMU, false, false },
		{ "mem:0x10:u", EVENT_BREAKPOINT, true, false },
		{ "mem:0x10/8:w:k", EVENT_BREAKPOINT, false, true },
		{ "RETIRED:ANY:k", EVENT_OTHER, false, true },
		{ "RETIRED:c=2:e", EVENT_OTHER, false, false },
	};

	for (size_t i = 0; i < N(table); i++) {
		struct event_ask ask;

		expect_parsed(table[i].text, &ask);
		if (ask.source != table[i].source || ask.user != table[i].user ||
		    ask.kernel != table[i].kernel)
			fail_msg("%s: source %d, user %d, kernel %d", table[i].text, ask.source,
				 ask.user, ask.kernel);
	}
}

TEST(raw_with_parts)
{
	static const struct {
		const char *text;
		uint64_t number;
		struct event_parts parts;
	} table[] = {
		{ "r0", 0, { .count = 0 } },
		{ "r01c0", 0x1c0, { .count = 0 } },
		{ "rFfffffffffffffff", UINT64_MAX, { .count = 0 } },
		{ "r1:c=2", 1, { .count = 2 } },
		{ "r1:c=0", 1, { .count = 0 } },
		{ "r1:c=255", 1, { .count = 255 } },
		{ "r1:e", 1, { .edge = true } },
		{ "r1:i", 1, { .invert = true } },
		{ "r1:ue:i", 1, { .edge = true, .invert = true } },
		{ "r1:um=0f", 1, { .has_mask = true, .mask = 0x0f } },
		{ "r1:um=0", 1, { .has_mask = true, .mask = 0 } },
		{ "r1:um=0e", 1, { .has_mask = true, .mask = 0x0e } },
		{ "r1:um=e", 1, { .has_mask = true, .mask = 0x04 } },
		{ "r1:um=mesi", 1, { .has_mask = true, .mask = 0x0f } },
		{ "r1:um=a", 1, { .has_mask = true, .mask = 0x20 } },
		{ "r1:um=ism", 1, { .has_mask = true, .mask = 0x0b } },
		{ "r1:i:um=10:c=7:e:uk", 1, { true, true, true, 0x10, 7 } },
	};

	for (size_t i = 0; i < N(table); i++) {
		const struct event_parts *expected = &table[i].parts;
		struct event_ask ask;

		expect_parsed(table[i].text, &ask);
		assert_int_equal(ask.source, EVENT_RAW);
		if (ask.number != table[i].number || ask.parts.has_mask != expected->has_mask ||
		    ask.parts.mask != expected->mask || ask.parts.count != expected->count ||
		    ask.parts.edge != expected->edge || ask.parts.invert != expected->invert)
			fail_msg("%s: number 0x%llx, mask %d 0x%x, count %u, edge %d, invert %d",
				 table[i].text, (unsigned long long)ask.number, ask.parts.has_mask,
				 ask.parts.mask, ask.parts.count, ask.parts.edge, ask.parts.invert);
	}
}

TEST(function_words)
{
	struct event_ask ask;

	expect_parsed("0x24301C0", &ask);
	assert_int_equal(ask.source, EVENT_WORD);
	assert_int_equal(ask.number, 0xc0);
	assert_true(ask.user && ask.kernel && ask.parts.has_mask);
	assert_int_equal(ask.parts.mask, 1);
	assert_int_equal(ask.parts.count, 2);
}

TEST(breakpoints)
{
	static const struct {
		const char *text;
		uint64_t address;
		unsigned length, access;
	} table[] = {
		{ "mem:0x12ab", 0x12ab, 4, EVENT_READ | EVENT_WRITE },
		{ "mem:0x12ab/1", 0x12ab, 1, EVENT_READ | EVENT_WRITE },
		{ "mem:0x10/8:w", 0x10, 8, EVENT_WRITE },
		{ "mem:0x10:r", 0x10, 4, EVENT_READ },
		{ "mem:0x10:wr:u", 0x10, 4, EVENT_READ | EVENT_WRITE },
		{ "mem:0xffffffffffffffff:x", UINT64_MAX, sizeof(long), EVENT_EXECUTE },
	};

	for (size_t i = 0; i < N(table); i++) {
		struct event_ask ask;

		expect_parsed(table[i].text, &ask);
		assert_int_equal(ask.source, EVENT_BREAKPOINT);
		if (ask.number != table[i].address || ask.length != table[i].length ||
		    ask.access != table[i].access)
			fail_msg("%s: 0x%llx, length %u, access %u", table[i].text,
				 (unsigned long long)ask.number, ask.length, ask.access);
	}
}

TEST(pmus_and_others)
{
	struct event_ask ask;

	expect_parsed("cpu_core/event=0x3c,umask=1,edge/u", &ask);
	assert_string_equal(ask.pmu, "cpu_core");
	assert_string_equal(ask.terms, "event=0x3c,umask=1,edge");
	expect_parsed("a.b-c/d.e-f/", &ask);
	assert_string_equal(ask.pmu, "a.b-c");
	assert_string_equal(ask.terms, "d.e-f");
	expect_parsed("skl::INST_RETIRED:ANY_P:c=1:u:k", &ask);
	assert_int_equal(ask.source, EVENT_OTHER);
	assert_string_equal(ask.rest, "skl::INST_RETIRED:ANY_P:c=1");
	assert_true(ask.user && ask.kernel);
	expect_parsed("rxyz", &ask);
	assert_string_equal(ask.rest, "rxyz");
	expect_parsed("r", &ask);
	assert_int_equal(ask.source, EVENT_OTHER);
}

TEST(what_is_no_event)
{
	static const char *const table[] = {
		/* letters */
		"cycles:",
		"cycles:x",
		"cycles:uu",
		"cycles:u:u",
		"cycles::u",
		"cycles:e",
		"cycles:c=2",
		"page-faults:um=0f",
		":u",
		"FOO:u:u",
		"FOO:uku",
		"/",
		",",
		/* raw */
		"r12345678123456789",
		"r1:",
		"r1:c",
		"r1:c=",
		"r1:c=256",
		"r1:c=0x1",
		"r1:c=-1",
		"r1:c=1:c=1",
		"r1:c=0:c=0",
		"r1:um",
		"r1:um=",
		"r1:um=100",
		"r1:um=0x1",
		"r1:um=ff",
		"r1:um=x",
		"r1:um=mm",
		"r1:um=0g",
		"r1:um=1:um=1",
		"r1:um=0:um=m",
		"r1:e:e",
		"r1:ee",
		"r1:uux",
		"r1::u",
		"r1:u:",
		"r1:E",
		/* function words */
		"0x",
		"0xg",
		"0x4300c0:u",
		"0x4300c0:",
		"0xc0",
		"0x5300c0",
		"0x4300c0 ",
		"0x14300c00000000000",
		"0x1000000004300c0",
		/* breakpoints */
		"mem:",
		"mem:10",
		"mem:0x",
		"mem:0xg",
		"mem:0x10/",
		"mem:0x10/3",
		"mem:0x10/16",
		"mem:0x10:",
		"mem:0x10:rr",
		"mem:0x10:rx",
		"mem:0x10:ru",
		"mem:0x10:u:r",
		"mem:0x10:r:w",
		"mem:0x10/1:x",
		"mem:0x11111111111111111",
		"mem:0x10,",
		"mem:0x10:c=1",
		/* PMUs */
		"cpu/",
		"cpu//",
		"cpu/a",
		"/a/",
		"../a/",
		"./a/",
		".a/b/",
		"a..b/c/",
		"cpu/a b/",
		"cpu/a?/",
		"cpu/a/x",
		"cpu/a/uu",
		"cpu/a/u:u",
		"cpu/a/e",
		"cpu/a/:c=1",
		"cpu/a/b/",
		"cpu/a//",
		"cpu/a/:",
		"c:u/a/",
		"cpu/a=\x01/",
		"cpu/../a/",
		/* lists and characters */
		"cycles,",
		"cycles,instructions",
		"cycles ",
		" cycles",
		"cycles\n",
		"\x1b[31m",
		"a\x7f",
		"\xc3\xa4",
	};

	for (size_t i = 0; i < N(table); i++)
		expect_refused(table[i], strlen(table[i]));
	expect_refused("", 0);
	expect_refused("cycles\0x", 8);
}

TEST(long_texts)
{
	char text[EVENT_TEXT + 1];
	struct event_ask ask;

	memset(text, 'x', sizeof text);
	expect_refused(text, EVENT_TEXT);
	text[EVENT_TEXT - 1] = 0;
	expect_parsed(text, &ask);
	assert_string_equal(ask.rest, text);
}

TEST(reasons_name_text_and_expectation)
{
	struct reason_text reason;
	struct event_ask ask;

	event_parse("r01c0:c=256", 11, &ask, &reason);
	assert_non_null(strstr(reason.what, "r01c0:c=256: "));
	assert_non_null(strstr(reason.what, "c=0 to c=255"));
	event_parse("0x00c0", 6, &ask, &reason);
	assert_non_null(strstr(reason.what, "0x400000 (enable)"));
	assert_non_null(strstr(reason.what, "0xffc7ffff"));
	event_parse("ab\tc", 4, &ask, &reason);
	assert_non_null(strstr(reason.what, "0x09 after \"ab\""));
}

TEST(lists)
{
	static const struct {
		const char *list, *events[6];
	} table[] = {
		{ "", { NULL } },
		{ "cycles", { "cycles" } },
		{ "a,b:u,c", { "a", "b:u", "c" } },
		{ "cpu/a=1,b/u,mem:0x10/4:w,c", { "cpu/a=1,b/u", "mem:0x10/4:w", "c" } },
		{ "mem:0x10/4,mem:0x20/4,p/q,r/", { "mem:0x10/4", "mem:0x20/4", "p/q,r/" } },
		{ "cpu/a,b", { "cpu/a,b" } },
		{ "a,,b", { "a", "", "b" } },
		{ ",a", { "", "a" } },
		{ "a,", { "a," } },
		{ ",", { "," } },
		{ "a,,", { "a", "," } },
	};

	for (size_t i = 0; i < N(table); i++) {
		const char *p = table[i].list, *event;
		size_t length, n = 0;

		for (; (event = event_next(&p, &length)); n++) {
			const char *expected = table[i].events[n];

			if (!expected || strlen(expected) != length ||
			    memcmp(expected, event, length) != 0)
				fail_msg("\"%s\": event %zu is \"%.*s\", expected \"%s\"",
					 table[i].list, n, (int)length, event,
					 expected ? expected : "none");
		}
		assert_null(table[i].events[n]);
	}
}

UNIT_MAIN("name", NULL, NULL)
