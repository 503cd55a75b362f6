# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD
# shellcheck shell=sh disable=SC2034,SC2154 # variables come from and go to the sourcing script

# What the logs of the suites say: sums, failures, skipped scripts, and a second try of what failed.
# Sourced by ./runtests, after dev/suites.sh. $state is a folder for the results of this run.

WHY_LINES=60 # of what one script said about its failures
AGAIN_MAX=2  # tests that may be tried again in one run

sum=$top/_build/sum     # the last line of the last run
flaky=$top/_build/flaky # the tests that passed in a second try, and what they said in the first

# with_times COMMAND...: run it, and end the log with the processor time that it took.
with_times() {
	with_status=0
	"$@" || with_status=$?
	echo "processor time of this shell and of what it started, user and system:"
	times
	return "$with_status"
}

# processor_seconds TIMES: from what the command times printed, of a shell and of all that it has
# waited for.
processor_seconds() {
	awk '{ for (i = 1; i <= 2; i++) { split($i, part, "m"); sum += 60 * part[1] + part[2] } }
		END { printf "%d", sum }' "$1"
}

# result_of NAME: one of the sums that the test driver printed last.
result_of() {
	sed -n "s/^# $1: *//p" "$log" | tail -n 1
}

# count STATUS: take the sums from the log. A suite without sums ran no test, which is a failure.
count() {
	pass=$(result_of PASS)
	if [ -z "$pass" ]; then
		pass=0 fail=1 skip=0
		return
	fi
	pass=$((pass + $(result_of XFAIL)))
	fail=$(($(result_of FAIL) + $(result_of XPASS) + $(result_of ERROR)))
	skip=$(result_of SKIP)
	[ "$1" -eq 0 ] || [ "$fail" -gt 0 ] || fail=1
	[ "$((pass + fail + skip))" -gt 0 ] || fail=1
}

# add_results: the sums over all suites. A suite without a result has failed.
add_results() {
	passed=0 failed=0 skipped=0
	for suite in $suites; do
		[ -e "$state/$suite.result" ] || [ -e "$state/stopped" ] ||
			echo "0 1 0" >"$state/$suite.result"
	done
	for result in "$state"/*.result; do
		[ -e "$result" ] || continue
		read -r pass fail skip <"$result"
		passed=$((passed + pass)) failed=$((failed + fail)) skipped=$((skipped + skip))
	done
}

# say_sum: the last line.
say_sum() {
	sum_line="$passed passed, $failed failed"
	[ "$skipped" -eq 0 ] || sum_line="$sum_line, $skipped skipped"
	[ ! -e "$state/stopped" ] || sum_line="$sum_line, interrupted"
	[ ! -s "$flaky" ] || sum_line="$sum_line, $(grep -c '^flaky: ' "$flaky") flaky"
	echo "$sum_line"
}

# bad_points SUITE: its points that failed, as the test driver prints them.
bad_points() {
	sed -n '/^FAIL: /p; /^ERROR: /p; /^XPASS: /p' "_build/$1.log" | sort -u
}

# tests_of: from points on standard input to their tests, each once.
tests_of() {
	sed 's/^[A-Z]*: \([^ ]*\).*/\1/' | sort -u
}

# why SUITE TEST...: what these tests said about the points that failed. A machine that fails may
# be out of reach later, so that only this script's output is left of it.
why() {
	why_folder=_build/$(folder_of "$1")/build
	shift
	for name; do
		find "$why_folder" -path "*/${name%.sh}.log" -exec awk '
			/^not ok/ { printf "%s%s\n", held, $0; said = 1; held = ""; next }
			/^ok/ { said = 0; held = ""; next }
			/^[A-Z]+: / { next }
			said { print; next }
			{ held = held $0 "\n" }' {} + | tail -n "$WHY_LINES"
	done
}

# show_failures: the names of the points that failed and why, or the end of the log.
# shellcheck disable=SC2046 # names of tests are words
show_failures() {
	bad=$(bad_points "$suite")
	if [ -n "$bad" ]; then
		echo "$bad"
		why "$suite" $(echo "$bad" | tests_of)
	else
		show_tail
	fi
	echo "see $log"
}

# how_far: the points of each running suite so far, and some of the tests that are running. A test
# has its log from its beginning, and its .trs file from its end.
how_far() {
	far=
	for started in "$state"/*.started; do
		suite=$(basename "$started" .started)
		[ -e "$started" ] && [ ! -e "$state/$suite.ended" ] || continue
		far="$far $suite $(grep -c '^[A-Z]*: tests/' "_build/$suite.log") points;"
	done
	[ -n "$far" ] || [ -e "$state/built" ] ||
		far=" $(tail -n 1 _build/gcc-build.log 2>/dev/null | cut -c 1-60);"
	far_now=
	for test in _build/*/build/tests/*/*.log; do
		[ ! -e "${test%.log}.trs" ] && [ "$test" -nt "$state" ] || continue
		case $test in */suite.log) continue ;; esac
		test=${test##*/build/tests/}
		far_now="$far_now ${test%.log}"
	done
	echo "$far now$(echo "$far_now" | cut -c 1-60)"
}

# list_skipped: the suites and the tests that were skipped whole, with the reason of the first skip.
list_skipped() {
	for suite in $suites; do
		[ -e "$state/$suite.ended" ] || continue
		awk '
			!/^[A-Z]+: tests\// { next }
			!($2 in ran) { ran[$2] = 0 }
			!/^SKIP: / { ran[$2] = 1; next }
			!($2 in why) {
				line = $0
				if (!sub(/.*# SKIP /, "", line))
					sub(/^SKIP: [^ ]* (- )?/, "", line)
				why[$2] = line
			}
			END {
				for (name in why)
					if (!ran[name])
						print name "\t" why[name]
			}' "_build/$suite.log"
	done | sort >>"$state/skipped"
	sort -u "$state/skipped" | awk -F '\t' '
		NR == 1 { print "runtests: skipped whole, with the reason:" }
		{ printf "    %-40s %s\n", $1, $2 }'
}

# may_try_again SUITE TEST: whether a second try may excuse a failure. It may not where races are
# looked for, because one race that is lost in many tries is a fault. It may not where it is not
# known which test failed, and not in the tarball, which has a tree of its own.
may_try_again() {
	case " $RACE_SUITES distcheck near " in *" $1 "*) return 1 ;; esac
	! starts_threads "$2" &&
		! bad_points "$1" | grep -F "$2 " | grep -q -e 'fresh processes' -e threads
}

# starts_threads TEST: whether it starts threads or programs with threads, by itself or by a header.
starts_threads() {
	case $1 in tests/consistency/* | tests/dev/*) return 1 ;; esac
	if [ ! -e "$1.c" ]; then
		grep -q -e 'lib/race' -e '/moments' -e '/sandboxed' -e '/race ' "$1"
		return
	fi
	sed -n 's,^#include "\([a-z-]*\.h\)",tests/lib/\1,p' "$1.c" | while read -r header; do
		[ ! -e "$header" ] || cat "$header"
	done | grep -q pthread_create - "$1.c"
}

# try_failed_again: run each test that failed once more, alone: a fault that is always there fails
# twice, and bad luck does not. RUNTESTS_RERUN=no is for people who try broken code on purpose.
try_failed_again() {
	[ "${RUNTESTS_RERUN-yes}" != no ] && [ ! -e "$state/stopped" ] || return 0
	again=$(for suite in $suites; do
		read -r pass fail skip <"$state/$suite.result" || continue
		[ "$fail" -gt 0 ] || continue
		bad_points "$suite" >"$state/points"
		# A failure without a point, as of a build, stays one.
		[ "$(grep -c . "$state/points")" -eq "$fail" ] || echo "$suite -"
		tests_of <"$state/points" | sed "s/^/$suite /"
	done)
	[ -n "$again" ] || return 0
	[ "$(echo "$again" | grep -c .)" -le "$AGAIN_MAX" ] || return 0
	echo "$again" | while read -r suite name; do
		[ "$name" != - ] && may_try_again "$suite" "$name" || continue
		try_again "$suite" "$name" </dev/null
	done
}

# try_again SUITE TEST: run the test alone. If it passes, its points of the first try count as
# passed, and it is called flaky.
try_again() {
	suite=$1
	bad_points "$suite" | grep -F ": $2 " >"$state/points"
	say "$2 of $suite failed: once more, alone"
	why "$suite" "$2" >"$state/why"
	before=$(grep -c "^SKIP: $2 " "_build/$suite.log") || :
	if ! try "$suite-alone" run_alone "$suite" "$2"; then
		say "$2 of $suite failed again: see $log"
		return 0
	fi
	# What is skipped has not passed.
	if [ "$(grep -c "^SKIP: $2 " "$log")" -gt "$before" ]; then
		say "$2 of $suite was skipped in its second try: see $log"
		return 0
	fi
	{
		echo "flaky: $2 of $suite failed, and passed when it ran again, alone"
		cat "$state/points" "$state/why"
	} >>"$flaky"
	read -r pass fail skip <"$state/$suite.result"
	points=$(grep -c . "$state/points")
	echo "$((pass + points)) $((fail - points)) $skip" >"$state/$suite.result"
}
