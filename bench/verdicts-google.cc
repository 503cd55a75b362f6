// SPDX-FileCopyrightText: The cpucycles developers
// SPDX-License-Identifier: 0BSD

// verdicts-google FIRST SECOND [BENCHMARK-OPTION]...: measure two functions of alike.h by
// google/benchmark, 12 repetitions of 4 ms each. Prints one line: the nanoseconds of the 24
// repetitions, those of FIRST before those of SECOND.

#include "alike.h"

#include <benchmark/benchmark.h>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace
{

constexpr int repetitions = 12;
constexpr double seconds = 0.004;

class Keeper : public benchmark::BenchmarkReporter
{
      public:
	std::map<std::string, std::vector<double>> times;

	bool ReportContext(const Context &) override
	{
		return true;
	}

	void ReportRuns(const std::vector<Run> &runs) override
	{
		for (const Run &run : runs)
			if (run.run_type == Run::RT_Iteration)
				times[run.run_name.function_name].push_back(
					run.GetAdjustedRealTime());
	}
};

void call(benchmark::State &state, alike_function *work)
{
	for (auto unused : state) {
		(void)unused;
		work(nullptr);
	}
}

void add(const char *name, alike_function *work)
{
	benchmark::RegisterBenchmark(name, call, work)->Repetitions(repetitions)->MinTime(seconds);
}

} // namespace

int main(int argc, char *argv[])
{
	Keeper keeper;

	benchmark::Initialize(&argc, argv);
	if (argc != 3 || !alike_named(argv[1]) || !alike_named(argv[2]))
		return 2;
	alike_prepare();
	add("first", alike_named(argv[1]));
	add("second", alike_named(argv[2]));
	benchmark::RunSpecifiedBenchmarks(&keeper);
	for (const char *name : { "first", "second" })
		for (double time : keeper.times[name])
			std::printf("%.6f ", time);
	std::printf("\n");
	return std::fflush(stdout) ? 1 : 0;
}
