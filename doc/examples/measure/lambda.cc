// SPDX-FileCopyrightText: The cpucycles developers
// SPDX-License-Identifier: 0BSD

// C++: lambdas are measured through the context pointer, and a class closes the meter.

#include <cpucycles-measure.h>
#include <cstdint>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

// Each structure begins with its size, and 0 in any other member means the default.
template <class Structure> Structure sized()
{
	Structure structure = {};

	structure.size = sizeof structure;
	return structure;
}

// Any object that can be called, as a function and its context. The object has to live as long as
// the results are asked for, and must not throw.
template <class Function> cpucycles_work work(const char *name, Function &function)
{
	return { name, [](void *context) { (*static_cast<Function *>(context))(); }, &function,
		 nullptr, 0 };
}

// Opens a meter, and closes it at the end of its scope.
class Meter
{
      public:
	Meter()
	{
		auto reason = sized<cpucycles_reason>();

		if (cpucycles_meter_open(&meter, nullptr, &reason) != 0)
			throw std::runtime_error(sentence(reason));
	}
	~Meter()
	{
		cpucycles_meter_close(meter);
	}
	Meter(const Meter &) = delete;
	Meter &operator=(const Meter &) = delete;

	// How the second function compares with the first one.
	cpucycles_verdict compare(const cpucycles_work (&works)[2])
	{
		auto reason = sized<cpucycles_reason>();
		auto verdict = sized<cpucycles_verdict>();

		if (cpucycles_meter_run(meter, works, 2, nullptr, &reason) != 0)
			throw std::runtime_error(sentence(reason));
		cpucycles_meter_verdict(meter, 1, &verdict);
		return verdict;
	}

      private:
	static std::string sentence(const cpucycles_reason &reason)
	{
		return std::string(reason.what) + "; " + reason.remedy;
	}

	cpucycles_meter *meter = nullptr;
};

// The compiler has to think that somebody reads this: work for a result that nobody uses would be
// left out.
static const std::uint64_t *volatile last;

int main()
try {
	std::size_t n = 1000;
	auto growing = [n] {
		std::vector<std::uint64_t> squares;

		for (std::uint64_t i = 0; i < n; i++)
			squares.push_back(i * i);
		last = &squares.back();
	};
	auto reserved = [n] {
		std::vector<std::uint64_t> squares;

		squares.reserve(n);
		for (std::uint64_t i = 0; i < n; i++)
			squares.push_back(i * i);
		last = &squares.back();
	};
	const auto verdict =
		Meter().compare({ work("growing", growing), work("reserved", reserved) });
	static const char *const words[] = { "no verdict", "faster", "slower" };

	std::cout << "reserved beside growing: " << words[verdict.verdict] << ", it takes "
		  << verdict.ratio << " times as long (" << verdict.low << " to " << verdict.high
		  << ")\n";
} catch (const std::exception &error) {
	std::cerr << error.what() << "\n";
	return 1;
}
