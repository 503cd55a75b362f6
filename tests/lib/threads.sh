#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# First calls that meet other threads, signal handlers, children, cancellation or faults, while they
# probe or look at a cache. tests/reliability/races.sh has the full size.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"
. "$top_srcdir/tests/lib/races.sh"
case "${TESTS_SHORT-} $CFLAGS $CC " in
yes*-fsanitize=address*) skip_all "in the short tier, ThreadSanitizer watches the races" ;;
esac

CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE
raced "8 threads race the probe" threads 100
raced "64 threads race the probe" threads 5 64
raced "handlers that count interrupt the probe" signals 50
raced "a timer's handler makes the first call at start-up" startup 20
raced_forked "children are made during the probe" fork 25
raced_forked "vfork children are made during the probe" vfork 25
raced_untied "a thread is cancelled in the probe" cancel 50
raced_untied "threads fault while others probe" faults 20
without_tsc "the same where RDTSC faults too" 20

if "$programs/make-cache" "$cache"; then
	CPUCYCLES_CACHE=$cache
	raced "8 threads race the look at the cache" threads 100
	raced "64 threads race the look at the cache" threads 5 64
	raced "handlers that count interrupt the look at the cache" signals 50
	raced_forked "children are made during the look at the cache" fork 25
	raced_forked "vfork children are made during the look at the cache" vfork 25
	raced_untied "a thread is cancelled in the look at the cache" cancel 50
else
	skip "the same with a cache" "no cache can be made here"
fi

# A counter over perf events opens an event in every thread and child.
CPUCYCLES_COUNTER=default-perfevent CPUCYCLES_CACHE=none
export CPUCYCLES_COUNTER
for race in race race-events none; do
	[ "$race" = none ] || [ "$("$programs/$race" counter 2>/dev/null)" != default-perfevent ] ||
		break
done
if [ $race != none ]; then
	echo "# $race has events"
	raced "8 threads with an event each" threads 50
	raced "handlers over events" signals 50
	raced_forked "children over events" fork 25
	raced_forked "vfork children over events" vfork 25
	raced_untied "faults beside events" faults 20
else
	skip "threads, handlers and children over events" "$(if [ -x "$programs/race-events" ]; then
		echo "neither an event of cycles nor a task clock can be opened here"
	else
		echo "this build has no counter over perf events"
	fi)"
fi
