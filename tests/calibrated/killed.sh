#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# The calibrator killed at random instants: readers find a whole cache or none.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/harness/lines.sh"

calibrated=$top_builddir/calibrated/cpucycles-calibrated
show=$top_builddir/tests/lib/show
cache=$scratch/cache/counters
persecond=$scratch/etc/cpucyclespersecond
[ -r /proc/sys/kernel/random/boot_id ] || skip_all "no boot id on this system"
own_etc

RUNS=100
SECONDS_MAX=8

mkdir "$scratch/cache" "$scratch/etc"
run() { exec "$calibrated" --force --budget 20 -c "$cache" -p "$persecond" 2>/dev/null; }
library() { CPUCYCLES_CACHE=$cache "$show" | sed -n 's/^status //p'; }
now_ns() { date +%s%N; }

case $(now_ns) in *[!0-9]*) skip_all "no date(1) with nanoseconds" ;; esac
# The shortest of some runs, because a run that the machine held up tells little about the next.
took=
for try in 1 2 3; do
	start=$(now_ns)
	(run)
	us=$((($(now_ns) - start) / 1000))
	[ -n "$took" ] && [ "$took" -le "$us" ] || took=$us
done
ok "a run that nobody kills succeeds" test -f "$cache"
rm -f "$cache" "$persecond"

seed=$(od -An -N2 -tu2 /dev/urandom | tr -d ' ')
echo "# seed $seed; a run takes $took us"
# Every other kill comes near the end of a run, where files are written.
awk -v seed="$seed" -v runs="$RUNS" -v took="$took" 'BEGIN {
	srand(seed)
	for (i = 0; i < runs; i++)
		printf "%.6f\n", (i % 2 ? 0.85 + rand() * 0.2 : rand()) * took / 1000000
}' >"$scratch/instants"

deadline=$(($(date +%s) + SECONDS_MAX))
killed=0 bad='' before=missing
while read -r instant && { [ "$killed" = 0 ] || [ "$(date +%s)" -lt "$deadline" ]; }; do
	run &
	sleep "$instant"
	kill -9 $! 2>/dev/null
	wait $! 2>/dev/null
	[ $? -ne 137 ] || killed=$((killed + 1))
	status=$(library)
	# Once there is a cache, there always is.
	[ "$status" = used ] || [ "$status" = "$before" ] || bad="$bad $instant:$status"
	before=$status
	[ ! -e "$persecond" ] || [ "$(wc -l <"$persecond")" -eq 3 ] || bad="$bad $instant:persecond"
done <"$scratch/instants"
echo "# $killed runs were killed"
ok "some runs were killed" test "$killed" -gt 0
is "whenever it is killed, the cache is whole or as it was" "$bad" ""

(run)
is "the next run publishes" "$? $(library)" "0 used"
# A run that does not know the frequency, as on a busy machine, leaves no file of it.
is "and leaves nothing beside the two files and the lock" \
	"$(find "$scratch/cache" "$scratch/etc" -type f ! -name .counters.lock | sort)" \
	"$(echo "$cache"; cache_field persecond | grep -q ' default$' || echo "$persecond")"
