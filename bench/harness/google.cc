// SPDX-FileCopyrightText: The cpucycles developers
// SPDX-License-Identifier: 0BSD

// Four benchmarks for bench/harnesses. Each does so many rounds as the array says, which is the
// only difference between two builds. It lies in another file, so the code is the same.

#include <benchmark/benchmark.h>
#include <cstdint>

extern "C" const uint64_t harness_rounds[4];

namespace
{

uint64_t multiply(uint64_t rounds)
{
	uint64_t x = rounds;

	for (uint64_t i = 0; i < rounds; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

uint64_t shift(uint64_t rounds)
{
	uint64_t x = rounds | 1;

	for (uint64_t i = 0; i < rounds; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	return x;
}

template <uint64_t (*work)(uint64_t)> void run(benchmark::State &state)
{
	for (auto unused : state) {
		(void)unused;
		benchmark::DoNotOptimize(work(harness_rounds[state.range(0)]));
	}
}

BENCHMARK_TEMPLATE(run, multiply)->Arg(0)->Arg(1);
BENCHMARK_TEMPLATE(run, shift)->Arg(2)->Arg(3);

} // namespace

BENCHMARK_MAIN();
