#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The programs of doc/examples that measure, and those of cpucycles-measure(3) and of
# cpucycles-leak(7): each is built by the command of doc/examples/README.md or of the page, against
# the libraries of this build, and says what it should.
# How long the functions take, and which is faster, is up to the machine.
. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"

examples=$top_srcdir/doc/examples
measure=$top_builddir/measure
command -v pkg-config >/dev/null || skip_all "pkg-config is not there"
[ -e "$measure/.libs/libcpucycles-measure.so" ] || skip_all "no shared library was built"

# Copies of the pkg-config files, with the folders of this build.
mkdir "$scratch/pkgconfig"
for library in lib/cpucycles measure/cpucycles-measure; do
	sed -e "s,^libdir=.*,libdir=$top_builddir/${library%/*}/.libs," \
		-e "s,^includedir=.*,includedir=$top_srcdir/include," \
		"$top_builddir/$library.pc" >"$scratch/pkgconfig/${library#*/}.pc"
done
# The programs' own path comes first, so that pkg-config finds google/benchmark as ever.
PKG_CONFIG_PATH=$scratch/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
LD_LIBRARY_PATH=$measure/.libs:$top_builddir/lib/.libs
export PKG_CONFIG_PATH LD_LIBRARY_PATH

# The commands say cc and c++: these are the compilers of this build, which warn.
# stand_in NAME COMMAND: a program of this name that starts the command. With the path of before:
# the command may have the same name.
stand_in() {
	printf '#!/bin/sh\nPATH=%s\nexec %s -Wall -Wextra -Werror "$@"\n' "'$PATH'" "$2" \
		>"$scratch/bin/$1"
	chmod +x "$scratch/bin/$1"
}
mkdir "$scratch/bin"
stand_in cc "${CC:-cc} ${CFLAGS:-}"
for cxx in ${CXX:-} c++ g++ clang++; do
	command -v "$cxx" >/dev/null && break
done
stand_in c++ "$cxx"
PATH=$scratch/bin:$PATH

cp -R "$examples" "$scratch/examples"
chmod -R u+w "$scratch/examples"

# command_for FILE N: the command in row number N of the table that has this file.
command_for() {
	sed -n "s,^| \[$1\]([^)]*) |.*| \`\(.*\)\` |\$,\1,p" "$examples/README.md" | sed -n "$2p"
}

# run_in FOLDER COMMAND: with its output in $scratch/out. A run fails where a count was void, as
# when the machine was suspended, so it gets three tries.
run_in() {
	for try in 1 2 3; do
		(cd "$1" && timeout "$limit" sh -c "$2") >"$scratch/out" 2>"$scratch/err" && return
		sed "s/^/# try $try: /" "$scratch/err"
	done
	return 1
}

# shape: the output without warnings, and with N in the place of numbers, NAME of the counter, UNIT
# of units and VERDICT of verdicts. On a machine that stands still for most of the run, there are
# too few samples for an interval or even for a ratio.
number='-\{0,1\}\([0-9][0-9.]*\(e[+-]\{0,1\}[0-9]*\)\{0,1\}\|inf\|nan\)'
shape() {
	sed -e '/^warning: /d' -e 's/^counter: [a-z0-9-]*,/counter: NAME,/' \
		-e "s/\([ (]\)$number/\1N/g" -e "s/ \(cycles\|ticks\|ns\)\([ ,]\|\$\)/ UNIT\2/g" \
		-e 's/: \(faster\|slower\|no verdict[a-z, ]*\), it/: VERDICT, it/' \
		-e 's/ is \(faster\|slower\|perhaps as fast\): / is VERDICT: /' "$scratch/out"
}

# example FILE N SHAPE: command number N for this file works, and its output has this shape.
example() {
	example_command=$(command_for "$1" "$2")
	ok "$1 has command $2" [ -n "$example_command" ]
	ok "$1: $example_command" run_in "$scratch/examples/${1%/*}" "$example_command"
	is "$1: what it prints" "$(shape)" "$3"
}

compared="it takes N times as long (N to N)"
example measure/by-hand.c 1 "one_sum: N
four_sums: N"

# rows: the names in the table that a program prints, and the sentence.
rows() {
	sed -n -e 's/^\([a-z_]*\)  .*/\1/p' -e 's/ \(is [a-z]* than\|relative to\) / beside /' \
		-e 's/^\([a-z_]* beside [a-z_]*\)[ :].*/\1/p' "$scratch/out"
}
table_of() { printf 'function\n%s\n%s\n%s beside %s\n' "$1" "$2" "$2" "$1"; }
with_meter=$(command_for measure/with-meter.c 1)
ok "measure/with-meter.c: $with_meter" run_in "$scratch/examples/measure" "$with_meter"
is "measure/with-meter.c: what it prints" "$(rows)" "$(table_of one_sum four_sums)"

# Whether an event is counted, and why not, is up to the machine: each event has both counts, or one
# reason.
example_events() {
	sed -e "s/\([ (]\)$number/\1N/g" -e 's/: not counted: ..*/: COUNTED/' \
		-e 's/: one_sum: N per call$/: COUNTED/' -e '/: four_sums: N per call$/d' \
		"$scratch/out"
}
events_command=$(command_for measure/events.c 1)
ok "measure/events.c: $events_command" run_in "$scratch/examples/measure" "$events_command"
is "measure/events.c: what it prints" "$(example_events)" "instructions: COUNTED
page-faults: COUNTED"
is "measure/events.c: of an event there are both counts or none" \
	"$(sed -n 's/: one_sum: .*//p' "$scratch/out")" \
	"$(sed -n 's/: four_sums: .*//p' "$scratch/out")"

# literal PAGE HEADING: the program of a manual page, as a reader sees it.
literal() {
	awk -v heading="$2" '/^\.Sh / { inside = ($0 == ".Sh " heading) } inside' "$1" |
		sed -n '/^\.Bd -literal/,/^\.Ed/p' | grep -v '^\.' | sed 's/\\e/\\/g'
}
literal "$top_srcdir/doc/cpucycles-measure.3" EXAMPLES >"$scratch/examples/page.c"
ok "the program of cpucycles-measure(3)" run_in "$scratch/examples" \
	"cc -O2 -std=c11 page.c \$(pkg-config --cflags --libs cpucycles-measure) -o page && ./page"
is "what it prints" "$(shape)" "one_sum: N UNIT
four_sums: N UNIT
four_sums is VERDICT: N times (N to N)"
literal "$top_srcdir/doc/cpucycles-measure.3" DESCRIPTION | sed '/^counter: /,$d' \
	>"$scratch/examples/print.c"
ok "the first program of cpucycles-measure(3)" run_in "$scratch/examples" \
	"cc -O2 -std=c11 print.c -o print \$(pkg-config --cflags --libs cpucycles-measure) &&
		./print"
is "what it prints" "$(rows)" "$(table_of one_sum two_sums)"

# The programs of cpucycles-leak(7), by its commands.
leak=$top_srcdir/doc/cpucycles-leak.7
mkdir "$scratch/leak"
number_of=0
for file in check try printed leak; do
	number_of=$((number_of + 1))
	awk -v n=$number_of '/^\.Bd -literal/ { i++; inside = i == n; next }
		/^\.Ed/ { inside = 0 } inside' "$leak" | sed 's/\\e/\\/g' >"$scratch/leak/$file.c"
done
# leak_command FILE: the page's command that compiles this file.
leak_command() {
	sed -n "s/^\.Dl \(cc .*\<$1\.c .*\)/\1/p" "$leak"
}
ok "the program of cpucycles-leak(7)" run_in "$scratch/leak" "$(leak_command leak) && ./leak"
is "what it prints" \
	"$(shape | sed -E 's/ (leaks|no difference above D|cannot tell|no verdict)$/ VERDICT/')" \
	"check: VERDICT
median: N UNIT, difference: N (N to N)"
valgrind=$(leak_command try)
if sanitized || ! (cd "$scratch/leak" && echo '#include <valgrind/memcheck.h>
int main(void) { return 0; }' >empty.c && cc empty.c -o empty && valgrind ./empty) \
	>"$scratch/out" 2>&1; then
	skip "$valgrind" "valgrind or its header is not there, or it runs no programs of this build"
elif ! (cd "$scratch/leak" && sh -c "$valgrind") >"$scratch/out" 2>"$scratch/err" &&
	grep -q 'Valgrind: debuginfo reader' "$scratch/err"; then
	skip "$valgrind" "this valgrind cannot read what this compiler's -g writes"
else
	is "$valgrind: the line that it names" \
		"$(sed -n 's/^==[0-9]*== *at 0x[0-9A-F]*: //p' "$scratch/err")" \
		"$(sed -n 's/^==[0-9]*== *at 0x[0-9A-F]*: //p' "$scratch/leak/printed.c")"
fi

# A sanitizer's library has to be in the program from its start, and a library for another libc
# cannot be linked with the programs of the C++ compiler or loaded into Python.
alien=
if sanitized; then
	alien="this build has a sanitizer in it"
elif ! command -v "$cxx" >/dev/null; then
	alien="there is no C++ compiler"
elif ! (cd "$scratch" && echo 'int main() {}' >empty.cc && c++ empty.cc -o empty \
	-Wl,--no-as-needed -L"$measure/.libs" -lcpucycles-measure >/dev/null 2>&1 && ./empty); then
	alien="this build is for another libc"
fi
if [ -n "$alien" ]; then
	skip "C++, Python and google/benchmark" "$alien"
	exit 0
fi
lambda=$(command_for measure/lambda.cc 1)
ok "measure/lambda.cc: $lambda" run_in "$scratch/examples/measure" "$lambda"
is "measure/lambda.cc: what it prints" "$(rows)" "$(table_of growing reserved)"

if command -v python3 >/dev/null && python3 -c 'import ctypes' 2>/dev/null; then
	example measure/measure.py 1 "one_sum: median N UNIT
four_sums: median N UNIT
four_sums beside one_sum: VERDICT, $compared"
	example measure/measure.py 2 "list: median N UNIT
generator: median N UNIT
generator beside list: VERDICT, $compared"
	python3 "$examples/measure/measure.py" "$scratch/none.so" none >"$scratch/out" 2>&1
	is "a library that is not there is an error" $? 1
else
	skip "Python" "python3 with ctypes is not there"
fi

if ! pkg-config --exists benchmark; then
	skip "google/benchmark" "libbenchmark-dev is not there"
	exit 0
fi
ok "google/benchmark: it is built and runs" run_in "$scratch/examples/benchmark" \
	"$(command_for benchmark/cycles.cc 1) --benchmark_min_time=0.01"
column='\(cycles\|ticks\|ns\)=[0-9.]*[kMG]* [a-z0-9-]*'
for size in 10 1000; do
	is "it shows counts of an iteration of $size, and by which counter" \
		"$(sed -n "s,^append/$size .* $column\$,fine,p" "$scratch/out")" fine
done
