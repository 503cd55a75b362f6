/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Names of C++, as people write them. */

#include "config.h"

#include "measure/files/cxx-name.h"
#include "unit.h"

#include <string.h>

TEST(kind)
{
	assert_false(cxx_is_name("f"));
	assert_false(cxx_is_name("_Z1fv"));
	assert_true(cxx_is_name("ns::f"));
	assert_true(cxx_is_name("f<1>"));
	assert_true(cxx_is_name("f(int)"));
}

TEST(last_part)
{
	static const char *const parts[][2] = {
		{ "f", "f" },
		{ "_Z1fv", "_Z1fv" },
		{ "ns::f", "f" },
		{ "ns::f<1>(int)", "f" },
		{ "f(ns::type)", "f" },
		{ "ns::box<other::type>::open(int)", "open" },
		{ "(anonymous namespace)::f()", "f" },
		{ "ns::(anonymous namespace)::f", "f" },
		{ "f<std::pair<int, int>>", "f" },
	};

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		size_t length;
		const char *const part = cxx_last_part(parts[i][0], &length);

		assert_int_equal(length, strlen(parts[i][1]));
		assert_memory_equal(part, parts[i][1], length);
	}
}

TEST(mangled_part)
{
	static const char name[] = "_ZN2ns11fEv";

	assert_string_equal(cxx_find_part("_ZN2ns1fEv", "f", 1), "1fEv");
	assert_string_equal(cxx_find_part("_Z1fv", "f", 1), "1fv");
	assert_string_equal(cxx_find_part("_ZN12_GLOBAL__N_11fEv", "f", 1), "1fEv");
	/* A scope whose name ends in a digit, literals and substitutions. */
	assert_string_equal(cxx_find_part("_ZN2a21fEv", "f", 1), "1fEv");
	assert_string_equal(cxx_find_part("_ZN3Li31fEv", "f", 1), "1fEv");
	assert_string_equal(cxx_find_part("_ZN3BoxILi3EE4openEv", "open", 4), "4openEv");
	assert_string_equal(cxx_find_part("_ZNS2_4openEv", "open", 4), "4openEv");
	/* The length is 11. */
	assert_null(cxx_find_part(name, "f", 1));
	assert_null(cxx_find_part("_Z2ffv", "f", 1));
	assert_null(cxx_find_part("1f", "f", 1));
}

static bool matches(const char *demangled, const char *asked, const char *rest)
{
	const char *const match = cxx_match(demangled, asked);

	return match && !strcmp(match, rest);
}

TEST(match)
{
	static const char f1[] = "void ns::f<1>(int)", map[] = "int g<std::map<int, long> >(char*)";

	assert_true(matches(f1, "ns::f", "ns::f<1>(int)"));
	assert_true(matches(f1, "ns::f<1>", "ns::f<1>(int)"));
	assert_true(matches(f1, "ns::f<1>(int)", "ns::f<1>(int)"));
	assert_true(matches(f1, "void ns::f< 1 >( int )", f1));
	assert_true(matches(map, "g<std::map<int,long>>", "g<std::map<int, long> >(char*)"));
	assert_true(matches("char* ns::g()", "ns::g", "ns::g()"));
	assert_true(matches("ns::S::m() const", "ns::S::m()", "ns::S::m() const"));
	assert_true(matches("(anonymous namespace)::f()", "(anonymous namespace)::f",
			    "(anonymous namespace)::f()"));
	assert_true(matches("ns::box<int>::open()", "ns::box<int>::open", "ns::box<int>::open()"));
	assert_true(matches("f[abi:cxx11](int)", "f", "f[abi:cxx11](int)"));
}

TEST(no_match)
{
	static const char f1[] = "void ns::f<1>(int)";

	for (const char *const *asked =
		     (const char *const[]){ "", "f", "ns", "ns::", "ns::f<2>", "ns::f<1>(long)",
					    "ns::f<", "ns::f<1>(", "int", NULL };
	     *asked; asked++)
		if (cxx_match(f1, *asked))
			fail_msg("%s", *asked);
	/* What only mentions it. */
	assert_null(cxx_match("ns::f ns::g<1>()", "ns::f"));
	assert_null(cxx_match("void g<ns::f>()", "ns::f"));
	assert_null(cxx_match("g(ns::f)", "ns::f"));
	assert_null(cxx_match("ns::f<1>::g()", "ns::f"));
	assert_null(cxx_match("ns::f()::S::m()", "ns::f"));
	assert_null(cxx_match("ns::f()::S::m()", "ns::f()"));
}

UNIT_MAIN("cxx-name", NULL, NULL)
