/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* libcpucycles-measure for C++: lambdas can be measured, and meters close themselves. */

#ifndef CPUCYCLES_MEASURE_HPP
#define CPUCYCLES_MEASURE_HPP

#include <cpucycles-measure.h>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <type_traits>

/*
 * The meter of cpucycles-measure.h for all that C++11 can call without an argument, and the test
 * for leaks for what it can call with an input: lambdas, functions, objects.
 *
 *	namespace cm = cpucycles_measure;
 *
 *	cm::compare("list", [&] { return sum(list); }, "array", [&] { return sum(array); });
 *	cm::leak(result, "check", 32, [&](const unsigned char *input) { check(input); });
 *
 * What cpucycles-measure.h says of threads and of functions that are measured holds here, too.
 * Nothing here allocates memory or throws. An exception that leaves a function that is measured
 * ends the program by std::terminate.
 *
 * Calls from one function of this file to another name the namespace. Otherwise a function of the
 * same name in the namespace of an argument could be taken.
 */
namespace cpucycles_measure
{

/* Make the compiler think that somebody reads this value, and what can be reached from it. Work for
 * a result that nobody uses would be left out. */
template <class Value> void keep(const Value &value) noexcept
{
	cpucycles_keep(std::addressof(value));
}

namespace detail
{

template <class Function>
void call_and_keep(Function &function, std::true_type /* it returns nothing */)
{
	function();
}
template <class Function>
void call_and_keep(Function &function, std::false_type /* it has a result */)
{
	cpucycles_measure::keep(function());
}

/* The meter is C, through which no exception may go. */
template <class Function> void call(void *context) noexcept
{
	Function &function = *static_cast<Function *>(context);

	detail::call_and_keep(function, std::is_void<decltype(function())>());
}
template <class Result> void call_plain(void *context) noexcept
{
	detail::call_and_keep(*reinterpret_cast<Result (*)()>(context), std::is_void<Result>());
}

} // namespace detail

/*
 * This function for cpucycles_meter_run() and cpucycles_measure_print(), to which more can be said,
 * such as the bytes of one call. What it returns is kept. Neither the object nor the name is
 * copied: both have to stay as long as the results are asked for.
 */
template <class Function> cpucycles_work work(const char *name, Function &function) noexcept
{
	const volatile void *context = std::addressof(function);

	return { sizeof(cpucycles_work),      name,    &detail::call<Function>,
		 const_cast<void *>(context), nullptr, 0 };
}
/* In POSIX, the address of a function has room in that of an object. */
template <class Result> cpucycles_work work(const char *name, Result (&function)()) noexcept
{
	return { sizeof(cpucycles_work),
		 name,
		 &detail::call_plain<Result>,
		 reinterpret_cast<void *>(&function),
		 nullptr,
		 0 };
}

namespace detail
{

inline void fill(cpucycles_work *) noexcept {}
template <class Function, class... More>
void fill(cpucycles_work *works, const char *name, Function &function, More &...more) noexcept
{
	*works = cpucycles_measure::work(name, function);
	detail::fill(works + 1, more...);
}

} // namespace detail

/* Where to print, and how long to measure. */
struct options {
	std::FILE *to = stdout;
	cpucycles_plan plan = CPUCYCLES_PLAN_INITIALIZER;
};

/*
 * Measure functions, compare each with the first one, and print what cpucycles_measure_print()
 * prints, by default on standard output. The arguments are pairs of a name and what is called: a
 * lambda may stand in the call itself. This returns what cpucycles_measure_print() returns: 0 or a
 * negative errno.
 */
template <class Function, class... More>
int compare(const options &how, const char *name, Function &&function, More &&...more) noexcept
{
	static_assert(sizeof...(More) % 2 == 0, "expected a name before each function");
	cpucycles_work works[1 + sizeof...(More) / 2];

	detail::fill(works, name, function, more...);
	return cpucycles_measure_print(how.to, works, sizeof works / sizeof works[0], &how.plan);
}
template <class Function, class... More>
int compare(const char *name, Function &&function, More &&...more) noexcept
{
	return cpucycles_measure::compare(options(), name, function, more...);
}

/* How long one function takes: a comparison with nothing. */
template <class Function>
int measure(const options &how, const char *name, Function &&function) noexcept
{
	return cpucycles_measure::compare(how, name, function);
}
template <class Function> int measure(const char *name, Function &&function) noexcept
{
	return cpucycles_measure::compare(options(), name, function);
}

/* Which test for leaks: members of cpucycles_leak, and where to tell more. */
struct leak_options {
	cpucycles_plan plan = CPUCYCLES_PLAN_INITIALIZER;
	double threshold = 0;
	unsigned flags = 0;
	cpucycles_counter_info *info = nullptr; /* gets the counter */
	cpucycles_reason *reason = nullptr;     /* made by CPUCYCLES_REASON */
};

namespace detail
{

template <class Call> struct caller {
	Call &call;
};
template <class Call, class Prepare> struct preparer {
	Call &call;
	Prepare &prepare;
};

template <class Context> void call_with(const unsigned char *input, void *context) noexcept
{
	auto &&call = static_cast<Context *>(context)->call;
	const auto with_input = [&]() -> decltype(call(input)) { return call(input); };

	detail::call_and_keep(with_input, std::is_void<decltype(call(input))>());
}
template <class Context> void prepare_with(int group, unsigned char *input, void *context) noexcept
{
	static_cast<Context *>(context)->prepare(group, input);
}

inline int run_leak(const leak_options &how, cpucycles_leak_findings &result,
		    const cpucycles_leak &test) noexcept
{
	cpucycles_meter_options options = CPUCYCLES_METER_OPTIONS_INITIALIZER;
	cpucycles_meter *meter;

	/* Their sizes are known here, so nobody has to state them. */
	result = CPUCYCLES_LEAK_FINDINGS_INITIALIZER;
	if (how.info != nullptr)
		*how.info = CPUCYCLES_COUNTER_INFO_INITIALIZER;
	options.need = CPUCYCLES_NEED_CYCLES;
	options.flags = CPUCYCLES_METER_NEXT_BEST;
	options.samples_max = 1; /* nobody asks for the times of calls */
	int error = cpucycles_meter_open(&meter, &options, how.reason);
	if (error == 0)
		error = cpucycles_leak_run(meter, &test, &how.plan, how.reason);
	if (error == 0)
		error = cpucycles_leak_result(meter, &result);
	if (error == 0 && how.info != nullptr)
		error = cpucycles_meter_info(meter, how.info);
	cpucycles_meter_close(meter);
	return error;
}

} // namespace detail

/*
 * Whether the time of a function depends on its input of so many bytes, as cpucycles_leak_run()
 * finds out by a counter of the core's cycles, or the next best one. call(input) has a const
 * unsigned char *, and what it returns is kept. prepare(group, input) makes an input of group 0 or
 * 1 in an unsigned char *. This fills in the result and returns 0, or a negative errno of
 * cpucycles_meter_open() or cpucycles_leak_run(), and prints nothing.
 */
template <class Call>
int leak(const leak_options &how, cpucycles_leak_findings &result, const char *name,
	 std::size_t bytes, Call &&call) noexcept
{
	using context_type = detail::caller<Call>;
	context_type context = { call };

	return detail::run_leak(how, result,
				{ sizeof(cpucycles_leak), name, &detail::call_with<context_type>,
				  nullptr, &context, bytes, how.threshold, how.flags });
}
template <class Call, class Prepare>
int leak(const leak_options &how, cpucycles_leak_findings &result, const char *name,
	 std::size_t bytes, Call &&call, Prepare &&prepare) noexcept
{
	using context_type = detail::preparer<Call, Prepare>;
	context_type context = { call, prepare };

	return detail::run_leak(how, result,
				{ sizeof(cpucycles_leak), name, &detail::call_with<context_type>,
				  &detail::prepare_with<context_type>, &context, bytes,
				  how.threshold, how.flags });
}
template <class Call, class... Prepare>
int leak(cpucycles_leak_findings &result, const char *name, std::size_t bytes, Call &&call,
	 Prepare &&...prepare) noexcept
{
	return cpucycles_measure::leak(leak_options(), result, name, bytes, call, prepare...);
}

} // namespace cpucycles_measure

#endif
