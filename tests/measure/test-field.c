/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "events/field.h"

#include <errno.h>

TEST(values_in_their_bits)
{
	static const struct {
		const char *format;
		uint64_t value;
		unsigned word;
		uint64_t expected, taken;
	} table[] = {
		{ "config:0-7", 0x3c, 0, 0x3c, 0xff },
		{ "config:0-7\n", 0x3c, 0, 0x3c, 0xff },
		{ "config:8-15", 0x0f, 0, 0x0f00, 0xff00 },
		{ "config:21", 1, 0, 0x200000, 0x200000 },
		{ "config:21", 0, 0, 0, 0x200000 },
		{ "config:0-7,32-35", 0xabc, 0, UINT64_C(0xa000000bc), UINT64_C(0xf000000ff) },
		{ "config:1,3,5", 5, 0, 0x22, 0x2a },
		{ "config:0-63", UINT64_MAX, 0, UINT64_MAX, UINT64_MAX },
		{ "config:63", 1, 0, UINT64_C(1) << 63, UINT64_C(1) << 63 },
		{ "config1:0", 1, 1, 1, 1 },
		{ "config2:4-5", 2, 2, 0x20, 0x30 },
	};

	for (size_t i = 0; i < N(table); i++) {
		struct event_config config = { .value = { 0 } };
		const int error = event_field_place(table[i].format, table[i].value, &config);

		if (error || config.value[table[i].word] != table[i].expected ||
		    config.taken[table[i].word] != table[i].taken)
			fail_msg("%s: error %d, value 0x%llx of 0x%llx", table[i].format, error,
				 (unsigned long long)config.value[table[i].word],
				 (unsigned long long)config.taken[table[i].word]);
	}
}

TEST(formats_that_are_none)
{
	static const char *const table[] = {
		"",
		"\n",
		"config",
		"config:",
		"config: 0-7",
		"config3:0",
		"config0:0-7",
		"config10:0",
		"config:64",
		"config:0-64",
		"config:7-0",
		"config:-7",
		"config:0-",
		"config:0-7,",
		"config:0-7,,9",
		"config:8-15,0-7",
		"config:0-7,7-9",
		"config:0,0",
		"config:0-7 ",
		"config:0-7\n\n",
		"config:0-7\nx",
		"Config:0-7",
		"configs:0-7",
		"config:0x0-7",
		"config:18446744073709551616",
		"period:0-7",
		"config:+1",
		"config:0-7;",
		"config:0-3-5",
	};

	for (size_t i = 0; i < N(table); i++) {
		struct event_config config = { .value = { 0 } };

		if (event_field_place(table[i], 0, &config) != -EINVAL)
			fail_msg("\"%s\" is taken", table[i]);
		assert_int_equal(config.taken[0] | config.taken[1] | config.taken[2], 0);
	}
}

TEST(values_that_do_not_fit)
{
	struct event_config config = { .value = { 0 } };

	assert_int_equal(event_field_place("config:0-7", 0x100, &config), -ERANGE);
	assert_int_equal(event_field_place("config:5", 2, &config), -ERANGE);
	assert_int_equal(event_field_place("config:0-7,32-35", 0x1000, &config), -ERANGE);
	assert_int_equal(config.value[0] | config.taken[0], 0);
}

TEST(no_bit_twice)
{
	struct event_config config = { .value = { 0 } };

	assert_int_equal(event_field_place("config:0-7", 0, &config), 0);
	assert_int_equal(event_field_place("config:7-8", 0, &config), -EEXIST);
	assert_int_equal(event_field_place("config1:0-7", 1, &config), 0);
	assert_int_equal(event_field_place("config:8-15", 1, &config), 0);
	assert_int_equal(config.value[0], 0x100);
	assert_int_equal(config.taken[0], 0xffff);

	/* A raw code that was there before. */
	config = (struct event_config){ .value = { 0x01c0 } };
	assert_int_equal(event_field_place("config:8-15", 15, &config), -EEXIST);
	assert_int_equal(event_field_place("config:24-31", 2, &config), 0);
	assert_int_equal(config.value[0], 0x20001c0);
}

TEST(terms_in_order)
{
	const char *text = "event=0x3c,umask=10,edge,a.b-c_d=0xFFffffffffffffff";
	struct event_term term;
	bool bad = true;

	assert_true(event_term_next(&text, &term, &bad));
	assert_string_equal(term.name, "event");
	assert_int_equal(term.value, 0x3c);
	assert_true(event_term_next(&text, &term, &bad));
	assert_string_equal(term.name, "umask");
	assert_int_equal(term.value, 10);
	assert_true(event_term_next(&text, &term, &bad));
	assert_string_equal(term.name, "edge");
	assert_int_equal(term.value, 1);
	assert_true(event_term_next(&text, &term, &bad));
	assert_string_equal(term.name, "a.b-c_d");
	assert_true(term.value == UINT64_MAX);
	assert_false(event_term_next(&text, &term, &bad));
	assert_false(bad);
	assert_string_equal(text, "");
}

TEST(terms_that_are_none)
{
	static const char *const table[] = {
		",",
		"a,",
		"a,,b",
		"=1",
		"a=",
		"a=0x",
		"a=?",
		"a=1?",
		"a=-1",
		"a=0xg",
		"a=1 ",
		" a",
		"a b",
		"a=b",
		"a=1=2",
		"a/b",
		"a\n",
		"a=+1",
		"a=18446744073709551616",
		"a=0x10000000000000000",
		"a=1,b=0X1",
		"an.name.of.64.characters.which.is.one.more.than.a.term.may.have.",
	};

	for (size_t i = 0; i < N(table); i++) {
		const char *text = table[i], *before = text;
		struct event_term term;
		bool bad;

		while (event_term_next(&text, &term, &bad))
			before = text;
		if (!bad)
			fail_msg("\"%s\" is taken", table[i]);
		assert_ptr_equal(text, before);
	}
}

UNIT_MAIN("field", NULL, NULL)
