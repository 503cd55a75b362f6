// SPDX-FileCopyrightText: The cpucycles developers
// SPDX-License-Identifier: 0BSD

// google/benchmark measures time. This also shows what a counter of cpucycles counts: cycles
// of the core where that counter is open, else ticks or nanoseconds. A column says which.
//
//     c++ cycles.cc $(pkg-config --cflags --libs benchmark cpucycles-measure) -lpthread -o cycles
//
// To know which of two functions is faster, compare them by a run of the meter (with-meter.c in the
// folder measure). google/benchmark runs one after the other, and the machine changes meanwhile.

#include <benchmark/benchmark.h>
#include <cpucycles-measure.h>
#include <string>

// Counts from the object's creation to its end, and adds a column for the counts of an iteration.
class Count
{
      public:
	explicit Count(benchmark::State &state) : state(state)
	{
		cpucycles_meter_options options = CPUCYCLES_METER_OPTIONS_INITIALIZER;

		// Cycles if they can be had, and if not, whatever is next best.
		options.need = CPUCYCLES_NEED_CYCLES;
		options.flags = CPUCYCLES_METER_NEXT_BEST;
		// This meter makes no run, so that it needs no memory for samples.
		options.works_max = options.samples_max = 1;
		if (cpucycles_meter_open(&meter, &options, nullptr) != 0) {
			state.SkipWithError("no counter of cpucycles works here");
			return;
		}
		start = cpucycles_meter_now(meter);
	}
	~Count()
	{
		static const char *const units[] = { "cycles", "ticks", "ns" };
		cpucycles_counter_info info = CPUCYCLES_COUNTER_INFO_INITIALIZER;

		if (!meter)
			return;
		const double counts = static_cast<double>(cpucycles_meter_now(meter) - start);
		cpucycles_meter_info(meter, &info);
		// Not 0: the kernel took the counter away, and a clock took its place.
		if (cpucycles_meter_lost(meter) != 0)
			state.SkipWithError("the counter was lost");
		state.counters[units[info.unit]] =
			benchmark::Counter(counts - info.overhead,
					   benchmark::Counter::kAvgIterations);
		state.SetLabel(info.counter);
		cpucycles_meter_close(meter);
	}
	Count(const Count &) = delete;
	Count &operator=(const Count &) = delete;

      private:
	benchmark::State &state;
	cpucycles_meter *meter = nullptr;
	int64_t start = 0;
};

// The loop itself is counted too. It takes a cycle or two for each iteration.
static void append(benchmark::State &state)
{
	const std::string word = "word";
	Count count(state);

	for (auto _ : state) {
		std::string text;

		for (int64_t i = 0; i < state.range(0); i++)
			text += word;
		benchmark::DoNotOptimize(text);
	}
}
BENCHMARK(append)->Arg(10)->Arg(1000);

BENCHMARK_MAIN();
