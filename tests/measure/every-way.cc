// SPDX-FileCopyrightText: The cpucycles developers
// SPDX-License-Identifier: 0BSD

// All that cpucycles-measure.hpp measures, in every way. With an argument: a function that throws;
// with two, in a test for leaks.

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

// The names of the namespace, and the C variable of the other header, get into nobody's way.
namespace cm = cpucycles_measure;
namespace opened
{
using namespace cpucycles_measure;
using cpucycles_measure::keep;
} // namespace opened
#if !defined(BEFORE) && !defined(BEHIND)
static int cpucycles;
#endif

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

// Tests for leaks: with the input 1, a call takes three times as long.
static int busy_by(const unsigned char *input)
{
	for (int i = 0; i < 2 * input[0]; i++)
		busy();
	return busy();
}

static void prepare_plain(int group, unsigned char *input)
{
	input[0] = static_cast<unsigned char>(group);
}

struct Prepare {
	int called;
	void operator&() const = delete;
	void operator()(int group, unsigned char *input)
	{
		prepare_plain(group, input);
		called++;
	}
};

static bool is_found(const cpucycles_leak_findings &result)
{
	return result.verdict == CPUCYCLES_LEAK_FOUND && result.surest > 0;
}

static int leaks()
{
	cpucycles_leak_findings result = {};
	cpucycles_counter_info info = {};
	char what[256] = "", remedy[256] = "";
	cpucycles_reason reason = CPUCYCLES_REASON(what, remedy);
	cpucycles_measure::leak_options how;
	Prepare prepare = { 0 };
	int called = 0;
	auto call = [&](const unsigned char *input) mutable {
		called++;
		busy_by(input);
	};

	if (cpucycles_measure::leak(result, "lambda", 1, call, prepare) != 0 || !is_found(result))
		return fails("a leak was not found");
	if (called == 0 || prepare.called == 0)
		return fails("a function of a test for leaks was not called");
	how.plan.samples = 1000;
	how.plan.flags = CPUCYCLES_PLAN_WHOLE;
	how.info = &info;
	how.reason = &reason;
	if (cpucycles_measure::leak(how, result, "plain", 1, busy_by, prepare_plain) != 0 ||
	    result.calls[0] + result.calls[1] < 1000 || info.counter == nullptr)
		return fails("a test for leaks with options failed");
	how.threshold = 1e9;
	if (cpucycles_measure::leak(how, result, "random", 1,
				    [](const unsigned char *input) { return input[0]; }) != 0 ||
	    result.threshold < how.threshold)
		return fails("a test for leaks without a function that makes inputs failed");
	if (cpucycles_measure::leak(how, result, "nothing", 0, busy_by) != -EINVAL ||
	    !reason.what[0])
		return fails("an input of no bytes was not refused");
	how.flags = CPUCYCLES_LEAK_PAIRS;
	if (cpucycles_measure::leak(how, result, "both", 1, busy_by, prepare_plain) != -EINVAL)
		return fails("a flag was not seen");
	return 0;
}

#if defined(__cpp_exceptions)
static int throws(const cpucycles_measure::options &quick, bool leak)
{
	cpucycles_leak_findings result = CPUCYCLES_LEAK_FINDINGS_INITIALIZER;

	try {
		if (leak)
			cpucycles_measure::leak(result, "throws", 1,
						[](const unsigned char *) { throw 1; });
		else
			cpucycles_measure::measure(quick, "throws", [] { throw 1; });
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
	cpucycles_measure::options quick;

	quick.plan.budget_ns = 2000000;
	quick.to = stderr;
#if defined(__cpp_exceptions)
	if (argc > 1)
		return throws(quick, argc > 2);
#else
	(void)argc;
#endif
	if (cpucycles_measure::compare("constant", constant, "changing", changing, "object", object,
				       "plain", plain, "nothing_back", nothing_back, "pointer",
				       pointer, "reference", reference, "vector",
				       [] { return std::vector<int>(busy() == 0 ? 10 : 9); }) != 0)
		return fails("compare() failed");
	if (changed == 0 || sum == 0 || object.called == 0 || calls == 0)
		return fails("a function was not called");
#if defined(BEFORE) || defined(BEHIND)
	cm::keep(cpucycles());
#else
	cm::keep(cpucycles);
#endif
	if (opened::compare(
		    quick, "a", [&] { opened::keep(busy()); }, "b", plain) != 0 ||
	    cm::measure(quick, "on_stderr", constant) != 0)
		return fails("measuring for a short time failed");
	if (cpucycles_measure::measure("alone", [&] { return busy() == 0 ? numbers.size() : 0; }) !=
	    0)
		return fails("measure() failed");
	const cpucycles_work works[] = { cpucycles_measure::work("made", constant) };
	if (cpucycles_measure_print(stdout, works, 1, &quick.plan) != 0)
		return fails("cpucycles_measure_print() failed");
	quick.plan.alpha = -1;
	if (cpucycles_measure::measure(quick, "refused", constant) != -EINVAL)
		return fails("a plan that makes no sense was not refused");
	return leaks();
}
