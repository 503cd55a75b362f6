/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The linker's script, and what compilers and linkers print. */

#include "config.h"

#include "measure/link/linkscript.h"
#include "unit.h"

/* Words. */

static void expect_words(const struct words *words, const char *const expected[], size_t n)
{
	assert_false(words->failed);
	for (size_t i = 0; i < n && i < words->n; i++)
		assert_string_equal(words->list[i], expected[i]);
	assert_int_equal(words->n, n);
	assert_null(words->list[n]);
}

TEST(split)
{
	static const char *const expected[] = { "-O2", "-I", "a", "./-x", "./@f", "/p", "../q" };
	struct words words = { 0 };

	words_split(&words, NULL);
	words_split(&words, " \t");
	assert_int_equal(words.n, 0);
	words_split(&words, " -O2\t-I  a\n");
	words_add_path(&words, "-x");
	words_add_path(&words, "@f");
	words_add_path(&words, "/p");
	words_add_path(&words, "../q");
	expect_words(&words, expected, sizeof expected / sizeof expected[0]);
	words_free(&words);
}

TEST(split_quoted)
{
	static const char *const expected[] = { "./a b",  "",      "c'd\\e", "\\n\"$`\\",
						"-x=y z", "*?[~#", "g" };
	static const struct {
		const char *text, *wrong;
	} wrong[] = {
		{ "a 'b", "a quote is not closed" },
		{ "a \"b\\\"", "a quote is not closed" },
		{ "a \"b\\", "a quote is not closed" },
		{ "a\\", "nothing follows the last backslash" },
		{ "a | b", "no shell runs it" },
		{ "a;b", "no shell runs it" },
		{ "$HOME/a", "no shell runs it" },
		{ "a \"$HOME\"", "no shell runs it" },
		{ "a >b", "no shell runs it" },
	};
	struct words words = { 0 };

	assert_null(words_split_quoted(&words, " \t\n"));
	assert_int_equal(words.n, 0);
	assert_null(words_split_quoted(&words, " './a b' \"\"\tc\\'d'\\e' "
					       "\"\\n\\\"\\$\\`\\\\\" -x='y z' *?[~# g"));
	expect_words(&words, expected, sizeof expected / sizeof expected[0]);
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		const char *const said = words_split_quoted(&words, wrong[i].text);

		assert_non_null(said);
		assert_memory_equal(said, wrong[i].wrong, strlen(wrong[i].wrong));
	}
	words_free(&words);
}

TEST(many)
{
	struct words words = { 0 }, twice = { 0 };

	for (int i = 0; i < 100; i++)
		words_add(&words, "word");
	words_append(&twice, &words);
	words_append(&twice, &words);
	assert_int_equal(twice.n, 200);
	assert_string_equal(twice.list[199], "word");
	assert_null(twice.list[200]);
	words_free(&words);
	words_free(&twice);
}

/* The command. */

/* What gcc 12 prints, with a folder that has a blank and a quotation mark in its name. */
static const char gcc[] =
	"Using built-in specs.\n"
	"COLLECT_GCC=gcc\n"
	"Configured with: ../src/configure -v --with-pkgversion='Debian 12.2.0-14+deb12u1'\n"
	"COMPILER_PATH=/usr/lib/gcc/x86_64-linux-gnu/12/:/usr/lib/gcc/\n"
	"COLLECT_GCC_OPTIONS='-no-pie' '-o' '/tmp/a \"b\"$\\/out' '-mtune=generic'\n"
	" /usr/lib/gcc/x86_64-linux-gnu/12/collect2 -plugin "
	"/usr/lib/gcc/x86_64-linux-gnu/12/liblto_plugin.so "
	"\"-plugin-opt=/usr/lib/gcc/x86_64-linux-gnu/12/lto-wrapper\" "
	"\"-plugin-opt=-fresolution=/tmp/ccL950pB.res\" \"-plugin-opt=-pass-through=-lgcc\" "
	"--build-id -m elf_x86_64 \"--hash-style=gnu\" \"-fuse-ld=bfd\" -o "
	"\"/tmp/a \\\"b\\\"\\$\\\\/out\" /usr/lib/crt1.o -L/usr/lib/../lib a.o -T x.ld -lgcc "
	"--push-state --as-needed -lgcc_s --pop-state -lc\n"
	"COLLECT_GCC_OPTIONS='-no-pie' '-o' '/tmp/a \"b\"$\\/out' '-mtune=generic'\n";

static const char *const of_gcc[] = { "ld.bfd",
				      "--build-id",
				      "-m",
				      "elf_x86_64",
				      "--hash-style=gnu",
				      "-o",
				      "/tmp/a \"b\"$\\/out",
				      "/usr/lib/crt1.o",
				      "-L/usr/lib/../lib",
				      "a.o",
				      "-T",
				      "x.ld",
				      "-lgcc",
				      "--push-state",
				      "--as-needed",
				      "-lgcc_s",
				      "--pop-state",
				      "-lc" };

/* What clang 14 prints. */
static const char clang[] =
	"Debian clang version 14.0.6\n"
	"Target: x86_64-pc-linux-gnu\n"
	"Thread model: posix\n"
	"InstalledDir: /usr/bin\n"
	" \"/usr/bin/ld\" \"--hash-style=both\" \"-o\" \"o u\\\"t\\\\x\" \"/lib/crt1.o\" \"a.o\" "
	"\"-T\" \"x.ld\" \"--as-needed\" \"-lgcc_s\" \"\" \"-lc\"\n";

static const char *const of_clang[] = {
	"/usr/bin/ld", "--hash-style=both", "-o",      "o u\"t\\x", "/lib/crt1.o", "a.o", "-T",
	"x.ld",        "--as-needed",       "-lgcc_s", "",          "-lc"
};

TEST(commands)
{
	struct words words;

	assert_true(linkscript_command(gcc, "ld.bfd", "/tmp/a \"b\"$\\/out", &words));
	expect_words(&words, of_gcc, sizeof of_gcc / sizeof of_gcc[0]);
	words_free(&words);
	assert_true(linkscript_command(clang, "ld", "o u\"t\\x", &words));
	expect_words(&words, of_clang, sizeof of_clang / sizeof of_clang[0]);
	words_free(&words);
}

/* What is not understood: then the driver itself has to run. */
TEST(no_commands)
{
	static const char *const texts[] = {
		"",
		"\n",
		" ",
		" \n",
		"gcc: error: no such file\n",
		" ld -o other\n",
		" ld -o\n",
		" ld a.o\n",
		" ld -o out \"a\n",
		" ld \"-o\"out out\n",
		" as -o x.o x.s\n ld -o out\n", /* a source text is among the files */
		" collect2 -o out -flto\n",
	};
	struct words words;

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		assert_false(linkscript_command(texts[i], "ld", "out", &words));
		assert_int_equal(words.n, 0);
	}
	assert_true(linkscript_command(" ld -o out", "ld", "out", &words));
	words_free(&words);
}

/* The script. */

static char *script_of(const struct linkscript_side sides[], size_t n, size_t padding)
{
	static char text[4096];
	FILE *file = tmpfile();
	size_t length;

	assert_non_null(file);
	linkscript_write(sides, n, padding, file);
	rewind(file);
	length = fread(text, 1, sizeof text - 1, file);
	text[length] = 0;
	fclose(file);
	return text;
}

TEST(script)
{
	char hot[] = ".hot", mine[] = ".mine", named[] = "named", other[] = "other";
	char *codes[] = { hot, mine, named, NULL }, *first[] = { named, other, NULL };
	const struct words three = { .list = codes, .n = 3 }, two = { .list = first, .n = 2 };
	const struct linkscript_side sides[] = {
		{ .number = 3,
		  .path = "/tmp/a-b/cpucycles-measured-3.o",
		  .first = hot,
		  .place = 48,
		  .gap = 7,
		  .codes = &three },
		{ .path = "/a b/cpucycles-measured-0.o",
		  .first = named,
		  .place = 4112,
		  .codes = &two },
	};
	const char *text = script_of(sides, 2, 160);

	assert_non_null(strstr(text, "SECTIONS\n{\n\t.text.measured :\n\t{\n"
				     "\t\t. = ALIGN(4096);\n\t\t. += 48;\n"
				     "\t\t/tmp/a-b/cpucycles-measured-3.o(.hot)\n\t\t. += 7;\n"
				     "\t\t/tmp/a-b/cpucycles-measured-3.o(.text .text.*)\n"
				     "\t\t/tmp/a-b/cpucycles-measured-3.o(.mine)\n"
				     "\t\t. = ALIGN(64);\n\t\t__start_named = .;\n"
				     "\t\t/tmp/a-b/cpucycles-measured-3.o(named)\n"
				     "\t\t__stop_named = .;\n"
				     "\t\t. = ALIGN(4096);\n\t\t. += 4112;\n"
				     "\t\t__start_named = .;\n"
				     "\t\t*cpucycles-measured-0.o(named)\n"
				     "\t\t__stop_named = .;\n\t\t. += 0;\n"
				     "\t\t*cpucycles-measured-0.o(.text .text.*)\n"
				     "\t\t. = ALIGN(64);\n\t\t__start_other = .;\n"
				     "\t\t*cpucycles-measured-0.o(other)\n"
				     "\t\t__stop_other = .;\n"
				     "\t}\n}\nINSERT AFTER .text;\n"));
	assert_non_null(strstr(text, "\t.data.measured :\n\t{\n"
				     "\t\t. = ALIGN(64);\n\t\t. += 160;\n"
				     "\t\t/tmp/a-b/cpucycles-measured-3.o(.data .data.*)\n"
				     "\t\t*cpucycles-measured-0.o(.data .data.*)\n"
				     "\t}\n}\nINSERT AFTER .data;\n"));
	assert_non_null(strstr(text, "\t.constructors.measured.3 : ALIGN(64)\n\t{\n"
				     "\t\tcpucycles_measured_03_begin = .;\n"
				     "\t\tKEEP(/tmp/a-b/cpucycles-measured-3.o("
				     "SORT_BY_INIT_PRIORITY(.init_array.*)))\n"
				     "\t\tKEEP(/tmp/a-b/cpucycles-measured-3.o(.init_array))\n"
				     "\t\tcpucycles_measured_03_end = .;\n"
				     "\t}\n}\nINSERT AFTER .data;\n"));
	assert_non_null(strstr(text, "-0.o(.bss .bss.* COMMON)\n\t}\n}\nINSERT AFTER .bss;\n"));
	assert_non_null(strstr(text, "-0.o(.rodata .rodata.*)\n\t}\n}\nINSERT AFTER .rodata;\n"));
}

/* Messages. */

static void expect_undefined(const char **at, const char *name)
{
	size_t length;
	const char *found = linkscript_undefined(at, &length);

	if (!name) {
		assert_null(found);
		return;
	}
	assert_non_null(found);
	assert_int_equal(length, strlen(name));
	assert_memory_equal(found, name, length);
}

TEST(undefined)
{
	const char *bfd = "/usr/bin/ld: /tmp/x.o: in function `f':\n"
			  "f.c:(.text+0x5): undefined reference to `sin'\n"
			  "/usr/bin/ld: f.c:(.text+0x9): undefined reference to `_Znwm'\n"
			  "collect2: error: ld returned 1 exit status\n";
	const char *versioned = "ld: x.o: undefined reference to symbol '_Zdl@@CXXABI_1.3'\n"
				"ld: libstdc++.so.6: error adding symbols: DSO missing from "
				"command line\n";
	const char *lld = "ld.lld: error: undefined symbol: sin\n>>> referenced by f.c\n";
	const char *gold = "f.c:f: error: undefined reference to 'sin'";

	expect_undefined(&bfd, "sin");
	expect_undefined(&bfd, "_Znwm");
	expect_undefined(&bfd, NULL);
	expect_undefined(&versioned, "_Zdl");
	expect_undefined(&versioned, NULL);
	expect_undefined(&lld, "sin");
	expect_undefined(&lld, NULL);
	expect_undefined(&gold, "sin");
	expect_undefined(&gold, NULL);
}

TEST(twice)
{
	const char *bfd = "ld: b.o: in function `f':\nb.c:(.text+0x0): multiple definition of `f'; "
			  "a.o:a.c:(.text+0x0): first defined here\n";
	const char *lld = "ld.lld: error: duplicate symbol: g\n>>> defined at a.c\n";
	size_t length;

	assert_memory_equal(linkscript_double(&bfd, &length), "f'", 2);
	assert_int_equal(length, 1);
	assert_memory_equal(linkscript_double(&lld, &length), "g\n", 2);
	assert_int_equal(length, 1);
	assert_null(linkscript_double(&lld, &length));
}

UNIT_MAIN("linkscript", NULL, NULL)
