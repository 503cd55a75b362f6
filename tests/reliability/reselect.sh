#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Thousands of repeated selections: beside readers, by several threads at once, in signal
# handlers, beside forks, with the TSC taken away, with perf events in the threads, and beside a
# thread that changes or sends the guard's signals.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"

times=${RELIABILITY_TIMES:-1}
RESELECT_ROUNDS=$((5000 * times))
MEANWHILE_ROUNDS=$((10000 * times))
export RESELECT_ROUNDS MEANWHILE_ROUNDS
unset CPUCYCLES_CACHE CPUCYCLES_COUNTER

# full PROGRAM: repeat its results, and the numbers that it prints, as results of this script.
full() {
	if [ ! -x "$programs/$1" ]; then
		skip "$1" "it was not built: cmocka or perf events are not there"
		return
	fi
	CMOCKA_MESSAGE_OUTPUT=TAP timeout "$((1200 * times))" \
		sh "$top_srcdir/tests/harness/unit.sh" "$programs/$1" >"$scratch/out" 2>&1
	echo $? >"$scratch/status"
	grep -E '^# ([0-9]|TEST_SEED)' "$scratch/out"
	points=0
	while read -r line; do
		point=${line#* - }
		case $line in
		"ok "*" # SKIP "*) skip "${point%% # SKIP *}" "${point##* # SKIP }" ;;
		"ok "*) ok "$point" true ;;
		"not ok "*) sed 's/^/# /' "$scratch/out"; ok "$point" false ;;
		*) continue ;;
		esac
		points=$((points + 1))
	done <"$scratch/out"
	is "$1: it came to its end" "1..$points $(cat "$scratch/status")" \
		"$(grep -m 1 '^1\.\.' "$scratch/out") 0"
}

full test-reselect
is "as many as asked for" "$(sed \
	-n 's/^# \([0-9]*\) selections beside 8 threads that asked .*/\1/p' "$scratch/out")" \
	$RESELECT_ROUNDS
full test-reselect-events
full test-meanwhile-random
