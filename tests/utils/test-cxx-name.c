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
		{ "ns::f[abi:cxx11]()", "f" },
		{ "ns::S::operator()(int)", "operator" },
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

TEST(own)
{
	static const char *const own[] = { "_Z1fv",
					   "_ZN1n1fEv",
					   "_ZNK1n1S3getEv",
					   "_ZN1n1fIN9__gnu_cxx1SEEEvv",
					   "_Z1fIiESt6vectorIT_Ev",
					   "_ZW3foo1fv" };
	static const char *const others[] = {
		"f",
		"_Znwm",
		"_ZplR1SS0_",
		"_ZSt1fv",
		"_ZNSt1fEv",
		"_ZNKSs4sizeEv",
		"_ZNVKSt6atomicIiE4loadEv",
		"_ZN9__gnu_cxx1fEv",
		"_ZN10__cxxabiv11fEv",
		"_ZThn16_N2ns1D1oEv",
		"_ZGVZ1fvE1x",
		"_ZZ1fvENKUlvE_clEv",
		"_ZN1n1f17h0123456789abcdefE",
		"_Z",
		"_ZN",
	};

	for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
		if (!cxx_is_own(own[i]))
			fail_msg("%s", own[i]);
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (cxx_is_own(others[i]))
			fail_msg("%s", others[i]);
}

TEST(special)
{
	static const char *const special[][2] = {
		{ "_ZN1SC1Ev", "S::S()" },
		{ "_ZN1n3BoxIiEC2Ev", "n::Box<int>::Box()" },
		{ "_ZN1SC1IiEET_", "S::S<int>(int)" },
		{ "_ZN1SD0Ev", "S::~S()" },
		{ "_ZNK1ScvN1n1TEEv", "S::operator n::T() const" },
		{ "_ZN1SlsEi", "S::operator<<(int)" },
		{ "_Z1fv.avx2", "f() [clone .avx2]" },
	};
	/* A namespace and its function may have one name. */
	static const char *const functions[][2] = {
		{ "_ZN3crc3crcEv", "crc::crc()" },
		{ "_ZN3crc3crcILi1EEEvv", "void crc::crc<1>()" },
		{ "_Z9operatorsv", "operators()" },
		{ "_ZN1n11my_operatorEv", "n::my_operator()" },
		{ "_ZN2C12C1Ev", "C1::C1()" },
	};

	for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
		if (!cxx_is_special(special[i][0], special[i][1]))
			fail_msg("%s", special[i][1]);
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
		if (cxx_is_special(functions[i][0], functions[i][1]))
			fail_msg("%s", functions[i][1]);
	/* As it stands on a command line. */
	assert_true(cxx_is_special(NULL, "n::S::~S"));
	assert_true(cxx_is_special(NULL, "n::S::operator int"));
	assert_false(cxx_is_special(NULL, "f"));
}

TEST(parts)
{
	static const struct {
		const char *demangled, *name, *parameters;
	} cases[] = {
		{ "f()", "f()", "" },
		{ "void ns::f<1>(int, char*)", "ns::f<1>(int, char*)", "int, char*" },
		{ "std::vector<int, a<b> > f<int>() const", "f<int>() const", "" },
		{ "f(void (*)(int))", "f(void (*)(int))", "void (*)(int)" },
		{ "(anonymous namespace)::f()", "(anonymous namespace)::f()", "" },
		{ "S::operator unsigned long() const", "S::operator unsigned long() const", "" },
	};
	size_t length;

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const char *const at = cxx_parameters(cases[i].demangled, &length);

		assert_non_null(at);
		assert_int_equal(length, strlen(cases[i].parameters));
		assert_memory_equal(at, cases[i].parameters, length);
		assert_string_equal(cxx_without_result(cases[i].demangled), cases[i].name);
	}
	assert_null(cxx_parameters("variable", &length));
	assert_null(cxx_parameters("odd)", &length));
}

UNIT_MAIN("cxx-name", NULL, NULL)
