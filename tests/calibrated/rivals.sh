#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The calibrator and others who write at the same time, or kill it: a sysadmin, a
# second calibrator, whoever reads its log.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"
. "$top_srcdir/tests/calibrated/faults.sh"

calibrated=$top_builddir/calibrated/cpucycles-calibrated
boot=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null) || skip_all "no boot id on this system"
persecond=$scratch/etc/cpucyclespersecond
mkdir "$scratch/etc" "$scratch/one" "$scratch/two"

# calibrate WHO [OPTION...]: into a cache of its own and the common persecond file.
calibrate() {
	who=$1
	shift
	$under "$calibrated" --budget 20 --cache "$scratch/$who/counters" --persecond "$persecond" "$@" \
		>"$scratch/out.$who" 2>"$scratch/log.$who"
}
under=
not() { ! "$@"; }
logged() { grep -q -e "$2" "$scratch/log.$1" || { sed 's/^/# log: /' "$scratch/log.$1"; return 1; }; }
library() { CPUCYCLES_CACHE=$scratch/$1/counters "$programs/show" | sed -n 's/^status //p'; }
# Beside a persecond file nothing of ours stays; a cache's lock does.
leftovers() { find "$scratch/etc" "$scratch/one" "$scratch/two" -name '.*' ! -name .counters.lock; }
# until_exists PATH...: one of them.
until_exists() {
	for tick in $(seq 600); do
		for path; do
			[ ! -e "$path" ] || return 0
		done
		sleep 0.1
	done
	return 1
}

calibrate one || skip_all "no calibrator can run here"
# A measurement may fail on a busy machine, and another time gives another number.
known=yes
[ -e "$persecond" ] && [ "$(cache_field persecond "$scratch/one/counters" | cut -d' ' -f2)" != measured ] || known=no

# Streams that are closed, and one that nobody reads any more.
rm -f "$scratch/one/counters"
"$calibrated" -B 20 -c "$scratch/one/counters" -p "$persecond" >&- 2>&-
is "closed streams: status 0" $? 0
is "closed streams: the library uses the cache" "$(library one)" used
is "closed streams: nothing in the lock" "$(wc -c <"$scratch/one/.counters.lock" | tr -d ' ')" 0
rm -f "$scratch/one/counters"
{
	until_exists "$scratch/gone"
	"$calibrated" -B 20 -f -c "$scratch/one/counters" -p "$persecond" 2>&1
	echo $? >"$scratch/status"
} | : >"$scratch/gone"
is "nobody reads the log: status 0" "$(cat "$scratch/status")" 0
is "nobody reads the log: the library uses the cache" "$(library one)" used

# What a killed run left beside a file that became the sysadmin's.
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
	ok "two at once: the first has no complaint" not grep "not written: [A-Z]" "$scratch/log.one"
	ok "two at once: the second has no complaint" not grep "not written: [A-Z]" "$scratch/log.two"
	is "two at once: nothing stays" "$(leftovers)" ""
	[ $known = no ] || ok "two at once: the file is whole" whole "$persecond"
done

# A file of ours on what became read-only: libraries obey it, so does the cache.
mkdir "$scratch/m"
if unshare -m mount -t tmpfs none "$scratch/m" 2>/dev/null; then
	ours 1000000001 >"$scratch/older"
	unshare -m sh -ec "mount -t tmpfs none '$scratch/m'
		cp '$scratch/older' '$scratch/m/persecond'
		mount -o remount,ro '$scratch/m'
		'$calibrated' -B 20 -f -c '$scratch/one/counters' -p '$scratch/m/persecond'" 2>"$scratch/log.one"
	is "an older file of ours, read-only: status 0" $? 0
	ok "it warns" logged one "still says 1000000001 Hz: the cache is made for that"
	is "the cache is made for that number" "$(cache_field persecond "$scratch/one/counters")" "1000000001 measured"
	is "every OS clock runs at it, within 10 %" "$(awk '/^usable [^ ]* os-clock/ && $11 > 0 &&
		($11 < 900000000 || $11 > 1100000000) { print }' "$scratch/one/counters")" ""
else
	skip "an older file of ours, read-only" "no mounts here"
fi

# What needs system calls to be delayed or to kill.
end() { skip "delays and kills" "$1"; exit 0; }
injects || end "$why"
[ $known = yes ] || end "nobody says the frequency here: a persecond file is no certainty"

# The first fsync is the persecond file's. It takes a while; what comes meanwhile may be late all
# the same on a busy machine, and then is tried again.
TRIES=5
being_written=$scratch/etc/.cpucyclespersecond.new
ended=$scratch/ended
# slow: the first one's run, in the background; comes back when it writes, or has ended.
slow() {
	rm -f "$ended"
	{
		under="$strace -e trace=fsync -e inject=fsync:delay_enter=1000000:when=1" calibrate one --force
		status=$?
		: >"$ended"
		exit $status
	} &
	until_exists "$being_written" "$ended"
}

# The sysadmin meanwhile writes a file where there is none, or over ours.
for before in none ours; do
	for try in $(seq $TRIES); do
		rm -f "$persecond"
		[ $before = none ] || ours 1000000001 >"$persecond"
		slow
		echo 1234567890 >"$scratch/etc/his" && mv "$scratch/etc/his" "$persecond"
		[ -e "$being_written" ] && meanwhile=yes || meanwhile=no
		wait $!
		status=$?
		[ $meanwhile = no ] || break
	done
	is "over $before: it writes, and the sysadmin meanwhile" $meanwhile yes
	is "over $before: status 0" $status 0
	is "over $before: the sysadmin's file survives" "$(cat "$persecond")" 1234567890
	is "over $before: the cache obeys it" "$(cache_field persecond "$scratch/one/counters")" "1234567890 persecond-file"
	is "over $before: nothing stays" "$(leftovers)" ""
done

waits="cpucyclespersecond: another run is at work: waiting"
for try in $(seq $TRIES); do
	rm -f "$persecond"
	slow
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

# Behind mkdir, at the next look at the folder.
n=$(awk '$1 ~ /^mkdir(at)?$/ { made = 1 } made && $1 == "openat" { print $2, $3; exit }' "$scratch/steps")
(umask 077 && killed "$scratch/fresh" $n)
is "killed behind mkdir: everybody may enter" "$(stat -c %a "$scratch/fresh/cache")" 755
is "before there was a cache" "$(ls "$scratch/fresh/cache")" ""

# Each call that touches the two files or their folders, over nothing and over both: killed there. All
# calls, and errors too: tests/reliability/calibrator-faults.sh.
awk '($4 == "ours" || $4 == "new") && $1 ~ /^(write|fchmod|fsync|close|linkat|renameat|unlinkat|mkdir|mkdirat|renameat2)$/' "$scratch/steps" |
	while read -r call number n whose; do
		inject "$scratch/w" nothing "$call" "$number" "$n" killed
	done >"$scratch/kills"
echo "# killed $(grep -c . "$scratch/kills") times"
is "all kill" "$(grep -vc 'killed: status 137:' "$scratch/kills")" 0
ok "a run makes 15 such calls at least" test "$(grep -c . "$scratch/kills")" -ge 15
is "killed there: never torn, and mended by the next run" "$(grep -v ': ok$' "$scratch/kills")" ""
