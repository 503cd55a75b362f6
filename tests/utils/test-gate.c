/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What is printed of a gate, from made outcomes: the table, and the annotations for forges. */

#include "config.h"

#include "measure/report/annotations.h"
#include "measure/report/gate-table.h"
#include "unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAIRS = 12 };

static struct outcome_function functions[PAIRS][2];
static struct target targets[PAIRS][2];
static struct outcome outcomes[PAIRS];
static char names[PAIRS][8];

/* The new function takes so many times as long, or there is no interval. */
static void compare(size_t i, enum verdict_kind kind, double ratio, double half)
{
	functions[i][1].measured.verdict = (struct verdict){
		.kind = kind,
		.ratio = ratio,
		.low = half > 0 ? ratio - half : 0,
		.high = half > 0 ? ratio + half : INFINITY,
		.within = 0.01,
		.inside = fabs(ratio - 1) < 0.01,
	};
	functions[i][1].measured.result.cycles = 1000 * ratio;
}

/* Functions a, b and so on, all the same. */
static int begin(void **state)
{
	(void)state;
	memset(functions, 0, sizeof functions);
	for (size_t i = 0; i < PAIRS; i++) {
		snprintf(names[i], sizeof names[i], "%c", (int)('a' + i));
		for (size_t k = 0; k < 2; k++) {
			targets[i][k] = (struct target){ .library = k ? "new.a" : "old.a",
							 .function = names[i],
							 .label = names[i],
							 .shown = names[i] };
			functions[i][k].target = &targets[i][k];
			functions[i][k].measured.result = (struct cpucycles_result){
				.cycles = 1000,
				.cycles_low = 995,
				.cycles_high = 1005,
				.cycles_from = CPUCYCLES_CYCLES_CHAIN,
				.units_per_cycle = 1,
				.iqm = 1000,
				.iterations = 1,
			};
			functions[i][k].measured.mean_low = -INFINITY;
			functions[i][k].measured.mean_high = INFINITY;
		}
		functions[i][1].measured.compared = true;
		outcomes[i] = (struct outcome){ .pair = true,
						.linked = true,
						.gate = 0.01,
						.targets = targets[i],
						.targets_count = 2,
						.functions = functions[i],
						.count = 2,
						.layouts = 1 };
		compare(i, VERDICT_SAME, 1, 0.001);
	}
	return 0;
}

/* What is printed, to be freed. */
static char *printed(size_t n, enum table_form form, bool colour)
{
	char *text;
	size_t length;
	FILE *const to = open_memstream(&text, &length);

	assert_int_equal(gate_table(outcomes, n, form, colour, to), 0);
	fclose(to);
	return text;
}

static void expect(size_t n, enum table_form form, bool colour, const char *expected)
{
	char *const text = printed(n, form, colour);

	assert_string_equal(text, expected);
	free(text);
}

#define HEAD "function  old cycles  new cycles  change (interval)         verdict\n"

/* A library of 12 functions, one of which is slower. */
TEST_WITH(test_library, begin, NULL)
{
	compare(5, VERDICT_SLOWER, 1.03, 0.001);
	targets[1][0].state = targets[1][1].state = TARGET_PARAMETERS;
	targets[2][0].state = targets[2][1].state = TARGET_PARAMETERS;
	outcomes[1].count = outcomes[2].count = 0;
	targets[3][0].state = targets[3][1].state = TARGET_CRASHED;
	outcomes[3].count = 0;
	outcomes[4].unchanged = true;
	outcomes[4].count = 0;
	expect(PAIRS, TABLE_TEXT, false,
	       HEAD "f               1000        1030  +3.00 % (+2.90 to +3.10)  alarm\n"
		    "\n"
		    "Passed: 7 (a, g, h, i, j, k, l)\n"
		    "Unchanged: 1 (e)\n"
		    "Not measured, because they want parameters: 2 (b, c)\n"
		    "Left out, because they fail in both files: 1 (d)\n"
		    "Gate of 1 %: alarm.\n");
}

/* Alarms and failures come first, then what cannot be told, and then those that have become
 * faster; the larger change before the smaller one. */
TEST_WITH(test_order, begin, NULL)
{
	compare(0, VERDICT_FASTER, 0.9, 0.01);
	compare(1, VERDICT_CANNOT_TELL, 1.02, 0.04);
	compare(2, VERDICT_CANNOT_TELL, 1.05, 0.08);
	compare(3, VERDICT_SLOWER, 1.05, 0.001);
	compare(4, VERDICT_SLOWER, 1.5, 0.01);
	targets[5][1].state = TARGET_HUNG;
	snprintf(targets[5][1].reason.what, sizeof targets[5][1].reason.what, "it took longer");
	outcomes[5].count = 0;
	targets[6][0].state = TARGET_NOT_LINKED;
	snprintf(targets[6][0].reason.what, sizeof targets[6][0].reason.what, "it lacks x");
	outcomes[6].count = 0;
	compare(7, VERDICT_SLOWER, 1.005, 0.001);
	functions[7][1].measured.mean_verdict.ratio = 1.25;
	compare(8, VERDICT_CANNOT_TELL, 1.3, 0);
	outcomes[9].count = 0;
	expect(10, TABLE_TEXT, false,
	       "function  old cycles  new cycles  change (interval)         verdict\n"
	       "e               1000        1500  +50.0 % (+49.0 to +51.0)  alarm\n"
	       "d               1000        1050  +5.00 % (+4.90 to +5.10)  alarm\n"
	       "f                  -           -  -                         failed: it "
	       "took longer\n"
	       "g                  -           -  -                         failed in the old "
	       "file: it lacks x\n"
	       "h               1000        1005  +0.50 % (+0.40 to +0.60)  cannot tell: on "
	       "average +25 %\n"
	       "i               1000        1300  -                         cannot tell: too few "
	       "layouts\n"
	       "c               1000        1050  +5 % (-3 to +13)          cannot tell\n"
	       "b               1000        1020  +2 % (-2 to +6)           cannot tell\n"
	       "a               1000         900  -10.0 % (-11.0 to -9.0)   passed\n"
	       "\n"
	       "Not measured before the run ended: 1 (j)\n"
	       "To tell: a longer run (-t), or a quieter machine; -v says how long.\n"
	       "Gate of 1 %: alarm.\n");
}

/* A few that have passed have rows, and of many only those that have changed. */
TEST_WITH(test_passed, begin, NULL)
{
	outcomes[0].info.unit = CPUCYCLES_UNIT_NS;
	expect(2, TABLE_TEXT, false,
	       "function  old cycles  new cycles  change (interval)        verdict\n"
	       "a               1000        1000  0.00 % (-0.10 to +0.10)  passed\n"
	       "b               1000        1000  0.00 % (-0.10 to +0.10)  passed\n"
	       "\n"
	       "Gate of 1 %: passed.\n");
	compare(3, VERDICT_FASTER, 0.5, 0.01);
	compare(4, VERDICT_FASTER, 0.995, 0.001);
	expect(6, TABLE_TEXT, true,
	       "function  old cycles  new cycles  change (interval)         verdict\n"
	       "\033[32md               1000         500  -50.0 % (-51.0 to -49.0)  passed\033[m\n"
	       "\n"
	       "Passed, too: 5 (a, b, c, e, f)\n"
	       "Gate of 1 %: passed.\n");
	for (size_t i = 0; i < 6; i++)
		compare(i, VERDICT_CANNOT_TELL, 1, 0.02);
	compare(5, VERDICT_SLOWER, 2, 0.01);
	expect(6, TABLE_MARKDOWN, false,
	       "| function | old cycles | new cycles | change (interval) | verdict |\n"
	       "|:---|---:|---:|:---|:---|\n"
	       "| f | 1000 | 2000 | +100.0 % (+99.0 to +101.0) | alarm |\n"
	       "| a | 1000 | 1000 | 0.0 % (-2.0 to +2.0) | cannot tell |\n"
	       "| b | 1000 | 1000 | 0.0 % (-2.0 to +2.0) | cannot tell |\n"
	       "| c | 1000 | 1000 | 0.0 % (-2.0 to +2.0) | cannot tell |\n"
	       "| d | 1000 | 1000 | 0.0 % (-2.0 to +2.0) | cannot tell |\n"
	       "\n"
	       "- Cannot tell of others: 1 (e)\n"
	       "- To tell: a longer run (-t), or a quieter machine; -v says how long.\n"
	       "- Gate of 1 %: alarm.\n");
}

/* Calls that differ much: most take as long as before. */
TEST_WITH(test_apart, begin, NULL)
{
	compare(0, VERDICT_SLOWER, 1.2, 0.001);
	functions[0][1].measured.result.cycles = 1002;
	expect(1, TABLE_TEXT, false,
	       "function  old cycles  new cycles  change (interval)            verdict\n"
	       "a               1000        1002  +20.00 % (+19.90 to +20.10)  alarm\n"
	       "\n"
	       "Old and new are of all calls, the change is of calls next to each other: 1 (a)\n"
	       "Gate of 1 %: alarm.\n");
}

/* Without core cycles of one of them, all have times. */
TEST_WITH(test_times, begin, NULL)
{
	functions[0][0].measured.result.cycles_from = CPUCYCLES_CYCLES_NONE;
	for (size_t i = 0; i < 2; i++)
		outcomes[i].info.unit = CPUCYCLES_UNIT_NS;
	expect(2, TABLE_TEXT, false,
	       "function       old       new  change (interval)        verdict\n"
	       "a         1.000 us  1.000 us  0.00 % (-0.10 to +0.10)  passed\n"
	       "b         1.000 us  1.000 us  0.00 % (-0.10 to +0.10)  passed\n"
	       "\n"
	       "Gate of 1 %: passed.\n");
}

/* Functions that are named: the first one is the old one. */
TEST_WITH(test_named, begin, NULL)
{
	outcomes[0].pair = false;
	compare(0, VERDICT_SLOWER, 1.03, 0.001);
	targets[0][1].signature.asked = true;
	targets[0][1].shown = "new.c:a";
	expect(1, TABLE_TEXT, true,
	       HEAD "\033[31mnew.c:a         1000        1030  +3.00 % (+2.90 to +3.10)  alarm"
		    "\033[m\n"
		    "\n"
		    "Type unknown, called without parameters: 1 (new.c:a)\n"
		    "Gate of 1 %: alarm.\n");
	targets[0][0].state = TARGET_CRASHED;
	snprintf(targets[0][0].reason.what, sizeof targets[0][0].reason.what, "it crashed");
	outcomes[0].functions = &functions[0][1];
	outcomes[0].count = 1;
	outcomes[0].interrupted = true;
	functions[0][1].measured.compared = false;
	targets[0][1].signature.asked = false;
	expect(1, TABLE_TEXT, false,
	       "function  old cycles  new cycles  change (interval)  verdict\n"
	       "a                  -           -  -                  failed: it crashed\n"
	       "new.c:a            -        1030  -                  cannot tell\n"
	       "\n"
	       "Interrupted: this is what there was.\n"
	       "Gate of 1 %: cannot tell.\n");
}

/* A long name is cut in its middle, where letters stay whole. Markdown has all of it. */
TEST_WITH(test_long_name, begin, NULL)
{
	char long_name[200];
	char *text;

	memset(long_name, 'x', sizeof long_name);
	memcpy(long_name, "begin", 5);
	memcpy(long_name + 26, "\303\244\303\244", 4);
	strcpy(long_name + 90, "\303\244xxxxxxxxxxxxxxxxxxxxxxxxend");
	targets[0][1].function = long_name;
	text = printed(1, TABLE_TEXT, false);
	assert_non_null(strstr(text, "\nbeginxxxxxxxxxxxxxxxxxxxxx\303\244..."
				     "xxxxxxxxxxxxxxxxxxxxxxxxend  "));
	free(text);
	text = printed(1, TABLE_MARKDOWN, false);
	assert_non_null(strstr(text, long_name));
	free(text);
}

/* What a forge gets */

static void expect_annotations(bool (*print)(const struct outcome outcomes[], size_t n, FILE *to),
			       size_t n, const char *expected)
{
	char *text;
	size_t length;
	FILE *const to = open_memstream(&text, &length);

	assert_true(print(outcomes, n, to));
	fclose(to);
	assert_string_equal(text, expected);
	free(text);
}

TEST_WITH(test_github, begin, NULL)
{
	expect_annotations(annotations_github, PAIRS, "");
	compare(0, VERDICT_SLOWER, 1.03, 0.001);
	targets[0][1].signature.line = 7;
	snprintf(targets[0][1].signature.file, sizeof targets[0][1].signature.file, "%s",
		 "a 100%, b:c\n.c");
	compare(1, VERDICT_CANNOT_TELL, 1.02, 0.04);
	targets[2][1].state = TARGET_CRASHED;
	outcomes[2].count = 0;
	snprintf(targets[2][1].reason.what, sizeof targets[2][1].reason.what, "100%%: it\ncrashed");
	expect_annotations(
		annotations_github, PAIRS,
		"::error file=a 100%25%2C b%3Ac%0A.c,line=7,title=a::"
		"alarm: +3.00 %25 (+2.90 to +3.10), from 1000 to 1030 cycles. The gate is 1 %25.\n"
		"::error file=new.a,line=1,title=c::"
		"failed: 100%25: it%0Acrashed. The gate is 1 %25.\n"
		"::warning file=new.a,line=1,title=b::"
		"cannot tell: +2 %25 (-2 to +6), from 1000 to 1020 cycles. The gate is 1 %25.\n");
}

#ifdef HAVE_JANSSON

TEST_WITH(test_gitlab, begin, NULL)
{
	expect_annotations(annotations_gitlab, PAIRS, "[]\n");
	compare(0, VERDICT_SLOWER, 1.03, 0.001);
	expect_annotations(
		annotations_gitlab, PAIRS,
		"[\n"
		"  {\n"
		"    \"description\": \"a: alarm: +3.00 % (+2.90 to +3.10), from 1000 to "
		"1030 cycles. The gate is 1 %.\",\n"
		"    \"check_name\": \"slower\",\n"
		"    \"fingerprint\": \"slower new.a a\",\n"
		"    \"severity\": \"major\",\n"
		"    \"location\": {\n"
		"      \"path\": \"new.a\",\n"
		"      \"lines\": {\n"
		"        \"begin\": 1\n"
		"      }\n"
		"    }\n"
		"  }\n"
		"]\n");
}

#endif

/* The file of a function, in the folder of this process and elsewhere. */
TEST_WITH(test_file, unit_folder_make, unit_folder_remove)
{
	char path[PATH_MAX], before[PATH_MAX];

	assert_non_null(getcwd(before, sizeof before));
	begin(NULL);
	compare(0, VERDICT_SLOWER, 1.03, 0.001);
	snprintf(path, sizeof path, "%s", unit_write_text("f.c", ""));
	targets[0][1].library = path;
	assert_int_equal(chdir(unit_folder), 0);
	expect_annotations(
		annotations_github, 1,
		"::error file=f.c,line=1,title=a::alarm: +3.00 %25 (+2.90 to +3.10), from 1000 to "
		"1030 cycles. The gate is 1 %25.\n");
	assert_int_equal(chdir(before), 0);
}

UNIT_MAIN("gate", NULL, NULL)
