#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The calibrator is killed at each of its system calls, and each of them fails once. The cache and
# the file of the frequency are then old, new or absent, but always whole. The exit status is 0 only
# if the cache is new. The next run repairs everything and leaves no temporary file.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"
. "$top_srcdir/tests/calibrated/faults.sh"

boot=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null) || skip_all "no boot id on this system"
kills || skip_all "$why"

WORKERS=2

# It is killed at each call, and each call except the loader's fails. Calls on its own files fail in
# every way with both old files. Without old files they fail in two ways, and in every way if
# RELIABILITY_TIMES is 2 or more. All other calls fail in one way, with both old files, because the
# result is the same. default-syscall reads a clock, no file, and is tried like any counter.
# points STATE ERRORS
points() {
	awk -v state="$1" -v errors="$2" '
		{ own = $4 == "ours" || $4 == "new" }
		state == "nothing" && !own { next }
		{ print state, $1, $2, $3, "killed", $4 }
		$4 == "loader" || $1 == "clock_gettime" || $1 == "exit_group" { next }
		{ which = $4 == "new" ? $5 : $3 }
		$1 == "write" && own { print state, $1, $2, which, "retval=0", $4 }
		{
			n = split(own ? errors : "EIO", error, " ")
			for (i = 1; i <= n; i++)
				print state, $1, $2, which, "error=" error[i], $4
		}' "$scratch/steps.$1"
}
for state in nothing both; do
	steps "$scratch/steps.$state" $state
	ok "a run over $state: 40 calls on its own files at least" \
		test "$(grep -c -e ours -e new "$scratch/steps.$state")" -ge 40
	is "a run over $state: the new cache is on the disk before it has its name" \
		"$(awk '$4 == "new" { sub(/at2$/, "at", $1); printf "%s ", $1 }' \
		"$scratch/steps.$state")" \
		"openat write fchmod fsync close renameat "
	errors="ENOSPC EIO EROFS EDQUOT EINTR EACCES EMFILE ENOMEM"
	[ $state = both ] || [ "${RELIABILITY_TIMES:-1}" -ge 2 ] || errors="ENOSPC EINTR"
	points $state "$errors"
done >"$scratch/out"
grep -E '^(not )?ok|^#' "$scratch/out"
tap_count=4
grep -E '^(nothing|both) ' "$scratch/out" >"$scratch/points"

# Each of the two workers takes every other call.
for worker in $(seq $WORKERS); do
	awk -v worker="$worker" -v of=$WORKERS 'NR % of == worker % of' "$scratch/points" |
		while read -r state call number n what whose; do
			echo "$(inject "$scratch/w$worker" "$state" "$call" "$number" "$n" "$what" \
				"$whose") $whose"
		done >"$scratch/done.$worker" &
done
wait
cat "$scratch"/done.* >"$scratch/done"

is "all were tried" "$(grep -c . "$scratch/done")" "$(grep -c . "$scratch/points")"
# On a busy machine the calibrator makes fewer readings, and so fewer calls.
is "kills killed, but for the clock's" \
	"$(grep ' killed: ' "$scratch/done" | grep -v ' clock_' |
	awk '{ n += !/: status 137:/ } END { print (n > NR * 0.02) }')" 0
# A write that was interrupted or wrote nothing is repeated.
is "each error of the new cache's file makes the run fail" \
	"$(grep ' new$' "$scratch/done" | grep -v -e ' killed: ' -e ' write .* error=EINTR: ' \
	-e ' write .* retval=0: ' | grep -v ': status 1:')" ""
is "nothing is torn, all is mended, and the status tells" \
	"$(grep -v ': ok [a-z]*$' "$scratch/done")" ""
echo "# $(grep -c ' killed: ' "$scratch/done") kills, $(grep -vc ' killed: ' \
	"$scratch/done") errors" \
	"($(grep -c ': status 1:' "$scratch/done") of them made a run fail), $(grep \
	-vc ': ok [a-z]*$' "$scratch/done") wrong"
