// SPDX-FileCopyrightText: The cpucycles developers
// SPDX-License-Identifier: 0BSD

// Benchmarks of two checksums for google/benchmark, to be linked with each of their revisions.

#include <benchmark/benchmark.h>
#include <cstdint>
#include <string>

extern "C" std::uint32_t adler(const unsigned char *bytes, std::size_t n);
extern "C" std::uint32_t crc(const unsigned char *bytes, std::size_t n);

template <std::uint32_t checksum(const unsigned char *, std::size_t)>
static void of_text(benchmark::State &state)
{
	const std::string text(static_cast<std::size_t>(state.range(0)), 'x');
	const auto bytes = reinterpret_cast<const unsigned char *>(text.data());

	for (auto _ : state)
		benchmark::DoNotOptimize(checksum(bytes, text.size()));
}
BENCHMARK(of_text<adler>)->Arg(1000);
BENCHMARK(of_text<crc>)->Arg(1000);

BENCHMARK_MAIN();
