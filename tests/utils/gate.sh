#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# cpucycles-measure --gate of a library of 12 functions: what it prints, and for forges. The words
# of each answer are tested by test-gate.c.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/harness/lines.sh"
. "$top_srcdir/tests/utils/linking.sh"

# library FOLDER EXTRA: FOLDER/code.o, whose function a has EXTRA turns besides 1000.
library() {
	mkdir -p "$1"
	{
		echo '#define TURNS(n) for (int i = 0; i < (n); i++) __asm__ volatile("")'
		echo "void a(void) { TURNS(1000 + $2); }"
		for function in b c d e f g h; do
			echo "int ${function}_kept;"
			echo "void $function(void) { TURNS(1000); ${function}_kept++; }"
		done
		for function in i j k l; do
			echo "int $function(const int *p) { return *p + ${function}_kept; }"
		done | sed 's/\([i-l]\)_kept/b_kept/'
	} >"$1/code.c"
	object "$1/code" -g
}
mkdir first
echo 'void f(void) { }' >first/f.c
need_compiler first/f
# What has not changed is measured, too, so that there are functions that pass.
always=--measure-unchanged
library old 0
library "new, 100% " 300

lines() { wc -l <out | tr -d ' '; }
cd "new, 100% " || exit 99
capture "$measure" $always --cflags="$CFLAGS" --gate 5% -t 120 --annotations=github \
	../old/code.o code.o
cd ..
cat out err >log
is "one of 12 functions is slower: the status" "$status" 11
ok "10 lines at most" test "$(lines)" -le 10
ok "its row is the first one" eval '[ "$(sed -n "2s/ .*//p" out)" = a ]'
ok "its row" has "a .* \+[0-9.]+ % \(\+[0-9.]+ to \+[0-9.]+\) +alarm"
ok "no line is longer than a terminal" test "$(wc -L <out)" -le 80
ok "no warning" eval '! grep -q -i warning out'
ok "the answer is the last line" eval '[ "$(tail -n 1 out)" = "Gate of 5 %: alarm." ]'
if [ -x "$top_builddir/utils/measure-prototype" ]; then
	ok "what wants parameters is in one line" has \
		"Not measured, because they want parameters: 4 \(i, j, k, l\)"
	ok "GitHub: the line of the function" \
		grep -q '^::error file=code.c,line=2,title=a::alarm: +.* The gate is 5 %25.$' err
else
	ok "what wants parameters is in one line" has \
		"Left out, because they fail in both files: 4 \(i, j, k, l\)"
	skip "GitHub: the line of the function" "this build does not read debug information"
fi
run --gate 5% -t 20 --only '[ab]' --annotations=github old/code.o "new, 100% /code.o"
ok "GitHub: a path with a comma, a percent sign and a blank" \
	grep -q '^::error file=new%2C 100%25 /code\.[co],line=[12],title=a::alarm: ' err

# The sides in the opposite order: what is faster passes.
run --gate 5% -t 40 --only '[a-f]' "new, 100% /code.o" old/code.o
is "what is faster passes" "$status" 0
ok "what has changed has a row" has "a .* -[0-9.]+ % \(.*\) +passed"
ok "what has not is in one line" has "Passed, too: 5 \(b, c, d, e, f\)"

always=
run --gate 5% -t 20 "new, 100% /code.o" old/code.o
is "only what has changed is measured" "$status" 0
ok "what has not changed is in one line" has "Unchanged: 11 \(b, c, d, e, f, g, h, i, j, k, l\)"
ok "its answer" has "Gate of 5 %: passed\."

run --gate 5% -t 20 --only '[ab]' --markdown old/code.o "new, 100% /code.o"
ok "Markdown" has "\| a \|.*\| alarm \|"
ok "Markdown: the answer is a line of a list" has "- Gate of 5 %: alarm\."

if [ -n "$has_json" ]; then
	run --gate 5% -t 20 --only '[ab]' --annotations=gitlab old/code.o "new, 100% /code.o"
	is "GitLab: the status" "$status" 11
	ok "GitLab: the fingerprint has no figures" \
		has ' *"fingerprint": "slower new, 100% /code\.[co] a",'
	ok "GitLab: the table is on standard error" \
		grep -q -E '^a .*  alarm$' err
	cp out first.json
	run --gate 5% -t 20 --only '[ab]' --annotations=gitlab --seed 2 old/code.o \
		"new, 100% /code.o"
	is "GitLab: the fingerprint is stable" \
		"$(grep '"fingerprint"' out)" "$(grep '"fingerprint"' first.json)"
	for other in --json --csv --markdown -v; do
		run --gate 5% --annotations=gitlab "$other" old/code.o old/code.o
		is "GitLab and $other: a usage error" "$status" 2
	done
else
	skip "GitLab" "built without jansson"
fi
run --annotations=github old/code.o old/code.o
is "annotations without a gate: a usage error" "$status" 2
ok "it says why" says "--annotations: is about a gate: expected --gate"
run --gate 5% --annotations=forge old/code.o old/code.o
is "another forge: a usage error" "$status" 2
ok "it says which there are" says "--annotations forge: expected github or gitlab"

# A function whose time depends on its place cannot be told in its part of the time. It goes on in
# the time that the other one leaves. Each has 10 s of 20.
cat >placed.c <<'C'
#include <stdint.h>
static volatile unsigned kept;
__attribute__((aligned(64))) void placed(void)
{
	unsigned turns = 200 + ((uint32_t)((uintptr_t)placed / 64) * 2654435761u >> 16) % 120;

	while (turns-- > 0)
		kept++;
}
void quick(void) { for (unsigned i = 0; i < 200; i++) kept++; }
C
object placed
cp placed.o again.o
run -v --measure-unchanged --gate 2% -t 20 placed.o again.o
ok "a function goes on in the time that others leave" \
	eval 'seconds=$(sed -n "s/^again.o:placed .* layouts, \([0-9]*\) s\..*/\1/p" out) &&
		[ "${seconds:-0}" -ge 11 ]'

# Ctrl-C in the middle: the table of what there was.
if sh -c 'kill -INT $$' 2>/dev/null; then
	skip "Ctrl-C" "SIGINT is ignored here"
else
	capture timeout -k 60 -s INT 4 "$measure" --measure-unchanged --cflags="$CFLAGS" \
		--gate 0.1% -t 600 --only '[a-h]' old/code.o "new, 100% /code.o"
	cat out err >log
	ok "interrupted: it says so" has "Interrupted: this is what there was\."
	ok "interrupted: what was not measured is in one line" \
		has "Not measured before the run ended: [0-9]+ \(.*\)"
	ok "interrupted: the answer" has "Gate of 0.1 %: (alarm|cannot tell)\."
fi
ok "after all of this, nothing is left" nothing_left
