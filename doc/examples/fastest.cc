// SPDX-FileCopyrightText: The cpucycles developers
// SPDX-License-Identifier: 0BSD

#include <algorithm>
#include <array>
#include <cpucycles.h>
#include <iostream>

// The cycles of the fastest of nine calls.
template <class Function> long long fastest(Function function)
{
	std::array<long long, 9> cycles;

	for (auto &each : cycles) {
		const auto start = cpucycles();
		function();
		each = cpucycles() - start;
	}
	return *std::min_element(cycles.begin(), cycles.end());
}

int main()
{
	cpucycles(); // not measured: the first call selects a counter, which takes longer
	const auto cycles = fastest([] {
		for (volatile int i = 0; i < 1000;)
			i = i + 1;
	});
	std::cout << cycles << " cycles, " << cpucycles_nanoseconds(cycles) << " ns, counted by "
		  << cpucycles_implementation() << "\n";
}
