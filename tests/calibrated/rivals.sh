#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The calibrator beside others: a sysadmin or a second calibrator that writes the same file, a
# reader of its log that goes away, and somebody who kills it.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"
. "$top_srcdir/tests/calibrated/faults.sh"

boot=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null) || skip_all "no boot id on this system"
persecond=$scratch/etc/cpucyclespersecond
mkdir "$scratch/etc" "$scratch/one" "$scratch/two"

# calibrate WHO [OPTION...]: a run with a cache of its own and the common persecond file.
calibrate() {
	who=$1
	shift
	$under "$calibrated" --budget 20 --cache "$scratch/$who/counters" --persecond "$persecond" \
		"$@" \
		>"$scratch/out.$who" 2>"$scratch/log.$who"
}
under=
not() { ! "$@"; }
logged() {
	grep -q -e "$2" "$scratch/log.$1" && return
	sed 's/^/# log: /' "$scratch/log.$1"
	return 1
}
library() { CPUCYCLES_CACHE=$scratch/$1/counters "$programs/show" | sed -n 's/^status //p'; }
# Files left behind. Beside a persecond file there may be none, beside a cache its lock.
leftovers() { find "$scratch/etc" "$scratch/one" "$scratch/two" -name '.*' ! -name .counters.lock; }

calibrate one || skip_all "no calibrator can run here"
# On a busy machine a measurement may fail, and each one gives another number.
known=yes
[ -e "$persecond" ] &&
	[ "$(cache_field persecond "$scratch/one/counters" | cut -d' ' -f2)" != measured ] ||
		known=no

# Standard streams that are closed, and one that nobody reads any more.
rm -f "$scratch/one/counters"
"$calibrated" -B 20 -c "$scratch/one/counters" -p "$persecond" >&- 2>&-
is "closed streams: status 0" $? 0
is "closed streams: the library uses the cache" "$(library one)" used
is "closed streams: nothing in the lock" "$(wc -c <"$scratch/one/.counters.lock" | tr -d ' ')" 0
rm -f "$scratch/one/counters"
{
	soon test -e "$scratch/gone"
	"$calibrated" -B 20 -f -c "$scratch/one/counters" -p "$persecond" 2>&1
	echo $? >"$scratch/status"
} | : >"$scratch/gone"
is "nobody reads the log: status 0" "$(cat "$scratch/status")" 0
is "nobody reads the log: the library uses the cache" "$(library one)" used

# A new text that a killed run left beside a file that is now the sysadmin's.
echo 1234567890 >"$persecond"
echo leftover >"$scratch/etc/.cpucyclespersecond.new"
ok "a run over a leftover succeeds" calibrate one
is "the leftover is gone" "$(leftovers)" ""
is "the sysadmin's file is not" "$(cat "$persecond")" 1234567890

# Two at once, each with its own cache.
for round in 1 2 3; do
	rm -f "$persecond"
	calibrate one --force &
	calibrate two --force
	second=$?
	wait $!
	is "two at once: both succeed" "$? $second" "0 0"
	ok "two at once: the first has no complaint" not grep "not written: [A-Z]" \
		"$scratch/log.one"
	ok "two at once: the second has no complaint" not grep "not written: [A-Z]" \
		"$scratch/log.two"
	is "two at once: nothing stays" "$(leftovers)" ""
	[ $known = no ] || ok "two at once: the file is whole" whole "$persecond"
done

# A persecond file of ours on a disk that became read-only: libraries obey it, so the cache does.
mkdir "$scratch/m"
if may_mount "$scratch/m"; then
	ours 1000000001 >"$scratch/older"
	$unshare sh -ec "mount -t tmpfs none '$scratch/m'
		cp '$scratch/older' '$scratch/m/persecond'
		mount -o remount,bind,ro '$scratch/m'
		'$calibrated' -B 20 -f -c '$scratch/one/counters' -p '$scratch/m/persecond'" \
		2>"$scratch/log.one"
	is "an older file of ours, read-only: status 0" $? 0
	ok "it warns" logged one "still says 1000000001 Hz: the cache is made for that"
	is "the cache is made for that number" "$(cache_field persecond "$scratch/one/counters")" \
		"1000000001 measured"
	is "every OS clock runs at it, within 10 %" "$(awk '/^usable [^ ]* os-clock/ && $11 > 0 &&
		($11 < 900000000 || $11 > 1100000000) { print }' "$scratch/one/counters")" ""
else
	skip "an older file of ours, read-only" "$refused"
fi

# From here on system calls have to be delayed, or to kill.
end() { skip "delays and kills" "$1"; exit 0; }
injects || end "$why"
[ $known = yes ] || end "nobody says the frequency here: a persecond file is no certainty"

# The first fsync is that of the persecond file. It is delayed, so that others can write meanwhile.
# On a busy machine they may be late all the same, and then it is tried again with a longer delay.
RIVAL_TRIES=6
being_written=$scratch/etc/.cpucyclespersecond.new
ended=$scratch/ended
# slow TRY: starts the first run in the background. Returns when it writes the file, or has ended.
slow() {
	late_fsync="$strace -e trace=fsync -e inject=fsync:delay_enter=$((500000 << $1)):when=1"
	rm -f "$ended"
	{
		under=$late_fsync calibrate one --force
		status=$?
		: >"$ended"
		exit $status
	} &
	soon test -e "$being_written" -o -e "$ended"
}

# Meanwhile the sysadmin writes a file, where there is none or over ours.
for before in none ours; do
	for try in $(seq $RIVAL_TRIES); do
		rm -f "$persecond"
		[ $before = none ] || ours 1000000001 >"$persecond"
		slow "$try"
		echo 1234567890 >"$scratch/etc/his" && mv "$scratch/etc/his" "$persecond"
		[ -e "$being_written" ] && meanwhile=yes || meanwhile=no
		wait $!
		status=$?
		[ $meanwhile = no ] || break
	done
	is "over $before: it writes, and the sysadmin meanwhile" $meanwhile yes
	is "over $before: status 0" $status 0
	is "over $before: the sysadmin's file survives" "$(cat "$persecond")" 1234567890
	is "over $before: the cache obeys it" "$(cache_field persecond "$scratch/one/counters")" \
		"1234567890 persecond-file"
	is "over $before: nothing stays" "$(leftovers)" ""
done

waits="cpucyclespersecond: another run is at work: waiting"
for try in $(seq $RIVAL_TRIES); do
	rm -f "$persecond"
	slow "$try"
	calibrate two --force
	second=$?
	wait $!
	first=$?
	! grep -q "$waits" "$scratch/log.two" || break
done
is "a second one behind a slow disk: status 0" $second 0
is "the first one: status 0" $first 0
ok "the second waits" logged two "$waits"
ok "the first one's file is written" logged one "$persecond: written"
ok "and the second one's" logged two "$persecond: written"
ok "the file is whole" whole "$persecond"
is "nothing stays" "$(leftovers)" ""

kills || end "$why"
steps "$scratch/steps" nothing

# Killed right after mkdir, at the next look at the folder.
n=$(awk '$1 ~ /^mkdir(at)?$/ { made = 1 }
	made && $1 == "openat" { print $2, $3; exit }' "$scratch/steps")
(umask 077 && killed "$scratch/fresh" $n)
is "killed behind mkdir: everybody may enter" "$(stat -c %a "$scratch/fresh/cache")" 755
is "before there was a cache" "$(ls "$scratch/fresh/cache")" ""

# Killed at each call that touches the two files or their folders, with and without old files. All
# calls, and calls that fail, are tested by tests/reliability/calibrator-faults.sh.
touching='^(write|fchmod|fsync|close|linkat|renameat|unlinkat|mkdir|mkdirat|renameat2)$'
awk -v touching="$touching" '($4 == "ours" || $4 == "new") && $1 ~ touching' "$scratch/steps" |
	while read -r call number n whose; do
		inject "$scratch/w" nothing "$call" "$number" "$n" killed
	done >"$scratch/kills"
echo "# killed $(grep -c . "$scratch/kills") times"
is "all kill" "$(grep -vc 'killed: status 137:' "$scratch/kills")" 0
ok "a run makes 15 such calls at least" test "$(grep -c . "$scratch/kills")" -ge 15
is "killed there: never torn, and mended by the next run" "$(grep -v ': ok$' "$scratch/kills")" ""
