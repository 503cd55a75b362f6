#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# ./runtests with made suites: sums, a second try of what fails, what is skipped, and how far it is.
# dev/suites.sh is a made one here. Its suites print what Automake's driver would print.

. "$top_srcdir/tests/harness/tap.sh"

for tool in awk readlink seq setsid timeout; do
	command -v $tool >/dev/null || skip_all "$tool is not there"
done

# A folder in which ./runtests finds nothing to install and nothing to bootstrap.
project=$scratch/project
mkdir -p "$project/dev" "$project/m4" "$project/tests/made"
cp "$top_srcdir/runtests" "$project"
cp "$top_srcdir/dev/common.sh" "$top_srcdir/dev/results.sh" "$project/dev"
(
	cd "$project" && : >bootstrap && : >configure.ac && : >m4/cpucycles.m4 && : >Makefile.am &&
		: >configure && : >Makefile.in
) || exit 99
sed -i.bak 's/^TELL_SECONDS=30 /TELL_SECONDS=1 /' "$project/runtests"
is "a line on how far it is comes more often here" \
	"$(grep -c '^TELL_SECONDS=1 ' "$project/runtests")" 1
cat >"$project/dev/suites.sh" <<'END'
BUILD_PACKAGES=
EVERY_SUITE="one two"
CI_SUITES="one two"
PEOPLES_SUITES="one two"
RACE_SUITES=race
packages_for() {
	case $1 in
	one | two | race | broken | endless | near) ;;
	lacking) echo there-is-no-such-package ;;
	*) return 1 ;;
	esac
}
want_packages() { :; } # a test installs nothing
folder_of() { echo "$1"; }
shorten() { echo short >>ran; }
sums() {
	printf '# %s: %s\n' PASS "$1" SKIP "$2" XFAIL 0 FAIL "$3" XPASS 0 ERROR 0
}
# made SUITE: its output, from the file of this name.
run_suite_in_log() {
	echo "$1" >>ran
	mkdir -p "_build/$1/build/tests/made"
	[ "$1" != endless ] || limited sh -c "cd _build/endless/build && setsid sh -c '
		echo \$\$ >pid; exec sleep 600' & wait"
	cp "$1".log "_build/$1/build/tests/made/fails.log" 2>/dev/null
	sleep "${MADE_SECONDS-0}"
	cat "$1.points"
	sums "$(grep -c ^PASS "$1.points")" "$(grep -c ^SKIP "$1.points")" \
		"$(grep -c ^FAIL "$1.points")"
	! grep -q ^FAIL "$1.points" && [ "$1" != broken ]
}
run_alone() {
	echo "alone $1 $2" >>ran
	[ ! -e is-skipped ] || echo "SKIP: $2 1 - first # SKIP now"
	[ ! -e fails-again ]
}
END

# points SUITE: its points from standard input.
points() { cat >"$project/$1.points"; }
# run ARGUMENT...: ./runtests there, its output in $scratch/out.
run() {
	rm -f "$project/ran"
	status=0
	(cd "$project" && timeout 600 ./runtests "$@") >"$scratch/out" 2>&1 </dev/null || status=$?
}
last() { tail -n 1 "$scratch/out"; }
said() { grep -q -e "$1" "$scratch/out" || { sed 's/^/# /' "$scratch/out"; return 1; }; }
ran() { tr '\n' ' ' <"$project/ran"; }

points one <<'END'
PASS: tests/made/a.sh 1 - a
PASS: tests/made/a.sh 2 - b
END
points two <<'END'
PASS: tests/made/b.sh 1 - c
SKIP: tests/made/b.sh 2 - d # SKIP only this point
SKIP: tests/made/whole.sh - no such tool
SKIP: tests/made/points.sh 1 - e # SKIP the first reason
SKIP: tests/made/points.sh 2 - f # SKIP another reason
END
run ci
is "both suites run, shortened, and nothing again" \
	"$(sort "$project/ran" | paste -s -d ' ' -)" "one short two"
is "the sum" "$status $(last)" "0 3 passed, 0 failed, 4 skipped"
is "what was skipped whole, each with its reason, and nothing else" \
	"$(sed -n '/skipped whole/,/^runtests: [0-9]/s/^    \([^ ]*\)  *\(.*\)/\1: \2/p' \
		"$scratch/out")" \
	"tests/made/points.sh: the first reason
tests/made/whole.sh: no such tool"
ok "time and processor time" said '^runtests: [0-9]* s; processor time: [0-9]* s$'
run one lacking
ok "a suite without its packages is among them" said '^    lacking  *not installed, and cannot be'
is "and counts" "$(last)" "2 passed, 0 failed, 1 skipped"
for words in nonsense "one one" "ci one"; do
	# shellcheck disable=SC2086 # words
	run $words
	is "refused, with the word: $words" "$status $(head -n 1 "$scratch/out")" \
		"2 runtests: ${words% one}: expected near, ci or all alone, or suites, each once"
done
run ''
is "an empty argument is refused" $status 2

# The tests of a change, where nobody knows what has changed.
echo 'echo "near.sh: no clone" >&2; exit 1' >"$project/dev/near.sh"
cp "$project/one.points" "$project/near.points"
run near
is "near: a change that is not known ends the run" "$status $(last)" \
	"1 0 passed, 1 failed"
ok "near: the reason" said '^near.sh: no clone$'
ok "near: before anything is built or run" test ! -e "$project/ran"

# One test that fails: bad luck, and a fault.
: >"$project/tests/made/fails.sh"
points one <<'END'
PASS: tests/made/a.sh 1 - a
FAIL: tests/made/fails.sh 1 - first
FAIL: tests/made/fails.sh 2 - second
END
printf 'not ok 1 - first\n# got this\nok 2 - x\n' >"$project/one.log"
run one
is "a test that passes alone does not fail the run" "$status $(last)" \
	"0 3 passed, 0 failed, 1 flaky"
is "it ran alone, once" "$(ran)" "one alone one tests/made/fails.sh "
ok "its name is in the last lines" said '^runtests: flaky: tests/made/fails.sh of one'
ok "and in the file" grep -q '^flaky: tests/made/fails.sh of one' "$project/_build/flaky"
ok "with what it said" grep -qx '# got this' "$project/_build/flaky"
RUNTESTS_RERUN=no run one
is "RUNTESTS_RERUN=no: it does not run again" "$(ran)/$status/$(last)" \
	"one /1/1 passed, 2 failed"
ok "and no file is left of the run before" test ! -e "$project/_build/flaky"
: >"$project/fails-again"
run one
is "a fault fails twice" "$status $(last)" "1 1 passed, 2 failed"
is "after a second try" "$(ran)" "one alone one tests/made/fails.sh "
rm "$project/fails-again"
: >"$project/is-skipped"
run one
is "what is skipped in its second try has not passed" "$status $(last)" "1 1 passed, 2 failed"
rm "$project/is-skipped"

# Where a second try excuses nothing.
cp "$project/one.points" "$project/race.points"
run race
is "in a suite that looks for races" "$(ran)/$status" "race /1"
echo '"$top_builddir/tests/lib/race" threads' >"$project/tests/made/fails.sh"
run one
is "in a script that does" "$(ran)/$status" "one /1"
rm "$project/tests/made/fails.sh"
echo 'pthread_create();' >"$project/tests/made/fails.c"
sed 's/fails\.sh/fails/' "$project/race.points" >"$project/one.points"
run one
is "in a program with threads" "$(ran)/$status" "one /1"
mkdir "$project/tests/lib"
echo 'pthread_create();' >"$project/tests/lib/threads.h"
echo '#include "threads.h"' >"$project/tests/made/fails.c"
run one
is "in one whose header has them" "$(ran)/$status" "one /1"
: >"$project/tests/made/fails.c"
run one
is "in one without, it does" "$status $(last)" "0 3 passed, 0 failed, 1 flaky"
points one <<'END'
FAIL: tests/made/fails 1 - 10 fresh processes: signals
END
run one
is "at a point about races" "$(ran)/$status" "one /1"
points one <<'END'
FAIL: tests/made/a.sh 1 - a
FAIL: tests/made/fails 1 - b
FAIL: tests/made/c.sh 1 - c
END
: >"$project/tests/made/a.sh"
: >"$project/tests/made/c.sh"
run one
is "after three" "$(ran)/$status/$(last)" "one /1/0 passed, 3 failed"
points two <<'END'
FAIL: tests/made/c.sh 1 - c
END
sed -i.bak '/c\.sh/d' "$project/one.points"
run one two
is "after three of two suites" "$status $(last)" "1 0 passed, 3 failed"
sed -i.bak '/a\.sh/d' "$project/one.points"
run one two
is "not after two" "$status $(last)" "0 2 passed, 0 failed, 2 flaky"
points broken <<'END'
PASS: tests/made/a.sh 1 - a
END
run broken
is "a failure without a point" "$(ran)/$status/$(last)" "broken /1/1 passed, 1 failed"

# A run says where it is, and ends what it has started.
points one <<'END'
PASS: tests/made/a.sh 1 - a
END
MADE_SECONDS=3 run one
ok "it says how far it is" said '^runtests: [0-9]* s: one 0 points; now made/fails$'

# interrupted SIGNAL: end a run by this signal when one suite has passed and the other one has a
# child in a session of its own. Another run does not begin in the same folder before.
interrupted() {
	rm -rf "$project/_build/endless/build/pid" "$project/_build/state"
	(cd "$project" && exec ./runtests one endless) >"$scratch/first" 2>&1 </dev/null &
	soon test -s "$project/_build/endless/build/pid"
	soon test -s "$project/_build/state/one.result"
	run one
	sed "s/ $! / PID /; s/$!\$/PID/" "$scratch/out" >"$scratch/second"
	is "$1: two runs in one folder" "$status $(cat "$scratch/second")" \
		"1 runtests: process PID runs suites in this folder; wait for it, or end it by:\
 kill PID"
	kill -s "$1" $!
	status=0
	wait $! || status=$?
	child=$(cat "$project/_build/endless/build/pid")
	mv "$scratch/first" "$scratch/out"
}
for signal in TERM:143 HUP:129; do
	# nohup(1) has it ignored, and then this run does not obey it either.
	if sh -c "kill -${signal%:*} \$\$" 2>/dev/null; then
		skip "${signal%:*}" "it is ignored here"
		continue
	fi
	interrupted ${signal%:*}
	is "${signal%:*}: status" "$status" ${signal#*:}
	is "${signal%:*}: the last line says so" "$(last)" "1 passed, 0 failed, interrupted"
	ok "${signal%:*}: nothing lives on" soon sh -c '! kill -0 "$1" 2>/dev/null' sh "$child"
done
