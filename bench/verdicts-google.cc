// SPDX-FileCopyrightText: The cpucycles developers
// SPDX-License-Identifier: 0BSD

// verdicts-google TRIES SECOND [BENCHMARK-OPTION]...: measure 400 dependent multiplications, and
// SECOND, which is 400 or 404, by google/benchmark, 12 repetitions of 4 ms each, so many times.
// Each line has the nanoseconds of one try's 24 repetitions, those of 400 before those of SECOND.

#include "dependent.h"

#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>
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

using Work = void (*)(void *);

void call(benchmark::State &state, Work work)
{
	for (auto unused : state) {
		(void)unused;
		work(nullptr);
	}
}

void add(const char *name, Work work)
{
	benchmark::RegisterBenchmark(name, call, work)->Repetitions(repetitions)->MinTime(seconds);
}

} // namespace

int main(int argc, char *argv[])
{
	benchmark::Initialize(&argc, argv);
	if (argc != 3)
		return 2;
	for (int i = std::atoi(argv[1]); i > 0; i--) {
		Keeper keeper;

		benchmark::ClearRegisteredBenchmarks();
		add("first", dependent_400);
		add("second", std::atoi(argv[2]) == 404 ? dependent_404 : dependent_400);
		benchmark::RunSpecifiedBenchmarks(&keeper);
		for (const char *name : { "first", "second" })
			for (double time : keeper.times[name])
				std::printf("%.6f ", time);
		std::printf("\n");
		std::fflush(stdout);
	}
	return 0;
}
