/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The drivers of benchmark harnesses, on what the harnesses have really printed: google-benchmark
 * 1.7.1, Go 1.19, pytest-benchmark 3.2.2 and Catch2 2.13.10. What is not read is left out. */

#include "config.h"

#include "letters.h"
#include "measure/harness/drivers.h"
#include "unit.h"

#include <math.h>
#include <string.h>

/* All words, with a bar between them. */
static void assert_words(struct words *words, const char *expected)
{
	char text[1024] = "";

	assert_false(words->failed);
	for (size_t i = 0; i < words->n; i++)
		letters_add(text, sizeof text, "%s%s", i ? "|" : "", words->list[i]);
	assert_string_equal(text, expected);
	words_free(words);
}

static void assert_listed(const struct driver *driver, const char *text, const char *expected)
{
	struct words names = { 0 };

	assert_int_equal(driver->read_list(text, &names), DRIVER_READ);
	assert_words(&names, expected);
}

static void assert_command(const struct driver *driver, const char *name, const char *expected)
{
	const struct driver_run run = {
		.path = "./b", .result = "/r", .name = name, .seconds = 0.05
	};
	struct words command = { 0 };

	driver->run(&run, &command);
	assert_words(&command, expected);
}

/* Not a number: there is none. */
static void assert_time(const struct driver *driver, const char *text, const char *name,
			double cpu_ns, double wall_ns)
{
	struct driver_time time = { 0, 0 };
	struct reason_text reason;

	assert_int_equal(driver->read(text, name, &time, &reason), DRIVER_READ);
	if (isnan(cpu_ns))
		assert_true(isnan(time.cpu_ns));
	else
		assert_true(fabs(time.cpu_ns - cpu_ns) < 1e-6 * cpu_ns);
	if (isnan(wall_ns))
		assert_true(isnan(time.wall_ns));
	else
		assert_true(fabs(time.wall_ns - wall_ns) < 1e-6 * wall_ns);
}

static void assert_answer(const struct driver *driver, const char *text, const char *name,
			  enum driver_answer answer, const char *why)
{
	struct driver_time time;
	struct reason_text reason = { 0 };

	assert_int_equal(driver->read(text, name, &time, &reason), answer);
	assert_string_equal(reason.what, why);
}

/* None of these is of any harness. */
static void assert_foreign(const struct driver *driver)
{
	static const char *const texts[] = { "",        "\n",          "{",    "[]",       "{}",
					     "garbage", "<html><mean", "null", "Benchmark" };

	/* A program of google/benchmark writes nothing if it has no such benchmark. */
	for (size_t i = driver == driver_find("google-benchmark");
	     i < sizeof texts / sizeof texts[0]; i++)
		assert_answer(driver, texts[i], "n", DRIVER_FOREIGN, "");
}

#ifdef HAVE_JANSSON
static const char by_google_benchmark[] =
	"{ \"context\": { \"library_build_type\": \"debug\" }, \"benchmarks\": ["
	"{ \"name\": \"BM_a/64\", \"run_name\": \"BM_a/64\", \"run_type\": \"iteration\","
	"  \"real_time\": 4.06e+02, \"cpu_time\": 9.14e+01, \"time_unit\": \"ns\" },"
	"{ \"name\": \"old\", \"real_time\": 2, \"cpu_time\": 1, \"time_unit\": \"us\" },"
	"{ \"name\": \"BM_m/manual_time\", \"run_name\": \"BM_m/manual_time\","
	"  \"real_time\": 1000, \"cpu_time\": 466.5, \"time_unit\": \"ns\" },"
	"{ \"name\": \"real/real_time\", \"run_name\": \"real/real_time\","
	"  \"real_time\": 4.8e-4, \"cpu_time\": 4.7e-4, \"time_unit\": \"ms\" },"
	"{ \"name\": \"r/repeats:2\", \"run_name\": \"r/repeats:2\", \"real_time\": 500,"
	"  \"cpu_time\": 100, \"time_unit\": \"ns\" },"
	"{ \"name\": \"r/repeats:2\", \"run_name\": \"r/repeats:2\", \"real_time\": 700,"
	"  \"cpu_time\": 300, \"time_unit\": \"ns\" },"
	"{ \"name\": \"r/repeats:2_mean\", \"run_name\": \"r/repeats:2\","
	"  \"aggregate_name\": \"mean\", \"real_time\": 9, \"cpu_time\": 9 },"
	"{ \"name\": \"a/repeats:3_mean\", \"run_name\": \"a/repeats:3\","
	"  \"aggregate_name\": \"mean\", \"real_time\": 600, \"cpu_time\": 516 },"
	"{ \"name\": \"a/repeats:3_cv\", \"run_name\": \"a/repeats:3\","
	"  \"aggregate_name\": \"cv\", \"real_time\": 0.25, \"cpu_time\": 0.4 },"
	"{ \"name\": \"BM_e\", \"run_name\": \"BM_e\", \"error_occurred\": true,"
	"  \"error_message\": \"no \\\"x\\\"\", \"real_time\": 0, \"cpu_time\": 0 } ] }";

TEST(google_benchmark)
{
	const struct driver *const d = driver_find("google-benchmark");

	assert_listed(d, "BM_a/64\nBM_t<std::pair<int,char>>/8/min_time:0.100\r\n\nBM b (x|y)",
		      "BM_a/64|BM_t<std::pair<int,char>>/8/min_time:0.100|BM b (x|y)");
	assert_command(d, "BM b (x|y) [1] $5.0^2 {3} a/b",
		       "./b|--benchmark_filter=^BM b \\(x\\|y\\) \\[1. \\$5\\.0\\^2 \\{3. a/b$|"
		       "--benchmark_min_time=0.05|--benchmark_out=/r|--benchmark_out_format=json");
	assert_time(d, by_google_benchmark, "BM_a/64", 91.4, 406);
	assert_time(d, by_google_benchmark, "old", 1000, 2000);
	/* What the benchmark itself asks for is another time than the CPU's. */
	assert_time(d, by_google_benchmark, "BM_m/manual_time", NAN, 1000);
	assert_time(d, by_google_benchmark, "real/real_time", NAN, 480);
	/* Repetitions: their mean; of aggregates alone, the mean that the harness has made. */
	assert_time(d, by_google_benchmark, "r/repeats:2", 200, 600);
	assert_time(d, by_google_benchmark, "a/repeats:3", 516, 600);
	assert_answer(d, by_google_benchmark, "BM_e", DRIVER_FAILED, "no \"x\"");
	assert_answer(d, by_google_benchmark, "BM_a", DRIVER_ABSENT, "");
	assert_foreign(d);
	assert_answer(d, "", "n", DRIVER_ABSENT, "");
}

static const char by_pytest[] =
	"{ \"machine_info\": {}, \"benchmarks\": ["
	"{ \"fullname\": \"test_it.py::test_par[a b-10]\", \"name\": \"test_par[a b-10]\","
	"  \"options\": { \"timer\": \"process_time\" }, \"stats\": { \"mean\": 5.5e-07 } },"
	"{ \"fullname\": \"test_it.py::TestC::test_m\", \"name\": \"test_m\","
	"  \"options\": { \"timer\": \"perf_counter\" }, \"stats\": { \"mean\": 2.5e-06 } } ] }";

TEST(pytest)
{
	const struct driver *const d = driver_find("pytest");
	const struct driver_run run = { .path = ".", .result = "/r", .name = "n", .wall = true };
	const struct driver_run by_cpu = {
		.path = ".", .result = "/r", .name = "t.py::t[a b]", .seconds = 0.05
	};
	struct words command = { 0 };

	assert_listed(d, by_pytest, "test_it.py::test_par[a b-10]|test_it.py::TestC::test_m");
	d->run(&by_cpu, &command);
	assert_string_equal(command.list[1], "-c");
	assert_non_null(strstr(command.list[2], "pytest.main("));
	free(command.list[2]);
	command.list[2] = strdup("PROGRAM");
	assert_words(&command,
		     "python3|-c|PROGRAM|-q|--rootdir=.|-p|no:cacheprovider|--benchmark-only|"
		     "--benchmark-warmup=off|--benchmark-min-rounds=1|"
		     "--benchmark-min-time=0.001|--benchmark-json=/r|"
		     "--benchmark-storage=file:///r.d|--benchmark-max-time=0.05|"
		     "--benchmark-timer=time.process_time|t.py::t[a b]");
	/* For the wall time, the harness's own timer is right. */
	d->run(&run, &command);
	assert_false(words_have(&command, "--benchmark-timer=time.process_time"));
	words_free(&command);
	assert_time(d, by_pytest, "test_it.py::test_par[a b-10]", 550, NAN);
	assert_time(d, by_pytest, "test_it.py::TestC::test_m", NAN, 2500);
	assert_answer(d, by_pytest, "test_it.py::test_par[a b-1]", DRIVER_ABSENT, "");
	assert_foreign(d);
}
#endif

static const char by_go[] = "garbage before\n"
			    "goos: linux\n"
			    "pkg: example.org/words\n"
			    "Benchmarking begins\n"
			    "BenchmarkPlain-2    \t      10\t      1493 ns/op\n"
			    "BenchmarkSub/case-8-2         \t      10\t       236.5 ns/op\t"
			    "     185 B/op\t       0 allocs/op\n"
			    "BenchmarkSub/case-8#01-2      \t      10\t       282.6 ns/op\n"
			    "BenchmarkSub/x(1)[2]         \t   10000\t      2991 ns/op\n"
			    "BenchmarkLog-2                \tprinted\n"
			    "      10\t      8694 ns/op\t         3.000 widgets/op\n";
static const char by_go_failed[] = "--- FAIL: BenchmarkSub/bad\n"
				   "    words_test.go:13: no\n"
				   "--- FAIL: BenchmarkSub\n"
				   "FAIL\n";

TEST(go)
{
	const struct driver *const d = driver_find("go");

	assert_listed(d, by_go,
		      "BenchmarkPlain-2|BenchmarkSub/case-8-2|BenchmarkSub/case-8#01-2|"
		      "BenchmarkSub/x(1)[2]|BenchmarkLog-2");
	/* What fails is a benchmark, but not what has sub-benchmarks. */
	assert_listed(d, by_go_failed, "BenchmarkSub/bad");
	assert_listed(d, "PASS\n", "");
	assert_command(d, "BenchmarkSub/x(1)[2]/case-8#01",
		       "./b|-test.run=^$|-test.benchtime=0.05s|"
		       "-test.bench=^BenchmarkSub$/^x\\(1\\)\\[2.$/^case-8#01$");
	assert_time(d, by_go, "BenchmarkPlain", NAN, 1493);
	/* The last number may be that of CPUs, or the name's own. */
	assert_time(d, by_go, "BenchmarkSub/case-8", NAN, 236.5);
	assert_time(d, by_go, "BenchmarkSub/x(1)[2]", NAN, 2991);
	assert_time(d, by_go, "BenchmarkLog", NAN, 8694);
	assert_answer(d, by_go, "BenchmarkSub/case", DRIVER_FOREIGN, "");
	assert_answer(d, by_go_failed, "BenchmarkSub/bad", DRIVER_FAILED, "words_test.go:13: no");
	assert_answer(d, "PASS\n", "BenchmarkSkip", DRIVER_ABSENT, "");
	assert_foreign(d);
}

static const char by_catch2[] =
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	"<Catch name=\"c2\">\n"
	"  <TestCase name=\"plain, a/b [x]\" tags=\"[!benchmark][!hide][.]\" line=\"5\">\n"
	"    <BenchmarkResults name=\"beta &amp; &lt;co>\" samples=\"3\" resamples=\"100000\">\n"
	"      <!--All values in nano seconds-->\n"
	"      <mean value=\"82.2\" lowerBound=\"82.2\" upperBound=\"82.2\" ci=\"0\"/>\n"
	"      <standardDeviation value=\"0\" lowerBound=\"0\" upperBound=\"0\" ci=\"0\"/>\n"
	"    </BenchmarkResults>\n"
	"  </TestCase>\n"
	"  <TestCase name=\"sect\">\n"
	"    <Section name=\"s1\" filename=\"c2.cc\" line=\"7\">\n"
	"      <BenchmarkResults name=\"alpha\">\n"
	"        <mean value=\"7.6869e+06\"/>\n"
	"      </BenchmarkResults>\n"
	"      <OverallResults successes=\"0\" failures=\"0\"/>\n"
	"    </Section>\n"
	"    <BenchmarkResults name=\"eps\">\n"
	"      <failed message=\"Unknown exception\"/>\n"
	"    </BenchmarkResults>\n"
	"  </TestCase>\n"
	"</Catch>\n";

TEST(catch2)
{
	const struct driver *const d = driver_find("catch2");

	assert_listed(d, by_catch2, "plain, a/b [x]/beta & <co>|sect/s1/alpha|sect/eps");
	/* Each beginning of the name may be the test case's. */
	assert_command(d, "a, \"b\"[x]/c/d",
		       "./b|-r|xml|--benchmark-no-analysis|--benchmark-warmup-time|10|"
		       "--benchmark-samples=100|--out=/r|"
		       "a\\, \\\"b\\\"\\[x\\],a\\, \\\"b\\\"\\[x\\]/c,");
	assert_time(d, by_catch2, "plain, a/b [x]/beta & <co>", NAN, 82.2);
	assert_time(d, by_catch2, "sect/s1/alpha", NAN, 7.6869e6);
	assert_answer(d, by_catch2, "sect/eps", DRIVER_FAILED, "Unknown exception");
	assert_answer(d, by_catch2, "sect/alpha", DRIVER_ABSENT, "");
	assert_foreign(d);
}

TEST(find)
{
	assert_null(driver_find(""));
	assert_null(driver_find("Go"));
	assert_string_equal(driver_find("go")->name, "go");
}

UNIT_MAIN("drivers", NULL, NULL)
