#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# include/cpucycles-measure.hpp: it compiles in each standard without a warning, keeps what would be
# left out, and measures what C++ can call.
. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"

source=$top_srcdir/tests/measure/every-way.cc
libraries=$top_builddir/measure/.libs:$top_builddir/lib/.libs
link="-Wl,--no-as-needed -L$top_builddir/measure/.libs -lcpucycles-measure
	-L$top_builddir/lib/.libs -lcpucycles"

compiled() {
	cxx=$1
	shift
	"$cxx" -Wall -Wextra -Wconversion -Wshadow -Wpedantic -Wold-style-cast -Werror \
		-I"$top_srcdir/include" "$@"
}

# known() has no effect but its result, so a call whose result nobody uses is left out.
cat >"$scratch/kept.cc" <<'CC'
#include <cpucycles-measure.hpp>

__attribute__((const)) int known(int number);

int measured(int *number)
{
	(void)known(0);
#ifdef KEPT
	cpucycles_measure::keep(known(1));
#endif
#ifdef RETURNED
	return cpucycles_measure::measure("a", [=] { return known(*number); });
#endif
#ifdef LEAKED
	cpucycles_leak_findings result;
	return cpucycles_measure::leak(result, "a", 1, [=](const unsigned char *input) {
		return known(*number + *input);
	});
#endif
	return *number;
}

// A type has functions of the same names in its namespace.
namespace other
{
struct value {};
template <class... Arguments> void keep(Arguments &&...) = delete;
template <class... Arguments> int compare(Arguments &&...) = delete;
template <class... Arguments> void fill(Arguments &&...) = delete;
template <class... Arguments> void call_and_keep(Arguments &&...) = delete;
struct function {
	value operator()() const { return value(); }
};
} // namespace other

int named() { return cpucycles_measure::measure("a", other::function()); }
CC
# calls DEFINITION: whether the compiler leaves a call of known().
calls() {
	compiled "$cxx" -std=c++11 -O2 -Wno-unused-value "$1" -c "$scratch/kept.cc" \
		-o "$scratch/kept.o" || return
	grep -q known "$scratch/kept.o"
}
not() { ! "$@"; }

there=
for cxx in g++ clang++; do
	if ! command -v $cxx >/dev/null; then
		skip "$cxx" "$cxx is not there"
		continue
	fi
	there=$cxx
	for std in 11 14 17 20 2b; do
		ok "$cxx: C++$std, with cpucycles.h" compiled $cxx -std=c++$std -DBEFORE \
			-c "$source" -o "$scratch/every.o"
	done
	ok "$cxx: with cpucycles.h after it" compiled $cxx -std=c++11 -DBEHIND -c "$source" \
		-o "$scratch/every.o"
	ok "$cxx: without exceptions and run-time types" compiled $cxx -std=c++11 \
		-fno-exceptions -fno-rtti -c "$source" -o "$scratch/every.o"
	ok "$cxx: a result that nobody uses is left out" not calls -DNONE
	ok "$cxx: keep() keeps it" calls -DKEPT
	ok "$cxx: a result of what is measured is kept" calls -DRETURNED
	ok "$cxx: and one of what is tested for leaks" calls -DLEAKED
done
[ -n "$there" ] || exit 0

# A sanitizer's library has to be in the program from its start, and a library for another libc
# cannot be linked with the programs of the C++ compiler.
if sanitized; then
	skip "a program" "this build has a sanitizer in it"
	exit 0
fi
LD_LIBRARY_PATH=$libraries
export LD_LIBRARY_PATH
# shellcheck disable=SC2086 # words of their own
if ! (cd "$scratch" && echo 'int main() {}' >empty.cc && "$there" empty.cc -o empty $link \
	>/dev/null 2>&1 && ./empty); then
	skip "a program" "this build is for another libc, or static"
	exit 0
fi
# shellcheck disable=SC2086
ok "a program is linked" compiled "$there" -std=c++11 -O2 "$source" -o "$scratch/every" $link

# A run fails where a count was void, as when the machine was suspended, so it gets three tries.
measures() {
	for try in 1 2 3; do
		timeout "$limit" "$scratch/every" >"$scratch/out" 2>"$scratch/err" && return
		sed "s/^/# try $try: /" "$scratch/err"
	done
	return 1
}
ok "it measures all kinds of functions" measures
for name in constant changing object plain nothing_back pointer reference vector alone made; do
	ok "it prints $name" grep -qw "$name" "$scratch/out"
done
# Each meter chooses its counter, so two may be different ones.
ok "the first table has the line on the counter" grep -q '^counter: ' "$scratch/out"
is "a later one has no line on the same counter" \
	"$(sed -n 's/^counter: \([^;,]*\).*/\1/p' "$scratch/out" | uniq -d)" ""
ok "it prints on standard error what it shall" grep -qw on_stderr "$scratch/err"
not_there=$(grep -cw on_stderr "$scratch/out")
is "and not on standard output, too" "$not_there" 0
timeout "$limit" "$scratch/every" throw >"$scratch/out" 2>"$scratch/err"
is "an exception ends the program" $? 134
timeout "$limit" "$scratch/every" throw leak >"$scratch/out" 2>"$scratch/err"
is "and one in a test for leaks" $? 134
