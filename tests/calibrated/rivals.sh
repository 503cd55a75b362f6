#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The calibrator and others who write at the same time, or kill it: a sysadmin, a
# second calibrator, whoever reads its log.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"

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
field() { sed -n "s/^$2 //p" "$scratch/$1/counters"; }
# Beside a persecond file nothing of ours stays; a cache's lock does.
leftovers() { find "$scratch/etc" "$scratch/one" "$scratch/two" -name '.*' ! -name .counters.lock; }
ours() { printf '%s\n# written by cpucycles-calibrated, boot %s, source measured\n' "$1" "$boot"; }
whole() {
	[ "$(wc -l <"$1")" = 2 ] && sed -n 1p "$1" | grep -qx '[1-9][0-9]*' &&
		sed -n 2p "$1" | grep -qx "# written by cpucycles-calibrated, boot $boot, source [a-z-]*"
}
until_exists() {
	for tick in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		[ -e "$1" ] && return
		sleep 0.1
	done
	return 1
}

calibrate one || skip_all "no calibrator can run here"
# A measurement may fail on a busy machine, and another time gives another number.
known=yes
[ -e "$persecond" ] && [ "$(field one persecond | cut -d' ' -f2)" != measured ] || known=no

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
	is "the cache is made for that number" "$(field one persecond)" "1000000001 measured"
	is "every OS clock runs at it, within 10 %" "$(awk '/^usable [^ ]* os-clock/ && $11 > 0 &&
		($11 < 900000000 || $11 > 1100000000) { print }' "$scratch/one/counters")" ""
else
	skip "an older file of ours, read-only" "no mounts here"
fi

# What needs system calls to be delayed or to kill.
end() { skip "delays and kills" "$1"; exit 0; }
sanitized && end "strace and sanitizers don't go together"
command -v strace >/dev/null || end "no strace"
strace -o /dev/null -e inject=fsync:delay_enter=1 true 2>/dev/null || end "strace can't trace here"
[ $known = yes ] || end "nobody says the frequency here: a persecond file is no certainty"

# The first fsync is the persecond file's. It takes a while.
slow() { under="strace -o /dev/null -e inject=fsync:delay_enter=700000:when=1" calibrate "$@"; }

# The sysadmin meanwhile writes a file where there is none, or over ours.
for before in none ours; do
	rm -f "$persecond"
	[ $before = none ] || ours 1000000001 >"$persecond"
	slow one --force &
	ok "over $before: it writes" until_exists "$scratch/etc/.cpucyclespersecond.new"
	echo 1234567890 >"$scratch/etc/his" && mv "$scratch/etc/his" "$persecond"
	wait $!
	is "over $before: status 0" $? 0
	is "over $before: the sysadmin's file survives" "$(cat "$persecond")" 1234567890
	is "over $before: nothing stays" "$(leftovers)" ""
done

rm -f "$persecond"
slow one --force &
until_exists "$scratch/etc/.cpucyclespersecond.new"
calibrate two --force
is "a second one behind a slow disk: status 0" $? 0
wait $!
is "the first one: status 0" $? 0
ok "the second waits" logged two "cpucyclespersecond: another run is at work: waiting"
ok "the first one's file is written" logged one "$persecond: written"
ok "and the second one's" logged two "$persecond: written"
ok "the file is whole" whole "$persecond"
is "nothing stays" "$(leftovers)" ""

# killed WHO CALL N [OPTION...]: at the entry of the Nth call of that kind, or not at all
# where there are fewer. The shell's word about the signal is not of interest.
killed() {
	who=$1 call=$2 n=$3
	shift 3
	(strace -o /dev/null "$@" -e "inject=$call:signal=KILL:when=$n" "$calibrated" -B 20 -f \
		-c "$scratch/$who/counters" -p "$persecond"; :) >/dev/null 2>&1
}

# Behind mkdir, at the next look at the folder.
(umask 077 && killed fresh openat 2 -P "$scratch/fresh")
if [ -d "$scratch/fresh" ]; then
	is "killed behind mkdir: everybody may enter" "$(stat -c %a "$scratch/fresh")" 755
	is "before there was a cache" "$(ls "$scratch/fresh")" ""
else
	skip "killed behind mkdir" "strace does not count calls by path"
fi

# Nothing is torn: what is there is what was there or what shall be there.
torn() {
	case $(library one) in
	used | missing | stale-persecond) ;;
	*) echo "cache $(library one)" ;;
	esac
	[ ! -e "$persecond" ] || whole "$persecond" || echo "persecond '$(cat "$persecond")'"
}
# The calls of a whole run, to choose from.
strace -o "$scratch/trace" "$calibrated" -B 20 -f -c "$scratch/one/counters" -p "$persecond" 2>/dev/null
calls() { grep -c "^$1(" "$scratch/trace"; }
last() { awk -v n="$(calls "$1")" -v k="$2" -v by="$3" 'BEGIN { for (i = n - k * by + by; i <= n; i += by) if (i > 0) print i }'; }
kills=0 problems=
check() {
	killed one "$1" "$2"
	kills=$((kills + 1))
	found=$(torn)
	calibrate one || found="$found; the next run fails"
	[ "$(library one)" = used ] && [ -z "$(leftovers)" ] && whole "$persecond" || found="$found; not mended"
	[ -z "$found" ] || problems="$problems$1 $2 $3: $found
"
}
for before in nothing both; do
	for call in openat write fsync fchmod renameat rename renameat2 linkat link mkdir; do
		case $call in
		openat) numbers=$(last openat 5 1) ;;
		write) numbers=$(last write 4 3) ;;
		*) numbers="1 2 3" ;;
		esac
		[ "$(calls $call)" != 0 ] || [ $before = nothing ] || continue
		for n in $numbers; do
			[ $before = both ] || rm -f "$persecond" "$scratch/one/counters"
			check $call "$n" "over $before"
		done
	done
done
echo "# killed $kills times"
is "killed anywhere: never torn, and mended by the next run" "$problems" ""
