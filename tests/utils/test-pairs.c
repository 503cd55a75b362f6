/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Whether the name of a function says that it has no parameters. The functions of real files are
 * compared by measure-pairs.sh. */

#include "config.h"

#include "measure/files/pairs.h"
#include "unit.h"

TEST(names)
{
	static const struct {
		const char *name;
		bool may;
	} cases[] = {
		/* C says nothing. */
		{ "f", false },
		{ "_f", false },
		{ "", false },
		{ "_", false },
		{ "Z1fv", false },
		/* f() */
		{ "_Z1fv", false },
		{ "_Z10abcdefghijv", false },
		/* n::f(), or the member f() of a class n; n::inner::f() */
		{ "_ZN1n1fEv", true },
		{ "_ZN1n5inner1fEv", true },
		/* f(int), f(void *), n::f(int), f(...) */
		{ "_Z1fi", true },
		{ "_Z1fPv", true },
		{ "_ZN1n1fEi", true },
		{ "_Z1fz", true },
		/* f<int>(), n::S::S(), n::S::get() const, operator new, and std::f() */
		{ "_Z1fIiEvv", true },
		{ "_ZN1n1SC1Ev", true },
		{ "_ZNK1n1S3getEv", true },
		{ "_Znwm", true },
		{ "_ZSt1fv", true },
		/* n::f() of Rust in its newer and its older form; a procedure f of a module m by
		 * gfortran and by flang, and one of none */
		{ "_RNvCs1a2b3c_1n1f", true },
		{ "_ZN1n1f17h0123456789abcdefE", true },
		{ "__m_MOD_f", true },
		{ "_QMmPf", true },
		{ "f_", false },
		/* C */
		{ "__f", false },
		{ "f_MOD_g", false },
		{ "_Q", false },
		/* What no compiler makes. */
		{ "_Z", true },
		{ "_Z1", true },
		{ "_Z0v", true },
		{ "_Z9fv", true },
		{ "_Z99999999999999999999999fv", true },
		{ "_ZN", true },
		{ "_ZNE", true },
		{ "_ZN1f", true },
		{ "_ZN1fE", true },
		{ "_Z1f", true },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		if (pairs_may_have_parameters(cases[i].name) != cases[i].may)
			print_error("# %s\n", cases[i].name);
		assert_int_equal(pairs_may_have_parameters(cases[i].name), cases[i].may);
	}
}

/* Files without functions, and files that are none. */
TEST(nothing)
{
	static const char *const texts[] = { "", "int f;\n", "!<arch>\n", "\177ELF" };
	const char *const all[] = { "*" };

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		const struct symbols_file file = { (const unsigned char *)texts[i],
						   strlen(texts[i]) };
		const struct symbols_file files[] = { file, file };
		struct pairs pairs;

		assert_int_equal(pairs_find(files, all, 1, &pairs), 0);
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
	assert_int_equal(pairs_read(paths, NULL, 0, &pairs, &which, &reason), 0);
	assert_string_equal(reason.what, "");
	assert_int_equal(reason.error, 0);
	pairs_free(&pairs);
}

UNIT_MAIN("pairs", NULL, NULL)
