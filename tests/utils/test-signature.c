/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The parameters of functions, and what a call passes to them. */

#include "config.h"

#include "files/mistake.h"
#include "files/signature.h"
#include "run/buffer.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

static struct signature signature_of(const char *kinds)
{
	struct signature s;
	char text[64];

	snprintf(text, sizeof text, "%s\nint f(...)\nvoid f_call(void);\n", kinds);
	signature_parse(text, &s);
	return s;
}

/* The arguments as letters: b a buffer, r room for a result, n its length, 0 a zero. */
static const char *arguments_of(const char *kinds)
{
	static char text[SIGNATURE_PARAMETERS + 1];
	const struct signature s = signature_of(kinds);
	size_t n = 0;

	while (n < SIGNATURE_PARAMETERS && s.arguments[n] != SIGNATURE_NOTHING)
		text[n] = "-0nbr"[s.arguments[n]], n++;
	text[n] = 0;
	return text;
}

TEST(test_text)
{
	const struct signature s = signature_of("rn");
	struct signature none;
	char text[2048];

	assert_true(s.asked && s.known && !s.nothing && !s.size && !s.pointer);
	assert_string_equal(s.prototype, "int f(...)");
	assert_string_equal(s.wrapper, "void f_call(void);");
	for (const char *const *bad =
		     (const char *const[]){ "", "\n", "rn", "rn\n", "rn\nint f()", NULL };
	     *bad; bad++) {
		signature_parse(*bad, &none);
		assert_true(none.asked && !none.known && !signature_has_buffer(&none));
	}
	/* Where it is defined; a line is no number without a path, or in a path that is cut. */
	signature_parse("\nvoid f(void)\n\n12 /a b/f.c\n", &none);
	assert_int_equal(none.line, 12);
	assert_string_equal(none.file, "/a b/f.c");
	signature_parse("\nvoid f(void)\n\n12\n", &none);
	assert_int_equal(none.line, 0);
	snprintf(text, sizeof text, "\nvoid f(void)\n\n12 /%01500d\n", 0);
	signature_parse(text, &none);
	assert_int_equal(none.line, 0);
	signature_parse("\nvoid f(void)\n\n\n", &none);
	assert_true(none.known);
	assert_int_equal(none.line, 0);
	/* A long prototype is cut, and a long wrapper is left out. */
	snprintf(text, sizeof text, "xxxx\n%0300d\n%0500d\n", 0, 0);
	signature_parse(text, &none);
	assert_true(none.known && !*none.wrapper);
	assert_int_equal(strlen(none.prototype), sizeof none.prototype - 1);
	assert_string_equal(none.prototype + sizeof none.prototype - 5, "0...");
	signature_parse("\nvoid f(void)\n\n", &none);
	assert_true(none.known && none.nothing && !*none.wrapper);
}

TEST(test_kinds)
{
	assert_true(signature_of("").nothing);
	assert_true(signature_of("v").nothing && signature_of("v").pointer);
	assert_false(signature_of("vv").nothing || signature_of("w").nothing);
	assert_true(signature_of("n").size);
	assert_true(signature_of("i").size);
	assert_false(signature_of("f").size);
	assert_false(signature_of("in").size);
	assert_true(signature_of("r").pointer);
	assert_true(signature_of("p").pointer);
	assert_false(signature_of("rp").pointer);
}

TEST(test_buffers)
{
	assert_string_equal(arguments_of("rn"), "bn");
	assert_string_equal(arguments_of("wi"), "bn");
	assert_string_equal(arguments_of("vrn"), "rbn");
	/* zlib's crc32(crc, buffer, length). */
	assert_string_equal(arguments_of("lri"), "0bn");
	assert_string_equal(arguments_of("wrn"), "rbn");
	assert_string_equal(arguments_of("srn"), "0bn");
	/* The length is the size_t: f(buffer, length, seed), memchr(buffer, byte, length). */
	assert_string_equal(arguments_of("rni"), "bn0");
	assert_string_equal(arguments_of("rin"), "b0n");
	assert_string_equal(arguments_of("rnl"), "bn0");
	assert_string_equal(arguments_of("rsn"), "b0n");
	for (const char *const *other =
		     (const char *const[]){ "", "n", "r", "rii", "rli", "ril", "rs", "rnn", "pn",
					    "rf", "rx", "nr", "rrn", "wwn", "nnn", "rnf", "frn",
					    NULL };
	     *other; other++)
		assert_string_equal(arguments_of(*other), "");
}

static char function[] = "f";

static bool is_refused(const char *kinds, bool sized, bool leak, struct reason_text *reason)
{
	const struct target target = {
		.stem = function, .sized = sized, .leak = leak, .signature = signature_of(kinds)
	};

	return mistake_in_parameters(&target, reason);
}

TEST(test_refused)
{
	const struct target unknown = { .stem = function };
	struct reason_text reason;

	assert_false(mistake_in_parameters(&unknown, &reason));
	assert_false(is_refused("", false, false, &reason));
	assert_false(is_refused("n", true, false, &reason));
	assert_false(is_refused("rn", true, false, &reason));
	assert_false(is_refused("w", false, true, &reason));
	assert_true(is_refused("", false, true, &reason));
	assert_true(is_refused("i", false, false, &reason));
	assert_string_equal(reason.what, "it cannot be called as void f(void): it is int f(...)");
	assert_string_equal(reason.remedy,
			    "say with which sizes, such as --sizes 1000, or measure a function "
			    "that calls it, which its source may have: void f_call(void);");
	assert_true(is_refused("pf", false, false, &reason));
	assert_string_equal(reason.remedy, "measure a function that calls it, which its source "
					   "may have: void f_call(void);");
	assert_true(is_refused("pf", true, false, &reason));
	assert_true(is_refused("", true, false, &reason));
	assert_string_equal(reason.remedy, "leave out --sizes");
	assert_true(is_refused("rn", false, true, &reason));
	assert_string_equal(reason.remedy, "test a function that calls it with parts of its input");
}

/* What the last call has got. */
static uintptr_t got[3];

static void take(uintptr_t first, uintptr_t second, uintptr_t third)
{
	got[0] = first;
	got[1] = second;
	got[2] = third;
}

/* Call with 100 bytes, or with the bytes of an input. Buffers stay, and so do the pointers to them.
 */
static void call_of(const char *kinds, uint64_t seed, size_t i, const struct buffer_input *input)
{
	static struct buffer_call calls[64];
	static size_t n;
	const struct target target = { .size = 100, .signature = signature_of(kinds) };

	assert_true(n < sizeof calls / sizeof calls[0]);
	assert_true(buffer_prepare(&target, (void (*)(void))take, seed, i, input, &calls[n]));
	buffer_call(&calls[n++]);
}

TEST(test_call)
{
	static const struct buffer_input random = { NULL, 0 };
	static const struct buffer_input abc = { (const unsigned char *)"abc", 3 };
	unsigned char first[100];
	size_t equal_places = 0;

	call_of("lri", 1, 0, &random);
	assert_int_equal(got[0], 0);
	assert_int_equal(got[2], 100);
	memcpy(first, (void *)got[1], 100);
	/* The same bytes for each function, and others for another seed. */
	call_of("wrn", 1, 1, &random);
	assert_memory_equal((void *)got[1], first, 100);
	assert_int_equal(got[0] % 16, 0);
	memset((void *)got[0], 1, 4 * 100 + 4096);
	call_of("rn", 2, 0, &random);
	assert_memory_not_equal((void *)got[0], first, 100);
	call_of("rn", 1, 0, &abc);
	assert_memory_equal((void *)got[0], "abcabcabcabc", 12);
	/* Another place in most processes. */
	for (uint64_t seed = 1; seed <= 20; seed++) {
		uintptr_t place;

		call_of("rn", seed, 0, &random);
		place = got[0] % 4096;
		call_of("rn", seed + 100, 0, &random);
		equal_places += place == got[0] % 4096;
	}
	assert_true(equal_places < 10);
}

/* The same letters by the name of a function of C++: a buffer, room, its length, a zero. */
TEST(test_name)
{
	static const struct {
		const char *demangled;
		bool nothing, size, scoped;
		enum signature_argument arguments[SIGNATURE_PARAMETERS];
	} cases[] = {
		{ "f()", true, false, false, { SIGNATURE_NOTHING } },
		{ "f(void*)", true, false, false, { SIGNATURE_NOTHING } },
		{ "f(int)", false, true, false, { SIGNATURE_NOTHING } },
		{ "f(int, int)", false, false, false, { SIGNATURE_NOTHING } },
		{ "f(std::pair<int, int>)", false, false, false, { SIGNATURE_NOTHING } },
		{ "f(void (*)(int))", false, false, false, { SIGNATURE_NOTHING } },
		{ "f(...)", false, false, false, { SIGNATURE_NOTHING } },
		{ "f(char const*, int)",
		  false,
		  false,
		  false,
		  { SIGNATURE_BUFFER, SIGNATURE_LENGTH } },
		{ "f(int, int, int, int)", false, false, false, { SIGNATURE_NOTHING } },
		{ "void ns::f<1>()", true, false, true, { SIGNATURE_NOTHING } },
		{ "void f<ns::S>()", true, false, false, { SIGNATURE_NOTHING } },
		{ "std::string f<1>()", true, false, false, { SIGNATURE_NOTHING } },
		/* A member for sure. */
		{ "S::f() const", false, false, false, { SIGNATURE_NOTHING } },
		{ "S::f() &", false, false, false, { SIGNATURE_NOTHING } },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct signature s = { .asked = true };

		signature_of_name(cases[i].demangled, &s);
		assert_int_equal(s.known, !s.scoped);
		assert_string_equal(s.prototype, cases[i].demangled);
		if (s.nothing != cases[i].nothing || s.size != cases[i].size ||
		    s.scoped != cases[i].scoped)
			fail_msg("%s", cases[i].demangled);
		assert_memory_equal(s.arguments, cases[i].arguments, sizeof s.arguments);
	}
}

/* A name refuses what it says is wrong. A function that was only found needs to be sure. */
TEST(test_name_refused)
{
	struct reason_text reason;
	struct target target = { .function = strdup("f"), .stem = strdup("f") };

	assert_false(mistake_in_parameters(&target, &reason));
	signature_of_name("f(int)", &target.signature);
	assert_true(mistake_in_parameters(&target, &reason));
	assert_string_equal(reason.what, "it cannot be called as void f(void): it is f(int)");
	target.sized = true;
	assert_false(mistake_in_parameters(&target, &reason));
	target.sized = false;
	signature_of_name("ns::f()", &target.signature);
	assert_false(mistake_in_parameters(&target, &reason));
	target.listed = true;
	assert_true(mistake_in_parameters(&target, &reason));
	assert_string_equal(reason.what, "it may be a member of a class, which needs an object");
	signature_of_name("f()", &target.signature);
	assert_false(mistake_in_parameters(&target, &reason));
	target_free(&target, 1);
}

UNIT_MAIN("signature", NULL, NULL)
