/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Figures of functions as a table, warnings and sentences. The figures are made here. */

#include "config.h"

#include "comma.h"
#include "cycles.h"
#include "figures.h"
#include "number.h"
#include "unit.h"

#include <math.h>

static struct measured measured[3];
static const char *scope, *base, *advice;
static struct figures_function functions[3];
static struct figures figures;

static int begin(UNIT_UNUSED void **state)
{
	static const char *const names[] = { "a", "b", "c" };

	scope = ", as they are linked";
	base = ", in 10 processes";
	advice = "";
	for (size_t i = 0; i < 3; i++) {
		measured[i] = (struct measured){
			.result = {
				.q1 = 990,
				.median = 999 * (double)(i + 1),
				.q3 = 1010,
				.iqm = 1000 * (double)(i + 1),
				.samples = 40,
				.iterations = 1,
			},
			.mean_low = 1000 * (double)(i + 1) - 0.5,
			.mean_high = 1000 * (double)(i + 1) + 0.5,
			.verdict = {
				.kind = VERDICT_SLOWER,
				.ratio = 2.001,
				.low = 1.95,
				.high = 2.05,
			},
			.mean_verdict.ratio = 3.5,
			.replicates = 10,
		};
		functions[i] = (struct figures_function){
			.name = names[i],
			.measured = &measured[i],
			.resolution = 1,
			.ns_per_unit = 0.5,
			.runs = 10,
		};
	}
	figures = (struct figures){
		.counter = "made",
		.resolution = 2,
		.unit = "ticks",
		.functions = functions,
		.count = 2,
	};
	return 0;
}

#define PLUS_MINUS "\302\261"

static void expect(enum table_form form, const char *expected)
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	assert_non_null(to);
	assert_int_equal(figures_print(&figures, form, to), 0);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, expected);
	free(text);
}

static void expect_number(double value, double half, const char *expected)
{
	char text[FIGURES_NUMBER];

	assert_string_equal(figures_number(value, half, text), expected);
}

TEST(numbers)
{
	/* One or two digits of half the interval. */
	expect_number(1234.5678, 0.34, "1234.57");
	expect_number(1234.5678, 0.36, "1234.6");
	expect_number(1234.5678, 3.4, "1234.6");
	expect_number(1234.5678, 3.6, "1235");
	expect_number(1234.5678, 36, "1230");
	expect_number(123456789, 36000, "123460000");
	/* An interval as wide as the figure leaves one digit, a very narrow one seven. */
	expect_number(1234.5678, 50000, "1000");
	expect_number(0.0012, 5, "0.001");
	expect_number(1234.5678, 1e-9, "1234.568");
	/* Without an interval, four digits. */
	expect_number(1234.5678, 0, "1235");
	expect_number(12.345678, INFINITY, "12.35");
	expect_number(0.00012345678, 0, "0.0001235");
	expect_number(123456789, 0, "123500000");
	expect_number(0, 0, "0");
	expect_number(-12.345678, 0, "-12.35");
	/* Zero has no sign, and neither has what is rounded to it. */
	expect_number(-0.0, 0, "0");
	expect_number(-0.0, 0.1, "0.00");
	expect_number(-1e-300, 0, "0.000000000000");
	expect_number((double)NAN, 1, "-");
	expect_number(INFINITY, 1, "-");
	expect_number(1e300, 1, "-");
	expect_number(1e-300, 0, "0.000000000000");
}

static void expect_time(double ns, double half, const char *expected)
{
	char text[FIGURES_NUMBER];

	assert_string_equal(figures_time(ns, half, text), expected);
}

TEST(times)
{
	expect_time(12.345, 0.1, "12.35 ns");
	expect_time(999, 10, "999 ns");
	expect_time(1000, 10, "1.000 us");
	expect_time(1234567, 1000, "1.2346 ms");
	expect_time(1234567890, 1e8, "1.23 s");
	expect_time(1e13, 1e10, "10000 s");
	expect_time((double)NAN, 1, "-");
}

TEST_WITH(rows, begin, NULL)
{
	expect(TABLE_TEXT, "counter: made, in ticks, with a resolution of 2.000 ticks\n\n"
			   "function     ticks/call   time/call  spread  calls\n"
			   "a         1000.0 +- 0.5   500.00 ns   2.0 %     40\n"
			   "b         2000.0 +- 0.5  1.00000 us   1.0 %     40\n");
	functions[1].ns_error = 0.01;
	expect(TABLE_TEXT, "counter: made, in ticks, with a resolution of 2.000 ticks\n\n"
			   "function     ticks/call  time/call  spread  calls\n"
			   "a         1000.0 +- 0.5  500.00 ns   2.0 %     40\n"
			   "b         2000.0 +- 0.5   1.000 us   1.0 %     40\n");
	figures.counter = NULL;
	functions[0].ns_per_unit = functions[1].ns_per_unit = (double)NAN;
	measured[0].result.median = measured[0].result.iqm = 0;
	measured[0].mean_low = -0.2;
	measured[0].mean_high = 20;
	measured[1].result.q3 = 2000;
	/* The farther end of an interval is that of the sign. */
	expect(TABLE_TEXT, "function     ticks/call  time/call  spread  calls\n"
			   "a              0 +-  20          -       -     40\n"
			   "b         2000.0 +- 0.5          -    51 %     40\n");
	/* A clock's figures are times. The step is more than the interval. */
	figures.unit = "ns";
	functions[0].ns_per_unit = functions[1].ns_per_unit = 1;
	functions[1].resolution = 200;
	expect(TABLE_TEXT, "function        time/call  spread  calls\n"
			   "a            0 +-   20 ns       -     40\n"
			   "b         2.00 +- 0.12 us    51 %     40\n");
	measured[0].mean_high = INFINITY;
	functions[1].ns_per_unit = (double)NAN;
	expect(TABLE_TEXT, "function  time/call  spread  calls\n"
			   "a              0 ns       -     40\n"
			   "b                 -    51 %     40\n");
}

/* Each is in the row of its function, and nothing else is compared. */
TEST_WITH(notes, begin, NULL)
{
	figures.counter = NULL;
	figures.count = 3;
	measured[0].result.iterations = 20;
	measured[1].renewed = true;
	functions[2].reason = "c: too fast to measure";
	expect(TABLE_TEXT,
	       "function     ticks/call   time/call  spread  calls  note\n"
	       "a         1000.0 +- 0.5   500.00 ns   2.0 %    800  in a loop of 20 calls:"
	       " throughput, not latency\n"
	       "b         2000.0 +- 0.5  1.00000 us   1.0 %     40  input made anew: one call a"
	       " sample\n"
	       "c                     -           -       -      -  too fast to measure\n");
	functions[2].reason = "it crashed: why";
	functions[0].reason = "it hung";
	figures_missed(&functions[0]);
	measured[1].renewed = false;
	expect(TABLE_MARKDOWN, "| function | ticks/call | time/call | spread | calls | note |\n"
			       "|:---|---:|---:|---:|---:|:---|\n"
			       "| a | - | - | - | - | it hung |\n"
			       "| b | 2000.0 " PLUS_MINUS " 0.5 | 1.00000 us | 1.0 % | 40 |  |\n"
			       "| c | - | - | - | - | it crashed: why |\n\n"
			       "- a has no figures, so nothing is compared with it.\n");
	functions[1].reason = "it hung, too";
	functions[0].sentence[0] = 0;
	expect(TABLE_TEXT, "function  ticks/call  time/call  spread  calls  note\n"
			   "a                  -          -       -      -  it hung\n"
			   "b                  -          -       -      -  it hung, too\n"
			   "c                  -          -       -      -  it crashed: why\n");
}

/* Columns that only some functions need. */
TEST_WITH(more_columns, begin, NULL)
{
	static const struct figures_event events[] = { { "page-faults", 0 }, { "misses", 1 } };
	static const double counts[][2] = { { 0, 12.3456 }, { 1e-5, (double)NAN } };

	figures.counter = NULL;
	figures.events = events;
	figures.events_count = 2;
	functions[0].events = counts[0];
	functions[1].events = counts[1];
	functions[0].bytes = 100;
	functions[0].size = functions[1].size = 64;
	expect(TABLE_TEXT,
	       "function  size     ticks/call   time/call  spread  calls  ticks/byte     GB/s"
	       "  page-faults  misses\n"
	       "a           64  1000.0 +- 0.5   500.00 ns   2.0 %     40      10.000  0.20000"
	       "            0   12.35\n"
	       "b           64  2000.0 +- 0.5  1.00000 us   1.0 %     40           -        -"
	       "   0.00001000       -\n");
	figures.events_count = 0;
	functions[0].bytes = 0;
	functions[0].sized = functions[1].sized = true;
	functions[0].size = functions[1].size = 0;
	expect(TABLE_TEXT, "function  size     ticks/call   time/call  spread  calls\n"
			   "a            0  1000.0 +- 0.5   500.00 ns   2.0 %     40\n"
			   "b            0  2000.0 +- 0.5  1.00000 us   1.0 %     40\n");
}

TEST_WITH(csv, begin, NULL)
{
	static const struct figures_event events[] = { { "page-faults", 2 } };
	static const double counts[] = { 7, 8, 1.5 };

	figures.count = 3;
	figures.events = events;
	figures.events_count = 1;
	functions[0].events = functions[1].events = counts;
	measured[1].compared = true;
	functions[1].bytes = 10;
	functions[1].size = 64;
	functions[2].reason = "it said \"no\"";
	measured[1].warnings.n = 2;
	measured[1].warnings.list[0].name = "rate";
	measured[1].warnings.list[1].name = "drift";
	measured[0].mean_low = -INFINITY;
	measured[0].mean_high = INFINITY;
	expect(TABLE_CSV,
	       "function,size,unit,mean,mean_low,mean_high,quartile1,median,quartile3,mean_ns,"
	       "calls,iterations,bytes,verdict,ratio,ratio_low,ratio_high,"
	       "trimmed_mean_ratio,within,units,layouts,placement_part,core_cycles,"
	       "core_cycles_low,core_cycles_high,warnings,page-faults,note\n"
	       "a,,ticks,1000,,,990,999,1010,500,40,1,,,,,,,,,,,,,,,1.5,\n"
	       "b,64,ticks,2000,1999.5,2000.5,990,1998,1010,1000,40,1,10,slower,2.001,1.95,2.05,"
	       "3.5,,10,,,,,,rate drift,1.5,\n"
	       "c,,ticks,,,,,,,,,,,,,,,,,,,,,,,,,\"it said \"\"no\"\"\"\n");
}

/* This core ran at 2.1 to 3.0 GHz, of a counter with 2 ticks in a nanosecond. */
static void give_cycles(size_t function, double cycles, double half)
{
	struct measured *const m = &measured[function];

	m->result.cycles_from = CPUCYCLES_CYCLES_CHAIN;
	m->result.cycles = cycles;
	m->result.cycles_low = cycles - half;
	m->result.cycles_high = cycles + half;
	m->result.units_per_cycle = 0.8;
	m->units_per_cycle[0] = 2 / 2.96;
	m->units_per_cycle[1] = 2 / 2.12;
}

#define CHAIN "counter: made; core cycles by a chain of known length"

/* widest: the function whose bound is the largest part of its figure. */
static void expect_by_chain(enum table_form form, const char *ghz, const char *sign, size_t widest,
			    const char *table)
{
	const struct cpucycles_result *const r = &measured[widest].result;
	char text[2000];

	snprintf(text, sizeof text, CHAIN " (%s), %s%s %%\n\n%s", ghz, sign,
		 number_digits(2, 100 * cycles_bound(r->cycles, r->iterations) / r->cycles).text,
		 table);
	expect(form, text);
}

TEST_WITH(cycles, begin, NULL)
{
	give_cycles(0, 123.4, 0.8);
	give_cycles(1, 14321, 90);
	measured[0].result.iterations = 100;
	measured[0].units_per_cycle[0] = measured[1].units_per_cycle[1] = 2 / 2.5;
	expect_by_chain(TABLE_TEXT, "2.1 to 3.0 GHz", "+-", 0,
			"function   cycles/call   time/call  spread  calls  note\n"
			"a         123.4 +- 0.8   500.00 ns   2.0 %   4000  in a loop of"
			" 100 calls: throughput, not latency\n"
			"b         14320 +-  90  1.00000 us   1.0 %     40\n");
	/* What rounds to the same number is one. */
	measured[0].result.iterations = 1;
	measured[0].units_per_cycle[0] = measured[1].units_per_cycle[1] = 2 / 2.96;
	measured[0].units_per_cycle[1] = 2 / 2.95;
	functions[0].bytes = 10;
	expect_by_chain(TABLE_MARKDOWN, "3.0 GHz", PLUS_MINUS, 0,
			"| function | cycles/call | time/call | spread | calls | cycles/byte |"
			" GB/s |\n"
			"|:---|---:|---:|---:|---:|---:|---:|\n"
			"| a | 123.4 " PLUS_MINUS " 0.8 | 500.00 ns | 2.0 % | 40 | 12.34 |"
			" 0.020000 |\n"
			"| b | 14320 " PLUS_MINUS " 90 | 1.00000 us | 1.0 % | 40 | - | - |\n");
	/* An interval is no narrower than a step of the counter. */
	functions[0].bytes = 0;
	functions[0].resolution = 24;
	functions[0].ns_per_unit = functions[1].ns_per_unit = (double)NAN;
	measured[1].result.cycles_high = INFINITY;
	/* Its bound is 5.5 %. */
	measured[1].result.cycles = 80;
	figures.unit = "ns";
	expect(TABLE_TEXT, CHAIN "\n\n"
				 "function  cycles/call  time/call  spread  calls\n"
				 "a           123 +- 15          -   2.0 %     40\n"
				 "b               80.00          -   1.0 %     40\n");
	measured[0].result.cycles_low = -INFINITY;
	expect(TABLE_TEXT, CHAIN "\n\n"
				 "function  cycles/call  time/call  spread  calls\n"
				 "a               123.4          -   2.0 %     40\n"
				 "b               80.00          -   1.0 %     40\n");
}

/* A counter of cycles looks the same, and is exact. */
TEST_WITH(cycles_of_a_counter, begin, NULL)
{
	figures.unit = "cycles";
	for (size_t i = 0; i < 2; i++) {
		give_cycles(i, 1000 * (double)(i + 1), 0.5);
		measured[i].result.cycles_from = CPUCYCLES_CYCLES_COUNTER;
		measured[i].result.units_per_cycle = 0;
	}
	expect(TABLE_TEXT, "counter: made, in cycles, with a resolution of 2.000 cycles\n\n"
			   "function    cycles/call   time/call  spread  calls\n"
			   "a         1000.0 +- 0.5   500.00 ns   2.0 %     40\n"
			   "b         2000.0 +- 0.5  1.00000 us   1.0 %     40\n");
}

/* Where some functions have none, their rows say why. */
TEST_WITH(cycles_of_some, begin, NULL)
{
	static const struct figures_event events[] = { { "misses", 0 } };
	static const double counts[] = { 3 };

	figures.count = 3;
	figures.events = events;
	figures.events_count = 1;
	functions[0].events = functions[1].events = counts;
	functions[2].reason = "it hung";
	functions[0].bytes = functions[1].bytes = 10;
	give_cycles(0, 123.4, 0.8);
	measured[1].result.cycles = (double)NAN;
	measured[1].result.cycles_from = CPUCYCLES_CYCLES_TOO_LONG;
	measured[1].result.iterations = 20;
	expect_by_chain(TABLE_TEXT, "2.1 to 3.0 GHz", "+-", 0,
			"function   cycles/call   time/call  spread  calls  cycles/byte       GB/s"
			"  misses  note\n"
			"a         123.4 +- 0.8   500.00 ns   2.0 %     40        12.34   0.020000"
			"   3.000\n"
			"b                    -  1.00000 us   1.0 %    800            -  0.0100000"
			"   3.000  in a loop of 20 calls: throughput, not latency; no cycles: too"
			" long\n"
			"c                    -           -       -      -            -          -"
			"       -  it hung\n");
	expect(TABLE_CSV,
	       "function,size,unit,mean,mean_low,mean_high,quartile1,median,quartile3,mean_ns,"
	       "calls,iterations,bytes,verdict,ratio,ratio_low,ratio_high,"
	       "trimmed_mean_ratio,within,units,layouts,placement_part,core_cycles,"
	       "core_cycles_low,core_cycles_high,warnings,misses,note\n"
	       "a,,ticks,1000,999.5,1000.5,990,999,1010,500,40,1,10,,,,,,,,,,123.4,122.6,124.2,,3,"
	       "\n"
	       "b,,ticks,2000,1999.5,2000.5,990,1998,1010,1000,800,20,10,,,,,,,,,,,,,,3,"
	       "\"in a loop of 20 calls: throughput, not latency; no cycles: too long\"\n"
	       "c,,ticks,,,,,,,,,,,,,,,,,,,,,,,,,it hung\n");
}

/* Where no function has any, the counter's unit is there, and one line says why. */
TEST_WITH(cycles_of_none, begin, NULL)
{
	for (size_t i = 0; i < 2; i++) {
		measured[i].result.cycles = (double)NAN;
		measured[i].result.cycles_from = CPUCYCLES_CYCLES_EMULATED;
	}
	functions[0].bytes = 10;
	expect(TABLE_TEXT,
	       "counter: made, in ticks, with a resolution of 2.000 ticks; no core cycles:"
	       " instructions take as long as in an emulator\n\n"
	       "function     ticks/call   time/call  spread  calls  ticks/byte      GB/s\n"
	       "a         1000.0 +- 0.5   500.00 ns   2.0 %     40      100.00  0.020000\n"
	       "b         2000.0 +- 0.5  1.00000 us   1.0 %     40           -         -\n");
	/* One line cannot give two reasons. */
	measured[1].result.cycles_from = CPUCYCLES_CYCLES_COARSE;
	functions[0].bytes = 0;
	expect(TABLE_TEXT,
	       "counter: made, in ticks, with a resolution of 2.000 ticks\n\n"
	       "function     ticks/call   time/call  spread  calls  note\n"
	       "a         1000.0 +- 0.5   500.00 ns   2.0 %     40  no cycles: emulated\n"
	       "b         2000.0 +- 0.5  1.00000 us   1.0 %     40  no cycles: coarse\n");
	functions[0].reason = "it hung";
	expect(TABLE_TEXT,
	       "counter: made, in ticks, with a resolution of 2.000 ticks; no core cycles:"
	       " the step of the counter is too long\n\n"
	       "function     ticks/call   time/call  spread  calls  note\n"
	       "a                     -           -       -      -  it hung\n"
	       "b         2000.0 +- 0.5  1.00000 us   1.0 %     40\n");
}

/* A terminal that shows it gets the sign itself. */
TEST_WITH(cycles_in_utf8, begin, NULL)
{
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		unit_skip("this libc has no locale of UTF-8");
	figures.count = 1;
	give_cycles(0, 1234, 8);
	expect_by_chain(TABLE_TEXT, "2.1 to 3.0 GHz", PLUS_MINUS, 0,
			"function  cycles/call  time/call  spread  calls\n"
			"a            1234 " PLUS_MINUS " 8  500.00 ns   2.0 %     40\n");
	setlocale(LC_CTYPE, "C");
}

static void warn(size_t function, uint64_t bit, const char *what, size_t runs)
{
	struct judge_warnings *const warnings = &measured[function].warnings;
	const size_t n = warnings->n++;

	warnings->list[n].bit = bit;
	warnings->list[n].runs = runs;
	strcpy(warnings->list[n].reason.what, what);
	strcpy(warnings->list[n].reason.remedy, "do that");
}

#define TABLE \
	"function     ticks/call   time/call  spread  calls\n" \
	"a         1000.0 +- 0.5   500.00 ns   2.0 %     40\n" \
	"b         2000.0 +- 0.5  1.00000 us   1.0 %     40\n"

/* Functions with the same warning share a line. Of each, the most important warning that half of
 * the processes have is printed. */
TEST_WITH(warnings_of_functions, begin, NULL)
{
	const struct reason_text reason = { .what = "there is none", .remedy = "buy one" };
	const struct figures_lack lack = { "next best", &reason };

	figures.counter = NULL;
	warn(0, CPUCYCLES_WARNING_HALVES, "it alternates", 10);
	warn(0, CPUCYCLES_WARNING_TAIL, "it jumps", 10);
	warn(1, CPUCYCLES_WARNING_TAIL, "it jumps", 10);
	warn(1, CPUCYCLES_WARNING_LOOP, "it is short", 4);
	warn(1, CPUCYCLES_WARNING_MOVED, "it moves", 10);
	expect(TABLE_TEXT, TABLE "\nwarning: a, b: it jumps; do that\n");
	measured[0].warnings.list[1].runs = 9;
	figures.lacks = &lack;
	figures.lacks_count = 1;
	figures.ending = "It ended.";
	functions[1].size = 7;
	functions[1].name = "\033b";
	figures.colour = true;
	expect(TABLE_TEXT,
	       "function  size     ticks/call   time/call  spread  calls\n"
	       "a               1000.0 +- 0.5   500.00 ns   2.0 %     40\n"
	       "\\x1bb        7  2000.0 +- 0.5  1.00000 us   1.0 %     40\n\nIt ended.\n\n"
	       "\033[33mwarning\033[m: next best: there is none; buy one\n"
	       "\033[33mwarning\033[m: a: it jumps (in 9 of 10 processes); do that\n"
	       "\033[33mwarning\033[m: \\x1bb (size 7): it jumps; do that\n");
}

static void expect_machine(const char *expected)
{
	char text[FIGURES_SENTENCE];

	assert_int_equal(figures_machine(&figures, text), *expected != 0);
	if (*expected)
		assert_string_equal(text, expected);
}

/* A busy machine, and a core of several speeds, are worth a line if they affect the times. */
TEST_WITH(machine, begin, NULL)
{
	functions[1].reason = "it hung";
	figures.machine = (struct figures_machine){ .load = 4.24, .cpus = 2, .slow = 3 };
	warn(0, CPUCYCLES_WARNING_DRIFT, "it drifts", 10);
	warn(0, CPUCYCLES_WARNING_FREQUENCY, "the core changed", 4);
	expect_machine("");
	measured[0].warnings.list[1].runs = 5;
	expect_machine("busy (4.2 programs on 2 CPUs), the core changed; do that.");
	give_cycles(0, 123.4, 0.8);
	measured[0].speed_off = 0.084;
	figures.machine.details = "-v";
	expect_machine("busy (4.2 programs on 2 CPUs), the core at 2.1 to 3.0 GHz (and less in 3 "
		       "processes, left out), which only the machine's owner can fix. Cycles allow "
		       "for it; times may be off by 8.4 %. Details: -v");
	figures.machine = (struct figures_machine){ .slow = 1, .governed = true };
	measured[0].compared = true;
	expect_machine("the core at 2.1 to 3.0 GHz (and less in 1 process, left out), which root "
		       "(cpupower(1)) can fix. Cycles and verdicts allow for it; times may be off "
		       "by 8.4 %.");
	warn(0, CPUCYCLES_WARNING_RATE, "the counter stands", 5);
	expect_machine("the counter stands; do that.");
}

#define SLOWER \
	"b takes 2.00 times as long as a (1.95 to 2.05), as they are linked, in 10 processes."

static void expect_sentence(const char *expected)
{
	memset(functions[1].sentence, 'x', FIGURES_SENTENCE);
	figures_sentence(&functions[1], &functions[0], scope, base, advice);
	assert_string_equal(functions[1].sentence, expected);
}

TEST_WITH(sentences, begin, NULL)
{
	figures.counter = NULL;
	expect_sentence(SLOWER);
	expect(TABLE_TEXT, TABLE "\n" SLOWER "\n");
	figures.colour = true;
	expect(TABLE_TEXT, TABLE "\n\033[31m" SLOWER "\033[m\n");
	functions[1].size = 8;
	measured[1].verdict.kind = VERDICT_FASTER;
	measured[1].verdict.ratio = 0.5;
	measured[1].verdict.low = 0.49;
	measured[1].verdict.high = 0.51;
	measured[1].result.iqm = 500;
	measured[1].mean_low = 499;
	measured[1].mean_high = 501;
	expect_sentence("size 8: b is 2.00 times as fast as a (1.96 to 2.04), as they are linked,"
			" in 10 processes.");
	functions[1].size = 0;
	begin(NULL);
	figures.counter = NULL;
	figures.colour = true;
	measured[1].verdict.kind = VERDICT_CANNOT_TELL;
	advice = "No difference was seen.";
#define UNTOLD \
	"b relative to a: cannot tell: ratio 2.00 (1.95 to 2.05), in 10 processes. No difference" \
	" was seen."
	expect_sentence(UNTOLD);
	expect(TABLE_TEXT, TABLE "\n" UNTOLD "\n");
	/* Without an interval, there is no figure that anybody could trust. */
	measured[1].verdict.high = INFINITY;
	expect_sentence("b relative to a: cannot tell. No difference was seen.");
}

/* Let the figures of the table have this ratio. */
static void fit_table(double ratio)
{
	measured[1].result.iqm = 1000 * ratio;
	measured[1].mean_low = 1000 * ratio - 0.5;
	measured[1].mean_high = 1000 * ratio + 0.5;
}

/* With a part within which functions are the same. */
TEST_WITH(within_a_part, begin, NULL)
{
	struct verdict *const v = &measured[1].verdict;

	v->within = 0.025;
	expect_sentence(SLOWER);
	v->ratio = 1.0203;
	v->low = 1.019;
	v->high = 1.0216;
	v->inside = true;
	fit_table(v->ratio);
	expect_sentence("b is 2.03 % slower than a (1.90 to 2.16), by less than 2.5 %, as they are"
			" linked, in 10 processes.");
	v->kind = VERDICT_SAME;
	fit_table(2);
	v->ratio = 2;
	v->low = 1.9991;
	v->high = 2.0013;
#define SAME \
	"b takes as long as a, within 2.5 %, as they are linked: ratio 2.0000 (1.9991 to" \
	" 2.0013), in 10 processes."
	expect_sentence(SAME);
	figures.counter = NULL;
	figures.colour = true;
	expect(TABLE_TEXT, TABLE "\n" SAME "\n");
}

static void link_anew(double ratio, double low, double high)
{
	measured[1].compared = true;
	measured[1].verdict.ratio = ratio;
	measured[1].verdict.low = low;
	measured[1].verdict.high = high;
	measured[1].placement = 0.0014;
	fit_table(ratio);
	functions[1].linked = true;
	scope = "";
	base = ", 40 layouts, 3 s";
}

#define LIES ", 40 layouts, 3 s."

TEST_WITH(linked_anew, begin, NULL)
{
	struct verdict *const v = &measured[1].verdict;

	link_anew(1.0097, 1.0077, 1.0113);
	expect_sentence("b is 0.97 % slower than a (0.77 to 1.13)" LIES);
	v->within = 0.02;
	v->inside = true;
	expect_sentence("b is 0.97 % slower than a (0.77 to 1.13), by less than 2 %" LIES);
	link_anew(0.9, 0.88, 0.915);
	v->inside = false;
	v->kind = VERDICT_FASTER;
	expect_sentence("b takes 10.0 % less time than a (8.5 to 12.0)" LIES);
	/* A difference that is larger is a factor, on both sides. */
	link_anew(0.67, 0.6, 0.7);
	expect_sentence("b takes 33 % less time than a (30 to 40)" LIES);
	link_anew(0.66, 0.6, 0.7);
	expect_sentence("b is 1.52 times as fast as a (1.43 to 1.67)" LIES);
	link_anew(0.25, 0.24, 0.26);
	expect_sentence("b is 4.00 times as fast as a (3.85 to 4.17)" LIES);
	v->kind = VERDICT_SLOWER;
	link_anew(1.5, 1.4, 1.6);
	expect_sentence("b is 50 % slower than a (40 to 60)" LIES);
	link_anew(1.51, 1.4, 1.6);
	expect_sentence("b takes 1.51 times as long as a (1.40 to 1.60)" LIES);
	link_anew(2.5, 2.4, 2.6);
	expect_sentence("b takes 2.50 times as long as a (2.40 to 2.60)" LIES);
}

#define OTHER \
	" The table's figures give another ratio: they are of all calls, this one is of calls" \
	" next to each other."

static void expect_other(bool other)
{
	figures_sentence(&functions[1], &functions[0], scope, base, advice);
	assert_int_equal(strstr(functions[1].sentence, OTHER) != NULL, other);
	assert_int_equal(!figures_agree(&functions[0], &functions[1]), other);
}

/* The ratio of the sentence, and the figures of the table: 1000 and 2000, within 0.5 each. */
TEST_WITH(another_ratio, begin, NULL)
{
	struct verdict *const v = &measured[1].verdict;

	v->ratio = 2001.0 / 1000;
	expect_other(false);
	v->ratio = 2000.6 / 999.4;
	expect_other(true);
	v->ratio = 1999.4 / 1000.6;
	expect_other(true);
	v->ratio = 1999.6 / 1000.4;
	expect_other(false);
	/* Without an interval, nothing is known of that. */
	v->ratio = 3;
	measured[0].mean_high = INFINITY;
	expect_other(false);
	measured[0].mean_high = 1000.5;
	v->high = INFINITY;
	v->kind = VERDICT_CANNOT_TELL;
	expect_other(false);
	v->high = 3.1;
	expect_other(true);
	/* The interval of a figure near 0 allows any larger ratio. */
	measured[0].mean_low = -1;
	expect_other(false);
	/* If the table has cycles of both, these count. */
	measured[0].mean_low = 999.5;
	give_cycles(0, 100, 1);
	expect_other(true);
	give_cycles(1, 300, 1);
	expect_other(false);
}

TEST_WITH(linked_anew_without_a_difference, begin, NULL)
{
	struct verdict *const v = &measured[1].verdict;

	link_anew(1.0002, 0.9991, 1.0013);
	v->kind = VERDICT_SAME;
	v->within = 0.01;
	v->inside = true;
	expect_sentence("b takes as long as a, within 1 %: ratio 1.0002 (0.9991 to 1.0013),"
			" 40 layouts, 3 s.");
	v->kind = VERDICT_CANNOT_TELL;
	advice = "No difference was seen.";
	expect_sentence("b relative to a: cannot tell: ratio 1.0002 (0.9991 to 1.0013),"
			" 40 layouts, 3 s. No difference was seen.");
	v->low = 0;
	v->high = INFINITY;
	expect_sentence("b relative to a: cannot tell. No difference was seen.");
}

TEST_WITH(csv_of_layouts, begin, NULL)
{
	link_anew(1.0002, 0.9991, 1.0013);
	measured[1].verdict.kind = VERDICT_SAME;
	measured[1].verdict.within = 0.01;
	functions[1].layouts = 40;
	expect(TABLE_CSV,
	       "function,size,unit,mean,mean_low,mean_high,quartile1,median,quartile3,mean_ns,"
	       "calls,iterations,bytes,verdict,ratio,ratio_low,ratio_high,"
	       "trimmed_mean_ratio,within,units,layouts,placement_part,core_cycles,"
	       "core_cycles_low,core_cycles_high,warnings,note\n"
	       "a,,ticks,1000,999.5,1000.5,990,999,1010,500,40,1,,,,,,,,,,,,,,,\n"
	       "b,,ticks,1000.2,999.7,1000.7,990,1998,1010,500.1,40,1,,same,1.0002,0.9991,1.0013,"
	       "3.5,0.01,10,40,0.0014,,,,,\n");
}

/* Names that are too long are cut off, and the end of the sentence is there. */
TEST_WITH(long_names, begin, NULL)
{
	static char name[2000];

	memset(name, 'n', sizeof name - 1);
	link_anew(1.0002, 0.9991, 1.0013);
	functions[0].name = functions[1].name = name;
	functions[1].size = SIZE_MAX;
	advice = "No difference was seen.";
	measured[1].verdict.kind = VERDICT_CANNOT_TELL;
	figures_sentence(&functions[1], &functions[0], scope, base, advice);
	assert_non_null(
		strstr(functions[1].sentence, ", 40 layouts, 3 s. No difference was seen."));
}

TEST_WITH(column_by_layout, begin, NULL)
{
	figures.counter = NULL;
	measured[1].by_layout = 0.0312;
	expect(TABLE_TEXT, "function     ticks/call   time/call  spread  by layout  calls\n"
			   "a         1000.0 +- 0.5   500.00 ns   2.0 %          -     40\n"
			   "b         2000.0 +- 0.5  1.00000 us   1.0 %      3.1 %     40\n");
}

/* Also where colours are, this sentence has none. */
TEST_WITH(missing_first, begin, NULL)
{
	figures.counter = NULL;
	figures.count = 3;
	functions[0].size = 1;
	functions[1].size = functions[2].size = 2;
	functions[1].reason = "it hung";
	figures_missed(&functions[1]);
	figures.colour = true;
	expect(TABLE_TEXT, "function  size     ticks/call   time/call  spread  calls  note\n"
			   "a            1  1000.0 +- 0.5   500.00 ns   2.0 %     40\n"
			   "b            2              -           -       -      -  it hung\n"
			   "c            2  3000.0 +- 0.5  1.50000 us   0.7 %     40\n\n"
			   "size 2: b has no figures, so nothing is compared with it.\n");
	functions[1].sized = true;
	functions[1].size = 0;
	figures_missed(&functions[1]);
	assert_string_equal(functions[1].sentence,
			    "size 0: b has no figures, so nothing is compared with it.");
}

#define MANY 2000
#define TIMES_CSV 30

/* Each warning that there may be, on function number i: no two have the same words. */
static void warn_of_all(struct judge_warnings *all, size_t i)
{
	all->n = JUDGE_WARNINGS;
	for (size_t w = 0; w < all->n; w++) {
		struct reason_text *const reason = &all->list[w].reason;

		all->list[w].bit = UINT64_C(1) << w;
		all->list[w].runs = 10;
		snprintf(reason->what, sizeof reason->what, "it drifts by %zu", w * MANY + i);
	}
}

static double seconds_of(enum table_form form)
{
	const clock_t start = clock();
	FILE *to = fopen("/dev/null", "w");

	assert_non_null(to);
	assert_int_equal(figures_print(&figures, form, to), 0);
	assert_int_equal(fclose(to), 0);
	return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* The text with all warnings takes about as long as the CSV of as many functions. If each warning
 * were compared with all others, it would take a hundred times as long. */
TEST_WITH(many_warnings, begin, NULL)
{
	struct figures_function *const many = calloc(MANY, sizeof *many);
	struct measured *const all = calloc(MANY, sizeof *all);
	double csv_s, text_s;

	assert_non_null(many);
	assert_non_null(all);
	for (size_t i = 0; i < MANY; i++) {
		all[i] = measured[0];
		warn_of_all(&all[i].warnings, i);
		many[i] = functions[0];
		many[i].measured = &all[i];
	}
	figures.functions = many;
	figures.count = MANY;
	csv_s = seconds_of(TABLE_CSV);
	text_s = seconds_of(TABLE_TEXT);
	free(many);
	free(all);
	print_message("CSV of %d functions takes %g s of the processor, a text %g s\n", MANY, csv_s,
		      text_s);
	assert_true(text_s <= TIMES_CSV * csv_s);
}

/* Also then, all numbers have a point. */
TEST(a_locale_with_a_comma)
{
	void (*const parts[])(void **) = { numbers, times,     rows,         csv,
					   cycles,  sentences, within_a_part };

	if (!comma_set())
		unit_skip("this libc has no locale with a decimal comma");
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		begin(state);
		parts[i](state);
	}
	setlocale(LC_NUMERIC, "C");
}

UNIT_MAIN("figures", NULL, NULL)
