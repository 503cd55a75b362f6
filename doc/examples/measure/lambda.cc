// SPDX-FileCopyrightText: The cpucycles developers
// SPDX-License-Identifier: 0BSD

// C++: two lambdas. What they return is kept, so the compiler leaves no work out.

#include <cpucycles-measure.hpp>
#include <vector>

int main()
{
	const int n = 1000;
	auto growing = [n] {
		std::vector<int> squares;

		for (int i = 0; i < n; i++)
			squares.push_back(i * i);
		return squares;
	};
	auto reserved = [n] {
		std::vector<int> squares;

		squares.reserve(n);
		for (int i = 0; i < n; i++)
			squares.push_back(i * i);
		return squares;
	};

	return cpucycles_measure::compare("growing", growing, "reserved", reserved) != 0;
}
