#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# cpucycles-measure --leak, with functions that are made here. What a test promises is not tried
# here, but by tests/measure: a difference that has to be found is a hundred times that of a noise,
# and one that must not be found is allowed to be large.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/harness/lines.sh"

measure=$top_builddir/utils/cpucycles-measure
[ -x "$measure" ] || skip_all "cpucycles-measure is not built"
cp "$top_srcdir/tests/utils/leaking.c" "$scratch/made.c"
ulimit -c 0
# The library's choice of a counter is not what is tested here.
CPUCYCLES_CACHE=none
LC_ALL=C
export CPUCYCLES_CACHE LC_ALL CC
cd "$scratch" || exit 99
# shellcheck disable=SC2086 # options
$CC $CFLAGS -O1 -shared -fPIC -o made.so made.c >compiler 2>&1 ||
	skip_all "no shared objects here: $(head -n 1 compiler)"
harness=$(grep '^#define HAVE_HARNESS 1' "$top_builddir/config.h" || true)
has_json=$(grep '^#define HAVE_JANSSON 1' "$top_builddir/config.h" || true)

# run ARGUMENT...: test for leaks. Output in out and err, exit status in $status. The programs that
# are linked get the flags of the harness, which may have sanitizers. With those on a busy machine,
# so few calls are made in a second that a verdict needs some seconds. It ends a test at once.
linked=
run() { capture "$measure" --leak -t 5 ${linked:+--cflags="$CFLAGS"} "$@"; }
said() { sed 's/^cpucycles-measure: //' err; }
# begins PATTERN: the output begins with such a line.
begins() {
	sed -n 1p out | grep -q -x -E -e "$1" || { sed 's/^/# out: /' out err; return 1; }
}
number='[0-9][0-9.]*'
unit='(cycles|ticks|ns)'

# Leaks.
run ./made.so:early
is "an early exit: the status" "$status" 11
ok "the sentence" begins "early leaks: $number $unit of $number at [a-z0-9 %]*(, at most $number)?\
(, but .*)?\. By chance: at most 1 in [0-9,]*\."
is "two lines" "$(wc -l <out | tr -d ' ')" 2
ok "what to do" grep -q '^To find the place in the code: cpucycles-leak(7), Where the leak is\.' out
run -v ./made.so:early
is "the table" "$(sed -n '/^ *quantile /,/^$/s/^ *\([a-z ]*[0-9]* %\) .*/\1/p' out |
	paste -s -d ' ' -)" "up to 1 % 10 % 20 % 30 % 40 % 50 % 60 % 70 % 80 % 90 % above 99 %"
ok "the counts" grep -q -E \
	"^calls: [0-9]+ of group 0, [0-9]+ of group 1; discarded: [0-9]+ and [0-9]+; $number s; " \
	out
is "nothing else is said" "$(cat err)" ""
run -v ./made.so:bit
ok "fixed against random" grep -q '(the fixed input), [0-9]* of group 1 (a random input)' out
is "a branch on a bit: the status" "$status" 11

# None.
run --above 1e6 ./made.so:safe
is "a large difference is none: the status" "$status" 0
ok "the sentence" begins "No difference above 1000000 $unit in safe: at most $number of $number; \
up to $number % of the calls differ by more than 1000000 $unit\. By chance: at most 1 in 200\."
ok "it is no proof" grep -q '^This is no proof .*cpucycles-leak(7)\.$' out

# Cannot tell: so few calls never show anything.
run -n 64 ./made.so:safe
is "few calls: the status" "$status" 12
ok "few calls: the sentence" begins "Cannot tell whether safe leaks: .*"
ok "few calls: what helps" grep -q -x -E "About 5,000 calls of each group show how many would \
tell: -n 10000( -t [0-9]*)?\. A large difference may show after 200: -n 400( -t [0-9]*)?\." out
# Each call takes 20 ms and more, so 16 of them take longer than -t says.
run -t 0.1 ./made.so:sleeps
ok "a slow function: the time that it took is what counts" grep -q -x -E "About 5,000 calls of \
each group show how many would tell: -t [0-9]{3,5}\. A large difference may show after 200: -t \
[0-9]{1,5}\." out
# Without an end, it became slower.
run -t 1 ./made.so:slower
is "a function that becomes slower: the status" "$status" 12
# The core's frequency is a reason where its cycles are not known.
is "the sentences" "$(sed 's/other programs/the speed of the core/' out)" \
	"Cannot tell whether slower leaks: the speed of the core or the work of its calls changed \
during the test.
Test again while the machine has less to do. If the answer comes again, let each call do the same \
work."

# Options.
run -v --pairs --warm -n 64 ./made.so:safe
ok "--pairs" grep -q '(the first input), [0-9]* of group 1 (the second input)' out
run -v --seed 7 -n 64 ./made.so:safe
ok "-v" grep -q -x 'seed  *7' out
run --pairs ./made.so:early
is "--pairs and a function of the inputs" "$status $(said)" \
	"2 ./made.so:early: --pairs draws both inputs, but there is early_input; leave out one of \
both"
for other in "--gate 1" "--within 1" "--precision 1" "--sizes 16" "--bytes 16" "-e faults" \
	--csv --markdown --json=benchmark "--layouts x" "--only x" --check --force; do
	# shellcheck disable=SC2086 # an option and its value
	[ -z "$has_json$(echo "$other" | grep json)" ] || run $other ./made.so:safe
	is "$other: a usage error in one line" "$status $(wc -l <err | tr -d ' ')$(cat out)" "2 1"
done
run ./made.so:safe ./made.so:early
is "two functions" "$status $(said)" \
	"2 --leak: tests one function: expected one FILE:FUNCTION"
for other in --pairs --warm "--above 1"; do
	status=0
	# shellcheck disable=SC2086 # an option and its value
	"$measure" $other ./made.so:safe >out 2>err || status=$?
	is "$other alone" "$status $(said)" \
		"2 ${other% *}: is about a test for leaks: expected --leak"
done
for above in 0 -1 x nan inf 1e10; do
	run --above "$above" ./made.so:safe
	is "--above $above" "$status $(said)" \
		"2 --above $above: expected a number above 0, a billion at most"
done

sanitizes=
case $CFLAGS in *-fsanitize*) sanitizes=yes ;; esac
# fails FILE: what is wrong with a function, in a shared object or in one that is linked.
fails() {
	run "$1:none"
	is "$1: no such function" "$status $(said | sed 's/;.*//')" \
		"4 $1:none: there is no function none in $1"
	ok "$1: its type" grep -q 'void none(const unsigned char \*)$' err
	line="with the right number"
	cxx=" and, in C++, extern \"C\" before it"
	run "$1:lengthless"
	is "$1: no length" "$status $(said)" "13 $1:lengthless: its file does not say how many \
bytes its input has; add this line, $line$cxx: const size_t lengthless_input_bytes = 32;"
	run "$1:empty"
	is "$1: a length of 0" "$status $(said)" "13 $1:empty: its input has 0 bytes, expected 1 \
to 1048576; correct this line, $line: const size_t empty_input_bytes = 32;"
	run "$1:foreign"
	is "$1: an input by a function of C++" "$status $(said)" "4 $1:foreign: foreign_input is a \
function of C++ and would not be called; declare foreign_input extern \"C\", or give it another \
name"
	run "$1:narrow"
	# AddressSanitizer makes variables larger, so that an int looks like a size_t.
	[ "$sanitizes" ] || is "$1: a length of another type" "$status $(said)" "13 $1:narrow: \
narrow_input_bytes is not of the type size_t; expected this line: const size_t narrow_input_bytes \
= 32;"
	run "$1:called"
	is "$1: a function of that name" "$status $(said | sed 's/;.*//')" \
		"13 $1:called: called_input_bytes is not of the type size_t"
	run "$1:huge"
	is "$1: more than 1 MiB" "$status $(said)" "13 $1:huge: its input has 1048577 bytes, \
expected 1 to 1048576; correct this line, $line: const size_t huge_input_bytes = 32;"
	run "$1:renewed"
	is "$1: a function that makes the input anew" "$status $(said | sed 's/;.*//')" \
		"2 $1:renewed: --leak makes each input anew, and does not call renewed_before"
	run "$1:crashes"
	is "$1: a crash" "$status $(said | sed 's/: signal .*//')" \
		"6 $1:crashes: it crashed while it ran"
	if [ "$sanitizes" ]; then
		skip "$1: over the end of an input" "a sanitizer says so in its own way"
	else
		run "$1:behind"
		end="if it runs over the end of its input, correct"
		is "$1: it reads behind its input" \
			"$status $(said | sed 's/ it crashed.*;//')" \
			"6 $1:behind: $end behind_input_bytes"
		run "$1:input_behind"
		is "$1: its inputs are longer than it says" \
			"$status $(said | sed 's/: signal.*;/;/')" \
			"6 $1:input_behind: it crashed in its _input; $end input_behind_input_bytes"
	fi
	run "$1:input_crashes"
	is "$1: a crash in the function of the inputs" "$status $(said | sed 's/: signal .*//')" \
		"6 $1:input_crashes: it crashed in its _input"
	run --timeout 0.3 "$1:hangs"
	is "$1: a hang" "$status $(said | sed 's/: no end .*//')" \
		"7 $1:hangs: it passed --timeout while it ran"
	run --timeout 0.3 "$1:input_hangs"
	is "$1: a hang in the function of the inputs" "$status $(said | sed 's/: no end .*//')" \
		"7 $1:input_hangs: it passed --timeout in its _input"
	run --pairs -n 64 "$1:paired"
	is "$1: --pairs: there are two inputs" "$status $(cat err)" "12 "
	run --warm -n 64 "$1:warmed"
	is "$1: --warm: each input comes twice" "$status $(cat err)" "12 "
	run -v --above 1e6 -n 64 "$1:safe"
	ok "$1: --above is used" grep -q -E '^threshold  *1000000 ' out
	run -n 64 "$1:ready"
	is "$1: the setup is called" "$status $(cat err)" "12 "
	is "$1: nothing is printed of what failed" "$(run "$1:crashes"
		cat out)" ""
}
fails ./made.so
if [ "$harness" ]; then
	# shellcheck disable=SC2086 # options
	$CC $CFLAGS -O1 -c made.c -o made.o
	linked=yes
	fails made.o
	run made.c:early
	is "a source text" "$status $(sed -n '1s/ leaks.*//p' out)" "11 early"
	ar rcs made.a made.o
	run made.a:early
	is "an archive" "$status $(sed -n '1s/ leaks.*//p' out)" "11 early"
	# The same names in a comparison are others' functions.
	echo 'void f(void) {}' >f.c
	echo 'void lacking(void); void f_input(void) { lacking(); }' >f_input.c
	# shellcheck disable=SC2086 # options
	$CC $CFLAGS -c f.c f_input.c && ar rcs f.a f.o f_input.o
	status=0
	"$measure" -t 0.1 -n 20 --cflags="$CFLAGS" f.a:f >out 2>err || status=$?
	is "a function that happens to be called so" \
		"$(grep -c 'lacking' err) $(echo "$status" | sed 's/^8$/0/')" "0 0"
	linked=
else
	skip "objects and source texts" "this build cannot link functions"
fi

# The file of times.
run --raw times.tsv ./made.so:early
is "--raw: the first lines" "$(sed -n '1,2p' times.tsv)" "# cpucycles-measure-leak 1
# function	./made.so:early"
is "--raw: the names of lines" "$(sed -n 's/^# \([a-z]*\)	.*/\1/p' times.tsv | uniq -c |
	awk '{ print $2 $1 }' | paste -s -d ' ' -)" \
	"function1 unit1 step1 verdict1 decile9 tail1 head1 times1"
is "--raw: the verdict" "$(sed -n 's/^# verdict	//p' times.tsv)" leaks
is "--raw: the quantiles" "$(grep -E '^# (decile|tail|head)	' times.tsv |
	sed -n 's/.*	\([0-9]*\)\( [-0-9.e]*\)\{4\}$/\1/p' | paste -s -d ' ' -)" \
	"10 20 30 40 50 60 70 80 90 99 1"
is "--raw: group 0 comes first, then group 1" "$(sed -n '/^group	/,$p' times.tsv |
	cut -f 1 | uniq | paste -s -d ' ' -)" "group 0 1"
is "--raw: as many times as it says" "$(sed -n 's/^# times	//p' times.tsv)" \
	"$(grep -c '^0	' times.tsv) $(grep -c '^1	' times.tsv)"
is "--raw: all other lines are times" "$(sed '/^#/d; /^group	/d' times.tsv |
	grep -v -c -E '^[01]	-?[0-9][0-9.e+-]*$')" 0
run --raw times.tsv -n 64 ./made.so:safe
is "--raw: what is not known" \
	"$(sed -n 's/^# verdict	//p; s/^# decile	10 .* .* //p' times.tsv |
		paste -s -d ' ' -)" "cannot tell unknown"
run --raw times.tsv --above 1e6 ./made.so:safe
is "--raw: no difference" "$(sed -n 's/^# verdict	//p' times.tsv)" \
	"no difference above 1000000"
run --raw other.tsv ./made.so:crashes
ok "--raw: no file of a crash" [ ! -e other.tsv ]
run --raw ./made.so ./made.so:safe
is "--raw: not over what is tested" "$status" 2

# Bars, in letters that the locale has. blocks: bytes of the output that are not ASCII.
blocks() { tr -d '\000-\177' <out | wc -c | tr -d ' '; }
bars() { sed -n 's/^group \([01]\) |.*|$/\1/p' out | paste -s -d ' ' -; }
run -v ./made.so:early
is "both distributions" "$(bars) $(blocks)" "0 1 0"
if [ "$(LC_ALL=C.UTF-8 locale charmap 2>/dev/null)" = UTF-8 ]; then
	LC_ALL=C.UTF-8 run -v ./made.so:early
	is "in letters of UTF-8" "$(bars) $(blocks | sed 's/[1-9][0-9]*/some/')" "0 1 some"
else
	skip "in letters of UTF-8" "there is no locale C.UTF-8"
fi

# Ctrl-C: there is no result.
obeys_interrupts=yes
if sh -c 'kill -INT $$' 2>/dev/null; then
	obeys_interrupts=
	skip "Ctrl-C" "SIGINT is ignored here"
else
	run --raw other.tsv ./made.so:interrupts
	is "Ctrl-C" "$status $(cat err out)" "130 Interrupted before there was a verdict."
	ok "Ctrl-C: no file" [ ! -e other.tsv ]
fi

# JSON. get KEY...: a value of the object.
get() { "$top_builddir/tests/utils/json-get" "$@" <out 2>&1; }
if [ "$has_json" ]; then
	run -j ./made.so:early
	is "JSON: the status" "$status" 11
	is "JSON: the verdict" "$(get leak verdict) $(get function groups 0)" \
		"leaks an input of group 0"
	is "JSON: the deciles" "$(get leak deciles '#') $(get leak deciles 8 quantile)" "9 90"
	is "JSON: both ends, and what lies too far apart" "$(get leak head quantile) \
$(get leak tail quantile) $(get leak beyond quantile | grep -x -c '[0-9]*')" "1 99 1"
	case $(get leak core_cycles_from) in
	chain | counter) expected="cycles 1 0" ;;
	*) expected="$(get counter unit) 0 1" ;;
	esac
	is "JSON: the unit" "$(get leak unit) $(get leak units_per_cycle | grep -x -c "$number") \
$(get leak units_per_cycle | grep -x -c null)" "$expected"
	is "JSON: the sentence of the text" "$(get leak sentence | sed 's/ leaks.*//')" early
	run -j -n 64 ./made.so:safe
	is "JSON: what is not known" "$(get leak deciles 0 low) $(get leak verdict)" \
		"null cannot tell"
	if [ "$obeys_interrupts" ]; then
		run -j ./made.so:interrupts
		is "JSON: Ctrl-C" "$(get interrupted) $(get leak)" "true null"
	fi
	run -j ./made.so:crashes
	is "JSON: of a crash" "$status $(get leak) $(get function state)" "6 null crashed"
else
	skip "JSON" "built without jansson"
fi
