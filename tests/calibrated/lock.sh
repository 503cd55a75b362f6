#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Two calibrators: the second waits, and gives up in the end.

. "$top_srcdir/tests/harness/tap.sh"

calibrated=$top_builddir/calibrated/cpucycles-calibrated
command -v flock >/dev/null || skip_all "no flock(1) to hold the lock with"

mkdir "$scratch/cache"
cache=$scratch/cache/counters

# hold SECONDS: as a calibrator at work would.
hold() {
	(umask 077 && flock "$scratch/cache/.counters.lock" sh -c "touch '$scratch/held'; sleep $1") &
	until [ -e "$scratch/held" ]; do sleep 0.05; done
	rm "$scratch/held"
}

hold 1
"$calibrated" -c "$cache" -p "$scratch/p" 2>"$scratch/log"
is "the second succeeds when the first ends" $? 0
ok "it said that it waits" grep -q "another run is at work: waiting" "$scratch/log"
ok "it published" test -f "$cache"
wait

rm "$cache"
hold 15
"$calibrated" -c "$cache" -p "$scratch/p" 2>"$scratch/log"
is "the second gives up when the first does not end" $? 3
ok "it published nothing" test ! -e "$cache"
ok "it left no temporary file" test -z "$(find "$scratch" -name '*.new')"
wait
is "nobody else can open the lock" "$(stat -c %a "$scratch/cache/.counters.lock")" 600
