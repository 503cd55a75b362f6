#!/bin/sh
# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# tests/lib/threads.sh in full size. In 2,100 fresh processes, 8, 64 or 256 threads make their first
# call at once: with a cache, with none wanted, with a missing one.

. "$top_srcdir/tests/harness/tap.sh"
. "$top_srcdir/tests/lib/library.sh"
. "$top_srcdir/tests/lib/races.sh"

# race_all WHAT: run all numbers of threads.
race_all() {
	raced "8 threads, $1" threads 500
	raced "64 threads, $1" threads 150 64
	raced "256 threads, $1" threads 50 256
	raced "handlers interrupt the first call, $1" signals 200
	raced "a timer's handler makes the first call, $1" startup 100
	raced_forked "children in the first call, $1" fork 100
	raced_forked "vfork children in the first call, $1" vfork 200
	in_namespaces "a child with the selecting thread's id, $1" 200
	raced_untied "cancellation in the first call, $1" cancel 200
	raced_untied "threads that fault beside the first call, $1" faults 340
	without_tsc "threads that fault, and RDTSC too, $1" 150
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
	raced_untied "a thread in setenv beside the first call" environment 4000
	raced_untied "a first call in a handler over setenv" environment-handler 10000
else
	skip "the same with a cache" "no cache can be made here"
fi
