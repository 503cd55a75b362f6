/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What cpucycles-measure prints, from made outcomes. */

#include "config.h"

#include "cycles.h"
#include "letters.h"
#include "measure/report/benchmark.h"
#include "measure/report/json.h"
#include "measure/report/layouts.h"
#include "measure/report/row.h"
#include "measure/report/sentences.h"
#include "measure/report/tabular.h"
#include "measure/report/verbose.h"
#include "measure/result/settle.h"
#include "measure/run/machine.h"
#include "made-outcome.h"

/* The sentence on the second function. */
static void say(char text[SENTENCE_TEXT])
{
	struct figures_function row;

	row_fill(&row, &outcome, functions[1].target);
	strcpy(text, row.sentence);
}

static void expect_sentence(const char *expected)
{
	char text[SENTENCE_TEXT];

	say(text);
	assert_string_equal(text, expected);
}

#define FIGURES ": ratio 2.00 (1.75 to 2.25), in 1 process"

TEST_WITH(test_sentence, begin, end)
{
	struct verdict *verdict = &functions[1].measured.verdict;

	expect_sentence("./f.so:b takes 2.00 times as long as ./f.so:a (1.75 to 2.25), as they are"
			" linked, in 1 process.");
	verdict->kind = VERDICT_CANNOT_TELL;
	expect_sentence("./f.so:b relative to ./f.so:a: cannot tell" FIGURES
			". No difference was seen.");
	verdict->needed = 184;
	verdict->difference = 0.005;
	expect_sentence("./f.so:b relative to ./f.so:a: cannot tell" FIGURES
			". A difference of 0.5 % would take about 184 processes, about 21 s"
			" (-t, -n).");
	verdict->needed = 367;
	expect_sentence("./f.so:b relative to ./f.so:a: cannot tell" FIGURES
			". A difference of 0.5 % would take more than 366 processes, which is the"
			" most.");
	verdict->within = 0.005;
	expect_sentence("./f.so:b relative to ./f.so:a: cannot tell" FIGURES
			". If they are equal, it would take more than 366 processes, which is the"
			" most.");
	verdict->needed = 184;
	expect_sentence("./f.so:b relative to ./f.so:a: cannot tell" FIGURES
			". If they are equal, about 184 processes would tell, in about 21 s"
			" (-t, -n).");
	verdict->within = 0;
}

/* The mean of nearly all calls has a sentence where it says something else. */
TEST_WITH(test_sentence_of_mean, begin, end)
{
	struct verdict *const verdict = &functions[1].measured.verdict;
	struct verdict *const mean = &functions[1].measured.mean_verdict;
	const struct verdict before = *verdict;
	char text[SENTENCE_TEXT];
	const char *const said = " The mean of all samples but the longest 5 % is 2.45 times as"
				 " long.";

	*verdict = (struct verdict){
		.kind = VERDICT_FASTER, .ratio = 0.98, .low = 0.97, .high = 0.99
	};
	*mean = (struct verdict){ .kind = VERDICT_SLOWER, .ratio = 2.45, .low = 2.4, .high = 2.5 };
	say(text);
	assert_non_null(strstr(text, said));
	verdict->kind = VERDICT_CANNOT_TELL;
	say(text);
	assert_non_null(strstr(text, said));
	/* Not if the intervals are near one another, unless a gate does not pass for it. */
	mean->low = 1.03;
	say(text);
	assert_null(strstr(text, "The mean"));
	mean->low = 1.05;
	say(text);
	assert_non_null(strstr(text, said));
	mean->low = 1.03;
	outcome.gate = 0.01;
	say(text);
	assert_non_null(strstr(text, said));
	outcome.gate = 0;
	mean->ratio = mean->low = 0.5;
	mean->high = 0.93;
	say(text);
	assert_null(strstr(text, "The mean"));
	mean->high = 0.92;
	say(text);
	assert_non_null(strstr(text, " is 0.5 times as long."));
	*verdict = before;
	memset(mean, 0, sizeof *mean);
}

TEST_WITH(test_sentence_of_layouts, begin, end)
{
	struct verdict *verdict = &functions[1].measured.verdict;

	outcome.linked = true;
	outcome.layouts = 42;
	outcome.elapsed_ns = 3100000000;
	functions[1].measured.replicates = 10;
	functions[1].measured.placement = 0.0014;
	verdict->ratio = 1.0097;
	verdict->low = 1.0077;
	verdict->high = 1.0113;
	expect_sentence("./f.so:b is 0.97 % slower than ./f.so:a (0.77 to 1.13), 40 layouts, 3 s.");
	verdict->kind = VERDICT_SAME;
	verdict->within = 0.02;
	outcome.elapsed_ns = 420000000;
	expect_sentence("./f.so:b takes as long as ./f.so:a, within 2 %: ratio 1.0097 (1.0077 to"
			" 1.0113), 40 layouts, 0.4 s.");
	verdict->kind = VERDICT_CANNOT_TELL;
	outcome.elapsed_ns = 3100000000;
	verdict->needed = 30;
	verdict->difference = 0.0323;
	expect_sentence("./f.so:b relative to ./f.so:a: cannot tell: ratio 1.0097 (1.0077 to"
			" 1.0113), 40 layouts, 3 s."
			" A difference of 3.23 % would take about 120 layouts, about 10 s (-t).");
	verdict->needed = 367;
	assert_int_equal(outcome_needed(&outcome, 1), 1468);
	expect_sentence("./f.so:b relative to ./f.so:a: cannot tell: ratio 1.0097 (1.0077 to"
			" 1.0113), 40 layouts, 3 s."
			" A difference of 3.23 % would take more than 1464 layouts, which is the"
			" most.");
	verdict->high = INFINITY;
	verdict->needed = 10;
	expect_sentence("./f.so:b relative to ./f.so:a: cannot tell. These were too few layouts: at"
			" least 40 are needed, which takes about 4 s (-t).");
}

/* Without an interval, there are no figures that anybody could trust. */
TEST_WITH(test_few, begin, end)
{
	struct verdict *verdict = &functions[1].measured.verdict;

	verdict->kind = VERDICT_CANNOT_TELL;
	verdict->low = 0;
	verdict->high = INFINITY;
	verdict->needed = 10;
	expect_sentence(
		"./f.so:b relative to ./f.so:a: cannot tell. These were too few processes: at least"
		" 10 are needed, which takes about 2 s (-t, -n).");
}

/* The text that a function prints. */
static char *printed(void (*print)(const struct outcome *, FILE *))
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	assert_non_null(to);
	print(&outcome, to);
	assert_int_equal(fclose(to), 0);
	return text;
}

static void expect_printed(void (*print)(const struct outcome *, FILE *), const char *expected)
{
	char *text = printed(print);

	assert_string_equal(text, expected);
	free(text);
}

static void print_text(const struct outcome *of, FILE *to)
{
	verbose_print(of, 1, to);
}

static void expect_line(const char *line)
{
	char *text = printed(print_text);

	if (!strstr(text, line))
		print_message("%s", text);
	assert_non_null(strstr(text, line));
	free(text);
}

static enum table_form form;

static void print_table(const struct outcome *of, FILE *to)
{
	assert_int_equal(tabular_print(of, 1, form, false, to), 0);
}

/* Figures that need no rounding. */
static void even_out(void)
{
	for (size_t i = 0; i < 2; i++) {
		functions[i].measured.result.q1 = 99;
		functions[i].measured.result.median = functions[i].measured.result.iqm =
			100 * (double)(i + 1);
		functions[i].measured.result.q3 = 101;
	}
	outcome.targets_count = 2;
}

#define SENTENCE \
	"./f.so:b takes 2.00 times as long as ./f.so:a (1.75 to 2.25), as they are linked, in 1" \
	" process.\n"

TEST_WITH(test_table, begin, end)
{
	form = TABLE_TEXT;
	even_out();
	expect_printed(print_table, "counter: made, in ticks, with a resolution of 2.000 ticks\n\n"
				    "function  ticks/call  time/call  spread  calls\n"
				    "./f.so:a       100.0   100.0 ms   2.0 %      4\n"
				    "./f.so:b       200.0   200.0 ms   1.0 %      4\n\n" SENTENCE);
	/* The time of the runs goes before a rate that is stated, and is there without one. */
	outcome.time = (struct judge_time){ .units = 1000, .ns = 500 };
	outcome.info.hz = 0;
	functions[1].measured.renewed = true;
	targets[0].bytes = 10;
	outcome.interrupted = true;
	expect_printed(print_table,
		       "counter: made, in ticks, with a resolution of 2.000 ticks\n\n"
		       "function  ticks/call  time/call  spread  calls  ticks/byte    GB/s  note\n"
		       "./f.so:a       100.0   50.00 ns   2.0 %      4       10.00  0.2000\n"
		       "./f.so:b       200.0   100.0 ns   1.0 %      4           -       -  input"
		       " made anew: one call a sample\n\n"
		       "Interrupted: this is what there was.\n\n" SENTENCE);
	functions[1].measured.compared = false;
	functions[1].measured.result.iterations = 3;
	functions[1].measured.renewed = false;
	form = TABLE_CSV;
	expect_printed(
		print_table,
		"function,size,unit,mean,mean_low,mean_high,quartile1,median,quartile3,"
		"mean_ns,calls,iterations,bytes,verdict,ratio,ratio_low,ratio_high,"
		"trimmed_mean_ratio,within,units,layouts,placement_part,core_cycles,"
		"core_cycles_low,core_cycles_high,warnings,note\n"
		"./f.so:a,,ticks,100,,,99,100,101,50,4,1,10,,,,,,,,,,,,,,\n"
		"./f.so:b,,ticks,200,,,99,200,101,100,12,3,,,,,,,,,,,,,,,\"in a loop of 3 calls:"
		" throughput, not latency\"\n");
}

/* Functions that were dropped, and those that nobody came to. */
TEST_WITH(test_table_of_failures, begin, end)
{
	form = TABLE_TEXT;
	even_out();
	functions[0] = functions[1];
	functions[0].measured.compared = false;
	outcome.count = 1;
	outcome.targets_count = 3;
	targets[0].state = TARGET_CRASHED;
	strcpy(targets[0].reason.what, "it crashed");
	assert_true(outcome_misses_first(&outcome));
	expect_printed(print_table,
		       "counter: made, in ticks, with a resolution of 2.000 ticks\n\n"
		       "function      ticks/call  time/call  spread  calls  note\n"
		       "./f.so:a               -          -       -      -  it crashed\n"
		       "./f.so:b           200.0   200.0 ms   1.0 %      4\n"
		       "./f.so:a (2)           -          -       -      -  not measured\n\n"
		       "./f.so:a has no figures, so nothing is compared with it.\n");
	expect_line("\n\n./f.so:a has no figures, so nothing is compared with it.\n");
	outcome.opened = false;
	outcome.count = 0;
	outcome.targets_count = 1;
	assert_false(outcome_misses_first(&outcome));
	expect_printed(print_table, "function  time/call  spread  calls  note\n"
				    "./f.so:a          -       -      -  it crashed\n");
	/* A library that does not load is no answer on a function. */
	targets[0].state = TARGET_MEASURED;
	expect_printed(print_table, "");
}

/* An outcome for each size of an argument. */
TEST_WITH(test_sizes, begin, end)
{
	struct outcome sizes[2];
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	even_out();
	sizes[0] = sizes[1] = outcome;
	sizes[0].size = 64;
	sizes[1].size = 1024;
	sizes[1].events_count = 0;
	assert_int_equal(tabular_print(sizes, 2, TABLE_TEXT, false, to), 0);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, "counter: made, in ticks, with a resolution of 2.000 ticks\n\n"
				  "function  size  ticks/call  time/call  spread  calls\n"
				  "./f.so:a    64       100.0   100.0 ms   2.0 %      4\n"
				  "./f.so:b    64       200.0   200.0 ms   1.0 %      4\n"
				  "./f.so:a  1024       100.0   100.0 ms   2.0 %      4\n"
				  "./f.so:b  1024       200.0   200.0 ms   1.0 %      4\n\n"
				  "size 64: " SENTENCE "size 1024: " SENTENCE);
	free(text);
}

/* Functions a and b of one file, with the sizes 16, 64 and 256. */
static struct outcome sizes[3];
static struct outcome_function of_sizes[3][2];
static struct target size_targets[3][2];

static void begin_sizes(void)
{
	static const size_t list[] = { 16, 64, 256 };

	even_out();
	target_shorten(targets, 2);
	outcome.time = (struct judge_time){ .units = 1000, .ns = 500 };
	outcome.alone = true;
	for (size_t k = 0; k < 3; k++) {
		sizes[k] = outcome;
		sizes[k].size = list[k];
		sizes[k].targets = size_targets[k];
		sizes[k].functions = of_sizes[k];
		for (size_t i = 0; i < 2; i++) {
			size_targets[k][i] = targets[i];
			size_targets[k][i].sized = true;
			size_targets[k][i].size = size_targets[k][i].bytes = list[k];
			of_sizes[k][i] = functions[i];
			of_sizes[k][i].target = &size_targets[k][i];
			of_sizes[k][i].measured.compared = false;
		}
	}
}

/* The figure of function i with size number k, and its interval. */
static void give_size_cycles(size_t k, size_t i, double cycles, double half)
{
	struct cpucycles_result *const r = &of_sizes[k][i].measured.result;

	r->cycles_from = CPUCYCLES_CYCLES_COUNTER;
	r->cycles = cycles;
	r->cycles_low = cycles - half;
	r->cycles_high = cycles + half;
}

static void expect_sizes(enum table_form as, const char *expected)
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	assert_int_equal(tabular_print(sizes, 3, as, false, to), 0);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, expected);
	free(text);
}

#define OF_TICKS "counter: made, in ticks, with a resolution of 2.000 ticks\n\n"

TEST_WITH(test_table_of_sizes, begin, end)
{
	begin_sizes();
	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < 2; i++)
			give_size_cycles(k, i, 32 * (double)sizes[k].size, i ? 800 : 8);
	expect_sizes(TABLE_TEXT, OF_TICKS "In core cycles per byte:\n\n"
					  "size                a            b\n"
					  "  16    32.0 +-   0.5    30 +-  50\n"
					  "  64   32.00 +-  0.12    32 +-  12\n"
					  " 256  32.000 +- 0.031  32.0 +- 3.1\n");
	expect_sizes(TABLE_MARKDOWN, OF_TICKS "In core cycles per byte:\n\n"
					      "| size | a | b |\n"
					      "|---:|---:|---:|\n"
					      "| 16 | 32.0 \302\261 0.5 | 30 \302\261 50 |\n"
					      "| 64 | 32.00 \302\261 0.12 | 32 \302\261 12 |\n"
					      "| 256 | 32.000 \302\261 0.031 | 32.0 \302\261 3.1"
					      " |\n");
	/* A size of 0 has no bytes. */
	sizes[0].size = size_targets[0][0].bytes = size_targets[0][1].bytes = 0;
	expect_sizes(TABLE_MARKDOWN, OF_TICKS "In core cycles per call:\n\n"
					      "| size | a | b |\n"
					      "|---:|---:|---:|\n"
					      "| 0 | 512 \302\261 8 | 500 \302\261 800 |\n"
					      "| 64 | 2048 \302\261 8 | 2000 \302\261 800 |\n"
					      "| 256 | 8192 \302\261 8 | 8200 \302\261 800 |\n");
}

/* Without core cycles, times in the unit of the shortest one; without times, ticks. */
TEST_WITH(test_times_of_sizes, begin, end)
{
	begin_sizes();
	of_sizes[2][1].measured.result.iqm = 2e6;
	of_sizes[2][1].measured.mean_low = 1.99e6;
	of_sizes[2][1].measured.mean_high = 2.01e6;
	expect_sizes(TABLE_TEXT, OF_TICKS "In ns per call:\n\n"
					  "size      a                b\n"
					  "  16  50.00            100.0\n"
					  "  64  50.00            100.0\n"
					  " 256  50.00  1000000 +- 5000\n");
	for (size_t k = 0; k < 3; k++) {
		sizes[k].time.units = 0;
		sizes[k].info.hz = 0;
	}
	expect_sizes(TABLE_TEXT, OF_TICKS "In ticks per byte:\n\n"
					  "size       a           b\n"
					  "  16   6.250       12.50\n"
					  "  64   1.562       3.125\n"
					  " 256  0.3906  7810 +- 40\n");
}

static void fail_size(size_t k, size_t i, const char *why)
{
	sizes[k].count = 1;
	size_targets[k][i].state = TARGET_CRASHED;
	strcpy(size_targets[k][i].reason.what, why);
	of_sizes[k][i].target = NULL;
}

/* What a row would say stands below the table, once for all functions and sizes. */
TEST_WITH(test_notes_of_sizes, begin, end)
{
	begin_sizes();
	for (size_t k = 0; k < 3; k++) {
		for (size_t i = 0; i < 2; i++)
			size_targets[k][i].signature.asked = true;
		of_sizes[k][0].measured.result.iterations = k == 1 ? 1 : 20 + (unsigned)k;
		give_size_cycles(k, 0, 320, 8);
		of_sizes[k][1].measured.result.cycles_from = CPUCYCLES_CYCLES_TOO_LONG;
		of_sizes[k][1].measured.result.cycles = NAN;
	}
	fail_size(1, 1, "./f.so:b: it crashed");
	expect_sizes(TABLE_TEXT, OF_TICKS "In core cycles per byte:\n\n"
					  "size               a  b\n"
					  "  16   20.0 +-   0.5  -\n"
					  "  64   5.00 +-  0.12  -\n"
					  " 256  1.250 +- 0.031  -\n\n"
					  "note: b (size 64): it crashed\n"
					  "note: a (sizes 16, 256): in a loop of several calls:"
					  " throughput, not latency\n"
					  "note: a, b (sizes 16, 256): type unknown: taken as void"
					  " f(size_t)\n"
					  "note: b (sizes 16, 256): no cycles: too long\n");
	of_sizes[1][0].measured.result.iterations = 7;
	of_sizes[2][0].measured.result.iterations = 1;
	fail_size(0, 1, "it hung");
	expect_sizes(TABLE_MARKDOWN,
		     OF_TICKS "In core cycles per byte:\n\n"
			      "| size | a | b |\n"
			      "|---:|---:|---:|\n"
			      "| 16 | 20.0 \302\261 0.5 | - |\n"
			      "| 64 | 5.00 \302\261 0.12 | - |\n"
			      "| 256 | 1.250 \302\261 0.031 | - |\n\n"
			      "- note: b (size 16): it hung\n"
			      "- note: b (size 64): it crashed\n"
			      "- note: a (sizes 16 to 64): in a loop of several calls: throughput,"
			      " not latency\n"
			      "- note: a, b (size 256): type unknown: taken as void"
			      " f(size\\_t)\n"
			      "- note: b (size 256): no cycles: too long\n");
}

/* Sentences follow if the functions are compared; counts need the other table. */
TEST_WITH(test_comparison_of_sizes, begin, end)
{
	begin_sizes();
	for (size_t k = 0; k < 3; k++)
		of_sizes[k][1].measured.compared = true;
#define OF_SIZE(size) \
	"size " size ": b takes 2.00 times as long as a (1.75 to 2.25), as they are linked, in 1" \
	" process.\n"
	expect_sizes(TABLE_TEXT,
		     OF_TICKS "In ns per call:\n\n"
			      "size      a      b\n"
			      "  16  50.00  100.0\n"
			      "  64  50.00  100.0\n"
			      " 256  50.00  100.0\n\n" OF_SIZE("16") OF_SIZE("64") OF_SIZE("256"));
	for (size_t k = 0; k < 3; k++)
		of_sizes[k][1].measured.compared = false;
	sizes[0].events_count = 1;
	sizes[0].events[0] = event_of("misses", true, false);
	expect_sizes(
		TABLE_TEXT, OF_TICKS
		"function  size  ticks/call  time/call  spread  calls  ticks/byte    GB/s  misses"
		"  cpu-cycles\n"
		"a           16       100.0   50.00 ns   2.0 %      4       6.250  0.3200       0"
		"           0\n"
		"b           16       200.0   100.0 ns   1.0 %      4       12.50  0.1600       0"
		"           0\n"
		"a           64       100.0   50.00 ns   2.0 %      4       1.562   1.280       0"
		"           0\n"
		"b           64       200.0   100.0 ns   1.0 %      4       3.125  0.6400       0"
		"           0\n"
		"a          256       100.0   50.00 ns   2.0 %      4      0.3906   5.120       0"
		"           0\n"
		"b          256       200.0   100.0 ns   1.0 %      4      0.7812   2.560       0"
		"           0\n");
}

TEST_WITH(test_table_of_events, begin, end)
{
	form = TABLE_TEXT;
	even_out();
	add_events();
	functions[1].measured.compared = false;
	outcome.info.next_best = 1;
	strcpy(outcome.next_best.what, "there is none");
	expect_printed(print_table,
		       "counter: made, in ticks, with a resolution of 2.000 ticks\n\n"
		       "function  ticks/call  time/call  spread  calls  instructions  cache-misses"
		       "  cpu-cycles\n"
		       "./f.so:a       100.0   100.0 ms   2.0 %      4          3000         6.000"
		       "        2000\n"
		       "./f.so:b       200.0   200.0 ms   1.0 %      4          3000         6.000"
		       "        2000\n\n"
		       "warning: next best: there is none\n"
		       "warning: not counted: branches: there is none; look elsewhere\n");
	/* The counter's own cycles have a column already. */
	outcome.info.unit = CPUCYCLES_UNIT_CYCLES;
	outcome.events_count = 1;
	outcome.info.next_best = 0;
	expect_printed(print_table,
		       "counter: made, in cycles, with a resolution of 2.000 cycles\n\n"
		       "function  cycles/call  time/call  spread  calls  instructions\n"
		       "./f.so:a        100.0   100.0 ms   2.0 %      4          3000\n"
		       "./f.so:b        200.0   200.0 ms   1.0 %      4          3000\n");
}

static void expect_verdicts(const char *expected)
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	assert_non_null(to);
	verdict_lines_put(&outcome, to);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, expected);
	free(text);
}

TEST_WITH(test_verdicts, begin, end)
{
	functions[1].measured.replicates = 10;
	expect_verdicts("# verdict\tslower 100 75 125 10 ./f.so:b\n");
	functions[1].measured.verdict.kind = VERDICT_CANNOT_TELL;
	functions[1].measured.verdict.high = INFINITY;
	targets[1].label[1] = '\t';
	expect_verdicts("# verdict\tcannot-tell 100 unknown unknown 10 .\\x09f.so:b\n");
	functions[1].measured.verdict.ratio = NAN;
	targets[1].sized = true;
	outcome.size = 64;
	expect_verdicts("# verdict\tcannot-tell unknown unknown unknown 10 64 .\\x09f.so:b\n");
	functions[1].measured.compared = false;
	expect_verdicts("");
}

TEST_WITH(test_text, begin, end)
{
	expect_line("counter     made\nunit        ticks, 1000 per second within 0 ppm\n"
		    "resolution  2.000 ticks\n");
	expect_line("seed        7\nalpha       0.5 % of the comparisons");
	expect_line("\nfunction    ./f.so:a\nsamples     4, each of 1 call\nprocesses   1\n"
		    "minimum     9.000 ticks\nquartiles   9.500 and 100.0 ticks\n"
		    "median      10.25 ticks (10250000 ns)\n"
		    "mean        123456 ticks, the interquartile mean\n\n");
	expect_line("\n\n./f.so:b takes 2.00 times as long as ./f.so:a (1.75 to 2.25), ");
	functions[0].measured.result.iterations = 20;
	functions[0].measured.result.low = 10;
	functions[0].measured.result.high = 11;
	outcome.info.hz = 0;
	expect_line("each of 20 calls\n");
	expect_line("median      10.25 ticks, within 10.00 and 11.00 with 95 % confidence\n");
	outcome.interrupted = true;
	expect_line("\nInterrupted: this is what there was.\n\n./f.so:b takes ");
	outcome.linked = true;
	functions[1].measured.by_layout = 0.003;
	expect_line("\nby layout   0.300 % from one layout to the next\n");
}

/* Two ticks are a nanosecond, and the core ran at 2.0 to 2.5 GHz. */
static void give_cycles(size_t i)
{
	struct measured *const m = &functions[i].measured;

	outcome.time = (struct judge_time){ .units = 1000, .ns = 500 };
	m->result.cycles_from = CPUCYCLES_CYCLES_CHAIN;
	m->result.cycles = 120.5;
	m->result.cycles_low = 119.5;
	m->result.cycles_high = 121.5;
	m->result.units_per_cycle = 0.9;
	m->units_per_cycle[0] = 0.8;
	m->units_per_cycle[1] = 1;
}

TEST_WITH(test_text_of_cycles, begin, end)
{
	struct cpucycles_result *const r = &functions[0].measured.result;

	give_cycles(0);
	targets[0].bytes = 10;
	expect_line("\ncore cycles 120.5, within 119.5 and 121.5, by a chain of known length\n"
		    "frequency   2.0 to 2.5 GHz of the core\n"
		    "per byte    12.05 core cycles, ");
	outcome.slow = 1;
	outcome.slow_units_per_cycle = 10;
	expect_line("\nprocesses   1\nslow core   0.20 GHz in 1 more process, left out\nminimum ");
	outcome.slow = 3;
	expect_line("slow core   0.20 GHz in 3 more processes, left out\n");
	r->cycles_interrupted = 1;
	expect_line(" GHz of the core\n"
		    "interrupted 25 % of the samples, by other programs; they are not in the core"
		    " cycles\nper byte");
	r->cycles_from = CPUCYCLES_CYCLES_COUNTER;
	r->cycles_low = -INFINITY;
	expect_line("\ncore cycles 120.5, by the counter\n");
	r->cycles_from = CPUCYCLES_CYCLES_TOO_LONG;
	r->cycles = NAN;
	expect_line("interrupted 25 % of the samples, by other programs\n");
	r->cycles_interrupted = 0;
	r->cycles_from = CPUCYCLES_CYCLES_NO_CHAIN;
	expect_line("\ncore cycles not known: no instruction of this processor is known to take"
		    " one cycle\nper byte    12345.6 ticks, ");
}

TEST_WITH(test_table_of_cycles, begin, end)
{
	char expected[800];

	form = TABLE_TEXT;
	even_out();
	give_cycles(0);
	give_cycles(1);
	functions[1].measured.compared = false;
	snprintf(expected, sizeof expected,
		 "counter: made; core cycles by a chain of known length (2.0 to 2.5 GHz),"
		 " +-%.2g %%\n\n"
		 "function   cycles/call  time/call  spread  calls\n"
		 "./f.so:a  120.5 +- 1.0   50.00 ns   2.0 %%      4\n"
		 "./f.so:b  120.5 +- 1.0   100.0 ns   1.0 %%      4\n",
		 100 * cycles_bound(120.5, 1) / 120.5);
	expect_printed(print_table, expected);
	/* The machine, as it was before the run, if it affects the times. */
	outcome.load = 4.2;
	outcome.cpus = 2;
	outcome.slow = 3;
	expect_printed(print_table, expected);
	functions[1].measured.speed_off = 0.08;
	letters_add(expected, sizeof expected,
		    "\nmachine: busy (4.2 programs on 2 CPUs), the core at 2.0 to 2.5 GHz (and less"
		    " in 3 processes, left out), which only the machine's owner can fix. Cycles"
		    " allow for it; times may be off by 8.0 %%. Details: -v\n");
	expect_printed(print_table, expected);
}

TEST_WITH(test_warnings, begin, end)
{
	struct judge_warnings warnings = {
		.n = 1,
		.list = { { .name = "moved",
			    .runs = 1,
			    .reason = { .what = "to another CPU", .remedy = "stay there" } } },
	};
	char *text;

	functions[1].measured.warnings = warnings;
	expect_line("warning     moved: to another CPU\n            stay there\n");
	outcome.layouts = 12;
	expect_line("warning     moved: to another CPU (in 1 of 12 processes)\n");
	outcome.info.next_best = 1;
	strcpy(outcome.next_best.what, "there is none");
	expect_line("counter     made\nnext best   there is none\nunit ");
	outcome.check = true;
	outcome.count = 0;
	text = printed(print_text);
	assert_null(strstr(text, "fit"));
	free(text);
	outcome.checked = true;
	expect_line("\ncheck       no warning: ");
	outcome.warnings = warnings;
	expect_line("iqr         0.000 ticks, the interquartile range of the overhead\n"
		    "warning     moved: to another CPU\n");
}

TEST_WITH(test_too_fast, begin, end)
{
	targets[0].bytes = 10;
	expect_line("\nper byte    12345.6 ticks, 0.000 GB/s\n");
	outcome.count = 0;
	targets[1].state = TARGET_TOO_FAST;
	strcpy(targets[1].reason.what, "20 calls take nothing");
	strcpy(targets[1].reason.remedy, "do more");
	expect_line("\nfunction    ./f.so:b\ntoo fast    20 calls take nothing\n"
		    "            do more\n");
}

TEST_WITH(test_check, begin, end)
{
	outcome.check = outcome.checked = true;
	outcome.count = 0;
	expect_line("check       no warning: counter, CPU and machine are fit\n");
	machine_judge(&(struct machine){ .load = 10, .cpus = 2, .smt = true }, &outcome.warnings,
		      &outcome.notes);
	expect_line("warning     load: 10.0 programs want to run, the mean of a minute, on 2 CPUs\n"
		    "            end them, or wait until uptime(1) shows 1.0 at most\n"
		    "note        smt: two threads share each core, ");
}

static void expect_no_line(const char *line)
{
	char *text = printed(print_text);

	if (strstr(text, line))
		print_message("%s", text);
	assert_null(strstr(text, line));
	free(text);
}

TEST_WITH(test_events, begin, end)
{
	expect_no_line("event ");
	assert_false(outcome_lacks_events(&outcome));
	add_events();
	assert_true(outcome_lacks_events(&outcome));
	expect_line("\nnot counted branches: there is none\n            look elsewhere\n");
	expect_line("\nevent       3000.0 instructions per call, in user mode\n"
		    "event       6.000 cache-misses per call, in user mode\n"
		    "event       2.000 cache-misses per thousand instructions\n"
		    "event       2000.0 cpu-cycles per call, in user mode\n"
		    "event       1.500 instructions per cycle\n");
	expect_no_line("branches per call");
	expect_no_line("nan");
	expect_no_line("time-stamp counter");
	functions[0].events[OUTCOME_TICKS] = functions[1].events[OUTCOME_TICKS] = 12;
	expect_line("\nevent       12.00 ticks of the time-stamp counter per call\n");
	outcome.events[2].error = 0;
	assert_false(outcome_lacks_events(&outcome));
	expect_no_line("not counted");
}

/* Where the meter's own counter counts cycles, the events need no others. */
TEST_WITH(test_cycles_of_the_counter, begin, end)
{
	add_events();
	outcome.events[OUTCOME_CYCLES] = event_of("", false, false);
	outcome.events[OUTCOME_CYCLES].error = -EBUSY;
	assert_true(per_cycle() == 1.5);
	expect_line("\nevent       2000.0 cpu-cycles per call, by the counter\n"
		    "event       1.500 instructions per cycle\n");
	/* That counter counts user mode only. */
	outcome.events[0].info.kernel = 1;
	assert_true(isnan(per_cycle()));
}

TEST_WITH(test_modes, begin, end)
{
	struct cpucycles_event_info info = { .user = 1 };

	assert_string_equal(sentence_modes(&info), "user mode");
	info.kernel = 1;
	assert_string_equal(sentence_modes(&info), "user mode and kernel");
	info.user = 0;
	assert_string_equal(sentence_modes(&info), "kernel");
}

#ifdef HAVE_JANSSON
/* All functions have an argument of this size. */
static void give_size(size_t size)
{
	outcome.size = size;
	for (size_t i = 0; i < 3; i++) {
		targets[i].sized = true;
		targets[i].size = size;
	}
}

static bool (*make_json)(const struct outcome[], size_t, FILE *) = json_results;

static void print_json(const struct outcome *of, FILE *to)
{
	assert_true(make_json(of, 1, to));
}

static void expect_json(const char *part)
{
	char *text = printed(print_json), *to = text;

	/* Without blanks and the ends of lines. */
	for (const char *from = text; *from; from++)
		if (!strchr(" \n", *from))
			*to++ = *from;
	*to = 0;
	if (!strstr(text, part))
		print_message("%s\n", text);
	assert_non_null(strstr(text, part));
	free(text);
}

/* No count is null, never 0. */
TEST_WITH(test_json_of_events, begin, end)
{
	expect_json("\"events\":[],");
	add_events();
	outcome.events[0].info.checked = 1;
	expect_json("{\"name\":\"instructions\",\"counted\":true,\"user\":true,\"kernel\":false,"
		    "\"checked\":true,\"text\":null,\"remedy\":null}");
	expect_json("{\"name\":\"branches\",\"counted\":false,\"user\":true,\"kernel\":false,"
		    "\"checked\":false,\"text\":\"branches:thereisnone\","
		    "\"remedy\":\"lookelsewhere\"}");
	expect_json("{\"name\":\"cache-misses\",\"per_call\":6.0,"
		    "\"per_thousand_instructions\":2.0},"
		    "{\"name\":\"branches\",\"per_call\":null,"
		    "\"per_thousand_instructions\":null}],"
		    "\"cycles_per_call\":2000.0,\"instructions_per_cycle\":1.5,"
		    "\"time_stamp_ticks_per_call\":null}");
}

TEST_WITH(test_json, begin, end)
{
	even_out();
	make_json = json_results;
	outcome.time = (struct judge_time){ .units = 1000, .ns = 500 };
	targets[0].bytes = 10;
	functions[0].measured.renewed = true;
	expect_json(
		"\"state\":\"measured\",\"text\":null,\"remedy\":null,\"bytes\":10,\"figures\":");
	functions[0].measured.by_layout = 0.25;
	functions[0].measured.mean_low = 98;
	functions[0].measured.mean_high = 102;
	expect_json("\"iterations\":1,\"input_made_anew\":true,"
		    "\"processes_left_out\":0,\"left_out_core_hz\":null,\"minimum_units\":9.0,"
		    "\"quartile1_units\":99.0,\"median_units\":100.0,\"median_low_units\":null,"
		    "\"median_high_units\":null,\"quartile3_units\":101.0,"
		    "\"interquartile_mean_units\":100.0,"
		    "\"interquartile_mean_low_units\":98.0,"
		    "\"interquartile_mean_high_units\":102.0,"
		    "\"interquartile_mean_ns\":50.0,\"median_ns\":50.0,"
		    "\"by_layout_part\":0.25,\"core_cycles\":null,\"core_cycles_low\":null,"
		    "\"core_cycles_high\":null,\"core_hz_low\":null,\"core_hz_high\":null,"
		    "\"core_cycles_from\":\"none\",\"core_cycles_text\":null,"
		    "\"samples_interrupted\":0,\"warnings\":[],\"verdict\":null,");
	outcome.time.units = 0;
	outcome.info.hz = 0;
	expect_json("\"median_ns\":null,");
	give_size(64);
	expect_json("\"size\":64}");
	give_size(0);
	expect_json("\"size\":0}");
}

TEST_WITH(test_json_of_cycles, begin, end)
{
	make_json = json_results;
	even_out();
	give_cycles(0);
	functions[0].measured.result.cycles_interrupted = 3;
	expect_json("\"core_cycles\":120.5,\"core_cycles_low\":119.5,\"core_cycles_high\":121.5,"
		    "\"core_hz_low\":2000000000.0,\"core_hz_high\":2500000000.0,"
		    "\"core_cycles_from\":\"chain\",\"core_cycles_text\":null,"
		    "\"samples_interrupted\":3,");
	outcome.slow = 2;
	outcome.slow_units_per_cycle = 10;
	expect_json("\"processes_left_out\":2,\"left_out_core_hz\":200000000.0,");
	functions[0].measured.result.cycles_from = CPUCYCLES_CYCLES_TOO_LONG;
	functions[0].measured.result.cycles = NAN;
	expect_json("\"core_cycles\":null,\"core_cycles_low\":null,\"core_cycles_high\":null,");
	expect_json("\"core_cycles_from\":\"toolong\","
		    "\"core_cycles_text\":\"asampletakesmorethan10,000,000cycles\",");
}

/* Whose cycles are counted. */
TEST_WITH(test_whose_cycles, begin, end)
{
	outcome.info.unit = CPUCYCLES_UNIT_CYCLES;
	outcome.info.hz = 0;
	expect_line("\nunit        cycles of the CPU, whichever thread runs there\nresolution");
	outcome.info.own_thread = 1;
	expect_line("\nunit        cycles of this thread alone\nresolution");
	make_json = json_results;
	expect_json("\"unit\":\"cycles\",\"own_thread\":true,");
	outcome.info.own_thread = 0;
	expect_json("\"unit\":\"cycles\",\"own_thread\":false,");
}

TEST_WITH(test_json_of_layouts, begin, end)
{
	make_json = json_results;
	functions[1].measured.placement = functions[1].measured.by_layout = NAN;
	functions[1].measured.replicates = 10;
	functions[1].measured.mean_verdict =
		(struct verdict){ .ratio = 3, .low = 2.5, .high = 3.5 };
	expect_json("\"ratio\":2.0,\"ratio_low\":1.75,\"ratio_high\":2.25,"
		    "\"trimmed_mean_ratio\":3.0,\"trimmed_mean_ratio_low\":2.5,"
		    "\"trimmed_mean_ratio_high\":3.5,\"within\":null,"
		    "\"units\":10,\"layouts\":null,\"placement_part\":null,"
		    "\"processes_needed\":null,\"processes_needed_for\":null,");
	outcome.linked = true;
	functions[1].measured.verdict.within = 0.5;
	functions[1].measured.verdict.kind = VERDICT_SAME;
	functions[1].measured.verdict.needed = 30;
	functions[1].measured.verdict.difference = 0.25;
	functions[1].measured.placement = 0.25;
	functions[1].measured.by_layout = 0.125;
	expect_json("\"word\":\"same\",");
	expect_json("\"within\":0.5,\"units\":10,\"layouts\":40,\"placement_part\":0.25,"
		    "\"processes_needed\":120,\"processes_needed_for\":0.25,");
	expect_json("\"by_layout_part\":0.125,\"core_cycles\":null,");
}

/* What tools/compare.py of google/benchmark reads. */
TEST_WITH(test_benchmark, begin, end)
{
	/* The means are larger by 0.5. */
	static const double medians[] = { 99.5, 199.5 };

	settle(2, medians, medians);
	even_out();
	make_json = benchmark_print;
	outcome.cpus = 3;
	outcome.time = (struct judge_time){ .units = 1000, .ns = 500 };
	outcome.targets_count = 3;
	targets[0].bytes = 10;
	targets[2].state = TARGET_HUNG;
	strcpy(targets[2].reason.what, "it hung");
	functions[0].results[1].samples = 7;
	functions[0].results[0].cycles_from = CPUCYCLES_CYCLES_CHAIN;
	functions[0].results[0].cycles = 120.5;
	expect_json("\"num_cpus\":3,");
	expect_json("\"iterations\":0,\"ticks\":100.0,\"core_cycles\":120.5,\"real_time\":");
	expect_json("{\"name\":\"./f.so:a\",\"run_name\":\"./f.so:a\",\"repetitions\":2,"
		    "\"threads\":1,\"run_type\":\"iteration\",\"repetition_index\":1,"
		    "\"iterations\":21,\"ticks\":200.0,\"real_time\":100.0,\"cpu_time\":100.0,"
		    "\"time_unit\":\"ns\",\"bytes_per_second\":100000000.0}");
	expect_json("{\"name\":\"./f.so:a_median\",\"run_name\":\"./f.so:a\",\"repetitions\":2,"
		    "\"threads\":1,\"run_type\":\"aggregate\",\"aggregate_name\":\"median\","
		    "\"aggregate_unit\":\"time\",\"iterations\":2,\"ticks\":100.0,"
		    "\"real_time\":50.0,");
	expect_json("\"cpucycles_failures\":[{\"name\":\"./f.so:a(2)\",\"message\":\"ithung\"}]");
	give_size(64);
	expect_json("\"name\":\"./f.so:a/64\",");
	/* An entry without a time would keep the others from being compared. */
	outcome.time.units = 0;
	outcome.info.hz = 0;
	expect_json("{\"name\":\"./f.so:b/64\",\"message\":\"itstimeisnotknown\"}");
	expect_json("\"benchmarks\":[]}");
	make_json = json_results;
}
#else
TEST_NOT_HERE(test_json_of_events, "built without jansson")
TEST_NOT_HERE(test_json, "built without jansson")
TEST_NOT_HERE(test_json_of_cycles, "built without jansson")
TEST_NOT_HERE(test_json_of_layouts, "built without jansson")
TEST_NOT_HERE(test_benchmark, "built without jansson")
#endif

UNIT_MAIN("report", NULL, NULL)
