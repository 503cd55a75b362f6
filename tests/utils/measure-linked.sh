#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# cpucycles-measure with functions that it links itself: of C code, object files and archives.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/harness/lines.sh"
. "$top_srcdir/tests/utils/linking.sh"

# Chains of dependent multiplications, whose time hardly depends on where they lie.
cat >chains.c <<'C'
static volatile unsigned long kept = 3;
#define STEP x *= 0x5851f42d4c957f2d & (unsigned long)-1; __asm__ volatile("" : "+r"(x));
#define TEN STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
void four_hundred(void)
{
	unsigned long x = kept;
	HUNDRED HUNDRED HUNDRED HUNDRED
	kept = x;
}
void more(void)
{
	unsigned long x = kept;
	HUNDRED HUNDRED HUNDRED HUNDRED TEN TEN
	kept = x;
}
/* One call in six takes ten times as long. */
void sixth(void)
{
	static unsigned call;

	for (int i = ++call % 6 ? 1 : 10; i > 0; i--)
		four_hundred();
}
void crash(void) { *(volatile int *)0 = 1; }
void hang(void) { for (;;) __asm__ volatile(""); }
int variable;
static void hidden(void) { kept++; }
void (*kept_hidden)(void) = hidden;
int main(void) { return 3; }
C
need_compiler chains

# C code, as a new user has it.
run -t 0.3 chains.c:four_hundred
is "C code is compiled, linked and measured" "$status" 0
ok "its row is in the table" has "four_hundred .*"
run -t 0.3 -v chains.o:four_hundred
is "an object file" "$status" 0

# The promise: code that differs is told in both orders, and the same code is not. Of 200 runs on
# the same code, one may say something else; two in a row are one of 40,000. With a gate: five
# percent more raise an alarm at 1 %, and fewer raise none.
run -v --gate 1% -t 200 chains.o:four_hundred chains.o:more
is "five percent more, with a gate of 1 %: an alarm" "$status" 11
ok "a gate of 1 %: it says so" has "Gate of 1 %: alarm\."
ok "five percent more are told" \
	has "more is [0-9.]+ % slower than four_hundred \([0-9.]+ to [0-9.]+\), .*"
ok "the sentence is about the code" eval '! grep -q linked out'
ok "it counts layouts" has ".*[0-9]+ layouts, [0-9.]+ s\."
run --gate 1% -t 200 chains.o:more chains.o:four_hundred
is "what is faster passes" "$status" 0
ok "in the other order, too" has "four_hundred .* -[45]\.[0-9]+ % \(.*\) +passed"
same_code() {
	run -t 4 --measure-unchanged chains.o:four_hundred chains.o:four_hundred
	has ".*Cannot tell.*|.*cannot tell.*"
}
ok "the same code is not told apart" eval 'same_code || same_code'

run --gate 1% -t 0.2 chains.o:four_hundred chains.o:more
is "too few layouts" "$status" 12
ok "too few layouts: it says so" has "Gate of 1 %: cannot tell\."
run -t 0.2 chains.o:four_hundred chains.o:more
ok "too little time: it names the option" has ".* are needed, .* \(-t\)\."
run -t 4 -n 5 chains.o:four_hundred chains.o:more
ok "too few samples: it names both options" has ".* are needed, .* \(-t, -n\)\."
for bad in "--gate 0" "--gate x" "--gate 1% --precision 1"; do
	# shellcheck disable=SC2086 # options
	run $bad chains.o:four_hundred chains.o:more
	is "$bad: a usage error" "$status" 2
done
# The verdict is on typical calls, so the gate also looks at the mean of nearly all.
run --gate 20% -t 200 chains.o:four_hundred chains.o:sixth
is "a gate: one call in six takes longer" "$status" 12
ok "a gate: it says so" has "Gate of 20 %: cannot tell\."
mean=".* The mean of all samples but the longest 5 % is [0-9.]+ times as long\."
ok "a gate: it says why" has "sixth .*  cannot tell: on average \+[0-9.]+ %"
run -t 200 --within 20% chains.o:four_hundred chains.o:sixth
ok "no gate: the verdict, and the mean that contradicts it" has "$mean"
run --gate 20% -t 200 chains.o:sixth chains.o:four_hundred
is "a gate: the old code was the one" "$status" 0
run --gate 20% -t 200 --measure-unchanged chains.o:sixth chains.o:sixth
is "a gate: the same code, and one call in six" "$status" 0
run --gate 1% chains.o:more
is "a gate for one function" "$status" 2
run --gate 1% chains.o:crash chains.o:more
is "a gate: a crash is told first" "$status" 6

# Two revisions have the same names, also those of helpers and of main().
for times in 10 20; do
	mkdir "r$times"
	cat >"r$times/code.c" <<C
int data[100];
__attribute__((noinline)) void helper(void) { for (int i = 0; i < 100; i++) data[i] += $times; }
void f_setup(void) { data[0] = $times; }
void f(void) { for (int i = 0; i < $times; i++) helper(); }
int main(void) { return $times; }
C
	object "r$times/code"
done
run -t 200 r10/code.o:f r20/code.o:f
ok "each revision has its own helper" has \
	"r20/code.o:f (takes .* times as long as|is .* % slower than) r10/code.o:f \(.*"

# Archives, and what is needed besides.
cat >needs.c <<'C'
void helper(void);
void f(void) { for (int i = 0; i < 100; i++) helper(); }
C
cat >helper.c <<'C'
int data;
void helper(void) { __atomic_fetch_add(&data, 1, __ATOMIC_RELAXED); }
C
object needs
object helper
ar rcs "an 'archive'.a" needs.o helper.o chains.o
run -t 0.3 "an 'archive'.a:f"
is "an archive, with the members that are needed" "$status" 0
run -t 0.3 needs.o:f
is "a name that nobody has" "$status" 9
ok "a name that nobody has: it is named, with the remedy" says ".*helper.*--with.*"
for option in raw layouts; do
	run -t 0.3 --with helper.o "--$option=./helper.o" needs.o:f
	is "--$option: not into what is linked with it" "$status" 2
	ok "--$option: what was expected" says ".*: expected another file than that of --with"
	run -t 0.3 "--$option=" needs.o:f
	is "--$option: no file" "$status" 2
done
run -t 0.3 --raw both.tsv --layouts ./both.tsv needs.o:f
is "one file for both" "$status" 2
ok "one file for both: what was expected" says ".*: expected another file than that of --raw"
run -t 0.3 --with helper.o needs.o:f
is "--with a file" "$status" 0
cat >ends.c <<'C'
#include <stdlib.h>
void helper(void) { }
__attribute__((constructor)) static void end(void) { _Exit(3); }
C
run -t 0.3 --with ends.c needs.o:f
ok "--with a file that ends the program: no remedy" \
	says "the program that was linked: it ended the process before main\(\), .* status 3"
cat >sine.c <<'C'
#include <math.h>
volatile double kept = 0.5;
void f(void) { for (int i = 0; i < 100; i++) kept = sin(kept); }
C
run -t 0.3 --with -lm sine.c:f
is "--with a library" "$status" 0

cat >flags.c <<'C'
#if !defined(ONE) || !defined(TWO)
#error "a flag is missing"
#endif
void f(void) { }
C
run -t 0.3 --cflags=-DONE --cflags=-DTWO flags.c:f
is "--cflags twice" "$status" 0

# The other functions and values of a function.
cat >parts.c <<'C'
#include <stddef.h>
const size_t f_bytes = 100;
static int set, ready;
void f_setup(void) { set = 1; }
void f_before(void) { ready = 1; }
void f(void)
{
	if (!set || !ready) __builtin_trap();
	ready = 0;
	for (int i = 0; i < 1000; i++) __asm__ volatile("");
}
static volatile char text[4096];
void sized(size_t n) { for (size_t i = 0; i < n; i++) text[i]++; }
C
run -t 0.5 --csv parts.c:f
is "_setup and _before are called" "$status" 0
ok "_bytes is read" has '.*parts.c:f,.*,100,.*'
run -t 0.5 --sizes 100,1000 --csv parts.c:sized
is "sizes" "$status $(grep -c '^.*sized,1000*,' out)" "0 2"

# Mistakes.
run chains.o:nonsense
is "no such function" "$status" 4
ok "no such function: it says so" says "chains.o:nonsense: .*nonsense.*"
run chains.o:variable
is "a variable" "$status" 4
run chains.o:hidden
is "a static function" "$status" 4
ok "a static function: it says so" says "chains.o:hidden: .*static.*"
run none.c:f
is "no such file" "$status" 4
mkdir folder.o
run folder.o:f
is "a folder" "$status" 4
"$measure" chains.o:name::more >out 2>err </dev/null
ok "a name of C++" says "chains.o:name::more: there is no function name::more in .*"
echo 'void f(void) { nonsense }' >wrong.c
run wrong.c:f
is "an error of the compiler" "$status" 9
ok "an error of the compiler: it is shown" grep -q nonsense err
run -t 0.3 chains.o:crash chains.o:four_hundred
is "a crash" "$status" 6
ok "a crash: the other one is measured" has "four_hundred .*"
run -t 0.3 --timeout 0.3 chains.o:hang
is "a function that hangs" "$status" 7
run --cflags=-O2 --with x.o ./none.so:f
is "--cflags for what is not linked" "$status" 2
run chains.o:more ./none.so:f
is "a mixture" "$status" 2

# Constructors belong to their file.
cat >dies.c <<'C'
#include <stdlib.h>
__attribute__((constructor)) static void die(void) { abort(); }
void f(void) { }
C
run -t 0.3 dies.c:f chains.o:four_hundred
is "a crash in a constructor" "$status" 6
ok "a crash in a constructor: it is told" says "dies.c:f: it crashed in a constructor of its file.*"
ok "a crash in a constructor: the other one is measured" has "chains.o:four_hundred .*"
cat >flushes.c <<'C'
#include <xmmintrin.h>
__attribute__((constructor)) static void flush(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }
void f(void) { if (!(_mm_getcsr() & 0x8040)) __builtin_trap(); }
C
cat >keeps.c <<'C'
#include <xmmintrin.h>
void f(void) { if (_mm_getcsr() & 0x8040) __builtin_trap(); }
C
if object flushes 2>compiler && object keeps 2>compiler; then
	run -t 0.3 flushes.o:f keeps.o:f
	is "what a constructor leaves in registers is for its own file" "$status" 0
else
	skip "what a constructor leaves in registers" "this processor has no MXCSR"
fi
ok "after all of this, nothing is left" nothing_left

# The samples, and signals.
echo 'void f(void) {}' >plain.c
run -n 400 --raw samples chains.o:more
is "samples are written" "$status $(($(grep -c more samples) >= 400))" "0 1"
"$measure" --cflags="$CFLAGS" -t 60 chains.o:more >out 2>err </dev/null &
process=$!
ok "it has a folder of its own" soon eval '[ -n "$(ls -A "$TMPDIR")" ]'
kill -TERM "$process"
wait "$process" || true
ok "when it is ended, nothing is left" nothing_left
for signal in ALRM USR1 USR2 XCPU VTALRM PROF; do
	if sh -c "kill -$signal \$\$" 2>/dev/null; then
		skip "SIG$signal" "it is ignored here"
		continue
	fi
	"$measure" --cflags="$CFLAGS" -t 60 --raw raw chains.o:more >out 2>err </dev/null &
	process=$!
	soon eval '[ -n "$(ls -A "$TMPDIR")" ]'
	kill -$signal "$process"
	status=0
	wait "$process" 2>/dev/null || status=$?
	is "SIG$signal ends it, and nothing is left" \
		"$(kill -l "$status") $(find "$TMPDIR" . -name '.raw*' -o -name 'cpucycles-*')" \
		"$signal "
done

# Whatever umask(2) takes from the owner, what is linked runs.
for mask in 0111 0177 0777; do
	status=0
	(umask $mask && run -n 10 plain.c:f && exit "$status") || status=$?
	is "umask $mask" "$status $(cat err)" "0 "
done
ok "after these, nothing is left" nothing_left

# A process may write no file as large as the samples, which are in memory; a linker's files are
# smaller.
status=0
(ulimit -f 200000 && run -n 100000000 plain.c:f && exit "$status") 2>/dev/null || status=$?
is "samples larger than a file may be" "$status" 9
ok "samples larger than a file may be: it says so" \
	says "memory: .* may write no file so large; raise the limit, which ulimit -f shows, or .*"

# Ctrl-C while the compiler runs, for an object and for the linker's command.
cat >interrupts <<END
#!/bin/sh
case " \$* " in
*" \$(cat '$scratch/when') "*)
	kill -INT \$PPID
	sleep 60
	;;
esac
exec $CC "\$@"
END
chmod +x interrupts
for when in -c '-###'; do
	echo "$when" >when
	if sh -c 'kill -INT $$' 2>/dev/null; then
		skip "Ctrl-C while cc $when runs" "SIGINT is ignored here"
		continue
	fi
	CC=$scratch/interrupts run ${has_json:+--json} plain.c:f
	is "Ctrl-C while cc $when runs" "$status" 130
	[ -z "$has_json" ] ||
		ok "Ctrl-C while cc $when runs: JSON says so" has ' *"interrupted": true,?'
done

# A gate of 10 %, which five percent more pass, and the layouts: what --layouts writes agrees with
# --json, and with where functions shall lie.
# figures NAME: the numbers of this name in JSON, one for each function that has it. Those of
# warnings are farther to the right.
figures() { sed -n "s/^ \{8,10\}\"$1\": \([-0-9.e]*\),*\$/\1/p" out | paste -s -d ' ' -; }
# means NAME: the centre of its units' logarithms: the median of the means of all pairs.
means() {
	awk -F '\t' -v name="chains.o:$1" '
		$3 == name { sum[$1] += log($5) / 4; lines[$1]++ }
		END {
			for (unit in sum)
				if (lines[unit] == 4)
					log_mean[n++] = sum[unit]
			for (i = 0; i < n; i++)
				for (j = 0; j <= i; j++)
					printf "%.12g\n", (log_mean[i] + log_mean[j]) / 2
		}' rows | sort -g | awk '
		{ pair[NR] = $1 }
		END { printf "%.6g", exp((pair[int((NR + 1) / 2)] + pair[int(NR / 2) + 1]) / 2) }'
}
if [ -n "$has_json" ]; then
	run --gate 10% -t 200 --json --layouts layouts chains.o:four_hundred chains.o:more
	is "a gate of 10 %, and layouts are written" "$status" 0
	ok "a gate of 10 %: it passes, in JSON" has ' *"gate": "passed",?'
	ok "slower by less than the gate" has '.* % slower than .*by less than 10 %.*'
	is "layouts: the columns" "$(grep -v '^#' layouts | head -n 1 | tr '\t' ' ')" \
		"unit process function place_bytes $(sed -n 's/^ *"unit": "\(.*\)",*$/\1/p' \
			out)_per_call longer_percent"
	grep '^[0-9]' layouts >rows
	is "layouts: a line for each process and function" "$(wc -l <rows | tr -d ' ')" \
		"$(figures processes | awk '{ print $1 + $2 }')"
	is "layouts: each whole unit has each step of 16 bytes for both functions" "$(awk -F '\t' '
		{ steps[$1 " " $3] += 10 ^ ($4 % 64 / 16); lines[$1 " " $3]++ }
		$1 != int($2 / 4) || $4 >= 4096 || $4 % 16 { print "wrong: " $0 }
		END {
			for (i in lines) {
				whole += lines[i] == 4
				if (lines[i] == 4 && steps[i] != 1111)
					print "wrong: " i, steps[i]
			}
			print (whole > 10 ? "all of them" : "too few: " whole)
		}' rows)" "all of them"
	is "layouts: the means of both functions agree with JSON" \
		"$(means four_hundred) $(means more)" \
		"$(figures interquartile_mean_units | awk '{ printf "%.6g %.6g", $1, $2 }')"
	is "layouts: the verdict agrees with JSON" \
		"$(sed -n 's/^# verdict\t[a-z-]* //p' layouts | awk '
			{ printf "%.4f %.4f %.4f %d %s", $1, $2, $3, $4, $5 }')" \
		"$(echo "$(figures ratio) $(figures ratio_low) $(figures ratio_high)" | awk '
		{ printf "%.4f %.4f %.4f", 100 * ($1 - 1), 100 * ($2 - 1), 100 * ($3 - 1) }'
		) $(figures units) chains.o:more"
	ok "layouts: five percent more take five percent longer, in the middle of all processes" \
		sh -c 'cut -f 6 rows | grep . | sort -g | awk "{ p[NR] = \$1 }
			END { exit !(NR > 20 && p[int(NR / 2)] > 3 && p[int(NR / 2)] < 7) }"'
	is "layouts: nothing is compared with the first one" \
		"$(grep -c 'four_hundred.*[0-9]	$' rows)" "$(figures processes | cut -d ' ' -f 1)"
else
	skip "layouts and JSON agree" "built without jansson"
fi
run -t 1 --layouts layouts --sizes 100,1000 parts.c:sized
is "layouts with sizes" "$status $(grep '^[0-9]' layouts | cut -f 3 | sort -u | paste -s -)" \
	"0 100	1000"
echo old >layouts
run --layouts layouts chains.o:nonsense
is "layouts: without a figure, the file is left as it is" "$status $(cat layouts)" "4 old"
run --layouts "$scratch/none/layouts" chains.o:more
is "layouts: a file that cannot be written" "$status $(cat out)" "3 "
ln -s layouts link
run --layouts link chains.o:more
is "layouts: a link is not replaced" "$status $(cat link)" "3 old"
run --layouts chains.o chains.o:more
is "layouts: the file that is measured is not replaced" "$status" 2
run --check --layouts layouts
ok "layouts: not with --check" says "--check: not together with .* or --layouts"

# Four processes share a program, in which each has copies of its own.
cat >counts <<END
#!/bin/sh
case " \$* " in *" -T "*) echo \$# >>'$scratch/links' ;; esac
exec '$(command -v "$($CC -print-prog-name=ld)")' "\$@"
END
cat >driver <<END
#!/bin/sh
case " \$* " in *" -print-prog-name=ld "*) exec echo '$scratch/counts' ;; esac
exec $CC "\$@"
END
chmod +x counts driver
# links ARGUMENT...: programs for each unit of processes. Two more are tried at first.
links() {
	: >links
	CC=$scratch/driver run -n 800 -t 200 --layouts layouts "$@"
	awk -v links="$(wc -l <links)" '/^[0-9]/ { units = $1 + 1 }
		END { printf "%.0f", links / units }' layouts
}
cat >large.c <<'C'
char table[1 << 20] = { 1 };
void f(void) { for (int i = 0; i < 50; i++) table[i]++; }
C
is "a program for four processes" "$(links chains.o:four_hundred chains.o:more)" 1
is "a program for each process that has a large file" "$(links large.c:f chains.o:more)" 4

# A process measures in eight layouts, or in four if the time is short, with fresh copies in each,
# unless that would take long or a file shows each process.
cat >several.c <<'C'
#include <signal.h>
#include <stdlib.h>
static volatile unsigned kept;
static void turn(unsigned n)
{
	while (n-- > 0)
		kept++;
}
void brief(void) { turn(100); }
static int set;
void fresh_setup(void)
{
	if (set++)
		abort();
}
void fresh(void) { turn(100); }
void slow(void) { turn(4000000); }
void set_up_setup(void) { turn(200000000); }
void set_up(void) { turn(100); }
void blocks(void)
{
	static int done;
	sigset_t one;

	turn(100);
	if (done++)
		return;
	sigemptyset(&one);
	sigaddset(&one, SIGUSR1);
	sigprocmask(SIG_BLOCK, &one, NULL);
}
C
object several
# Each call writes to another page, and for a thousand calls to one that is new to the copy.
cat >much.c <<'C'
static volatile unsigned kept;
static char table[4096 * 1000];
void f(void) { table[kept++ * 4096 % sizeof table]++; }
C
cat >allocates.c <<'C'
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
static volatile unsigned kept;
static char *table;
void f_setup(void)
{
	table = mmap(NULL, 4096 * 20000, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (table == MAP_FAILED)
		abort();
#ifdef MADV_NOHUGEPAGE
	madvise(table, 4096 * 20000, MADV_NOHUGEPAGE);
#endif
}
void f(void)
{
	for (unsigned end = kept + 100; kept < end; kept++)
		table[0]++;
	table[kept / 100 * 4096 % (4096 * 20000)]++;
}
C
# each NUMBER WHAT ARGUMENT...: each process measures in so many layouts.
each() {
	wanted=$1 what=$2
	shift 2
	run -v "$@"
	is "$what: layouts of a process" "$status $(awk '
		$1 == "processes" { processes = $2 }
		$1 == "layouts" { print $2 / processes; exit }' out)" "0 $wanted"
}
each 4 "a brief function" -t 1 several.o:brief
each 4 "two of them" -t 2 several.o:brief several.o:fresh
each 8 "two of them, in a long time" -t 20 --within 50% several.o:brief several.o:fresh
each 1 "a slow function" -t 1 several.o:slow
each 1 "a slow setup" -t 2 several.o:set_up
each 1 "much data" -t 1 much.c:f
each 1 "much memory" -t 1 allocates.c:f
each 1 "-n" -t 5 -n 100 several.o:brief
# not_linked FUNCTION: the copies of the second unit that are not linked.
not_linked() {
	: >links
	CC=$scratch/driver run -t 4 "several.o:$1"
	awk '{ words = $1 } NR == 3 { first = $1 } END { print first - words }' links
}
is "all copies of a brief function are linked" "$(not_linked brief)" 0
is "from the second unit on, four copies of a slow function" "$(not_linked slow)" 12
run -t 1 several.o:blocks
ok "a signal that each copy blocks once is seen in most layouts" \
	has "warning: blocks: it returned with signal [0-9]+ blocked; .*"
each 1 "--raw" -t 0.5 --raw raw several.o:brief
each 1 "--layouts" -t 0.5 --layouts layouts several.o:brief

# Folders for temporary files.
run_in() { TMPDIR=$1 XDG_RUNTIME_DIR=$2 && export XDG_RUNTIME_DIR && run -t 0.1 chains.o:more; }
(run_in "$scratch/none" "$scratch/none"; echo "$status" >code)
is "no such folder" "$(cat code)" 9
ok "no such folder: it is named" says ".*$scratch/none.*"
