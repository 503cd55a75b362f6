#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Of two calibrators the second one waits, and gives up in the end.

. "$top_srcdir/tests/harness/tap.sh"

calibrated=$top_builddir/calibrated/cpucycles-calibrated
command -v flock >/dev/null || skip_all "no flock(1) to hold the lock with"

mkdir "$scratch/cache"
cache=$scratch/cache/counters

# hold [LOCK]: holds the lock as a calibrator at work does, until let_go.
hold() {
	rm -f "$scratch/let-go"
	(umask 077 && flock "${1:-$scratch/cache/.counters.lock}" sh -c "touch '$scratch/held'
		while [ -d '$scratch' ] && [ ! -e '$scratch/let-go' ]; do sleep 0.05; done") &
	soon test -e "$scratch/held"
	rm "$scratch/held"
}
let_go() { touch "$scratch/let-go"; }
waits() { grep -q "another run is at work: waiting" "$scratch/log"; }
not() { ! "$@"; }

hold
: >"$scratch/log"
"$calibrated" -c "$cache" -p "$scratch/p" 2>"$scratch/log" &
second=$!
ok "the second says that it waits" soon waits
ok "it publishes nothing meanwhile" test ! -e "$cache"
let_go
wait $second
is "it succeeds when the first ends" $? 0
ok "it published" test -f "$cache"
wait

rm "$cache"
hold
timeout 300 "$calibrated" --wait 1 -c "$cache" -p "$scratch/p" 2>"$scratch/log"
is "the second gives up when the first does not end" $? 3
ok "it had waited" waits
timeout 300 "$calibrated" --wait 0 -c "$cache" -p "$scratch/p" 2>"$scratch/log"
is "with --wait 0 it gives up, too" $? 3
ok "without waiting" not waits
is "it says what helps" "$(tail -n 1 "$scratch/log")" "cpucycles-calibrated: $cache: another run\
 holds the lock; to wait longer, use --wait"
ok "it published nothing" test ! -e "$cache"
ok "it left no temporary file" test -z "$(find "$scratch" -name '*.new')"
let_go
wait
is "nobody else can open the lock" "$(stat -c %a "$scratch/cache/.counters.lock")" 600

# The persecond file has a lock of its own.
hold "$scratch/.p.lock"
timeout 300 "$calibrated" --wait 0 -c "$cache" -p "$scratch/p" 2>"$scratch/log"
is "somebody writes the frequency's file: the run succeeds" $? 0
ok "it says that it has not written that file" grep -q \
	"$scratch/p: not written: another run holds the lock; to wait longer, use --wait\$" \
	"$scratch/log"
ok "without waiting for it" not waits
ok "it published the cache" test -f "$cache"
let_go
wait

# What somebody puts in the cache's place while a run measures stays, too.
hold "$scratch/.p.lock"
: >"$scratch/log"
"$calibrated" -c "$cache" -p "$scratch/p" 2>"$scratch/log" &
second=$!
ok "a run has measured, and waits" soon waits
echo "somebody's" >"$cache"
let_go
wait $second
is "another file came meanwhile: status 1" $? 1
is "another file came meanwhile: it stays" "$(cat "$cache")" "somebody's"
ok "another file came meanwhile: no temporary file" test -z "$(find "$scratch" -name '*.new')"
