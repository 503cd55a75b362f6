#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# First calls that meet: threads, signal handlers, fork; probing and from a cache.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"

# ThreadSanitizer ends a child of a process with threads unless told not to.
TSAN_OPTIONS="${TSAN_OPTIONS:+$TSAN_OPTIONS:}die_after_fork=0"
export TSAN_OPTIONS

# raced NAME RACE N
raced() {
	timeout 300 "$programs/race" "$2" "$3" >"$scratch/out" 2>&1
	sed 's/^/# /' "$scratch/out"
	is "$1" "$(tail -n 1 "$scratch/out")" "0 of $3 processes failed"
}

CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE
raced "8 threads race the probe in 200 processes" threads 200
raced "handlers that count interrupt the probe" signals 50
raced "children are made during the probe" fork 50

if "$programs/make-cache" "$cache"; then
	CPUCYCLES_CACHE=$cache
	raced "8 threads race the look at the cache in 200 processes" threads 200
	raced "handlers that count interrupt the look at the cache" signals 50
	raced "children are made during the look at the cache" fork 50
else
	skip "the same with a cache" "no cache can be made here"
fi

# A counter over perf_event has work to do in every thread and child.
CPUCYCLES_COUNTER=default-perfevent CPUCYCLES_CACHE=none
export CPUCYCLES_COUNTER
shown
if [ "$(field implementation)" = default-perfevent ]; then
	raced "8 threads with an event each" threads 50
	raced "handlers over events" signals 50
	raced "children over events" fork 50
else
	skip "threads, handlers and children over events" "no cycle event can be opened here"
fi
