#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Many calibrators at once: all for one cache; each for a cache of its own, with one file of the
# frequency; and while some of them are killed. Each succeeds or says that it has waited in vain.
# The published files are whole, and no temporary file is left. (rivals.sh has two calibrators at
# once, lock.sh a lock that is held.)

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"
. "$top_srcdir/tests/calibrated/faults.sh"

boot=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null) || skip_all "no boot id on this system"

CROWD=20
KILLED=10 # of these calibrators

seed=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
echo "# seed $seed"

# one NUMBER CACHE: run a calibrator; its status goes to done.NUMBER, its output to log.NUMBER.
one() {
	timeout "$runs_max" "$calibrated" -B 20 -f -c "$2" -p "$scratch/w/etc/persecond" \
		2>"$scratch/log.$1"
	echo $? >"$scratch/done.$1"
}
# crowd NAME COMMON|OWN: run all of them, and count in $succeeded and $busy. Another status is
# printed.
crowd() {
	rm -f "$scratch"/done.*
	for i in $(seq $CROWD); do
		[ "$2" = own ] && of=.$i || of=
		one "$i" "$scratch/w/cache$of/counters" &
	done
	wait
	succeeded=$(grep -l -x 0 "$scratch"/done.* | grep -c .)
	busy=$(grep -l -x 3 "$scratch"/done.* | grep -c .)
	is "$1: all end, with a new cache or with \"busy\"" "$((succeeded + busy))" $CROWD
	ok "$1: one at least succeeds" test "$succeeded" -gt 0
	is "$1: who is busy has said so" \
		"$(grep -l 'counters: .*timed out$' "$scratch"/log.* | grep -c .)" "$busy"
	echo "# $1: $succeeded succeeded, $busy waited in vain"
}
# final NAME: every cache that exists is used, the file of the frequency is whole, and no temporary
# file is left.
final() {
	for cache in "$scratch"/w/cache*/counters; do
		CPUCYCLES_CACHE=$cache timeout "$limit" "$programs/show-alone" |
			sed -n 's/^status //p'
	done | sort | uniq -c | awk '{ print $2 }' >"$scratch/statuses"
	is "$1: every cache is whole" "$(cat "$scratch/statuses")" used
	[ ! -e "$scratch/w/etc/persecond" ] ||
		ok "$1: the frequency's file is whole" whole "$scratch/w/etc/persecond"
	is "$1: nothing is left" "$(left_in "$scratch/w")" ""
}

mkdir -p "$scratch/w/etc"
crowd "one cache" common
final "one cache"
crowd "a cache each" own
final "a cache each"

# The same, while others of them are killed, at any time until a run would have ended.
start=$(date +%s%N)
one 0 "$scratch/w/cache/counters"
took=$((($(date +%s%N) - start) / 1000))
for whose in common own; do
	awk -v seed="$seed" -v n=$KILLED -v took="$took" 'BEGIN {
		srand(seed)
		for (i = 0; i < n; i++)
			printf "%.6f\n", rand() * took / 1000000 * 2
	}' | while read -r instant; do
		[ $whose = own ] && of=.1 || of=
		"$calibrated" -B 20 -f -c "$scratch/w/cache$of/counters" \
			-p "$scratch/w/etc/persecond" 2>/dev/null &
		victim=$!
		(sleep "$instant"; kill -9 $victim 2>/dev/null) &
		wait $victim 2>/dev/null
		echo $?
	done >"$scratch/victims" 2>/dev/null &
	crowd "with kills, $whose" $whose
	wait
	echo "# $(grep -c -x 137 "$scratch/victims") of $KILLED were killed"
	ok "with kills, $whose: some were killed" grep -q -x 137 "$scratch/victims"
	one 0 "$scratch/w/cache/counters"
	one 1 "$scratch/w/cache.1/counters"
	final "with kills, $whose, and two runs more"
done
