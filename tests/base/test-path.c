/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "path.h"

TEST(parts)
{
	static const struct {
		const char *path, *name, *folder;
	} cases[] = {
		{ "a", "a", "." },         { "a/b", "b", "a" }, { "a//b", "b", "a" },
		{ "a/b/", "", "a/b" },     { "/a", "a", "/" },  { "//a", "a", "/" },
		{ "/a/b.c", "b.c", "/a" }, { "./a", "a", "." }, { "../a", "a", ".." },
		{ "/", "", "/" },          { ".", ".", "." },   { "", "", "." },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char path[8];

		strcpy(path, cases[i].path);
		assert_string_equal(path_name(path), cases[i].name);
		path_cut(path);
		assert_string_equal(path, cases[i].folder);
	}
}

UNIT_MAIN("path", NULL, NULL)
