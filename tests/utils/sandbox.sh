#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# In a sandbox that refuses what the guard needs, nobody can try a counter. The tools name that
# call, and not an option that nobody has given.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"
. "$top_srcdir/tests/utils/common.sh"
. "$top_srcdir/tests/calibrated/faults.sh"

injects || skip_all "$why"
CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE
EPERM='Operation not permitted'
refused="a sandbox refuses rt_sigaction or rt_sigprocmask (see cpucycles-sandbox(7))"

# says NAME STATUS MESSAGE COMMAND...: the command, where $call is refused.
says() {
	name=$1 expected="$2 $3"
	shift 3
	[ -x "$1" ] || { skip "$call is refused: $name" "${1##*/} is not built"; return; }
	status=0
	$strace -e trace="$call" -e inject="$call:error=EPERM" "$@" \
		>"$scratch/out" 2>"$scratch/err" </dev/null || status=$?
	is "$call is refused: $name" "$status $(cat "$scratch/err")" "$expected"
}
measure=$top_builddir/utils/cpucycles-measure
for call in rt_sigaction rt_sigprocmask; do
	says "--check" 9 "cpucycles-measure: --check: no counter can be tried, because a sandbox\
 refuses $call(2): $EPERM; allow $call(2) in this container or unit, see cpucycles-sandbox(7)" \
		"$measure" --check
	says "-r that was given" 9 "cpucycles-measure: -r: no counter can be tried, because a\
 sandbox refuses $call(2): $EPERM; allow $call(2) in this container or unit, see\
 cpucycles-sandbox(7)" "$measure" --check -r fine
	says "--cache" 3 "cpucycles-info: cache: cannot be looked at: $refused" "$info" --cache
	says "--metrics" 3 "cpucycles-info: --metrics: the counters cannot be looked at: $refused" \
		"$info" --metrics
done
