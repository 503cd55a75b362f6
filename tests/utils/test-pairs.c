/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which functions of two files are compared. Those of real files are compared by measure-pairs.sh.
 */

#include "config.h"

#include "letters.h"
#include "measure/files/cxx-name.h"
#include "measure/files/pairs.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

/* Choose from files that have the same functions: as the linker names them, with a blank and then
 * as people write them if they are of C++. chosen: what is compared, as people write it. */
static void assert_chosen(const char *const names[], const char *pattern, const char *chosen)
{
	struct pairs pairs = { .both = { 0 } };
	struct words demangled = { 0 };
	char text[400] = "";

	for (; *names; names++) {
		const size_t length = strcspn(*names, " ");
		char *const name = strndup(*names, length);

		for (size_t i = 0; i < 2; i++)
			words_add(&pairs.names[i], name);
		if ((*names)[length]) {
			assert_true(cxx_is_own(name));
			words_add(&pairs.mangled, name);
			words_add(&demangled, *names + length + 1);
		}
		free(name);
	}
	assert_int_equal(pairs_choose(&pairs, &demangled, &pattern, pattern ? 1 : 0), 0);
	for (size_t i = 0; i < pairs.both.n; i++)
		letters_add(text, sizeof text, "%s%s", i ? " " : "", pairs.written.list[i]);
	assert_string_equal(text, chosen);
	assert_int_equal(pairs.alone[0].n + pairs.alone[1].n, 0);
	words_free(&demangled);
	pairs_free(&pairs);
}

/* In the order of their bytes. */
static const char *const cxx[] = {
	"_QMmPf",
	"_RNvCs1a2b3c_1n1f",
	"_Z1fi f(int)",
	"_Z1fv f()",
	"_ZN1fC1Ev f::f()",
	"_ZN1n1fEv n::f()",
	"_ZN1n1fILi1EEEvv void n::f<1>()",
	"_ZN1n1gILi1EEEvv void n::g<1>()",
	"_ZN1nD1Ev n::~n()",
	"_ZNK1nclEv n::operator()() const",
	"_ZNSt1fEv",
	"__m_MOD_f",
	"_Znwm",
	"plain",
	NULL,
};

TEST(names)
{
	assert_chosen(cxx, NULL, "f(int) f() n::f() n::f<1>() n::g<1>() plain");
	/* The linker's names, whatever they are; people's, with and without parameters. */
	assert_chosen(cxx, "_ZN*St*", "_ZNSt1fEv");
	assert_chosen(cxx, "_ZN*D1*", "n::~n()");
	assert_chosen(cxx, "_QM*", "_QMmPf");
	assert_chosen(cxx, "n::*", "n::f() n::f<1>() n::g<1>()");
	assert_chosen(cxx, "*::f", "n::f()");
	assert_chosen(cxx, "n::f", "n::f() n::f<1>()");
	assert_chosen(cxx, "n::g", "n::g<1>()");
	assert_chosen(cxx, "f(int)", "f(int)");
	assert_chosen(cxx, "f", "f(int) f()");
	assert_chosen(cxx, "none", "");
}

/* What is called for a function. A function of C may serve one of C++. */
TEST(helpers)
{
	static const char *const names[] = {
		"_Z2gov go()",
		"_Z8go_setupv go_setup()",
		"_ZN1n1fEv n::f()",
		"f_before",
		"f_beforehand",
		"lone_setup",
		"plain",
		"plain_setup",
		NULL,
	};

	assert_chosen(names, NULL, "go() n::f() f_beforehand lone_setup plain");
}

/* Whether the pattern names this function, or only such functions. */
TEST(asked_for)
{
	static const struct {
		const char *pattern, *name, *written;
		bool asked;
	} cases[] = {
		{ "gr*", "grows", "grows", true },
		{ "_ZN1n*", "_ZN1n1fEv", "n::f()", true },
		{ "n::f", "_ZN1n1fEv", "n::f()", true },
		{ "n::f()", "_ZN1n1fEv", "n::f()", true },
		{ "n::f", "_ZN1n1fEi", "n::f(int)", false },
		{ "n::f(int)", "_ZN1n1fEi", "n::f(int)", true },
		{ "n::*", "_ZN1n1fEv", "n::f()", false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (pairs_is_asked_for(cases[i].name, cases[i].written, &cases[i].pattern, 1) !=
		    cases[i].asked)
			fail_msg("%s, %s", cases[i].pattern, cases[i].written);
	assert_false(pairs_is_asked_for("f", "f", NULL, 0));
}

/* Names that are no functions, which may have letters that mean something in a pattern. */
TEST(names_of_benchmarks)
{
	static const char *const names[] = { "BM_a/64", "f_setup", "main", "t1", "t[1-2]" };
	const struct {
		const char *pattern, *both, *alone;
	} cases[] = {
		{ NULL, "BM_a/64 f_setup main t[1-2]", "t1" },
		{ "BM*", "BM_a/64", "" },
		{ "t[1-2]", "t[1-2]", "t1" },
		{ "none", "", "" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct pairs pairs = { .both = { 0 } };
		char text[100] = "";

		for (size_t k = 0; k < 5; k++) {
			words_add(&pairs.names[0], names[k]);
			if (strcmp(names[k], "t1"))
				words_add(&pairs.names[1], names[k]);
		}
		assert_int_equal(pairs_choose_names(&pairs, &cases[i].pattern,
						    cases[i].pattern ? 1 : 0),
				 0);
		for (size_t k = 0; k < pairs.both.n; k++)
			letters_add(text, sizeof text, "%s%s", k ? " " : "", pairs.both.list[k]);
		assert_string_equal(text, cases[i].both);
		assert_string_equal(pairs.alone[0].n ? pairs.alone[0].list[0] : "", cases[i].alone);
		assert_int_equal(pairs.alone[1].n, 0);
		pairs_free(&pairs);
	}
}

/* Files without functions, and files that are none. */
TEST(nothing)
{
	static const char *const texts[] = { "", "int f;\n", "!<arch>\n", "\177ELF" };
	const char *const all = "*";

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		const struct symbols_file file = { (const unsigned char *)texts[i],
						   strlen(texts[i]) };
		const struct symbols_file files[] = { file, file };
		struct pairs pairs;

		assert_int_equal(pairs_find(files, &pairs), 0);
		assert_int_equal(pairs_choose(&pairs, &(struct words){ 0 }, &all, 1), 0);
		assert_int_equal(pairs.both.n, 0);
		assert_int_equal(pairs.alone[0].n, 0);
		assert_int_equal(pairs.alone[1].n, 0);
		pairs_free(&pairs);
	}
}

/* What went well has no reason. */
TEST_WITH(read_well, unit_folder_make, unit_folder_remove)
{
	char path[PATH_MAX];
	char *const paths[] = { path, path };
	struct reason_text reason = { 0 };
	struct pairs pairs;
	size_t which;

	snprintf(path, sizeof path, "%s", unit_write_text("empty.a", "!<arch>\n"));
	assert_int_equal(pairs_read(paths, &pairs, &which, &reason), 0);
	assert_string_equal(reason.what, "");
	assert_int_equal(reason.error, 0);
	pairs_free(&pairs);
}

UNIT_MAIN("pairs", NULL, NULL)
