#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# cpucycles-measure with functions of shared objects that are made here. Some of them crash, hang,
# or do other things that functions should not do.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/harness/lines.sh"
. "$top_srcdir/tests/harness/inside.sh"

measure=$top_builddir/utils/cpucycles-measure
[ -x "$measure" ] || skip_all "cpucycles-measure is not built"
made=$scratch/made.so
# compile OUTPUT [OPTION...]: make a shared object of the functions.
compile() {
	output=$1
	shift
	# shellcheck disable=SC2086 # options
	$CC $CFLAGS -O1 -shared -fPIC "$@" -o "$output" "$top_srcdir/tests/utils/measured.c" \
		>"$scratch/compiler" 2>&1
}
compile "$made" || skip_all "no shared objects here: $(head -n 1 "$scratch/compiler")"
compile "$scratch/constructor.so" -DDIES_IN_CONSTRUCTOR
ulimit -c 0
# The library's choice of a counter is not what is tested here.
CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE
# What again_while would put back.
cache=$scratch/no-cache
persecond=$scratch/no-persecond

run() {
	capture "$measure" "$@"
	cat "$scratch/out" "$scratch/err" >"$scratch/log"
}
said() { cat "$scratch/err"; }
out() { cat "$scratch/out"; }
# has PATTERN: the extended regular expression matches a whole line of the output.
has() {
	grep -q -x -E -e "$1" "$scratch/out" || { sed 's/^/# out: /' "$scratch/log"; return 1; }
}
# says PATTERN: the same for standard error, behind the program's name.
says() {
	grep -q -x -E -e "cpucycles-measure: $1" "$scratch/err" ||
		{ sed 's/^/# err: /' "$scratch/err"; return 1; }
}
# value NAME: the first number of the first line of this name.
value() {
	sed -n "s/^$1  *\([-0-9.]*\).*/\1/p" "$scratch/out" | head -n 1
}

# Functions write their process here.
PID_FILE=$scratch/pid
export PID_FILE
# What several cases expect.
sentence='\([0-9.]+ to [0-9.]+\), as they are linked, in [0-9]+ processes'
after='; the others are measured again without it'
killed="signal 9 \(Killed\)"
unit=$(run -v -n 10 "$made:thousand"; sed -n 's/^unit  *\([a-z]*\).*/\1/p' "$scratch/out")

# Case options: those that are there, and wrong ones.
run --version
is "--version" "$status $(out)" \
	"0 cpucycles-measure $(sed -n 's/^#define PACKAGE_VERSION "\(.*\)"/\1/p' \
		"$top_builddir/config.h")"
run --help
is "--help succeeds" "$status" 0
for option in --require --next-best --time --samples --precision --within --gate --check \
	--compare --no-compare --verbose --csv --markdown --json --bytes --sizes --with \
	--cflags --cflags1 --cflags2 --annotations --raw --timeout --seed \
	--version --help; do
	ok "--help has $option" has ".* ${option}[ =[].*"
done
for bad in --nonsense -x "" "$made" :f "$made:" "-r best $made:f" "-t 0 $made:f" "-t x $made:f" \
	"-t nan $made:f" "-t 1x $made:f" "-n 0 $made:f" "-n -1 $made:f" "-n 1.5 $made:f" \
	"--seed 0 $made:f" "--timeout -1 $made:f" "--timeout inf $made:f" "--check $made:f" \
	"--check --raw $scratch/raw" "--check -t 1" "--check -n 1" "--check --seed 1" \
	"-n 4294967297 $made:f" "--csv --markdown $made:f" "-v --json $made:f" \
	"--json --json=benchmark $made:f" "--json=x $made:f" "--csv=x $made:f" "--check --csv" \
	"--check --markdown" "--check --json=benchmark" \
	"--precision 0 $made:f" "--precision -1 $made:f" \
	"--precision x $made:f" "--precision nan $made:f" "--precision 100.1 $made:f" \
	"--precision 1%% $made:f" "--precision 1 -n 9 $made:f" "--check --precision 1" \
	"--within 0 $made:f $made:f" "--within x $made:f $made:f" "--within 101 $made:f $made:f" \
	"--within 1 $made:f" "--check --within 1" "--compare $made:f" "--compare --check" \
	"--no-compare --within 1 $made:f $made:f" "--no-compare --gate 1 $made:f $made:f" \
	"--no-compare --check" "--no-compare --leak $made:f"; do
	# shellcheck disable=SC2086 # options and arguments
	run $bad
	name=$(echo "${bad:-no argument}" | sed "s,$scratch/,,g")
	is "$name: a usage error" "$status" 2
	is "$name: one line, of this program" "$(said | sed 's/:.*//')" cpucycles-measure
	is "$name: no output" "$(out)" ""
done

# Case load: what cannot be loaded.
run "$scratch/none.so:f"
is "no such file" "$status" 4
ok "no such file: it says so" says "$scratch/none.so:f: does not load: .*"
is "no such file: one line" "$(said | wc -l | tr -d ' ')" 1
run "$made:thousand" "$made:nonsense"
is "no such function" "$status $(out)" "4 "
ok "no such function: it says so" \
	says "$made:nonsense: there is no function nonsense in $made; expected .*"
echo text >"$scratch/text.so"
run "$scratch/text.so:f"
is "no shared object" "$status" 4
# mistake WHAT FILE:FUNCTION PATTERN: the message names the mistake.
mistake() {
	run -n 10 "$scratch/$2"
	is "$1" "$status $(out)" "4 "
	ok "$1: it says so" says "$scratch/$2: $3"
}
library='not a shared object'
mistake "a text" text.so:f "it is a text, $library; make one: cc .*"
cp "$top_srcdir/tests/utils/measured.c" "$scratch/source.c"
# What can be linked is linked: see measure-linked.sh.
absent=
if grep -q '^#define HAVE_HARNESS 1' "$top_builddir/config.h"; then
	absent='there is no function f in .*'
	mistake "a source" source.c:f "$absent"
	echo '!<arch>' >"$scratch/archive.a"
	mistake "an archive" archive.a:f "$absent"
fi
strip --strip-debug -o "$scratch/stripped.so" "$made"
run -n 10 "$scratch/stripped.so:touches"
is "a function with parameters of which nothing is known: it crashes" "$status" 6
if said | grep -q 'it ended the process'; then
	skip "a function with parameters: why" "a sanitizer ends the process, not a signal"
else
	ok "a function with parameters: why" says "$scratch/stripped.so:touches: it crashed .*; \
if it has other parameters than void touches\(void\), write such a function around it"
	for name in fills_the_stack descends sets_up_too_much; do
		status=0
		(ulimit -s 8192 && exec "$measure" -n 10 "$made:$name") >"$scratch/out" \
			2>"$scratch/err" </dev/null || status=$?
		is "$name: it crashes" "$status" 6
		ok "$name: why" says "$made:$name: it crashed .*, beyond the end of its stack; \
let it use less, or raise the limit, which ulimit -s shows"
	done
fi
if ! grep -q '^#define HAVE_ELF_H' "$top_builddir/config.h"; then
	skip "mistakes that ELF tells" "this system has no ELF"
else
	mistake "a variable" made.so:variable "variable is a variable, not a function"
	mistake "a variable of each thread" made.so:of_thread \
		"of_thread is a variable, not a function"
	mistake "a name without its end" made.so:two_thous "there is no .*; it has two_thousand"
	mistake "a static function" made.so:multiply "there is no .*; it is static or hidden .*"
	cp "$(command -v cat)" "$scratch/program"
	mistake "a program" program:f "it is a program, $library; .*"
	# shellcheck disable=SC2086 # options
	if $CC $CFLAGS -c -fPIC "$scratch/source.c" -o "$scratch/object.o" 2>"$scratch/compiler"
	then
		mistake "an object" object.o:f \
			"${absent:-it is an object file, $library; .*}"
	fi
	ok "C++: it is a function" grep -q _Z4plusv "$made"
	mistake "a function of C++" made.so:plus "there is no .*; it has _Z4plusv"
	run -n 10 "$made:_Z4plusv"
	is "a function of C++ by its own name" "$status" 0
	mistake "a setup of C++" made.so:lone "lone_setup is a function of C\+\+ and would not be \
called; declare lone_setup extern \"C\", or give it another name"
	mistake "a function of C++ to be called before" made.so:mono "mono_before is .*"
	run -n 10 "$made:both"
	is "functions of C++ that are something else" "$status" 0
fi
here=$(cd "$scratch" && "$measure" made.so:thousand 2>&1)
is "a file of this folder needs its path" "${here#*: made.so:thousand: }" \
	"there is none of this name in the system's folders; a file of this folder needs its path: \
./made.so:thousand"
here=$(cd "$scratch" && "$measure" text.so:f 2>&1)
is "a text of this folder" "${here#*: text.so:f: }" \
	"it is a text, $library; make one: cc -O2 -shared -fPIC f.c -o f.so"
cp "$made" "$scratch/a:b.so"
run -n 10 "$scratch/a:b.so:thousand"
is "a path may have colons" "$status" 0

# signalled NAME COMMAND...: the program does not end early by a SIGUSR1 that comes meanwhile.
signalled() {
	signalled_name=$1
	shift
	"$@" -t 2 "$made:thousand" >"$scratch/out" 2>"$scratch/err" </dev/null &
	sleep 1
	kill -USR1 $!
	status=0
	wait $! || status=$?
	is "$signalled_name" "$status $(cat "$scratch/err")" "0 "
}

# Case blocked: a signal that is blocked from the start waits.
if env --block-signal=USR1 true 2>/dev/null; then
	signalled "a signal that was blocked at the start" env --block-signal=USR1 "$measure"
else
	skip "a signal that was blocked at the start" "env(1) cannot block one here"
fi

# Case preloaded: a library that was loaded first has a handler, as a profiler has.
cat >"$scratch/preloaded.c" <<'END'
#include <signal.h>
static void note(int number) { (void)number; }
__attribute__((constructor)) static void begin(void) { signal(SIGUSR1, note); }
END
case $CFLAGS in
*-fsanitize*) skip "a handler of a preloaded library" "a sanitizer has to come first" ;;
*)
	# shellcheck disable=SC2086 # options
	if $CC $CFLAGS -shared -fPIC "$scratch/preloaded.c" -o "$scratch/preloaded.so" \
		2>"$scratch/compiler"; then
		signalled "a handler of a preloaded library" \
			env LD_PRELOAD="$scratch/preloaded.so" "$measure"
	else
		skip "a handler of a preloaded library" "it cannot be compiled here"
	fi
	;;
esac

# Case one: one function. A hundred samples take much less than the time.
run -v -n 100 -t 60 "$made:thousand"
is "one function: measured" "$status $(said)" "0 "
ok "counter" has 'counter     [a-z0-9-]+'
ok "unit" has 'unit        (ticks|cycles|ns)(, [0-9]+ per second within [0-9]+ ppm)?'
for line in resolution overhead iqr; do
	ok "$line" has "$line  +[0-9.]+ (ticks|cycles|ns).*"
done
ok "seed" has 'seed        1'
ok "function" has "function    thousand"
ok "samples and batch" has 'samples     100, each of (1 call|[0-9]+ calls)'
ok "processes" has 'processes   10'
ok "minimum" has 'minimum     [0-9.]+ [a-z]+'
ok "quartiles" has 'quartiles   [0-9.]+ and [0-9.]+ [a-z]+'
ok "median" has "median      [0-9.]+ [a-z]+( \([0-9.]+ ns\))?, within [0-9.]+ and [0-9.]+ with \
95 % confidence"
ok "interquartile mean" has "mean        [0-9.]+ [a-z]+, the interquartile mean, within [0-9.]+ \
and [0-9.]+"
is "no verdict on one function" "$(out | grep -c -E 'faster|slower|cannot tell')" 0
# The mean spreads each sample over a step, so it may be half a step outside of the quartiles.
# The quartiles are those of the typical process, and the mean is the centre of all, so it may lie
# outside of them on a busy machine.
in_order() {
	awk '$1 == "minimum" { min = $2 } $1 == "quartiles" { q1 = $2; q3 = $4 }
		$1 == "median" { m = $2 } $1 == "mean" { iqm = $2 }
		$1 == "resolution" { half = $2 / 2 }
		END { exit !(min <= q1 && q1 <= m && m <= q3 && min - half <= iqm) }' \
		"$scratch/out"
}
ok "the quantiles are in order" in_order
run -v -n 10 --seed 9223372036854775807 "$made:thousand"
ok "the seed is told" has 'seed        9223372036854775807'
run -n 10 "$made:needs_setup" "$made:needs_setup"
is "_setup is called once" "$status" 0

# Case before: an input anew for each call.
run -n 10 "$made:needs_before" "$made:needs_before"
is "_before is called before each call" "$status $(said)" "0 "
run -n 10 "$made:needs_before" "$made:thousand"
is "_before: the other function has none" "$status $(said)" "0 "
run -v -t 0.2 "$made:sorts"
sorted=$(value median)
run -v -t 0.2 "$made:sorts_anew"
is "_before: measured" "$status $(said)" "0 "
ok "_before: a sample is one call" has 'samples     .*1 call( .*)?'
ok "a sort of sorted numbers ($sorted) is quicker than one with _before ($(value median))" \
	awk "BEGIN { exit !($sorted * 3 < $(value median)) }"

# Case loop: a short function is called in a loop.
run -v -t 0.2 "$made:copies"
is "16 bytes are copied: measured" "$status $(said)" "0 "
ok "16 bytes are copied: the median is above 0" awk "BEGIN { exit !($(value median) > 0) }"
# calls: in a sample.
calls() {
	sed -n 's/^samples .* \([0-9][0-9]*\) calls*.*/\1/p' "$scratch/out" | head -n 1
}
CPUCYCLES_COUNTER=default-gettimeofday run -v -t 1 "$made:copies"
is "with a step of a microsecond: measured" "$status" 0
ok "with a step of a microsecond: in a loop of $(calls) calls" test "$(calls)" -gt 100

# Case ignored: a counter that does not exist, once, however many processes measure.
CPUCYCLES_COUNTER=nonsense run -r any -t 1 "$made:thousand"
is "CPUCYCLES_COUNTER=nonsense: measured, and said once" \
	"$status $(said | grep -c '^cpucycles-measure: ignored: CPUCYCLES_COUNTER=nonsense: no ') \
$(said | grep -c .)" "0 1 1"

# Case precision: as precise as asked for.
run -t 60 --precision 90% "$made:thousand" "$made:two_thousand"
is "--precision: measured" "$status $(said)" "0 "
ok "--precision: it ends when the intervals are narrow" \
	has 'Precision of 90 %: reached: each interval is within [0-9.e-]+ % .*'
ok "--precision: the verdict, too" has "two_thousand .*"
run -t 0.5 --precision 0.000001 "$made:sorts_anew"
is "--precision: the time is over" "$status $(said)" "0 "
ok "--precision: it says so" has "Precision of 1e-06 %: not reached in the time \(-t\): .*"

# Case faster: which one is.
again_while 'cannot tell' run "$made:thousand" "$made:two_thousand"
is "2,000 beside 1,000 multiplications: measured" "$status" 0
ok "they are slower" has "two_thousand takes [0-9.]+ times as long as thousand $sentence\..*"
again_while 'cannot tell' run "$made:two_thousand" "$made:thousand"
ok "1,000 are faster" has "thousand is [0-9.]+ times as fast as two_thousand $sentence\..*"
run -t 0.5 --no-compare "$made:two_thousand" "$made:dies" "$made:thousand"
is "--no-compare: the exit status of a failure" "$status" 6
is "--no-compare: nothing is compared" "$(grep -c -e thousand "$scratch/out") $(
	grep -c -e ' than ' -e ' times as ' -e 'relative to' -e compared "$scratch/out")" "2 0"
run -t 0.5 --no-compare "$made:dies" "$made:thousand" "$made:two_thousand"
is "--no-compare: nothing is compared with the first one, either" \
	"$(grep -c compared "$scratch/out")" 0
run -v -n 10 --no-compare "$made:thousand" "$made:thousand"
is "--no-compare: no chance of an error" "$(grep -c '^alpha' "$scratch/out")" 0
run -v -n 10 "$made:thousand" "$made:thousand"
ok "the chance of an error" has \
	'alpha       [0-9.]+ % of the comparisons may get a wrong verdict'
run -t 0.1 "$made:thousand" "$made:thousand" "$made:thousand"
is "the same function: measured" "$status" 0
for number in 2 3; do
	ok "the same function, number $number: a sentence" has "thousand \($number\) \
(is [0-9.]+ % slower than|takes [0-9.]+ % less time than|relative to) thousand[ :].*"
done

# Case within: the same within a part. A test of equal functions would fail by chance as often as
# the error says, and by where they lie. So it is one function twice, and the part is large.
same="takes as long as thousand, within 20 %, as they are linked: ratio [0-9.]+ \([0-9.]+ to \
[0-9.]+\), in [0-9]+ process(es)?"
again_while 'cannot tell' run -t 10 --within 20% "$made:thousand" "$made:thousand"
is "--within: one function twice: measured" "$status $(said)" "0 "
ok "--within: they are the same, or differ by less" has "thousand \(2\) ($same|(is \
[0-9.]+ % slower|takes [0-9.]+ % less time) than thousand \(.*\), by less than 20 %, .*)\..*"
again_while 'cannot tell' run --within 20 "$made:thousand" "$made:two_thousand"
ok "--within: twice the work is slower" \
	has "two_thousand takes [0-9.]+ times as long as thousand $sentence\..*"
again_while 'cannot tell' run -t 10 --within 99 --csv "$made:two_thousand" "$made:two_thousand"
is "--within --csv: the part" "$(sed 1d "$scratch/out" | cut -d , -f 14,19 | tail -n 1 |
	sed -e 's/^faster/same/' -e 's/^slower/same/')" same,0.99

# Case table: the table.
# last_line: the last line of the output.
last_line() { tail -n 1 "$scratch/out"; }
again_while 'cannot tell' run -t 1 "$made:thousand" "$made:two_thousand"
sign='(±|[+]-)' # as the locale has it
by_counter='in (ticks|cycles|ns), with a resolution of [0-9.]+ (ticks|cycles|ns)'
by_chain="core cycles by a chain of known length( \\(.* GHz\\))?(, ${sign}[0-9.]+ %)?"
ok "table: what is measured with" has \
	"counter: [a-z0-9-]+(, $by_counter(; no core cycles: .*)?|; $by_chain)"
ok "table: its columns" has \
	"function  ( *(ticks|cycles)/call)?  *time/call  *spread  *calls( *note)?"
# A figure, and its interval where there is one. A clock has both in its time.
figure="([0-9.]+( $sign +[0-9.]+)?|-)"
for function in thousand two_thousand; do
	ok "table: the row of $function" has \
		"$function( +$figure)? +$figure (ns|us|ms) +[0-9.]+ % +[0-9]+.*"
done
is "table: the sentence comes last" \
	"$(last_line |
		grep -c -E "^two_thousand takes [0-9.]+ times as long as thousand $sentence")" 1
is "table: without colours into a file" "$(grep -c "$(printf '\033')" "$scratch/out")" 0
if ! grep -q 'core cycles by a chain' "$scratch/out"; then
	skip "table: the sign of an interval" "no core cycles by a chain here"
elif [ "$(LC_ALL=C.UTF-8 locale charmap 2>/dev/null)" != UTF-8 ]; then
	skip "table: the sign of an interval" "no locale of UTF-8"
else
	LC_ALL=C.UTF-8 run -t 0.2 "$made:thousand"
	is "table: the sign of an interval" "$(head -n 1 "$scratch/out" | grep -c ' ±')" 1
	LC_ALL=C run -t 0.2 "$made:thousand"
	is "table: the sign of an interval in ASCII" \
		"$(head -n 1 "$scratch/out" | grep -c ' +-')" 1
fi
run -n 1000 -t 60 "$made:millisecond"
ok "table: a function that sleeps for a millisecond" has "millisecond .* [0-9.]+ ms .*"
run -t 0.2 --timeout 2 "$made:dies" "$made:thousand" "$made:two_thousand"
is "the first one dies: the exit status" "$status" 6
ok "the first one dies: its row has the reason" \
	has "dies  .*  it crashed while it ran: signal 9 \(Killed\)"
is "the first one dies: the others are not compared" \
	"$(grep -c -E ' (slower than|less time than|times as|relative to) ' "$scratch/out")" 0
is "the first one dies: it says so" "$(last_line)" \
	"dies has no figures, so nothing is compared with it."
run -v -t 0.2 --timeout 2 "$made:dies" "$made:thousand" "$made:two_thousand"
is "the first one dies, -v: it says so" "$(last_line)" \
	"dies has no figures, so nothing is compared with it."
run --markdown -n 2000 "$made:thousand" "$made:dies"
ok "--markdown: the row of a function" \
	has "\\| thousand( \\| $figure)? \\| $figure [nmu]s \\| [0-9.]+ % \\| [0-9]+ \\| .*"
is "--markdown: each row has as many cells" \
	"$(grep '^|' "$scratch/out" | sed 's/[^|]//g' | sort -u | wc -l | tr -d ' ')" 1
run --csv -n 20 "$made:thousand" "$made:dies" "$made:thousand"
is "--csv: a line for each function" "$(wc -l <"$scratch/out" | tr -d ' ')" 4
is "--csv: the names of the columns" "$(head -n 1 "$scratch/out")" \
	"function,size,unit,mean,mean_low,mean_high,quartile1,median,quartile3,mean_ns,calls,\
iterations,bytes,verdict,ratio,ratio_low,ratio_high,trimmed_mean_ratio,within,units,\
layouts,placement_part,core_cycles,core_cycles_low,core_cycles_high,warnings,note"
is "--csv: the names and the verdicts" "$(sed 1d "$scratch/out" | cut -d , -f 1,14)" \
	"$made:thousand,
$made:dies,
$made:thousand (2),cannot tell"
ok "--csv: the figures" has "$made:thousand,,(ticks|cycles|ns)(,[0-9.]*){7},[0-9]+,[0-9]+,.*"
# Case terminal: names cannot command it: a colour, and U+202E, which turns a line around.
escape=$(printf '\033[31m\342\200\256')
commands() { grep -c -e "$(printf '\033')" -e "$(printf '\342\200\256')" "$1"; }
cp "$made" "$scratch/$escape.so"
for option in -n10 -v --markdown --csv; do
	run "$option" -n 10 "$scratch/$escape.so:thousand" "$made:dies"
	is "$option: a name cannot command the terminal" \
		"$(commands "$scratch/out") $(grep -c 'x1b.*xe2.*xae' "$scratch/out" |
			sed 's/[1-9]/some/')" "0 some"
done
# Two files whose names differ in what is not printed.
cp "$made" "$scratch/$(printf '\001').so"
cp "$made" "$scratch/$(printf '\002').so"
run -n 10 -t 60 --raw "$scratch/raw" "$scratch/$(printf '\001').so:thousand" \
	"$scratch/$(printf '\002').so:thousand"
is "--raw: their names differ" "$(sed -n 's/.*\(x[0-9]*\.so:thousand\).*/\1/p' "$scratch/raw" |
	sort -u | paste -s -d ' ' -)" "x01.so:thousand x02.so:thousand"
run "$scratch/$escape.so:absent"
is "nor can one in a message" \
	"$(commands "$scratch/err") $(grep -c '?\[31m???' "$scratch/err")" "0 1"
# painted VARIABLE=VALUE...: how many lines of the output on a terminal have colours.
painted() {
	script -qec "env $* '$measure' -t 1 '$made:thousand' '$made:two_thousand'" /dev/null \
		</dev/null 2>/dev/null | tee "$scratch/out" | grep -c "$(printf '\033\[3')"
}
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	again_while 'cannot tell' painted -u NO_COLOR TERM=xterm >"$scratch/painted"
	ok "on a terminal, a verdict has a colour" [ "$(cat "$scratch/painted")" -ge 1 ]
	for without in 'NO_COLOR=1 TERM=xterm' '-u NO_COLOR TERM=dumb' '-u NO_COLOR -u TERM'; do
		# shellcheck disable=SC2086 # arguments of env
		is "on a terminal with $without, nothing has" "$(painted $without)" 0
	done
else
	skip "colours" "no script(1) of util-linux that can make a terminal here"
fi

# Case fast: a clock with a step of a microsecond.
CPUCYCLES_COUNTER=default-gettimeofday run -v "$made:empty" "$made:thousand"
is "a coarse counter" "$(sed -n 's/^counter  *//p' "$scratch/out")" default-gettimeofday
if [ "$status" = 0 ] && awk "BEGIN { exit !($(value median) >= 250) }"; then
	skip "too fast" "20 calls take more than 5 microseconds on this machine"
else
	is "too fast" "$status" 8
	ok "too fast: the answer has figures" has 'too fast    .*: too fast to measure:'\
' [0-9]+ calls take [0-9.e+]+ ns, and the step is .*'
	is "too fast: it is no error" "$(said)" ""
	is "too fast: the other one is measured" \
		"$(sed -n 's/^function  *//p' "$scratch/out" | sort | tr '\n' ' ')" \
		"empty thousand "
	ok "too fast: the other one has figures" has 'median .*'
fi

run -v -t 0.1 "$made:thousand" "$made:short_with_before"
if [ "$status" = 0 ]; then
	skip "too fast with _before" "this machine has a counter of small steps"
else
	is "too fast with _before" "$status $(said)" "8 "
	ok "too fast with _before: why" has 'too fast    .*: too fast to measure: 1 call takes '\
'.*; before each call, an input is made anew'
fi

# Case cycles: a counter of cycles, or why there is none.
run -n 10 -r cycles "$made:thousand"
if [ "$status" = 0 ]; then
	ok "cycles are cycles" has 'counter: .*, in cycles, .*'
	skip "the next best" "this machine has a counter of cycles"
else
	is "no counter of cycles" "$status" 5
	ok "no counter of cycles: why" says '-r: .* cannot be had: .*; .*'
	run -n 10 -F -r cycles "$made:thousand"
	is "the next best is taken" "$status" 0
	ok "the next best is named" has 'warning: next best: .* cannot be had: .*'
fi

# Case wrong: what functions should not do.
# others WHAT STATUS: the run went on without that function, which has a reason in place of figures.
others() {
	is "$1: the exit status" "$status" "$2"
	is "$1: the others are measured" \
		"$(awk '$1 == "function" { name = $2 } $1 == "median" { print name }' \
			"$scratch/out" | sed 's/.*://' | tr '\n' ' ')" \
		"thousand two_thousand "
	is "$1: it has the reason" "$(grep -c -E '^(crashed|hung)  ' "$scratch/out")" 1
}
try() {
	run -v -t 0.1 --timeout 2 "$made:thousand" "$@" "$made:two_thousand"
}
try "$made:dies"
others "it dies" 6
ok "it dies: it says so" says "$made:dies: it crashed while it ran: $killed$after"
try "$made:dies_in_setup"
others "it dies in its setup" 6
ok "it dies in its setup: it says so" \
	says "$made:dies_in_setup: it crashed in its _setup: $killed$after"
try "$scratch/constructor.so:thousand"
others "a constructor dies" 6
ok "a constructor dies: it says so" says \
	"$scratch/constructor.so:thousand: it crashed while its library was loaded: $killed$after"
try "$made:leaves"
others "it calls exit" 6
ok "it calls exit: it says so" \
	says "$made:leaves: it ended the process while it ran, with exit status 7$after"
try "$made:dies_in_before"
others "it dies in its _before" 6
ok "it dies in its _before: it says so" \
	says "$made:dies_in_before: it crashed in its _before: $killed$after"
try "$made:hangs_in_before"
others "it hangs in its _before" 7
ok "it hangs in its _before: it says so" \
	says "$made:hangs_in_before: it passed --timeout in its _before: no end after [0-9.]* s, \
and the limit is 2 s$after"
for function in hangs alarms; do
	try "$made:$function"
	others "it $function" 7
	ok "it $function: it says so" \
		says "$made:$function: it passed --timeout while it ran: no end after 2\.[0-9]* s, \
and the limit is 2 s$after"
done
try "$made:stops"
others "it stops" 7
ok "it stops: it says so" says "$made:stops: a signal stopped it while it ran, .*$after"
run -v --timeout 0.5 "$made:dies" "$made:hangs"
is "two of them: the smaller status" "$status" 6
is "two of them: two lines" "$(said | wc -l | tr -d ' ')" 2
is "two of them: no figures" "$(out | grep -c median)" 0
run -n 10 "$made:closes"
is "it closes all files" "$status" 0
run -n 10 "$made:prints"
is "what it prints is kept apart" "$status $(said) $(out | grep -c printed)" \
	"0 printed by the function 0"

# Case writes: a function that writes at random harms the child only.
for number in 0 1 3 4 5 6 minus_1 letters; do
	if [ ! -r /proc/self/maps ]; then
		skip "it writes $number everywhere" "no /proc"
		continue
	fi
	run -t 0.2 --timeout 2 "$made:thousand" "$made:writes_$number"
	ok "it writes $number everywhere: the tool fails in its own way" \
		test "$status" -ge 6 -a "$status" -le 9
	is "it writes $number everywhere: it says so, in one line" \
		"$(said | sed 's/:.*//' | uniq -c | sed 's/^ *//')" "1 cpucycles-measure"
done
if [ -r /proc/self/maps ]; then
	run -n 1000 "$made:writes_over_the_record"
	is "it writes over the record" "$status $(out)" "9 "
	ok "it writes over the record: it says so" says "the measuring process: a function has \
written to memory that is not its own, or has forked a child that went on after it"
else
	skip "it writes over the record" "no /proc"
fi

# Case state: what a function leaves to the next one.
run -v -t 0.1 "$made:thousand" "$made:blocks" "$made:two_thousand"
only_warns() {
	is "$1: the exit status" "$status $(said)" "0 "
	is "$1: one warning, on that one" "$(warned state)" "${2##*:}"
}
# warned NAME: the functions that have this warning.
warned() {
	awk -v name="$1:" '$1 == "function" { function_name = $2 }
		$1 == "warning" && $2 == name { print function_name }' "$scratch/out"
}
only_warns "it blocks a signal" "$made:blocks"
ok "it blocks a signal: it says so" has \
	'warning     state: it returned with signal [0-9]+ blocked'
run -n 10 "$made:goes_backwards"
if [ "$status" = 4 ]; then
	skip "it leaves the direction flag" "only x86 has that flag"
else
	run -v -t 0.1 "$made:thousand" "$made:goes_backwards" "$made:two_thousand"
	only_warns "it leaves the direction flag" "$made:goes_backwards"
	ok "it leaves the direction flag: it says so" has \
		'warning     state: it returned with the direction flag set'
fi
run -n 10 "$made:gradual"
if [ "$status" = 4 ]; then
	skip "denormals" "they are not flushed here"
else
	is "no constructor flushes denormals here" "$status" 0
	compile "$scratch/flushing.so" -DFLUSHES_IN_CONSTRUCTOR
	for order in "$made:gradual $scratch/flushing.so:flushed" \
		"$scratch/flushing.so:flushed $made:gradual"; do
		# shellcheck disable=SC2086 # arguments
		run -v -t 0.1 $order "$made:flushed_by_setup" "$scratch/flushing.so:flushed"
		only_warns "a constructor flushes denormals for its own file (${order##*:} last)" ""
	done
	run -v -t 0.1 "$made:gradual" "$made:flushes" "$made:gradual"
	only_warns "it flushes denormals" "$made:flushes"
	ok "it flushes denormals: it says so" has "warning     state: it returned with \
(MXCSR|FPCR) 0x[0-9a-f]+ in the place of 0x[0-9a-f]+"
	if compile "$scratch/libflushing.so" -DFLUSHES_IN_CONSTRUCTOR \
		-Wl,-soname,libflushing.so &&
		compile "$scratch/needs1.so" -Wl,--no-as-needed "$scratch/libflushing.so" \
			-Wl,-rpath,"$scratch" &&
		cp "$scratch/needs1.so" "$scratch/needs2.so"; then
		# These are one source, so they have variables of the same name.
		ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_odr_violation=0 \
			run -v -t 0.1 "$scratch/needs1.so:flushed" "$made:gradual" \
			"$scratch/needs2.so:flushed"
		only_warns "a library of two files flushes denormals for both" ""
	else
		skip "a library of two files" "this linker makes none"
	fi
fi

# Case names: two files that each bring a library of the same name.
# needs_its_own FOLDER: make f.so there, which calls libh.so.1 of the same folder.
needs_its_own() {
	echo 'void thousand(void); void f(void) { thousand(); }' >"$scratch/f.c"
	# shellcheck disable=SC2086 # options
	$CC $CFLAGS -shared -fPIC "$scratch/f.c" "$1/libh.so.1" -Wl,-soname,f.so \
		-Wl,-rpath,"\$ORIGIN" -o "$1/f.so" >"$scratch/compiler" 2>&1
}
same_names() {
	for i in 1 2; do
		mkdir "$scratch/$i"
		compile "$scratch/$i/libh.so.1" -Wl,-soname,libh.so.1 || return
		needs_its_own "$scratch/$i" || return
	done
}
if ! grep -q '^#define HAVE_DL_ITERATE_PHDR' "$top_builddir/config.h"; then
	skip "libraries of the same name" "the dynamic linker does not tell what it has loaded"
elif ! same_names; then
	skip "libraries of the same name" "$(head -n 1 "$scratch/compiler")"
else
	run -n 10 "$scratch/1/f.so:f" "$scratch/2/f.so:f"
	is "libraries of the same name" "$status $(out)" "4 "
	ok "libraries of the same name: it says so" says "$scratch/2/f.so:f: it needs \
.*/2/libh.so.1, but would use a library of this name that an earlier file has loaded; a process \
loads a library of one name once: .*"
	# The dynamic linker of musl gives a name only to a library that it has searched for.
	expected=$(case $($CC -dumpmachine) in *musl*) echo 0 ;; *) echo 4 ;; esac)
	run -n 10 "$scratch/2/libh.so.1:thousand" "$scratch/1/f.so:f"
	is "a library that is measured has the name of another" "$status" "$expected"
	# The second process loads them in reverse order.
	run -n 1000 "$scratch/1/f.so:f" "$scratch/2/libh.so.1:thousand"
	is "a library that is measured has the name of an earlier one" "$status" "$expected"
	run -n 10 "$scratch/2/f.so:f"
	is "one of them alone" "$status" 0
	rm "$scratch/2/libh.so.1"
	ln "$scratch/1/libh.so.1" "$scratch/2/libh.so.1"
	run -n 10 "$scratch/1/f.so:f" "$scratch/2/f.so:f"
	is "the same library by two paths" "$status" 0
	run -n 10 "$scratch/1/libh.so.1:thousand" "$made:thousand"
	is "a library by its path, and a file that needs none" "$status" 0
fi

# Case forks: what a constructor leaves running holds whatever its parent had open.
cat >"$scratch/forks.c" <<-'END'
	#include <unistd.h>
	__attribute__((constructor)) static void start(void)
	{
		if (fork())
			return;
		sleep(20);
		_exit(0);
	}
	void f(void) {}
END
# shellcheck disable=SC2086 # options
if $CC $CFLAGS -shared -fPIC -o "$scratch/forks.so" "$scratch/forks.c" >/dev/null 2>&1; then
	run -t 0.3 --timeout 3 "$scratch/forks.so:f" "$made:thousand"
	is "a constructor that forks" "$status $(said)" "0 "
else
	skip "a constructor that forks" "it does not compile"
fi

# Case memory: there is none for so many samples.
limited() {
	(ulimit -v 500000 && "$measure" "$@") >"$scratch/out" 2>"$scratch/err" </dev/null
}
if limited --version; then
	status=0
	limited -n 200000000 "$made:thousand" || status=$?
	is "no memory for the samples" "$status" 9
	ok "no memory for the samples: it says so" says "memory: there is no memory of [0-9]+ \
bytes for samples: .*; raise the limit, which ulimit -v shows, or ask for fewer samples by -n"
else
	skip "no memory for the samples" "$(said | head -n 1)"
fi

# Case processes: none is left.
# gone PID: the process has ended. Nobody may have taken its status yet.
gone() {
	case $(sed -n 's/^State:[[:blank:]]*//p' "/proc/$1/status" 2>/dev/null) in
	'' | Z* | X*) ;;
	*) return 1 ;;
	esac
}
if may_see_itself; then
	run -n 10 "$made:leaves_a_child"
	ok "what a function has started ends with it" soon gone "$(cat "$PID_FILE")"
	rm "$PID_FILE"
	timeout 60 "$measure" --timeout 0 "$made:hangs" >"$scratch/out" 2>&1 &
	soon test -s "$PID_FILE"
	# A script of libtool may stand before the program.
	kill -KILL "$(sed -n 's/^PPid:[[:blank:]]*//p' "/proc/$(cat "$PID_FILE")/status")"
	ok "the child does not outlive its parent" soon gone "$(cat "$PID_FILE")"
	wait
else
	skip "no process is left" "$refused"
fi

# Case timeout: it counts one call. The time of the whole run does not matter.
run -t 100 --timeout 0.5 "$made:hangs"
is "--timeout of a long run" "$status" 7
run -t 0.3 --timeout 0.2 "$made:millisecond" "$made:millisecond"
is "--timeout is not for all calls together" "$status" 0

# Case interrupt: Ctrl-C.
if sh -c 'kill -INT $$' 2>/dev/null; then
	skip "Ctrl-C" "SIGINT is ignored here"
else
	run -v -t 600 -n 1000000 --raw "$scratch/raw" "$made:interrupts"
	is "Ctrl-C: the exit status" "$status" 130
	ok "Ctrl-C: it says so" has 'Interrupted: this is what there was\.'
	ok "Ctrl-C: what there is" has 'samples     [1-9][0-9]*, .*'
	is "Ctrl-C: these samples are in the file" "$(sed 1d "$scratch/raw" | wc -l | tr -d ' ')" \
		"$(value samples)"
	rm -f "$PID_FILE"
	# Without a limit for a call. timeout(1) ends what hangs.
	capture timeout 60 "$measure" -v --timeout 0 -t 600 -n 1000000 --raw "$scratch/raw" \
		"$made:interrupts_and_hangs_later"
	is "Ctrl-C in a long call: the exit status" "$status $(said)" "130 "
	ok "Ctrl-C in a long call: it says so" has 'Interrupted: this is what there was\.'
	is "Ctrl-C in a long call: its process does not count" \
		"$(sed 1d "$scratch/raw" | cut -f 1 | uniq -c | wc -l | tr -d ' ') \
$(sed 1d "$scratch/raw" | wc -l | tr -d ' ')" "2 $(value samples)"
	capture timeout 60 "$measure" -v --timeout 0 "$made:interrupts_and_hangs"
	is "Ctrl-C in the first call: the exit status" "$status $(said)" "130 "
	ok "Ctrl-C in the first call: it says so" has 'Interrupted before there was a sample\.'
	run -v -t 600 -n 1000000 --raw "$scratch/raw" "$made:interrupts_twice"
	is "Ctrl-C as timeout(1) sends it" "$status" 130
	ok "Ctrl-C as timeout(1) sends it: what there is" has 'samples     [1-9][0-9]*, .*'
fi
echo before >"$scratch/raw"
run -t 600 -n 1000000 --raw "$scratch/raw" "$made:terminates"
is "SIGTERM ends it: no output" "$status $(cat "$scratch/out")" "143 "
is "SIGTERM ends it: the old samples stay" "$(cat "$scratch/raw")" before
is "SIGTERM ends it: nothing is left beside them" "$(find "$scratch" -name '.raw*')" ""

# Case raw: the samples.
tab=$(printf '\t')
run -n 100 -t 60 --raw "$scratch/raw" "$made:thousand"
is "--raw: measured" "$status" 0
is "--raw: the first line has names and unit" "$(head -n 1 "$scratch/raw")" \
	"process${tab}round${tab}function${tab}${unit}_per_call"
is "--raw: one line for each sample" \
	"$(sed 1d "$scratch/raw" |
		grep -c -x -E "[0-9]+${tab}[0-9]+$tab$made:thousand${tab}[0-9.e+-]+")" 100
is "--raw: processes and rounds are numbered" \
	"$(sed 1d "$scratch/raw" | cut -f 1,2 | uniq | wc -l | tr -d ' ')" 100
run -v -n 50 -t 60 --raw "$scratch/raw" "$made:thousand" "$made:two_thousand"
is "--raw: all samples of each function" "$(grep '^[0-9]' "$scratch/raw" | cut -f 3 |
	sort | uniq -c | sed 's/^ *//')" "$(for function in thousand two_thousand; do
	echo "$(value samples) $made:$function"
done)"
is "--raw: two samples of each function in a round" \
	"$(grep '^[0-9]' "$scratch/raw" | cut -f 1-3 | uniq -c | awk '{ print $1 }' | sort -u)" 2
is "--raw: the verdict is the last line, and the only one with #" \
	"$(grep -n '^#' "$scratch/raw" | sed 's/verdict.*[0-9] /verdict /')" \
	"$(wc -l <"$scratch/raw" | tr -d ' '):# verdict $made:two_thousand"
rm -f "$PID_FILE"
run -v -t 2 --raw "$scratch/raw" "$made:thousand" "$made:dies_later"
is "--raw: a function crashes in the third process" "$status" 6
ok "--raw: it says which process" says "$made:dies_later: it crashed while it ran, in process 3, \
after 2 that succeeded: $killed$after"
is "--raw: no sample of it" "$(cut -f 3 "$scratch/raw" | sort -u)" "$(
	printf '%s\n' "$made:thousand" function | sort)"
is "--raw: one line with names" "$(grep -c '^process' "$scratch/raw")" 1
is "--raw: the rest of the file are the samples" "$(sed 1d "$scratch/raw" | wc -l | tr -d ' ')" \
	"$(value samples)"
echo before >"$scratch/raw"
(
	ulimit -f 1
	status=0
	"$measure" -n 1000 -t 60 --raw "$scratch/raw" "$made:thousand" 2>&1 || status=$?
	echo "status $status"
) | cat >"$scratch/out"
is "--raw: a file that cannot be written" \
	"$(sed -n -e '/^status/p' -e 's/^\(cpucycles-.*\): [^:]*$/\1/p' "$scratch/out")" \
	"cpucycles-measure: --raw $scratch/raw
status 3"
ok "--raw: the figures are printed nevertheless" has "thousand +[0-9.]+ .*"
is "--raw: the old file stays" "$(cat "$scratch/raw")" before
is "--raw: nothing is left beside it" "$(find "$scratch" -name '.raw*')" ""
cp "$made" "$scratch/copy.so"
run -n 10 --raw "$scratch/copy.so" "$scratch/copy.so:thousand"
is "--raw: not in the place of the library" "$status $(cmp "$made" "$scratch/copy.so")" "2 "
# No device is tried: if it were not refused, root would replace it.
mkfifo "$scratch/fifo"
ln -s raw "$scratch/link"
for path in fifo link none/raw .; do
	run -n 10 --raw "$scratch/$path" "$made:thousand"
	is "--raw $path is refused" "$status $(said | sed 's/: [^:]*$//')" \
		"3 cpucycles-measure: --raw $scratch/$path"
done
is "--raw: the link is still there" "$(readlink "$scratch/link")" raw

# Case check: --check.
run --check
warnings=$(grep -c '^warning ' "$scratch/out")
if [ "$warnings" = 0 ]; then
	is "--check: no warning" "$status" 0
	ok "--check: it says so" has 'check       no warning: .*'
else
	names='backwards|rate|resolution|halves|drift|moved|frequency|carryover|state|loop|tail|load'
	is "--check: $warnings warnings" "$status" 1
	is "--check: each has a name" "$(grep '^warning ' "$scratch/out" | grep -v -c -E \
		"^warning     ($names): .")" 0
fi
ok "--check: the counter" has 'counter     [a-z0-9-]+'
is "--check: a note has a name" "$(grep '^note ' "$scratch/out" |
	grep -v -c -E '^note        (time|governor|boost|smt): .')" 0
is "--check: a load is not called fit" "$(grep -c '^check ' "$scratch/out")" \
	"$([ "$warnings" = 0 ] && echo 1 || echo 0)"

# Case lxcfs: if one hangs, Ctrl-C ends --check. Status 137 would be that of the SIGKILL.
run_inside "measure='$measure'" <<'EOF'
hang 3 /sys/devices/system/cpu
timeout -k 30 -s INT 2 "$measure" --check
echo "status $?"
EOF
shows "a lxcfs that hangs: Ctrl-C ends --check" grep -q "^status 124\$" "$scratch/out"

# Case full: output that cannot be written.
if [ -c /dev/full ]; then
	for option in --help --version --check "-n 10 $made:thousand"; do
		status=0
		# shellcheck disable=SC2086 # options and arguments
		"$measure" $option >/dev/full 2>"$scratch/err" || status=$?
		is "${option%% *} to a full disk" "$status $(said)" \
			"3 cpucycles-measure: standard output: No space left on device"
	done
else
	skip "a full disk" "no /dev/full"
fi
status=0
"$measure" -n 10 "$made:thousand" >&- 2>"$scratch/err" || status=$?
is "no standard output" "$status" 3

# Case progress: the line that shows it.
run -t 2 -n 1000000 "$made:millisecond"
is "no terminal, no progress" "$(said)" ""
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	script -qec "'$measure' -t 8 -n 1000000 '$made:millisecond'" /dev/null </dev/null |
		tr '\r' '\n' | tee "$scratch/log" >"$scratch/out"
	ok "progress on a terminal" has \
		'cpucycles-measure: [0-9.]+ s: process [0-9]+, in at most (8\.0|7\.[0-9]) s *'
	ok "then the figures" has ".*millisecond  .* ms  .*"
else
	skip "progress on a terminal" "no script(1) of util-linux that can make a terminal here"
fi

# Case events: events.
run --help
for option in --events --force --list; do
	ok "--help has $option" has ".* ${option}[ =].*"
done
run -e "" "$made:thousand"
is "-e '': a usage error" "$status $(said)" "2 cpucycles-measure: -e: the list of events is empty"
sixteen=$(printf 'faults,%.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16)
for bad in "-e , $made:thousand" "-e a//b $made:thousand" "-e faults, $made:thousand" \
	"-e ,faults $made:thousand" "-e faults:x $made:thousand" \
	"-e ${sixteen}faults $made:thousand" "--force $made:thousand" "--force --check" \
	"-l --force" "-l -e faults" "-l -j" "-l -c" "-l -F" \
	"-l -r fine" "-l -r any" "-l --timeout 1" "-l -t 1" "-l -n 1" "-l --seed 1" \
	"-l --raw $scratch/raw" "-l page faults"; do
	# shellcheck disable=SC2086 # options and arguments
	run $bad
	is "$(echo "$bad" | sed "s,$scratch/,,g"): a usage error" \
		"$status $(said | sed 's/:.*//') $(out)" "2 cpucycles-measure "
done

# Events of the kernel count on each machine, unless somebody has forbidden them.
run -v -n 10 -t 60 -e page-faults "$made:thousand"
forbidden=
# By perf_event_paranoid, by a sandbox, or because the system is another one.
if [ "$status" = 10 ] && grep -q -E '^not counted page-faults: .*(ermi|not implemented|system)' \
	"$scratch/out"; then
	forbidden="no event may be counted here"
fi
faults='event       [0-9.]+ page-faults per call, in user mode'
no_pmu='not counted instructions: no PMU of this machine counts it'
if [ -n "$forbidden" ]; then
	skip "-e" "$forbidden"
else
	is "-e page-faults: measured" "$status $(said)" "0 "
	ok "-e page-faults: the count" has "$faults"
	ok "-e page-faults: the figures, too" has 'median .*'
	is "-e page-faults: nothing else was asked for" \
		"$(grep '^event ' "$scratch/out" |
			grep -v -c -E ' (page-faults|cpu-cycles|ticks) ')" 0
	run -v -n 10 -t 60 --force -e page-faults,minor-faults:u "$made:thousand" \
		"$made:two_thousand"
	is "-e with two functions: measured" "$status" 0
	is "-e with two functions: the counts of both" "$(grep -c -x -E "$faults" "$scratch/out") $(
		grep -c -E '^event .* minor-faults:u per call, in user mode$' "$scratch/out")" "2 2"
	run -v -n 10 -t 60 -e no-such-event,page-faults "$made:thousand"
	is "-e with an unknown name: the exit status" "$status" 10
	ok "-e with an unknown name: it says so" has 'not counted no-such-event: .*'
	ok "-e with an unknown name: the others count" has "$faults"
	is "-e with an unknown name: no count of it" \
		"$(grep -c '^event .*no-such-event' "$scratch/out")" 0
	if sh -c 'kill -INT $$' 2>/dev/null; then
		skip "-e and Ctrl-C" "SIGINT is ignored here"
	else
		run -v -t 600 -n 1000000 -e page-faults "$made:interrupts"
		is "-e and Ctrl-C: the exit status" "$status" 130
		ok "-e and Ctrl-C: the counts so far" has "$faults"
	fi
	# A function that closes all descriptors costs the events only, and its own.
	closed='a function or the program has closed the descriptors of the events'
	run -v -n 10 -t 60 -e page-faults "$made:closes"
	is "-e and closed descriptors: the exit status" "$status $(said)" "10 "
	ok "-e and closed descriptors: it says so" has "not counted page-faults: $closed"
	ok "-e and closed descriptors: the time" has 'median .*'
	is "-e and closed descriptors: no count" "$(grep -c '^event ' "$scratch/out")" 0
	rm -f "$PID_FILE"
	run -v -t 3 -e page-faults "$made:thousand" "$made:closes_and_dies_later"
	is "-e and closed descriptors of a function that is left out" "$status" 6
	ok "-e and closed descriptors of a function that is left out: a count" has "$faults"
	run -v -n 10 -t 60 -e instructions,page-faults "$made:thousand"
	ok "instructions or not, page faults count" has "$faults"
	if grep -q -x "$no_pmu" "$scratch/out"; then
		is "no PMU: the exit status" "$status" 10
		is "no PMU: the remedy" \
			"$(sed -n "/^$no_pmu/{n;s/^ *//;s/[;:].*//;p;}" "$scratch/out")" \
			"this machine shows no PMU"
		is "no PMU: no figure of instructions" \
			"$(grep -c '^event .*instructions' "$scratch/out")" 0
	elif [ "$status" = 0 ]; then
		ok "instructions count" \
			has 'event       [0-9.]+ instructions per call, in user mode'
		skip "no PMU" "this machine has one"
	else
		skip "no PMU" "this machine has one, which does not count instructions"
	fi
fi

# Case list, after events: the list.
run -l
is "-l: the exit status" "$status $(said)" "0 "
ok "-l: instructions" has '  instructions  .*'
ok "-l: page faults" has '  page-faults  page faults.*'
ok "-l: which names of manuals there are" has "names of the CPU's manual: .*"
is "-l: without a word, nothing is tried" "$(grep -c -E '^    (counts|not) here' "$scratch/out")" 0
run -l nosuchword
is "-l nosuchword" "$status $(out)$(said)" \
	"10 cpucycles-measure: -l nosuchword: no event has this word"
run -l PAGE-FAULTS
is "-l PAGE-FAULTS: the exit status" "$status" 0
# trial EVENT: what the list says below it.
trial() { sed -n "/^  $1  /{n;p;}" "$scratch/out"; }
if [ -n "$forbidden" ]; then
	ok "-l PAGE-FAULTS: why it does not count" has '    not here: page-faults: .*'
else
	is "-l PAGE-FAULTS: it counts here" "$(trial page-faults)" \
		"    counts here, in user mode, as expected in known work"
fi
is "-l PAGE-FAULTS: no other event" \
	"$(grep '^  [^ ]' "$scratch/out" | grep -v -c -i 'page.faults')" 0
run -l r01c0:u
is "-l r01c0:u: an event of no list" "$status $(head -n 1 "$scratch/out")" "0 as asked for"
case $(uname -m) in
x86_64 | i?86) word='  \(function word 0x4101c0\)' ;;
*) word= ;;
esac
ok "-l r01c0:u: with its function word where there is one" has "  r01c0:u$word"
# on_cpu CPU WORD: the list on another CPU, by an emulator. It has no memory for a sanitizer.
on_cpu() {
	case " $CFLAGS $CC " in *-fsanitize=*) return 1 ;; esac
	"$top_builddir/libtool" --mode=execute qemu-x86_64 -cpu "$1" "$measure" -l "$2" \
		2>&1 </dev/null
}
# marked CPU WORD: its codes, marks and words. Other events are those of this machine.
marked() {
	on_cpu "$@" |
		sed -n 's/  (function word \(.*\))$/ \1/
			s/^  \([r0][^ ]*\)  .*\(  ([A-Z]*) 0x\)/\1\2/p'
}
if ! on_cpu core2duo instructions >"$scratch/out"; then
	skip "-l mesi on a CPU whose words pctr(1) marks" "no emulator runs this build"
else
	is "-l mesi: the codes that take one, on a Core 2" "$(marked core2duo mesi)" \
		"r4f28  (MESI) 0x414f28
r4f29  (MESI) 0x414f29
r4f2a  (MESI) 0x414f2a
r4f2b  (MESI) 0x414f2b
r4f2e  (MESI) 0x414f2e
r4f30  (MESI) 0x414f30
r0f40  (MESI) 0x410f40
r0f41  (MESI) 0x410f41
r0f42  (MESI) 0x410f42"
	is "-l WORD: the any-initiator flag" "$(marked core2duo 0x436065)" "0x436065  (A) 0x436065"
	is "-l mesi: none on a later CPU" "$(marked Nehalem mesi)" ""
	is "-l WORD: no mark on a later CPU" "$(marked Nehalem 0x436065)" ""
fi
if [ -c /dev/full ]; then
	status=0
	"$measure" -l >/dev/full 2>"$scratch/err" || status=$?
	is "-l to a full disk" "$status $(said | sed 's/: [^:]*$//')" \
		"3 cpucycles-measure: standard output"
fi
(
	trap '' PIPE
	soon test -e "$scratch/closed"
	status=0
	"$measure" -l 2>"$scratch/err" || status=$?
	echo "$status" >"$scratch/status"
) | {
	exec <&-
	: >"$scratch/closed"
}
is "-l into a closed pipe" "$(cat "$scratch/status") $(said | sed 's/: [^:]*$//')" \
	"3 cpucycles-measure: standard output"

# Case json, after events: JSON.
run --json -n 10 "$made:prints"
if [ "$status" = 2 ]; then
	is "without jansson: one line" "$(said)" \
		"cpucycles-measure: --json: built without jansson, which it needs"
	skip "--json" "built without jansson"
	exit 0
fi
get() { "$top_builddir/tests/utils/json-get" "$@" <"$scratch/out" 2>&1; }
is "--json: what a function prints is kept apart" "$status $(get functions 0 state)" "0 measured"
run --json "$scratch/none.so:f"
is "--json: a library that does not load: why" \
	"$status $(get functions 0 state), $(get functions 0 text | cut -c 1-14)" \
	"4 not measured, does not load:"
long=$scratch/$(printf '%200s' '' | tr ' ' p).so
run --json "$long:f"
ok "--json: a long path stands whole" has ".*\"does not load: $long: .*"
# A sentence has room for about 490 bytes of a path, here of letters of two bytes. With one byte
# before them, the cut would be within a letter.
letter=$(printf '\303\244')
letters=$(printf '%400s' '' | sed "s/ /$letter/g")
# only_letters BEFORE TEXT: in the text, at least 20 whole letters follow, and no other bytes.
only_letters() {
	printf '%s\n' "$2" | LC_ALL=C grep -q -E -e "(^| )$1($letter){20,}(;.*)?\$" ||
		{ printf '%s\n' "$2" | sed 's/^/# text: /'; return 1; }
}
for before in "" x; do
	run --json "$before$letters:f"
	ok "--json: a path that is cut${before:+ elsewhere} keeps its letters" \
		only_letters "$before" "$(get functions 0 text)"
done
run --json -n 100 -t 60 --seed 5 --raw "$scratch/raw" \
	"$made:thousand" "$made:dies" "$made:two_thousand"
is "--json: the exit status" "$status" 6
is "--json: the version" "$(get version)" "$("$measure" --version | sed 's/.* //')"
is "--json: the functions" "$(get functions '#') $(get functions 1 name)" "3 $made:dies"
is "--json: their parts" "$(get functions 2 library) $(get functions 2 function)" \
	"$made two_thousand"
is "--json: what became of them" "$(for i in 0 1 2; do get functions $i state; done)" "measured
crashed
measured"
is "--json: why" "$(get functions 1 text)" "it crashed while it ran: signal 9 (Killed)"
is "--json: no figures of that one" "$(get functions 1 figures)" null
is "--json: the plan" "$(get plan seed) $(get interrupted)" "5 false"
is "--json: the chance of an error" "$(get plan alpha | sed 's/0*1*$//')" 0.005
is "--json: no precision was asked for" "$(get plan precision_part)" null
is "--json: the unit" "$(get counter unit)" "$unit"
is "--json: no verdict on the first" "$(get functions 0 figures verdict)" null
is "--json: the other one is the baseline" "$(get functions 2 figures verdict baseline)" \
	"$made:thousand"
is "--json: the sentence has the word" "$(get functions 2 figures verdict sentence |
	sed -n -e 's/.*\(cannot tell\).*/\1/p' -e 's/.* as long as .*/slower/p' \
		-e 's/.* as fast as .*/faster/p')" "$(get functions 2 figures verdict word)"
is "--raw: the verdict agrees with JSON" "$(sed -n 's/^# verdict.//p' "$scratch/raw" | awk '
	function ratio(x) { return x == "unknown" ? "null" : sprintf("%.4f", 1 + x / 100) }
	{ sub(/-/, " ", $1); print $1, ratio($2), ratio($3), ratio($4), $5, $6 }')" \
	"$(for key in word ratio ratio_low ratio_high units; do
		get functions 2 figures verdict $key
	done | awk '{
		printf "%s ", (NR > 1 && NR < 5 && $1 != "null" ? sprintf("%.4f", $1) : $0)
	}')$made:two_thousand"
trimmed=$(get functions 2 figures verdict trimmed_mean_ratio)
ok "--json: the trimmed mean takes about as many times as long" \
	awk -v a="$(get functions 2 figures verdict ratio)" -v b="$trimmed" \
	'BEGIN { exit !(b > a / 1.5 && b < a * 1.5) }'
is "--json: nothing is the same within some part" "$(get functions 2 figures verdict within)" null
is "--json: no layouts" "$(for key in layouts placement_part; do
	get functions 2 figures verdict $key
done | tr '\n' ' ')$(get functions 2 figures by_layout_part)" "null null null"
is "--json: each process is a unit" "$(get functions 2 figures verdict units)" \
	"$(get functions 2 figures processes)"
is "--json: an array of warnings" "$(get functions 2 figures warnings '#' | grep -c -x '[0-9]')" 1
numbers=$(for key in samples iterations minimum_units quartile1_units median_units \
	median_low_units median_high_units quartile3_units interquartile_mean_units; do
	get functions 0 figures $key
done)
is "--json: nine figures" "$(echo "$numbers" | grep -c -x -E '[0-9.]+')" 9
# core_cycles: whether there is a figure with a source, or neither.
core_cycles() {
	case $(get functions 0 figures core_cycles_from) in
	counter | chain) get functions 0 figures core_cycles | grep -q -x '[0-9.]*' ;;
	*) [ "$(get functions 0 figures core_cycles)" = null ] ;;
	esac
}
ok "--json: core cycles by $(get functions 0 figures core_cycles_from)" core_cycles
is "--json: frequency and samples of the core cycles" "$(for key in core_cycles_low \
	core_cycles_high core_hz_low core_hz_high samples_interrupted; do
	get functions 0 figures $key
done | grep -c -x -E 'null|[0-9.e]+')" 5
if command -v jq >/dev/null; then
	jq_reads() { jq -e '.functions[0].figures.median_units > 0' "$scratch/out" >/dev/null; }
	ok "--json: jq reads it" jq_reads
else
	skip "--json: jq reads it" "jq is not installed"
fi
# Fewer samples take too short, with sanitizers, for their time to be known.
run --json=benchmark -n 2000 -t 60 "$made:thousand" "$made:dies"
is "--json=benchmark: the exit status" "$status" 6
is "--json=benchmark: each process is a repetition" \
	"$(for i in 0 9; do
		for key in name run_type repetitions repetition_index iterations time_unit; do
			get benchmarks $i $key
		done
	done | tr '\n' ' ')" \
	"$made:thousand iteration 10 0 200 ns $made:thousand iteration 10 9 200 ns "
is "--json=benchmark: then comes their median" \
	"$(for key in name aggregate_name time_unit; do get benchmarks 10 $key; done |
		tr '\n' ' ')" "$made:thousand_median median ns "
is "--json=benchmark: the times" "$(for i in 0 9 10; do
	get benchmarks $i real_time
	get benchmarks $i cpu_time
done | grep -c -x '[0-9.]*')" 6
is "--json=benchmark: a function without figures has no entry" "$(get benchmarks '#')" 11
is "--json=benchmark: and the context says why" \
	"$(for key in name message; do get context cpucycles_failures 0 $key; done |
		tr '\n' ' ')" "$made:dies it crashed while it ran: signal 9 (Killed) "
run --json --precision 50 "$made:thousand"
is "--json: the time is known" "$(get functions 0 figures median_ns | grep -c -x '[0-9.]*')" 1
precision=$(get plan precision_part | sed 's/0*1*$//')
is "--json: a precision" "$precision $(get plan precision_reached)" "0.5 true"
run --json --check
is "--json --check: no functions" "$(get functions) $(get plan)" "null null"
is "--json --check: warnings are the exit status" \
	"$(get warnings '#' | sed 's/^[1-9]$/1/')" "$status"
is "--json --check: an array of notes" "$(get notes '#' | grep -c -x '[0-3]')" 1
run --json -n 10 -t 60 "$made:thousand"
is "--json: no events" "$(get events) $(get functions 0 figures events)" "[] []"
run --json -n 10 -t 60 -e page-faults,no-such-event "$made:thousand"
is "--json -e: the exit status" "$status" 10
is "--json -e: the events" "$(get events '#') $(get events 0 name) $(get events 1 name)" \
	"2 page-faults no-such-event"
is "--json -e: what is not counted" "$(get events 1 counted) $(get events 1 checked)" "false false"
is "--json -e: why" "$(get events 1 text | sed 's/:.*//')" no-such-event
is "--json -e: there is no number for it" \
	"$(for key in name per_call per_thousand_instructions; do
		get functions 0 figures events 1 $key
	done | tr '\n' ' ')" "no-such-event null null "
is "--json -e: the quotient and the cycles are there" "$(for key in cycles_per_call \
	instructions_per_cycle time_stamp_ticks_per_call; do
	get functions 0 figures $key
done | grep -c -x -E 'null|[0-9.e+-]+')" 3
if [ -n "$forbidden" ]; then
	skip "--json -e: the count" "$forbidden"
else
	is "--json -e: what is counted" "$(for key in counted user kernel checked text remedy; do
		get events 0 $key
	done | tr '\n' ' ')" "true true false true null null "
	is "--json -e: the count" "$(get functions 0 figures events 0 name) $(
		get functions 0 figures events 0 per_call |
			grep -c -x -E '[0-9.e-]+')" "page-faults 1"
fi
if command -v jq >/dev/null; then
	jq_reads_events() {
		jq -e '.events[1].counted == false and
			.functions[0].figures.events[1].per_call == null' "$scratch/out" >/dev/null
	}
	ok "--json -e: jq reads it" jq_reads_events
else
	skip "--json -e: jq reads it" "jq is not installed"
fi
if [ -n "$forbidden" ]; then
	skip "--json -e and closed descriptors" "$forbidden"
else
	run --json -n 10 -t 60 -e page-faults "$made:closes"
	is "--json -e and closed descriptors" "$status $(get events 0 counted) $(
		get functions 0 figures events 0 per_call) $(
		get functions 0 figures time_stamp_ticks_per_call)" "10 false null null"
	ok "--json -e and closed descriptors: why" test "$(get events 0 text)" = \
		"page-faults: $closed"
fi
