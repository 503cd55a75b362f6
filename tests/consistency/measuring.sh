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
	sed -e '/^warning: /d' -e '/^machine: /d' -e 's/^counter: [a-z0-9-]*,/counter: NAME,/' \
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
	sed -n -e 's/^\([a-z_]*\)  .*/\1/p' \
		-e 's/ \(is\|takes\) [0-9].* \(than\|as\) \([a-z_]* (\)/ relative to \3/' \
		-e 's/^\([a-z_]* relative to [a-z_]*\)[ :].*/\1/p' "$scratch/out"
}
table_of() { printf 'function\n%s\n%s\n%s relative to %s\n' "$1" "$2" "$2" "$1"; }
with_meter=$(command_for measure/with-meter.c 1)
ok "measure/with-meter.c: $with_meter" run_in "$scratch/examples/measure" "$with_meter"
is "measure/with-meter.c: what it prints" "$(rows)" "$(table_of one_sum four_sums)"

# one_sum_of FOLDER COMMAND: how long one_sum takes, by the program that this builds and runs.
one_sum_of() {
	run_in "$1" "$2" && sed -n 's/^one_sum:* *\([0-9.]*\) .*/\1/p' "$scratch/out"
}
# works_by_flto NAME FOLDER COMMAND: with link-time optimization, it still adds up the numbers. That
# takes a thousandth of the time if the compiler knows them.
works_by_flto() {
	flto=$(echo "$3" | sed 's/cc -O2/& -flto/')
	if ! (cd "$scratch" && echo 'int main(void) { return 0; }' >flto.c &&
		cc -flto flto.c -o flto && ./flto) >"$scratch/out" 2>&1; then
		skip "$1: -flto" "this compiler does not link by -flto"
		return
	fi
	plain=$(one_sum_of "$2" "$3")
	linked=$(one_sum_of "$2" "$flto")
	ok "$1: -flto: $linked instead of $plain" \
		awk "BEGIN { exit !(${linked:-0} > 0 && ${linked:-0} > ${plain:-0} / 20) }"
}
works_by_flto measure/with-meter.c "$scratch/examples/measure" "$with_meter"

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
page="cc -O2 -std=c11 page.c \$(pkg-config --cflags --libs cpucycles-measure) -o page && ./page"
ok "the program of cpucycles-measure(3)" run_in "$scratch/examples" "$page"
is "what it prints" "$(shape)" "one_sum: N UNIT
four_sums: N UNIT
four_sums is VERDICT: N times (N to N)"
works_by_flto "the program of cpucycles-measure(3)" "$scratch/examples" "$page"
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

# run_leak COMMAND: output in $scratch/out and $scratch/err, exit status in $status.
run_leak() {
	status=0
	(cd "$scratch/examples/leak" && timeout "$limit" sh -c "$1") >"$scratch/out" \
		2>"$scratch/err" || status=$?
}
# built FILE: the command that builds the program in this file.
built() { command_for "leak/$1" 1 | sed 's/ && .*//'; }
# sure STATUS COMMAND: the same, with three tries to get this exit status.
sure() {
	for _ in 1 2 3; do
		run_leak "$2"
		[ "$status" != "$1" ] || return 0
	done
}
run_leak "$(built timing.c)"
is "leak/timing.c is built" "$status $(cat "$scratch/err")" "0 "
# Whether a second is enough to see that there is no difference is up to the machine.
run_leak "$(command_for leak/timing.c 1 | sed 's/.* && //')"
is "leak/timing.c: a comparison of all bytes" \
	"$(sed -e 's/: no difference above [0-9.]* [a-z]*$/: NONE/' \
		-e 's/: \(cannot tell\|no verdict: .*\)$/: NONE/' "$scratch/out") \
$(echo "$status" | sed 's/^12$/0/')" "all_bytes: NONE 0"
for function in early_exit lookup square_and_multiply; do
	sure 11 "./timing $function"
	is "leak/timing.c: $function" "$status $(sed 's/: leaks: .*/: leaks/' "$scratch/out")" \
		"11 $function: leaks"
done
run_leak "./timing none"
is "leak/timing.c: a function that is not there" "$status $(cat "$scratch/err")" \
	"2 none: there is no such function"

# What valgrind cannot run says nothing of the program: it has no input then.
run_leak "$(built secret.c)"
if [ "$status" -ne 0 ] && ! echo '#include <valgrind/memcheck.h>' | cc -E - >/dev/null 2>&1; then
	skip "leak/secret.c" "valgrind's headers are not there"
elif ! command -v valgrind >/dev/null || sanitized; then
	skip "leak/secret.c" "no valgrind, or a sanitizer"
else
	is "leak/secret.c is built" "$status $(cat "$scratch/err")" "0 "
	secret=$(command_for leak/secret.c 1 | sed 's/.* && //')
	run_leak "${secret% *}"
	if [ "$status" -ne 2 ]; then
		skip "leak/secret.c" "valgrind does not run it: $(tail -n 1 "$scratch/err")"
	else
		run_leak "$secret"
		is "leak/secret.c: all bytes are compared" "$status" 0
		run_leak "${secret% *} early_exit"
		# A compiler that unrolls the loop makes several branches.
		is "leak/secret.c: a branch on the secret" \
			"$status $(grep -o -m 1 'Conditional jump' "$scratch/err") \
$(grep -o -m 1 ': early_exit (compare\.c:' "$scratch/err")" \
			"11 Conditional jump : early_exit (compare.c:"
		run_leak "${secret% *} lookup"
		ok "leak/secret.c: a secret place in a table" \
			grep -q -e 'Use of uninitialised value' "$scratch/err"
		is "and where it is" \
			"$status $(grep -o -m 1 ': lookup (lookup\.c' "$scratch/err")" \
			"11 : lookup (lookup.c"
	fi
	run_leak ./secret
	is "leak/secret.c: without valgrind" "$status" 2
fi

# The same by the tool.
tool=$top_builddir/utils/cpucycles-measure
if "$tool" --help 2>/dev/null | grep -q -e '--leak'; then
	printf '#!/bin/sh\nexec "%s" --cflags="%s" "$@"\n' "$tool" "${CFLAGS:-}" \
		>"$scratch/bin/cpucycles-measure"
	chmod +x "$scratch/bin/cpucycles-measure"
	for file in compare lookup power; do
		by_tool=$(command_for "leak/$file.c" 1)
		sure 11 "$by_tool"
		is "leak/$file.c: $by_tool" "$status" 11
	done
else
	skip "the functions of doc/examples/leak by the tool" "it has no option --leak"
fi

# The jobs, with a tool that finds what it is told.
cat >"$scratch/bin/cpucycles-measure" <<'END'
#!/bin/sh
echo "$*"
case $2 in
lookup.c:scan) exit "$answer" ;;
esac
END
chmod +x "$scratch/bin/cpucycles-measure"
job() {
	sed -n '/^        run: |/,$s/^          //p' "$examples/gate/leak-github.yml"
}
for answer in 0 11 12 4; do
	: >"$scratch/summary"
	rm -f "$scratch/examples/leak/summary.txt"
	export answer
	GITHUB_STEP_SUMMARY=$scratch/summary run_leak "$(echo "set -e"; job)"
	is "gate/leak-github.yml: one function ends with $answer" \
		"$status $(sed 's/^::\([a-z]*\)::.*/\1/' "$scratch/out") \
$(grep -c -e '^--leak ' "$scratch/summary")" \
		"$(case $answer in
			0) echo "0  3" ;;
			11) echo "11 error 3" ;;
			12) echo "0 warning 3" ;;
			4) echo "4  0" ;;
		esac)"
	FUNCTION=lookup.c:scan run_leak \
		"$(sed -n '/^  script:/,/^  #/s/^    - //p' "$examples/gate/leak-gitlab.yml")"
	is "gate/leak-gitlab.yml: the same" "$status" "$answer"
done
rm "$scratch/bin/cpucycles-measure"
# in_jobs: the functions that the first job names.
in_jobs() { sed -n 's/^ *for function in \(.*\); do$/\1/p' "$examples/gate/leak-github.yml"; }
is "both jobs name the same functions" "$(in_jobs)" \
	"$(sed -n 's/^ *- FUNCTION: \[\(.*\)\]$/\1/p' "$examples/gate/leak-gitlab.yml" |
		tr -d '",')"
for function in $(in_jobs); do
	ok "$function is there" grep -q "^void ${function#*:}(" "$examples/leak/${function%:*}"
done

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
four_sums relative to one_sum: VERDICT, $compared"
	example measure/measure.py 2 "list: median N UNIT
generator: median N UNIT
generator relative to list: VERDICT, $compared"
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
