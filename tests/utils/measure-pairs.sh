#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# cpucycles-measure with two archives or objects: each function that both have is compared.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/harness/lines.sh"
. "$top_srcdir/tests/utils/linking.sh"
# Most functions here are the same in both files.
always=--measure-unchanged

# revision NAME EXTRA: NAME.a, whose function `grows` has EXTRA multiplications besides 400.
revision() {
	mkdir "$1"
	cat >"$1/chains.c" <<-C
		static volatile unsigned long kept = 3;
		#define FACTOR (0x5851f42d4c957f2d & (unsigned long)-1)
		#define STEP x *= FACTOR; __asm__ volatile("" : "+r"(x));
		#define TEN STEP STEP STEP STEP STEP STEP STEP STEP STEP STEP
		#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
		#define CHAIN HUNDRED HUNDRED HUNDRED HUNDRED
		void grows(void) { unsigned long x = kept; CHAIN $2 kept = x; }
		void stays(void) { unsigned long x = kept; CHAIN HUNDRED kept = x; }
		void alone_in_$1(void) { kept = kept + 1; }
	C
	cat >"$1/others.c" <<-C
		#include <stdlib.h>
		static int *sets;
		static int set;
		void uses_setup(void) { sets = &set; }
		void uses(void) { for (int i = 0; i < 1000; i++) *(volatile int *)sets = i; }
		void lone_setup(void) { for (int i = 0; i < 1000; i++) *(volatile int *)&set = i; }
		int takes(const int *p) { return *p; }
		int variable = 1;
		static void hidden(void) { variable++; }
		void (*kept_hidden)(void) = hidden;
		int main(void) { abort(); }
	C
	echo 'int untold(const int *p) { return *p; }' >"$1/untold.c"
	object "$1/chains"
	object "$1/others" -g
	object "$1/untold" -g0
	ar rcs "$1.a" "$1/chains.o" "$1/others.o" "$1/untold.o"
}
mkdir chains
echo 'void f(void) { }' >chains/empty.c
need_compiler chains/empty
revision old ""
revision new "TEN TEN"

# One function is slower by five percent, and its namesakes of the other file are not.
run --gate 1% -t 600 old.a new.a
is "one of three functions is slower: the status" "$status" 11
ok "the slower one" has "grows .* \+[45]\.[0-9]+ % \(.*\) +alarm"
ok "it comes first" eval '[ "$(sed -n "2s/ .*//p" out)" = grows ]'
ok "one that stays" has "stays .*  passed"
ok "one that has a setup" has "uses .*"
ok "one that is called as if it were a setup, but for no other" has "lone_setup .*"
ok "the answer is the last line" eval '[ "$(tail -n 1 out)" = "Gate of 1 %: alarm." ]'
parameters="Not measured, because they want parameters"
left_out="Left out, because they fail in both files"
# A sanitizer makes an exit of a crash.
if [ -x "$top_builddir/utils/measure-prototype" ]; then
	ok "one that has parameters" has "$parameters: 1 \(takes\)"
	ok "one that may have parameters crashes in both, and is left out" \
		has "$left_out: 1 \(untold\)"
	ok "no line is about it" eval '! grep -q takes err'
else
	ok "those that may have parameters crash in both, and are left out" \
		has "$left_out: 2 \(takes, untold\)"
	skip "a function that has parameters" "this build does not ask for them"
fi
ok "what one file has alone is told" says \
	"new.a alone has alone_in_new, which is not compared"
ok "nothing else is called" eval '! grep -q -e main -e hidden -e variable -e uses_setup out'

# The same in JSON, with patterns.
if [ -n "$has_json" ]; then
	run --gate 1% -t 600 --only 'gr*' --only nothing --json new.a old.a
	is "what is faster passes" "$status" 0
	is "--only: the functions" \
		"$(grep -c '"function": "grows"' out) $(grep -c '"function":' out)" "2 2"
	ok "JSON has the gate of all" has ' *"gate": "passed",?'
else
	skip "a gate of all functions, in JSON" "built without jansson"
fi
run -t 0.5 --only grows --csv old.a new.a
is "without a gate, in the form of a table" "$status $(grep -c grows out)" "0 2"
run -t 0.5 --only grows -v old/chains.o new/chains.o
is "two object files" "$status" 0
ok "two object files: the summary" has "Functions in both files: 1\. .*"

# Source texts, with flags of each side.
run -t 0.5 --csv --only grows old/chains.c new/chains.c
is "two source texts" "$status $(sed -n 's/,.*//p' out | tr '\n' ' ')" \
	"0 function old/chains.c:grows new/chains.c:grows "
cat >flags.c <<'C'
#ifndef TURNS
#define TURNS 1000
#endif
void f(void) { for (int i = 0; i < TURNS; i++) __asm__ volatile(""); }
C
run --gate 5% -t 20 --cflags2=-DTURNS=2000 flags.c flags.c
is "one source text with other flags: the status" "$status" 11
ok "one source text with other flags: its row" has "f .* \+[0-9.]+ % .* alarm"
run -t 60 --within 20% --cflags1=-DTURNS=2000 --cflags2="-DTURNS=1000 -g" flags.c:f flags.c:f
ok "one function with other flags" has \
	"f \(-DTURNS=1000 -g\) is [0-9.]+ times as fast as f \(-DTURNS=2000\) .*"
cat >flags.cc <<'C'
#include <string>
extern "C" void f() { std::string s(TURNS, 'x'); for (char c : s) __asm__ volatile("" : : "r"(c)); }
C
if ${CXX:-g++} $CFLAGS -DTURNS=1 -c flags.cc -o flags.o 2>compiler; then
	run -t 0.5 --csv --cflags1=-DTURNS=1000 --cflags2=-DTURNS=2000 flags.cc flags.cc
	is "C++: one source text with other flags" "$status $(grep -c ',[0-9]' out)" "0 2"
else
	skip "C++: one source text with other flags" "no compiler for C++"
fi

# A function that one file breaks, or that is asked for by its name, is a failure.
run --gate 1% --only untold old.a new.a
is "a crash in both, asked for: the status" "$status" 6
ok "a crash in both, asked for: its row" has \
	"untold .*  failed: .*it (crashed|ended the process).*"
ok "a crash in both, asked for: the answer" has "Gate of 1 %: cannot tell\."
mkdir broken
cat >broken/chains.c <<'C'
void grows(void) { __builtin_trap(); }
C
object broken/chains
run --gate 1% -t 60 -v old/chains.o broken/chains.o
is "a crash in one file: the status" "$status" 6
ok "a crash in one file: the other function is not measured on" has "processes  *1"
ok "a crash in one file: its name" has ".*Failed: 1 \(grows\)\."

# A function that cannot be linked does not keep the others from being measured.
cat >old/more.c <<'C'
void nobody_has_this(void);
void lacks(void) { nobody_has_this(); }
C
object old/more
ar rcs lacking.a old/more.o old/chains.o
run -t 60 --gate 5% --only lacks --only grows lacking.a lacking.a
is "a name that nobody has: the status" "$status" 9
ok "a name that nobody has: the function's row" \
	has "lacks .*  failed( in the old file)?: .*nobody_has_this.*"
ok "a name that nobody has: the others are measured" has "grows  *[0-9].*"
echo 'void lacks(void) { }' >old/more.c
object old/more
ar rcs whole.a old/more.o
run -t 60 --gate 5% lacking.a whole.a
is "a name that nobody has is no reason to leave a function out" "$status" 9
ok "the table says which file" \
	has "lacks .*  failed in the old file: .*nobody_has_this.*"
is "the reason is told once" "$(grep -c nobody_has_this err)" 1

# Nothing that is compared is no success.
echo 'int takes(const int *p) { return *p; }' >old/more.c
object old/more
run --gate 1% old/more.o old/more.o
is "all functions are left out: the status" "$status" 9
ok "all functions are left out: it is told" says "no function of both files works .*"

# A function whose forked child comes back from it: the child does not measure, too.
cat >old/more.c <<'C'
#include <fcntl.h>
#include <unistd.h>
void a_fork(void)
{
	static pid_t first;
	static int calls;
	if (!first) {
		first = getpid();
		fork();
	}
	if (getpid() != first && ++calls == 100)
		close(open("went_on", O_CREAT | O_WRONLY, 0600));
}
void b_other(void) { for (int i = 0; i < 1000; i++) __asm__ volatile(""); }
C
object old/more
run -t 60 --gate 5% old/more.o old/more.o
ok "a child that comes back: the others are measured" has "b_other  *[0-9].*"
if [ "$(uname -s)" = Linux ]; then
	ok "a child that comes back: the function is measured" has "a_fork  *[0-9].*"
	ok "a child that comes back does not go on" test ! -e went_on
else
	skip "a child that comes back does not go on" "this system copies all memory to a child"
fi

# All functions share the time.
if [ -n "$has_json" ]; then
	run --gate 1% -t 1 --json old.a new.a
	is "too little time: the status" "$status" 12
	ok "too little time: in JSON" has ' *"gate": "cannot tell",?'
	ok "too little time: JSON has that of all" has ' *"budget_seconds": 1(\.0)?,'
	ok "all functions share alpha" has ' *"alpha": 0.00083[0-9]*,?'
	ok "too little time: the advice is on one function" has \
		".*which takes about [0-9]+ s \(for this function; -t is for all\)\..*"
else
	skip "all functions share the time, in JSON" "built without jansson"
fi

# Each function has 5 s at least, so this takes longer than the rest of the short tier may.
if [ -z "${TESTS_SHORT-}" ]; then
	cat >old/more.c <<-'C'
		void first(void) { for (int i = 0; i < 1000; i++) __asm__ volatile(""); }
		void second(void) { for (int i = 0; i < 999; i++) __asm__ volatile(""); }
	C
	object old/more
	run -t 11 old/more.o old/more.o
	ok "the last function has its part of the time, too" has "second  *[0-9].*"
fi

# C++: functions in scopes, static members and instances, by the names that people write.
cat >old/names.cc <<'C'
#define WAIT(N) for (int i = 0; i < N; i++) __asm__ volatile("")
static volatile int ready;
extern "C" { void go_setup() { ready = 1; } void of_c() { WAIT(1000); if (ready > 9) throw 1; } }
void go() { if (!ready) __builtin_trap(); WAIT(1000); }
int with(int *p) { return *p; }
namespace ns {
void f() { WAIT(TURNS); }
void f(int n) { WAIT(n); }
template <int N, class T> void made() { WAIT(N); }
template void made<1000, int>();
struct S {
	S(); ~S(); void member(); static void of_class(); int operator()(); int get() const;
	int of;
};
S::S() : of(1) { }
S::~S() { of = 0; }
void S::member() { of++; }
void S::of_class() { WAIT(1000); }
int S::operator()() { return of; }
int S::get() const { return of; }
}
C
# cxx NAME FLAGS...: NAME.o from names.cc.
cxx() {
	name=$1
	shift
	# shellcheck disable=SC2086 # flags
	${CXX:-g++} $CFLAGS -O1 "$@" -c old/names.cc -o "$name.o" 2>compiler
}
if cxx plain1 -g0 -DTURNS=1000 && cxx plain2 -g0 -DTURNS=3000 && cxx debug1 -g -DTURNS=1000 &&
	cxx debug2 -g -DTURNS=3000; then
	unsure="Not measured, because without -g they may be members of a class"
	# passes NAME...: these have a row.
	has_rows() {
		for function; do
			grep -q -F "$function  " out || { sed 's/^/# out: /' out; return 1; }
		done
	}
	if [ -x "$top_builddir/utils/measure-prototype" ]; then
		run --gate 50% -t 200 debug1.o debug2.o
		is "C++: the status" "$status" 11
		ok "C++: a function in a namespace" has "ns::f\(\)  .* alarm"
		ok "C++: a setup without a scope, a static member, an instance" \
			has_rows "go()" "ns::S::of_class()" "ns::made<1000, int>()" of_c
		ok "C++: functions with parameters, and members" has \
			"$parameters: 4 \(with\(int\*\), ns::S::member\(\), ns::f\(int\), .*"
		is "C++: nothing else is said" "$(grep -c '' out) $(wc -l <err)" "9 0"
		run -t 60 --gate 50% --only 'ns::*' debug1.o debug2.o
		is "C++: --only with a scope: the status" "$status" 11
		ok "C++: --only with a scope" eval 'has "ns::f\(\)  .* alarm" && ! grep -q go out'
	else
		skip "C++ with debug information" "this build does not ask for it"
	fi
	run --gate 50% -t 60 plain1.o plain2.o
	ok "C++ without -g: what may be a member is not called" has \
		"$unsure: 4 \(ns::S::member\(\), ns::S::of_class\(\), ns::f\(\), .*"
	ok "C++ without -g: names tell parameters" has \
		"$parameters: 3 \(with\(int\*\), ns::f\(int\), ns::S::get\(\) const\)"
	ok "C++ without -g: what is in no scope" has_rows "go()" of_c
	run --gate 50% -t 60 --only ns::f plain1.o plain2.o
	is "C++ without -g: a function that is asked for" "$status" 11
	ok "C++ without -g: one that has its name and parameters" \
		has "$parameters: 1 \(ns::f\(int\)\)"
	run --gate 50% -t 60 --only '_ZN2ns1fE*' --csv plain1.o plain2.o
	is "C++: --only with a mangled name" "$(grep -c '^plain[12].o:ns::f()' out)" 2
	run -v --only '_ZN2ns1fEi' plain1.o plain2.o
	is "C++: one that has parameters, asked for: the status" "$status" 4
	ok "C++: one that has parameters, asked for: it is told" says \
		"plain1.o:ns::f\(int\): it cannot be called as .*: it is ns::f\(int\); .*"
	ar rcs plain1.a plain1.o old/chains.o && ar rcs plain2.a old/chains.o plain2.o
	always= run --gate 50% -t 60 plain1.a plain2.a
	ok "C++: what is unchanged in an archive" has \
		"Unchanged: [0-9]* \(go\(\), with\(int\*\), ns::S::member\(\), .*"
	ok "C++: what is not" has "$unsure: 1 \(ns::f\(\)\)"
	is "C++: a gate cannot tell of what may be a member" "$status" 12
	# The code is the same, and its setup is not.
	sed 's/ready = 1/ready = 2/' old/names.cc >other.cc && mv other.cc old/names.cc
	cxx plain2 -g0 -DTURNS=1000
	always= run --gate 50% -t 60 plain1.o plain2.o
	ok "C++: a setup that has changed" has "go\(\)  .* passed"
else
	skip "C++: functions of two files" "no compiler for C++"
fi

# An archive of Rust has thousands of functions of its library. Modules of Fortran have scopes, too.
cat >old/names.rs <<'END'
#[no_mangle]
pub extern "C" fn own() { for i in 0..1000 { std::hint::black_box(i); } }
END
if rustc -O --crate-type=staticlib old/names.rs -o rust.a 2>compiler; then
	run -t 0.5 --only own --csv rust.a rust.a
	is "Rust: the own function can be chosen" "$status $(grep -c :own out)" "0 2"
	run -t 0.001 --csv rust.a rust.a
	is "Rust: none with a name of Rust is called" \
		"$(grep -c :own out) $(grep -c ':_[RZ]' out)" "2 0"
else
	skip "Rust" "no compiler for Rust"
fi
cat >old/fortran.f90 <<'END'
module m
contains
subroutine f(n)
integer :: n
n = n + 1
end subroutine
end module
subroutine own()
end subroutine
END
if gfortran -O1 -J old -c old/fortran.f90 -o old/fortran.o 2>compiler; then
	run -t 0.5 --csv old/fortran.o old/fortran.o
	is "Fortran: functions of no module" "$(grep -c :own_ out) $(grep -c MOD out)" "2 0"
else
	skip "Fortran" "no compiler for Fortran"
fi

# Of the versions of a name, a program gets the default.
cat >old/versions.c <<'C'
#include <stdlib.h>
static int set;
void new_work_setup(void) { set = 1; }
void new_work(void) { if (!set) abort(); for (int i = 0; i < 1000; i++) __asm__ volatile(""); }
void old_work(void) { }
__asm__(".symver new_work_setup,work_setup@@V_2");
__asm__(".symver new_work,work@@V_2");
__asm__(".symver old_work,work@V_1");
C
object old/versions
ar rcs versions.a old/versions.o
run --gate 5% -t 60 --only work versions.a versions.a
is "a function with versions: the status" "$status" 0
ok "a function with versions: its row" has "work  *[0-9].*"
run -t 0.1 --csv versions.a versions.a
is "the list has names without versions, each once" \
	"$(grep -o ':[a-z_@]*,' out | sort -u | tr '\n' ' ')" ":new_work, :old_work, :work, "

# The jobs of doc/examples, in a repository whose last commit makes a function slower.
jobs=$top_srcdir/doc/examples/gate
# job_commands FILE: the commands that build and compare, as a script.
job_commands() {
	case $1 in
	github.yml) sed -n '/^        run: |/,/^      - /s/^          //p' "$jobs/$1" ;;
	gitlab.yml) sed -n -e '/^  script:/,/^  [a-z#]/{/^    - .*gitlab$/N' -e 's/\n  */ /' \
		-e 's/^    - //p;}' "$jobs/$1" ;;
	esac
}
# The tool by its name, with the flags of the harness.
mkdir bin repository
cat >bin/cpucycles-measure <<END
#!/bin/sh
exec "$measure" --cflags="$CFLAGS" "\$@"
END
chmod +x bin/cpucycles-measure
commit() {
	(
		cd repository || exit
		# Whether a function of a few cycles has changed takes minutes to tell.
		sed -e /alone_in/d -e /stays/d "../$1/chains.c" >chains.c
		printf 'libcode.a: chains.o\n\tar rcs $@ chains.o\n' >Makefile
		git add chains.c Makefile
		git -c user.name=n -c user.email=e commit -q -m "$1"
		git rev-parse HEAD
	)
}
run_job() {
	rm -rf base
	status=0
	(
		cd repository
		git worktree prune
		PATH=$scratch/bin:$PATH BASE=$2 CI_MERGE_REQUEST_DIFF_BASE_SHA=$2
		GITHUB_STEP_SUMMARY=$scratch/summary
		export PATH BASE CI_MERGE_REQUEST_DIFF_BASE_SHA GITHUB_STEP_SUMMARY
		unset MAKEFLAGS MFLAGS MAKELEVEL
		job_commands "$1" | sh -e
	) >out 2>err </dev/null || status=$?
	cat out err >log
}
if git init -q repository 2>/dev/null; then
	before=$(commit old)
	after=$(commit new)
	run_job github.yml "$before"
	is "github.yml: a function has become slower" "$status" 1
	ok "github.yml: the summary is in Markdown" grep -q '^| grows ' summary
	ok "github.yml: the annotation" \
		grep -q -E '^::error file=(chains.c|libcode.a),line=[0-9]+,title=grows::alarm: ' err
	run_job gitlab.yml "$after"
	if [ -n "$has_json" ]; then
		is "gitlab.yml: nothing has changed" "$status" 0
		is "gitlab.yml: the report" "$(cat repository/quality.json)" "[]"
		ok "gitlab.yml: the log has the answer" grep -q -x 'Gate of 1 %: passed.' err
	else
		is "gitlab.yml: built without jansson" "$status" 2
	fi
else
	skip "the jobs of doc/examples" "no git"
fi

# Mistakes.
for bad in "--only x old.a:grows" "--raw samples old.a new.a" "--sizes 1,2 old.a new.a" \
	"old.a" "old.a new.a new.a" "old.a new.a:grows"; do
	# shellcheck disable=SC2086 # options
	run $bad
	is "$bad: a usage error" "$status" 2
done
run old.a missing.a
is "a file that is not there" "$status" 4
run --only 'nothing*' old.a new.a
is "a pattern that fits no function" "$status" 4
ok "a pattern that fits no function: it is told" says "--only nothing\*: no function .*"
head -c "$(($(wc -c <old.a) - 100))" old.a >cut.a
run old.a cut.a
is "a file that is cut off" "$status" 9
ok "a file that is cut off: it is told" says "cut.a: it is damaged: it ends too early; .*"
ar rcsT thin.a old/chains.o
for bad in "old/chains.c old/chains.c" "--cflags1=-g --cflags2=-g old/chains.c old/chains.c" \
	"--cflags1=-O2 old.a new.a" "--cflags2=-O2 old/chains.c old.a" "--cflags1=-O2 old.a:grows" \
	"--cflags2=-O2 old/chains.c:grows old/chains.c:grows old/chains.c:stays"; do
	# shellcheck disable=SC2086 # options
	run $bad
	is "$bad: a usage error" "$status $(wc -l <err)" "2 1"
done
run old/chains.c old/chains.c
ok "one source text: it is told" says "old/chains.c: is compared with itself: expected .*"
run --cflags2=-S old/chains.c old/chains.c
is "flags that make no object" "$status" 9
ok "flags that make no object: it is told" \
	says "old/chains.c: with -S, the compiler makes no program; leave it out of --cflags1 .*"
run old/missing.c old/chains.c
is "a source text that is not there" "$status" 4
run thin.a old.a
is "a thin archive" "$status" 9
ok "a thin archive: it is told" says "thin.a: it is a thin archive, .*"
ok "after all of this, nothing is left" nothing_left
