// SPDX-FileCopyrightText: The cpucycles developers
// SPDX-License-Identifier: 0BSD

// Benchmarks of two checksums for Catch2, version 2, to be linked with each of their revisions.

#define CATCH_CONFIG_MAIN
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

extern "C" std::uint32_t adler(const unsigned char *bytes, std::size_t n);
extern "C" std::uint32_t crc(const unsigned char *bytes, std::size_t n);

TEST_CASE("checksums", "[!benchmark]")
{
	const std::string text(1000, 'x');
	const auto bytes = reinterpret_cast<const unsigned char *>(text.data());

	BENCHMARK("adler") { return adler(bytes, text.size()); };
	BENCHMARK("crc") { return crc(bytes, text.size()); };
}
