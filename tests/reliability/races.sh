#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# tests/lib/threads.sh in a larger size. In 1,050 fresh processes, 8, 64 or 256 threads make their
# first call at once: with a cache, with none wanted, with a missing one. RELIABILITY_TIMES makes it
# more.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"
. "$top_srcdir/tests/lib/races.sh"

times=${RELIABILITY_TIMES:-1}

# race_all WHAT: run all numbers of threads.
race_all() {
	raced "8 threads, $1" threads $((250 * times))
	raced "64 threads, $1" threads $((75 * times)) 64
	raced "256 threads, $1" threads $((25 * times)) 256
	raced "handlers interrupt the first call, $1" signals $((100 * times))
	raced "a timer's handler makes the first call, $1" startup $((50 * times))
	raced_forked "children in the first call, $1" fork $((50 * times))
	raced_forked "vfork children in the first call, $1" vfork $((100 * times))
	in_namespaces "a child with the selecting thread's id, $1" $((100 * times))
	raced_untied "cancellation in the first call, $1" cancel $((100 * times))
	raced_untied "threads that fault beside the first call, $1" faults $((170 * times))
	without_tsc "threads that fault, and RDTSC too, $1" $((75 * times))
}

CPUCYCLES_CACHE=none
export CPUCYCLES_CACHE
race_all "no cache"
CPUCYCLES_CACHE=$scratch/nosuch/counters
race_all "a missing cache"
if "$programs/make-cache" "$cache"; then
	CPUCYCLES_CACHE=$cache
	shown
	is "the cache is used" "$(show_field status)" used
	race_all "a cache"
	# Not with sanitizers, which would report the look at memory that setenv has freed.
	raced_untied "a thread in setenv beside the first call" environment $((2000 * times))
	raced_untied "a first call in a handler over setenv" environment-handler $((5000 * times))
else
	skip "the same with a cache" "no cache can be made here"
fi
