// SPDX-FileCopyrightText: The cpucycles developers
// SPDX-License-Identifier: 0BSD

// All that cpucycles-measure.hpp measures, in every way. With an argument: a function that throws.

#ifdef BEFORE
#include <cpucycles.h>
#endif
#include <cpucycles-measure.hpp>
#ifdef BEHIND
#include <cpucycles.h>
#endif
#include <cerrno>
#include <cstdlib>
#include <vector>

static int calls;

// No function shall be too fast to be measured.
static int busy()
{
	volatile int spins = 500;

	while (spins > 0)
		spins = spins - 1;
	return spins;
}

static int plain()
{
	calls++;
	return busy();
}

static void nothing_back()
{
	calls++;
	busy();
}

struct Object {
	int called;
	// Its address is that of no object.
	void operator&() const = delete;
	int operator()()
	{
		return busy() + ++called;
	}
};

struct Reference {
	const int *number;
	const int &operator()() const
	{
		busy();
		return *number;
	}
};

static int fails(const char *what)
{
	std::fprintf(stderr, "%s\n", what);
	return EXIT_FAILURE;
}

#if defined(__cpp_exceptions)
static int throws(const cpucycles::options &quick)
{
	try {
		cpucycles::measure(quick, "throws", [] { throw 1; });
	} catch (int) {
		return fails("an exception went through the meter");
	}
	return fails("an exception got lost");
}
#endif

int main(int argc, char *[])
{
	std::vector<int> numbers(100, 1);
	Object object = { 0 };
	const Reference reference = { &numbers[1] };
	int (*const pointer)() = plain;
	int changed = 0, sum = 0;
	const auto constant = [&] {
		int all = busy();

		for (int number : numbers)
			all += number;
		return all;
	};
	auto changing = [&]() mutable { sum += busy() + ++changed % 2; };
	cpucycles::options quick;

	quick.plan.budget_ns = 2000000;
	quick.to = stderr;
#if defined(__cpp_exceptions)
	if (argc > 1)
		return throws(quick);
#else
	(void)argc;
#endif
	if (cpucycles::compare("constant", constant, "changing", changing, "object", object,
			       "plain", plain, "nothing_back", nothing_back, "pointer", pointer,
			       "reference", reference, "vector",
			       [] { return std::vector<int>(busy() == 0 ? 10 : 9); }) != 0)
		return fails("compare() failed");
	if (changed == 0 || sum == 0 || object.called == 0 || calls == 0)
		return fails("a function was not called");
	if (cpucycles::compare(
		    quick, "a", [&] { cpucycles::keep(busy()); }, "b", plain) != 0 ||
	    cpucycles::measure(quick, "elsewhere", constant) != 0)
		return fails("measuring for a short time failed");
	if (cpucycles::measure("alone", [&] { return busy() == 0 ? numbers.size() : 0; }) != 0)
		return fails("measure() failed");
	const cpucycles_work works[] = { cpucycles::work("made", constant) };
	if (cpucycles_measure_print(stdout, works, 1, &quick.plan) != 0)
		return fails("cpucycles_measure_print() failed");
	quick.plan.error = -1;
	if (cpucycles::measure(quick, "refused", constant) != -EINVAL)
		return fails("a plan that makes no sense was not refused");
	return EXIT_SUCCESS;
}
